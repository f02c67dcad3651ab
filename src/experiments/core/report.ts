/**
 * Report: an experiment's findings as text for the terminal and as files: a page in Markdown, its figures, the measures of
 * every run and the claims as CSV. Nothing in it is written by hand, so that it can be generated again.
 */
import { VERSION } from '../../base/version.ts'
import { barFigure, heatMapFigure, lineFigure } from '../../report/figure/index.ts'
import { textTable, type TextColumn } from '../../report/index.ts'
import { type Column, createTable, writeCsv } from '../../results/index.ts'
import type { EarlierRuns } from './earlier-runs.ts'
import type { Claim, Findings, FindingsFigure, FindingsTable } from './findings.ts'
import type { Outcome, PlanHead, Size } from './plan.ts'

export interface ExperimentReport {
  readonly findings: Findings
  /** Text for the terminal. */
  readonly text: string
  /** Page, figures and CSV files, named without a folder. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

interface ReportInput {
  readonly size: Size
  readonly seeds: readonly number[]
  readonly outcomes: readonly Outcome[]
  /** The runs taken over from earlier reports. */
  readonly earlier: EarlierRuns
  readonly findings: Findings
}

/** The report of an experiment's findings. */
export function reportOf(plan: PlanHead, input: ReportInput): ExperimentReport {
  return {
    findings: input.findings,
    text: textOf(plan, input),
    files: [
      { path: `${plan.name}.md`, text: pageOf(plan, input) },
      ...input.findings.figures.map((figure) => ({
        path: `${plan.name}-${figure.name}.svg`,
        text: svgOf(figure),
      })),
      { path: `${plan.name}.csv`, text: csvOf(plan, input.outcomes) },
      ...(input.findings.claims.length === 0
        ? []
        : [{ path: claimsFile(plan), text: claimsCsv(plan, input.findings.claims) }]),
    ],
  }
}

function textOf(plan: PlanHead, { size, seeds, earlier, findings }: ReportInput): string {
  const parts = [
    `${plan.title}\n${plan.source}; ${plan.sizes[size]}; ${seedsText(seeds)}\n`,
    ...findings.tables.map((table) => `${table.title}\n\n${textTable(table.columns, table.rows)}`),
    ...(findings.claims.length === 0
      ? []
      : [`${claimsTitle(plan)}\n\n${textTable(claimHeads(plan), findings.claims.map(claimCells), { width: 150 })}`]),
    ...[...findings.remarks, ...earlierText(earlier)].map((remark) =>
      textTable([{ head: '' }], [[remark]], { width: 110 }),
    ),
  ]
  return parts.join('\n')
}

const isOurs = ({ claimsOf }: PlanHead): boolean => claimsOf === 'ours'
const claimsTitle = (plan: PlanHead): string => (isOurs(plan) ? 'Expectations and results' : 'Claims of the paper')
const claimsFile = (plan: PlanHead): string => `${plan.name}-${isOurs(plan) ? 'expectations' : 'claims'}.csv`
/** Heading of the expected values. */
const claimedBy = (plan: PlanHead): string => (isOurs(plan) ? 'expected' : 'paper')
const claimHeads = (plan: PlanHead): TextColumn[] =>
  ['claim', 'statement', claimedBy(plan), 'measured', 'verdict'].map((head) => ({ head }))

function claimCells({ id, check, statement, paper, measured, verdict, seeds }: Claim): readonly string[] {
  const held = seeds === undefined || seeds.of < 2 ? '' : `; holds in ${seeds.held} of ${seeds.of} seeds`
  return [check === '' ? id : `${id} [${check}]`, statement, paper, `${measured}${held}`, verdict]
}

/** The table of claims as CSV. */
function claimsCsv(plan: PlanHead, claims: readonly Claim[]): string {
  const texts = (name: string, valueOf: (claim: Claim) => string): Column => ({
    name,
    type: 'text',
    data: claims.map(valueOf),
  })
  const counts = (name: string, key: 'held' | 'of'): Column => ({
    name,
    type: 'number',
    data: Float64Array.from(claims, ({ seeds }) => seeds?.[key] ?? NaN),
  })
  return writeCsv(
    createTable('claims', [
      texts('claim', ({ id }) => id),
      texts('check', ({ check }) => check),
      texts('statement', ({ statement }) => statement),
      texts(claimedBy(plan), ({ paper }) => paper),
      texts('measured', ({ measured }) => measured),
      texts('verdict', ({ verdict }) => verdict),
      counts('seedsHeld', 'held'),
      counts('seeds', 'of'),
      texts('reason', ({ reason }) => reason),
    ]),
  )
}

