/**
 * Data tables: sorted by any head, shown a part at a time, downloaded as they are sorted.
 */
import { cellText, columnText, cutName } from '../cells.ts'
import type { TableData } from '../page-data.ts'
import { all, button, element } from './dom.ts'
import { csvOf, download } from './download.ts'
import { addSortHeads, markSorted, orderOf, type Sort } from './sorting.ts'

/** Rows that are added at a time. */
const PART = 50

/** @param tables by the id of their place on the page. */
export function enhancePoints(tables: Readonly<Record<string, TableData>>): void {
  for (const root of all(document, '[data-table]', HTMLElement)) {
    const data = tables[root.dataset['table'] ?? '']
    const table = root.querySelector('table')
    if (data !== undefined && table !== null) enhance(data, root, table)
  }
}

function enhance(data: TableData, root: HTMLElement, table: HTMLTableElement): void {
  const columns = data.columns.filter(({ isFileOnly }) => isFileOnly !== true)
  const count = columns[0]?.values.length ?? 0
  const body = table.tBodies[0] ?? table.createTBody()
  const [one = 'row', several = 'rows'] = (root.dataset['words'] ?? '').split(' ')
  let rows: readonly number[] = Array.from({ length: count }, (_, row) => row)
  let shown = PART
  let sorted: Sort | undefined

  const rowElement = (row: number): HTMLTableRowElement => {
    const cells = columns.map((column) => {
      return element(
        'td',
        { class: column.format, title: cutName(column.values[row] ?? null) },
        columnText(column, row),
      )
    })
    return element('tr', {}, ...cells)
  }
  const more = button(
    { class: 'plain' },
    () => {
      body.append(...rows.slice(shown, shown + PART).map(rowElement))
      shown += PART
      more.hidden = shown >= rows.length
    },
    `Show ${PART} more ${several}`,
  )
  const status = element(
    'p',
    { class: 'count', role: 'status' },
    `${cellText(count, 'count')} ${count === 1 ? one : several}`,
  )
  const csv = button(
    { class: 'plain csv', 'aria-label': `Download as CSV: ${data.name}` },
    () => download(data.name, csvOf(data, rows)),
    'Download as CSV',
  )
  more.hidden = shown >= count
  const isText = (column: number): boolean => columns[column]?.format === 'text'
  addSortHeads(
    table,
    isText,
    () => sorted,
    (sort) => {
      const compare = orderOf(columns[sort.column])
      const sign = sort.isDescending ? -1 : 1
      sorted = sort
      rows = rows.toSorted((a, b) => sign * compare(a, b) || a - b)
      body.replaceChildren(...rows.slice(0, shown).map(rowElement))
      markSorted(table, sort)
    },
  )
  const scroll = table.parentElement ?? table
  scroll.before(element('div', { class: 'controls' }, status, csv))
  scroll.after(more)
}
