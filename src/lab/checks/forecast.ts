/**
 * Forecast: the cost of a run, from the sizes of a scenario before anything is run.
 * Messages are taken from the workloads themselves, as in a run, so that an open loop's number is exact; how many a
 * closed loop posts by a stop depends on when its messages finish, and is estimated from the hosts' rates.
 * Counts the packets of a run without loss or rate cuts: data, ACKs and READ requests over the first path of each pair
 * of hosts; of a run with a stop, those that hosts can move until then (moved-bytes.ts). Retransmissions, CNPs, pauses and
 * runs that end for lack of progress are not foreseen.
 * Units: bytes, picoseconds, packets; a packet-hop is a packet received by a node.
 */
import { hostName } from '../../core/base/device-names.ts'
import { inputError } from '../../core/base/issue.ts'
import { LAST_PS, NEVER_PS } from '../../core/base/params.ts'
import { createRandomStreams } from '../../core/base/random.ts'
import { formatRounded } from '../../core/base/units.ts'
import { byWorkload } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Operations } from '../../core/workload/operations.ts'
import { blankMessage, type Message, type Source } from '../../core/workload/workload.ts'
import { congestionOf, recoveryOf } from '../network/definitions.ts'
import { Mistakes } from '../network/mistakes.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { type PairTimes, type PathTimes, pathTimesByWorkload } from '../times/path-times.ts'
import { createSources } from '../run/sources.ts'
import { MovedBytes } from './moved-bytes.ts'

/** Messages of a workload that are counted at most. */
const COUNTED_MAX = 500_000

/** Messages of one workload. */
export interface ExpectedTraffic {
  readonly kind: string
  readonly tag: string
  readonly messages: number
  readonly bytes: number
  /** exact; at-least: there are more than were counted; as-finished: more follow as these are finished. */
  readonly how: 'exact' | 'at-least' | 'as-finished'
}

/** Messages for which there is no path when the run begins, and the first of them. */
export interface LostMessages {
  readonly messages: number
  /** Hosts. */
  readonly source: number
  readonly destination: number
}

export interface Forecast {
  readonly workloads: readonly ExpectedTraffic[]
  /** Messages and data packets of the run; whole numbers where all messages were counted. */
  readonly messages: number
  readonly dataPackets: number
  /** Packet-hops of data, ACKs and READ requests. */
  readonly packetHops: number
  /** Average number in use at a time, if only links of hosts delay messages; queue pairs of one message come and go. */
  readonly queuePairs: number
  /** Number made during the run. */
  readonly queuePairsMost: number
  /** Packet-hops of work requests, and queue pairs made for work requests; each is a part of the number for all traffic. */
  readonly workHops: number
  readonly workPairs: number
  /** Events of congestion controls that count time, as long as queue pairs are in use. */
  readonly timerEvents: number
  /** Lower bound for the end of the run: the slowest message, or the busiest host's link. */
  readonly simulatedPsMin: number
  /** null: all have a path. */
  readonly lost: LostMessages | null
  /** Hosts that messages go to and none comes from, ascending. */
  readonly receivingOnly: readonly number[]
}

/** Sums over the counted messages of one workload. */
interface Counted {
  messages: number
  bytes: number
  dataPackets: number
  packetHops: number
  workHops: number
  /** Queue pairs of several messages, and of one. */
  sharedPairs: number
  singlePairs: number
  /** Sum of the times that messages of the latter take alone. */
  singlePs: number
  firstPs: number
  lastPs: number
  /** End of the message that ends last, if each is alone in the network. */
  endPs: number
  /** By host. */
  readonly sentBytes: Float64Array
  readonly receivedBytes: Float64Array
}

/**
 * @param most messages of a workload that are counted.
 * @throws InputError for workloads that cannot be made, and where a run without a stop would have to go beyond LAST_PS.
 */
export function forecastOf(scenario: Scenario, built: BuiltNetwork, most: number = COUNTED_MAX): Forecast {
  return new Forecaster(scenario, built, most).forecast()
}

class Forecaster {
  readonly #scenario: Scenario
  readonly #built: BuiltNetwork
  readonly #most: number
  /** By workload, as are schemes. */
  readonly #pathsOf: readonly PathTimes[]
  readonly #schemesOf: readonly Scenario[]
  readonly #ratesBps: readonly number[]
  /** End of the run, or NEVER_PS: when everything is finished. */
  readonly #stopPs: number
  readonly #mistakes = new Mistakes()
  /** By host: queue pairs that it has opened. */
  readonly #opened: number[]
  readonly #moved = new MovedBytes()
  #lost: LostMessages | null = null

