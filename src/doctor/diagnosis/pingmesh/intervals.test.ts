/** Intervals against slow and obvious versions. */
import { describe, expect, test } from 'vitest'
import { quantileInterval, quantileRanks, wilson } from './intervals.ts'

/** Binomial probabilities term by term, with exact binomial coefficients. */
function termsOf(count: number, percent: number): number[] {
  let choose = 1n
  return Array.from({ length: count + 1 }, (_, hits) => {
    const top = choose * BigInt(percent) ** BigInt(hits) * BigInt(100 - percent) ** BigInt(count - hits)
    choose = (choose * BigInt(count - hits)) / BigInt(hits + 1)
    return Number((top * 10n ** 18n) / 100n ** BigInt(count)) / 1e18
  })
}
const sumOf = (terms: readonly number[]): number => terms.reduce((sum, term) => sum + term, 0)

describe('ranks of a quantile', () => {
  test.each([1, 2, 5, 19, 20, 100, 400, 700])('%d samples', (count) => {
    for (const percent of [50, 90, 99]) {
      const terms = termsOf(count, percent)
      const { low, high } = quantileRanks(count, percent / 100)
      // The sample of rank `low` is above the quantile if fewer than `low` samples are below it.
      expect(sumOf(terms.slice(0, low))).toBeLessThanOrEqual(0.025)
      expect(sumOf(terms.slice(0, low + 1))).toBeGreaterThan(0.025)
      expect(sumOf(terms.slice(high))).toBeLessThanOrEqual(0.025)
      expect(sumOf(terms.slice(high - 1))).toBeGreaterThan(0.025)
    }
  })

  test('known: the median of 100 lies between the samples of rank 40 and 61', () => {
    expect(quantileRanks(100, 0.5)).toEqual({ low: 40, high: 61 })
  })

  test('a percentile that no sample bounds has no upper end', () => {
    const sorted = Float64Array.from({ length: 100 }, (_, i) => i)
    expect(quantileInterval(sorted, 0.99).high).toBe(Infinity)
    expect(quantileInterval(sorted, 0.5)).toEqual({ low: 39, high: 60 })
    expect(quantileInterval([], 0.5)).toEqual({ low: -Infinity, high: Infinity })
  })

  test('many samples', () => {
    const { low, high } = quantileRanks(1_000_000, 0.999)
    // Normal approximation: 999,000 -+ 1.96 * sqrt(999) = 62.
    expect(Math.abs(low - 998_938)).toBeLessThan(5)
    expect(Math.abs(high - 999_062)).toBeLessThan(5)
  })
})

describe('Wilson', () => {
  test.each([
    [0, 10, 0, 0.2775],
    [1, 10, 0.0179, 0.4042],
    [50, 100, 0.4038, 0.5962],
    [10, 10, 0.7225, 1],
  ])('%d of %d', (hits, count, low, high) => {
    const interval = wilson(hits, count)
    expect(interval.low).toBeCloseTo(low, 4)
    expect(interval.high).toBeCloseTo(high, 4)
  })

  test('both ends solve its equation', () => {
    for (const [hits, count] of [
      [3, 70],
      [1, 9],
      [400, 401],
    ] as const) {
      const { low, high } = wilson(hits, count)
      for (const end of [low, high])
        expect(Math.abs(hits / count - end)).toBeCloseTo(1.959963984540054 * Math.sqrt((end * (1 - end)) / count), 12)
    }
  })

  test('of nothing it says nothing', () => {
    expect(wilson(0, 0)).toEqual({ low: 0, high: 1 })
    expect(wilson(0, 800).low).toBe(0)
  })
})
