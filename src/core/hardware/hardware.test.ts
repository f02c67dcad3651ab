/** Values of hardware have sources, and the laws made of them give what was measured. */
import { expect, test } from 'vitest'
import { adaptiveRetry, floorlessRetryMs, ibtaRetryMs, nics, pcieBps, withoutSource } from './index.ts'

test('every value of a profile has a source; one without is found', () => {
  expect(nics.length).toBeGreaterThan(5)
  expect(nics.flatMap((nic) => withoutSource(nic).map((name) => `${nic.name}: ${name}`))).toEqual([])
  expect(withoutSource({ name: 'x', rateBps: { value: 1e9, status: 'vendor', source: '' } })).toEqual(['rateBps'])
  expect(withoutSource({ name: 'x', rateBps: 1e9 })).toEqual(['rateBps'])
})

/** Timeout, retries, milliseconds. Source: unionxic/rdma-fault-characterization, harness/ack_timeout, ConnectX-6. */
const WITH_FLOOR = [
  [14, 7, 3661.8],
  [16, 7, 3661.8],
  [17, 7, 7151.7],
  [18, 7, 14667.8],
  [19, 7, 29700.8],
  [20, 7, 59766.3],
  [14, 1, 440.6],
  [14, 2, 977.6],
  [14, 3, 1514.3],
  [14, 4, 2051.4],
  [14, 5, 2588.2],
  [14, 6, 3124.8],
  [10, 7, 3660.96],
  [12, 7, 3661.02],
  [15, 1, 439.72],
  [15, 3, 1513.52],
  [15, 5, 2587.13],
  [15, 7, 3660.74],
  [17, 1, 976.75],
  [17, 2, 1781.81],
  [17, 3, 2855.57],
  [17, 5, 5003.27],
] as const

test.each(WITH_FLOOR)('timeout %i, retries %i: an error after %f ms, within 0.5 %', (timeout, retries, ms) => {
  expect(Math.abs(adaptiveRetry(timeout, retries).ms / ms - 1)).toBeLessThan(0.005)
})

test('transmissions are the adaptive ones and the retries behind them', () => {
  expect([1, 2, 7].map((retries) => adaptiveRetry(14, retries).transmissions)).toEqual([7, 8, 13])
})

/** The same with min_ack_timeout_limit_disabled 1. */
const WITHOUT_FLOOR = [
  [8, 0, 2.24],
  [8, 1, 3.11],
  [8, 2, 4.57],
  [8, 3, 5.43],
  [8, 5, 7.33],
  [8, 7, 9.49],
  [10, 0, 8.38],
  [10, 3, 20.97],
  [10, 7, 37.91],
  [12, 0, 29.56],
  [12, 3, 79.94],
  [12, 7, 147.04],
  [14, 0, 105.07],
  [14, 3, 306.29],
  [14, 7, 574.9],
  [16, 7, 2319.72],
  [17, 7, 4735.57],
  [18, 7, 9219.88],
  [20, 7, 37939.02],
] as const

test.each(WITHOUT_FLOOR)('without the floor, timeout %i, retries %i: %f ms is in the band of the first', (t, r, ms) => {
  const [least, most] = floorlessRetryMs(t, r)
  expect(ms).toBeGreaterThanOrEqual(least * 0.998)
  expect(ms).toBeLessThanOrEqual(most * 1.002)
})

test('by IBTA timeout 14 with seven retries is half a second', () => {
  expect(ibtaRetryMs(14, 7)).toBeCloseTo(536.9, 1)
})

test('Gen5 x4 carries 111.86 Gb/s, by which its share is fitted; Gen5 x16 is within 3 % of 440; Gen6 has no form', () => {
  expect(pcieBps(5, 4, 256)! / 1e9).toBeCloseTo(111.86, 1)
  expect(Math.abs(pcieBps(5, 16, 256)! / 440e9 - 1)).toBeLessThan(0.03)
  expect(pcieBps(6, 16, 256)).toBeUndefined()
})
