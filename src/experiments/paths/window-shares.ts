/**
 * Window shares: what fixed windows leave each connection of a network whose paths are known.
 * A connection with a window W over a round trip of d has the rate W / (d + the waits on its way there and back), at most
 * what its links allow; a link that is full has a queue of such a wait that its rates add up to the link's, any other has
 * none. Connections that wait at fewer links get more: this is proportional fairness and not max-min, which gives all that
 * meet at a link the same.
 * Units: bits per second, bits on the wire, seconds.
 * Source: Mo and Walrand 2000, section III: windows fixed, queues first come, first served.
 */
import { assert } from '../../base/assert.ts'
import type { ConnectionPath, ConnectionPaths } from '../../lab/index.ts'

export interface Windows {
  /** Data that a connection may have in flight. */
  readonly windowBits: number
  /** Of a packet and its ACK with nothing else there. */
  readonly roundTripSeconds: (connection: ConnectionPath) => number
  /** Bits of ACKs on the way back for each bit of data. */
  readonly answerShare: number
}

/** A full link's rates add up to the link's within this share of it. */
const PRECISION = 1e-6
const SWEEPS_MAX = 5000
/** Halvings of an interval, until a double has no more. */
const HALVINGS = 60

/** The rate of each connection. */
export function windowRatesBps({ links, connections }: ConnectionPaths, windows: Windows): Float64Array {
  const { windowBits, roundTripSeconds, answerShare } = windows
  /** By link: who loads it, and with how much of its rate. */
  const users = links.map((): { connection: number; weight: number }[] => [])
  connections.forEach((path, connection) => {
    for (const link of path.links) users[link]!.push({ connection, weight: 1 })
    for (const link of path.answerLinks) users[link]!.push({ connection, weight: answerShare })
  })
  const waits = new Float64Array(links.length)
  const totals = Float64Array.from(connections, roundTripSeconds)
  const loadOf = (link: number, otherWait: number): number =>
    users[link]!.reduce(
      (sum, { connection, weight }) => sum + (weight * windowBits) / (totals[connection]! - waits[link]! + otherWait),
      0,
    )
  /** The wait at which a link is just full, with all other waits as they are. */
  const fillingWait = (link: number): number => {
    const { rateBps } = links[link]!
    if (loadOf(link, 0) <= rateBps) return 0
    let [low, high] = [0, (users[link]!.length * windowBits) / rateBps]
    for (let i = 0; i < HALVINGS; i++) {
      const middle = (low + high) / 2
      if (loadOf(link, middle) > rateBps) low = middle
      else high = middle
    }
    return high
  }
  const isSettled = (): boolean =>
    links.every(({ rateBps }, link) => {
      const load = loadOf(link, waits[link]!)
      return load <= rateBps * (1 + PRECISION) && (waits[link] === 0 || load >= rateBps * (1 - PRECISION))
    })
  let sweeps = 0
  do {
    assert(sweeps++ < SWEEPS_MAX, 'the waits of windows settle')
    for (let link = 0; link < links.length; link++) {
      if (users[link]!.length === 0) continue
      const wait = fillingWait(link)
      for (const { connection } of users[link]!) totals[connection]! += wait - waits[link]!
      waits[link] = wait
    }
  } while (!isSettled())
  return totals.map((seconds) => windowBits / seconds)
}
