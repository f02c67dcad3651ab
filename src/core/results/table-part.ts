/**
 * Table parts: what is new in a table since it was looked at. Tables of observers are not only added to: an interval that is
 * open ends later, and long tables are thinned; so a part stands in place of all rows from its first on.
 */
import { type Column, createTable, rowsBetween, type Table } from './table.ts'

/** Rows of a table that are new or changed since an earlier state of it. */
export interface TablePart {
  /** The rows from `fromRow` on; those before it are as they were. */
  readonly rows: Table
  readonly fromRow: number
}

/** The part of a table that is not in an earlier state of it; undefined: it has not been looked at. */
export function partSince(table: Table, seen: Table | undefined): TablePart {
  const fromRow = seen === undefined ? 0 : equalRows(table, seen)
  return { rows: rowsBetween(table, fromRow, table.rowCount), fromRow }
}

/** The table that a part was taken of. @param seen the state since which it was taken */
export function withPart(seen: Table | undefined, { rows, fromRow }: TablePart): Table {
  if (seen === undefined || fromRow === 0) return rows
  const columns = rows.columns.map((column, c): Column => {
    const { name, type, data } = column
    const before = seen.columns[c]!.data
    if (type === 'text') return { name, type, data: [...(before as readonly string[]).slice(0, fromRow), ...data] }
    const joined = new Float64Array(fromRow + rows.rowCount)
    joined.set((before as Float64Array).subarray(0, fromRow))
    joined.set(data, fromRow)
    return { name, type, data: joined }
  })
  return createTable(rows.name, columns, rows.kind)
}

/** Number of rows at the beginning that both have. */
function equalRows(a: Table, b: Table): number {
  let rows = Math.min(a.rowCount, b.rowCount)
  a.columns.forEach((column, c) => {
    const [ours, theirs] = [column.data, b.columns[c]!.data]
    let row = 0
    while (row < rows && Object.is(ours[row], theirs[row])) row++
    rows = row
  })
  return rows
}
