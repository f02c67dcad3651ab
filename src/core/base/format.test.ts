import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { exactCount, humanBytes, humanCount, humanDuration, humanNumber, humanRate, humanShare } from './format.ts'

test('durations have the unit that fits and three digits', () => {
  expect(humanDuration(0)).toBe('0 ps')
  expect(humanDuration(7)).toBe('7 ps')
  expect(humanDuration(1000)).toBe('1.00 ns')
  expect(humanDuration(3_214_000_000)).toBe('3.21 ms')
  expect(humanDuration(12_000_000)).toBe('12.0 us')
  expect(humanDuration(7.2e15)).toBe('7200 s')
  expect(humanDuration(NaN)).toBe('-')
  expect(humanDuration(Infinity)).toBe('never')
})

test('rounding up goes on to the next unit', () => {
  expect(humanDuration(999_700)).toBe('1.00 us')
  expect(humanDuration(999_400)).toBe('999 ns')
  expect(humanRate(999_999_999_999)).toBe('1.00 Tbps')
})

test('rates, sizes, counts and plain numbers', () => {
  expect(humanRate(38_623_000_000)).toBe('38.6 Gbps')
  expect(humanRate(0.5)).toBe('0.500 bps')
  expect(humanBytes(240_000)).toBe('240 KB')
  expect(humanBytes(64)).toBe('64 B')
  expect(humanCount(1_234_567)).toBe('1.23 M')
  expect(humanCount(12)).toBe('12')
  expect(exactCount(1_234_567)).toBe('1,234,567')
  expect(exactCount(-12_345)).toBe('-12,345')
  expect(exactCount(999)).toBe('999')
  expect(humanNumber(1.4237)).toBe('1.42')
  expect(humanNumber(0)).toBe('0')
  expect(humanNumber(12_345.6)).toBe('12346')
  expect(humanNumber(0.000012)).toBe('1.20e-5')
  expect(humanNumber(-Infinity)).toBe('-unlimited')
  expect(humanShare(0.1234)).toBe('12.3 %')
})

test('what is printed is within rounding of what was meant', () => {
  const scales: Record<string, number> = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 }
  fc.assert(
    fc.property(fc.maxSafeNat(), (ps) => {
      const [number, unit] = humanDuration(ps).split(' ')
      const printed = Number(number) * (scales[unit ?? ''] ?? NaN)
      expect(Math.abs(printed - ps)).toBeLessThanOrEqual(0.0051 * ps)
      expect(humanDuration(ps).length).toBeLessThanOrEqual(8)
    }),
  )
})
