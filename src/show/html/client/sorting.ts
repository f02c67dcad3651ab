/**
 * Sorting: heads of a table that sort it when pressed, and the order of rows by a column.
 */
import type { ColumnData } from '../page-data.ts'
import { all, button } from './dom.ts'

export interface Sort {
  readonly column: number
  readonly isDescending: boolean
}

/** Makes a button of each head. A column begins with its largest values unless `isText`; a second press turns it. */
export function addSortHeads(
  table: HTMLTableElement,
  isText: (column: number) => boolean,
  sortNow: () => Sort | undefined,
  onSort: (sort: Sort) => void,
): void {
  all(table, 'thead th', HTMLTableCellElement).forEach((head, column) => {
    const onPress = (): void => {
      const now = sortNow()
      onSort({ column, isDescending: now?.column === column ? !now.isDescending : !isText(column) })
    }
    head.replaceChildren(button({}, onPress, head.textContent ?? ''))
  })
}

/** Marks the head by which the table is sorted, for the eye and for screen readers. */
export function markSorted(table: HTMLTableElement, sort: Sort): void {
  all(table, 'thead th', HTMLTableCellElement).forEach((head, column) => {
    if (column === sort.column) head.setAttribute('aria-sort', sort.isDescending ? 'descending' : 'ascending')
    else head.removeAttribute('aria-sort')
  })
}

/** By value; absent ones are beyond all numbers. */
export function orderOf(column: ColumnData | undefined): (a: number, b: number) => number {
  if (column === undefined) return () => 0
  const { values, format, keys } = column
  if (format === 'text' && keys === undefined) {
    const textOf = (row: number): string => String(values[row] ?? '')
    return (a, b) => (textOf(a) < textOf(b) ? -1 : textOf(a) > textOf(b) ? 1 : 0)
  }
  const valueOf = (row: number): number => Number((keys ?? values)[row] ?? Infinity)
  return (a, b) => (valueOf(a) === valueOf(b) ? 0 : valueOf(a) - valueOf(b))
}
