/**
 * Measures of a run of the LDCP experiment. They depend on the tables that the run recorded (queue, link, windows, drops)
 * and on its flows (short ones by tag, or small and large ones by size).
 * Units are in the names. All but counters and completion times are taken over the measuring window.
 */
import { SECOND, US } from '../../core/base/index.ts'
import {
  completionsOf,
  findColumn,
  mean,
  numbersOf,
  quantile,
  type Result,
  standardDeviation,
  sum,
  summarize,
  type Table,
  tableOfKind,
  textsOf,
} from '../../core/results/index.ts'
import { inWindow, rowsWhere } from '../core/measures.ts'
import type { Measures } from '../core/plan.ts'
import { BDP_BYTES, KMAX_BYTES, KMIN_BYTES, STEP_PS } from './runs.ts'

const LINE_BPS = 40e9
/** Payload of a full packet over its bytes on the wire. */
const PAYLOAD_SHARE = 1024 / 1106
/** Size from which flows count as large. */
const LARGE_BYTES = 1_000_000

export function ldcpMeasures(result: Result): Measures {
  const queue = tableOfKind(result, 'queue-depth')
  const use = tableOfKind(result, 'link-use')
  const goodput = tableOfKind(result, 'goodput')
  const windows = tableOfKind(result, 'rates')
  const drops = tableOfKind(result, 'drops')
  const arrivals = tableOfKind(result, 'pair-goodput')
  // The second of its kind, of the ACKs that the receiver sends.
  const acks = result.series.find(({ name }) => name === 'acks')
  const isStep = textsOf(result.flows, 'tag').includes('new')
  return {
    ...countersOf(result),
    ...flowsOf(result),
    ...(queue === undefined ? {} : queueOf(queue, result)),
    ...(use === undefined ? {} : useOf(use, drops, result)),
    ...(goodput === undefined ? {} : sharesOf(goodput, result)),
    ...(windows === undefined || isStep ? {} : windowsOf(windows, result)),
    ...(windows === undefined || queue === undefined || !isStep ? {} : stepOf(queue, windows)),
    ...(arrivals === undefined || use === undefined || acks === undefined
      ? {}
      : clockOf({ arrivals, use, acks }, result)),
  }
}

function countersOf(result: Result): Measures {
  const { counters } = result
  const summary = summarize(result)
  return {
    dataPackets: counters.dataPacketsSent,
    earlyDrops: counters.drops['WRED'] ?? 0,
    fullDrops: counters.drops['buffer full'] ?? 0,
    timeouts: summary.timeouts,
    pauseFrames: counters.pauseFrames,
    unfinished: summary.flows.unfinished,
    goodputBps: summary.goodputBps,
    meanFctPs: summary.meanCompletionPs,
  }
}

function flowsOf(result: Result): Measures {
  const { flows } = result
  const { completionPs, slowdown } = completionsOf(result)
  const tag = textsOf(flows, 'tag')
  const sizeBytes = numbersOf(flows, 'sizeBytes')
  const measured = numbersOf(flows, 'measured')
  const rows = rowsWhere(flows, (row) => measured[row] === 1)
  const isTagged = tag.includes('short')
  const short = rows.filter((row) => (isTagged ? tag[row] === 'short' : (sizeBytes[row] ?? 0) <= BDP_BYTES))
  const large = rows.filter((row) => (sizeBytes[row] ?? 0) >= LARGE_BYTES && !Number.isNaN(completionPs[row]))
  const slowdowns = short.map((row) => slowdown[row] ?? NaN)
  return {
    shortSlowdown: mean(slowdowns),
    shortSlowdownP99: quantile(slowdowns, 0.99),
    shortSlowdownMost: Math.max(...slowdowns),
    shortOpen: slowdowns.filter((value) => Number.isNaN(value)).length,
    largeBps: mean(large.map((row) => ((sizeBytes[row] ?? NaN) * 8e12) / (completionPs[row] ?? NaN))),
  }
}

function queueOf(queue: Table, result: Result): Measures {
  const bytes = inWindow(queue, 'timePs', 'queueBytes', result)
  return {
    meanQueueBytes: mean(bytes),
    sdQueueBytes: standardDeviation(bytes),
    p99QueueBytes: quantile(bytes, 0.99),
    mostQueueBytes: bytes.reduce((most, value) => Math.max(most, value), 0),
  }
}

/** Use of the receiver's link, and the share of packets to it that were dropped at a full buffer. */
function useOf(use: Table, drops: Table | undefined, result: Result): Measures {
  const ratio = mean(inWindow(use, 'fromPs', 'useRatio', result))
  if (drops === undefined) return { use: ratio }
  const reason = textsOf(drops, 'reason')
  const timePs = numbersOf(drops, 'timePs')
  const lost = reason.filter((why, row) => why === 'buffer full' && timePs[row]! >= result.windowFromPs).length
  const sent = sum(inWindow(use, 'fromPs', 'sentFrames', result))
  return { use: ratio, lateLossShare: lost / (sent + lost) }
}

