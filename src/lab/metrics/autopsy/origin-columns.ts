/**
 * Origin columns: for each message the origin of most of its pauses, and that of most of its waits.
 */
import { ALL_PARTS, type Part } from '../../../core/results/flow-parts.ts'
import type { Column } from '../../../core/results/table.ts'
import { NO_ORIGIN, type Origin } from '../pauses/origins.ts'
import type { BlameRows } from './blame-rows.ts'
import { messageRows } from './part-columns.ts'
import { Weights } from './blame.ts'

/**
 * @param pairOf queue pair of each row of the table, whose messages are in the order of their numbers
 * @param waitPs of each row, its waits of these parts
 */
export function originColumns(
  pairOf: Float64Array,
  waitPs: Float64Array,
  parts: readonly Part[],
  blames: BlameRows,
  origins: readonly Origin[],
): Column[] {
  const rowOf = messageRows(pairOf)
  const sorted = sortedByRow(blames, rowOf, pairOf.length, (part) => parts[part]?.isWait ?? false)
  const heldBy = named('heldBy', sorted, () => true, origins)
  const heldPs = heldBy.at(-1)!.data as Float64Array
  const share = heldPs.map((ps, row) => (ps === 0 ? 0 : ps / waitPs[row]!))
  return [
    ...named('pausedBy', sorted, (part) => ALL_PARTS[part]!.isPause, origins),
    ...heldBy,
    { name: 'heldByShare', type: 'number', data: share },
  ]
}

/** Blame by row of the table: that of row i is at `from[i]` up to `from[i + 1]`. */
interface SortedBlame {
  readonly from: Int32Array
  readonly part: Uint8Array
  readonly origin: Int32Array
  readonly spanPs: Float64Array
}

/** There may be millions of messages: they are sorted by counting. */
function sortedByRow(
  blames: BlameRows,
  rowOf: (pair: number, message: number) => number,
  rowCount: number,
  isCounted: (part: number) => boolean,
): SortedBlame {
  const from = new Int32Array(rowCount + 1)
  blames.visit((pair, message, part) => {
    if (isCounted(part)) from[rowOf(pair, message) + 1]!++
  })
  for (let row = 0; row < rowCount; row++) from[row + 1]! += from[row]!
  const count = from[rowCount]!
  const sorted = { part: new Uint8Array(count), origin: new Int32Array(count), spanPs: new Float64Array(count) }
  const next = from.slice()
  blames.visit((pair, message, part, origin, spanPs) => {
    if (!isCounted(part)) return
    const at = next[rowOf(pair, message)]!++
    sorted.part[at] = part
    sorted.origin[at] = origin
    sorted.spanPs[at] = spanPs
  })
  return { from, ...sorted }
}

/** Columns with the origin that has most of some parts of each row: its name, kind, position and time. */
function named(
  name: string,
  { from, part, origin, spanPs }: SortedBlame,
  isCounted: (part: number) => boolean,
  origins: readonly Origin[],
): Column[] {
  const rowCount = from.length - 1
  const most = new Int32Array(rowCount).fill(NO_ORIGIN)
  const mostPs = new Float64Array(rowCount)
  const byOrigin = new Weights()
  for (let row = 0; row < rowCount; row++) {
    byOrigin.clear()
    for (let at = from[row]!; at < from[row + 1]!; at++)
      if (isCounted(part[at]!)) byOrigin.add(origin[at]!, spanPs[at]!)
    most[row] = byOrigin.most
    mostPs[row] = byOrigin.amountOf(byOrigin.most)
  }
  const texts = (of: (one: Origin) => string): string[] =>
    Array.from(most, (number) => (number === NO_ORIGIN ? '' : of(origins[number]!)))
  const numbers = (of: (one: Origin) => number): Float64Array =>
    Float64Array.from(most, (number) => (number === NO_ORIGIN ? -1 : of(origins[number]!)))
  return [
    { name, type: 'text', data: texts((one) => one.name) },
    { name: `${name}Kind`, type: 'text', data: texts(({ kind }) => kind) },
    { name: `${name}Node`, type: 'integer', data: numbers(({ node }) => node) },
    { name: `${name}Port`, type: 'integer', data: numbers(({ port }) => port) },
    { name: `${name}Ps`, type: 'number', data: mostPs },
  ]
}
