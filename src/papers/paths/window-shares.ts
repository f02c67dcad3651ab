/**
 * Rates of connections with fixed windows on known paths.
 * A connection with window W and round trip d has the rate W / (d + queueing delays on its path there and back), at most
 * the rate of its links. A full link has the queueing delay with which its rates add up to the link's rate; other links
 * have none. Connections that wait at fewer links get more: this is proportional fairness and not max-min, which gives all
 * connections at a full link the same.
 * Units: bits per second, bits on the wire, seconds.
 * Source: Mo and Walrand 2000, section III: fixed windows, first-come-first-served queues.
 */
import { assert } from '../../core/base/assert.ts'
import type { ConnectionPath, ConnectionPaths } from '../../lab/index.ts'

export interface Windows {
  /** Data that a connection may have in flight. */
  readonly windowBits: number
  /** Round trip of a packet and its ACK in an idle network. */
  readonly roundTripSeconds: (connection: ConnectionPath) => number
  /** Bits of ACKs on the reverse path for each bit of data. */
  readonly answerShare: number
}

/** Relative tolerance for the sum of rates on a full link. */
const PRECISION = 1e-6
const SWEEPS_MAX = 5000
/** Steps of a bisection, which exhaust the precision of a double. */
const HALVINGS = 60

/** The rate of each connection. */
export function windowRatesBps({ links, connections }: ConnectionPaths, windows: Windows): Float64Array {
  const { windowBits, roundTripSeconds, answerShare } = windows
  /** Per link: its connections, and the share of their rate that it carries. */
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
  /** The queueing delay at which a link is just full, with all other delays fixed. */
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
    assert(sweeps++ < SWEEPS_MAX, 'queueing delays of fixed windows converge')
    for (let link = 0; link < links.length; link++) {
      if (users[link]!.length === 0) continue
      const wait = fillingWait(link)
      for (const { connection } of users[link]!) totals[connection]! += wait - waits[link]!
      waits[link] = wait
    }
  } while (!isSettled())
  return totals.map((seconds) => windowBits / seconds)
}
