/**
 * Means, quantiles and confidence intervals, the same to the last bit on every engine.
 * NaN means "not there" and is left out everywhere; of no values at all every answer is NaN.
 * Quantile: linear interpolation between the order statistics around position p * (n - 1) (type 7 of Hyndman and
 * Fan 1996; what NumPy and R give unasked), exact over all values, no sketch.
 */
import { assert } from '../base/assert.ts'
import { exactCount } from '../base/format.ts'

/** The values without NaN, ascending. */
export function sortedValues(values: Iterable<number>): Float64Array {
  // Typed arrays are copied as they are; Float64Array.from() would ask them for one value after the other.
  const sorted = (values instanceof Float64Array ? values.slice() : Float64Array.from(values)).sort()
  let count = sorted.length
  while (count > 0 && Number.isNaN(sorted[count - 1])) count--
  return sorted.subarray(0, count)
}

/** The values of the rows for which `keep(row)` is true; not more room than they take, unlike filter(), which lists them first. */
export function valuesWhere(values: Float64Array, keep: (row: number) => boolean): Float64Array {
  let count = 0
  for (let row = 0; row < values.length; row++) if (keep(row)) count++
  const kept = new Float64Array(count)
  for (let row = 0, next = 0; next < count; row++) if (keep(row)) kept[next++] = values[row]!
  return kept
}

/** Quantile of values that are sorted and free of NaN (they may be infinite); `share` 0 .. 1 (0.99 is the 99th percentile). */
export function quantileOfSorted(sorted: Float64Array, share: number): number {
  assert(share >= 0 && share <= 1, 'quantile: share outside 0..1')
  if (sorted.length === 0) return NaN
  const position = share * (sorted.length - 1)
  const below = Math.floor(position)
  const low = sorted[below] as number
  const high = sorted[Math.min(below + 1, sorted.length - 1)] as number
  // At a value nothing is interpolated: the one above may be infinite.
  return low === high || position === below ? low : low + (high - low) * (position - below)
}

/** A share such as 0.99 is a little off the number that it stands for. */
const ROUNDING = 1e-9

/**
 * Whether that number of values has the quantile: above the median at least one of them has to lie beyond it, so that the 99th
 * percentile is of 100 values or more. Of fewer it is the largest one by another name.
 */
export function hasQuantile(count: number, share: number): boolean {
  return count > 0 && (share <= 0.5 || count * (1 - share) >= 1 - ROUNDING)
}

/** Whether that number of flows has a 99th percentile; else the slowest one stands in its place. */
export const hasTail = (count: number): boolean => hasQuantile(count, 0.99)

/** "p99 of 1,204 flows", "slowest of 19 flows". */
export const tailText = (count: number): string =>
  `${hasTail(count) ? 'p99' : 'slowest'} of ${exactCount(count)} ${count === 1 ? 'flow' : 'flows'}`

/** Quantile of sorted values, NaN where there are too few values to know it (hasQuantile). */
export function knownQuantile(sorted: Float64Array, share: number): number {
  return hasQuantile(sorted.length, share) ? quantileOfSorted(sorted, share) : NaN
}

/** The 99th percentile where it is known, else the slowest. */
export function tailOf(p99: number, slowest: number): number {
  return Number.isNaN(p99) ? slowest : p99
}

/** Quantile of any values; sorts a copy. */
export function quantile(values: Iterable<number>, share: number): number {
  return quantileOfSorted(sortedValues(values), share)
}

/** Sum with Neumaier's compensation, so that it does not depend on the size of the run. */
export function sum(values: Iterable<number>): number {
  let total = 0
  let lost = 0
  for (const value of values) {
    if (Number.isNaN(value)) continue
    const next = total + value
    lost += Math.abs(total) >= Math.abs(value) ? total - next + value : value - next + total
    total = next
  }
  return Number.isFinite(total) ? total + lost : total
}

/** Arithmetic mean. */
export function mean(values: Iterable<number>): number {
  const all = values instanceof Float64Array ? values : Float64Array.from(values)
  let count = 0
  for (const value of all) if (!Number.isNaN(value)) count++
  return count === 0 ? NaN : sum(all) / count
}

/** Standard deviation of a sample (divided by n - 1); NaN of fewer than two values. */
export function standardDeviation(values: Iterable<number>): number {
  const all = present(values)
  return all.length < 2 ? NaN : deviationFrom(sum(all) / all.length, all)
}

function deviationFrom(middle: number, all: Float64Array): number {
  return Math.sqrt(sum(all.map((value) => (value - middle) * (value - middle))) / (all.length - 1))
}

/** A mean over seeds and where the true mean lies with 95 % confidence. */
export interface Interval {
  readonly count: number
  readonly mean: number
  /** NaN when `count` is below 2: one run says nothing about the spread. */
  readonly low: number
  readonly high: number
}

/** Student's 95 % interval of the mean of independent values (one per seed). */
export function interval95(values: Iterable<number>): Interval {
  const all = present(values)
  const middle = all.length === 0 ? NaN : sum(all) / all.length
  if (all.length < 2) return { count: all.length, mean: middle, low: NaN, high: NaN }
  const half = (studentT95(all.length - 1) * deviationFrom(middle, all)) / Math.sqrt(all.length)
  return { count: all.length, mean: middle, low: middle - half, high: middle + half }
}

/** The 0.975 quantile of Student's t for 1 .. 20 degrees of freedom, to 1e-9. */
const T_975 = [
  12.706204736, 4.30265273, 3.182446305, 2.776445105, 2.570581836, 2.446911851, 2.364624252, 2.306004135, 2.262157163,
  2.228138852, 2.20098516, 2.17881283, 2.160368656, 2.144786688, 2.131449546, 2.119905299, 2.109815578, 2.10092204,
  2.093024054, 2.085963447,
]
/** The 0.975 quantile of the normal distribution. */
const Z_975 = 1.959963984540054

/**
 * Two-sided 95 % quantile of Student's t; `degrees` of freedom 1, 2, ...
 * Table up to 20, then the expansion of Abramowitz and Stegun 26.7.5, whose error is below 2e-7 from there on.
 */
export function studentT95(degrees: number): number {
  assert(Number.isInteger(degrees) && degrees >= 1, 'student t: degrees of freedom are 1, 2, ...')
  const listed = T_975[degrees - 1]
  if (listed !== undefined) return listed
  const z = Z_975
  const z2 = z * z
  const g1 = (z * (z2 + 1)) / 4
  const g2 = (z * ((5 * z2 + 16) * z2 + 3)) / 96
  const g3 = (z * (((3 * z2 + 19) * z2 + 17) * z2 - 15)) / 384
  const g4 = (z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945)) / 92160
  return z + (g1 + (g2 + (g3 + g4 / degrees) / degrees) / degrees) / degrees
}

/** A copy without NaN. */
function present(values: Iterable<number>): Float64Array {
  const all = values instanceof Float64Array ? values.slice() : Float64Array.from(values)
  let count = 0
  for (let i = 0; i < all.length; i++) {
    const value = all[i]!
    if (!Number.isNaN(value)) all[count++] = value
  }
  return all.subarray(0, count)
}
