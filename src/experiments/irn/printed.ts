/**
 * Looks up the values printed in the IRN paper's Tables 3 to 9 (printed-cells.ts), by setting and congestion control.
 */
import { assert } from '../../base/assert.ts'
import { MS } from '../../base/index.ts'
import type { Control } from './default-case.ts'
import { PRINTED_CELLS } from './printed-cells.ts'

/** The three metrics in the order of METRICS; of each IRN's value, its ratio to IRN with PFC and to RoCE with PFC. */
type PrintedRows = readonly (readonly [irn: number, overIrnPfc: number, overRocePfc: number])[]

/** The setting that is the default case of section 4.1. */
export const DEFAULT_SETTING = '70 %'

/** Number of the table that has the setting of that name: "90 %", "10 Gb/s", "N = 15". */
export function printedTable(name: string): number {
  const cells = PRINTED_CELLS.find(([, setting]) => setting === name)
  assert(cells !== undefined, `the IRN paper has no setting ${name}`)
  return cells[0]
}

/** The printed values of a setting under a control, times in picoseconds. All readings of TIMELY share its rows. */
export function printedRows(name: string, control: Control): PrintedRows {
  const printedControl = control.startsWith('timely') ? 'timely' : control === 'dcqcn' ? 'dcqcn' : 'none'
  const cells = PRINTED_CELLS.find(([, setting, own]) => setting === name && own === printedControl)
  assert(cells !== undefined, `the IRN paper has no setting ${name}`)
  const [, , , ...values] = cells
  return [0, 3, 6].map((from) => {
    const [irn, overIrnPfc, overRocePfc] = values.slice(from, from + 3) as [number, number, number]
    return [from === 0 ? irn : irn * MS, overIrnPfc, overRocePfc]
  })
}
