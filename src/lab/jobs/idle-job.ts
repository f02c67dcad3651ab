/**
 * Idle job: how long a workload of operations takes where nothing but the links of its own hosts is shared. Its program runs
 * again, alone, over these links (host-links.ts).
 * Units: picoseconds, bytes.
 */
import { NEVER_PS } from '../../core/base/params.ts'
import { createRandomStreams } from '../../core/base/random.ts'
import { createSerialization } from '../../core/base/serialization.ts'
import { hasSendCosts } from '../../core/fabric/params.ts'
import { byWorkload } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { FrameSizes } from '../../core/transport/endpoint.ts'
import type { Operations, Round } from '../../core/workload/operations.ts'
import { blankMessage, type Message, type Operation, type Source } from '../../core/workload/workload.ts'
import { holdsAcks } from '../network/definitions.ts'
import { Mistakes } from '../network/mistakes.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { createSources } from '../run/sources.ts'
import type { FrameTrain } from '../times/frame-train.ts'
import { type PathTimes, type PathUse, plainUse } from '../times/path-times.ts'
import { type Hop, HostLinks, type Passage } from './host-links.ts'

/** Times of the idle run. */
export interface IdleTimes {
  /** NaN: not computed, as the run itself did not get so far. */
  readonly donePs: number
  /** The job takes this or longer: something that these links do not have holds it back even when idle. */
  readonly isBound: boolean
  /** The idle run's own, where the run was faster and these are the run's times; absent: these are the idle run's. */
  readonly alonePs?: number
  /** Those that are known. */
  readonly rounds: readonly Round[]
  /** From the posting of an operation's message to its last byte; NaN: not known. */
  readonly messagePs: (id: number) => number
}

/** Recoveries that without losses send each packet once and as soon as the link is free. */
const PLAIN_RECOVERIES = new Set<string>(['go-back-n', 'go-back-0', 'check-epsn', 'improved-gbn', 'irn'])

const UNKNOWN: IdleTimes = { donePs: NaN, isBound: false, rounds: [], messagePs: () => NaN }

/** More than a host has ports. */
const LINKS_MAX = 4096
/** Events from one look at the rounds to the next. */
const LOOK_EVERY = 1000

/** A workload of operations, and the run that it had. */
export interface RunJob {
  readonly index: number
  readonly operations: Operations
}

/** Facts of the run. */
export interface JobFacts {
  readonly scenario: Scenario
  readonly built: BuiltNetwork
  /** Those of the job's messages. */
  readonly paths: PathTimes
  /** Rate of a port of a host (-1: of all together), bit/s. */
  readonly rateBps: (host: number, port: number) => number
}

/** @param usualBps hosts whose links are slower have them at this rate; 0: as they are */
export function idleTimes(job: RunJob, facts: JobFacts, usualBps: number): IdleTimes {
  const finished = ({ operations }: Pick<RunJob, 'operations'>): number =>
    operations.rounds().filter(({ endPs }) => !Number.isNaN(endPs)).length
  const rounds = finished(job)
  const isWhole = !Number.isNaN(job.operations.donePs())
  if (!isWhole && rounds === 0) return UNKNOWN
  const isEnough = (again: Operations): boolean => !isWhole && finished({ operations: again }) >= rounds
  // An order of arrivals in which messages and receives do not fit ends a run; there is no idle time then.
  return new Mistakes().attempt(() => runAgain(job.index, facts, usualBps, isEnough)) ?? UNKNOWN
}

