/**
 * Idle job: how long a workload of operations takes where nothing but the links of its own hosts is shared. Its program runs
 * again, message by message, on an idle network (idle-network.ts): no switch between hosts has a queue, no packet is lost.
 * Units: picoseconds, bytes.
 */
import { NEVER_PS } from '../../base/params.ts'
import { controlFrameBytes, type FrameSizes } from '../../transport/endpoint.ts'
import { ACK } from '../../transport/segment.ts'
import type { Operations, Round } from '../../workload/operations.ts'
import { blankMessage, type Source } from '../../workload/workload.ts'
import { plainTrains, trainBytes } from '../times/frame-train.ts'
import type { PairTimes } from '../times/path-times.ts'
import { IdleNetwork, type Passage } from './idle-network.ts'

/** Times of the idle run. */
export interface IdleTimes {
  /** NaN: not computed, as the run itself did not get so far. */
  readonly donePs: number
  readonly rounds: readonly Round[]
}

const UNKNOWN: IdleTimes = { donePs: NaN, rounds: [] }
/** More than a host has ports. */
const LINKS_MAX = 4096
/** Events from one look at the rounds to the next. */
const LOOK_EVERY = 1000

/** @param port of both hosts; -1: all of them together */
export type PassageOf = (source: number, destination: number, sizeBytes: number, port: number) => Passage

/** Home port of the next queue pair of a host; -1: its packets take all ports, or the host has one. */
export type HomeOf = (host: number) => number

/**
 * Runs a program from its begin, until it has as many rounds as the run had.
 * @param source not yet begun
 */
export function idleTimes(source: Source, ran: Operations, passageOf: PassageOf, homeOf: HomeOf): IdleTimes {
  const { operations } = source
  const isWhole = !Number.isNaN(ran.donePs())
  const rounds = ran.rounds().filter(({ endPs }) => !Number.isNaN(endPs)).length
  if (operations === undefined || (!isWhole && rounds === 0)) return UNKNOWN
  const network = new IdleNetwork({
    onDelivered: (nowPs, number) => source.onDelivered?.(nowPs, number),
    onComplete: (nowPs, number) => source.onComplete(nowPs, number),
  })
  const ports = new Map<number, number>()
  const portOf: PortOf = (queue, host) => {
    const known = ports.get(queue) ?? homeOf(host)
    ports.set(queue, known)
    return known
  }
  const isEnough = (): boolean =>
    !isWhole && operations.rounds().filter(({ endPs }) => !Number.isNaN(endPs)).length >= rounds
  for (let events = 0; events % LOOK_EVERY > 0 || !isEnough(); events++) {
    const { nextStartPs } = source
    if (network.nextPs <= nextStartPs) {
      if (network.nextPs === NEVER_PS) break
      network.step()
    } else post(source, nextStartPs, network, passageOf, portOf)
  }
  return { donePs: isWhole ? operations.donePs() : NaN, rounds: operations.rounds() }
}

/** Home port of a queue pair of a host. */
type PortOf = (queue: number, host: number) => number

/** Posts all messages that are due. */
function post(source: Source, nowPs: number, network: IdleNetwork, passageOf: PassageOf, portOf: PortOf): void {
  const message = blankMessage()
  while (source.nextStartPs <= nowPs) {
    source.onTime?.(nowPs)
    if (source.nextStartPs > nowPs) break
    const number = source.operations!.taken()
    source.take(message)
    const { destination, sizeBytes, connection } = message
    // Each port of a host has a link of its own, and all together one where messages take any.
    const linkOf = (host: number): number => host * LINKS_MAX + port + 1
    // A message without a connection has a queue pair of its own.
    const queue = connection < 0 ? -1 - number : connection
    const port = message.port < 0 ? portOf(queue, message.source) : message.port
    const passage = passageOf(message.source, destination, sizeBytes, port)
    network.post({ number, source: linkOf(message.source), destination: linkOf(destination), queue, passage })
  }
  network.start(nowPs)
}

/** Facts of the network that passages follow from. */
export interface PassageFacts {
  readonly frames: FrameSizes
  /** Packets for each ACK; 0: there are none. */
  readonly ackInterval: number
  readonly packetsPerTurn: number
  readonly between: (source: number, destination: number, port: number) => PairTimes
  /** Rate of a port of a host, or of all its links, bit/s. */
  readonly rateBps: (host: number, port: number) => number
}

/** @param usualBps hosts whose links are slower have them at this rate; not given: as they are */
export function passages(
  { frames, ackInterval, packetsPerTurn, between, rateBps }: PassageFacts,
  usualBps = 0,
): PassageOf {
  const trainOf = plainTrains(frames)
  const ackBytes = controlFrameBytes(frames, ACK, 0) + frames.gapBytes
  const known = new Map<string, Passage>()
  return (source, destination, sizeBytes, port) => {
    const key = `${source} ${destination} ${sizeBytes} ${port}`
    let passage = known.get(key)
    if (passage === undefined) known.set(key, (passage = make(source, destination, sizeBytes, port)))
    return passage
  }

  function make(source: number, destination: number, sizeBytes: number, port: number): Passage {
    const train = trainOf(sizeBytes, 'write')
    const bytes = trainBytes(train, frames.gapBytes)
    const acks = ackInterval === 0 ? 0 : Math.ceil(train.packets / ackInterval)
    const { idealPs, ackPs } = between(source, destination, Math.max(0, port))
    const linkPs = (of: number, bps: number): number => (of * 8e12) / bps
    const ends = [rateBps(source, port), rateBps(destination, port)] as const
    const [sourceBps, destinationBps] = ends.map((bps) => Math.max(bps, usualBps)) as [number, number]
    const slowestBps = Math.min(...ends)
    // The slowest link decides the time of all packets but those on the way.
    const savedPs = usualBps > slowestBps ? linkPs(bytes, slowestBps) - linkPs(bytes, usualBps) : 0
    return {
      idealPs: idealPs(sizeBytes, 'write') - savedPs,
      // Without ACKs a send is done when its message is there.
      ackPs: acks === 0 ? 0 : ackPs,
      sourcePs: linkPs(bytes, sourceBps),
      destinationPs: linkPs(bytes, destinationBps),
      sourceAcksPs: linkPs(acks * ackBytes, sourceBps),
      rounds: Math.ceil(train.packets / packetsPerTurn),
      destinationAcksPs: linkPs(acks * ackBytes, destinationBps),
    }
  }
}
