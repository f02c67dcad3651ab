/**
 * Incast requests, to which many hosts respond at the same time: the sides, scenarios, measures and comparisons that the
 * incast experiments share.
 * Source: [IRN] section 4.4.3.
 * Deviates: PFC pauses at 216 KB and not at the paper's 220 KB, at which it loses packets.
 */
import { humanDuration } from '../../../report/index.ts'
import { type Interval, interval95, numbersOf, type Result, sum, summarize, textsOf } from '../../../results/index.ts'
import type { Measures, Outcome, Point } from '../../core/old/plan.ts'
import { intervalText } from '../../core/findings.ts'
import { parseScenario, type Scenario } from '../../../scenario/index.ts'
import { type Control, fabricOf, type Pfc, type Transport } from '../default-case.ts'
import { overSeeds, ratiosOf, sumOver, valuesOf } from '../../core/old/over-seeds.ts'

interface Side {
  readonly transport: Transport
  readonly pfc: Pfc
}

export const ROCE: Side = { transport: 'roce', pfc: 'PFC early' }
export const IRN: Side = { transport: 'irn', pfc: 'no PFC' }
export const IRN_PFC: Side = { transport: 'irn', pfc: 'PFC early' }
/** TIMELY has its own segments of 16 KB here: these runs are older than the per-packet reading. */
export const REQUEST_CONTROLS = ['none', 'timely', 'dcqcn'] as const

/** The sides in the order of the tables. */
export const SIDES: readonly Side[] = [ROCE, IRN, IRN_PFC]
export const SIDE_HEADS = ['RoCE + PFC', 'IRN', 'IRN + PFC'] as const

/** The number of responding hosts, with one side under one control. */
export interface RequestArm extends Side {
  readonly senders: number
  readonly control: Control
}

const LINE_RATE_BPS = 40e9

/** Scenario of a side under a control on the default case's fat tree, with its own workload. */
export function requestScenario({
  condition,
  fabric,
  seed,
  workload,
  measure = '',
  sets = [],
}: {
  /** Becomes the scenario's name. */
  readonly condition: string
  readonly fabric: Side & { readonly control: Control }
  readonly seed: number
  /** Entries of the list in YAML. */
  readonly workload: readonly string[]
  /** More entries of `measure`; every run ends when it has drained, or after 400 ms. */
  readonly measure?: string
  /** Changes as "path=value". */
  readonly sets?: readonly string[]
}): Scenario {
  return parseScenario(
    `
name: ${condition.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}
seed: ${seed}
topology: {kind: fat-tree, arity: 6, linkRate: 40Gbps, linkDelay: 2us}
${fabricOf(fabric)}
workload:
${workload.map((entry) => `  - ${entry}`).join('\n')}
measure: {${measure}end: drain, stop: 400ms}
`,
    { sets },
  )
}

export function requestName({ senders, transport, pfc, control }: RequestArm): string {
  return `${senders} senders | ${transport} | ${pfc} | ${control}`
}

/** Measures of the messages with the tag `incast`; counters cover the whole run. */
export function requestMeasures(result: Result): Measures {
  const summary = summarize(result)
  const tags = textsOf(result.flows, 'tag')
  const isAnswer = (_: number, row: number): boolean => tags[row] === 'incast'
  const starts = numbersOf(result.flows, 'startPs').filter(isAnswer)
  const received = numbersOf(result.flows, 'receivedPs').filter(isAnswer)
  const bytes = sum(numbersOf(result.flows, 'sizeBytes').filter(isAnswer))
  // An incomplete response has no completion time: one NaN makes the maximum NaN.
  return {
    requestPs: Math.max(...received) - Math.min(...starts),
    idealPs: (bytes * 8e12) / LINE_RATE_BPS,
    unfinishedFlows: summary.flows.unfinished,
    dataPackets: result.counters.dataPacketsSent,
    drops: sum(Object.values(result.counters.drops)),
    dataDrops: result.counters.dataPacketsDropped,
    retransmissions: result.counters.retransmissions,
    timeouts: summary.timeouts,
    pauseFrames: result.counters.pauseFrames,
  }
}

/**
 * Percentage of data packets lost, without ACKs and NAKs. NaN for runs of an earlier program that counted drops of all
 * packets together, if there were any.
 */
export function dataLossPercent(m: Measures): number {
  const lost = m['drops'] === 0 ? 0 : (m['dataDrops'] ?? NaN)
  return (100 * lost) / m['dataPackets']!
}

/** Data loss over the seeds that counted it: "8.1 % (7.9 to 8.3 %), 10 seeds" if others did not. */
export function dataLossText(outcomes: readonly Outcome[], condition: string): string {
  const all = valuesOf(outcomes, condition, dataLossPercent)
  const counted = all.filter((percent) => !Number.isNaN(percent))
  const note = counted.length === all.length ? '' : `, ${counted.length} seeds`
  return `${intervalText(interval95(counted), ' %')}${note}`
}

/** The mean over seeds: "4.30 ms (4.21 ms to 4.39 ms)". */
export function durationText(outcomes: readonly Outcome[], condition: string, key: string): string {
  const { mean, low, high } = overSeeds(outcomes, condition, (m) => m[key]!)
  return Number.isNaN(low)
    ? humanDuration(mean)
    : `${humanDuration(mean)} (${humanDuration(low)} to ${humanDuration(high)})`
}

/** Interval of the percentage by which the first arm's measure is larger than the second's, from ratios per seed. */
export function percentMore(outcomes: readonly Outcome[], of: RequestArm, to: RequestArm, key: string): Interval {
  return interval95(percentsMore(outcomes, of, to, key))
}

/** The percentage for each seed, in the order of the runs. */
export function percentsMore(outcomes: readonly Outcome[], of: RequestArm, to: RequestArm, key: string): number[] {
  return percentsOver(outcomes, { of: requestName(of), to: requestName(to) }, key)
}

/** The percentage for each seed, for two conditions. */
export function percentsOver(
  outcomes: readonly Outcome[],
  conditions: { readonly of: string; readonly to: string },
  key: string,
): number[] {
  return ratiosOf(outcomes, conditions, (m) => m[key]!).map((ratio) => 100 * (ratio - 1))
}

/** Interval of the percentage by which the first arm's measure is smaller than the second's, from ratios per seed. */
export function percentLess(outcomes: readonly Outcome[], of: RequestArm, to: RequestArm, key: string): Interval {
  const { mean, low, high, count } = percentMore(outcomes, of, to, key)
  return { mean: 0 - mean, low: 0 - high, high: 0 - low, count }
}

/** Says whether all messages of some conditions were completed, and what follows for those that were not. */
export function completedText(outcomes: readonly Outcome[], points: readonly Point[], consequence: string): string {
  const unfinished = points.reduce(
    (total, { condition }) => total + sumOver(outcomes, condition, (m) => m['unfinishedFlows']!),
    0,
  )
  return unfinished === 0 ? 'Every message was completed.' : `${unfinished} messages were not completed${consequence}.`
}
