/**
 * Static tables: all rows are on the page, and heads sort them. A column sorts by numbers if all its cells begin with one,
 * else by the alphabet; a cell may bring its own key.
 */
import { isAbsent, sortKey } from '../parts/sort-key.ts'
import { all } from './dom.ts'
import { addSortHeads, markSorted, type Sort } from './sorting.ts'

export function enhanceStaticTables(): void {
  for (const table of all(document, 'table[data-sort]', HTMLTableElement)) enhance(table)
}

function enhance(table: HTMLTableElement): void {
  const [body] = table.tBodies
  if (body === undefined) return
  const rows = [...body.rows]
  const textOf = (row: HTMLTableRowElement, column: number): string => (row.cells[column]?.textContent ?? '').trim()
  const keyOf = (row: HTMLTableRowElement, column: number): number | undefined => {
    const given = row.cells[column]?.dataset['key']
    return given === undefined ? sortKey(textOf(row, column)) : Number(given)
  }
  const isText = (column: number): boolean =>
    rows.some((row) => !isAbsent(textOf(row, column)) && keyOf(row, column) === undefined)
  let sorted: Sort | undefined
  addSortHeads(
    table,
    isText,
    () => sorted,
    (sort) => {
      sorted = sort
      body.append(...orderedRows(rows, sort, { textOf, keyOf, isText: isText(sort.column) }))
      markSorted(table, sort)
    },
  )
}

interface Cells {
  readonly textOf: (row: HTMLTableRowElement, column: number) => string
  readonly keyOf: (row: HTMLTableRowElement, column: number) => number | undefined
  readonly isText: boolean
}

/** Absent cells come last whichever way; equal ones keep the order of the page. */
function orderedRows(
  rows: readonly HTMLTableRowElement[],
  { column, isDescending }: Sort,
  { textOf, keyOf, isText }: Cells,
): HTMLTableRowElement[] {
  const sign = isDescending ? -1 : 1
  const keyed = rows.map((row) => {
    const text = textOf(row, column)
    return { row, text, key: keyOf(row, column) ?? NaN, isLast: isAbsent(text) }
  })
  const compare = (a: (typeof keyed)[number], b: (typeof keyed)[number]): number => {
    if (a.isLast || b.isLast) return Number(a.isLast) - Number(b.isLast)
    if (!isText) return sign * (a.key - b.key)
    return a.text === b.text ? 0 : sign * (a.text < b.text ? -1 : 1)
  }
  return keyed.toSorted(compare).map(({ row }) => row)
}
