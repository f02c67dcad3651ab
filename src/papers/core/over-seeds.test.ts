import { expect, test } from 'vitest'
import { createRandomStreams } from '../../core/base/random.ts'
import { interval95 } from '../../core/results/index.ts'
import { ofSums } from './over-seeds.ts'

test('the jackknife of a mean gives its usual interval', () => {
  const values = [3, 1, 4, 1, 5, 9, 2, 6]
  const found = ofSums(
    values.map((value) => [value, 1]),
    ([total, count]) => total! / count!,
  )
  const expected = interval95(values)
  expect(found.count).toBe(8)
  for (const end of ['mean', 'low', 'high'] as const) expect(found[end]).toBeCloseTo(expected[end], 12)
})

test('one run has no interval, and no run has no value', () => {
  expect(ofSums([[1, 2]], ([a, b]) => a! / b!)).toEqual({ count: 1, mean: 0.5, low: NaN, high: NaN })
  expect(ofSums([], () => NaN)).toEqual({ count: 0, mean: NaN, low: NaN, high: NaN })
})

test('for a rate that rare events lower, at least nine in ten intervals contain the true value', () => {
  const random = createRandomStreams(1).stream('rare')
  // A run of time 10, and 90 more with one chance in ten: 19 in the mean.
  const run = (): number[] => [10, random.uniform() < 0.1 ? 100 : 10]
  let held = 0
  for (let i = 0; i < 300; i++) {
    const { low, high } = ofSums(Array.from({ length: 100 }, run), ([alone, took]) => alone! / took!)
    if (low <= 10 / 19 && high >= 10 / 19) held++
  }
  expect(held / 300).toBeGreaterThan(0.9)
  expect(held / 300).toBeLessThan(0.99)
})
