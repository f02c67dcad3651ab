/** Matrix: bytes that each position of a group sends to each, and what their sum means for the network. */
import type { Issue } from '../../../base/issue.ts'
import { formatQuantity, parseQuantity } from '../../../base/units.ts'

/** Bytes by source and destination; those on the diagonal stay where they are. */
export type Matrix = readonly (readonly number[])[]

/**
 * Reads a matrix.
 * @param lines one for each of n positions: n sizes, "4KiB" or a number of bytes
 * @param issues with lines, at "matrix.N"
 */
export function readMatrix(lines: readonly string[], n: number, elementBytes: number, issues: Issue[]): Matrix {
  if (lines.length !== n) {
    const received = `${lines.length} lines`
    issues.push({ path: 'matrix', expected: `a line for each of ${n} positions`, received, hint: '' })
    return []
  }
  return lines.map((line, row) => {
    const words = line.trim().split(/[\s,]+/)
    const sizes = words.map((word) => parseQuantity('size', /^\d+$/.test(word) ? `${word}B` : word))
    const wrong = sizes.findIndex((bytes) => bytes === undefined || bytes % elementBytes !== 0)
    const unit = formatQuantity('size', elementBytes)
    if (words.length !== n) {
      issues.push({ path: `matrix.${row}`, expected: `${n} sizes`, received: `${words.length}`, hint: '' })
    } else if (wrong >= 0) {
      const expected = `sizes that are multiples of element, ${unit}, such as 4KiB`
      issues.push({ path: `matrix.${row}`, expected, received: `"${words[wrong]!}"`, hint: '' })
    }
    return sizes.map((bytes) => bytes ?? 0)
  })
}

/** Bytes that the busiest position sends or receives. */
export function busiestBytes(matrix: Matrix): number {
  const received = matrix.map(() => 0)
  let most = 0
  matrix.forEach((row, from) => {
    let sent = 0
    row.forEach((bytes, to) => {
      if (from === to) return
      sent += bytes
      received[to]! += bytes
    })
    most = Math.max(most, sent)
  })
  return received.reduce((least, each) => Math.max(least, each), most)
}
