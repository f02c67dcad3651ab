/**
 * Jobs: step times beside idle ones, the parts of the critical path and what held it, and which ranks are late, on which port.
 */
import { exactCount, humanDuration, humanNumber, humanRate } from '../../core/base/format.ts'
import { collectivesOf, jobsOf } from '../../core/results/index.ts'
import { type Lateness, latenessOf } from '../explain/job-lateness.ts'
import { type JobPath, jobPaths } from '../explain/job-path.ts'
import { heldRows, partRows } from '../explain/job-text.ts'
import { idleCells } from '../operations-text.ts'
import type { ReportedRun } from '../reported-run.ts'
import { markup, type Markup, NOTHING } from './markup.ts'
import { type CellColumn, cellTable } from './parts/scroll-table.ts'

/** Messages and late ranks that a table has. */
const ROWS_MAX = 20

export function hasJobs(runs: readonly ReportedRun[]): boolean {
  return runs.some(({ summary }) => summary.jobs.length > 0)
}

/** A part for each run with jobs. */
export function jobsSection(runs: readonly ReportedRun[]): Markup {
  const parts = runs.map((run) => {
    if (run.summary.jobs.length === 0) return NOTHING
    const heading = runs.length > 1 ? markup`<h3>${run.label}</h3>` : NOTHING
    const { rounds, steps } = latenessOf(run.result)
    const paths = jobPaths(run.result).filter(({ totalPs }) => totalPs > 0)
    return markup`${heading}
      ${timesTable(run)}
      <div class="columns">${paths.map((path) => partsTable(path, run.label))}</div>
      ${paths.map((path) => heldTable(path, run.label))}
      <div class="columns">
        ${lateTable(`Last rank of each iteration behind the median one, ${run.label}`, rounds)}
        ${lateTable(`The same of steps, ${run.label}`, steps)}
      </div>`
  })
  return markup`${parts}`
}

function table(
  caption: string,
  columns: readonly (CellColumn | string)[],
  rows: readonly (readonly string[])[],
): Markup {
  return markup`<div>${cellTable({ caption, columns, rows, csv: caption })}</div>`
}

const count = (head: string): CellColumn => ({ head, kind: 'count' })
const duration = (head: string): CellColumn => ({ head, kind: 'duration' })

const known = (ps: number): string => (Number.isNaN(ps) ? '-' : humanDuration(ps, 4))

function timesTable({ result, label }: ReportedRun): Markup {
  const collectives = collectivesOf(result)
  const rows = jobsOf(result).flatMap((job) => [
    [
      job.tag,
      'step',
      exactCount(job.ranks),
      exactCount(job.iterations),
      known(job.stepPs),
      ...idleCells(job, known),
      '-',
    ],
    ...collectives
      .filter((one) => one.tag === job.tag)
      .map((one) => [
        job.tag,
        `${one.operation} ${one.algorithm}`,
        exactCount(one.ranks),
        exactCount(one.iterations),
        known(one.meanPs),
        known(one.idealMeanPs),
        ratio(one.meanPs, one.idealMeanPs),
        humanRate(one.busBps),
      ]),
  ])
  const columns = [
    'job',
    'time of',
    ...['ranks', 'iterations'].map(count),
    ...['mean', 'idle'].map(duration),
    ...['ratio', 'bus bandwidth'].map(count),
  ]
  return table(`Step times, ${label}`, columns, rows)
}

function ratio(ps: number, idealPs: number): string {
  return Number.isNaN(ps / idealPs) ? '-' : humanNumber(ps / idealPs)
}

function partsTable(path: JobPath, label: string): Markup {
  const columns = ['part', duration('time'), { head: 'share', kind: 'share' }]
  return table(`Critical path of ${path.tag}, ${label}`, columns, partRows(path))
}

function heldTable(path: JobPath, label: string): Markup {
  if (path.held.length === 0) return NOTHING
  const times = ['time', 'beyond ideal'].map(duration)
  const columns = [count('iteration'), 'rank', 'message', count('flow'), ...times, 'why']
  return table(
    `Messages of the critical path of ${path.tag} that took longest beyond their ideal time, ${label}`,
    columns,
    heldRows(path, ROWS_MAX),
  )
}

function lateTable(caption: string, all: readonly Lateness[]): Markup {
  if (all.length === 0) return NOTHING
  const hasSteps = all.some(({ step }) => step >= 0)
  const numbers = ['iteration', ...(hasSteps ? ['step'] : [])].map(count)
  const columns = ['job', ...numbers, 'last rank', 'port', duration('behind')]
  const rows = all
    .slice(0, ROWS_MAX)
    .map(({ tag, iteration, step, rank, rankName, port, latePs }) => [
      tag,
      exactCount(iteration + 1),
      ...(hasSteps ? [exactCount(step + 1)] : []),
      `${rank} (${rankName})`,
      port,
      humanDuration(latePs),
    ])
  return table(caption, columns, rows)
}
