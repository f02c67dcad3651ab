import { build } from 'hdr-histogram-js'
import { expect, test } from 'vitest'
import { fc } from '../../tests/support/properties.ts'
import { Histogram } from './histogram.ts'

const anyValue = fc.oneof(fc.nat(300), fc.maxSafeNat())

test('every value falls into a bucket around it, no wider than promised', () => {
  fc.assert(
    fc.property(anyValue, fc.integer({ min: 2, max: 12 }), (value, precision) => {
      const histogram = new Histogram(precision)
      histogram.record(value)
      const [bucket] = histogram.buckets()
      if (bucket === undefined) throw new Error('no bucket')
      expect(bucket.from).toBeLessThanOrEqual(value)
      expect(bucket.to).toBeGreaterThan(value)
      expect(bucket.to - bucket.from).toBeLessThanOrEqual(Math.max(1, value * 2 ** (1 - precision)))
      expect(histogram.quantile(0.5)).toBe(value)
    }),
  )
})

test('quantiles agree with the nearest rank of the sorted values', () => {
  fc.assert(
    fc.property(fc.array(anyValue, { minLength: 1 }), fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const histogram = new Histogram()
      for (const value of values) histogram.record(value)
      const sorted = values.toSorted((a, b) => a - b)
      const exact = sorted[Math.max(1, Math.ceil(share * values.length)) - 1] as number
      expect(Math.abs(histogram.quantile(share) - exact)).toBeLessThanOrEqual(exact / 128)
      expect(histogram.count).toBe(values.length)
      expect(histogram.min).toBe(sorted[0])
      expect(histogram.max).toBe(sorted.at(-1))
    }),
  )
})

test('quantiles agree with another histogram', () => {
  const histogram = new Histogram(12)
  const oracle = build({ numberOfSignificantValueDigits: 4, highestTrackableValue: 1e12 })
  for (let i = 1; i <= 20_000; i++) {
    const value = (i * i * 7919) % 1_000_000_007
    histogram.record(value)
    oracle.recordValue(value)
  }
  for (const share of [0.01, 0.5, 0.9, 0.99, 0.999]) {
    const wanted = oracle.getValueAtPercentile(100 * share)
    expect(Math.abs(histogram.quantile(share) / wanted - 1)).toBeLessThan(1e-3)
  }
})

test('merged histograms are the histogram of all values', () => {
  const both = new Histogram()
  const a = new Histogram()
  const b = new Histogram()
  for (let i = 0; i < 100; i++) {
    both.record(i * 1000)
    ;(i % 2 === 0 ? a : b).record(i * 1000)
  }
  a.merge(b)
  expect(a.buckets()).toEqual(both.buckets())
  expect(a.max).toBe(99_000)
  expect(new Histogram().quantile(0.5)).toBeNaN()
})
