/**
 * Columns of parts: those that the completion times of a result consist of, at the end that it measures.
 */
import { ALL_PARTS, LIFE_ORDER, type Part, PARTS } from './flow-parts.ts'
import type { Result } from './result.ts'
import { findColumn, numbersOf, type Table } from './table.ts'

type Completion = Result['completion']

/** Parts of a completion at this end, by number. */
export function partsOf(completion: Completion): readonly Part[] {
  return completion === 'sender' ? ALL_PARTS : PARTS
}

/** The same in the order in which a message has them. */
export function lifeOf(completion: Completion): readonly Part[] {
  const { length } = partsOf(completion)
  return LIFE_ORDER.flatMap((part) => (part < length ? [ALL_PARTS[part]!] : []))
}

/** Whether a flow table has all of them: the run had an autopsy. */
export function isExplained({ flows, completion }: Pick<Result, 'flows' | 'completion'>): boolean {
  return partsOf(completion).every(({ column }) => findColumn(flows, column) !== undefined)
}

/** The time of each flow in a part; 0 in those of an ACK that it does not have, as with a READ. */
export function spansOf({ flows }: Pick<Result, 'flows'>, { column }: Part): Float64Array {
  const spansPs = numbersOf(flows, column)
  return ACK_COLUMNS.has(column) ? spansPs.map((ps) => (Number.isNaN(ps) ? 0 : ps)) : spansPs
}

const ACK_COLUMNS: ReadonlySet<string> = new Set(ALL_PARTS.slice(PARTS.length).map(({ column }) => column))

/**
 * By row of a table with a queue pair and the number of a message there: the row of the flow table, in which the messages of
 * a queue pair are in their order; -1: it has none.
 */
export function flowsOfMessages(flows: Table, table: Table): Float64Array {
  const rows = new Map<number, number[]>()
  numbersOf(flows, 'pair').forEach((pair, row) => {
    const known = rows.get(pair)
    if (known === undefined) rows.set(pair, [row])
    else known.push(row)
  })
  const messages = numbersOf(table, 'message')
  return numbersOf(table, 'pair').map((pair, row) => rows.get(pair)?.[messages[row]!] ?? -1)
}
