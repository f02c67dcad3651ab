/**
 * Claims of the IRN paper on the default case. Comparisons with a side that has PFC are judged in every reading of PFC.
 * Source: [IRN] 4.2 to 4.5 and 6.3, Table 3.
 */
import { humanNumber } from '../../report/index.ts'
import { ABOVE_ONE, bracket, bracketClaim, type Claim, claim, near, nearShare } from '../core/findings.ts'
import type { Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { type Arm, arm, CONTROLS, DEFAULT, METRICS, TAILS, tailKey } from './arms.ts'
import { cellClaims, inferred, irnIn } from './cells.ts'
import { lossClaims, overheadClaims, sizeClaims } from './costs.ts'
import { controlName, type Control, type Transport } from './default-case.ts'
import { printedControl, printedValues } from './printed.ts'
import { defaultCell, eachSeed, IRN, IRN_PFC, ratioReadings, readingsOf, ROCE_PFC, type Side } from './readings.ts'

/** Window-based controls of section 4.4.4, run with IRN only. */
export const WINDOWS = ['aimd', 'dctcp'] as const satisfies readonly Control[]
const WITH_CONTROL = CONTROLS.filter((control) => control !== 'none')

/** The default case as a row of Table 3. */
export const DEFAULT_CELLS = CONTROLS.map((control) => ({ ...defaultCell(control), name: '70 %' }))

export function irnClaims(runs: Runs, size: Size): Claim[] {
  const isCutShort = size === 'small'
  return [
    ...comparisons(runs, isCutShort),
    ...defaultValues(runs, isCutShort),
    ...orders(runs, isCutShort),
    ...ordersWithoutPfc(runs, isCutShort),
    ...lossClaims(runs, isCutShort),
    ...overheadClaims(runs, isCutShort),
    ...sizeClaims(runs, isCutShort),
    ...(isCutShort ? [] : DEFAULT_CELLS.flatMap((cell) => cellClaims(runs, cell))),
  ]
}

/** Figures in which sides with PFC are worse than IRN; Figures 3 and 6 are those of the experiment pfc-roce. */
const COMPARISONS: readonly { readonly id: string; readonly of: Side; readonly controls: readonly Control[] }[] = [
  { id: 'irn.fig1.range', of: ROCE_PFC, controls: ['none'] },
  { id: 'irn.fig2.range', of: IRN_PFC, controls: ['none'] },
  { id: 'irn.fig4.range', of: ROCE_PFC, controls: WITH_CONTROL },
  { id: 'irn.fig5.range', of: IRN_PFC, controls: WITH_CONTROL },
]

/**
 * The text gives one range for all metrics, Table 3 the value of each, which is inside: a check is held to its own value,
 * since a band over the whole range would let every metric stand at one end of it.
 */
function comparisons(runs: Runs, isCutShort: boolean): Claim[] {
  return COMPARISONS.flatMap(({ id, of, controls }) =>
    controls.flatMap((control) =>
      METRICS.map(({ name, key }, i) => {
        const [, overIrnPfc, overRocePfc] = printedValues(DEFAULT, control, i)
        const printed = 1 / (of === IRN_PFC ? overIrnPfc : overRocePfc)
        const isAlike = id === 'irn.fig5.range'
        return bracket(
          id,
          ratioReadings(runs, defaultCell(control), of, IRN, key),
          isAlike ? near(printed, 0.03) : nearShare(printed, 0.25),
          {
            check: `${controlName(control)}, ${name}`,
            paper: `${humanNumber(printed)} x`,
            paperValues: [printed],
            unit: ' x',
            cutShort: isCutShort ? (isAlike ? null : ABOVE_ONE) : undefined,
          },
        )
      }),
    ),
  )
}

function defaultValues(runs: Runs, isCutShort: boolean): Claim[] {
  const names = ['avg_slowdown', 'avg_fct_s', 'p99_fct_s']
  return CONTROLS.flatMap((control) =>
    METRICS.map(({ key, scale, unit }, i) => {
      const cell = defaultCell(control)
      const own = claim(
        `irn.default.${printedControl(control)}.${names[i]}`,
        runs.mean(key, irnIn(cell), scale),
        nearShare(printedValues(DEFAULT, control, i)[0], 0.5),
        { unit, cutShort: isCutShort ? null : undefined },
      )
      return isCutShort ? own : inferred(cell, own)
    }),
  )
}

/** Claims that a side with PFC is worse than IRN, and that PFC costs IRN more with AIMD than without control. */
function orders(runs: Runs, isCutShort: boolean): Claim[] {
  const sign = { paperValues: [], unit: ' x', band: ABOVE_ONE, cutShort: isCutShort ? ABOVE_ONE : undefined }
  const worse = (
    id: string,
    side: Side,
    controls: readonly Control[],
    values: readonly { name: string; key: string }[],
  ) =>
    controls.flatMap((control) =>
      values.map(({ name, key }) => {
        const readings = ratioReadings(runs, defaultCell(control), side, IRN, key)
        return bracketClaim({ id, check: `${controlName(control)}, ${name}`, readings, ...sign })
      }),
    )
  const costlier = METRICS.map(({ name, key }) => {
    const readings = readingsOf(runs, defaultCell('aimd'), [IRN_PFC, IRN], (armOf) => {
      const cost = (control: Control) => runs.ratios(key, armOf(IRN_PFC, { control }), armOf(IRN, { control }))
      return eachSeed([cost('aimd'), cost('none')], (aimd, none) => aimd / none)
    })
    return bracketClaim({ id: 'irn.444.aimd-stronger', check: name, readings, ...sign })
  })
  const tails = TAILS.map((share) => ({ name: `${humanNumber(share * 100)} %`, key: tailKey(share) }))
  return [
    ...worse('irn.fig2.not-required', IRN_PFC, ['none'], METRICS),
    ...worse('irn.fig8.tail-single-packet', ROCE_PFC, CONTROLS, tails),
    ...worse('irn.444.window-cc', IRN_PFC, WINDOWS, METRICS),
    ...costlier,
  ]
}

/** Figures 7, 10 and 12: pairs without PFC of which the first is worse. */
function ordersWithoutPfc(runs: Runs, isCutShort: boolean): Claim[] {
  const worse = (id: string, check: string, first: Arm, second: Arm, key: string): Claim =>
    claim(id, runs.ratios(key, first, second), ABOVE_ONE, {
      check,
      unit: ' x',
      cutShort: isCutShort ? ABOVE_ONE : undefined,
    })
  const parts: readonly (readonly [id: string, worse: Transport, better: Transport])[] = [
    ['irn.fig7.gbn-worse', 'irn-with-go-back-n', 'irn'],
    ['irn.fig7.no-bdpfc-worse', 'irn-without-bdp-fc', 'irn'],
    ['irn.fig7.gbn-worse-than-no-bdpfc', 'irn-with-go-back-n', 'irn-without-bdp-fc'],
  ]
  const resilient = [arm('roce', 'no-pfc', 'dcqcn'), arm('irn', 'no-pfc', 'none')] as const
  const headers = [
    arm('irn-with-longer-headers', 'no-pfc', 'none'),
    arm('irn-with-fetch-delay', 'no-pfc', 'none'),
  ] as const
  return [
    ...METRICS.map(({ name, key }) => worse('irn.fig10.resilient', name, ...resilient, key)),
    ...METRICS.map(({ name, key }) => worse('irn.fig12.fetch-delay-small', name, ...headers, key)),
    ...parts.flatMap(([id, first, second]) =>
      CONTROLS.map((control) => {
        const [over, under] = [arm(first, 'no-pfc', control), arm(second, 'no-pfc', control)]
        return worse(id, controlName(control), over, under, 'meanFctPs')
      }),
    ),
  ]
}
