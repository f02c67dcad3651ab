/**
 * Report: an experiment's findings as text for the terminal and as files: a page, its figures, the measures of every run
 * and the claims as CSV, and all of it but the runs as data. Nothing in it is written by hand, so that it can be made again.
 */
import { assert } from '../../../core/base/assert.ts'
import { barFigure, lineFigure } from '../../../show/figure/index.ts'
import { textTable } from '../../../show/index.ts'
import { type Column, createTable, writeCsv } from '../../../core/results/index.ts'
import { claimsCsv } from './claims-csv.ts'
import type { Claim, Findings, FindingsFigure } from '../findings.ts'
import { pageOf } from './page.ts'
import type { Outcome, PlanHead } from '../plan.ts'
import { infoOf, infoText, type RunsInfo, seedsText } from './stored-info.ts'

export interface ReportFile {
  readonly path: string
  readonly text: string
}

export interface ExperimentReport {
  readonly findings: Findings
  /** Text for the terminal. */
  readonly text: string
  /** Page, figures and data, named without a folder. */
  readonly files: readonly ReportFile[]
}

/** The report of an experiment's findings. */
export function reportOf(
  plan: PlanHead,
  runs: RunsInfo,
  outcomes: readonly Outcome[],
  findings: Findings,
): ExperimentReport {
  return {
    findings,
    text: textOf(plan, runs, findings),
    files: [...pageFiles(plan, runs, findings), { path: `${plan.name}.csv`, text: csvOf(plan, outcomes) }],
  }
}

/** All files but the runs. */
export function pageFiles(plan: PlanHead, runs: RunsInfo, findings: Findings): ReportFile[] {
  const info = infoOf(plan, runs, findings)
  const { claims, figures } = findings
  return [
    { path: `${plan.name}.md`, text: pageOf(info, claims) },
    { path: `${plan.name}.json`, text: infoText(info) },
    ...figures.map((figure) => ({ path: `${plan.name}-${figure.name}.svg`, text: svgOf(figure) })),
    ...(claims.length === 0 ? [] : [{ path: `${plan.name}-claims.csv`, text: claimsCsv(claims) }]),
  ]
}

function textOf(plan: PlanHead, { size, seeds, note }: RunsInfo, { tables, claims, remarks }: Findings): string {
  const isOurs = plan.claimsOf === 'ours'
  const heads = ['claim', 'statement', isOurs ? 'expected' : 'paper', 'measured', 'verdict'].map((head) => ({ head }))
  const parts = [
    `${plan.title}\n${plan.source}; ${plan.sizes[size]}; ${seedsText(seeds)}\n`,
    ...tables.map((table) => `${table.title}\n\n${textTable(table.columns, table.rows)}`),
    ...(claims.length === 0
      ? []
      : [
          `${isOurs ? 'Expectations and results' : 'Claims of the paper'}\n\n${textTable(heads, claims.map(claimCells), { width: 150 })}`,
        ]),
    ...[...remarks, ...(note === '' ? [] : [note])].map((remark) =>
      textTable([{ head: '' }], [[remark]], { width: 110 }),
    ),
  ]
  return parts.join('\n')
}

function claimCells({ id, check, statement, paper, measured, verdict, seeds }: Claim): readonly string[] {
  const held = seeds === undefined || seeds.of < 2 ? '' : `; holds in ${seeds.held} of ${seeds.of} seeds`
  return [check === '' ? id : `${id} [${check}]`, statement, paper, `${measured}${held}`, verdict]
}

export function svgOf(figure: FindingsFigure): string {
  return 'bars' in figure ? barFigure(figure.bars) : lineFigure(figure.lines)
}

/** One line per run. Axes and measures that a run does not have are empty cells. */
function csvOf(plan: PlanHead, outcomes: readonly Outcome[]): string {
  const axes = [...new Set(outcomes.flatMap(({ at }) => Object.keys(at)))]
  const names = [...new Set(outcomes.flatMap((outcome) => Object.keys(outcome.measures)))]
  assert(!axes.some((axis) => names.includes(axis)), 'no axis is called like a measure')
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
