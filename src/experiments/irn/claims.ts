/**
 * Claims of the IRN paper on the default case. Comparisons with a side that has PFC are judged in every reading of PFC.
 * Source: [IRN] 4.2 to 4.5 and 6.3, Table 3; tolerances from claims.json.
 */
import { MS } from '../../base/index.ts'
import { humanNumber } from '../../report/index.ts'
import { alwaysClaims } from './always.ts'
import { arm, armName, CONTROL_NAMES, CONTROLS, METRICS, ratios, TAILS, tailKey, WINDOWS } from './arms.ts'
import { cellClaims, type CellAt, isInput } from './cells.ts'
import { lossClaims, overheadClaims, sizeClaims } from './costs.ts'
import type { Control, Transport } from './default-case.ts'
import { DEFAULT_SETTING, printedRows } from './printed.ts'
import { combinedReadings, defaultCell, IRN, IRN_PFC, ratiosIn, readingsOf, ROCE_PFC, type Side } from './readings.ts'
import { overSeeds } from '../core/old/over-seeds.ts'
import type { Outcome, Size } from '../core/old/plan.ts'
import { ABOVE_ONE, type Band, bracketClaim, type Claim, claimOf, seedsClaim } from '../core/findings.ts'

const SIGN = 'the sign'

/** The runs of one size. */
interface Runs {
  readonly outcomes: readonly Outcome[]
  readonly isCutShort: boolean
}

export function irnClaims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const runs = { outcomes, isCutShort: size === 'small' }
  return [
    ...comparisons(runs),
    ...defaultValues(runs),
    ...orders(runs),
    ...parts(runs),
    ...windows(runs),
    ...lossClaims(runs),
    ...overheadClaims(runs),
    ...sizeClaims(runs),
    ...CONTROLS.flatMap((control) => {
      const cell: CellAt = { at: defaultCell(control), printed: DEFAULT_SETTING }
      return runs.isCutShort ? [] : [...alwaysClaims(outcomes, cell), ...cellClaims(outcomes, cell)]
    }),
  ]
}

/** A factor by which the first side is worse, with one range for the three metrics. */
export interface Comparison {
  readonly figure: string
  readonly id: string
  readonly of: Side
  readonly to: Side
  readonly controls: readonly Control[]
  readonly statement: string
  /** The paper's range over the metrics and controls. */
  readonly low: number
  readonly high: number
  /** Band of one metric under one control, whose value is printed in Table 3. */
  readonly bandOf: (printed: number) => Band
  readonly tolerance: string
}

const QUARTER = {
  bandOf: (printed: number): Band => ({ low: printed * 0.75, high: printed * 1.25 }),
  tolerance: '25 %',
}
const THREE_POINTS = {
  bandOf: (printed: number): Band => ({ low: printed - 0.03, high: printed + 0.03 }),
  tolerance: '3 percentage points',
}
const WITH_CONTROL: readonly Control[] = CONTROLS.filter((control) => control !== 'none')

/** Figures 1, 2, 4 and 5; Figures 3 and 6 are those of the experiment pfc-roce. */
export const COMPARISONS: readonly Comparison[] = [
  {
    figure: 'Figure 1',
    id: 'irn.fig1.range',
    of: ROCE_PFC,
    to: IRN,
    controls: ['none'],
    statement: 'RoCE with PFC over IRN without PFC',
    low: 2.8,
    high: 3.7,
    ...QUARTER,
  },
  {
    figure: 'Figure 2',
    id: 'irn.fig2.range',
    of: IRN_PFC,
    to: IRN,
    controls: ['none'],
    statement: 'IRN with PFC over IRN without PFC',
    low: 1.5,
    high: 2,
    ...QUARTER,
  },
  {
    figure: 'Figure 4',
    id: 'irn.fig4.range',
    of: ROCE_PFC,
    to: IRN,
    controls: WITH_CONTROL,
    statement: 'RoCE with PFC over IRN without PFC',
    low: 1.5,
    high: 2.2,
    ...QUARTER,
  },
  {
    figure: 'Figure 5',
    id: 'irn.fig5.range',
    of: IRN_PFC,
    to: IRN,
    controls: WITH_CONTROL,
    statement: 'IRN with PFC over IRN without PFC',
    low: 0.99,
    high: 1.034,
    ...THREE_POINTS,
  },
]

