/**
 * Tables as SONiC's commands print them: a line of names, a line of dashes that shows the columns, and rows.
 * Source: sonic-utilities (tabulate, form "simple").
 */
import type { Line } from '../text.ts'

export interface ShownTable {
  /** Line above the names; '': none. */
  readonly title: string
  readonly headers: readonly string[]
  readonly rows: readonly { readonly line: Line; readonly cells: readonly string[] }[]
  /** A last line of the text that has fewer columns; null: none. */
  readonly cut: Line | null
}

/** Dashes of two columns or more; those of one are an end. */
const DASHES = /^[ \t]*-+[ \t]+-[ \t-]*$/

/** Tables of a text, and the lines that belong to none. */
export function tablesIn(lines: readonly Line[]): { tables: ShownTable[]; others: Line[] } {
  const tables: ShownTable[] = []
  const isPart = new Set<number>()
  for (let i = 1; i < lines.length; i++) {
    const columns = [...(DASHES.test(lines[i]!.text) ? lines[i]!.text.matchAll(/-+/g) : [])]
    if (columns.length === 0) continue
    const extents = columns.map((match) => [match.index, match.index + match[0].length] as const)
    const headers = cellsOf(lines[i - 1]!.text, extents)
    if (headers === undefined) continue
    const rows: { line: Line; cells: readonly string[] }[] = []
    isPart.add(i - 1).add(i)
    let next = i + 1
    for (; next < lines.length && !DASHES.test(lines[next + 1]?.text ?? ''); next++) {
      const line = lines[next]!
      const cells = cellsOf(line.text, extents)
      if (cells === undefined) break
      rows.push({ line, cells })
      isPart.add(next)
    }
    const isLast = lines.slice(next + 1).every((line) => line.text.trim() === '')
    const cut = isLast && isPartOfRow(lines[next]?.text ?? '') ? lines[next]! : null
    if (cut !== null) isPart.add(next)
    tables.push({ title: lines[i - 2]?.text.trim() ?? '', headers, rows, cut })
    i = next - 1
  }
  return { tables, others: lines.filter((line, i) => !isPart.has(i) && line.text.trim() !== '') }
}

/** Neither empty, nor dashes, nor a prompt. */
const isPartOfRow = (text: string): boolean => /[^\s-]/.test(text) && !/[$#>]\s*$/.test(text)

/** Cells of a line: by the spaces between them, or, where one is empty, by their places. Undefined: it is no row. */
function cellsOf(text: string, extents: readonly (readonly [number, number])[]): string[] | undefined {
  const cells = text.trim().split(/ {2,}| ?\t+ ?/)
  if (cells.length === extents.length) return cells
  const [firstBegin, firstEnd] = extents[0]!
  const [lastBegin, lastEnd] = extents.at(-1)!
  const isBeyond = text.slice(lastEnd).trim() !== '' || text.slice(0, firstBegin).trim() !== ''
  if (isBeyond || text.slice(lastBegin).trim() === '' || text.slice(0, firstEnd).trim() === '') return undefined
  const between = extents.slice(1).every(([begin], i) => text.slice(extents[i]![1], begin).trim() === '')
  return between ? extents.map(([begin, end]) => text.slice(begin, end).trim()) : undefined
}
