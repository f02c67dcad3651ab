/**
 * A setting of the IRN paper's Tables 3 to 9.
 */
import { type Arm, DEFAULT } from '../arms.ts'
import type { NamedCell } from '../cells.ts'
import type { Control } from '../default-case.ts'
import { printedTable } from '../printed.ts'

/** The default case, or a difference from it. */
export interface Setting {
  readonly id: string
  /** The paper's name, if it has the setting. */
  readonly name: string
  /** Runs of IRN without PFC only (other sides have those of the default case), or of IRN with PFC and without control. */
  readonly only?: 'irn' | 'irn-pfc' | undefined
  /** Share of the hosts' links. */
  readonly load?: number
  /** Printed threshold of PFC. */
  readonly pauseKb?: number
  /** Changes to the scenario of an arm, as "path=value". */
  readonly sets?: (arm: Arm, arrivalsMs: number) => readonly string[]
}

export const cellOf = ({ id, name, only, pauseKb }: Setting, control: Control): NamedCell => ({
  control,
  setting: id,
  name,
  ...(only === 'irn' ? { pfcSetting: DEFAULT } : {}),
  ...(pauseKb === undefined ? {} : { pauseKb }),
})

export const isPrinted = ({ id }: Setting): boolean => printedTable(id) !== undefined
