/**
 * The reproduction, counted by claims: one line and one state for each claim of the papers, from the rows that the
 * experiments' pages have of it, from the test that holds it, or with the reason why there is none.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { claimState } from '../../src/experiments/core/claim-state.ts'
import { type Listed, LISTED } from '../../src/experiments/core/listed-claims.ts'
import { experiments, type Verdict } from '../../src/experiments/index.ts'
import { readCsv, textsOf } from '../../src/results/index.ts'
import { read, ROOT } from './pages.ts'

const EXPERIMENTS = 'docs/experiments'

/** The papers: how the ids of their claims begin, and their page. */
export const PAPERS = [
  { prefix: 'gbn.', name: 'IGBN', page: 'igbn', title: 'Error Recovery of RDMA Packets in Data Center Networks' },
  {
    prefix: 'srv.',
    name: 'Survey',
    page: 'survey',
    title: 'Traffic Control for RDMA-enabled Data Center Networks: A Survey',
  },
  { prefix: 'rce.', name: 'MS-Scale', page: 'ms-scale', title: 'RDMA over Commodity Ethernet at Scale' },
  {
    prefix: 'irn.',
    name: 'IRN',
    page: 'irn',
    title: 'Revisiting Network Support for RDMA, extended version',
  },
  {
    prefix: 'ldcp.',
    name: 'LDCP',
    page: 'ldcp',
    title: 'PFC-Free Low Delay Control Protocol, Internet-Draft 01',
  },
] as const

export const HOMES = ['test', 'notMeasured', 'contradictory', 'repeats', 'pending'] as const

export const listed = LISTED

/** A row of the table of claims in a page. */
export interface Row {
  readonly experiment: string
  readonly claim: string
  readonly check: string
  readonly statement: string
  readonly paper: string
  readonly measured: string
  readonly verdict: string
  readonly reason: string
  /** From runs with an earlier reading of the paper, judged at that time; the page says so. */
  readonly isEarlier: boolean
}

/** Marks pages whose runs have an earlier reading. */
export const EARLIER = 'Earlier reading:'

const COLUMNS = ['claim', 'check', 'statement', 'paper', 'measured', 'verdict', 'reason'] as const

/** Rows of all pages of full size of experiments that exist; pages of runs that are cut short do not count. */
export const rows: readonly Row[] = readdirSync(path.join(ROOT, EXPERIMENTS), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && experiments.some(({ name }) => name === entry.name))
  .flatMap(({ name }) => rowsOf(name))

function rowsOf(folder: string): Row[] {
  const names = readdirSync(path.join(ROOT, EXPERIMENTS, folder))
  const file = names.find((name) => name.endsWith('-claims.csv'))
  const page = names.find((name) => name.endsWith('.md'))
  if (file === undefined || page === undefined) return []
  const text = read(`${EXPERIMENTS}/${folder}/${page}`)
  if (!text.includes('--size full')) return []
  const isEarlier = text.includes(EARLIER)
  const table = readCsv('claims', read(`${EXPERIMENTS}/${folder}/${file}`), {
    types: Object.fromEntries(COLUMNS.map((name) => [name, 'text'])),
  })
  const columns = COLUMNS.map((name) => textsOf(table, name))
  return Array.from({ length: table.rowCount }, (_, row) => {
    const [claim, check, statement, paper, measured, verdict, reason] = columns.map((texts) => texts[row]!)
    return {
      experiment: folder,
      claim: claim!,
      check: check!,
      statement: statement!,
      paper: paper!,
      measured: measured!,
      verdict: verdict!,
      reason: reason!,
      isEarlier,
    }
  })
}

/** States, best known first, as the first page has them. */
export const STATES = [
  'reproduced',
  'partly',
  'not reproduced',
  'undecided',
  'rule or unit test',
  'input',
  'not measured',
  'contradictory',
  'repeats another',
  'not yet run',
] as const
export type State = (typeof STATES)[number]

export interface Line {
  readonly claim: Listed
  readonly state: State
  /** "3 of 9 checks", a reason, or the claim that it repeats. */
  readonly note: string
  readonly rows: readonly Row[]
}

/** One line for each claim. */
export const lines: readonly Line[] = listed.map((claim) => {
  const own = rows.filter((row) => row.claim === claim.id)
  const { state, note } = stateOf(claim, own)
  const earlier = own.some(({ isEarlier }) => isEarlier) ? ['earlier reading'] : []
  return { claim, rows: own, state, note: [...(note === '' ? [] : [note]), ...earlier].join('; ') }
})

