/**
 * Reported sweep: the table of a sweep with everything that a report says about its making.
 */
import type { PlottedSweep } from './figure/sweep-figures.ts'

/** A run that could not be made. */
export interface FailedRun {
  readonly values: Readonly<Record<string, string>>
  readonly seed: number
  readonly message: string
}

export interface ReportedSweep {
  readonly sweep: PlottedSweep
  /** As the command line names it. */
  readonly folder: string
  readonly version: string
  readonly seeds: readonly number[]
  /** True: the sweep was interrupted, and some of its runs were never made. */
  readonly isPartial: boolean
  /** "10.0 ms or 20,000,000 packet-hops" of --point-limit, or "". */
  readonly limit: string
  readonly failed: readonly FailedRun[]
  /** How many runs ended before their traffic, and why; such runs count in the means. */
  readonly cut?: { readonly runs: number; readonly reason: string }
  /** By row: digests of its runs by seed; empty in sweeps of programs that did not keep them. */
  readonly digests: readonly Readonly<Record<string, string>>[]
  /** Scenario file and settings as the command line had them; undefined in sweeps of programs that did not keep them. */
  readonly scenario?: { readonly file: string; readonly sets: readonly string[] }
  /** Words of the command behind the scenario file. */
  readonly options: readonly string[]
}
