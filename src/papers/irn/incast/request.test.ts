import { expect, test } from 'vitest'
import type { Measures } from '../../core/plan.ts'
import { Runs } from '../../core/runs.ts'
import { dataLossPercent, dataLossText } from './incast.ts'

const text = (...each: Measures[]): string =>
  dataLossText(new Runs(each.map((measures, seed) => ({ at: {}, seed, digest: '', measures }))))

test('lost ACKs do not count as lost data', () => {
  expect(dataLossPercent({ dataPackets: 200, drops: 30, dataDrops: 20 })).toBe(10)
})

test('the data loss of a run that counted only all drops together is unknown, unless it lost nothing', () => {
  expect(dataLossPercent({ dataPackets: 200, drops: 30 })).toBeNaN()
  expect(dataLossPercent({ dataPackets: 200, drops: 0 })).toBe(0)
})

test('the mean covers the seeds that counted lost data, and gives their number', () => {
  const counted = [2, 4].map((dataDrops) => ({ dataPackets: 100, drops: 9, dataDrops }))
  expect(text(...counted)).toBe('3.00 % (-9.71 to 15.7)')
  expect(text(...counted, { dataPackets: 100, drops: 50 })).toBe('3.00 % (-9.71 to 15.7), 2 seeds')
})
