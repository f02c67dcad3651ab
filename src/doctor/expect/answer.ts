/** An answer: a measurement beside what is expected of it, as data. Words come where it is shown. */
import type { Values } from '../../core/findings/index.ts'
import type { NcclAlgorithm, NcclProtocol } from '../../core/workload/nccl/cost-model.ts'
import { type Ceiling, type Confirm, type PartId, PARTS, UNEXPLAINED } from './parts.ts'

/** The closed list. above-link: more than the NICs carry, which trees of two servers do, or the fabric is another one. */
export const VERDICTS = ['above-link', 'as-expected', 'below', 'far-below', 'cannot-tell'] as const
export type Verdict = (typeof VERDICTS)[number]

/** Why a row or a run has no verdict, or no cause. */
export type Reason =
  | 'no-rate-of-the-link'
  | 'small-message'
  | 'fixed-times-rule'
  | 'values-are-wrong'
  | 'no-servers'
  | 'operation-unknown'
  | 'model-unknown'
  | 'trees-of-two-servers'
  | 'inside-one-server'
  | 'storage-unknown'
  | 'nic-unknown'
  | 'no-ceiling-explains'
  | 'unequal-paths'

export interface RowAnswer {
  readonly file: string
  readonly line: number
  readonly sizeBytes: number
  /** null: nobody has measured it yet. */
  readonly measuredBps: number | null
  /** The range in which a healthy run lies; null: unknown. */
  readonly fromBps: number | null
  readonly toBps: number | null
  /** Measured, by the upper end of the range. */
  readonly ratio: number | null
  readonly part: PartId | null
  readonly verdict: Verdict
  readonly reason: Reason | null
  /** Only where it was asked for. */
  readonly simulated?: Simulated
}

/** A row by simulation; its verdict does not depend on it. */
export interface Simulated {
  /** By runs; by the line through runs of smaller sizes; not at all, as it is too large; by runs that lost packets without end. */
  readonly by: 'packets' | 'line' | 'none' | 'stopped'
  readonly algorithm: NcclAlgorithm
  readonly protocol: NcclProtocol
  /** Runs, which differ in the hash of ECMP. */
  readonly seeds: number
  /** Least and most of the seeds. */
  readonly timeUs: readonly [least: number, most: number] | null
  readonly busBps: readonly [least: number, most: number] | null
  /** Share by which, for a row by a line, the line through the two runs before the last missed the last. */
  readonly missedBy: number | null
}

/** Something seen in the logs, by id, with its numbers. */
export interface Seen {
  readonly id:
    | 'collapse'
    | 'dip'
    | 'flat'
    | 'fixed-time'
    | 'mean-of-other-rows'
    | 'wrong-values'
    | 'counter-grew'
    | 'counter-still'
    | 'passed'
    | 'no-fabric'
    | 'seconds-counted'
    | 'unit-inferred'
    | 'switch-time'
    | 'share-of-nic'
    | 'one-nic-alone'
  readonly values: Values
}

export interface Answer {
  readonly files: readonly string[]
  readonly kind: 'collective' | 'perftest' | 'storage' | 'round-trip'
  /** The thing measured: "all-reduce", "write". */
  readonly operation: string | null
  readonly rows: readonly RowAnswer[]
  /** Those of the row that decides, ascending; unknown ones last. */
  readonly ceilings: readonly Ceiling[]
  readonly verdict: Verdict
  /** The part that limits first; null: nothing that is known here explains it. */
  readonly part: PartId | null
  readonly reason: Reason | null
  /** Least and greatest ratio of the rows with a verdict. */
  readonly ratios: readonly [least: number, most: number] | null
  readonly seen: readonly Seen[]
  /** At most three. */
  readonly confirm: readonly Confirm[]
}

const CONFIRM_MAX = 3
const FAR_BELOW = 0.5
/** More than this of the link is not the rounding of a log. */
export const ABOVE_LINK = 1.005

/** Ascending by what they allow at most; unknown ones keep their order behind. */
export const ascending = (ceilings: readonly Ceiling[]): Ceiling[] =>
  ceilings.toSorted((a, b) => (a.toBps ?? Infinity) - (b.toBps ?? Infinity) || 0)

export const lowest = (ceilings: readonly Ceiling[]): Ceiling | undefined =>
  ascending(ceilings).find(({ toBps }) => toBps !== null)

export const belowBy = (ratio: number): Verdict => (ratio < FAR_BELOW ? 'far-below' : 'below')

/** The runs to do next: of the part, or of what nothing explains. Where all is as expected nothing is left to ask. */
export function confirmOf(verdict: Verdict, part: PartId | null): readonly Confirm[] {
  if (verdict === 'as-expected' && part !== 'trunk-loss') return []
  if (verdict === 'cannot-tell' && part === null) return []
  return (part === null ? UNEXPLAINED : PARTS[part].confirm).slice(0, CONFIRM_MAX)
}

export function ratiosOf(rows: readonly RowAnswer[]): readonly [number, number] | null {
  const ratios = rows.flatMap(({ ratio, verdict }) => (ratio === null || verdict === 'cannot-tell' ? [] : ratio))
  return ratios.length === 0 ? null : [Math.min(...ratios), Math.max(...ratios)]
}
