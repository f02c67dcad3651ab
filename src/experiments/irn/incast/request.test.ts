import { expect, test } from 'vitest'
import type { Measures, Outcome } from '../../core/old/plan.ts'
import { dataLossPercent, dataLossText } from './request.ts'

const outcome = (seed: number, measures: Measures): Outcome => ({ condition: 'incast', seed, digest: '', measures })

test('lost ACKs do not count as lost data', () => {
  expect(dataLossPercent({ dataPackets: 200, drops: 30, dataDrops: 20 })).toBe(10)
})

test('the data loss of a run that counted only all drops together is unknown, unless it lost nothing', () => {
  expect(dataLossPercent({ dataPackets: 200, drops: 30 })).toBeNaN()
  expect(dataLossPercent({ dataPackets: 200, drops: 0 })).toBe(0)
})

test('the mean covers the seeds that counted lost data, and gives their number', () => {
  const counted = [1, 2].map((seed) => outcome(seed, { dataPackets: 100, drops: 9, dataDrops: 2 * seed }))
  expect(dataLossText(counted, 'incast')).toMatch(/^3\.00 %/)
  expect(dataLossText(counted, 'incast')).not.toContain('seeds')
  expect(dataLossText([...counted, outcome(3, { dataPackets: 100, drops: 50 })], 'incast')).toMatch(
    /^3\.00 %.*, 2 seeds$/,
  )
})
