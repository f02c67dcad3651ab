import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import {
  formatQuantity,
  formatRounded,
  parsePropagation,
  parseQuantity,
  unitNames,
  type QuantityType,
} from './units.ts'

test.each<[QuantityType, string, number]>([
  ['rate', '40Gbps', 40e9],
  ['rate', '40 Gbps', 40e9],
  ['rate', '40 Gb/s', 40e9],
  ['rate', '1.6Tbps', 1.6e12],
  ['rate', '5 kb/s', 5e3],
  ['rate', '0.5bps', 0.5],
  ['duration', '2us', 2e6],
  ['duration', '2.000008719s', 2000008719000],
  ['duration', '0.1 ns', 100],
  ['duration', '0s', 0],
  ['size', '240KB', 240e3],
  ['size', '12MiB', 12 * 1024 * 1024],
  ['size', '0.5KiB', 512],
  ['size', '1.086KB', 1086],
])('a %s of "%s" is %d base units', (type, text, value) => {
  expect(parseQuantity(type, text)).toBe(value)
})

test.each<[QuantityType, string]>([
  ['rate', '40'],
  ['rate', '40GB/s'],
  ['rate', '40gbps'],
  ['rate', '-1Gbps'],
  ['rate', '1e9bps'],
  ['rate', `${'9'.repeat(400)}bps`],
  ['duration', '2'],
  ['duration', ''],
  ['duration', '.5us'],
  ['duration', '0.0005ns'],
  ['duration', '9007.199254740992s'],
  ['duration', 'us'],
  ['duration', '2 constructor'],
  ['size', '1.5B'],
  ['size', '1.3KiB'],
  ['size', '5Kb'],
])('there is no %s "%s"', (type, text) => {
  expect(parseQuantity(type, text)).toBeUndefined()
})

test.each<[QuantityType, number, string]>([
  ['rate', 40e9, '40Gbps'],
  ['rate', 0, '0bps'],
  ['rate', 1234567, '1.234567Mbps'],
  ['rate', 0.1 + 0.2, '0.30000000000000004bps'],
  ['duration', 2000008719000, '2.000008719s'],
  ['duration', 1, '1ps'],
  ['duration', 0, '0ps'],
  ['duration', 320e6, '320us'],
  ['size', 1086, '1086B'],
  ['size', 240e3, '240KB'],
  ['size', 12 * 1024 * 1024, '12MiB'],
  ['size', 9216, '9KiB'],
  ['size', 1500, '1.5KB'],
  ['size', 128e3, '128KB'],
])('a %s of %d base units prints as "%s" is read', (type, value, text) => {
  expect(formatQuantity(type, value)).toBe(text)
})

test('printing and parsing gives the same number, to the last bit', () => {
  const whole = fc.oneof(
    fc.maxSafeNat(),
    fc.nat(100_000),
    fc.nat(1000).map((n) => n * 1024),
  )
  const rates = fc.oneof(
    fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: 0, max: 1e12, noNaN: true }),
    whole,
  )
  const roundTrip = (type: QuantityType) => (value: number) => {
    expect(parseQuantity(type, formatQuantity(type, value))).toBe(value)
  }
  fc.assert(fc.property(rates, roundTrip('rate')), { numRuns: 2000 })
  fc.assert(fc.property(whole, roundTrip('duration')), { numRuns: 2000 })
  fc.assert(fc.property(whole, roundTrip('size')), { numRuns: 2000 })
})

test.each([
  ['40m', 200_000],
  ['5m', 25_000],
  ['0.5 m', 2500],
  ['2km', 10_000_000],
  ['80000m', 400_000_000],
  ['0m', 0],
  ['200ns', 200_000],
  ['1.5us', 1_500_000],
])('a cable of %s delays by %i ps: 5 ns a metre, or the time that is given', (text, ps) => {
  expect(parsePropagation(text)).toBe(ps)
  expect(parsePropagation(formatQuantity('duration', ps))).toBe(ps)
})

test.each(['40', '40 ft', '-40m', '40M', '4e1m', '0.00001m', 'm', '2000000000000km'])(
  '"%s" is no length of cable',
  (text) => {
    expect(parsePropagation(text)).toBeUndefined()
  },
)

test('a length is no duration of anything else: m is neither minutes nor milliseconds', () => {
  expect(parseQuantity('duration', '40m')).toBeUndefined()
})

test('formatRounded rounds and prints never', () => {
  expect(formatRounded('duration', 12_345_678)).toBe('12.3us')
  expect(formatRounded('duration', 999_999)).toBe('1us')
  expect(formatRounded('duration', Infinity)).toBe('never')
  expect(formatRounded('rate', 38_712_345_678.9)).toBe('38.7Gbps')
  expect(formatRounded('size', -1500)).toBe('-1.5KB')
  expect(formatRounded('rate', NaN)).toBe('-')
  expect(unitNames('duration')).toEqual(['ps', 'ns', 'us', 'ms', 's'])
})
