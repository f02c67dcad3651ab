/**
 * Downloads: a table as a CSV file, from the data in the page.
 */
import { writeCsv } from '../../../core/results/csv.ts'
import { type Column, createTable } from '../../../core/results/table.ts'
import { all, button, element } from './dom.ts'
import type { ColumnData, TableData } from '../page-data.ts'

/** CSV of some rows of a table, in the order given; absent numbers are empty. */
export function csvOf({ name, columns }: TableData, rows: readonly number[]): string {
  const numbers = (head: string, values: ColumnData['values']): Column => {
    return { name: head, type: 'number', data: Float64Array.from(rows, (row) => Number(values[row] ?? NaN)) }
  }
  const made = columns.flatMap(({ name: head, format, values, low, high }): Column[] => {
    if (format === 'text') return [{ name: head, type: 'text', data: rows.map((row) => String(values[row] ?? '')) }]
    const ends =
      low === undefined || high === undefined ? [] : [numbers(`${head}Low`, low), numbers(`${head}High`, high)]
    return [numbers(head, values), ...ends]
  })
  return writeCsv(createTable(name, made))
}

/** Gives the reader a table as a CSV file. */
export function download(name: string, text: string): void {
  saveText(`${name}.csv`, text, 'text/csv')
}

/** Gives the reader a text as a file. */
export function saveText(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = element('a', { href: address, download: name.replaceAll(/[^\w.-]+/g, '-') })
  document.body.append(link)
  link.click()
  link.remove()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** Buttons for tables that are on the page as a whole: their cells are the file. */
export function offerTables(): void {
  for (const table of all(document, 'table[data-csv]', HTMLTableElement)) {
    const name = table.dataset['csv'] ?? 'table'
    const onPress = (): void => download(name, cellsOf(table))
    table.parentElement?.after(
      button({ class: 'plain', 'aria-label': `Download as CSV: ${name}` }, onPress, 'Download as CSV'),
    )
  }
}

function cellsOf(table: HTMLTableElement): string {
  const rows = [...table.rows].map((row) => [...row.cells].map((cell) => (cell.textContent ?? '').trim()))
  const [heads = [], ...body] = rows
  const columns = heads.map((head, c): Column => {
    return { name: head === '' ? 'name' : head, type: 'text', data: body.map((row) => row[c] ?? '') }
  })
  return writeCsv(createTable('table', columns))
}
