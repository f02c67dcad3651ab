/**
 * Tables as text: aligned columns, a rule below the head, no colours and no vertical lines, so that they can be
 * pasted anywhere. Numbers stand right, texts left. Every character is taken to be one column of the terminal wide.
 */
import { assert } from '../core/base/assert.ts'
import { escapeControls } from '../core/base/control-characters.ts'
import { mostOf } from '../core/base/extremes.ts'

export interface TextColumn {
  /** No head and no rule when all heads are empty. */
  readonly head: string
  /** Right for numbers; left unless given. */
  readonly align?: 'left' | 'right'
}

export interface TextOptions {
  /** Columns of the terminal; long texts are wrapped to fit. Unlimited unless given. */
  readonly width?: number
  /** True: nothing but ASCII in what is drawn; cells stay as they are. */
  readonly ascii?: boolean
}

/** Between columns. */
const GAP = '  '
/** A column is not wrapped below this width, even when the table then stays too wide. */
const NARROWEST = 10

/** A column of numbers. */
export const right = (head: string): TextColumn => ({ head, align: 'right' })

/** Rows of a name and what there is to say of it, without heads. */
export function factsTable(rows: readonly (readonly string[])[], options: TextOptions = {}): string {
  return textTable(['', ''], rows, options)
}

/** The table as lines, each ended by a line feed. A row has one cell a column; a cell may hold line feeds, and its controls are shown as numbers. */
export function textTable(
  heading: readonly (TextColumn | string)[],
  cells: readonly (readonly string[])[],
  options: TextOptions = {},
): string {
  const columns = heading.map((one): TextColumn => (typeof one === 'string' ? { head: one } : one))
  const rows = cells.map((row) => row.map(escapeControls))
  const hasHead = columns.some((column) => column.head !== '')
  const heads = columns.map((column) => escapeControls(column.head))
  const widths = fittedWidths(columns, hasHead ? [heads, ...rows] : rows, options.width ?? Infinity)
  const lines: string[] = []
  if (hasHead) {
    lines.push(...rowLines(columns, heads, widths))
    const rule = options.ascii === true ? '-' : '─'
    lines.push(widths.map((width) => rule.repeat(width)).join(GAP))
  }
  for (const row of rows) {
    for (const line of rowLines(columns, row, widths)) lines.push(line)
  }
  return lines.map((line) => `${line.trimEnd()}\n`).join('')
}

/** Natural widths, or, if these do not fit, the widest left-aligned columns cut down first. */
function fittedWidths(columns: readonly TextColumn[], rows: readonly (readonly string[])[], limit: number): number[] {
  const widths = columns.map((_, c) =>
    rows.reduce((widest, row) => {
      assert(row.length === columns.length, 'text table: a row has one cell a column')
      return Math.max(widest, mostOf((row[c] ?? '').split('\n').map(lengthOf)))
    }, 0),
  )
  let excess = widths.reduce((total, width) => total + width, GAP.length * (widths.length - 1)) - limit
  while (excess > 0) {
    let widest = -1
    for (let c = 0; c < widths.length; c++) {
      const isWider = widest < 0 || (widths[c] ?? 0) > (widths[widest] ?? 0)
      if (columns[c]?.align !== 'right' && isWider) widest = c
    }
    const width = widths[widest]
    if (width === undefined || width <= NARROWEST) break
    widths[widest] = width - 1
    excess--
  }
  return widths
}

/** One row as lines: as many as its most wrapped cell. */
function rowLines(columns: readonly TextColumn[], cells: readonly string[], widths: readonly number[]): string[] {
  const wrapped = cells.map((cell, c) => wrap(cell, widths[c] ?? 0))
  const height = Math.max(1, ...wrapped.map((lines) => lines.length))
  return Array.from({ length: height }, (_, i) =>
    columns
      .map((column, c) => {
        const text = wrapped[c]?.[i] ?? ''
        const blanks = ' '.repeat(Math.max(0, (widths[c] ?? 0) - lengthOf(text)))
        return column.align === 'right' ? blanks + text : text + blanks
      })
      .join(GAP),
  )
}

/** Lines of at most `width`, broken between words; a longer word is cut. */
function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    if (lengthOf(paragraph) <= width) return [paragraph]
    const lines: string[] = []
    let line = ''
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`
      if (lengthOf(longer) <= width) {
        line = longer
        continue
      }
      if (line !== '') lines.push(line)
      const pieces = Array.from(word)
      while (pieces.length > width) lines.push(pieces.splice(0, width).join(''))
      line = pieces.join('')
    }
    return [...lines, line]
  })
}

/** Code points, so that a character outside the basic plane counts once. */
function lengthOf(text: string): number {
  return Array.from(text).length
}
