/**
 * Tables and figures of runs, declared: a row, a bar or a mark for each point, and what it shows.
 */
import type { BarFigure, Line, TextColumn } from '../../show/index.ts'
import type { Interval } from '../../core/results/index.ts'
import { barOf, type FindingsTable, intervalText } from './findings.ts'
import type { At } from './plan.ts'
import type { Runs, ValueOf } from './runs.ts'

/** A column of a table with a row for each point: its cell by the point and the runs of it. */
export interface PointColumn<A extends At> extends TextColumn {
  readonly cell: (at: A, runs: Runs) => string
}

export function tableAt<A extends At>(
  runs: Runs,
  rows: readonly A[],
  { title, columns }: { readonly title: string; readonly columns: readonly PointColumn<NoInfer<A>>[] },
): FindingsTable {
  const own = rows.map((at) => ({ at, runs: runs.where(at) }))
  return {
    title,
    columns: columns.map(({ head, align = 'left' }) => ({ head, align })),
    rows: own.map((row) => columns.map(({ cell }) => cell(row.at, row.runs))),
  }
}

type Text = (value: number) => string

/** The values of the axes. */
export function label<A extends At>(head: string, cell: (at: A) => string | number, align?: 'right'): PointColumn<A> {
  return { head, ...(align === undefined ? {} : { align }), cell: (at) => String(cell(at)) }
}

/** A text from the runs of a point. */
export function texts<A extends At>(head: string, cell: (runs: Runs, at: A) => string): PointColumn<A> {
  return { head, align: 'right', cell: (at, runs) => cell(runs, at) }
}

/** A mean over seeds. */
export function means<A extends At>(head: string, of: ValueOf, text: Text): PointColumn<A> {
  return right(head, (runs) => text(runs.mean(of).mean), of)
}

/** "61.2 (59.8 to 62.6)". */
export function intervals<A extends At>(head: string, of: ValueOf, scale = 1, unit = ''): PointColumn<A> {
  return texts(head, (runs) => intervalText(runs.mean(of, {}, scale), unit))
}

/** "2 to 5" over all runs, or the one value that they have. */
export function ranges<A extends At>(head: string, of: ValueOf, text: Text = String): PointColumn<A> {
  return right(head, (runs) => rangeText(runs, of, text), of)
}

export function rangeText(runs: Runs, of: ValueOf, text: Text = String): string {
  const { least, most } = runs.range(of)
  return text(least) === text(most) ? text(least) : `${text(least)} to ${text(most)}`
}

function right<A extends At>(head: string, cell: (runs: Runs) => string, of: ValueOf): PointColumn<A> {
  return texts(head, (runs) => (Number.isNaN(runs.mean(of).mean) ? '-' : cell(runs)))
}

type Bar = BarFigure['groups'][number]

/** A bar for each point, with the interval of its mean. */
export function barsAt<A extends At>(
  runs: Runs,
  rows: readonly A[],
  of: ValueOf,
  look: (at: A) => Omit<Bar, 'value' | 'low' | 'high'>,
  scale = 1,
): Bar[] {
  return rows.map((at) => ({ ...look(at), ...barOf(runs.mean(of, at, scale)) }))
}

/** A line through the means of points. */
export function lineAt<A extends At>(
  runs: Runs,
  series: string,
  rows: readonly A[],
  x: (at: A) => number,
  of: ValueOf,
  scale = 1,
): Line {
  return { series, points: rows.map((at) => markOf(x(at), runs.mean(of, at, scale))) }
}

/** A mark of a line, and the ends of its band, if it has one. */
export function markOf(x: number, { mean, low, high }: Interval): Line['points'][number] {
  return { x, y: mean, ...(Number.isNaN(low) ? {} : { low, high }) }
}
