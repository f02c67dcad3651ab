/**
 * Findings: what the runs of an experiment say: tables, figures, claims of the paper with verdicts, and remarks.
 * A verdict is computed: of a number from the measured interval and the band that the paper's value and its tolerance
 * make; of an ordering seed by seed. Runs that are cut short tell at most which way something goes.
 */
import type { BarFigure, LineFigure, TextColumn } from '../report/index.ts'
import { exactCount, humanNumber } from '../report/index.ts'
import { type Interval, interval95 } from '../results/index.ts'

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
 * reproduced: the whole interval lies in the band; not reproduced: none of it does; undecided: its end does, or what has to
 * hold in every seed held in each of too few.
 * One run alone has no interval: then its value decides, and the text says that it was one run.
 * Where runs are cut short they are held against no number of the paper, and there are these:
 * direction only: which way it goes is as the paper says; other direction: it is not; direction undecided: it is with one
 * end of the interval, or in some seeds; not judged: the claim has no way to go.
 */
export type Verdict =
  | 'reproduced'
  | 'not reproduced'
  | 'undecided'
  | 'direction only'
  | 'other direction'
  | 'direction undecided'
  | 'not judged'

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
  /**
   * Given where the runs are cut short: the side on which the paper's value lies, which takes the place of the band, or
   * null where it lies on neither.
   */
  readonly cutShort?: Band | null | undefined
}

/** Sides on which a value that is cut short can lie. */
export const ABOVE_ONE: Band = { low: 1, high: Infinity }
export const BELOW_ONE: Band = { low: -Infinity, high: 1 }
export const ABOVE_ZERO: Band = { low: 0, high: Infinity }

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
  const { id, statement, paper, measured, band, tolerance, unit = '', why = '', cutShort } = input
  const known = { id, statement, paper, measured: intervalText(measured, unit) }
  const behind = why === '' ? '' : ` ${why}`
  if (cutShort === null) return { ...known, verdict: 'not judged', reason: `${NOT_HELD}${behind}` }
  if (cutShort !== undefined) {
    const verdict = DIRECTIONS[verdictOf(measured, cutShort)]
    return { ...known, verdict, reason: `${NOT_HELD} Its direction: ${rangeText(cutShort)}${unit}.${behind}` }
  }
  const reason = `Counts as reproduced: ${rangeText(band)}${unit} (${tolerance}).${behind}`
  return { ...known, verdict: verdictOf(measured, band), reason }
}

export interface EverySeedInput {
  readonly id: string
  readonly statement: string
  readonly paper: string
  /** One of each seed, in the order in which the seeds were run. */
  readonly values: readonly number[]
  readonly holds: (value: number) => boolean
  /** That in words: "above 1". */
  readonly counts: string
  readonly unit?: string
  /** What is shown in place of the mean of the values. */
  readonly margin?: Interval
  readonly why?: string
  /** Given where the runs are cut short: is what has to hold a direction, or nothing that they can tell. */
  readonly cutShort?: 'direction' | 'not judged' | undefined
}

/** Seeds in each of which an ordering has to hold. Of more, the first decide, and the share of all is shown. */
export const JUDGED_SEEDS = 10

/** A claim that has to hold in every seed, however far the mean of the seeds is on its side. */
export function everySeedClaim(input: EverySeedInput): Claim {
  const { id, statement, paper, values, holds, counts, unit = '', why = '', cutShort } = input
  const judged = values.slice(0, JUDGED_SEEDS)
  const held = judged.filter(holds).length
  const isHeld = judged.length > 0 && held === judged.length
  // Seeds that change nothing need not be many.
  const isOne = new Set(judged).size === 1 && judged.length > 1
  const isFew = isHeld && judged.length < JUDGED_SEEDS && !isOne
  const verdict = isFew ? 'undecided' : isHeld ? 'reproduced' : 'not reproduced'
  const direction =
    held > 0 && held < judged.length ? 'direction undecided' : DIRECTIONS[isHeld ? 'reproduced' : 'not reproduced']
  const short = cutShort === 'direction' ? direction : cutShort
  const among = judged.length < values.length ? `each of the first ${judged.length} seeds` : 'every seed'
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => humanNumber(value))
  return {
    id,
    statement,
    paper,
    measured: shareText(intervalText(input.margin ?? interval95(values), unit), values, holds),
    verdict: short ?? verdict,
    reason:
      `Counts as reproduced: ${counts}${unit} in ${among}.` +
      (values.length < 2 ? '' : ` The seeds have ${least} to ${most}${unit}.`) +
      (isFew && short === undefined
        ? ` It has to be ${JUDGED_SEEDS} seeds, and ${judged.length} are too few to say.`
        : '') +
      (short === undefined ? '' : ` ${NOT_HELD}`) +
      (why === '' ? '' : ` ${why}`),
  }
}

/** A measured value, and in how many seeds something holds. */
export function shareText(measured: string, values: readonly number[], holds: (value: number) => boolean): string {
  if (values.length < 2) return measured
  return `${measured}; holds in ${values.filter(holds).length} of ${values.length} seeds`
}

const NOT_HELD = 'These runs are cut short and held against no number.'
const DIRECTIONS = {
  reproduced: 'direction only',
  'not reproduced': 'other direction',
  undecided: 'direction undecided',
} as const

function rangeText({ low, high }: Band): string {
  const [least, most] = [low, high].map((end) => (Number.isFinite(end) ? humanNumber(end) : '')) as [string, string]
  if (least === most) return least
  if (least === '') return `at most ${most}`
  return most === '' ? `at least ${least}` : `${least} to ${most}`
}

export function verdictOf(measured: Interval, band: Band): 'reproduced' | 'not reproduced' | 'undecided' {
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

/** A mean of counts, with a fraction where it is small, so that what is seldom does not look like nothing. */
export function meanCountText(mean: number): string {
  return Number.isInteger(mean) || mean >= 100 ? exactCount(Math.round(mean)) : humanNumber(mean, 2)
}

/** "61.2 % (59.8 to 62.6)"; the same value in all runs and one run alone are said to be so. */
export function intervalText({ mean, low, high, count }: Interval, unit = '', digits = 3): string {
  const value = `${humanNumber(mean, digits)}${unit}`
  if (Number.isNaN(mean)) return '-'
  if (count < 2) return `${value} (one run)`
  if (low === high) return `${value} (the same in ${count} runs)`
  return `${value} (${humanNumber(low, digits)} to ${humanNumber(high, digits)})`
}
