/**
 * Claims of a report as CSV: NAME-claims.csv. The statement of a paper's claim stands in claims.json; expectations of our
 * own have it here.
 */
import { inputError } from '../../../core/base/issue.ts'
import { CLAIM_STATES, isCheckVerdict } from '../../../show/index.ts'
import {
  type Column,
  createTable,
  findColumn,
  numbersOf,
  readCsv,
  textsOf,
  writeCsv,
} from '../../../core/results/index.ts'
import type { Claim, Verdict } from '../findings.ts'
import { listedClaim } from '../listed-claims.ts'

const TEXTS = ['id', 'check', 'statement', 'paper', 'measured', 'verdict', 'reason'] as const
/** Heads of the columns that are not called like the field. */
const HEADS: Readonly<Record<string, string>> = { id: 'claim' }
const headOf = (field: string): string => HEADS[field] ?? field

export function claimsCsv(claims: readonly Claim[]): string {
  const counts = (name: string, key: 'held' | 'of'): Column => ({
    name,
    type: 'number',
    data: Float64Array.from(claims, ({ seeds }) => seeds?.[key] ?? NaN),
  })
  const areListed = claims.every(({ id }) => listedClaim(id) !== undefined)
  const texts = TEXTS.filter((field) => field !== 'statement' || !areListed)
  return writeCsv(
    createTable('claims', [
      ...texts.map((field): Column => ({ name: headOf(field), type: 'text', data: claims.map((one) => one[field]) })),
      counts('seedsHeld', 'held'),
      counts('seeds', 'of'),
    ]),
  )
}

/** Throws InputError for a damaged file. */
export function readClaims(text: string): Claim[] {
  const table = readCsv('claims', text, { types: Object.fromEntries(TEXTS.map((field) => [headOf(field), 'text'])) })
  const textIn = (field: (typeof TEXTS)[number], row: number): string =>
    findColumn(table, headOf(field)) === undefined ? '' : (textsOf(table, headOf(field))[row] ?? '')
  const countIn = (name: string, row: number): number =>
    findColumn(table, name) === undefined ? NaN : (numbersOf(table, name)[row] ?? NaN)
  return Array.from({ length: table.rowCount }, (_, row): Claim => {
    const id = textIn('id', row)
    const seeds = { held: countIn('seedsHeld', row), of: countIn('seeds', row) }
    return {
      id,
      check: textIn('check', row),
      statement: listedClaim(id)?.statement ?? textIn('statement', row),
      paper: textIn('paper', row),
      measured: textIn('measured', row),
      verdict: verdictOf(textIn('verdict', row), id),
      reason: textIn('reason', row),
      ...(Number.isFinite(seeds.of) ? { seeds } : {}),
    }
  })
}

/** Throws InputError for a word that is none: a claim would count as something else. */
function verdictOf(text: string, id: string): Verdict {
  if (isCheckVerdict(text)) return text
  const expected = CLAIM_STATES.filter(isCheckVerdict).join(', ')
  throw inputError(`verdict of ${id}`, `one of ${expected}`, JSON.stringify(text), 'reproduce writes the claims again')
}
