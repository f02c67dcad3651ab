/** The table of all points of a sweep. */
import { expect, test } from 'vitest'
import type { PlottedRow } from '../../figure/sweep-figures.ts'
import type { ReportedSweep } from '../../reported-sweep.ts'
import { pointsTable } from './points-table.ts'

function reported(count: number, metrics: PlottedRow['metrics']): ReportedSweep {
  const values = Array.from({ length: count }, (_, i) => `${count - i}KB`)
  const rows = values.map((total): PlottedRow => {
    return { values: { total, congestion: 'none' }, seeds: 2, stopped: 0, metrics, ratios: {} }
  })
  const axes = [
    { path: 'total', values },
    { path: 'congestion', values: ['none'] },
  ]
  return {
    sweep: { name: 'many', axes, seedCount: 2, rows, baseline: '' },
    folder: 'out',
    version: '1.0.0',
    seeds: [1, 2],
    isPartial: false,
    limit: '',
    failed: [],
    digests: rows.map((_, i) => ({ 1: `a${i}`, 2: `b${i}` })),
    options: [],
  }
}
const interval = { mean: 1.23456789, low: 1, high: 2, count: 2 }

test('has the parameters, sorted by quantity, metrics with their ends, and digests in the file alone', () => {
  const { table, note } = pointsTable(reported(3, { slowdownP99: interval, drops: { ...interval, mean: 0 } }))
  expect(table.columns.map(({ name }) => name)).toEqual(['total', 'congestion', 'seeds', 'slowdownP99', 'digests'])
  const [total, , , slowdown, digests] = table.columns
  expect(total!.keys).toEqual([3, 2, 1])
  expect(slowdown).toMatchObject({ values: [1.23457, 1.23457, 1.23457], low: [1, 1, 1], high: [2, 2, 2] })
  expect(digests).toMatchObject({ isFileOnly: true, values: ['1:a0 2:b0', '1:a1 2:b1', '1:a2 2:b2'] })
  expect(note).toBe('')
})

test('leaves out metrics where there is no room, the least important first, and says so', () => {
  const metrics = { slowdownMean: interval, slowdownP99: interval, completionP50Ps: interval, goodputBps: interval }
  const { table, note } = pointsTable(reported(40_000, metrics))
  expect(table.columns.map(({ name }) => name)).toEqual(['total', 'congestion', 'seeds', 'slowdownP99', 'goodputBps'])
  expect(note).toBe(
    'The page holds 2 of 4 metrics of these 40000 combinations; sweep.csv in out has all. Digests are in sweep.json in out.',
  )
})
