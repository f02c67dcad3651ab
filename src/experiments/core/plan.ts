/**
 * Plan of an experiment: the runs that it needs, the numbers kept of each run, and the findings drawn from all of them.
 * Each of the three can be tested on its own. No more than a batch of whole results is held at a time.
 */
import type { Result } from '../../results/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import type { Findings } from './findings.ts'
import type { Runs } from './runs.ts'

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

export interface PlanHead {
  readonly name: string
  readonly title: string
  /** Paper and figure. */
  readonly source: string
  /** A paragraph on the runs and what they show. */
  readonly help: string
  /** The runs of each size in a few words. */
  readonly sizes: Readonly<Record<Size, string>>
  /** Results held at a time, 16 by default. Experiments with many short runs use more, since each batch starts threads. */
  readonly batch?: number
  /** Source of the claims: a paper (the default) or expectations of our own, which are not in claims.json. */
  readonly claimsOf?: 'paper' | 'ours'
}

export interface Plan<A extends At = At> extends PlanHead {
  points(size: Size, seed: number): readonly Point<A>[]
  measure(result: Result, point: Point<A>): Measures
  conclude(runs: Runs, size: Size): Findings
}

/** Equal for equal axes, whatever their order, and for 8 and '8', which a CSV does not tell apart. */
export function keyOf(at: At): string {
  return Object.keys(at)
    .toSorted()
    .map((axis) => `${axis} ${at[axis]}`)
    .join(', ')
}
