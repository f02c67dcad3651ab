/**
 * Finding: a fact about a scenario, an import or a run that its user should know, as data: what it is (`id`), where it
 * holds, the numbers that it rests on. Words come last: a kind of the catalogue has the sentence, and renderers use it.
 */

/** Levels of SARIF. error: what no one intends; warning: probably not intended; note: worth knowing. */
export const SEVERITIES = ['note', 'warning', 'error'] as const
export type Severity = (typeof SEVERITIES)[number]

export type Value = number | string | boolean | null | readonly Value[] | { readonly [name: string]: Value }
/** Units are the last part of the names: `kminBytes`, `timePs`. */
export type Values = Readonly<Record<string, Value>>
/** No values: the place says all. */
export type NoValues = Readonly<Record<string, never>>

/** Where a finding holds, as far as that is not everywhere and always. */
export interface Subject {
  /** Name of a node: "leaf 1". */
  readonly device?: string
  /** Name of the node at the other end of its link. */
  readonly port?: string
  /** Port by the name that its device gives it: "Ethernet1/1". */
  readonly interface?: string
  readonly trafficClass?: number
  readonly queuePair?: number
  /** Row of flows.csv. */
  readonly flow?: number
  /** Tags of workloads with schemes of their own: "a, b". */
  readonly workload?: string
  /** Parameter that sets it. */
  readonly path?: string
  /** From a time after the start, picoseconds. */
  readonly atPs?: number
  /** Number of the packet in a capture, from 1. */
  readonly frame?: number
  /** Input in which it was found, and its line from 1. */
  readonly file?: string
  readonly line?: number
}

/** Where else the same holds, and with which values. */
export interface Spot {
  readonly subject: Subject
  readonly values: Values
}

export interface Finding extends Spot {
  /** The kind has the words; nothing needs to look it up. */
  readonly kind: FindingKind
  /** That of the kind. It never changes its meaning. */
  readonly id: string
  readonly severity: Severity
  /** Tables of the result that show it, by kind ("drops"); empty for what a scenario says by itself. */
  readonly evidence: readonly string[]
  /** Further places, the worst first. */
  readonly also: readonly Spot[]
  /** Id of the finding that it follows from: with that one it goes. */
  readonly follows?: string
}

/** A kind: all that findings of one id share. */
export interface FindingKind<V extends Values = Values> {
  /** Unique. Words of small letters, joined by dashes. */
  readonly id: string
  /** Ids that it had before: suppressions may name them. */
  readonly formerIds?: readonly string[]
  readonly severity: Severity
  /** Its meaning, in a sentence or two for a person who meets it for the first time. */
  readonly meaning: string
  /** The comparison that finds it, where it is one. */
  readonly formula?: string
  /** Paper, standard or manual; "" where it follows from the model alone. */
  readonly source: string
  /** The remedy in general. */
  readonly remedy: string
  readonly evidence?: readonly string[]
  /** The sentence, without its place and without what to do. */
  text(values: V, subject: Subject): string
  /** The remedy here, where the values tell more than `remedy`; "" if the sentence says all. */
  advice?(values: V, subject: Subject): string
  /** How bad it is at a place; places are listed from the largest. Absent: in the order in which they were found. */
  weight?(values: V): number
}

/** Defines a kind. It is listed in catalogue.ts, or by the check that finds it. */
export function defineFinding<V extends Values>(kind: FindingKind<V>): FindingKind<V> {
  return kind
}

/** A finding of a kind at one place. */
export function foundAt<V extends Values>(kind: FindingKind<V>, subject: Subject, values: V): Finding {
  const { id, severity, evidence = [] } = kind
  return { kind, id, severity, subject, values, evidence, also: [] }
}

export function isAtLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least)
}
