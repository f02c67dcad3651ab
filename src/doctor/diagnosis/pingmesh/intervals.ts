/** Intervals: how far shares and quantiles of few samples may be off. All hold at 95 %. */

import { assert } from '../../../core/base/assert.ts'

/** Normal quantile of 0.975. */
const Z = 1.959963984540054
const TAIL = 0.025

export interface Interval {
  readonly low: number
  readonly high: number
}

/** Wilson's interval of a share; 0 to 1 of no samples. Source: Wilson 1927. */
export function wilson(hits: number, count: number): Interval {
  if (count === 0) return { low: 0, high: 1 }
  assert(hits >= 0 && hits <= count, 'pingmesh: more hits than trials')
  const share = hits / count
  const scale = 1 + (Z * Z) / count
  const middle = share + (Z * Z) / (2 * count)
  const reach = Z * Math.sqrt((share * (1 - share)) / count + (Z * Z) / (4 * count * count))
  // Exact at the ends, where rounding leaves a trace.
  return {
    low: hits === 0 ? 0 : (middle - reach) / scale,
    high: hits === count ? 1 : (middle + reach) / scale,
  }
}

/**
 * Ranks, from 1, of the two order statistics between which a quantile lies: the number of samples below it is binomial,
 * whatever their distribution. 0 or count + 1: no sample bounds it on that side.
 */
export function quantileRanks(count: number, share: number): { readonly low: number; readonly high: number } {
  const weights = binomial(count, share)
  let below = 0
  let low = 0
  // The largest rank whose sample is above the quantile in at most 2.5 % of cases.
  while (low < count && below + weights[low]! <= TAIL) below += weights[low++]!
  let above = 0
  let high = count + 1
  while (high > low + 1 && above + weights[high - 1]! <= TAIL) above += weights[--high]!
  assert(low < high, 'pingmesh: an interval is empty')
  return { low, high }
}

/** The interval of a quantile of sorted values; infinite where no sample bounds it. */
export function quantileInterval(sorted: ArrayLike<number>, share: number): Interval {
  const { low, high } = quantileRanks(sorted.length, share)
  return {
    low: low === 0 ? -Infinity : sorted[low - 1]!,
    high: high > sorted.length ? Infinity : sorted[high - 1]!,
  }
}

/** Probabilities of 0 to `count` hits. From the most likely number outwards, so that no factor overflows. */
function binomial(count: number, share: number): Float64Array {
  const weights = new Float64Array(count + 1)
  const odds = share / (1 - share)
  const middle = Math.min(count, Math.floor((count + 1) * share))
  weights[middle] = 1
  for (let k = middle; k > 0 && weights[k]! > 0; k--) weights[k - 1] = (weights[k]! * k) / ((count - k + 1) * odds)
  for (let k = middle; k < count && weights[k]! > 0; k++) weights[k + 1] = (weights[k]! * (count - k) * odds) / (k + 1)
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => weight / total)
}