export function svgOf(figure: FindingsFigure): string {
  if ('bars' in figure) return barFigure(figure.bars)
  return 'lines' in figure ? lineFigure(figure.lines) : heatMapFigure(figure.heatMap)
}

export function textOfFigure(figure: FindingsFigure): { readonly title: string } {
  if ('bars' in figure) return figure.bars
  return 'lines' in figure ? figure.lines : figure.heatMap
}

/** A note on runs taken over from an earlier report. */
function earlierText({ count, checkedCount, seeds }: EarlierRuns): readonly string[] {
  if (count === 0) return []
  const made = checkedCount === 1 ? 'one was' : `${checkedCount} were`
  return [
    `${count} runs (${seedsText(seeds)}) are taken from an earlier report; ${made} run again and had the same events.`,
  ]
}

function pageOf(plan: PlanHead, { size, seeds, earlier, findings }: ReportInput): string {
  const command = `rocelab reproduce ${plan.name} --size ${size} --seeds ${seedList(seeds, ',')}`
  const claims: FindingsTable = {
    title: claimsTitle(plan),
    columns: [...claimHeads(plan), { head: 'why' }],
    rows: findings.claims.map((claim) => [...claimCells(claim), claim.reason]),
  }
  const parts = [
    `# ${plan.title}`,
    `Source: ${plan.source}.`,
    plan.help,
    `This page, its figures and [${plan.name}.csv](${plan.name}.csv) (the measures of every run) are the output of ` +
      `\`${command}\`, rocelab ${VERSION}. ${capital(plan.sizes[size])}; ${seedsText(seeds)}.`,
    ...findings.tables.flatMap((table) => [`## ${table.title}`, markdownTable(table)]),
    ...findings.figures.map((figure) => {
      const { title } = textOfFigure(figure)
      return `![${title}](${plan.name}-${figure.name}.svg)`
    }),
    ...(claims.rows.length === 0 ? [] : [`## ${claims.title}`, markdownTable(claims)]),
    ...(findings.remarks.length > 0 ? ['## Remarks', ...findings.remarks] : []),
    ...earlierText(earlier),
  ]
  return `${parts.join('\n\n')}\n`
}

function markdownTable({ columns, rows }: FindingsTable): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(markdownCell).join(' | ')} |`
  const rule = columns.map((column) => (column.align === 'right' ? '---:' : '---'))
  return [line(columns.map((column) => column.head)), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

function markdownCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

/** One line per run. Axes and measures that a run does not have are empty cells. */
function csvOf(plan: PlanHead, outcomes: readonly Outcome[]): string {
  const names = [...new Set(outcomes.flatMap((outcome) => Object.keys(outcome.measures)))]
  const axes = [...new Set(outcomes.flatMap(({ at }) => Object.keys(at)))]
  const columns: Column[] = [
    ...axes.map((axis): Column => ({
      name: axis,
      type: 'text',
      data: outcomes.map(({ at }) => String(at[axis] ?? '')),
    })),
    { name: 'seed', type: 'integer', data: Float64Array.from(outcomes, (outcome) => outcome.seed) },
    { name: 'digest', type: 'text', data: outcomes.map((outcome) => outcome.digest) },
    ...names.map((name): Column => {
      const data = Float64Array.from(outcomes, (outcome) => outcome.measures[name] ?? NaN)
      return { name, type: 'number', data }
    }),
  ]
  return writeCsv(createTable(plan.name, columns))
}

function seedsText(seeds: readonly number[]): string {
  return seeds.length === 1 ? `seed ${seeds[0]}` : `seeds ${seedList(seeds, ', ')}`
}

/** Seeds in the syntax of `--seeds`; more than 20 consecutive ones become a range. */
function seedList(seeds: readonly number[], separator: string): string {
  const [first = NaN] = seeds
  const isRange = seeds.length > 20 && seeds.every((seed, i) => seed === first + i)
  return isRange ? `${first}..${first + seeds.length - 1}` : seeds.join(separator)
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}
