/**
 * Run times: which part of a run was measured, and when flows that have no end stop counting. Picoseconds.
 */
import type { Result } from './result.ts'

/** Whether the measuring window is less than the whole run. */
export function hasWindow({ windowFromPs, windowToPs, simulatedPs }: Result): boolean {
  return windowFromPs > 0 || windowToPs < simulatedPs
}

/** Where a flow that did not finish stops counting: the end of the run, or of its progress if that ended after `firstPs`. */
export function endOfRunPs(
  { simulatedPs, stalledFromPs }: Pick<Result, 'simulatedPs' | 'stalledFromPs'>,
  firstPs: number,
): number {
  return stalledFromPs !== null && stalledFromPs > firstPs ? stalledFromPs : simulatedPs
}
