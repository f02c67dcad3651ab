/**
 * Rows: lines of tables that a switch prints, as words.
 */
import type { Facts } from '../facts.ts'
import type { Line, Part } from '../text.ts'

export interface Row {
  readonly line: Line
  readonly words: readonly string[]
}

/** Rows of a table. A line in which the file ends is none: its last number may have lost digits. */
export function rowsOf(part: Part, facts: Facts): Row[] {
  const lines = part.endsInLine === true ? part.lines.slice(0, -1) : part.lines
  if (lines.length < part.lines.length) facts.truncated = { line: part.lines.at(-1)!, expected: 'the rest of the line' }
  return lines.map((line) => ({ line, words: line.text.trim().split(/\s+/) })).filter(({ words }) => words[0] !== '')
}
