/**
 * Jobs: step times beside idle ones, the parts of the critical path and what held it, and which ranks are late, on which port.
 */
import { exactCount, humanDuration, humanNumber, humanRate } from '../../base/format.ts'
import { collectivesOf, jobsOf } from '../../results/index.ts'
import { type Lateness, latenessOf } from '../explain/job-lateness.ts'
import { type JobPath, jobPaths } from '../explain/job-path.ts'
import { heldRows, partRows } from '../explain/job-text.ts'
import { idleCells } from '../operations-text.ts'
import type { ReportedRun } from '../reported-run.ts'
import { markup, type Markup, NOTHING } from './markup.ts'
import { scrollTable } from './parts/scroll-table.ts'

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

interface Column {
  readonly head: string
  readonly kind?: 'count' | 'duration' | 'share'
}

function table(caption: string, columns: readonly Column[], rows: readonly (readonly string[])[]): Markup {
  const classOf = ({ kind }: Column): Markup => (kind === undefined ? NOTHING : markup` class="${kind}"`)
  return markup`<div>
    ${scrollTable({
      caption,
      heads: columns.map((column) => markup`<th scope="col"${classOf(column)}>${column.head}</th>`),
      rows: rows.map((cells) => {
        const texts = cells.map((cell, i) => markup`<td${classOf(columns[i]!)}>${cell}</td>`)
        return markup`<tr>${texts}</tr> `
      }),
      csv: caption,
    })}
  </div>`
}

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
  const columns: Column[] = [
    { head: 'job' },
    { head: 'time of' },
    { head: 'ranks', kind: 'count' },
    { head: 'iterations', kind: 'count' },
    { head: 'mean', kind: 'duration' },
    { head: 'idle', kind: 'duration' },
    { head: 'ratio', kind: 'count' },
    { head: 'bus bandwidth', kind: 'count' },
  ]
  return table(`Step times, ${label}`, columns, rows)
}

function ratio(ps: number, idealPs: number): string {
  return Number.isNaN(ps / idealPs) ? '-' : humanNumber(ps / idealPs)
}

function partsTable(path: JobPath, label: string): Markup {
  const columns: Column[] = [{ head: 'part' }, { head: 'time', kind: 'duration' }, { head: 'share', kind: 'share' }]
  return table(`Critical path of ${path.tag}, ${label}`, columns, partRows(path))
}

function heldTable(path: JobPath, label: string): Markup {
  if (path.held.length === 0) return NOTHING
  const columns: Column[] = [
    { head: 'iteration', kind: 'count' },
    { head: 'rank' },
    { head: 'message' },
    { head: 'flow', kind: 'count' },
    { head: 'time', kind: 'duration' },
    { head: 'beyond ideal', kind: 'duration' },
    { head: 'why' },
  ]
  return table(
    `Messages of the critical path of ${path.tag} that took longest beyond their ideal time, ${label}`,
    columns,
    heldRows(path, ROWS_MAX),
  )
}

function lateTable(caption: string, all: readonly Lateness[]): Markup {
  if (all.length === 0) return NOTHING
  const hasSteps = all.some(({ step }) => step >= 0)
  const columns: Column[] = [
    { head: 'job' },
    { head: 'iteration', kind: 'count' },
    ...(hasSteps ? [{ head: 'step', kind: 'count' as const }] : []),
    { head: 'last rank' },
    { head: 'port' },
    { head: 'behind', kind: 'duration' },
  ]
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
