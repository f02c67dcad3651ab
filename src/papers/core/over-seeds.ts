/**
 * Intervals over seeds that are not means: ratios as percentages, functions of sums.
 */
import { type Interval, standardDeviation, studentT95, sum } from '../../core/results/index.ts'

/** A ratio as the percentage by which the first is larger than the second. */
export function percentLarger({ mean, low, high, count }: Interval): Interval {
  return { mean: 100 * (mean - 1), low: 100 * (low - 1), high: 100 * (high - 1), count }
}

/** A ratio as the percentage by which the first is smaller than the second. */
export function percentSmaller({ mean, low, high, count }: Interval): Interval {
  return { mean: 100 * (1 - mean), low: 100 * (1 - high), high: 100 * (1 - low), count }
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
