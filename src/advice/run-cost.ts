/**
 * Run cost: what a run will take of this machine, roughly, from what it has to do.
 * The rates are those of docs/performance.md, of one core; machines and schemes differ by more than a factor of two.
 */
import type { Forecast } from '../lab/index.ts'
import { exactCount, humanBytes, humanCount, humanDuration, humanNumber } from '../report/index.ts'

export interface Cost {
  readonly dataPackets: number
  /** Data, ACKs and READ requests, each counted at every node that receives it. */
  readonly packetHops: number
  /** The run does not end before. */
  readonly simulatedPsMin: number
  /** Of one core, least and most to expect. */
  readonly cpuSecondsMin: number
  readonly cpuSecondsMax: number
  /** Of the whole process; more where many packets wait in queues. */
  readonly memoryBytesMin: number
  readonly memoryBytesMax: number
}

/** Packet-hops per CPU second: a slow scheme, and a fast one in a small network. */
const SLOW_HOPS = 1.5e6
const FAST_HOPS = 10e6
/** From so many links on the records of ports are seldom in the nearest caches. */
const LARGE_LINKS = 500
const SLOW_HOPS_LARGE = 0.8e6
const FAST_HOPS_LARGE = 3e6
/** Until the engine has compiled what is hot. */
const START_SECONDS = 0.2
const START_SECONDS_MOST = 0.6

/** Node.js with the program in it, and the first records of a run. */
const PROGRAM_BYTES = 80e6
/** A queue pair with both its halves, its timers and its entry in the path choice. */
const QUEUE_PAIR_BYTES = 8e3
/** A row of the log of flows, with room to grow, and what a workload keeps of it. */
const MESSAGE_BYTES = 500
/** A link's two ports, with the queues of eight classes and a NIC's or a switch's share. */
const LINK_BYTES = 10e3
/** Messages wait for each other: so many times the queue pairs are in use that would be if none did. */
const WAITING = 10
/** Packets that wait, and what the engine has not collected yet: room for young objects, and a multiple of the records. */
const YOUNG_BYTES = 20e6
const SPREAD = 3.5

/** @param links of the topology. */
export function costOf(forecast: Forecast, links: number): Cost {
  const { messages, dataPackets, packetHops, queuePairs, queuePairsMost, simulatedPsMin } = forecast
  const bytesOf = (pairs: number): number => QUEUE_PAIR_BYTES * pairs + MESSAGE_BYTES * messages + LINK_BYTES * links
  const isLarge = links >= LARGE_LINKS
  return {
    dataPackets: Math.round(dataPackets),
    packetHops: Math.round(packetHops),
    simulatedPsMin,
    cpuSecondsMin: START_SECONDS + packetHops / (isLarge ? FAST_HOPS_LARGE : FAST_HOPS),
    cpuSecondsMax: START_SECONDS_MOST + packetHops / (isLarge ? SLOW_HOPS_LARGE : SLOW_HOPS),
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

function countText(count: number): string {
  return count < 1e4 ? exactCount(count) : humanCount(count)
}
