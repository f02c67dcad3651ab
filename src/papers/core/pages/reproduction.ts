/**
 * The reproduction, counted by claims: one line and one state for each claim of the papers, from the checks that the
 * experiments' pages have of it, from the test that holds it, or with the reason why there is none; and all pages of docs/
 * that are made from stored runs. Folders whose runs this program would not make keep their conclusions.
 */
import { createTable, writeCsv } from '../../../core/results/index.ts'
import type { Experiment } from '../experiment.ts'
import type { Claim } from '../findings.ts'
import { type Listed, LISTED } from '../listed-claims.ts'
import { claimState } from './claim-state.ts'
import { markdownTable, pageOf } from './page.ts'
import type { ReportFile } from './report.ts'
import { type FolderReader, readStored } from './stored-report.ts'

interface DocsInput {
  /** Folders of experiments/, by name, with the experiment that each is of. */
  readonly folders: readonly { readonly folder: string; readonly name: string; readonly read: FolderReader }[]
  /** reproduction.md as it is: the table between its marks is replaced. */
  readonly first: string
  readonly experiments: readonly Experiment[]
}

const MARKS = /(<!-- states -->\n)[\s\S]*?(\n?<!-- end -->)/

/** Files by their path in docs/. Throws InputError for a damaged folder. */
export async function docsOf({ folders, first, experiments }: DocsInput): Promise<ReportFile[]> {
  // Drawing loads a plotting library, which listing the experiments does not need.
  const { pageFiles } = await import('./report.ts')
  const reports = folders.map(({ folder, name, read }) => ({
    folder,
    name,
    stored: readStored(name, read, experiments),
  }))
  const checked = reports.flatMap(({ folder, stored }): Checked[] => {
    const { info, drawn, claims, experiment } = stored
    if (info.size !== 'full' || experiment === undefined || experiment.plan.claimsOf === 'ours') return []
    const isEarlier = info.isEarlier === true
    return [{ experiment: folder, isEarlier, claims: typeof drawn === 'string' ? claims : drawn.claims }]
  })
  const checks = checksOf(checked)
  const lines = claimLines(checks)
  return [
    ...reports.flatMap(({ folder, name, stored: { info, claims, drawn, experiment } }) => {
      const isDrawn = typeof drawn !== 'string' && experiment !== undefined
      const files = isDrawn
        ? pageFiles(experiment.plan, info, drawn)
        : [{ path: `${name}.md`, text: pageOf(info, claims) }]
      return files.map(({ path, text }) => ({ path: `experiments/${folder}/${path}`, text }))
    }),
    ...PAPERS.map((paper) => ({ path: `reproduction/${paper.page}.md`, text: paperPage(paper, lines) })),
    { path: 'reproduction/rows.csv', text: checksCsv(checks) },
    { path: 'reproduction.md', text: first.replace(MARKS, (_, from, to) => `${from}${stateTable(lines)}${to}`) },
  ]
}

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
  { prefix: 'irn.', name: 'IRN', page: 'irn', title: 'Revisiting Network Support for RDMA, extended version' },
  { prefix: 'ldcp.', name: 'LDCP', page: 'ldcp', title: 'PFC-Free Low Delay Control Protocol, Internet-Draft 01' },
] as const
type Paper = (typeof PAPERS)[number]

/** The claims that a report of full size checks. */
export interface Checked {
  readonly experiment: string
  readonly claims: readonly Claim[]
  /** Its runs have an earlier reading of the paper, and were judged at that time. */
  readonly isEarlier: boolean
}

