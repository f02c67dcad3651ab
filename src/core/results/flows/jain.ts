/**
 * Jain's index: how equal n values are, (sum x)^2 / (n sum x^2), from 1/n to 1; NaN without values, or where all are 0.
 * Source: R. Jain, D. Chiu, W. Hawe, DEC-TR-301 (1984).
 */
export function jainOf(count: number, sum: number, squareSum: number): number {
  return squareSum > 0 ? sum ** 2 / (count * squareSum) : NaN
}
