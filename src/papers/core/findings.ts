/**
 * Findings of an experiment: tables, figures, claims of the paper with verdicts, and remarks.
 * Verdicts are computed by the rule that claims.json gives for each claim: a number, or the sign of a difference, by
 * the 95 % interval of its mean over seeds; a behaviour that must always hold, by each seed. Runs that are cut short
 * decide at most the direction.
 */
import { capital } from '../../core/findings/index.ts'
import type { BarFigure, CheckRange, CheckVerdict, LineFigure, TextColumn } from '../../show/index.ts'
import { exactCount, humanNumber } from '../../show/index.ts'
import { assert } from '../../core/base/assert.ts'
import { type Interval, interval95 } from '../../core/results/index.ts'
import { listedClaim } from './listed-claims.ts'

export interface FindingsTable {
  /** Heading. */
  readonly title: string
  readonly columns: readonly TextColumn[]
  readonly rows: readonly (readonly string[])[]
}

/** A column of numbers. */
export const rightColumn = (head: string): TextColumn => ({ head, align: 'right' })

/** Bars or lines. */
export type FindingsFigure = {
  /** Part of the file name: lower-case letters, digits and hyphens. */
  readonly name: string
} & ({ readonly bars: BarFigure } | { readonly lines: LineFigure })

export interface Findings {
  readonly tables: readonly FindingsTable[]
  readonly figures: readonly FindingsFigure[]
  readonly claims: readonly Claim[]
  /** Paragraphs on differences from the paper, their reasons, and anything that was not run. */
  readonly remarks: readonly string[]
}

/**
 * reproduced            the whole interval lies in the band
 * not reproduced        none of it does
 * undecided             one end does; or the paper's value lies between two readings of something the paper leaves open,
 *                       or within the noise of one run
 * input                 the runs are given this number, or what makes it, so that agreement means nothing
 * A single run has no interval; its value decides, and the text says that it was one run.
 * Runs that are cut short are not compared with numbers:
 * direction only        the direction is that of the paper
 * other direction       it is not
 * direction undecided   the interval, or the seeds, are on both sides
 * not judged            the claim has no direction
 */
export type Verdict = CheckVerdict

/** Range of values that count as the paper's. */
export interface Band {
  readonly low: number
  readonly high: number
  /** Excludes the ends, as for "better", which a tie is not. */
  readonly isOpen?: boolean
}

export interface Claim {
  /** Id in claims.json. */
  readonly id: string
  /** Tells it from the other numbers that are compared with the same claim; "" if it is the only one. */
  readonly check: string
  readonly statement: string
  readonly paper: string
  readonly measured: string
  readonly verdict: Verdict
  /** The band, and an explanation of the verdict where it needs one. */
  readonly reason: string
  /** Number of seeds in which it holds, for claims that are judged or counted seed by seed. */
  readonly seeds?: { readonly held: number; readonly of: number }
  /** Our value and the band in numbers, of claims that are about one and whose runs are not cut short. */
  readonly range?: CheckRange
}

/** Which claim is checked, and the words in which this check differs from the claim. */
interface ClaimName {
  readonly id: string
  readonly check?: string
  /** Given for expectations of our own; those of a paper stand in claims.json. */
  readonly statement?: string
  readonly paper?: string
}

export interface ClaimInput extends ClaimName {
  readonly measured: Interval
  readonly band: Band
  /** The tolerance in words, if it is not that of claims.json: "7 percentage points". */
  readonly tolerance?: string
  readonly unit?: string
  readonly why?: string
  /** One value per seed, if the seeds in which the claim holds are to be counted. */
  readonly values?: readonly number[]
  /** The paper's value, if it seems to come from a single run; it then has the noise of one of our runs. */
  readonly ofOneRun?: number | undefined
  /** For runs that are cut short: the side of the paper's value, which replaces the band; null without a direction. */
  readonly cutShort?: Band | null | undefined
}

/** The sides of a comparison. */
export const ABOVE_ONE: Band = { low: 1, high: Infinity, isOpen: true }
export const BELOW_ONE: Band = { low: -Infinity, high: 1, isOpen: true }
export const ABOVE_ZERO: Band = { low: 0, high: Infinity, isOpen: true }

