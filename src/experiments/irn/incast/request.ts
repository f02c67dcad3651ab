/**
 * Incast requests, to which many hosts respond at the same time: the sides, scenarios and measures that the incast
 * experiments share.
 * Source: [IRN] section 4.4.3.
 * Deviates: PFC pauses at 216 KB and not at the paper's 220 KB, at which it loses packets.
 */
import { interval95, numbersOf, type Result, sum, summarize, textsOf } from '../../../results/index.ts'
import { intervalText } from '../../core/findings.ts'
import { dropsOf } from '../../core/measures.ts'
import type { Measures } from '../../core/plan.ts'
import type { Runs, Where } from '../../core/runs.ts'
import { fabricOf } from '../default-case.ts'
import { sideName } from '../readings.ts'

export const ROCE = { transport: 'roce', pfc: 'pfc-early' } as const
export const IRN = { transport: 'irn', pfc: 'no-pfc' } as const
export const IRN_PFC = { transport: 'irn', pfc: 'pfc-early' } as const
export const SIDES = [ROCE, IRN, IRN_PFC] as const

/** TIMELY has its own segments of 16 KB here: these runs are older than the per-packet reading. */
export const REQUEST_CONTROLS = ['none', 'timely', 'dcqcn'] as const

export type RequestSide = (typeof SIDES)[number]
export type RequestAt = RequestSide & { readonly control: (typeof REQUEST_CONTROLS)[number] }

/** A side under a control on the fat tree of the default case. A run ends when it has drained, or after 400 ms. */
export function requestText(
  at: RequestAt,
  o: { readonly name: string; readonly seed: number; readonly workload: string; readonly measure?: string },
): string {
  return `
name: ${o.name}-${at.transport}-${at.pfc}-${at.control}
seed: ${o.seed}
topology: {kind: fat-tree, arity: 6, linkRate: 40Gbps, linkDelay: 2us}
${fabricOf(at)}
workload: [${o.workload}]
measure: {${o.measure ?? ''}end: drain, stop: 400ms}
`
}

/** Measures of the messages with the tag `incast`; counters cover the whole run. */
export function requestMeasures(result: Result, gbps = 40): Measures {
  const { flows, counters } = result
  const summary = summarize(result)
  const tags = textsOf(flows, 'tag')
  const ofAnswers = (column: string): Float64Array =>
    numbersOf(flows, column).filter((_, row) => tags[row] === 'incast')
  return {
    // An incomplete response has no completion time: one NaN makes the maximum NaN.
    requestPs: Math.max(...ofAnswers('receivedPs')) - Math.min(...ofAnswers('startPs')),
    idealPs: (sum(ofAnswers('sizeBytes')) * 8e12) / (gbps * 1e9),
    unfinishedFlows: summary.flows.unfinished,
    dataPackets: counters.dataPacketsSent,
    drops: dropsOf(result),
    dataDrops: counters.dataPacketsDropped,
    retransmissions: counters.retransmissions,
    timeouts: summary.timeouts,
    pauseFrames: counters.pauseFrames,
  }
}

/** NaN for runs of an earlier program that counted lost data and ACKs together, if there were any. */
export function dataLossPercent(m: Measures): number {
  const lost = m['drops'] === 0 ? 0 : (m['dataDrops'] ?? NaN)
  return (100 * lost) / m['dataPackets']!
}

/** "8.1 % (7.9 to 8.3), 10 seeds" if others did not count lost data. */
export function dataLossText(runs: Runs): string {
  const all = runs.values(dataLossPercent)
  const counted = all.filter((percent) => !Number.isNaN(percent))
  return `${intervalText(interval95(counted), ' %')}${counted.length === all.length ? '' : `, ${counted.length} seeds`}`
}

/** The percentage by which one point's measure is larger than another's, for each seed. */
export const percentsMore = (runs: Runs, of: string, over: Where, under: Where): number[] =>
  runs.ratios(of, over, under).map((ratio) => 100 * (ratio - 1))

/** "IRN + PFC". */
export const requestSideName = ({ transport, pfc }: RequestSide): string =>
  sideName({ transport, hasPfc: pfc !== 'no-pfc' })

export function completedText(runs: Runs): string {
  const unfinished = runs.sum('unfinishedFlows')
  return unfinished === 0
    ? 'Every message was completed.'
    : `${unfinished} messages were not completed and count nowhere.`
}

export const PAUSE_REMARK =
  'PFC pauses at 216 KB of 240 KB. At the 220 KB of the paper packets are lost, and RoCE, which has no timeout with PFC, never completes a message that loses its last packets.'
