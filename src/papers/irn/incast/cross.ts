/**
 * Incast with background traffic, with IRN and with RoCE: request completion times, and the effect on background messages.
 * Source: [IRN] section 4.4.3, "incast with cross traffic", which has numbers and no figure.
 * Deviates: the response has 20 MB and not 150 MB, and PFC pauses at 216 KB and not at 220 KB; see the remarks.
 */
import { humanDuration, humanNumber } from '../../../show/index.ts'
import {
  completionsOf,
  type Interval,
  mean,
  numbersOf,
  quantile,
  type Result,
  textsOf,
} from '../../../core/results/index.ts'
import { defineExperiment } from '../../core/experiment.ts'
import {
  ABOVE_ZERO,
  between,
  type Claim,
  claim,
  type FindingsTable,
  intervalText,
  near,
  rightColumn,
} from '../../core/findings.ts'
import { pointsAt } from '../../core/grid.ts'
import { percentLarger, percentSmaller } from '../../core/over-seeds.ts'
import type { Measures, Size } from '../../core/plan.ts'
import { type RangeCell, rangeClaims } from '../../core/range-ends.ts'
import type { Runs } from '../../core/runs.ts'
import { label, means, tableAt, texts } from '../../core/tables.ts'
import { METRICS } from '../arms.ts'
import { controlName } from '../default-case.ts'
import { eachSeed } from '../cells.ts'
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
} from './incast.ts'

const SENDERS = 30
const LOAD = 0.5

/** Milliseconds, besides the size of the response. */
const TIMING = {
  small: { totalMb: 5, startMs: 1, countedMs: 1, goesOnMs: { none: 3, timely: 8, dcqcn: 4 } },
  full: {
    totalMb: 20,
    /** Start of the request; the background starts at 0. */
    startMs: 2,
    /** Background messages that start within this time after the request count: that of the response alone at 40 Gb/s. */
    countedMs: 4,
    /** Duration of the background after the start of the request: longer than the request takes, mainly under TIMELY. */
    goesOnMs: { none: 15, timely: 60, dcqcn: 20 },
  },
} as const

type Control = RequestAt['control']
/** `load` is that of the background. */
type CrossAt = RequestAt & { readonly load: number }
const atOf = (control: Control, side: RequestSide, load = LOAD): CrossAt => ({ load, control, ...side })
const ATS: readonly CrossAt[] = REQUEST_CONTROLS.flatMap((control) => [
  ...SIDES.map((side) => atOf(control, side)),
  ...[ROCE, IRN].map((side) => atOf(control, side, 0)),
])

function textOf(at: CrossAt, size: Size): string {
  const { totalMb, startMs, countedMs, goesOnMs } = TIMING[size]
  const request = `kind: incast, senders: ${SENDERS}, receiver: 0, total: ${totalMb}MB`
  if (at.load === 0) return requestText(at, `alone-${SENDERS}-senders`, `{${request}}`)
  return requestText(
    at,
    `cross-${SENDERS}-senders`,
    `{kind: poisson, load: ${LOAD}, loadBasis: payload, sizes: heavy-tailed}, {${request}, start: ${startMs}ms}`,
    `generate: ${startMs + goesOnMs[at.control]}ms, warmUp: ${startMs}ms, window: ${countedMs}ms, `,
  )
}

/** Completion of the request, and the three metrics of [IRN] 4.1 for the background. */
const REQUEST = { name: 'completion of the request', key: 'requestPs', text: humanDuration }
const BACKGROUND = METRICS.map(({ name, key, text }) => ({ name: `background, ${name}`, key, text }))
const ALL = [REQUEST, ...BACKGROUND]

function measure(result: Result): Measures {
  const { completionPs, slowdown } = completionsOf(result)
  const tags = textsOf(result.flows, 'tag')
  const measured = numbersOf(result.flows, 'measured')
  const finished = (values: Float64Array): Float64Array =>
    values.filter((value, row) => tags[row] === 'background' && measured[row] === 1 && !Number.isNaN(value))
  const times = finished(completionPs)
  return {
    ...requestMeasures(result),
    meanSlowdown: mean(finished(slowdown)),
    meanFctPs: mean(times),
    p99FctPs: quantile(times, 0.99),
    countedFlows: times.length,
  }
}

/** By how many percent IRN is better than RoCE with PFC, and PFC makes IRN worse. */
const better = (runs: Runs, control: Control, key: string): Interval =>
  percentSmaller(runs.ratio(key, atOf(control, IRN), atOf(control, ROCE)))
const worse = (runs: Runs, control: Control, key: string): Interval =>
  percentLarger(runs.ratio(key, atOf(control, IRN_PFC), atOf(control, IRN)))

const CELLS = REQUEST_CONTROLS.flatMap((control) =>
  ALL.map(({ name, key }) => ({ control, key, check: `${controlName(control)}, ${name}` })),
)
type Cell = (typeof CELLS)[number]
const isRequest = ({ key }: Cell): boolean => key === REQUEST.key

