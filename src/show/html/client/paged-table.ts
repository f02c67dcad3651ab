/**
 * Data tables: sorted by any head, filtered by columns, shown a part at a time, downloaded as they are sorted and filtered.
 */
import { shownName } from '../../../core/base/control-characters.ts'
import { cellText, columnText, cutName } from '../cells.ts'
import type { TableData } from '../page-data.ts'
import { all, button, element } from './dom.ts'
import { csvOf, download } from './download.ts'
import { addSortHeads, markSorted, orderOf, type Sort } from './sorting.ts'

/** Rows that are added at a time. */
const PART = 50

export interface PagedTableOptions {
  /** A row, and several. */
  readonly words: readonly [one: string, several: string]
  readonly sort?: Sort
  /** Names of columns whose values the reader may choose from. */
  readonly filters?: readonly string[]
  /** Opens a row, which is then pressed anywhere, or at the button in its first cell. */
  readonly open?: (row: number) => void
}

/** @param tables by the id of their place on the page. */
export function enhancePoints(tables: Readonly<Record<string, TableData>>): void {
  for (const root of all(document, '[data-table]', HTMLElement)) {
    const data = tables[root.dataset['table'] ?? '']
    const table = root.querySelector('table')
    const [one = 'row', several = 'rows'] = (root.dataset['words'] ?? '').split(' ')
    if (data !== undefined && table !== null) pageTable(data, table, { words: [one, several] })
  }
}

/** Puts heads, filters and the first rows into the page. */
export function pageTable(data: TableData, table: HTMLTableElement, options: PagedTableOptions): void {
  const { words, filters = [], open } = options
  const columns = data.columns.filter(({ isFileOnly }) => isFileOnly !== true)
  const every = Array.from({ length: columns[0]?.values.length ?? 0 }, (_, row) => row)
  const body = table.tBodies[0] ?? table.createTBody()
  const wanted = new Map<TableData['columns'][number], string>()
  let [rows, shown, sorted]: [readonly number[], number, Sort | undefined] = [every, PART, options.sort]

  const rowElement = (row: number): HTMLTableRowElement => {
    const cells = columns.map((column, i) => {
      const text = columnText(column, row)
      const isOpener = i === 0 && open !== undefined
      const label = `open ${words[0]} ${text}`
      const content = isOpener ? button({ class: 'open', 'aria-label': label }, () => open(row), text) : text
      return element('td', { class: column.format, title: cutName(column.values[row] ?? null) }, content)
    })
    const made = element('tr', {}, ...cells)
    made.addEventListener('click', (event) => {
      if (!(event.target instanceof HTMLButtonElement)) open?.(row)
    })
    return made
  }
  const draw = (): void => {
    body.replaceChildren(...rows.slice(0, shown).map(rowElement))
    more.hidden = shown >= rows.length
  }
  const more = button(
    { class: 'plain' },
    () => {
      shown += PART
      draw()
    },
    `Show ${PART} more ${words[1]}`,
  )
  const status = element('p', { class: 'count', role: 'status' })
  const save = (): void => download(data.name, csvOf(data, rows))
  const csv = button({ class: 'plain csv', 'aria-label': `Download as CSV: ${data.name}` }, save, 'Download as CSV')
  const update = (): void => {
    rows = every.filter((row) => [...wanted].every(([{ values }, value]) => String(values[row] ?? '') === value))
    if (sorted !== undefined) {
      const compare = orderOf(columns[sorted.column])
      const sign = sorted.isDescending ? -1 : 1
      rows = rows.toSorted((a, b) => sign * compare(a, b) || a - b)
      markSorted(table, sorted)
    }
    status.textContent = `${cellText(rows.length, 'count')} ${words[rows.length === 1 ? 0 : 1]}`
    draw()
  }
  const selects = columns.flatMap((column) => {
    const values = filters.includes(column.name) ? [...new Set(column.values.map(String))].toSorted() : []
    if (values.length < 2) return []
    const choices = values.map((value) => element('option', { value }, value === '' ? 'none' : shownName(value)))
    const select = element('select', {}, element('option', { value: '*' }, 'all'), ...choices)
    select.addEventListener('change', () => {
      if (select.value === '*') wanted.delete(column)
      else wanted.set(column, select.value)
      shown = PART
      update()
    })
    return [element('label', {}, `${column.name} `, select)]
  })
  const isText = (column: number): boolean => columns[column]?.format === 'text'
  const onSort = (sort: Sort): void => {
    sorted = sort
    update()
  }
  addSortHeads(table, isText, () => sorted, onSort)
  const scroll = table.parentElement ?? table
  scroll.before(element('div', { class: 'controls' }, ...selects, status, csv))
  scroll.after(more)
  update()
}
