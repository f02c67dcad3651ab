/** The part of a sweep that figures show. */
import { expect, test } from 'vitest'
import type { PlottedSweep } from '../../figure/sweep-figures.ts'
import { thinnedSweep } from './sweep-report.ts'

function sweepOf(...axes: PlottedSweep['axes']): PlottedSweep {
  let values: Readonly<Record<string, string>>[] = [{}]
  for (const axis of axes)
    values = values.flatMap((each) => axis.values.map((text) => ({ ...each, [axis.path]: text })))
  const rows = values.map((each) => ({ values: each, seeds: 1, stopped: 0, metrics: {}, ratios: {} }))
  return { name: 'many', axes, seedCount: 1, rows, baseline: '' }
}
const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i + 1))

test('a small sweep is left alone', () => {
  const sweep = sweepOf({ path: 'load', values: numbers(10) }, { path: 'balance', values: ['ecmp', 'spray'] })
  expect(thinnedSweep(sweep)).toEqual({ sweep, note: '' })
})

test('of many lines and points some are kept, with first and last, and the note counts them', () => {
  const sweep = sweepOf({ path: 'load', values: numbers(100) }, { path: 'total', values: numbers(50) })
  const { sweep: thin, note } = thinnedSweep(sweep)
  expect(thin.axes.map(({ values }) => [values.length, values[0], values.at(-1)])).toEqual([
    [40, '1', '100'],
    [12, '1', '50'],
  ])
  expect(thin.rows).toHaveLength(480)
  expect(note).toContain('480 of 5000 combinations: 40 of 100 values of load, 12 of 50 values of total')
})

test('several parameters share the lines', () => {
  const four = numbers(4)
  const { sweep } = thinnedSweep(
    sweepOf({ path: 'load', values: four }, ...['a', 'b', 'c'].map((path) => ({ path, values: four }))),
  )
  const [, ...others] = sweep.axes
  expect(others.reduce((product, { values }) => product * values.length, 1)).toBeLessThanOrEqual(12)
  expect(others.every(({ values }) => values.length >= 1)).toBe(true)
})
