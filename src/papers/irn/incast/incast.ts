/**
 * Incast with IRN and with RoCE: time until 150 MB from M senders to one host have arrived; also over slower and faster
 * links, and with several connections from each sender. Sides, scenarios and measures are also those of cross.ts.
 * Source: [IRN] section 4.4.3, Figure 9; one sentence on the variants, without the number of connections.
 * Deviates: PFC pauses at 216 KB and not at the paper's 220 KB, at which it loses packets; see the remarks.
 */
import { humanDuration } from '../../../show/index.ts'
import {
  type Interval,
  interval95,
  numbersOf,
  type Result,
  sum,
  summarize,
  textsOf,
} from '../../../core/results/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import { atMost, barOf, type Claim, claim, intervalText, near } from '../../core/findings.ts'
import { dropsOf } from '../../core/measures.ts'
import { pointsAt } from '../../core/grid.ts'
import { percentLarger } from '../../core/over-seeds.ts'
import type { Measures, PlanHead, Size } from '../../core/plan.ts'
import type { Runs, Where } from '../../core/runs.ts'
import { label, tableAt, texts } from '../../core/tables.ts'
import { sideName } from '../cells.ts'
import { controlName, DEFAULT_GBPS, fabricAt, fabricOf } from '../default-case.ts'

export const ROCE = { transport: 'roce', pfc: 'pfc-early' } as const
export const IRN = { transport: 'irn', pfc: 'no-pfc' } as const
export const IRN_PFC = { transport: 'irn', pfc: 'pfc-early' } as const
export const SIDES = [ROCE, IRN, IRN_PFC] as const

/** TIMELY has its own segments of 16 KB here: these runs are older than the per-packet reading. */
export const REQUEST_CONTROLS = ['none', 'timely', 'dcqcn'] as const

export type RequestSide = (typeof SIDES)[number]
export type RequestAt = RequestSide & { readonly control: (typeof REQUEST_CONTROLS)[number] }

/** A side under a control on the fat tree of the default case. A run ends when it has drained, or after 400 ms. */
export const requestText = (at: RequestAt, name: string, workload: string, measure = ''): string => `
name: ${name}-${at.transport}-${at.pfc}-${at.control}
topology: {kind: fat-tree, arity: 6, linkRate: 40Gbps, linkDelay: 2us}
${fabricOf(at)}
workload: [${workload}]
measure: {${measure}end: drain, stop: 400ms}
`

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

/** The axes of an incast besides side and control. */
type Incast = { readonly senders: number; readonly gbps: number; readonly connections: number }
type IncastAt = Incast & RequestAt
type Row = Incast & Pick<RequestAt, 'control'>

const TOTAL = { small: '6MB', full: '150MB' } as const
const SENDERS = { small: [10, 30], full: [10, 20, 30, 40, 50] } as const

const ofFigure9 = (size: Size): Incast[] =>
  SENDERS[size].map((senders) => ({ senders, gbps: DEFAULT_GBPS, connections: 1 }))

const VARIANTS: readonly Incast[] = [
  ...[10, 100].map((gbps) => ({ senders: 30, gbps, connections: 1 })),
  ...[1, 2, 4, 8].map((connections) => ({ senders: 30, gbps: DEFAULT_GBPS, connections })),
]

const incastText = ({ senders, connections }: Incast, size: Size): string =>
  `{kind: incast, senders: ${senders}, connections: ${connections}, receiver: 0, total: ${TOTAL[size]}}`

/** By how many percent IRN takes longer than another side. */
const longer = (runs: Runs, other: RequestSide): Interval => percentLarger(runs.ratio('requestPs', IRN, other))

interface IncastPlan extends PlanHead {
  readonly incasts: (size: Size) => readonly Incast[]
  /** Begins a scenario's name. */
  readonly nameOf: (incast: Incast) => string
  readonly labelOf: (incast: Incast) => string
  /** Largest increase in the paper, percent. */
  readonly paperPercent: number
  readonly claims: (runs: Runs, row: Row, size: Size) => readonly Claim[]
  readonly remark: string
}

