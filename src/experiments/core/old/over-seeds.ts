/**
 * Means over the seeds of a condition, with Student's 95 % interval.
 */
import { type Interval, interval95 } from '../../../results/index.ts'
import type { Measures, Outcome } from './plan.ts'

export { ofSums } from '../over-seeds.ts'

/** One value per run of a condition, in the order of the runs. */
export function valuesOf(
  outcomes: readonly Outcome[],
  condition: string,
  valueOf: (measures: Measures) => number,
): number[] {
  return outcomes.filter((outcome) => outcome.condition === condition).map((each) => valueOf(each.measures))
}

/** Mean and interval over the runs of a condition, one value per run. */
export function overSeeds(
  outcomes: readonly Outcome[],
  condition: string,
  valueOf: (measures: Measures) => number,
): Interval {
  return interval95(valuesOf(outcomes, condition, valueOf))
}

/** Mean and interval of the ratio of two conditions. Ratios are taken per seed, where both have the same arrivals. */
export function ratioOverSeeds(
  outcomes: readonly Outcome[],
  conditions: { readonly of: string; readonly to: string },
  valueOf: (measures: Measures) => number,
): Interval {
  return interval95(ratiosOf(outcomes, conditions, valueOf))
}

/** The ratio of two conditions for each seed, in the order of the runs. */
export function ratiosOf(
  outcomes: readonly Outcome[],
  conditions: { readonly of: string; readonly to: string },
  valueOf: (measures: Measures) => number,
): number[] {
  const below = new Map(
    outcomes.filter((outcome) => outcome.condition === conditions.to).map((outcome) => [outcome.seed, outcome]),
  )
  return outcomes
    .filter((outcome) => outcome.condition === conditions.of)
    .map(({ seed, measures }) => {
      const other = below.get(seed)
      return other === undefined ? NaN : valueOf(measures) / valueOf(other.measures)
    })
}

/** Sum of a value over all runs of a condition. */
export function sumOver(
  outcomes: readonly Outcome[],
  condition: string,
  valueOf: (measures: Measures) => number,
): number {
  return outcomes
    .filter((outcome) => outcome.condition === condition)
    .reduce((total, outcome) => total + valueOf(outcome.measures), 0)
}