export const atLeast = (low: number): Band => ({ low, high: Infinity })
export const atMost = (high: number): Band => ({ low: -Infinity, high })
export const between = (low: number, high: number): Band => ({ low, high })
export const equalTo = (value: number): Band => ({ low: value, high: value })
/** By how much a value may differ, in its unit. */
export const near = (value: number, by: number): Band => ({ low: value - by, high: value + by })
/** By which share a value may differ. */
export const nearShare = (value: number, share: number): Band => ({
  low: value * (1 - share),
  high: value * (1 + share),
})

/** A claim that the list calls an input is one wherever it agrees. */
export function withInputs(findings: Findings): Findings {
  const claims = findings.claims.map((each): Claim => {
    const isInput = listedClaim(each.id)?.nature === 'input' && each.verdict === 'reproduced'
    return isInput ? { ...each, verdict: 'input' } : each
  })
  return { ...findings, claims }
}

/** Id, check and words of a claim, from the list unless the check has its own. */
function named({ id, check = '', statement, paper }: ClaimName): Pick<Claim, 'id' | 'check' | 'statement' | 'paper'> {
  const listed = listedClaim(id)
  const words = { statement: statement ?? listed?.statement, paper: paper ?? listed?.paper }
  assert(words.statement !== undefined && words.paper !== undefined, 'a claim is listed or has words of its own')
  return { id, check, statement: words.statement, paper: words.paper }
}

/** The rest of a check, besides its id, the evidence and the band. */
interface CheckWords extends Omit<ClaimName, 'id'>, Pick<ClaimInput, 'tolerance' | 'unit' | 'why' | 'cutShort'> {}

/**
 * A check of a claim about a number: the interval of a mean; or one value per seed, of which claims.json says whether all
 * have to be in the band or their mean.
 */
export function claim(
  id: string,
  measured: Interval | readonly number[],
  band: Band,
  { cutShort, ...words }: CheckWords & Pick<ClaimInput, 'ofOneRun' | 'values'> = {},
): Claim {
  if ('mean' in measured) return claimOf({ id, measured, band, cutShort, ...words })
  const side = cutShort === null ? 'not judged' : 'direction'
  const listed = listedClaim(id)?.judge
  const judge = listed === 'band' || listed === 'sign' ? 'mean' : 'every seed'
  return seedsClaim({
    id,
    band,
    judge,
    ...words,
    values: measured,
    cutShort: cutShort === undefined ? undefined : side,
  })
}

/** A check of a claim about a number that depends on a setting which the paper leaves open, in every reading of it. */
export function bracket(
  id: string,
  readings: readonly Reading[],
  band: Band,
  words: CheckWords & Pick<BracketInput, 'paperValues' | 'isOfOneRun'> = {},
): Claim {
  return bracketClaim({ id, readings, band, ...words })
}

/** A check of a claim that either holds or does not, exactly; with a value for each seed it has to hold in all of them. */
export function exact(
  id: string,
  words: Omit<ClaimName, 'id'> & {
    readonly holds: boolean | readonly boolean[]
    readonly measured: string
    /** The criterion, and an explanation of the verdict. */
    readonly reason: string
  },
): Claim {
  const { holds, measured, reason } = words
  const list = typeof holds === 'boolean' ? [holds] : holds
  const seeds = { held: list.filter(Boolean).length, of: list.length }
  const verdict = seeds.of > 0 && seeds.held === seeds.of ? 'reproduced' : 'not reproduced'
  const known: Claim = { ...named({ id, ...words }), measured, verdict, reason }
  return typeof holds === 'boolean' ? known : { ...known, seeds }
}

/** A claim about a number, judged by the interval of its mean. */
export function claimOf(input: ClaimInput): Claim {
  const {
    measured,
    band,
    tolerance = listedClaim(input.id)?.tolerance ?? '',
    unit = '',
    why = '',
    values,
    ofOneRun,
    cutShort,
  } = input
  const seeds = values === undefined ? undefined : seedsIn(values, cutShort ?? band)
  const known = {
    ...named(input),
    measured: intervalText(measured, unit),
    ...(seeds === undefined ? {} : { seeds }),
  }
  const behind = why === '' ? '' : ` ${why}`
  if (cutShort === null) return { ...known, verdict: 'not judged', reason: `${NOT_HELD}${behind}` }
  if (cutShort !== undefined) {
    const verdict = DIRECTIONS[verdictOf(measured, cutShort)]
    return { ...known, verdict, reason: `${NOT_HELD} Its direction: ${rangeText(cutShort)}${unit}.${behind}` }
  }
  const reason = `Counts as reproduced: ${rangeText(band)}${unit} (${tolerance}).${behind}`
  const verdict = verdictOf(measured, band)
  const judged = { ...known, range: rangeOf(measured, band) }
  const one = oneRunOf(measured)
  if (verdict === 'not reproduced' && ofOneRun !== undefined && measured.count > 1 && isIn(ofOneRun, one)) {
    const noise = `The paper's cells seem to be single runs, and a single run of ours lies within ${humanNumber(one.low)} to ${humanNumber(one.high)}${unit}.`
    return { ...judged, verdict: 'undecided', reason: `${reason} ${noise}` }
  }
  return { ...judged, verdict, reason }
}