/**
 * The text gives one range for all metrics, Table 3 the value of each, which is inside: a check is held to its own value,
 * since a band over the whole range would let every metric stand at one end of it.
 */
function comparisons({ outcomes, isCutShort }: Runs): Claim[] {
  return COMPARISONS.flatMap(({ figure, id, of, to, controls, statement, low, high, bandOf, tolerance }) =>
    controls.flatMap((control) =>
      METRICS.map(({ name, key }, metric) => {
        const printed = printedCost(of, control, metric)
        return bracketClaim({
          id: `${id} [${CONTROL_NAMES[control]}, ${name}]`,
          statement: `${figure}, ${name}: ${statement}`,
          paper: `${humanNumber(printed)} x, of ${low} to ${high} x over the metrics`,
          readings: readingsOf(outcomes, { of, to, at: defaultCell(control) }, (m) => m[key]!),
          paperValues: [printed],
          unit: ' x',
          band: bandOf(printed),
          tolerance,
          cutShort: isCutShort ? (figure === 'Figure 5' ? null : ABOVE_ONE) : undefined,
        })
      }),
    ),
  )
}

/** A side with PFC over IRN without it, as Table 3 has it. */
function printedCost(of: Side, control: Control, metric: number): number {
  const [, overIrnPfc, overRocePfc] = printedRows(DEFAULT_SETTING, control)[metric]!
  return 1 / (of === IRN_PFC ? overIrnPfc : overRocePfc)
}

/** The absolute values of the default case. */
function defaultValues({ outcomes, isCutShort }: Runs): Claim[] {
  const names = ['avg_slowdown', 'avg_fct_s', 'p99_fct_s'] as const
  return CONTROLS.flatMap((control) =>
    METRICS.map(({ name, key }, i): Claim => {
      const scale = i === 0 ? 1 : 1 / MS
      const paper = printedRows(DEFAULT_SETTING, control)[i]![0] * scale
      const claim = claimOf({
        id: `irn.default.${control.startsWith('timely') ? 'timely' : control}.${names[i]!}`,
        statement: `${name} of IRN, ${CONTROL_NAMES[control]}`,
        paper: `${humanNumber(paper)}${i === 0 ? '' : ' ms'}`,
        measured: overSeeds(outcomes, armName(arm('irn', 'no PFC', control)), (m) => m[key]! * scale),
        unit: i === 0 ? '' : ' ms',
        band: { low: paper * 0.5, high: paper * 1.5 },
        tolerance: '50 %',
        cutShort: isCutShort ? null : undefined,
      })
      return !isCutShort && isInput({ at: defaultCell(control), printed: DEFAULT_SETTING })
        ? { ...claim, verdict: 'input' }
        : claim
    }),
  )
}

