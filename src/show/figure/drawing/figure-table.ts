/**
 * Figure table: the values that a figure shows, for those who want to draw it themselves. Names are the labels of its axes.
 * Apart from the figures, whose types name the plotting library's: the script of a page needs none of those.
 */
import { type Column, createTable, type Table } from '../../../core/results/table.ts'

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