function stateOf(claim: Listed, own: readonly Row[]): { readonly state: State; readonly note: string } {
  if (claim.repeats !== undefined) return { state: 'repeats another', note: `see ${claim.repeats}` }
  if (claim.contradictory !== undefined) return { state: 'contradictory', note: claim.contradictory }
  if (claim.notMeasured !== undefined) return { state: 'not measured', note: claim.notMeasured }
  if (claim.pending !== undefined) return { state: 'not yet run', note: claim.pending }
  if (claim.test !== undefined) return { state: 'rule or unit test', note: claim.test[2] ?? claim.test[1] }
  const state = claimState(own.map(({ verdict }) => verdict as Verdict))
  if (state === 'input') return { state, note: 'the traffic was inferred from it' }
  const judged = own.filter(({ verdict }) => verdict !== 'input')
  const count = (verdict: string): number => judged.filter((row) => row.verdict === verdict).length
  const [held, open] = [count('reproduced'), count('undecided')]
  const note = judged.length === 1 ? '' : countText({ held, open, of: judged.length })
  if (state === 'reproduced') return { state: claim.nature === 'rule' ? 'rule or unit test' : 'reproduced', note }
  // Pages of full size have no other states.
  return { state: state as State, note }
}

function countText({ held, open, of }: { held: number; open: number; of: number }): string {
  const rest = open === 0 ? '' : `, ${open} undecided`
  return `${held} of ${of} checks${rest}`
}

/** Claims by state, a row each, a column for each paper. */
export function stateTable(): string {
  const head = ['state', ...PAPERS.map(({ name, page }) => `[${name}](reproduction/${page}.md)`), 'all']
  const countOf = (state: State, prefix: string): number =>
    lines.filter((line) => line.state === state && line.claim.id.startsWith(prefix)).length
  const body = STATES.map((state) => {
    const counts = PAPERS.map(({ prefix }) => countOf(state, prefix))
    return [state, ...counts, counts.reduce((sum, each) => sum + each, 0)]
  }).filter((row) => row.at(-1) !== 0)
  const sums = head.slice(1).map((_, k) => body.reduce((sum, row) => sum + Number(row[k + 1]), 0))
  return markdown([head, ...body, ['all', ...sums]], [0])
}

/** The page of a paper: a line for each claim. */
export function paperPage({ prefix, name, title }: (typeof PAPERS)[number]): string {
  const own = lines.filter(({ claim }) => claim.id.startsWith(prefix))
  const table = own.map(({ claim, state, note, rows: checks }) => [
    `${claim.id}${claim.section === '' ? '' : ` (${claim.section})`}`,
    claim.statement,
    claim.paper,
    measuredText(checks),
    `${state}${note === '' ? '' : `: ${note}`}${claim.weak === undefined ? '' : `. Weak: ${claim.weak}`}`,
    `${claim.nature}, ${claim.judge === 'none' ? 'not judged' : `by ${claim.judge}`}`,
    homeText(claim, checks),
  ])
  return `${[
    `# ${name}: claim by claim`,
    `*${title}.* ${own.length} claims. [How they are judged, and the count](../reproduction.md); every check of every claim with its number is in [rows.csv](rows.csv).`,
    markdown(
      [['claim (section)', 'statement', 'paper', 'measured', 'state', 'nature, judged', 'from'], ...table],
      [0, 1, 2, 3, 4, 5, 6],
    ),
  ].join('\n\n')}\n`
}

/** The number if there is one check; several numbers are in the rows only. */
function measuredText(checks: readonly Row[]): string {
  if (checks.length === 0) return ''
  return checks.length === 1 ? checks[0]!.measured : `${checks.length} checks`
}

function homeText({ test }: Listed, checks: readonly Row[]): string {
  if (test !== undefined) return `[${path.basename(test[0])}](../../${test[0]})`
  const pages = [...new Set(checks.map(({ experiment }) => experiment))]
  return pages.map((page) => `[${page}](../experiments/${page}/)`).join(', ')
}

/** Every check of every claim. */
export function rowsCsv(): string {
  const cells = (row: Row): string =>
    [row.claim, row.check, row.experiment, row.paper, row.measured, row.verdict].map(csvCell).join(',')
  return `${['claim,check,experiment,paper,measured,verdict', ...rows.map(cells)].join('\n')}\n`
}

const csvCell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

function markdown(table: readonly (readonly (string | number)[])[], left: readonly number[]): string {
  const line = (cells: readonly (string | number)[]): string =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  const rule = table[0]!.map((_, k) => (left.includes(k) ? '---' : '---:'))
  return [line(table[0]!), `| ${rule.join(' | ')} |`, ...table.slice(1).map(line)].join('\n')
}
