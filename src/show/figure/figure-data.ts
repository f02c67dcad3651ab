/**
 * Figure data: the values of each kind of figure.
 */
import type { BarFigure } from './bars.ts'
import type { FigureData } from './drawing/figure-table.ts'
import type { LineFigure } from './lines.ts'
import type { SizeFigure } from './size-figure.ts'
import type { StackedBars } from './stacked-bars.ts'

/** JSON has no other numbers. */
const finite = (value: number | undefined): number | null =>
  value !== undefined && Number.isFinite(value) ? value : null

/** Columns for the ends of intervals, where any value has one. */
function rangeHeads(points: readonly { readonly low?: number; readonly high?: number }[]): string[] {
  return points.some(({ low, high }) => finite(low) !== null || finite(high) !== null) ? ['low', 'high'] : []
}

export function barData({ groups, yLabel, paperLabel = 'paper' }: BarFigure): FigureData {
  const ranges = rangeHeads(groups)
  const papers = groups.some(({ paper }) => finite(paper) !== null) ? [paperLabel] : []
  return {
    keys: ['group', 'series'],
    numbers: [yLabel, ...ranges, ...papers],
    groups: groups.map(({ label, series, value, low, high, paper }) => ({
      keys: [label, series],
      numbers: [value, ...(ranges.length > 0 ? [low, high] : []), ...(papers.length > 0 ? [paper] : [])].map((one) => [
        finite(one),
      ]),
    })),
  }
}

export function lineData({ lines, xLabel, yLabel }: LineFigure): FigureData {
  const ranges = rangeHeads(lines.flatMap(({ points }) => points))
  return {
    keys: ['series'],
    numbers: [xLabel, yLabel, ...ranges],
    groups: lines.map(({ series, points }) => ({
      keys: [series],
      numbers: [
        points.map(({ x }) => finite(x)),
        points.map(({ y }) => finite(y)),
        ...(ranges.length > 0 ? [points.map(({ low }) => finite(low)), points.map(({ high }) => finite(high))] : []),
      ],
    })),
  }
}

export function sizeData({ bins, lines, yLabel }: SizeFigure): FigureData {
  const ranges = rangeHeads(lines.flatMap(({ ranges: own = [] }) => own))
  return {
    keys: ['series'],
    numbers: ['fromBytes', 'toBytes', yLabel, ...ranges],
    groups: lines.map(({ series, values, ranges: own = [] }) => ({
      keys: [series],
      numbers: [
        bins.map(({ fromBytes }) => fromBytes),
        bins.map(({ toBytes }) => toBytes),
        values.map(finite),
        ...(ranges.length > 0 ? [own.map(({ low }) => finite(low)), own.map(({ high }) => finite(high))] : []),
      ],
    })),
  }
}

export function stackedData({ bars, xLabel }: StackedBars): FigureData {
  return {
    keys: ['group', 'label', 'part'],
    numbers: [xLabel],
    groups: bars.flatMap(({ group, label, pieces }) =>
      [...pieces].map(([part, { value }]) => ({ keys: [group, label, part], numbers: [[finite(value)]] })),
    ),
  }
}
