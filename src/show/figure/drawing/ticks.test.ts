import { expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { axisFor } from './ticks.ts'

const labels = (values: readonly number[], options: Parameters<typeof axisFor>[1] = {}): string[] => {
  const axis = axisFor(values, options)
  return axis.ticks.map(axis.labelOf)
}

test('a linear axis has round ends and as many decimals as its step', () => {
  expect(labels([1, 9.3], { fromZero: true })).toEqual(['0', '2', '4', '6', '8', '10'])
  expect(labels([0.1, 0.9])).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1.0'])
  expect(labels([0, 1_200_000])).toEqual(['0', '0.2M', '0.4M', '0.6M', '0.8M', '1.0M', '1.2M'])
  expect(labels([5, 5])).toContain('5')
  expect(labels([])).toEqual(['0', '0.2', '0.4', '0.6', '0.8', '1.0'])
})

test('values that differ in their last digits only have the axis of one value', () => {
  for (const [low, high] of [
    [1e15, 1e15 + 0.125],
    [-1e15 - 0.125, -1e15],
    [1, 1 + 2 ** -40],
  ] as const) {
    const { domain, ticks } = axisFor([low, high])
    expect(ticks.length).toBeLessThanOrEqual(20)
    const slack = 1e-9 * Math.abs(low)
    expect([domain[0] <= low + slack, domain[1] >= high - slack]).toEqual([true, true])
  }
})

test('a log axis has decades, or 1, 2, 5 when they are few', () => {
  expect(labels([3, 200_000], { kind: 'log' })).toEqual(['10', '100', '1000', '10k', '100k'])
  expect(labels([3, 40], { kind: 'log' })).toEqual(['2', '5', '10', '20', '50'])
  expect(axisFor([9.99, 180_000, 0, NaN], { kind: 'log' }).domain).toEqual([5, 200_000])
})

test('every value lies on the axis, and every tick too', () => {
  const anyValue = fc.double({ min: 1e-9, max: 1e15, noNaN: true })
  fc.assert(
    fc.property(fc.array(anyValue, { minLength: 1 }), fc.constantFrom('linear', 'log'), (values, kind) => {
      const { domain, ticks } = axisFor(values, { kind })
      const [low, high] = domain
      const slack = 1e-6
      expect(low).toBeLessThan(high)
      expect(Math.min(...values)).toBeGreaterThanOrEqual(low - slack * Math.abs(low) - slack * high)
      expect(Math.max(...values)).toBeLessThanOrEqual(high * (1 + slack))
      expect(ticks.length).toBeLessThanOrEqual(20)
      for (const tick of ticks) expect(tick >= low - slack * high && tick <= high * (1 + slack)).toBe(true)
    }),
  )
})
