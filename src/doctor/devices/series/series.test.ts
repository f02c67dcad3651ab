/**
 * Series: differences of counters that wrap, start again, stand still; polls that are lost or late; clocks that are off.
 */
import { describe, expect, test } from 'vitest'
import type { Reading } from '../../../core/device-model/index.ts'
import { Series, stepOf } from './index.ts'

const MS = 1e6
const reading = (name: string, timeMs: number, value: number, more: Partial<Reading> = {}): Reading => ({
  device: 'a',
  port: '1',
  priority: 3,
  name,
  value,
  bits: 64,
  timeNs: timeMs * MS,
  ...more,
})
/** One reading of each value, 1 ms apart. */
const counter = (name: string, values: readonly number[], more: Partial<Reading> = {}): Reading[] =>
  values.map((value, ms) => reading(name, ms, value, more))
const amounts = (series: Series, name: string, device = 'a'): (number | undefined)[] =>
  Array.from({ length: series.count }, (_, i) => series.amount(device, '1', 3, name, i)?.value)

describe('a lower reading', () => {
  const others = counter('txPackets', [0, 10, 20, 30])
  const near = 2 ** 32 - 100

  test('is a wrap if it fell from near its end and others went on', () => {
    const series = new Series([...counter('rxPackets', [near, near + 50, 50, 60], { bits: 32 }), ...others])
    expect(amounts(series, 'rxPackets')).toEqual([50, 100, 10])
  })

  test.each([
    ['from the middle of its range', [2 ** 31, 2 ** 31 + 5, 50, 60], others],
    ['when no other counter went on', [near, near + 50, 50, 60], counter('txPackets', [7, 7, 7, 7])],
  ])('is a reset %s: all counters of the device are unknown there', (_, values, beside) => {
    const series = new Series([...counter('rxPackets', values, { bits: 32 }), ...beside])
    expect(amounts(series, 'rxPackets')[1]).toBeUndefined()
    expect(amounts(series, 'txPackets')[1]).toBeUndefined()
    expect(amounts(series, 'rxPackets')[2]).toBe(10)
  })

  test('of another device is nothing to this one', () => {
    const reset = counter('rxPackets', [9, 5, 6, 7], { device: 'b' })
    expect(amounts(new Series([...reset, ...others]), 'txPackets')).toEqual([10, 10, 10])
  })

  test.each([
    [1, 2, 64, 'rose'],
    [5, 5, 64, 'same'],
    [2 ** 32 - 1, 2 ** 32 - 1, 64, 'stuck'],
    [65535, 65535, 16, 'stuck'],
    [2 ** 15, 3, 16, 'fell'],
    [2 ** 16 - 5, 3, 16, 'wrap'],
  ] as const)('%d and then %d of %d bits: %s', (old, value, bits, step) => {
    expect(stepOf(old, value, bits)).toBe(step)
  })
})

test('gauges and watermarks are levels of their interval, and never subtracted', () => {
  const series = new Series([...counter('txPackets', [0, 1, 2, 3]), ...counter('queueMax', [900, 500, 0, 700])])
  expect([0, 1, 2].map((i) => series.level('a', '1', 3, 'queueMax', i))).toEqual([500, 0, 700])
  expect(series.amount('a', '1', 3, 'queueMax', 0)).toBeUndefined()
  expect(series.highest('a', '1', 3, 'queueMax')).toBe(900)
})

describe('polls', () => {
  const steady = counter('rxPackets', [0, 100, 200, 300, 400], { device: 'b' })

  test('that are lost spread what happened over both intervals', () => {
    const series = new Series([...steady, ...[0, 1, 3, 4].map((ms) => reading('rxPackets', ms, ms * 60))])
    expect(series.intervalNs).toBe(MS)
    expect(amounts(series, 'rxPackets')).toEqual([60, 60, 60, 60])
  })

  test('that are late give rates over their own times, and cover less of the interval', () => {
    const late = [0.6, 1.6, 2.6, 3.6].map((ms) => reading('rxPackets', ms, ms * 60))
    const first = new Series([...steady, ...late]).amount('a', '1', 3, 'rxPackets', 0)!
    expect(first.coveredNs).toBeCloseTo(0.4 * MS)
    expect(first.value / first.coveredNs).toBeCloseTo(60 / MS)
  })

  test('of a clock that is off by seconds are put beside those of the others', () => {
    const off = counter('rxPackets', [0, 1, 2, 3, 4]).map((one) => ({ ...one, timeNs: one.timeNs + 2e9 }))
    const other = counter('rxPackets', [0, 1, 2, 3, 4], { device: 'c' })
    const series = new Series([...steady, ...off, ...other])
    expect([series.count, amounts(series, 'rxPackets')]).toEqual([4, [1, 1, 1, 1]])
  })

  test('of one time alone say nothing', () => {
    const series = new Series([reading('rxPackets', 5, 1000)])
    expect([series.count, series.has('a')]).toEqual([0, false])
  })
})
