/**
 * Stored report: what an experiment's folder says, for a report. The folder has the measures of every run, and the program
 * draws conclusions from them as it did then: tables, figures and claims come from that. Where its claims differ from those
 * in the folder, or it does not know the experiment, the runs are of another program: all is then as it was stored.
 */
import { InputError, inputError } from '../../base/issue.ts'
import {
  CLAIM_STATES,
  isCheckVerdict,
  type ReportedCheck,
  type ReportedClaim,
  type ReportedFigure,
  type ReportedReproduction,
} from '../../report/index.ts'
import { numbersOf, readCsv, textsOf, findColumn } from '../../results/index.ts'
import { claimState } from './claim-state.ts'
import { readEarlierRuns } from './earlier-runs.ts'
import type { Experiment } from './experiment.ts'
import type { Claim, Findings, FindingsFigure, Verdict } from './findings.ts'
import { readPage, type StoredPage } from './stored-page.ts'

/** Text of a file in the folder; undefined if there is none. */
type FolderReader = (name: string) => string | undefined

/** The name of the experiment whose report a folder has, by the names of its files; undefined if it has none. */
export function reportedName(files: readonly string[]): string | undefined {
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -3))
    .find((name) => files.includes(`${name}.csv`))
}

export interface StoredFolder {
  readonly name: string
  /** As the command line names it. */
  readonly folder: string
  readonly read: FolderReader
  readonly experiments: readonly Experiment[]
}

/** Throws InputError if the folder has no report, or a damaged one. */
export async function readReport({ name, folder, read, experiments }: StoredFolder): Promise<ReportedReproduction> {
  const [pageText, runsCsv] = [read(`${name}.md`), read(`${name}.csv`)]
  if (pageText === undefined || runsCsv === undefined) {
    throw new InputError([{ path: '', expected: 'the report of an experiment', received: 'something else', hint: '' }])
  }
  const page = readPage(pageText)
  const isOurs = read(`${name}-expectations.csv`) !== undefined
  const claimsCsv = read(`${name}-${isOurs ? 'expectations' : 'claims'}.csv`)
  const stored = claimsCsv === undefined ? undefined : storedClaims(claimsCsv, isOurs ? 'expected' : 'paper')
  const experiment = experiments.find((one) => one.name === name)
  const drawn = conclusions(experiment, page, runsCsv)
  const isSame = typeof drawn !== 'string' && (stored === undefined || areEqual(drawn.claims, stored))
  const why = isSame
    ? ''
    : typeof drawn === 'string'
      ? drawn
      : 'from its runs this program concludes otherwise on some claims'
  const findings = isSame ? drawn : undefined
  // Drawing loads a plotting library, which listing the experiments does not need.
  const figures = findings === undefined ? storedFigures(page, read) : await drawnFigures(name, findings)
  return {
    name,
    folder,
    title: page.title === '' ? (experiment?.title ?? name) : page.title,
    source: page.source,
    help: page.help,
    size: page.size ?? 'unknown',
    seeds: page.seeds.replaceAll(',', ', '),
    version: page.version,
    command: page.command,
    isOurs: isOurs || experiment?.plan.claimsOf === 'ours',
    claims: grouped(findings?.claims ?? stored ?? []),
    tables: findings?.tables ?? page.tables.filter(({ columns }) => !isClaims(columns)),
    figures: figures.toSorted((a, b) => Number(b.hasPaper) - Number(a.hasPaper)),
    remarks: findings?.remarks ?? page.remarks,
    runsCsv,
    storedWhy: why,
  }
}

/** Conclusions of this program from the runs, or the reason why there are none. */
function conclusions(experiment: Experiment | undefined, { size }: StoredPage, runsCsv: string): Findings | string {
  if (experiment === undefined) return 'this program has no such experiment'
  if (size === undefined) return 'its page does not say the size of the runs'
  try {
    const runs = readEarlierRuns(runsCsv)
    const own = experiment.ownRuns(size, runs)
    if (own.length < runs.length) return 'this program makes other runs in this experiment'
    return experiment.findings(size, own)
  } catch (error) {
    if (error instanceof InputError) return 'this program makes other runs in this experiment'
    throw error
  }
}

