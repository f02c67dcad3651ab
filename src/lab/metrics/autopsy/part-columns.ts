/**
 * Part columns: the parts of messages as columns of the flow table.
 */
import { type Part, PARTS } from '../../../core/results/flow-parts.ts'
import type { Column } from '../../../core/results/table.ts'
import type { BlameRows } from './blame-rows.ts'

/**
 * A column per part, for a table with a row a message, NaN where nothing is known. Parts of the ACK may be known later.
 * @param pairOf queue pair of each row of the table, whose messages are in the order of their numbers
 */
export function partColumns(
  rows: BlameRows,
  pairOf: Float64Array,
  parts: readonly Part[],
): (Column & { readonly data: Float64Array })[] {
  const rowOf = messageRows(pairOf)
  const columns = parts.map(({ column }) => ({
    name: column,
    type: 'number' as const,
    data: new Float64Array(pairOf.length).fill(NaN),
  }))
  const [own, ack] = [columns.slice(0, PARTS.length), columns.slice(PARTS.length)]
  rows.visit((pair, message, part, _, spanPs) => {
    const to = rowOf(pair, message)
    const those = part < PARTS.length ? own : ack
    if (Number.isNaN(those[0]!.data[to])) for (const { data } of those) data[to] = 0
    columns[part]!.data[to] = spanPs
  })
  return columns
}

/** Row of a message in a table, by queue pair and number. */
export function messageRows(pairOf: Float64Array): (pair: number, message: number) => number {
  const pairs = pairOf.reduce((most, pair) => Math.max(most, pair + 1), 0)
  const from = new Int32Array(pairs + 1)
  for (const pair of pairOf) from[pair + 1]!++
  for (let pair = 0; pair < pairs; pair++) from[pair + 1]! += from[pair]!
  const rows = new Int32Array(pairOf.length)
  const next = from.slice()
  pairOf.forEach((pair, row) => (rows[next[pair]!++] = row))
  return (pair, message) => rows[from[pair]! + message]!
}
