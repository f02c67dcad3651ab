import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import {
  hasQuantile,
  interval95,
  mean,
  quantile,
  sortedValues,
  standardDeviation,
  studentT95,
  sum,
} from './quantiles.ts'

test('quantiles interpolate linearly between order statistics, as NumPy does', () => {
  const values = [15, 20, 35, 40, 50]
  expect(quantile(values, 0)).toBe(15)
  expect(quantile(values, 0.4)).toBeCloseTo(29, 12)
  expect(quantile(values, 0.5)).toBe(35)
  expect(quantile(values, 0.99)).toBeCloseTo(49.6, 12)
  expect(quantile(values, 1)).toBe(50)
  expect(quantile([7], 0.99)).toBe(7)
})

test.each([
  [0.99, 100],
  [0.999, 1000],
  [0.95, 20],
  [0.5, 1],
])('the quantile at %d is of %d values or more', (share, least) => {
  expect([least - 1, least, least + 1].map((count) => hasQuantile(count, share))).toEqual([false, true, true])
})

test('infinite values are above all others, and nothing is known between them and the last finite one', () => {
  const values = [1, 2, 3, Infinity, Infinity]
  expect([0, 0.5, 0.75, 1].map((share) => quantile(values, share))).toEqual([1, 3, Infinity, Infinity])
  expect(quantile(values, 0.6)).toBe(Infinity)
})

test('absent values count nowhere', () => {
  expect([...sortedValues([3, NaN, -1, NaN, 2])]).toEqual([-1, 2, 3])
  expect(quantile([NaN, 3, NaN], 0.5)).toBe(3)
  expect(mean([1, NaN, 3])).toBe(2)
  expect(quantile([], 0.5)).toBeNaN()
  expect(mean([NaN])).toBeNaN()
})

test('a quantile never decreases with its share and stays inside the values', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e15, max: 1e15 })
  const share = fc.double({ min: 0, max: 1, noNaN: true })
  fc.assert(
    fc.property(fc.array(finite, { minLength: 1 }), share, share, (values, p, q) => {
      const low = quantile(values, Math.min(p, q))
      const high = quantile(values, Math.max(p, q))
      expect(low).toBeLessThanOrEqual(high + 1e-9 * Math.abs(high))
      expect(low).toBeGreaterThanOrEqual(Math.min(...values))
      expect(high).toBeLessThanOrEqual(Math.max(...values))
    }),
  )
})

test('sums lose nothing to order', () => {
  expect(sum([1, 1e100, 1, -1e100])).toBe(2)
  expect(sum([Infinity, 1])).toBe(Infinity)
})

test('the deviation is that of a sample', () => {
  expect(standardDeviation([2, 4, 4, 4, 5, 5, 7, 9])).toBeCloseTo(2.138089935299395, 14)
  expect(standardDeviation([1])).toBeNaN()
})

/** The 0.975 quantile by bisection over Simpson's rule on the density, with x = sqrt(n) tan(angle). */
function studentByIntegration(degrees: number): number {
  let lnRatio = 0.5 * Math.log(degrees % 2 === 0 ? Math.PI : 1 / Math.PI)
  for (let k = degrees % 2 === 0 ? 0.5 : 1; k < (degrees + 1) / 2 - 1e-9; k++) lnRatio += Math.log(k)
  for (let k = degrees % 2 === 0 ? 1 : 0.5; k < degrees / 2 - 1e-9; k++) lnRatio -= Math.log(k)
  const scale = Math.exp(lnRatio - 0.5 * Math.log(Math.PI))
  const steps = 2000
  const below = (t: number): number => {
    const width = Math.atan(t / Math.sqrt(degrees)) / steps
    let area = 1 + Math.cos(width * steps) ** (degrees - 1)
    for (let i = 1; i < steps; i++) area += (i % 2 === 0 ? 2 : 4) * Math.cos(i * width) ** (degrees - 1)
    return 0.5 + (scale * area * width) / 3
  }
  let low = 1.9
  let high = 13
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (below(middle) < 0.975) low = middle
    else high = middle
  }
  return low
}

test("Student's quantile is right to 2e-7 for any number of seeds", () => {
  for (const degrees of [...Array.from({ length: 40 }, (_, i) => i + 1), 60, 120, 1000]) {
    expect(Math.abs(studentT95(degrees) - studentByIntegration(degrees)), `${degrees}`).toBeLessThan(2e-7)
  }
})

test('the interval over five seeds is that of the textbook', () => {
  const interval = interval95([1, 2, 3, 4, 5])
  expect(interval.mean).toBe(3)
  expect(interval.high - 3).toBeCloseTo(1.9632432, 6)
  expect(3 - interval.low).toBeCloseTo(1.9632432, 6)
  expect(interval95([4])).toEqual({ count: 1, mean: 4, low: NaN, high: NaN })
})
