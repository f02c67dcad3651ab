/**
 * Completions: completion time and slowdown of every flow of a result, at one end point.
 */
import type { Result } from './result.ts'
import { findColumn, numbersOf, textsOf } from './table.ts'

/** Completion of every flow at one end point; shapes: one entry a row of `flows`. */
export interface Completions {
  /** End - start, ps; NaN where unfinished. */
  readonly completionPs: Float64Array
  /** Completion / ideal; NaN where unfinished. */
  readonly slowdown: Float64Array
  /** Completion in an idle network, ps; known of unfinished flows too. */
  readonly idealPs: Float64Array
}

/** Completion times and slowdowns of all flows, at the end point that the result names or another; of READs at the requester. */
export function completionsOf(result: Result, completion: 'receiver' | 'sender' = result.completion): Completions {
  const { flows } = result
  const startPs = numbersOf(flows, 'startPs')
  const operation = findColumn(flows, 'operation') === undefined ? [] : textsOf(flows, 'operation')
  const atReceiver = { endPs: numbersOf(flows, 'receivedPs'), idealPs: numbersOf(flows, 'idealPs') }
  const atSender = { endPs: numbersOf(flows, 'acknowledgedPs'), idealPs: numbersOf(flows, 'idealAcknowledgedPs') }
  const completionPs = new Float64Array(flows.rowCount)
  const slowdown = new Float64Array(flows.rowCount)
  const ideals = new Float64Array(flows.rowCount)
  for (let row = 0; row < flows.rowCount; row++) {
    const { endPs, idealPs } = completion === 'receiver' || operation[row] === 'read' ? atReceiver : atSender
    const tookPs = (endPs[row] as number) - (startPs[row] as number)
    completionPs[row] = tookPs
    slowdown[row] = tookPs / (idealPs[row] as number)
    ideals[row] = idealPs[row] as number
  }
  return { completionPs, slowdown, idealPs: ideals }
}

/** Rows of finished flows whose status says that their sender never received the acknowledgement. */
export function unacknowledgedRows(result: Result): number[] {
  const { completionPs } = completionsOf(result)
  const status = textsOf(result.flows, 'status')
  const rows: number[] = []
  for (let row = 0; row < completionPs.length; row++) {
    if (status[row] !== 'finished' && !Number.isNaN(completionPs[row])) rows.push(row)
  }
  return rows
}