function claims(runs: Runs, isCutShort: boolean): Claim[] {
  const cellOf =
    (percentOf: typeof better) =>
    (cell: Cell): RangeCell => ({
      check: cell.check,
      readings: [{ name: 'pauses at 216 KB', measured: percentOf(runs, cell.control, cell.key) }],
      // A short response consists of its first burst, so that only the background shows a direction.
      cutShort: !isCutShort ? undefined : isRequest(cell) ? null : ABOVE_ZERO,
    })
  const others = CELLS.filter((cell) => !isRequest(cell)).map(cellOf(better))
  const requests = CELLS.filter(isRequest)
    .map((cell) => ({ ...cell, check: controlName(cell.control) }))
    .map(cellOf(better))
  const pfc = CELLS.filter((cell) => !isRequest(cell) || cell.control !== 'dcqcn').map(cellOf(worse))
  const unit = ' %'
  return [
    ...rangeClaims({ id: 'irn.443.cross.rct-4-30', low: 4, high: 30, band: between(0, 40), unit, cells: requests }),
    ...rangeClaims({ id: 'irn.443.cross.bg-32-87', low: 32, high: 87, band: between(20, 92), unit, cells: others }),
    ...rangeClaims({ id: 'irn.443.cross.pfc-1-75', low: 1, high: 75, band: between(0, 85), unit, cells: pfc }),
    claim(
      'irn.443.cross.dcqcn-1.13',
      percentSmaller(runs.ratio(REQUEST.key, atOf('dcqcn', IRN_PFC), atOf('dcqcn', IRN))),
      near(1.13, 3),
      { unit: ' %', cutShort: isCutShort ? null : undefined },
    ),
    ...REQUEST_CONTROLS.map((control) =>
      claim(
        'irn.fig9.best-case-for-pfc',
        eachSeed(
          [LOAD, 0].map((load) => percentsMore(runs, REQUEST.key, atOf(control, IRN, load), atOf(control, ROCE, load))),
          (beside = NaN, alone = NaN) => Math.abs(beside) - Math.abs(alone),
        ),
        ABOVE_ZERO,
        {
          check: controlName(control),
          unit: ' points',
          why: 'The distance of IRN from RoCE with PFC, in percent of the latter: with background less without.',
          cutShort: isCutShort ? null : undefined,
        },
      ),
    ),
  ]
}

const tables = (runs: Runs): FindingsTable[] => [
  tableAt(runs, ATS, {
    title: 'The request and the background',
    columns: [
      label('congestion control', ({ control }) => controlName(control)),
      label('transport', requestSideName),
      label('background', ({ load }) => (load === 0 ? 'none' : `${load * 100} % load`)),
      ...ALL.map(({ name, key, text }) => means<CrossAt>(name, key, text)),
      texts('data lost', (own) => dataLossText(own)),
      means('pause frames', 'pauseFrames', (frames) => humanNumber(frames)),
    ],
  }),
  {
    title: 'IRN compared with RoCE + PFC, and the effect of PFC on IRN',
    columns: [
      { head: 'congestion control, metric' },
      rightColumn('IRN less than RoCE + PFC'),
      rightColumn('IRN + PFC more than IRN'),
    ],
    rows: CELLS.map(({ control, key, check }) => [
      check,
      ...[better, worse].map((percentOf) => intervalText(percentOf(runs, control, key), ' %')),
    ]),
  },
]

function remarks(runs: Runs, size: Size): string[] {
  const { totalMb, startMs, countedMs, goesOnMs } = TIMING[size]
  const beside = runs.where({ load: LOAD }).outcomes
  const outlasting = beside.filter(
    ({ at, measures }) => !(measures['requestPs']! <= goesOnMs[at['control'] as Control] * 1e9),
  )
  const timely = runs.mean((m) => m['requestPs']! / m['idealPs']!, atOf('timely', IRN)).mean
  const burst = (SENDERS * 110 * 1.024) / (totalMb * 10)
  return [
    `The response has ${totalMb} MB, ${humanNumber(totalMb / 5)} ms at line rate; the paper's has 150 MB. With TIMELY, IRN takes ${humanNumber(timely)} times as long as that, and the background has ` +
      `to last as long: a hundred repetitions with 150 MB would cost too much. The first burst, of up to 110 packets per sender, is ${humanNumber(burst)} % ` +
      'of the response instead of 2 %, so its losses weigh more for IRN without PFC; and pauses have less time to spread, so their cost for the background is likely to be too small here.',
    `The request starts at ${startMs} ms; background messages that start within the next ${countedMs} ms count, the same on all sides. The background goes on for ` +
      `${goesOnMs.none} ms without control, ${goesOnMs.timely} ms with TIMELY and ${goesOnMs.dcqcn} ms with DCQCN; ${outlasting.length} of ${beside.length} requests took longer. The paper gives neither time, nor the names of its three controls.`,
    `${PAUSE_REMARK} Flows and senders of one seed are the same in all its runs. ${completedText(runs)}`,
    ...(size === 'small'
      ? [
          'This size is cut short: the response is hardly longer than its first burst and is not judged, and the background only by direction.',
        ]
      : []),
  ]
}

export const irnCross = defineExperiment({
  name: 'irn-cross',
  title: 'Incast with background traffic, with IRN and with RoCE',
  source: '[IRN] section 4.4.3, incast with cross traffic',
  help:
    '30 senders respond to one host at the same time while all hosts send to each other at 50 % load. Completion times of the request and ' +
    'of the background messages: with IRN, with IRN and PFC, and with RoCE and PFC, without ' +
    'congestion control, with TIMELY and with DCQCN.',
  sizes: {
    small: '5 MB from 30 senders',
    full: '20 MB from 30 senders (150 MB in the paper), 100 repetitions (--seeds 1..20 for a fifth of them)',
  },
  points: (size, seed) => pointsAt(ATS, seed, (at) => textOf(at, size)),
  measure,
  conclude: (runs, size) => ({
    tables: tables(runs),
    claims: claims(runs, size === 'small'),
    remarks: remarks(runs, size),
  }),
})
