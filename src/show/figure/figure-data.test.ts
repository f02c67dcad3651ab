/**
 * The values of figures as tables: what is drawn, under the names of its axes.
 */
import { expect, test } from 'vitest'
import { numbersOf, textsOf } from '../../core/results/index.ts'
import { barData, lineData, sizeData } from './figure-data.ts'
import { figureTable } from './drawing/figure-table.ts'
import { type NamedResult, resultFigures } from './index.ts'
import { flowsOf } from './result-figures.test-drawing.ts'

const TEXT = { title: 'Title', yLabel: 'slowdown' }

test('bars have their ends and the value of a paper where any has, and an empty cell where one has none', () => {
  const groups = [
    { label: 'a', series: 's', value: 2, low: 1, high: 3 },
    { label: 'b', series: 's', value: NaN, instead: 'unfinished', paper: 4 },
  ]
  const table = figureTable(barData({ ...TEXT, groups }))
  expect(table.columns.map(({ name, data }) => [name, ...Array.from(data as ArrayLike<unknown>)])).toEqual([
    ['group', 'a', 'b'],
    ['series', 's', 's'],
    ['slowdown', 2, NaN],
    ['low', 1, NaN],
    ['high', 3, NaN],
    ['paper', NaN, 4],
  ])
  const plain = barData({ ...TEXT, groups: [{ label: 'a', series: 's', value: 2 }] })
  expect(plain.numbers).toEqual(['slowdown'])
})

test('lines have their points one behind another, lines by size their bins', () => {
  const points = [1, 2].map((x) => ({ x, y: x * x, low: x, high: 2 * x }))
  const lines = figureTable(
    lineData({
      ...TEXT,
      xLabel: 'load',
      lines: [
        { series: 'a', points },
        { series: 'b', points: points.slice(1) },
      ],
    }),
  )
  expect(textsOf(lines, 'series')).toEqual(['a', 'a', 'b'])
  expect(['load', 'slowdown', 'low', 'high'].map((name) => [...numbersOf(lines, name)])).toEqual([
    [1, 2, 2],
    [1, 4, 4],
    [1, 2, 2],
    [2, 4, 4],
  ])
  const bins = [
    { fromBytes: 1, toBytes: 10, share: 0.5 },
    { fromBytes: 11, toBytes: 90, share: 0.5 },
  ]
  const sizes = figureTable(
    sizeData({ ...TEXT, xLabel: 'size', bins, lines: [{ series: 'p99', values: [3, Infinity] }] }),
  )
  expect(['fromBytes', 'toBytes', 'slowdown'].map((name) => [...numbersOf(sizes, name)])).toEqual([
    [1, 11],
    [10, 90],
    [3, NaN],
  ])
})

test('each figure of flows has its values: a tail falls from all flows to the slowest', () => {
  const flows = Array.from({ length: 200 }, (_, i) => ({ sizeBytes: 1000, slowdown: 1 + i, tag: i < 100 ? 'a' : 'b' }))
  const results: readonly NamedResult[] = [flowsOf('one', flows)]
  const figures = [
    ...resultFigures(results),
    ...resultFigures(results, { by: 'tag' }),
    ...resultFigures(results, { by: 'size' }),
  ]
  expect(figures.filter(({ data }) => data === undefined).map(({ name }) => name)).toEqual([])
  const tail = figureTable(figures.find(({ name }) => name === 'slowdown-tail')!.data!)
  const [series, slowdown, share] = [
    textsOf(tail, 'series'),
    numbersOf(tail, 'slowdown (completion over ideal)'),
    numbersOf(tail, 'share of flows (1 - CDF)'),
  ]
  const last = series.lastIndexOf('a')
  expect([slowdown[0], share[0], slowdown[last], share[last]]).toEqual([1, 1, 100, 0.01])
})