export interface SeedsInput extends ClaimName {
  /** One value per seed, in the order of the runs. */
  readonly values: readonly number[]
  readonly band: Band
  /**
   * mean: the 95 % interval of the mean over seeds has to lie in the band, as for the sign of a difference.
   * every seed: each value has to lie in it.
   */
  readonly judge: 'mean' | 'every seed'
  readonly unit?: string
  readonly why?: string
  /** Given if the runs are cut short: `direction` if the band is a side, `not judged` otherwise. */
  readonly cutShort?: 'direction' | 'not judged' | undefined
}

/** A claim with one value per seed. The number of seeds in which it holds is shown, whichever judge decides. */
export function seedsClaim(input: SeedsInput): Claim {
  const { values, band, judge, unit = '', why = '', cutShort } = input
  const measured = interval95(values)
  const seeds = seedsIn(values, band)
  const inEach = seeds.of > 0 && seeds.held === seeds.of ? 'reproduced' : 'not reproduced'
  const verdict = judge === 'mean' ? verdictOf(measured, band) : inEach
  const isMixed = seeds.held > 0 && seeds.held < seeds.of
  const direction = isMixed ? 'direction undecided' : DIRECTIONS[inEach]
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => humanNumber(value))
  const among = judge === 'mean' ? ' for the mean with its 95 % interval' : ' in every seed'
  return {
    ...named(input),
    measured: intervalText(measured, unit),
    verdict: cutShort === undefined ? verdict : cutShort === 'direction' ? direction : cutShort,
    reason:
      `Counts as reproduced: ${rangeText(band)}${unit}${among}.` +
      (values.length < 2 ? '' : ` The seeds have ${least} to ${most}${unit}.`) +
      (cutShort === undefined ? '' : ` ${NOT_HELD}`) +
      (why === '' ? '' : ` ${why}`),
    seeds,
    ...(cutShort === undefined ? { range: rangeOf(measured, band) } : {}),
  }
}

export interface Reading {
  /** One interpretation of a setting that the paper leaves open: "pauses at 216 KB". */
  readonly name: string
  readonly measured: Interval
  /** One value per seed. */
  readonly values?: readonly number[]
}

/** A reading with one value per seed. */
export const readingOf = (name: string, values: readonly number[]): Reading => ({
  name,
  measured: interval95(values),
  values,
})

export interface BracketInput extends Omit<ClaimInput, 'measured' | 'values' | 'ofOneRun'> {
  /** Every reading with its number. */
  readonly readings: readonly Reading[]
  /** The paper's value, or the ends of its range; none if it only says which is better. */
  readonly paperValues?: readonly number[]
  /** The paper's value seems to come from a single run. */
  readonly isOfOneRun?: boolean
}

/**
 * A claim about a number that depends on a setting which the paper leaves open, shown as a bracket of all readings. It
 * is decided only if all readings have the same verdict, and undecided if they differ or the paper lies between them.
 */
export function bracketClaim(input: BracketInput): Claim {
  const { readings, paperValues = [], band, unit = '', why = '', isOfOneRun = false } = input
  const verdicts = readings.map(
    ({ measured }) => claimOf({ ...input, measured, ofOneRun: isOfOneRun ? paperValues[0] : undefined }).verdict,
  )
  const means = readings.map(({ measured }) => measured.mean)
  const [least, most] = [Math.min(...means), Math.max(...means)]
  const isInside = paperValues.length > 0 && paperValues.every((value) => value >= least && value <= most)
  const isOne = new Set(verdicts).size === 1 && !(verdicts[0] === 'not reproduced' && isInside)
  const each = readings.map(({ name, measured, values }, i) => {
    const held = values === undefined ? undefined : seedsIn(values, band)
    const seeds = held === undefined || held.of < 2 ? '' : `, in ${held.held} of ${held.of} seeds`
    return `${name}: ${intervalText(measured, unit)}${seeds}, ${verdicts[i]!}`
  })
  const where =
    paperValues.length === 0 || readings.length < 2
      ? ''
      : `The paper's value lies ${isInside ? 'between the' : 'beyond all'} readings. `
  return {
    ...named(input),
    measured:
      readings.length === 1
        ? intervalText(readings[0]!.measured, unit)
        : `${humanNumber(least)} to ${humanNumber(most)}${unit}`,
    verdict: isOne ? verdicts[0]! : input.cutShort === undefined ? 'undecided' : 'direction undecided',
    reason:
      `Counts as reproduced: ${rangeText(band)}${unit} (${input.tolerance ?? listedClaim(input.id)?.tolerance ?? ''}) in every reading. ` +
      `${where}${capital(each.join('; '))}.` +
      (why === '' ? '' : ` ${why}`),
    ...(input.cutShort === undefined ? { range: bracketRange(readings, band) } : {}),
  }
}

