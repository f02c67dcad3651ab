/**
 * Tables of "nv show": columns start where the dashes under their titles do; keys are indented by what they belong to.
 * Source: NVIDIA Cumulus Linux User Guide.
 */
import type { Line } from '../text.ts'

export interface Row {
  readonly line: Line
  /** By column; those that the row does not reach are ''. */
  readonly cells: readonly string[]
  /** Spaces in front of the first cell. */
  readonly indent: number
}

export interface Table {
  /** Line of text above the titles that is not a rule; '': none. */
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
}

const DASHES = /^\s*-{2,}(?: +-{2,})*\s*$/
const COLUMNS_MAX = 64

function cut(text: string, starts: readonly number[]): string[] {
  return starts.map((start, i) => text.slice(i === 0 ? 0 : start, starts[i + 1]).trim())
}

/** Tables of a text; each ends at an empty line or at the next table. */
export function tablesOf(lines: readonly Line[]): Table[] {
  const tables: { title: string; columns: string[]; rows: Row[] }[] = []
  let starts: number[] = []
  let title = ''
  let isOpen = false
  for (const [i, line] of lines.entries()) {
    const { text } = line
    if (DASHES.test(text)) {
      starts = [...text.matchAll(/-+/g)].slice(0, COLUMNS_MAX).map((one) => one.index)
      tables.at(-1)?.rows.splice(isOpen ? -1 : tables.at(-1)!.rows.length, 1)
      tables.push({ title, columns: cut(lines[i - 1]?.text ?? '', starts), rows: [] })
      isOpen = true
    } else if (text.trim() === '' || /^=+$/.test(text.trim())) isOpen = false
    else if (isOpen)
      tables.at(-1)!.rows.push({ line, cells: cut(text, starts), indent: text.length - text.trimStart().length })
    else if (!text.startsWith(' ')) title = text.trim()
  }
  return tables
}

/** Values of a table of keys, by the keys that lead to them: "rx-stats/rx-pfc-stats/pause-packets". */
export function valuesOf(table: Table): Map<string, { value: string; row: Row }> {
  const values = new Map<string, { value: string; row: Row }>()
  const open: { indent: number; key: string }[] = []
  for (const row of table.rows) {
    while (open.length > 0 && open.at(-1)!.indent >= row.indent) open.pop()
    if (open.length > COLUMNS_MAX) break
    open.push({ indent: row.indent, key: row.cells[0] ?? '' })
    values.set(open.map((one) => one.key).join('/'), { value: row.cells[1] ?? '', row })
  }
  return values
}

/** Table of keys of "operational" and "applied" values; undefined: there is none. */
export function stateOf(tables: readonly Table[]): Table | undefined {
  return tables.find(({ columns }) => columns[1] === 'operational')
}
