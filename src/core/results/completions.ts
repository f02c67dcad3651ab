/**
 * Completions: completion time and slowdown of every flow of a result, at one end point.
 */
import type { Result } from './result.ts'
import { findColumn, numbersOf, numbersOnce, textsOf } from './table.ts'

/** Completion of every flow at one end point; shapes: one entry a row of `flows`. */
export interface Completions {
  /** End - start, ps; NaN where unfinished. */
  readonly completionPs: Float64Array
  /** Completion / ideal; NaN where unfinished. */
  readonly slowdown: Float64Array
  /** Completion in an idle network, ps; known of unfinished flows too. */
  readonly idealPs: Float64Array
}

/** Columns that completion times are made of. */
export const COMPLETION_COLUMNS: readonly string[] = ['startPs', 'operation', 'receivedPs', 'acknowledgedPs']

/** Completions by result and end: every section of a report asks for them. */
const KNOWN = new WeakMap<Result, Map<'receiver' | 'sender', Completions>>()

/**
 * Completion times and slowdowns of all flows, at the end point that the result names or another; of READs at the requester.
 * Those who ask for the same get the same arrays.
 */
export function completionsOf(result: Result, completion: 'receiver' | 'sender' = result.completion): Completions {
  const byEnd = KNOWN.get(result) ?? new Map<'receiver' | 'sender', Completions>()
  KNOWN.set(result, byEnd)
  const known = byEnd.get(completion)
  if (known !== undefined) return known
  const completionPs = completionTimesOf(result, completion)
  const idealPs = atEnd(result, completion, ['idealPs', 'idealAcknowledgedPs'])
  const completions = { completionPs, slowdown: completionPs.map((tookPs, row) => tookPs / idealPs[row]!), idealPs }
  byEnd.set(completion, completions)
  return completions
}

/** Completion times of all flows alone. */
export function completionTimesOf(result: Result, completion: 'receiver' | 'sender'): Float64Array {
  const startPs = numbersOf(result.flows, 'startPs')
  const endPs = atEnd(result, completion, ['receivedPs', 'acknowledgedPs'])
  return endPs.map((ps, row) => ps - startPs[row]!)
}

/** The column of that end point, of READs the receiver's. */
function atEnd(
  { flows }: Result,
  completion: 'receiver' | 'sender',
  [atReceiver, atSender]: readonly [string, string],
): Float64Array {
  if (completion === 'receiver') return numbersOnce(flows, atReceiver)
  const operation = findColumn(flows, 'operation') === undefined ? [] : textsOf(flows, 'operation')
  const ofSender = numbersOnce(flows, atSender)
  if (!operation.includes('read')) return ofSender
  const ofReceiver = numbersOnce(flows, atReceiver)
  return ofSender.map((value, row) => (operation[row] === 'read' ? ofReceiver[row]! : value))
}
