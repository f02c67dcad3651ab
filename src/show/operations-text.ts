/**
 * Jobs as text: the table of nccl-tests, times beside idle ones, who was last, the parts of the critical path, and which
 * operations never began.
 */
import { exactCount, humanDuration, humanNumber, humanShare } from '../core/base/format.ts'
import {
  collectivesOf,
  type CollectiveTimes,
  type JobTimes,
  jobsJson,
  jobsOf,
  numbersOf,
  type Result,
  type Table,
  tableOfKind,
  textsOf,
} from '../core/results/index.ts'
import { findingSentence } from '../core/findings/index.ts'
import { jobFindings } from './explain/job-findings.ts'
import { ncclText } from './jobs/nccl-text.ts'
import { type TextOptions, textTable } from './text-table.ts'

/** Ranks that are named; further ones are counted. */
const NAMED_MAX = 10

/** Tables, each ended by a line feed, with an empty line between them; empty if there is nothing to say. */
export function operationsText(result: Result, options: TextOptions = {}): string {
  const [jobs, collectives] = [jobsOf(result), collectivesOf(result)]
  return [
    ncclText(jobsJson(jobs, collectives).collectives),
    collectivesText(collectives, options),
    jobsText(jobs, options),
    pathText(result, options),
    unstartedText(result, options),
    jobFindings(result)
      .map((finding) => `${findingSentence(finding)}\n`)
      .join(''),
  ]
    .filter((part) => part !== '')
    .join('\n')
}

function collectivesText(all: readonly CollectiveTimes[], options: TextOptions): string {
  if (all.length === 0) return ''
  const rows = all.map((each): string[] => [
    each.tag,
    `${each.operation} ${each.algorithm}`,
    exactCount(each.iterations),
    humanDuration(each.meanPs),
    Number.isNaN(each.idealMeanPs) ? '-' : humanDuration(each.idealMeanPs),
    each.meanPs / each.idealMeanPs >= 0 ? humanNumber(each.meanPs / each.idealMeanPs) : '-',
    each.lateMeanPs > 0
      ? `${humanDuration(each.lateMeanPs)} behind the median, most often ${each.lastMost}`
      : 'none is late',
  ])
  const heads = ['collective', 'algorithm', 'iterations', 'mean', 'idle', 'ratio', 'last rank']
  return textTable(heads, rows, options)
}

/** Idle time and ratio of a job; of one that did not run again they are bounds. */
export function idleCells(job: JobTimes, durationText: (ps: number) => string): [idle: string, ratio: string] {
  const { stepPs, idealStepPs, isBound } = job
  const ratio = stepPs / idealStepPs
  const [least, most] = isBound ? ['at least ', 'at most '] : ['', '']
  return [
    Number.isNaN(idealStepPs) ? '-' : `${least}${durationText(idealStepPs)}`,
    Number.isNaN(ratio) ? '-' : `${most}${humanNumber(ratio)}`,
  ]
}

/** Those that have ended. */
function jobsText(all: readonly JobTimes[], options: TextOptions): string {
  const rows = all
    .filter(({ stepPs }) => !Number.isNaN(stepPs))
    .map((job): string[] => [
      job.tag,
      exactCount(job.ranks),
      exactCount(job.iterations),
      humanDuration(job.stepPs),
      ...idleCells(job, humanDuration),
    ])
  if (rows.length === 0) return ''
  const heads = ['job', 'ranks', 'iterations', 'step time', 'idle', 'ratio']
  return textTable(heads, rows, options)
}

/** Parts of the critical path of each workload, and the message that took longest beyond its ideal time. */
function pathText(result: Result, options: TextOptions): string {
  const table = tableOfKind(result, 'critical-path')
  if (table === undefined || table.rowCount === 0) return ''
  const tags = textsOf(table, 'tag')
  const rows = [...new Set(tags)].map((tag): [string, string] => [tag, pathOf(table, (row) => tags[row] === tag)])
  return textTable(['critical path', ''], rows, options)
}

function pathOf(table: Table, isMeant: (row: number) => boolean): string {
  const [pieces, names, hosts] = [textsOf(table, 'piece'), textsOf(table, 'operation'), textsOf(table, 'rankName')]
  const [from, to, ideal] = [numbersOf(table, 'fromPs'), numbersOf(table, 'toPs'), numbersOf(table, 'idealPs')]
  const flows = numbersOf(table, 'flow')
  const sums = new Map<string, number>()
  const add = (piece: string, ps: number): void => void (ps > 0 && sums.set(piece, (sums.get(piece) ?? 0) + ps))
  let worst = { ps: 0, row: -1 }
  for (let row = 0; row < table.rowCount; row++) {
    if (!isMeant(row)) continue
    const lengthPs = to[row]! - from[row]!
    const idealPs = ideal[row]!
    const excessPs = Number.isNaN(idealPs) ? 0 : Math.max(0, lengthPs - idealPs)
    add(pieces[row]!, lengthPs - excessPs)
    add('beyond ideal', excessPs)
    if (excessPs > worst.ps) worst = { ps: excessPs, row }
  }
  const totalPs = [...sums.values()].reduce((sum, ps) => sum + ps, 0)
  const parts = [...sums].map(([piece, ps]) => `${piece} ${humanDuration(ps)} (${humanShare(ps / totalPs)})`)
  const most =
    worst.row < 0
      ? ''
      : `; most beyond its ideal: flow ${flows[worst.row]!} of ${hosts[worst.row]!}, ${names[worst.row]!}, ${humanDuration(worst.ps)}`
  return `${humanDuration(totalPs)}: ${parts.join(', ')}${most}`
}

function unstartedText(result: Result, options: TextOptions): string {
  const table = tableOfKind(result, 'unstarted')
  if (table === undefined || table.rowCount === 0) return ''
  const [tags, hosts] = [textsOf(table, 'tag'), textsOf(table, 'rankName')]
  const [operations, waits] = [textsOf(table, 'operation'), textsOf(table, 'waitsFor')]
  const ranks = numbersOf(table, 'rank')
  const rows = Array.from({ length: Math.min(NAMED_MAX, table.rowCount) }, (_, row): string[] => [
    tags[row]!,
    `${ranks[row]!} (${hosts[row]!})`,
    operations[row]!,
    waits[row]!,
  ])
  const heads = ['never began', 'rank', 'operation', 'waits for']
  const more = table.rowCount > NAMED_MAX ? `${exactCount(table.rowCount - NAMED_MAX)} more ranks wait\n` : ''
  return `${textTable(heads, rows, options)}${more}`
}
