import { expect, test } from 'vitest'
import { ALL_EXPOSED, modelPercent, TAIL_EXPOSED } from './lossy-gbn.ts'

test.each([
  [1e-4, 100, 97],
  [1e-3, 100, 47],
  [2e-3, 100, 20],
  [1e-2, 100, 1.1],
  [1e-2, 10, 9.5],
])('with every packet exposed, a loss of %d and a timeout of %d ms leave %d percent', (loss, timeoutMs, expected) => {
  // Half a unit of the last digit given, and a little for 46.47 that is called 47.
  const most = Number.isInteger(expected) ? 0.7 : 0.06
  expect(Math.abs(modelPercent(loss, timeoutMs, ALL_EXPOSED) - expected)).toBeLessThan(most)
})

test('with the last NAK interval exposed, what comes earlier costs a NAK interval in place of a timeout', () => {
  const lostMs = (exposedPackets: number): number => 0.906 * (100 / modelPercent(1e-3, 100, exposedPackets) - 1)
  expect(lostMs(ALL_EXPOSED) - lostMs(TAIL_EXPOSED)).toBeCloseTo(2 * (4096 - 2260) * 1e-6 * (100 - 0.5), 12)
})

test('nothing is lost without a loss', () => {
  expect(modelPercent(0, 100, ALL_EXPOSED)).toBe(100)
})
