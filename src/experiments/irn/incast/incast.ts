/**
 * Incast with IRN and with RoCE: time until 150 MB from M senders to one host have arrived; also over slower and faster
 * links, and with several connections from each sender.
 * Source: [IRN] section 4.4.3, Figure 9; one sentence on the variants, without the number of connections.
 * Deviates: PFC pauses at 216 KB and not at the paper's 220 KB, at which it loses packets; see the remarks.
 */
import { humanDuration } from '../../../report/index.ts'
import type { Interval } from '../../../results/index.ts'
import { parseScenario } from '../../../scenario/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import { atMost, barOf, type Claim, claim, intervalText, near, rightColumn } from '../../core/findings.ts'
import { percentLarger } from '../../core/over-seeds.ts'
import type { PlanHead, Point, Size } from '../../core/plan.ts'
import type { Runs } from '../../core/runs.ts'
import { label, tableAt } from '../../core/tables.ts'
import { controlName, DEFAULT_GBPS, fabricAt } from '../default-case.ts'
import {
  completedText,
  dataLossText,
  IRN,
  IRN_PFC,
  PAUSE_REMARK,
  percentsMore,
  REQUEST_CONTROLS,
  type RequestAt,
  requestMeasures,
  type RequestSide,
  requestSideName,
  requestText,
  ROCE,
  SIDES,
} from './request.ts'

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

function pointOf(name: string, at: IncastAt, size: Size, seed: number): Point<IncastAt> {
  const { senders, gbps, connections } = at
  const workload = `{kind: incast, senders: ${senders}, connections: ${connections}, receiver: 0, total: ${TOTAL[size]}}`
  const text = requestText(at, { name, seed, workload })
  return { at, seed, scenario: parseScenario(text, { sets: fabricAt(gbps, at) }) }
}

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
      incasts(size).flatMap((incast) =>
        REQUEST_CONTROLS.flatMap((control) =>
          SIDES.map((side) => pointOf(plan.nameOf(incast), { ...incast, ...side, control }, size, seed)),
        ),
      ),
    measure: (result, { at }) => requestMeasures(result, Number(at['gbps'])),
    conclude: (runs, size) => ({
      tables: [
        tableAt(runs, rowsOf(size), {
          title: 'Request completion time',
          columns: [
            label('congestion control', ({ control }) => controlName(control)),
            label('incast', labelOf),
            ...SIDES.map((side) => ({
              ...rightColumn(requestSideName(side)),
              cell: (_: Row, own: Runs) => humanDuration(own.mean('requestPs', side).mean),
            })),
            ...[ROCE, IRN_PFC].map((other) => ({
              ...rightColumn(`IRN over ${requestSideName(other)}`),
              cell: (_: Row, own: Runs) => intervalText(longer(own, other), ' %'),
            })),
            { ...rightColumn('data lost by IRN'), cell: (_, own) => dataLossText(own.where(IRN)) },
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
