/**
 * Measures that many experiments keep of a run.
 */
import { numbersOf, type Result, sum, type Table } from '../../core/results/index.ts'

/** Packets dropped, for whatever reason. */
export const dropsOf = ({ counters }: Result): number => sum(Object.values(counters.drops))

export const timeoutsOf = ({ counters }: Result): number => sum(Object.values(counters.timeouts))

/** Values of a column in rows of the measuring window. */
export function inWindow(
  table: Table,
  time: string,
  column: string,
  { windowFromPs, windowToPs }: Result,
): Float64Array {
  const timePs = numbersOf(table, time)
  return numbersOf(table, column).filter((_, row) => timePs[row]! >= windowFromPs && timePs[row]! < windowToPs)
}

/** The rows of a table for which something holds. */
export function rowsWhere({ rowCount }: Table, holds: (row: number) => boolean): number[] {
  return Array.from({ length: rowCount }, (_, row) => row).filter(holds)
}
