import { expect, test } from 'vitest'
import { levelMapFigure } from './level-map.ts'

const figure = (size: number, levels: number[][]): string =>
  levelMapFigure(
    { title: 'map' },
    {
      labels: Array.from({ length: size }, (_, i) => `host ${i}`),
      levels,
      names: ['lost', 'slow', 'good', 'none'],
      rowsLabel: 'from',
      columnsLabel: 'to',
    },
  )

test('a box for each cell with a level, none for the last level', () => {
  const svg = figure(2, [
    [3, 0],
    [1, 3],
  ])
  // The ground and three boxes of the legend come on top.
  expect(svg.match(/<rect /g)).toHaveLength(1 + 3 + 2)
  expect(svg).toContain('host 1')
})

test('many rows fit: the figure grows', () => {
  const size = 48
  const svg = figure(
    size,
    Array.from({ length: size }, () => Array.from({ length: size }, () => 2)),
  )
  const [, width, height] = /viewBox="0 0 (\d+) (\d+(?:\.\d+)?)"/.exec(svg)!.map(Number)
  expect(width).toBeGreaterThanOrEqual(size * 11)
  expect(height).toBeGreaterThanOrEqual(size * 11)
  expect(svg.match(/<rect /g)!.length).toBe(1 + 3 + size * size)
})