  constructor(scenario: Scenario, built: BuiltNetwork, most: number) {
    const { measure } = scenario
    this.#scenario = scenario
    this.#built = built
    this.#most = most
    this.#schemesOf = byWorkload(scenario)
    this.#pathsOf = pathTimesByWorkload(built, this.#schemesOf)
    this.#ratesBps = built.topology.hostPorts.map((_, host) => built.hostPorts.mostBps(host))
    this.#opened = built.topology.hostPorts.map(() => 0)
    this.#stopPs = measure.stop ?? (measure.end === 'stop' ? (measure.generate ?? NEVER_PS) : NEVER_PS)
  }

  forecast(): Forecast {
    const { seed, workload } = this.#scenario
    const sources = createSources(this.#scenario, this.#built, createRandomStreams(seed), this.#mistakes)
    const hosts = this.#ratesBps.length
    const sentBytes = new Float64Array(hosts)
    const receivedBytes = new Float64Array(hosts)
    const sums = { messages: 0, dataPackets: 0, packetHops: 0, workHops: 0, queuePairs: 0, queuePairsMost: 0 }
    const more = { workPairs: 0, timersPerPs: 0 }
    // Counted messages only, without the estimated rest.
    const counts = sources.map(() => blankCount(hosts))
    const hows = sources.map((source, i) => this.#count(source, counts[i]!, i))
    this.#mistakes.settle()
    const untilPs = hows.map(({ how }, i) => (how === 'at-least' ? counts[i]!.lastPs : this.#stopPs))
    const moved = this.#moved.byWorkload(
      this.#ratesBps.map((rateBps) => 1 / this.#movedBytes(rateBps, 1)),
      untilPs,
    )
    for (const [i, source] of sources.entries()) {
      const [counted, how] = [counts[i]!, hows[i]!.how]
      // A loop that goes on is bounded by the rate of its hosts alone: its messages wait for each other.
      const scale = this.#scaleOf(source, counted, how) * (how === 'as-finished' ? 1 : moved[i]!.share)
      for (let host = 0; host < hosts; host++) {
        sentBytes[host]! += scale * counted.sentBytes[host]!
        receivedBytes[host]! += scale * counted.receivedBytes[host]!
      }
      sums.messages += this.#scaleOf(source, counted, how) * counted.messages
      sums.dataPackets += scale * counted.dataPackets
      sums.packetHops += scale * counted.packetHops
      sums.workHops += scale * counted.workHops
      // A closed loop reuses its QPs.
      const pairScale = how === 'at-least' ? this.#scaleOf(source, counted, how) : 1
      const pairs = counted.sharedPairs * pairScale + singlePairsInUse(counted, moved[i]!.waitPs)
      const made = (counted.sharedPairs + counted.singlePairs) * pairScale
      sums.queuePairs += pairs
      sums.queuePairsMost += made
      more.workPairs += counted.workHops > 0 ? made : 0
      more.timersPerPs += pairs / this.#timerPs(i)
    }
    const endPs = Math.max(...counts.map((counted) => counted.endPs), 0)
    const busiestPs = this.#busiestPs(counts)
    const simulatedPsMin = Math.min(this.#stopPs, Math.max(endPs, busiestPs))
    if (this.#stopPs === NEVER_PS && busiestPs > LAST_PS) {
      throw beyondTime('workload', `a host's link is busy for ${formatRounded('duration', busiestPs)}`)
    }
    // Bytes that do not fit before the stop are not sent.
    const share = Math.min(this.#shareBy(sentBytes, 0), this.#shareBy(receivedBytes, 0))
    return {
      ...sums,
      workloads: hows.map((how, i) => ({ kind: workload[i]!.kind, tag: workload[i]!.tag, ...how })),
      dataPackets: share * sums.dataPackets,
      packetHops: share * sums.packetHops,
      workHops: share * sums.workHops,
      workPairs: more.workPairs,
      timerEvents: more.timersPerPs * simulatedPsMin,
      simulatedPsMin,
      lost: this.#lost,
      receivingOnly: [...receivedBytes.keys()].filter((host) => receivedBytes[host]! > 0 && sentBytes[host] === 0),
    }
  }

  /** Takes messages up to the stop; then reports each as finished at once, to see whether more come. */
  #count(source: Source, counted: Counted, i: number): Pick<ExpectedTraffic, 'messages' | 'bytes' | 'how'> {
    const { operations } = source
    // A job with a time limit does not post all, and a quick look does not go through all.
    const isWhole = this.#stopPs === NEVER_PS && this.#scenario.measure.generate === null && this.#most === COUNTED_MAX
    if (operations !== undefined && isWhole && operations.messages() > this.#most) {
      this.#countJob(operations, counted, i)
      return { messages: counted.messages, bytes: counted.bytes, how: 'exact' }
    }
    const homes = new Map<number, number>()
    const takeAll = (): void => {
      const message = blankMessage()
      while (source.nextStartPs < this.#stopPs && counted.messages < this.#most) {
        const nowPs = source.nextStartPs
        source.onTime?.(nowPs)
        if (source.nextStartPs > nowPs) continue
        source.take(message)
        this.#add(message, counted, homes, i)
      }
    }
    takeAll()
    const { messages, bytes } = counted
    for (let finished = 0; finished < counted.messages && counted.messages < this.#most; finished++) {
      source.onDelivered?.(counted.lastPs, finished)
      source.onComplete(counted.lastPs, finished)
      takeAll()
    }
    if (counted.messages < this.#most) return { messages: counted.messages, bytes: counted.bytes, how: 'exact' }
    // Those of a job wait for each other, though many may begin at once.
    if (source.operations !== undefined) return { messages: counted.messages, bytes: counted.bytes, how: 'as-finished' }
    if (messages < this.#most) return { messages, bytes, how: 'as-finished' }
    return { messages, bytes, how: 'at-least' }
  }

  /** @param homes ports of the workload's connections. */
  #add(message: Message, counted: Counted, homes: Map<number, number>, i: number): void {
    const { source, destination, sizeBytes, operation, startPs, connection, port } = message
    const isKnown = homes.has(connection)
    const home = isKnown ? homes.get(connection)! : port < 0 ? this.#opened[source]!++ : port
    if (connection >= 0) homes.set(connection, home)
    const times = this.#pathsOf[i]!.between(source, destination, home)
    if (times.links === 0) {
      const known = this.#lost
      this.#lost = { source, destination, ...known, messages: (known?.messages ?? 0) + 1 }
    }
    const isRead = operation === 'read'
    const alonePs = times.idealPs(sizeBytes, operation) + (isRead ? times.requestPs(operation) : 0)
    if (this.#stopPs === NEVER_PS && startPs + alonePs > LAST_PS && counted.endPs <= LAST_PS) {
      this.#mistakes.attempt(() => {
        throw tooLate(i, message, alonePs)
      })
    }
    const packets = sizeBytes === 0 ? 1 : Math.ceil(sizeBytes / this.#built.frames.payloadBytes)
    counted.messages++
    counted.bytes += sizeBytes
    counted.dataPackets += packets
    const hops = hopsOf(this.#schemesOf[i]!, packets, isRead, times)
    counted.packetHops += hops
    if (message.isWork) counted.workHops += hops
    if (times.links > 0) this.#moved.add(i, message)
    if (connection < 0) {
      counted.singlePairs++
      if (!Number.isNaN(alonePs)) counted.singlePs += alonePs
    } else if (!isKnown) counted.sharedPairs++
    counted.sentBytes[source]! += sizeBytes
    counted.receivedBytes[destination]! += sizeBytes
    counted.firstPs = Math.min(counted.firstPs, startPs)
    counted.lastPs = startPs
    if (startPs + alonePs > counted.endPs) counted.endPs = startPs + alonePs
  }

  /** Counts the messages of a job by sizes and pairs of hosts. */
  #countJob(operations: Operations, counted: Counted, i: number): void {
    const { startPs } = operations
    const hosts = this.#ratesBps.length
    // Queue pairs that have been counted.
    const known = new Map<number, Set<number>>()
    operations.eachSend(({ source, destination, port, sizeBytes, messages, queuePairs, like }) => {
      const times = this.#pathsOf[i]!.between(source, destination, Math.max(0, port))
      const packets = Math.ceil(sizeBytes / this.#built.frames.payloadBytes)
      const alonePs = times.idealPs(sizeBytes, 'write')
      if (times.links === 0) {
        this.#lost = { source, destination, ...this.#lost, messages: (this.#lost?.messages ?? 0) + messages }
      }
      const pairs = known.get(like) ?? new Set<number>()
      known.set(like, pairs)
      if (!pairs.has(source * hosts + destination)) counted.sharedPairs += queuePairs
      pairs.add(source * hosts + destination)
      counted.messages += messages
      counted.bytes += messages * sizeBytes
      counted.dataPackets += messages * packets
      counted.packetHops += messages * hopsOf(this.#schemesOf[i]!, packets, false, times)
      counted.sentBytes[source]! += messages * sizeBytes
      counted.receivedBytes[destination]! += messages * sizeBytes
      if (startPs + alonePs > counted.endPs) counted.endPs = startPs + alonePs
    })
    counted.firstPs = counted.lastPs = startPs
  }

  /** Messages of the workload in the run, over those that were counted. */
  #scaleOf(source: Source, counted: Counted, how: ExpectedTraffic['how']): number {
    if (how === 'exact' || counted.bytes === 0) return 1
    const untilPs = Math.min(this.#stopPs, this.#scenario.measure.generate ?? NEVER_PS)
    const byNumber = 1 + (source.leftBytes ?? Infinity) / counted.bytes
    const { firstPs, lastPs } = counted
    const byTime = lastPs > firstPs ? (untilPs - firstPs) / (lastPs - firstPs) : Infinity
    const byRate = Math.min(
      this.#capacityBytes(counted.sentBytes, firstPs, untilPs),
      this.#capacityBytes(counted.receivedBytes, firstPs, untilPs),
    )
    return Math.min(byNumber, how === 'at-least' ? byTime : Infinity, byRate / counted.bytes)
  }

  /** Payload that the hosts with a share of `bytes` can move in that time at line rate. */
  #capacityBytes(bytes: Float64Array, fromPs: number, untilPs: number): number {
    return this.#ratesBps.reduce((sum, rateBps, host) => {
      return sum + (bytes[host] === 0 ? 0 : this.#movedBytes(rateBps, untilPs - fromPs))
    }, 0)
  }

  /** Share of these bytes that moves before the stop at line rate. */
  #shareBy(bytes: Float64Array, fromPs: number): number {
    if (this.#stopPs === NEVER_PS) return 1
    let sum = 0
    let moved = 0
    this.#ratesBps.forEach((rateBps, host) => {
      sum += bytes[host]!
      moved += Math.min(bytes[host]!, this.#movedBytes(rateBps, this.#stopPs - fromPs))
    })
    return sum === 0 ? 1 : moved / sum
  }

  /** Time between two events of a queue pair's congestion control; Infinity: it has no such events. */
  #timerPs(i: number): number {
    const scenario = this.#schemesOf[i]!
    return congestionOf(scenario).timerPs?.(scenario.congestion) ?? Infinity
  }

  #movedBytes(rateBps: number, durationPs: number): number {
    const { payloadBytes, dataOverheadBytes, gapBytes } = this.#built.frames
    return ((durationPs / 8e12) * rateBps * payloadBytes) / (payloadBytes + dataOverheadBytes + gapBytes)
  }

  /** Time that the busiest link of a host needs for the counted bytes, ps. */
  #busiestPs(counts: readonly Counted[]): number {
    return this.#ratesBps.reduce((most, rateBps, host) => {
      const sentBytes = counts.reduce((sum, counted) => sum + counted.sentBytes[host]!, 0)
      const receivedBytes = counts.reduce((sum, counted) => sum + counted.receivedBytes[host]!, 0)
      return Math.max(most, (Math.max(sentBytes, receivedBytes) * 8e12) / rateBps)
    }, 0)
  }
}

