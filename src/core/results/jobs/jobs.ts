/**
 * Jobs: workloads whose messages wait for each other, and their collectives, in a few numbers each.
 * Step time is the time of a job, from its start to its last acknowledgement, over its iterations; the time of a collective
 * ends with its last receive, as that of nccl-tests does.
 * Units: picoseconds, bytes, bit/s; NaN: not known, as the job has not ended.
 */
import type { Result } from '../result.ts'
import { findColumn, numbersOf, type Table, textsOf } from '../table.ts'
import { tableOfKind } from '../table-kinds.ts'

/** A workload whose messages wait for each other. */
export interface JobTimes {
  readonly tag: string
  readonly ranks: number
  readonly iterations: number
  readonly stepPs: number
  /** The same where only the links of its own hosts are shared; and where these, too, have the rate that is usual among them. */
  readonly idealStepPs: number
  readonly evenStepPs: number
  /** The job takes these times or longer: it was too large to run again. */
  readonly isBound: boolean
}

/** All rounds of one collective together. */
export interface CollectiveTimes {
  readonly tag: string
  readonly operation: string
  readonly algorithm: string
  readonly ranks: number
  readonly sizeBytes: number
  readonly elementBytes: number
  /** Rounds that have ended. */
  readonly iterations: number
  /** Time in which each group had a round under way, over the number of rounds. */
  readonly meanPs: number
  readonly idealMeanPs: number
  readonly algorithmBps: number
  readonly busBps: number
  /** From the median rank's end to the last one's, mean over rounds, and the host of the rank that was last most often. */
  readonly lateMeanPs: number
  readonly lastMost: string
}

/** One for each workload with operations, in order. */
export function jobsOf(result: Pick<Result, 'series'>): JobTimes[] {
  const table = tableOfKind(result, 'jobs')
  if (table === undefined) return []
  const tags = textsOf(table, 'tag')
  const at = (name: string, row: number): number => numbersOf(table, name)[row]!
  return tags.map((tag, row): JobTimes => {
    const iterations = at('iterations', row)
    return {
      tag,
      ranks: at('ranks', row),
      iterations,
      stepPs: (at('donePs', row) - at('startPs', row)) / iterations,
      idealStepPs: at('idealPs', row) / iterations,
      evenStepPs: at('evenPs', row) / iterations,
      // Results of earlier versions have no such column.
      isBound: findColumn(table, 'isBound') !== undefined && at('isBound', row) === 1,
    }
  })
}

/** One for each workload, collective, size and group size, in order; those of which no round has ended are left out. */
export function collectivesOf(result: Pick<Result, 'series'>): CollectiveTimes[] {
  const table = tableOfKind(result, 'collectives')
  if (table === undefined) return []
  const groups = new Map<string, number[]>()
  const texts = ['tag', 'operation', 'algorithm'].map((name) => textsOf(table, name))
  const numbers = ['ranks', 'sizeBytes', 'elementBytes'].map((name) => numbersOf(table, name))
  numbersOf(table, 'donePs').forEach((endPs, row) => {
    if (Number.isNaN(endPs)) return
    const key = JSON.stringify([...texts, ...numbers].map((column) => column[row]))
    const rows = groups.get(key)
    if (rows === undefined) groups.set(key, [row])
    else rows.push(row)
  })
  return [...groups.values()].map((rows) => timesOf(table, rows))
}

function timesOf(table: Table, rows: readonly number[]): CollectiveTimes {
  const first = rows[0]!
  const hasGroup = findColumn(table, 'group') !== undefined
  const textAt = (name: string): string => textsOf(table, name)[first]!
  const at = (name: string, row = first): number => numbersOf(table, name)[row]!
  const meanOf = (of: (row: number) => number): number => rows.reduce((sum, row) => sum + of(row), 0) / rows.length
  // Groups have their rounds side by side; rounds of one group may overlap.
  const byGroup = new Map<number, number[]>()
  for (const row of rows) {
    const group = hasGroup ? at('group', row) : 0
    const own = byGroup.get(group)
    if (own === undefined) byGroup.set(group, [row])
    else own.push(row)
  }
  const meanOfGroups = (spanOf: (row: number) => Span): number =>
    [...byGroup.values()].reduce((sumPs, own) => sumPs + busyPs(own.map(spanOf)), 0) / rows.length
  const meanPs = meanOfGroups((row) => [at('startPs', row), at('donePs', row)])
  // Where nothing was sent it took no time, and there is no bandwidth.
  const algorithmBps = meanPs > 0 ? (at('sizeBytes') * 8e12) / meanPs : NaN
  return {
    tag: textAt('tag'),
    operation: textAt('operation'),
    algorithm: textAt('algorithm'),
    ranks: at('ranks'),
    sizeBytes: at('sizeBytes'),
    elementBytes: at('elementBytes'),
    iterations: rows.length,
    meanPs,
    idealMeanPs: idealMeanPs(table, rows, meanOfGroups),
    algorithmBps,
    // The factor of the collective is in each row.
    busBps: algorithmBps * (at('busBps') / at('algorithmBps')),
    lateMeanPs: meanOf((row) => at('donePs', row) - at('medianDonePs', row)),
    lastMost: mostFrequent(rows.map((row) => textsOf(table, 'lastName')[row]!)),
  }
}

type Span = readonly [fromPs: number, toPs: number]

/** Mean over rows in the idle run, of which earlier versions give the lengths alone. */
function idealMeanPs(table: Table, rows: readonly number[], meanOf: (spanOf: (row: number) => Span) => number): number {
  if (findColumn(table, 'idealPs') === undefined) return NaN
  const [lengths, starts] = [numbersOf(table, 'idealPs'), findColumn(table, 'idealStartPs')]
  if (starts === undefined) return rows.reduce((sumPs, row) => sumPs + lengths[row]!, 0) / rows.length
  const startsPs = numbersOf(table, 'idealStartPs')
  return meanOf((row) => [startsPs[row]!, startsPs[row]! + lengths[row]!])
}

/** Time in which at least one of the spans holds; NaN where one is not known. */
function busyPs(spans: readonly Span[]): number {
  let [sumPs, untilPs] = [0, -Infinity]
  for (const [fromPs, toPs] of spans.toSorted((a, b) => a[0] - b[0])) {
    sumPs += Math.max(0, toPs - Math.max(fromPs, untilPs))
    untilPs = Math.max(untilPs, toPs)
  }
  return sumPs
}

function mostFrequent(names: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].reduce((most, each) => (each[1] > most[1] ? each : most))[0]
}
