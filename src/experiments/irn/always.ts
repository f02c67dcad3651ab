/**
 * Claims that the IRN paper makes about all sixteen settings of its Tables 3 to 9, judged in the settings that were run:
 * IRN is always better than RoCE with PFC; without congestion control PFC always makes IRN worse; with congestion control
 * there are bounds on how much PFC helps or harms IRN. Each setting has one row for the three metrics together.
 * Source: [IRN] abstract and section 4.4.1.
 */
import { interval95 } from '../../results/index.ts'
import type { Outcome } from '../core/old/plan.ts'
import { ABOVE_ZERO, type Band, bracketClaim, type Claim, type Reading } from '../core/findings.ts'
import { CONTROL_NAMES, METRICS } from './arms.ts'
import { type CellAt, ratioReadings } from './cells.ts'
import { IRN_PFC, ROCE_PFC, type Side } from './readings.ts'

/** The paper's largest improvement and degradation of IRN by PFC, percent. */
const MOST_HELP = { timely: 1.6, dcqcn: 5 } as const
const HELP_POINTS = 3
const MOST_HARM = { timely: 39, dcqcn: 20 } as const
const HARM_POINTS = 15

export function alwaysClaims(outcomes: readonly Outcome[], cell: CellAt): Claim[] {
  const { control } = cell.at
  const where = `[${cell.printed}, ${CONTROL_NAMES[control]}]`
  /** A percentage of IRN over the other side; `pick` chooses among the three metrics, seed by seed. */
  const worst = (to: Side, percentOf: (ratio: number) => number, pick: (...values: number[]) => number): Reading[] => {
    const byMetric = METRICS.map(({ key }) => ratioReadings(outcomes, cell, to, key))
    return byMetric[0]!.map(({ name, values = [] }, i) => {
      const picked = values.map((_, seed) =>
        pick(...byMetric.map((readings) => percentOf(readings[i]!.values![seed]!))),
      )
      return { name, measured: interval95(picked), values: picked }
    })
  }
  const claim = (id: string, statement: string, paper: string, readings: Reading[], band: Band, tolerance: string) =>
    bracketClaim({ id: `${id} ${where}`, statement, paper, readings, paperValues: [], unit: ' %', band, tolerance })
  const better = claim(
    'irn.441.a.always-better',
    'IRN is better than RoCE with PFC in all three metrics; the smallest difference of the three',
    '6 to 83 % over all settings',
    worst(ROCE_PFC, (ratio) => 100 * (1 - ratio), Math.min),
    ABOVE_ZERO,
    'the sign',
  )
  const harm = worst(IRN_PFC, (ratio) => 100 * (1 / ratio - 1), Math.max)
  if (control === 'none') {
    const degraded = claim(
      'irn.441.b.pfc-always-degrades-nocc',
      'PFC makes IRN worse in all three metrics; the smallest difference of the three',
      'up to 2.4 x over all settings',
      worst(IRN_PFC, (ratio) => 100 * (1 / ratio - 1), Math.min),
      { low: 0, high: Infinity },
      'the sign',
    )
    return [better, degraded]
  }
  const key = control === 'dcqcn' ? 'dcqcn' : 'timely'
  return [
    better,
    claim(
      'irn.441.c.improvement',
      'PFC makes IRN better; the largest difference of the three metrics',
      `at most ${MOST_HELP[key]} %`,
      worst(IRN_PFC, (ratio) => 100 * (ratio - 1), Math.max),
      { low: -Infinity, high: MOST_HELP[key] + HELP_POINTS },
      `${HELP_POINTS} percentage points`,
    ),
    claim(
      'irn.441.c.timely',
      'PFC makes IRN worse; the largest difference of the three metrics',
      `at most ${MOST_HARM[key]} %`,
      harm,
      { low: -Infinity, high: MOST_HARM[key] + HARM_POINTS },
      `${HARM_POINTS} percentage points`,
    ),
  ]
}
