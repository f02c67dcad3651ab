/**
 * Figure data: the values that a figure shows, for those who want to draw it themselves. Names are the labels of its axes.
 */
import { type Column, createTable, type Table } from '../../results/table.ts'
import type { BarFigure } from './bars.ts'
import type { LineFigure } from './lines.ts'
import type { SizeFigure } from './size-figure.ts'
import type { StackedBars } from './stacked-bars.ts'

/** Rows in groups that have some texts in common, such as the name of a series, so that these stand there once. */
export interface FigureData {
  /** Heads of the texts. */
  readonly keys: readonly string[]
  /** Heads of the numbers. */
  readonly numbers: readonly string[]
  readonly groups: readonly FigureGroup[]
}

export interface FigureGroup {
  /** One for each key. */
  readonly keys: readonly string[]
  /** A column for each head. Null: no number. */
  readonly numbers: readonly (readonly (number | null)[])[]
}

/** As a table, the groups one below another. */
export function figureTable({ keys, numbers, groups }: FigureData): Table {
  const rowsOf = (group: FigureGroup): number => group.numbers[0]?.length ?? 0
  const texts = keys.map((name, key): Column => {
    const data = groups.flatMap((group) => Array.from({ length: rowsOf(group) }, () => group.keys[key] ?? ''))
    return { name, type: 'text', data }
  })
  const values = numbers.map((name, column): Column => {
    const data = groups.flatMap((group) => (group.numbers[column] ?? []).map((value) => value ?? NaN))
    return { name, type: 'number', data: Float64Array.from(data) }
  })
  return createTable('figure', [...texts, ...values])
}

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