/** @param isEnough there are as many rounds as the run had */
function runAgain(
  index: number,
  facts: JobFacts,
  usualBps: number,
  isEnough: (again: Operations) => boolean,
): IdleTimes {
  const { scenario, built } = facts
  const random = createRandomStreams(scenario.seed)
  const source = createSources(scenario, built, random, new Mistakes())[index]!
  const operations = source.operations!
  const own = byWorkload(scenario)[index]!
  const windows = new Windows(windowPackets(own, built.framesOf[index]!))
  const links = new HostLinks({
    onDelivered: (nowPs, number) => source.onDelivered?.(nowPs, number),
    onComplete(nowPs, number) {
      windows.completed(number)
      source.onComplete(nowPs, number)
    },
  })
  const passages = new Passages(index, facts, usualBps)
  const homeOf = homes(built)
  const message = blankMessage()
  let isPlain = isPlainJob(own, built.hostPorts.isSpread)
  const endOf = (): IdleTimes => timesOf(operations, !isPlain || windows.mayHold)
  let lookAt = LOOK_EVERY
  // The run itself had more events, each of which costs several times as much.
  try {
    while (links.events < built.network.events) {
      const atPs = source.nextStartPs
      if (links.advance(atPs)) {
        if (links.events < lookAt) continue
        if (isEnough(operations)) return endOf()
        lookAt += LOOK_EVERY
      } else if (atPs === NEVER_PS) return endOf()
      else if (isDue(source, atPs)) {
        const number = operations.taken()
        source.take(message)
        isPlain &&= !message.isWork && (message.operation === 'write' || message.operation === 'send')
        // A message without a connection has a queue pair of its own.
        const queue = message.connection < 0 ? -1 - number : message.connection
        const port = message.port < 0 ? homeOf(queue, message.source) : message.port
        // Each port of a host has a link of its own, and all together one where messages take any.
        const linkOf = (host: number): number => host * LINKS_MAX + port + 1
        const ends = { source: linkOf(message.source), destination: linkOf(message.destination) }
        const passage = passages.of(message, port)
        windows.posted(number, queue, passage.packets)
        links.post(atPs, { number, ...ends, queue, passage })
      }
    }
    return { ...UNKNOWN, donePs: links.nowPs, isBound: true }
  } finally {
    links.close()
  }
}

/** A step of a source's own is done. Gives whether a message is due. */
function isDue(source: Source, atPs: number): boolean {
  source.onTime?.(atPs)
  return source.nextStartPs === atPs
}

/** Packets that a queue pair may have in flight. The BDP, where it is the cap, is not looked up: 0. */
function windowPackets({ recovery, qp }: Scenario, { payloadBytes }: FrameSizes): number {
  const cap = recovery.kind === 'irn' && recovery.bdpFlowControl ? (recovery.cap ?? 0) : Infinity
  return Math.min(cap, qp.window === null ? Infinity : Math.ceil(qp.window / payloadBytes))
}

/** Windows of queue pairs, which hold nothing back while all messages under way fit in them. */
class Windows {
  mayHold = false
  readonly #packets: number
  /** Packets of messages that are under way, by queue pair. */
  readonly #open = new Map<number, number>()
  readonly #of: (readonly [queue: number, packets: number])[] = []

  constructor(packets: number) {
    this.#packets = packets
  }