/** Average number of queue pairs of one message in use while messages come (Little's law); all, where they come at once. */
function singlePairsInUse({ singlePairs, singlePs, messages, firstPs, lastPs }: Counted, waitPs: number): number {
  const openPs = singlePs + (waitPs * singlePairs) / messages
  return lastPs > firstPs ? Math.min(singlePairs, openPs / (lastPs - firstPs)) : singlePairs
}

function blankCount(hosts: number): Counted {
  return {
    messages: 0,
    bytes: 0,
    dataPackets: 0,
    packetHops: 0,
    workHops: 0,
    sharedPairs: 0,
    singlePairs: 0,
    singlePs: 0,
    firstPs: NEVER_PS,
    lastPs: 0,
    endPs: 0,
    sentBytes: new Float64Array(hosts),
    receivedBytes: new Float64Array(hosts),
  }
}

const TIME_HINT =
  'simulated time ends at 2^53 ps, 2.5 hours; make messages smaller or links faster, or set measure.stop'

function tooLate(i: number, { source, destination, sizeBytes, startPs }: Message, alonePs: number): Error {
  const time = (ps: number): string => formatRounded('duration', ps)
  const message = `${formatRounded('size', sizeBytes)} from ${hostName(source)} to ${hostName(destination)}`
  return beyondTime(`workload.${i}`, `${message} at ${time(startPs)}, which take ${time(alonePs)} alone`)
}

function beyondTime(path: string, received: string): Error {
  return inputError(path, 'messages that can be finished in simulated time', received, TIME_HINT)
}

/** Packet-hops of the packets of a message, their ACKs and its request. */
function hopsOf(scenario: Scenario, packets: number, isRead: boolean, { links }: PairTimes): number {
  const { ackInterval, ackCoalescing, readAcks } = scenario.qp
  const hasAcks = ackInterval > 0 && (!isRead || readAcks || recoveryOf(scenario).acknowledgesReads === true)
  const acks = hasAcks ? Math.ceil(packets / ackInterval / ackCoalescing) : 0
  return links * (packets + acks + (isRead ? 1 : 0))
}
