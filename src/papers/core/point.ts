/**
 * Points of an experiment, known by their axes, and what is kept of their runs.
 */
import type { Scenario } from '../../lab/scenario/index.ts'

/** small: seconds to minutes of processor time, for tests and a first impression; full: as in the paper. */
export type Size = 'small' | 'full'

export type AxisValue = string | number

/** The varied parameters of a run by axis: `{recovery: 'irn', pfc: 'off'}`; identifies it together with its seed. */
export type At = Readonly<Record<string, AxisValue>>

/** One run. */
export interface Point<A extends At = At> {
  readonly at: A
  readonly seed: number
  readonly scenario: Scenario
}

/** The numbers kept of a run, with units in their names; NaN where there is nothing to measure. */
export type Measures = Readonly<Record<string, number>>

/** A point that was run. */
export interface Outcome {
  readonly at: At
  readonly seed: number
  /** Digest of the run's events. */
  readonly digest: string
  readonly measures: Measures
}

/** Equal for equal axes, whatever their order, and for 8 and '8', which a CSV does not tell apart. */
export function keyOf(at: At): string {
  return Object.keys(at)
    .toSorted()
    .map((axis) => `${axis} ${at[axis]}`)
    .join(', ')
}
