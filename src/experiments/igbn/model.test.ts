import { describe, expect, test } from 'vitest'
import { ALL_EXPOSED, type LossyScheme, lostMs, modelThroughput, TAIL_EXPOSED, unevenChance } from './model.ts'

/** Percent of the lossless throughput. */
const percent = (scheme: LossyScheme, loss: number, timeoutMs = 100): number =>
  100 * modelThroughput({ scheme, loss, timeoutMs }, ALL_EXPOSED)

describe('with every packet exposed', () => {
  test.each([
    ['go-back-n', 1e-4, 100, 97],
    ['go-back-n', 1e-3, 100, 47],
    ['go-back-n', 2e-3, 100, 20],
    ['go-back-n', 1e-2, 100, 1.1],
    ['go-back-n', 1e-2, 10, 9.5],
    ['check-epsn', 1e-4, 100, 98],
    ['check-epsn', 1e-3, 100, 80],
    ['check-epsn', 2e-3, 100, 66],
    ['check-epsn', 1e-2, 100, 25],
    ['check-epsn', 1e-2, 10, 51],
    ['improved-gbn', 1e-4, 100, 99.7],
    ['improved-gbn', 1e-3, 100, 97],
    ['improved-gbn', 2e-3, 100, 93],
    ['improved-gbn', 1e-2, 100, 57],
    ['improved-gbn', 1e-2, 10, 58],
  ] as const)('%s at a loss of %d and a timeout of %d ms leaves %d percent', (scheme, loss, timeoutMs, expected) => {
    // Half a unit of the last digit given, and a little for 46.47 that is called 47.
    expect(Math.abs(percent(scheme, loss, timeoutMs) - expected)).toBeLessThan(Number.isInteger(expected) ? 0.7 : 0.06)
  })

  test('timeouts of go-back-N are 2 n p^2 + 2 p a message', () => {
    const [short, long] = [10, 110].map((timeoutMs) =>
      lostMs({ scheme: 'go-back-n', loss: 1e-3, timeoutMs }, ALL_EXPOSED),
    ) as [number, number]
    expect((long - short) / 100).toBeCloseTo(2 * 4096 * 1e-6 + 2e-3, 12)
  })
})

test('with the last NAK interval exposed, what comes earlier costs a NAK interval in place of a timeout', () => {
  const point = { scheme: 'go-back-n', loss: 1e-3, timeoutMs: 100 } as const
  const saved = lostMs(point, ALL_EXPOSED) - lostMs(point, TAIL_EXPOSED)
  expect(saved).toBeCloseTo(2 * (4096 - 2260) * 1e-6 * (100 - 0.5), 12)
  // Check EPSN does not depend on it.
  const checked = { ...point, scheme: 'check-epsn' } as const
  expect(lostMs(checked, TAIL_EXPOSED)).toBe(lostMs(checked, ALL_EXPOSED))
})

test('nothing is lost without a loss, and Improved Go-Back-N loses least', () => {
  const schemes = ['go-back-n', 'send-twice', 'check-epsn', 'improved-gbn'] as const
  expect(schemes.map((scheme) => percent(scheme, 0))).toEqual([100, 100, 100, 100])
  const order = schemes.map((scheme) => percent(scheme, 5e-3))
  expect(order.toSorted((a, b) => a - b)).toEqual(order)
})

test('an uneven split of two equal reasons is as likely as in a table of binomials', () => {
  expect(unevenChance(4, 1)).toBe(12 / 32)
  expect(unevenChance(3, 3)).toBe(1)
  expect(unevenChance(32, 19)).toBeCloseTo(0.0919, 4)
})