/** Claims are the same if all of them say the same; explanations may have changed. */
function areEqual(drawn: readonly Claim[], stored: readonly Claim[]): boolean {
  const textOf = ({ id, check, measured, verdict }: Claim): string => [id, check, measured, verdict].join('\n')
  return drawn.length === stored.length && drawn.every((claim, i) => textOf(claim) === textOf(stored[i]!))
}

/** @throws InputError for a word that is none: a claim would count as something else. */
function verdictOf(text: string, id: string): Verdict {
  if (isCheckVerdict(text)) return text
  const expected = CLAIM_STATES.filter(isCheckVerdict).join(', ')
  throw inputError(`verdict of ${id}`, `one of ${expected}`, JSON.stringify(text), 'reproduce writes the claims again')
}

/** The rows of NAME-claims.csv. */
function storedClaims(text: string, claimedBy: 'paper' | 'expected'): Claim[] {
  const names = ['claim', 'check', 'statement', claimedBy, 'measured', 'verdict', 'reason']
  const table = readCsv('claims', text, { types: Object.fromEntries(names.map((name) => [name, 'text'])) })
  const columns = names.map((name) => (findColumn(table, name) === undefined ? [] : textsOf(table, name)))
  const counts = (name: string): ArrayLike<number> =>
    findColumn(table, name) === undefined ? [] : numbersOf(table, name)
  const [held, of] = [counts('seedsHeld'), counts('seeds')]
  return Array.from({ length: table.rowCount }, (_, row): Claim => {
    const [id = '', check = '', statement = '', paper = '', measured = '', verdict = '', reason = ''] = columns.map(
      (texts) => texts[row] ?? '',
    )
    const seeds = Number.isFinite(of[row]) ? { seeds: { held: held[row]!, of: of[row]! } } : {}
    return { id, check, statement, paper, measured, verdict: verdictOf(verdict, id), reason, ...seeds }
  })
}

const CLAIM_HEADS = ['claim', 'statement', 'measured', 'verdict']

function isClaims(columns: StoredPage['tables'][number]['columns']): boolean {
  return CLAIM_HEADS.every((name) => columns.some(({ head }) => head === name))
}

/** Claims with their checks, in the order in which they first appear. */
function grouped(claims: readonly Claim[]): ReportedClaim[] {
  const byId = new Map<string, { readonly check: ReportedCheck; readonly verdict: Verdict }[]>()
  for (const { id, ...check } of claims) {
    byId.set(id, [...(byId.get(id) ?? []), { check, verdict: check.verdict }])
  }
  return [...byId].map(([id, own]) => ({
    id,
    state: claimState(own.map(({ verdict }) => verdict)),
    checks: own.map(({ check }) => check),
  }))
}

async function drawnFigures(experiment: string, { figures }: Findings): Promise<ReportedFigure[]> {
  const { svgOf, textOfFigure } = await import('./report.ts')
  return figures.map((figure) => {
    const { title } = textOfFigure(figure)
    return { name: `${experiment}-${figure.name}`, title, svg: svgOf(untitled(figure)), hasPaper: hasPaper(figure) }
  })
}

/** Titles stand above the figures of a report. */
function untitled(figure: FindingsFigure): FindingsFigure {
  if ('bars' in figure) return { ...figure, bars: { ...figure.bars, isUntitled: true } }
  if ('lines' in figure) return { ...figure, lines: { ...figure.lines, isUntitled: true } }
  return { ...figure, heatMap: { ...figure.heatMap, isUntitled: true } }
}

/** Heat maps are ratios to the paper's values. */
function hasPaper(figure: FindingsFigure): boolean {
  if ('bars' in figure) {
    return figure.bars.groups.some(({ paper }) => Number.isFinite(paper)) || figure.bars.limit !== undefined
  }
  return 'lines' in figure ? figure.lines.lines.some(({ isPaper }) => isPaper === true) : true
}

function storedFigures({ figures }: StoredPage, read: FolderReader): ReportedFigure[] {
  return figures.flatMap(({ title, file }) => {
    const svg = /^[\w.-]+$/.test(file) ? read(file) : undefined
    return svg === undefined ? [] : [{ name: file.replace(/\.svg$/, ''), title, svg, hasPaper: /paper/i.test(title) }]
  })
}
