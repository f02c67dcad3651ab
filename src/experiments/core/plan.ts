/**
 * Plan of an experiment: the runs that it needs, the numbers kept of each run, and the findings drawn from all of them.
 * Each of the three can be tested on its own. No more than a batch of whole results is held at a time.
 */
import type { Result } from '../../results/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import type { Findings } from './findings.ts'

/** small: seconds to minutes of processor time, for tests and a first impression; full: as in the paper. */
export type Size = 'small' | 'full'

/** One run. */
export interface Point {
  /** The varied parameters in a few words; identifies the run together with its seed. */
  readonly condition: string
  readonly seed: number
  readonly scenario: Scenario
}

/** The numbers kept of a run, with units in their names; NaN where there is nothing to measure. */
export type Measures = Readonly<Record<string, number>>

/** A point that was run. */
export interface Outcome {
  readonly condition: string
  readonly seed: number
  /** Digest of the run's events. */
  readonly digest: string
  readonly measures: Measures
}

export interface Plan {
  readonly name: string
  readonly title: string
  /** Paper and figure. */
  readonly source: string
  /** A paragraph on the runs and what they show. */
  readonly help: string
  /** The runs of each size in a few words. */
  readonly sizes: Readonly<Record<Size, string>>
  readonly points: (size: Size, seed: number) => readonly Point[]
  readonly measure: (result: Result, point: Point) => Measures
  readonly conclude: (outcomes: readonly Outcome[], size: Size) => Findings
  /** Results held at a time, 16 by default. Experiments with many short runs use more, since each batch starts threads. */
  readonly batch?: number
  /** Source of the claims: a paper (the default) or expectations of our own, which are not in docs/claims.json. */
  readonly claimsOf?: 'paper' | 'ours'
}
