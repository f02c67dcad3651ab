/**
 * Means over the seeds of a condition, with Student's 95 % interval.
 */
import { type Interval, interval95, standardDeviation, studentT95, sum } from '../../results/index.ts'
import type { Measures, Outcome } from './plan.ts'

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

/** A ratio as the percentage by which the first is larger than the second. */
export function percentLarger({ mean, low, high, count }: Interval): Interval {
  return { mean: 100 * (mean - 1), low: 100 * (low - 1), high: 100 * (high - 1), count }
}

/** A ratio as the percentage by which the first is smaller than the second. */
export function percentSmaller({ mean, low, high, count }: Interval): Interval {
  return { mean: 100 * (1 - mean), low: 100 * (1 - high), high: 100 * (1 - low), count }
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

/** Smallest and largest of a value over all runs of a condition. */
export function rangeOver(
  outcomes: readonly Outcome[],
  condition: string,
  valueOf: (measures: Measures) => number,
): { readonly least: number; readonly most: number } {
  const values = outcomes
    .filter((outcome) => outcome.condition === condition)
    .map((outcome) => valueOf(outcome.measures))
  return { least: Math.min(...values), most: Math.max(...values) }
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

/**
 * The interval of a function of sums over runs: a share of totals, a ratio of means, or a difference of these.
 * The mean is the function of the sums of all runs. The ends are Student's interval from the jackknife (values with one
 * run left out), since a mean of ratios would overrate rare events of single runs.
 * @param rows one row per run, all of the same width.
 */
export function ofSums(rows: readonly (readonly number[])[], valueOf: (sums: readonly number[]) => number): Interval {
  const count = rows.length
  const sums = (rows[0] ?? []).map((_, column) => sum(rows.map((row) => row[column]!)))
  const mean = valueOf(sums)
  if (count < 2) return { count, mean, low: NaN, high: NaN }
  const without = rows.map((row) => valueOf(sums.map((total, column) => total - row[column]!)))
  const half = studentT95(count - 1) * standardDeviation(without) * ((count - 1) / Math.sqrt(count))
  return { count, mean, low: mean - half, high: mean + half }
}
