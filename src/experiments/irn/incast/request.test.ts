import { expect, test } from 'vitest'
import type { Measures, Outcome } from '../../core/plan.ts'
import { dataLossPercent, dataLossText } from './request.ts'

const outcome = (seed: number, measures: Measures): Outcome => ({ condition: 'incast', seed, digest: '', measures })

test('lost ACKs are no lost data', () => {
  expect(dataLossPercent({ dataPackets: 200, drops: 30, dataDrops: 20 })).toBe(10)
})

test('a run that only counted all drops together has no data loss, unless it lost nothing', () => {
  expect(dataLossPercent({ dataPackets: 200, drops: 30 })).toBeNaN()
  expect(dataLossPercent({ dataPackets: 200, drops: 0 })).toBe(0)
})

test('the mean is over the seeds that counted lost data, and says how many those are', () => {
  const counted = [1, 2].map((seed) => outcome(seed, { dataPackets: 100, drops: 9, dataDrops: 2 * seed }))
  expect(dataLossText(counted, 'incast')).toMatch(/^3\.00 %/)
  expect(dataLossText(counted, 'incast')).not.toContain('seeds')
  expect(dataLossText([...counted, outcome(3, { dataPackets: 100, drops: 50 })], 'incast')).toMatch(
    /^3\.00 %.*, 2 seeds$/,
  )
})
