/**
 * Run times: which part of a run was measured, and when flows that have no end stop counting. Picoseconds.
 */
import type { Result } from './result.ts'
import { numbersOf } from './table.ts'

/** Whether the measuring window is less than the whole run. */
export function hasWindow({ windowFromPs, windowToPs, simulatedPs }: Result): boolean {
  return windowFromPs > 0 || windowToPs < simulatedPs
}

/** Where a flow that did not finish stops counting: the end of the run, or of its progress if that ended after `firstPs`. */
export function endOfRunPs({ simulatedPs, stalledFromPs }: Result, firstPs: number): number {
  return stalledFromPs !== null && stalledFromPs > firstPs ? stalledFromPs : simulatedPs
}

/** From the first start of these flows to their last end; where one did not finish, to the end of the run. 0 of none. */
export function activePs(result: Result, completionPs: Float64Array, rows: Iterable<number>): number {
  const startPs = numbersOf(result.flows, 'startPs')
  let [firstPs, lastPs] = [Infinity, -Infinity]
  let hasOpen = false
  for (const row of rows) {
    firstPs = Math.min(firstPs, startPs[row]!)
    if (Number.isNaN(completionPs[row])) hasOpen = true
    else lastPs = Math.max(lastPs, startPs[row]! + completionPs[row]!)
  }
  if (firstPs === Infinity) return 0
  return (hasOpen ? Math.max(endOfRunPs(result, firstPs), lastPs) : lastPs) - firstPs
}
