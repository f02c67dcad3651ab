import { describe, expect, test } from 'vitest'
import { InputError } from '../../base/issue.ts'
import { MS, SECOND, US } from '../../base/params.ts'
import { createRandomStreams } from '../../base/random.ts'
import { createHostDelay, type HostDelayValue } from './index.ts'
import { normalQuantile } from './lognormal.ts'

const DRAWS = 100_000

/** Sorted times of many packets, microseconds. */
function timesUs(value: HostDelayValue): Float64Array {
  const delay = createHostDelay(value, 'qp.hostDelay')!
  const random = createRandomStreams(3).stream('stack/0')
  return Float64Array.from({ length: DRAWS }, () => delay.drawPs(random) / US).sort()
}
const at = (sorted: Float64Array, share: number): number => sorted[Math.floor(share * sorted.length)]!

describe('the normal quantile', () => {
  test.each([
    [0.5, 0],
    [0.8413447460685429, 1],
    [0.975, 1.959963984540054],
    [0.99, 2.3263478740408408],
    [0.999, 3.090232306167813],
    [0.9999683287581669, 4],
    [1e-10, -6.361340902404056],
    [1e-20, -9.262340089798409],
  ])('of %d is %d', (share, z) => {
    expect(normalQuantile(share)).toBeCloseTo(z, 12)
  })
  test('is odd around one half', () => {
    expect(normalQuantile(1 - 0.25)).toBe(-normalQuantile(0.25))
  })
})

test('lognormal times have the median and the 99th percentile that are given, on top of the least time', () => {
  const times = timesUs({ kind: 'lognormal', least: 2 * US, median: 8 * US, p99: 50 * US, most: SECOND })
  expect(at(times, 0)).toBeGreaterThan(2)
  expect(at(times, 0.5) - 2).toBeCloseTo(8, 0)
  expect((at(times, 0.99) - 2) / 50).toBeCloseTo(1, 1)
  // One sigma above the median, from the two percentiles.
  expect((at(times, 0.8413) - 2) / (8 * (50 / 8) ** (1 / 2.3263))).toBeCloseTo(1, 1)
})

test('lognormal times are cut to the longest', () => {
  const times = timesUs({ kind: 'lognormal', least: 0, median: 8 * US, p99: 50 * US, most: 40 * US })
  expect(at(times, 0.9999)).toBe(40)
  expect(at(times, 0.5)).toBeCloseTo(8, 0)
})

test('times by points of a distribution have its percentiles, with straight lines between them', () => {
  const times = timesUs({ kind: 'quantiles', points: ['0 1us', '50 5us', '99 25us', '99.9 1ms', '100 20ms'] })
  expect(at(times, 0)).toBeGreaterThanOrEqual(1)
  expect(at(times, 0.25)).toBeCloseTo(3, 1)
  expect(at(times, 0.5)).toBeCloseTo(5, 1)
  expect(at(times, 0.745)).toBeCloseTo(15, 0)
  expect(at(times, 0.995) / (25 + (975 * 5) / 9)).toBeCloseTo(1, 1)
  expect(times.at(-1)!).toBeGreaterThan(5000)
  expect(times.at(-1)!).toBeLessThanOrEqual((20 * MS) / US)
})

test('exponential without a mean is a constant, none is no delay', () => {
  expect(new Set(timesUs({ kind: 'exponential', least: 3 * US, mean: 0 }))).toEqual(new Set([3]))
  expect(createHostDelay({ kind: 'none' }, '')).toBeNull()
  expect(createHostDelay({ kind: 'exponential', least: 0, mean: 0 }, '')).toBeNull()
})

test('percentiles that contradict each other are mistakes, each with its place', () => {
  const issuesOf = (value: HostDelayValue): string[] => {
    try {
      createHostDelay(value, 'qp.hostDelay')
    } catch (error) {
      if (error instanceof InputError) return error.issues.map(({ path, expected }) => `${path}: ${expected}`)
    }
    return []
  }
  expect(issuesOf({ kind: 'lognormal', least: 0, median: 8 * US, p99: 7 * US, most: SECOND })).toEqual([
    'qp.hostDelay.p99: at least median, 8us',
  ])
  expect(issuesOf({ kind: 'quantiles', points: ['1 5us', '50 5', '50 4us', '60 8us', '60 7us'] })).toEqual([
    'qp.hostDelay.points.1: "PERCENT TIME" with percent 0 to 100 and a time up to 1s',
    'qp.hostDelay.points.4: percent above 60 of the point before',
    'qp.hostDelay.points.4: a time of at least 8us of the point before',
    'qp.hostDelay.points.0: 0 percent at the first point',
    'qp.hostDelay.points.4: 100 percent at the last point',
  ])
})
