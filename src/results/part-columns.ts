/**
 * Columns of parts: those that the completion times of a result consist of, at the end that it measures.
 */
import { ALL_PARTS, type Part, PARTS } from './flow-parts.ts'
import type { Result } from './result.ts'
import { findColumn, numbersOf } from './table.ts'

type Completion = Result['completion']

/** Parts of a completion at this end, by number. */
export function partsOf(completion: Completion): readonly Part[] {
  return completion === 'sender' ? ALL_PARTS : PARTS
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