  posted(number: number, queue: number, packets: number): void {
    if (this.#packets === Infinity || this.mayHold) return
    const open = (this.#open.get(queue) ?? 0) + packets
    this.mayHold = open > this.#packets
    this.#open.set(queue, open)
    this.#of[number] = [queue, packets]
  }

  completed(number: number): void {
    const of = this.#of[number]
    if (of !== undefined) this.#open.set(of[0], this.#open.get(of[0])! - of[1])
  }
}

/** Nothing but links and windows holds its messages back, and their packets go in the order of host-links.ts. */
function isPlainJob({ recovery, qp, nic, classes, switch: { forwarding } }: Scenario, isSpread: boolean): boolean {
  const hasPlainPairs = PLAIN_RECOVERIES.has(recovery.kind) && qp.receiveQueue === null
  const hasPlainHosts = nic.packetsPerTurn === 1 && !isSpread && qp.hostDelay.kind === 'none' && !hasSendCosts(nic.send)
  const hasPlainAcks = qp.ackCoalescing === 1 && classes.ackAtHost === null && classes.ackAtSwitch === null
  return hasPlainPairs && hasPlainHosts && hasPlainAcks && forwarding.kind === 'store-and-forward'
}

/** A message on links with given rates, and the time that it takes of these as they were built. */
type Shape = Omit<Passage, 'betweenPs' | 'ackBetweenPs'> & { readonly alonePs: number; readonly ackAlonePs: number }

/** Ways of messages, each once. */
class Passages {
  readonly #known = new Map<number, Map<number, Passage>>()
  readonly #shapes = new Map<string, Shape>()
  readonly #facts: JobFacts
  readonly #own: Scenario
  readonly #frames: FrameSizes
  readonly #use: PathUse
  readonly #usualBps: number

  constructor(index: number, facts: JobFacts, usualBps: number) {
    this.#facts = facts
    this.#own = byWorkload(facts.scenario)[index]!
    this.#frames = facts.built.framesOf[index]!
    this.#use = plainUse(this.#own, this.#frames)
    this.#usualBps = usualBps
  }

  of({ source, destination, sizeBytes, operation }: Message, port: number): Passage {
    const pair = (source * this.#facts.built.topology.hostPorts.length + destination) * LINKS_MAX + port + 1
    const what = 2 * sizeBytes + (operation === 'send' ? 1 : 0)
    let ofPair = this.#known.get(pair)
    if (ofPair === undefined) this.#known.set(pair, (ofPair = new Map()))
    const known = ofPair.get(what)
    if (known !== undefined) return known
    const { paths, rateBps } = this.#facts
    const shape = this.#shape(sizeBytes, operation, rateBps(source, port), rateBps(destination, port))
    const { last, ack } = shape
    const { idealPs, ackPs } = paths.between(source, destination, Math.max(0, port))
    // A switch that cuts through begins with a packet before its end.
    const betweenPs = Math.round(Math.max(-last.outPs, idealPs(sizeBytes, operation) - shape.alonePs))
    const ackBetweenPs = Math.round(Math.max(-ack.outPs, ackPs - shape.ackAlonePs))
    const passage = { ...shape, betweenPs, ackBetweenPs }
    ofPair.set(what, passage)
    return passage
  }

  #shape(sizeBytes: number, operation: Operation, outBps: number, inBps: number): Shape {
    const key = `${sizeBytes} ${operation} ${outBps} ${inBps}`
    const known = this.#shapes.get(key)
    if (known !== undefined) return known
    const { time } = this.#facts.scenario
    const serialization = createSerialization(time.quantum, time.rounding)
    const { trainOf, ackBytes } = this.#use
    const linkPs = (bytes: number, bps: number): number => serialization.durationPs(bytes + this.#frames.gapBytes, bps)
    const usual = [outBps, inBps].map((bps) => Math.max(bps, this.#usualBps)) as [number, number]
    const hop = (bytes: number): Hop => ({ outPs: linkPs(bytes, usual[0]), inPs: linkPs(bytes, usual[1]) })
    const asBuilt = (bytes: number): Hop => ({ outPs: linkPs(bytes, outBps), inPs: linkPs(bytes, inBps) })
    const train = trainOf(sizeBytes, operation)
    const { outPs, inPs } = hop(ackBytes)
    const ackAsBuilt = asBuilt(ackBytes)
    const shape = {
      packets: train.packets,
      first: hop(train.firstBytes),
      full: hop(train.fullBytes),
      last: hop(train.lastBytes),
      alonePs: alonePs(train, asBuilt),
      // Where ACKs are held back, the end of a message has one, and no send waits for it.
      ackInterval: holdsAcks(this.#own) ? Number.MAX_SAFE_INTEGER : this.#own.qp.ackInterval,
      ack: { outPs: inPs, inPs: outPs },
      ackAlonePs: ackAsBuilt.outPs + ackAsBuilt.inPs,
    }
    this.#shapes.set(key, shape)
    return shape
  }
}

/** Time of a message alone on two links with nothing between them. */
function alonePs({ packets, firstBytes, fullBytes, lastBytes }: FrameTrain, hop: (bytes: number) => Hop): number {
  let [outPs, inPs] = [0, 0]
  for (let index = 0; index < packets; index++) {
    const each = hop(index === packets - 1 ? lastBytes : index === 0 ? firstBytes : fullBytes)
    outPs += each.outPs
    inPs = Math.max(inPs, outPs) + each.inPs
  }
  return inPs
}

/** Ports of queue pairs in the order in which a job opens them, as in a run of it alone; -1: their packets take all, or the only one. */
function homes({ hostPorts }: BuiltNetwork): (queue: number, host: number) => number {
  const opened = new Map<number, number>()
  const known = new Map<number, number>()
  return (queue, host) => {
    const ports = hostPorts.portCount(host)
    if (ports === 1 || hostPorts.isSpread) return -1
    const count = opened.get(host) ?? 0
    const home = known.get(queue)
    if (home !== undefined) return home
    opened.set(host, count + 1)
    known.set(queue, count % ports)
    return count % ports
  }
}

/** Times of a run that was an idle one. @param isBound a lower bound of it */
export function timesOf(operations: Operations, isBound = false): IdleTimes {
  const messages = new Map<number, number>()
  for (let at = 0; at < operations.rowCount(); at++) {
    const { id, kind, beginPs, arrivedPs } = operations.rowAt(at)
    if (kind === 'send') messages.set(id, arrivedPs - beginPs)
  }
  const messagePs = (id: number): number => messages.get(id) ?? NaN
  return { donePs: operations.donePs(), isBound, rounds: isBound ? [] : operations.rounds(), messagePs }
}
