/**
 * Dialect: a form in which devices print or keep settings and counters. A form is one file, and one line in index.ts.
 */
import type { Facts } from './facts.ts'
import type { Part, Start } from './text.ts'

/** Languages of configurations. */
export type Language =
  | 'mlnx_qos'
  | 'nicctl'
  | 'niccli'
  | 'lldptool'
  | 'host'
  | 'sonic'
  | 'sonic-cli'
  | 'nx-os'
  | 'eos'
  | 'os10'
  | 'junos'
  | 'nvue'

export interface Dialect {
  /** Unique: "mlnx_qos", "nx-os". */
  readonly name: string
  /** Language in which its device is configured, as remedies are written; absent: it does not tell. */
  readonly language?: Language
  /** As people call it: "mlnx_qos -i IF". */
  readonly title: string
  /** The command that prints it and changes nothing, with IF or DEV where a name belongs; '': none does. */
  readonly command: string
  /** First line of an output, where others may stand above it without the commands that made them. */
  readonly start?: Start
  /** Parts of the form that are not read, in a few words each. */
  readonly leavesOut: readonly string[]
  /** Whether the part is of this form, by its content alone. It has to be cheap: it is asked for every part. */
  recognises(part: Part): boolean
  /** Notes all that the part says. It never throws: lines that it cannot read are `remainder`. */
  read(part: Part, facts: Facts): void
}
