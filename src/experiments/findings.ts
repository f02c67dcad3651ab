/**
 * Findings: what the runs of an experiment say: tables, figures, claims of the paper with verdicts, and remarks.
 * A verdict is computed: the measured interval against the band that the paper's value and its tolerance make.
 */
import type { BarFigure, LineFigure, TextColumn } from '../report/index.ts'
import { humanNumber } from '../report/index.ts'
import type { Interval } from '../results/index.ts'

export interface FindingsTable {
  /** Heading. */
  readonly title: string
  readonly columns: readonly TextColumn[]
  readonly rows: readonly (readonly string[])[]
}

/** Bars or lines. */
export type FindingsFigure = {
  /** Part of the file name: lower case letters, digits and hyphens. */
  readonly name: string
} & ({ readonly bars: BarFigure } | { readonly lines: LineFigure })

export interface Findings {
  readonly tables: readonly FindingsTable[]
  readonly figures: readonly FindingsFigure[]
  readonly claims: readonly Claim[]
  /** Paragraphs: what differs from the paper and why, what was not run. */
  readonly remarks: readonly string[]
}

/**
 * reproduced: the whole interval lies in the band; not reproduced: none of it does; undecided: its end does.
 * One run alone has no interval: then its value decides, and the text says that it was one run.
 * direction only: the runs are too short to be held against the paper's number; which way it goes is as the paper says.
 */
export type Verdict = 'reproduced' | 'not reproduced' | 'undecided' | 'direction only'

/** Values that count as the paper's, both ends included. */
export interface Band {
  readonly low: number
  readonly high: number
}

export interface Claim {
  /** Of the statement in the list of claims; where several numbers are held against one statement, with what each is. */
  readonly id: string
  readonly statement: string
  readonly paper: string
  readonly measured: string
  readonly verdict: Verdict
  /** The band, and why the verdict is what it is where that needs saying. */
  readonly reason: string
}

export interface ClaimInput {
  readonly id: string
  readonly statement: string
  readonly paper: string
  readonly measured: Interval
  readonly band: Band
  /** The suggested tolerance in words: "7 percentage points". */
  readonly tolerance: string
  readonly unit?: string
  readonly why?: string
  /** The band is a direction and no number: the verdict says so. */
  readonly isDirection?: boolean
}

/** A claim that either holds or does not, exactly. */
export function exactClaim(input: {
  readonly id: string
  readonly statement: string
  readonly paper: string
  readonly measured: string
  readonly holds: boolean
  /** What counts, and why the verdict is what it is. */
  readonly reason: string
}): Claim {
  const { holds, ...rest } = input
  return { ...rest, verdict: holds ? 'reproduced' : 'not reproduced' }
}

/** A claim with its verdict. */
export function claimOf(input: ClaimInput): Claim {
  const { id, statement, paper, measured, band, tolerance, unit = '', why = '', isDirection = false } = input
  const verdict = verdictOf(measured, band)
  const ends = [band.low, band.high].map((end) => (Number.isFinite(end) ? humanNumber(end) : ''))
  const range =
    ends[0] === ends[1]
      ? ends[0]
      : ends[0] === ''
        ? `at most ${ends[1]}`
        : ends[1] === ''
          ? `at least ${ends[0]}`
          : ends.join(' to ')
  return {
    id,
    statement,
    paper,
    measured: intervalText(measured, unit),
    verdict: isDirection && verdict === 'reproduced' ? 'direction only' : verdict,
    reason: `Counts as reproduced: ${range}${unit} (${tolerance}).${why === '' ? '' : ` ${why}`}`,
  }
}

export function verdictOf(measured: Interval, band: Band): Verdict {
  const { mean } = measured
  const low = Number.isNaN(measured.low) ? mean : measured.low
  const high = Number.isNaN(measured.high) ? mean : measured.high
  if (low >= band.low && high <= band.high) return 'reproduced'
  return high < band.low || low > band.high || Number.isNaN(mean) ? 'not reproduced' : 'undecided'
}

/** A bar's value and the ends of its error bar, where there are any. */
export function barOf({ mean, low, high }: Interval): {
  readonly value: number
  readonly low?: number
  readonly high?: number
} {
  return Number.isNaN(low) ? { value: mean } : { value: mean, low, high }
}

/** "61.2 % (59.8 to 62.6)"; the same value in all runs and one run alone are said to be so. */
export function intervalText({ mean, low, high, count }: Interval, unit = '', digits = 3): string {
  const value = `${humanNumber(mean, digits)}${unit}`
  if (Number.isNaN(mean)) return '-'
  if (count < 2) return `${value} (one run)`
  if (low === high) return `${value} (the same in ${count} runs)`
  return `${value} (${humanNumber(low, digits)} to ${humanNumber(high, digits)})`
}
