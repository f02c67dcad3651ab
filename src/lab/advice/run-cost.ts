/**
 * Run cost: CPU time and memory of a run, estimated from its packets, messages, queue pairs and links.
 * The constants are measured (docs/performance.md): whole runs of many kinds lie within a factor of two of the estimates.
 */
import { pow } from '../../core/base/math.ts'
import type { Forecast } from '../index.ts'
import { exactCount, humanBytes, humanCount, humanDuration, humanNumber } from '../../show/index.ts'

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

/** Until V8 has compiled the hot functions. */
const START_SECONDS = 0.4
/** A packet-hop in a fabric that the nearest caches hold; one of a work request takes longer by a factor. */
const HOP_SECONDS = 0.27e-6
const WORK_HOPS = 1.5
/** Links from which on a packet-hop waits for memory, the longer the more there are: with this power of their number. */
const CACHED_LINKS = 300
const MISS_POWER = 0.4
/** A message, and the halves of a queue pair: of plain messages, of work requests. */
const MESSAGE_SECONDS = 1.2e-6
const PAIR_SECONDS = 4e-6
const WORK_PAIR_SECONDS = 25e-6
/** An event of a congestion control's timer. */
const TIMER_SECONDS = 1.1e-6
/** A data packet whose queue pair is in no cache, and the number of queue pairs on a link from which on all are. */
const COLD_SECONDS = 3e-6
const COLD_PAIRS = 100

/** Node.js with the program in it, without and with the young generation of its heap. */
const PROGRAM_BYTES_MIN = 75e6
const PROGRAM_BYTES_MAX = 120e6
/** Requests, completions and headers make garbage that packets do not. */
const WORK_BYTES = 25e6
/** A queue pair in use with both its halves and its timers; one of work requests that was made and is done. */
const QUEUE_PAIR_BYTES = 6e3
const WORK_PAIR_BYTES = 400
/** A row of the flow log with spare capacity, and the workload's state for the message. */
const MESSAGE_BYTES = 260
/** A link's two ports with queues of eight classes, and their share of NIC or switch state. */
const LINK_BYTES = 7e3
/** Machines, hours and schemes differ so much from the estimates, to either side. */
const SPREAD = 2

/** @param links number of links in the topology. */
export function costOf(forecast: Forecast, links: number): Cost {
  const { dataPackets, packetHops, simulatedPsMin } = forecast
  const [seconds, bytes] = [secondsOf(forecast, links), bytesOf(forecast, links)]
  return {
    dataPackets: Math.round(dataPackets),
    packetHops: Math.round(packetHops),
    simulatedPsMin,
    cpuSecondsMin: seconds / SPREAD,
    cpuSecondsMax: seconds * SPREAD,
    memoryBytesMin: Math.round(PROGRAM_BYTES_MIN + bytes / SPREAD),
    memoryBytesMax: Math.round(PROGRAM_BYTES_MAX + bytes * SPREAD),
  }
}

function secondsOf(forecast: Forecast, links: number): number {
  const { messages, dataPackets, packetHops, queuePairs, queuePairsMost, workHops, workPairs, timerEvents } = forecast
  const hopSeconds = HOP_SECONDS * pow(Math.max(1, links / CACHED_LINKS), MISS_POWER)
  return (
    START_SECONDS +
    hopSeconds * (packetHops + (WORK_HOPS - 1) * workHops) +
    MESSAGE_SECONDS * messages +
    PAIR_SECONDS * (queuePairsMost - workPairs) +
    WORK_PAIR_SECONDS * workPairs +
    TIMER_SECONDS * timerEvents +
    COLD_SECONDS * dataPackets * Math.min(1, queuePairs / Math.max(1, links) / COLD_PAIRS)
  )
}

/** Beside the program. */
function bytesOf({ messages, queuePairs, workPairs }: Forecast, links: number): number {
  const work = workPairs > 0 ? WORK_BYTES + WORK_PAIR_BYTES * workPairs : 0
  return work + QUEUE_PAIR_BYTES * queuePairs + MESSAGE_BYTES * messages + LINK_BYTES * links
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
