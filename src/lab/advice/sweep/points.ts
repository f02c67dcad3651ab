/**
 * Points of a sweep: the scenarios that are run and the parameters that are varied. Points are sorted by combination of
 * values, the last parameter fastest, and by seed within a combination.
 */

/** One varied parameter and its values, as text. */
export interface Axis {
  readonly path: string
  readonly values: readonly string[]
}

/** One combination of values with one seed. */
export interface Point {
  readonly id: number
  /** Identifies the computation: hash of the complete scenario and the program. */
  readonly key: string
  readonly values: Readonly<Record<string, string>>
  readonly seed: number
  readonly scenarioText: string
}

export interface Plan {
  readonly name: string
  readonly axes: readonly Axis[]
  readonly seeds: readonly number[]
  readonly points: readonly Point[]
  /** Hash of the keys of all points. */
  readonly key: string
}