/** A check of a claim, and the experiment that makes it. */
interface Check extends Claim {
  readonly experiment: string
  readonly isEarlier: boolean
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
type State = (typeof STATES)[number]

/** A claim with its state. */
interface ClaimLine {
  readonly claim: Listed
  readonly state: State
  /** "3 of 9 checks", a reason, or the claim that it repeats. */
  readonly note: string
  readonly checks: readonly Check[]
}

export function checksOf(reports: readonly Checked[]): Check[] {
  return reports.flatMap(({ claims, ...from }) => claims.map((claim) => ({ ...claim, ...from })))
}

export function claimLines(checks: readonly Check[]): ClaimLine[] {
  return LISTED.map((claim) => {
    const own = checks.filter(({ id }) => id === claim.id)
    const { state, note } = stateOf(claim, own)
    const earlier = own.some(({ isEarlier }) => isEarlier) ? ['earlier reading'] : []
    return { claim, checks: own, state, note: [...(note === '' ? [] : [note]), ...earlier].join('; ') }
  })
}

function stateOf(claim: Listed, own: readonly Check[]): { readonly state: State; readonly note: string } {
  if (claim.repeats !== undefined) return { state: 'repeats another', note: `see ${claim.repeats}` }
  if (claim.contradictory !== undefined) return { state: 'contradictory', note: claim.contradictory }
  if (claim.notMeasured !== undefined) return { state: 'not measured', note: claim.notMeasured }
  if (claim.pending !== undefined) return { state: 'not yet run', note: claim.pending }
  const input = { state: 'input', note: claim.setBy ?? "a setting that is the paper's" } as const
  if (claim.test !== undefined) return claim.nature === 'input' ? input : { state: 'rule or unit test', note: '' }
  const state = claimState(own.map(({ verdict }) => verdict))
  if (state === 'input') return input
  const judged = own.filter(({ verdict }) => verdict !== 'input')
  const count = (verdict: string): number => judged.filter((row) => row.verdict === verdict).length
  const open = count('undecided') === 0 ? '' : `, ${count('undecided')} undecided`
  const note = judged.length === 1 ? '' : `${count('reproduced')} of ${judged.length} checks${open}`
  if (state === 'reproduced') return { state: claim.nature === 'rule' ? 'rule or unit test' : 'reproduced', note }
  // Reports of full size have no other states.
  return { state: state as State, note }
}

/** Claims by state, a row each, a column for each paper. */
function stateTable(lines: readonly ClaimLine[]): string {
  const countOf = (state: State, prefix: string): number =>
    lines.filter((line) => line.state === state && line.claim.id.startsWith(prefix)).length
  const rows = STATES.map((state) => ({ state, counts: PAPERS.map(({ prefix }) => countOf(state, prefix)) }))
  const total = (counts: readonly number[]): number => counts.reduce((sum, each) => sum + each, 0)
  const shown = rows.filter(({ counts }) => total(counts) > 0)
  const sums = PAPERS.map((_, paper) => total(shown.map(({ counts }) => counts[paper]!)))
  const heads = [...PAPERS.map(({ name }) => name), 'all']
  return markdownTable(
    [{ head: 'state' }, ...heads.map((head) => ({ head, align: 'right' }) as const)],
    [...shown.map(({ state, counts }) => [state, ...counts, total(counts)]), ['all', ...sums, total(sums)]],
  )
}

/** The page of a paper: a line for each claim. */
function paperPage({ prefix, name, title }: Paper, lines: readonly ClaimLine[]): string {
  const own = lines.filter(({ claim }) => claim.id.startsWith(prefix))
  const rows = own.map(({ claim, state, note, checks }) => [
    `${claim.id}${claim.section === '' ? '' : ` (${claim.section})`}`,
    claim.statement,
    claim.paper,
    checks.length > 1 ? '' : (checks[0]?.measured ?? ''),
    `${state}${note === '' ? '' : `: ${note}`}${claim.weak === undefined ? '' : `. Weak: ${claim.weak}`}`,
    homeText(claim, checks),
  ])
  const heads = ['claim (section)', 'statement', 'paper', 'measured', 'state', 'from']
  return `${[
    `# ${name}: claim by claim`,
    `*${title}.* ${own.length} claims. [How they are judged, and the count](../reproduction.md); every check with its number is in [rows.csv](rows.csv).`,
    markdownTable(
      heads.map((head) => ({ head })),
      rows,
    ),
  ].join('\n\n')}\n`
}

function homeText({ test }: Listed, checks: readonly Check[]): string {
  if (test !== undefined) return `[test](../../${test[0]!})`
  const pages = [...new Set(checks.map(({ experiment }) => experiment))]
  return pages.map((page) => `[${page}](../experiments/${page}/${page}.md)`).join(', ')
}

/** Every check of every claim. */
function checksCsv(checks: readonly Check[]): string {
  const texts = (name: string, of: 'id' | 'check' | 'experiment' | 'paper' | 'measured' | 'verdict') =>
    ({ name, type: 'text', data: checks.map((check) => check[of]) }) as const
  return writeCsv(
    createTable('checks', [
      texts('claim', 'id'),
      ...(['check', 'experiment', 'paper', 'measured', 'verdict'] as const).map((name) => texts(name, name)),
    ]),
  )
}