/** Claims on which side is better. */
function orders({ outcomes, isCutShort }: Runs): Claim[] {
  const order = (id: string, control: Control, worse: Side, key: string, what: string): Claim =>
    bracketClaim({
      id: `${id} [${CONTROL_NAMES[control]}, ${what}]`,
      statement: `IRN is better than ${worse === IRN_PFC ? 'IRN' : 'RoCE'} with PFC: ${what}, the second over the first`,
      paper: 'above 1',
      readings: readingsOf(outcomes, { of: worse, to: IRN, at: defaultCell(control) }, (m) => m[key]!),
      paperValues: [],
      unit: ' x',
      band: ABOVE_ONE,
      tolerance: SIGN,
      cutShort: isCutShort ? ABOVE_ONE : undefined,
    })
  return [
    ...METRICS.map(({ key, name }) => order('irn.fig2.not-required', 'none', IRN_PFC, key, name)),
    ...CONTROLS.flatMap((control) =>
      TAILS.map((share) =>
        order('irn.fig8.tail-single-packet', control, ROCE_PFC, tailKey(share), `${humanNumber(share * 100)} %`),
      ),
    ),
    ...METRICS.map(({ key, name }) =>
      seedsClaim({
        id: `irn.fig10.resilient [${name}]`,
        statement: `IRN without control is better than RoCE without PFC under DCQCN: ${name}, the second over the first`,
        paper: 'above 1',
        values: ratios(outcomes, arm('roce', 'no PFC', 'dcqcn'), arm('irn', 'no PFC', 'none'), key),
        band: ABOVE_ONE,
        judge: 'mean',
        unit: ' x',
        cutShort: isCutShort ? 'direction' : undefined,
      }),
    ),
  ]
}

/** Figure 7: IRN with one part removed, without PFC. */
function parts({ outcomes, isCutShort }: Runs): Claim[] {
  const pairs = [
    ['irn.fig7.gbn-worse', 'irn', 'irn with go-back-n', 'IRN that goes back N over IRN'],
    ['irn.fig7.no-bdpfc-worse', 'irn', 'irn without bdp-fc', 'IRN without BDP-FC over IRN'],
    [
      'irn.fig7.gbn-worse-than-no-bdpfc',
      'irn without bdp-fc',
      'irn with go-back-n',
      'IRN that goes back N over IRN without BDP-FC',
    ],
  ] as const satisfies readonly (readonly [string, Transport, Transport, string])[]
  return pairs.flatMap(([id, better, worse, what]) =>
    CONTROLS.map((control) =>
      seedsClaim({
        id: `${id} [${CONTROL_NAMES[control]}]`,
        statement: `Average FCT of ${what}, ${CONTROL_NAMES[control]}`,
        paper: 'above 1',
        values: ratios(outcomes, arm(worse, 'no PFC', control), arm(better, 'no PFC', control), 'meanFctPs'),
        band: ABOVE_ONE,
        judge: 'mean',
        unit: ' x',
        cutShort: isCutShort ? 'direction' : undefined,
      }),
    ),
  )
}

/** Section 4.4.4: PFC costs IRN more under a control that reacts to losses only. */
function windows({ outcomes, isCutShort }: Runs): Claim[] {
  const cutShort = isCutShort ? ABOVE_ONE : undefined
  return METRICS.flatMap(({ key, name }) => {
    const cost = (control: Control) =>
      ratiosIn(outcomes, { of: IRN_PFC, to: IRN, at: defaultCell(control) }, (m) => m[key]!)
    const plain = cost('none')
    return [
      ...WINDOWS.map((control) =>
        bracketClaim({
          id: `irn.444.window-cc [${CONTROL_NAMES[control]}, ${name}]`,
          statement: `With ${CONTROL_NAMES[control]} IRN is better without PFC: ${name}, with it over without it`,
          paper: 'above 1',
          readings: readingsOf(outcomes, { of: IRN_PFC, to: IRN, at: defaultCell(control) }, (m) => m[key]!),
          paperValues: [],
          unit: ' x',
          band: ABOVE_ONE,
          tolerance: SIGN,
          cutShort,
        }),
      ),
      bracketClaim({
        id: `irn.444.aimd-stronger [${name}]`,
        statement: `PFC costs IRN more with AIMD than without control: ${name}, the cost with AIMD over the cost without`,
        paper: 'above 1',
        readings: combinedReadings(cost('aimd'), plain, (aimd, none) => aimd / none),
        paperValues: [],
        unit: ' x',
        band: ABOVE_ONE,
        tolerance: SIGN,
        cutShort,
      }),
    ]
  })
}
