/**
 * Extremes of any number of values. Math.min(...values) passes each value as an argument, of which the stack holds some
 * 100,000.
 */

/** The least of the values; Infinity of none, NaN if one of them is NaN. */
export function leastOf(values: Iterable<number>): number {
  let least = Infinity
  for (const value of values) least = Math.min(least, value)
  return least
}

/** The greatest of the values; -Infinity of none, NaN if one of them is NaN. */
export function mostOf(values: Iterable<number>): number {
  let most = -Infinity
  for (const value of values) most = Math.max(most, value)
  return most
}
