/**
 * Plan of an experiment: the runs that it needs, the numbers kept of each run, and the findings drawn from all of them.
 * Each of the three can be tested on its own. No more than a batch of whole results is held at a time.
 */
import type { Result } from '../../results/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import type { Findings } from './findings.ts'

/** small: seconds to minutes of processor time, for tests and a first look; full: as in the paper. */
export type Size = 'small' | 'full'

/** One run. */
export interface Point {
  /** What is varied, in words that fit a table. */
  readonly condition: string
  readonly seed: number
  readonly scenario: Scenario
}

/** What a run amounts to; units in the names, NaN where there is nothing to measure. */
export type Measures = Readonly<Record<string, number>>

/** A point that was run. */
export interface Outcome {
  readonly condition: string
  readonly seed: number
  /** Of the run's events. */
  readonly digest: string
  readonly measures: Measures
}

export interface Plan {
  readonly name: string
  readonly title: string
  /** Paper and figure. */
  readonly source: string
  /** What is run and what is to be seen, in a paragraph. */
  readonly help: string
  /** What each size runs. */
  readonly sizes: Readonly<Record<Size, string>>
  readonly points: (size: Size, seed: number) => readonly Point[]
  readonly measure: (result: Result, point: Point) => Measures
  readonly conclude: (outcomes: readonly Outcome[], size: Size) => Findings
  /** Results held at a time; 16 unless given. More where runs are many and short, since each batch starts its threads. */
  readonly batch?: number
  /** Whose claims are judged: a paper's unless given, or expectations of ours, which no list of claims has. */
  readonly claimsOf?: 'paper' | 'ours'
}
