/**
 * Claims of the IRN paper on losses, pauses, slowdown by flow size, and IRN's overheads in the default case.
 * Source: [IRN] 4.2, 6.3 (Figure 12), A.4.
 */
import {
  ABOVE_ONE,
  ABOVE_ZERO,
  BELOW_ONE,
  between,
  bracket,
  type Claim,
  claim,
  near,
  type Reading,
} from '../core/findings.ts'
import { percentLarger } from '../core/over-seeds.ts'
import type { Measures } from '../core/plan.ts'
import { type RangeCell, rangeClaims } from '../core/range-ends.ts'
import type { Runs } from '../core/runs.ts'
import { type Arm, arm, CONTROLS, METRICS, TENTHS, tenthKey } from './arms.ts'
import { controlName, type Control } from './default-case.ts'
import { defaultCell, eachSeed, IRN, IRN_PFC, readingsOf, ROCE_PFC, type Side } from './readings.ts'

const irn = (control: Control): Arm => arm('irn', 'no-pfc', control)
const lossPercent = (m: Measures): number => (100 * m['dataDrops']!) / m['dataPackets']!

/** Losses of IRN without PFC, and the effect of congestion control on losses and pauses. */
export function lossClaims(runs: Runs, isCutShort: boolean): Claim[] {
  const id = 'irn.cc-reduces-drops-and-pauses'
  const why = 'Over those without congestion control.'
  return [
    claim('irn.fig2.drop-rate-8.5', runs.mean(lossPercent, irn('none')), near(8.5, 3), {
      unit: ' %',
      cutShort: isCutShort ? null : undefined,
    }),
    ...CONTROLS.filter((control) => control !== 'none').flatMap((control) => [
      claim(id, runs.ratios(lossPercent, irn(control), irn('none')), BELOW_ONE, {
        check: `${controlName(control)}, losses`,
        unit: ' x',
        why,
        cutShort: isCutShort ? BELOW_ONE : undefined,
      }),
      bracket(
        id,
        readingsOf(runs, defaultCell(control), [ROCE_PFC], (armOf) =>
          runs.ratios('pauseFrames', armOf(ROCE_PFC), armOf(ROCE_PFC, { control: 'none' })),
        ),
        BELOW_ONE,
        {
          check: `${controlName(control)}, pauses`,
          paperValues: [],
          unit: ' x',
          why,
          cutShort: isCutShort ? BELOW_ONE : undefined,
        },
      ),
    ]),
  ]
}

/** The claim that flows of all sizes behave alike, judged in the decile by size where the difference is smallest. */
export function sizeClaims(runs: Runs, isCutShort: boolean): Claim[] {
  const cases = [
    ...CONTROLS.map((control) => ({ side: ROCE_PFC, control, name: 'RoCE' })),
    { side: IRN_PFC, control: 'none', name: 'IRN' } as const,
  ]
  return cases.map(({ side, control, name }) =>
    bracket(
      'irn.A4.no-size-deviation',
      readingsOf(runs, defaultCell(control), [side, IRN], (armOf) =>
        eachSeed(
          TENTHS.map((tenth) => runs.ratios(tenthKey(tenth), armOf(side), armOf(IRN))),
          Math.min,
        ),
      ),
      ABOVE_ONE,
      {
        check: `${name} with PFC over IRN, ${controlName(control)}`,
        paperValues: [],
        unit: ' x',
        why: 'The slowdown, in the decile of flows by size where this is smallest.',
        cutShort: isCutShort ? ABOVE_ONE : undefined,
      },
    ),
  )
}

/** Figure 12: the cost of IRN's overheads. */
export function overheadClaims(runs: Runs, isCutShort: boolean): Claim[] {
  const worst: Side = { transport: 'irn-with-overheads', hasPfc: false }
  const costOf = (control: Control, key: string): Reading[] => {
    const cost = runs.ratio(key, arm(worst.transport, 'no-pfc', control), irn(control))
    return [{ name: 'all without PFC', measured: percentLarger(cost) }]
  }
  const gainOf = (control: Control, key: string): Reading[] =>
    readingsOf(runs, defaultCell(control), [worst, ROCE_PFC], (armOf) =>
      runs.ratios(key, armOf(worst), armOf(ROCE_PFC)).map((over) => 100 * (1 - over)),
    )
  const cellsOf = (readingsAt: typeof costOf): RangeCell[] =>
    CONTROLS.flatMap((control) =>
      METRICS.map(({ name, key }) => ({
        check: `${controlName(control)}, ${name}`,
        readings: readingsAt(control, key),
        cutShort: isCutShort ? ABOVE_ZERO : undefined,
      })),
    )
  const [costs, gains] = [cellsOf(costOf), cellsOf(gainOf)]
  const unit = ' %'
  return [
    ...rangeClaims({ id: 'irn.fig12.overhead-4-7', low: 4, high: 7, band: between(1, 10), unit, cells: costs }),
    ...rangeClaims({ id: 'irn.fig12.still-35-63', low: 35, high: 63, band: between(25, 75), unit, cells: gains }),
  ]
}
