/**
 * Rows: lines of tables that a switch prints, as words.
 */
import type { Facts } from '../facts.ts'
import type { Line, Part } from '../text.ts'
import { isPort, longName } from './interfaces.ts'

export interface Row {
  readonly line: Line
  readonly words: readonly string[]
}

/** Ends of tables, which no number of a row follows. */
const FOOTER = /^(?:Total entries|[-+|= ]+$)/

/** Rows of a table. A line in which the file ends is none: its last number may have lost digits. */
export function rowsOf(part: Part, facts: Facts): Row[] {
  const isCut = part.endsInLine === true && !FOOTER.test(part.lines.at(-1)!.text.trim())
  const lines = isCut ? part.lines.slice(0, -1) : part.lines
  if (isCut) facts.cut(part.lines.at(-1)!, 'the rest of the line')
  return lines.map((line) => ({ line, words: line.text.trim().split(/\s+/) })).filter(({ words }) => words[0] !== '')
}

/** Rows that begin with an Ethernet port. @param ethernet word of the dialect for them */
export function portRowsOf(part: Part, facts: Facts, ethernet: string): (Row & { readonly port: string })[] {
  const rows = rowsOf(part, facts).map((row) => ({ ...row, port: longName(row.words[0]!, ethernet) }))
  return rows.filter(({ port }) => isPort(port, ethernet))
}
