/**
 * Reported reproduction: what came out of an experiment, with the paper's values beside ours, as a report shows it.
 */
import type { TextColumn } from './text-table.ts'

/** States of a claim by all its checks; those of claims that did not come out are first. */
export const CLAIM_STATES = [
  'not reproduced',
  'other direction',
  'partly',
  'undecided',
  'direction undecided',
  'reproduced',
  'direction only',
  'input',
  'not judged',
] as const
export type ClaimState = (typeof CLAIM_STATES)[number]
/** A check holds or does not: only a claim of several can hold partly. */
export type CheckVerdict = Exclude<ClaimState, 'partly'>

export function isCheckVerdict(text: string): text is CheckVerdict {
  return text !== 'partly' && CLAIM_STATES.some((state) => state === text)
}

/** States of claims that did not come out, wholly or in part. */
export const FAILED_STATES: readonly ClaimState[] = ['not reproduced', 'other direction', 'partly']

/** A number of ours that was compared with one of the paper. */
export interface ReportedCheck {
  /** Tells it from the other checks of its claim; "" if it is the only one. */
  readonly check: string
  readonly statement: string
  readonly paper: string
  readonly measured: string
  readonly verdict: CheckVerdict
  readonly reason: string
  /** Number of seeds in which it holds. */
  readonly seeds?: { readonly held: number; readonly of: number }
  readonly range?: CheckRange
}

/** Our value with its interval, and the band of values that count as the paper's; ends may be infinite. */
export interface CheckRange {
  readonly mean: number
  readonly low: number
  readonly high: number
  readonly bandLow: number
  readonly bandHigh: number
}

export interface ReportedClaim {
  readonly id: string
  readonly state: ClaimState
  readonly checks: readonly ReportedCheck[]
}

export interface ReportedFigure {
  readonly name: string
  readonly title: string
  readonly svg: string
  /** It has the values of the paper, too. */
  readonly hasPaper: boolean
}

export interface ReportedTable {
  readonly title: string
  readonly columns: readonly TextColumn[]
  readonly rows: readonly (readonly string[])[]
}

export interface ReportedReproduction {
  /** "pfc-roce": of the experiment. */
  readonly name: string
  /** As the command line names it. */
  readonly folder: string
  readonly title: string
  /** "[IRN] Figures 3 and 6". */
  readonly source: string
  /** Paragraphs on the runs and what they show. */
  readonly help: readonly string[]
  readonly size: 'small' | 'full' | 'unknown'
  readonly seeds: string
  readonly version: string
  /** The command that makes it again; "" if the folder does not say. */
  readonly command: string
  /** The claims are expectations of this project and not a paper's. */
  readonly isOurs: boolean
  readonly claims: readonly ReportedClaim[]
  readonly tables: readonly ReportedTable[]
  readonly figures: readonly ReportedFigure[]
  readonly remarks: readonly string[]
  /** The measures of every run as CSV. */
  readonly runsCsv: string
  /** Why tables and figures are those stored and not drawn from the runs; "" if they are drawn from them. */
  readonly storedWhy: string
}

/** Reproductions that share a site. */
export interface ReportedSite {
  /** The folders of the command line. */
  readonly folders: readonly string[]
  readonly pages: readonly SitePage[]
  /** In the order of their first page, expectations of this project last. */
  readonly papers: readonly SitePaper[]
}

export interface SitePage {
  /** "pfc-roce.html". */
  readonly file: string
  readonly report: ReportedReproduction
}

/** A paper with the claims that its pages have checks of, a claim once. */
export interface SitePaper {
  readonly name: string
  readonly isOurs: boolean
  readonly claims: readonly { readonly claim: ReportedClaim; readonly file: string }[]
}
