/**
 * Plan of an experiment: the runs that it needs, the numbers kept of each run, and the findings drawn from all of them.
 * Each of the three can be tested on its own. No more than a batch of whole results is held at a time.
 */
import type { Result } from '../../core/results/index.ts'
import type { Findings } from './findings.ts'
import type { At, Measures, Point, Size } from './point.ts'
import type { Runs } from './runs.ts'

export { keyOf } from './point.ts'
export type { At, Measures, Outcome, Point, Size } from './point.ts'

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
  /** Parts of the findings that it leaves out are empty. */
  conclude(runs: Runs, size: Size): Partial<Findings>
}