function rangeOf({ mean, low, high }: Interval, band: Band): CheckRange {
  return { mean, low, high, bandLow: band.low, bandHigh: band.high }
}

/** From the lowest reading to the highest, with their intervals. */
function bracketRange(readings: readonly Reading[], band: Band): CheckRange {
  const means = readings.map(({ measured }) => measured.mean)
  const ends = readings.flatMap(({ measured: { mean, low, high } }) => [mean, low, high]).filter(Number.isFinite)
  const mean = (Math.min(...means) + Math.max(...means)) / 2
  return rangeOf({ mean, low: Math.min(...ends), high: Math.max(...ends), count: readings.length }, band)
}

function seedsIn(values: readonly number[], band: Band): { readonly held: number; readonly of: number } {
  return { held: values.filter((value) => isIn(value, band)).length, of: values.length }
}

/** The 95 % prediction interval for one more run, from the interval of the mean. */
function oneRunOf({ mean, low, high, count }: Interval): Band {
  const half = ((high - low) / 2) * Math.sqrt(count + 1)
  return { low: mean - half, high: mean + half }
}

const NOT_HELD = 'These runs are cut short and are not compared with numbers.'
const DIRECTIONS = {
  reproduced: 'direction only',
  'not reproduced': 'other direction',
  undecided: 'direction undecided',
} as const

function rangeText({ low, high, isOpen = false }: Band): string {
  const [least, most] = [low, high].map((end) => (Number.isFinite(end) ? humanNumber(end) : '')) as [string, string]
  if (least === most) return least
  if (least === '') return `${isOpen ? 'below' : 'at most'} ${most}`
  if (most === '') return `${isOpen ? 'above' : 'at least'} ${least}`
  return `${least} to ${most}`
}

function isIn(value: number, { low, high, isOpen = false }: Band): boolean {
  return isOpen ? value > low && value < high : value >= low && value <= high
}

export function verdictOf(measured: Interval, band: Band): 'reproduced' | 'not reproduced' | 'undecided' {
  const { mean } = measured
  const low = Number.isNaN(measured.low) ? mean : measured.low
  const high = Number.isNaN(measured.high) ? mean : measured.high
  if (isIn(low, band) && isIn(high, band)) return 'reproduced'
  if (Number.isNaN(mean) || high < band.low || low > band.high) return 'not reproduced'
  const isTouching = band.isOpen === true && (high === band.low || low === band.high)
  return isTouching ? 'not reproduced' : 'undecided'
}

/** A bar's value and the ends of its error bar, if it has one. */
export function barOf({ mean, low, high }: Interval): {
  readonly value: number
  readonly low?: number
  readonly high?: number
} {
  return Number.isNaN(low) ? { value: mean } : { value: mean, low, high }
}

/** A mean of counts; small ones keep a fraction, so that rare events do not appear as 0. */
export function meanCountText(mean: number): string {
  return Number.isInteger(mean) || mean >= 100 ? exactCount(Math.round(mean)) : humanNumber(mean, 2)
}

/** "61.2 % (59.8 to 62.6)"; the text says so if there is one run, or if all runs have the same value. */
export function intervalText({ mean, low, high, count }: Interval, unit = '', digits = 3): string {
  const value = `${humanNumber(mean, digits)}${unit}`
  if (Number.isNaN(mean)) return '-'
  if (count < 2) return `${value} (one run)`
  if (low === high) return `${value} (the same in ${count} runs)`
  return `${value} (${humanNumber(low, digits)} to ${humanNumber(high, digits)})`
}