/** Share that long flows get of the bandwidth that short ones leave. */
function sharesOf(goodput: Table, result: Result): Measures {
  const { windowFromPs, windowToPs, flows } = result
  const [tag, sizeBytes] = [textsOf(flows, 'tag'), numbersOf(flows, 'sizeBytes')]
  /** Bytes of the short flows that were posted, or received, in the window. */
  const shortBytes = (time: string): number => {
    const timePs = numbersOf(flows, time)
    const isIn = (ps: number): boolean => ps >= windowFromPs && ps < windowToPs
    return sum(rowsWhere(flows, (row) => tag[row] === 'short' && isIn(timePs[row]!)).map((row) => sizeBytes[row]!))
  }
  const longBytes = sum(inWindow(goodput, 'fromPs', 'payloadBytes', result)) - shortBytes('receivedPs')
  const lineBytes = ((LINE_BPS * PAYLOAD_SHARE) / 8) * ((windowToPs - windowFromPs) / SECOND)
  return { longShare: longBytes / (lineBytes - shortBytes('startPs')) }
}

/**
 * Windows of all flows, sampled. Their mean pairwise correlation follows from two variances, as flows are alike:
 * var(sum) = sum of var * (1 + (n - 1) correlation).
 */
function windowsOf(rates: Table, result: Result): Measures {
  if (findColumn(rates, 'windowPackets') === undefined) return {}
  const pair = inWindow(rates, 'timePs', 'pair', result)
  const packets = inWindow(rates, 'timePs', 'windowPackets', result)
  const timePs = inWindow(rates, 'timePs', 'timePs', result)
  const byPair = new Map<number, number[]>()
  const totals = new Map<number, number>()
  packets.forEach((value, row) => {
    if (Number.isNaN(value)) return
    const seen = byPair.get(pair[row]!)
    if (seen === undefined) byPair.set(pair[row]!, [value])
    else seen.push(value)
    totals.set(timePs[row]!, (totals.get(timePs[row]!) ?? 0) + value)
  })
  if (byPair.size === 0) return {}
  // Flows that send all the time are the long ones.
  const long = [...byPair.values()].filter((values) => values.length === totals.size)
  const all = [...byPair.values()].flat()
  const below = all.filter((value) => value < 1).length
  const spread = sum(long.map((values) => square(standardDeviation(values))))
  const isLong = long.length === byPair.size && long.length > 1
  return {
    meanWindowPackets: mean(all),
    belowOneShare: below / all.length,
    windowVariation: mean(long.map((values) => standardDeviation(values) / mean(values))),
    windowCorrelation: isLong ? (square(standardDeviation(totals.values())) / spread - 1) / (long.length - 1) : NaN,
  }
}

/**
 * After the step: the time from the queue exceeding K_min, where marking begins, to the first decrease of the old flow's
 * window; the highest queue; and the time until the queue stays below K_max for a round trip.
 */
function stepOf(queue: Table, rates: Table): Measures {
  const timePs = numbersOf(queue, 'timePs')
  const bytes = numbersOf(queue, 'queueBytes')
  const behind = [...timePs.keys()].filter((row) => timePs[row]! >= STEP_PS)
  const markedPs = timePs[behind.find((row) => bytes[row]! >= KMIN_BYTES) ?? -1] ?? NaN
  const first = behind.reduce((most, row) => (bytes[row]! > bytes[most]! ? row : most), behind[0] ?? 0)
  let belowPs = NaN
  for (const row of behind) {
    if (row < first) continue
    if (bytes[row]! >= KMAX_BYTES) belowPs = NaN
    else if (Number.isNaN(belowPs)) belowPs = timePs[row]!
    else if (timePs[row]! - belowPs >= 25 * US) break
  }
  return {
    reactionPs: firstFallPs(rates, markedPs) - markedPs,
    overshootBytes: bytes[first] ?? NaN,
    settlePs: belowPs - STEP_PS,
  }
}

/** Time of the first decrease of the first flow's window, from a given time on. */
function firstFallPs(rates: Table, fromPs: number): number {
  const timePs = numbersOf(rates, 'timePs')
  const pair = numbersOf(rates, 'pair')
  const packets = numbersOf(rates, 'windowPackets')
  let last = NaN
  for (let row = 0; row < rates.rowCount; row++) {
    if (pair[row] !== 0) continue
    if (timePs[row]! >= fromPs && packets[row]! < last) return timePs[row]!
    last = packets[row]!
  }
  return NaN
}

/**
 * Gaps between packets of one flow at the receiver, which equal those at the exit of the bottleneck, since the link delays
 * all packets alike; and the number of packets per ACK.
 */
function clockOf({ arrivals, use, acks }: Record<'arrivals' | 'use' | 'acks', Table>, result: Result): Measures {
  const atPs = inWindow(arrivals, 'fromPs', 'toPs', result)
  const bytes = inWindow(arrivals, 'fromPs', 'payloadBytes', result)
  const arrivedPs = atPs.filter((_, row) => bytes[row]! > 0)
  const gapsPs = arrivedPs.subarray(1).map((timePs, i) => timePs - arrivedPs[i]!)
  const framesOf = (table: Table): number => sum(inWindow(table, 'fromPs', 'sentFrames', result))
  return {
    meanGapPs: mean(gapsPs),
    gapVariation: standardDeviation(gapsPs) / mean(gapsPs),
    longestGapPs: gapsPs.reduce((most, gapPs) => Math.max(most, gapPs), 0),
    packetsPerAck: framesOf(use) / framesOf(acks),
  }
}

function square(value: number): number {
  return value * value
}
