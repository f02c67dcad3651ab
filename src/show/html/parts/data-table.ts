/**
 * Data table: a table of which the page shows the first rows and holds all as data, so that its script can sort them,
 * show more, and write the file.
 */
import { columnText } from '../cells.ts'
import { markup, type Markup, NOTHING } from '../markup.ts'
import type { TableData } from '../page-data.ts'
import { scrollTable, titleMarkup } from './scroll-table.ts'

/** Rows that are there before a script runs. */
const FIRST_ROWS = 50
/** Columns that a sheet of paper has room for. */
const PAPER_COLUMNS = 8

export interface DataTable {
  /** Key of the table in the data of the page. */
  readonly id: string
  readonly caption: string
  readonly table: TableData
  /** One and several of its rows: "row", "rows". */
  readonly words: readonly [one: string, several: string]
}

export function dataTableMarkup({ id, caption, table, words }: DataTable): Markup {
  const columns = table.columns.filter(({ isFileOnly }) => isFileOnly !== true)
  const count = columns[0]?.values.length ?? 0
  const heads = columns.map(({ head, format }) => markup`<th scope="col" class="${format}">${head}</th>`)
  const rows = Array.from({ length: Math.min(FIRST_ROWS, count) }, (_, row) => {
    const cells = columns.map(
      (column) =>
        markup`<td class="${column.format}"${titleMarkup(column.values[row] ?? null)}>${columnText(column, row)}</td>`,
    )
    return markup`<tr>
      ${cells}
    </tr> `
  })
  const isWide = columns.length > PAPER_COLUMNS
  const note = `On paper the table ends at the margin, and after ${FIRST_ROWS} rows; the page and its file have all.`
  return markup`<div class="points" data-table="${id}" data-words="${words.join(' ')}">
    ${isWide || count > FIRST_ROWS ? markup`<p class="note on-paper">${note}</p>` : NOTHING}
    ${scrollTable({ caption, heads, rows })}
  </div> `
}
