/**
 * Run cost: rough CPU time and memory of a run, estimated from its packets, queue pairs and links.
 * The rates are those of docs/performance.md for one core; machines and schemes differ by more than a factor of two.
 */
import type { Forecast } from '../lab/index.ts'
import { exactCount, humanBytes, humanCount, humanDuration, humanNumber } from '../report/index.ts'

export interface Cost {
  readonly dataPackets: number
  /** Receptions of data packets, ACKs and READ requests at all nodes on their path. */
  readonly packetHops: number
  /** Lower bound of the run's end. */
  readonly simulatedPsMin: number
  /** Range to expect on one core. */
  readonly cpuSecondsMin: number
  readonly cpuSecondsMax: number
  /** Range to expect for the whole process; more if many packets are queued. */
  readonly memoryBytesMin: number
  readonly memoryBytesMax: number
}

/** Packet-hops per CPU second: a slow scheme, and a fast one in a small network. */
const SLOW_HOPS = 1.5e6
const FAST_HOPS = 10e6
/** From this many links on, port records seldom fit the nearest caches. */
const LARGE_LINKS = 500
const SLOW_HOPS_LARGE = 0.8e6
const FAST_HOPS_LARGE = 3e6
/** From this many links on, little of the fabric fits any cache. */
const HUGE_LINKS = 50_000
const SLOW_HOPS_HUGE = 0.2e6
const FAST_HOPS_HUGE = 1e6
/** Time until V8 has compiled the hot functions. */
const START_SECONDS = 0.2
const START_SECONDS_MOST = 0.6

/** Node.js with the program in it, and the first records of a run. */
const PROGRAM_BYTES = 80e6
/** A queue pair with both its halves, its timers and its entry in the path choice. */
const QUEUE_PAIR_BYTES = 8e3
/** A row of the flow log with spare capacity, and the workload's state for the message. */
const MESSAGE_BYTES = 500
/** A link's two ports with queues of eight classes, and their share of NIC or switch state. */
const LINK_BYTES = 5e3
/** Queuing of messages keeps queue pairs open longer: at most this factor over the count without queuing. */
const WAITING = 10
/** Queued packets and uncollected garbage: the young generation of the heap, and a multiple of the records. */
const YOUNG_BYTES = 20e6
const SPREAD = 3.5

/** @param links number of links in the topology. */
export function costOf(forecast: Forecast, links: number): Cost {
  const { messages, dataPackets, packetHops, queuePairs, queuePairsMost, simulatedPsMin } = forecast
  const bytesOf = (pairs: number): number => QUEUE_PAIR_BYTES * pairs + MESSAGE_BYTES * messages + LINK_BYTES * links
  const [slowHops, fastHops] =
    links >= HUGE_LINKS
      ? [SLOW_HOPS_HUGE, FAST_HOPS_HUGE]
      : links >= LARGE_LINKS
        ? [SLOW_HOPS_LARGE, FAST_HOPS_LARGE]
        : [SLOW_HOPS, FAST_HOPS]
  return {
    dataPackets: Math.round(dataPackets),
    packetHops: Math.round(packetHops),
    simulatedPsMin,
    cpuSecondsMin: START_SECONDS + packetHops / fastHops,
    cpuSecondsMax: START_SECONDS_MOST + packetHops / slowHops,
    memoryBytesMin: Math.round(PROGRAM_BYTES + bytesOf(queuePairs)),
    memoryBytesMax: Math.round(
      PROGRAM_BYTES + YOUNG_BYTES + SPREAD * bytesOf(Math.min(queuePairsMost, WAITING * queuePairs)),
    ),
  }
}

export function costText(cost: Cost): string {
  const { dataPackets, packetHops, simulatedPsMin, cpuSecondsMin, cpuSecondsMax, memoryBytesMin, memoryBytesMax } = cost
  return (
    `about ${countText(dataPackets)} data packets and ${countText(packetHops)} packet-hops: ` +
    `${humanNumber(cpuSecondsMin, 2)} to ${humanNumber(cpuSecondsMax, 2)} s of one core, ` +
    `${humanBytes(memoryBytesMin)} to ${humanBytes(memoryBytesMax)} of memory, at least ${humanDuration(simulatedPsMin)} of simulated time; retransmissions add to all of these`
  )
}

/** A run beyond this is most often a mistake in a number. */
const LONG_SECONDS = 30 * 86_400

/**
 * A warning before a run that no machine like this one finishes; undefined for others.
 * @param memoryBytes memory of the machine
 */
export function excessText(cost: Cost, memoryBytes: number): string | undefined {
  const { dataPackets, cpuSecondsMin, memoryBytesMin } = cost
  const reasons = [
    ...(cpuSecondsMin > LONG_SECONDS ? [`${humanNumber(cpuSecondsMin / 86_400, 2)} days or more of one core`] : []),
    ...(memoryBytesMin > memoryBytes
      ? [`${humanBytes(memoryBytesMin)} or more of memory, where there are ${humanBytes(memoryBytes)}`]
      : []),
  ]
  if (reasons.length === 0) return undefined
  return (
    `this run has about ${countText(dataPackets)} data packets and takes ${reasons.join(' and ')}: ` +
    'give fewer or smaller messages, or an end (measure.stop); rocelab check shows what each workload sends'
  )
}

function countText(count: number): string {
  return count < 1e4 ? exactCount(count) : humanCount(count)
}
