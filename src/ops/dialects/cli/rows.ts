/**
 * Rows: lines of tables that a switch prints, as words.
 */
import type { Facts } from '../facts.ts'
import type { Line, Part } from '../text.ts'

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
  if (isCut) facts.truncated = { line: part.lines.at(-1)!, expected: 'the rest of the line' }
  return lines.map((line) => ({ line, words: line.text.trim().split(/\s+/) })).filter(({ words }) => words[0] !== '')
}