function defineIncast(plan: IncastPlan) {
  const { incasts, labelOf, paperPercent } = plan
  const rowsOf = (size: Size): Row[] =>
    REQUEST_CONTROLS.flatMap((control) => incasts(size).map((incast) => ({ ...incast, control })))
  return defineExperiment({
    ...plan,
    points: (size, seed) =>
      pointsAt(
        incasts(size).flatMap((incast) =>
          REQUEST_CONTROLS.flatMap((control) => SIDES.map((side): IncastAt => ({ ...incast, ...side, control }))),
        ),
        seed,
        (at) => requestText(at, plan.nameOf(at), incastText(at, size)),
        (at) => fabricAt(at.gbps, at),
      ),
    measure: (result, { at }) => requestMeasures(result, Number(at['gbps'])),
    conclude: (runs, size) => ({
      tables: [
        tableAt(runs, rowsOf(size), {
          title: 'Request completion time',
          columns: [
            label('congestion control', ({ control }) => controlName(control)),
            label('incast', labelOf),
            ...SIDES.map((side) =>
              texts(requestSideName(side), (own) => humanDuration(own.mean('requestPs', side).mean)),
            ),
            ...[ROCE, IRN_PFC].map((other) =>
              texts(`IRN over ${requestSideName(other)}`, (own) => intervalText(longer(own, other), ' %')),
            ),
            texts('data lost by IRN', (own) => dataLossText(own.where(IRN))),
          ],
        }),
      ],
      figures: [
        {
          name: 'increase',
          bars: {
            title: 'Incast: how much longer IRN takes than RoCE with PFC',
            subtitle: `${TOTAL[size]} to one host; means over seeds with 95 % intervals; below 0: IRN is faster`,
            yLabel: '%',
            limit: { value: paperPercent, label: `paper: at most ${paperPercent} %` },
            groups: rowsOf(size).map((row) => ({
              label: labelOf(row),
              series: controlName(row.control),
              ...barOf(longer(runs.where(row), ROCE)),
            })),
            showValues: true,
          },
        },
      ],
      claims: rowsOf(size).flatMap((row) => plan.claims(runs.where(row), row, size)),
      remarks: [
        plan.remark,
        `Each repetition has other senders, which are the same in all runs of a seed. ${completedText(runs)}`,
        ...(size === 'small' ? ['This size sends 6 MB instead of 150 MB: nothing is judged.'] : []),
      ],
    }),
  })
}

/** Runs that are cut short: a response that is hardly longer than its first burst loses more packets. */
const bound = (size: Size, id: string, check: string, runs: Runs, percent: number): Claim =>
  claim(id, longer(runs, ROCE), atMost(percent), { check, unit: ' %', cutShort: size === 'small' ? null : undefined })

export const irnIncast = defineIncast({
  name: 'irn-incast',
  title: 'Incast with IRN, without PFC',
  source: '[IRN] section 4.4.3, Figure 9',
  help:
    '150 MB, striped over 10 to 50 senders, go to one host at the same time: the best case for PFC. Request completion times ' +
    'of IRN with and without PFC and of RoCE with PFC, without congestion control, with TIMELY and with DCQCN.',
  sizes: {
    small: '6 MB from 10 and 30 senders',
    full: '150 MB from 10, 20, 30, 40 and 50 senders; the paper repeats each 100 times (--seeds 100)',
  },
  incasts: ofFigure9,
  nameOf: ({ senders }) => `${senders}-senders`,
  labelOf: ({ senders }) => `${senders} senders`,
  paperPercent: 2.5,
  claims: (runs, { control, senders }, size) => {
    const check = `${controlName(control)}, M = ${senders}`
    return [
      bound(size, 'irn.fig9.incast-2.5pct', check, runs, 3.5),
      claim('irn.fig9.with-without-pfc-similar', percentsMore(runs, 'requestPs', IRN, IRN_PFC), near(0, 5), {
        check,
        unit: ' %',
        cutShort: size === 'small' ? null : undefined,
      }),
    ]
  },
  remark: PAUSE_REMARK,
})

const variantName = ({ gbps, connections }: Incast): string =>
  gbps === DEFAULT_GBPS ? `${connections} a sender` : `${gbps} Gb/s`

export const irnIncastVariants = defineIncast({
  name: 'irn-incast-variants',
  title: 'Incast with IRN over other links, and with more connections',
  source: '[IRN] section 4.4.3',
  help:
    '150 MB, striped over 30 senders, go to one host at the same time over links of 10 and 100 Gb/s, and over 1, 2, 4 and 8 connections from ' +
    'each sender at 40 Gb/s: how much longer does that take without PFC?',
  sizes: { small: '6 MB', full: '150 MB' },
  incasts: () => VARIANTS,
  nameOf: ({ gbps, connections }) => (gbps === DEFAULT_GBPS ? `${connections}-a-sender` : `${gbps}-gb-s`),
  labelOf: variantName,
  paperPercent: 9,
  claims: (runs, row, size) => [
    bound(size, 'irn.443.variants-9pct', `${variantName(row)}, ${controlName(row.control)}`, runs, 11),
  ],
  remark:
    "One connection per sender at 40 Gb/s is the incast of Figure 9. Buffers (twice the BDP of the network), PFC's threshold (a link's BDP less), the cap (the BDP) and the marking thresholds scale with the rate. " +
    'Each connection has its own cap, so more connections have more data in flight, and a longer first burst.',
})
