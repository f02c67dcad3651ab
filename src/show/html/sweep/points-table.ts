/**
 * Table of a sweep: a row for each combination of values, a column for each metric that has something to show, with its
 * interval. The file has the ends of all intervals and the digests of the runs, too.
 */
import {
  type Interval,
  type MetricName,
  metricNames,
  runMetric,
  saysSomething,
  tagOfMetric,
} from '../../../core/results/index.ts'
import { numericAxis, type PlottedRow, type PlottedSweep, type SweepAxis } from '../../figure/sweep-figures.ts'
import type { ReportedSweep } from '../../reported-sweep.ts'
import type { ColumnData, TableData } from '../page-data.ts'
import { formatOf } from './sweep-verdict.ts'

/** Numbers that a page holds, beside those that each row has anyway; beyond, it keeps fewer metrics. */
const NUMBERS_MAX = 400_000
const PER_ROW = 4

/** Digests that a page holds; beyond, it has none. */
const DIGESTS_MAX = 40_000

/** Order in which metrics are kept where there is no room for all. */
const KEPT_FIRST: readonly MetricName[] = [
  'slowdownP99',
  'slowdownMax',
  'completionP99Ps',
  'completionMaxPs',
  'goodputBps',
  'drops',
  'pausedPs',
  'unfinished',
  'slowdownMean',
  'slowdownP50',
]

export interface PointsTable {
  readonly table: TableData
  /** Sentences on whatever the page leaves out, or "". */
  readonly note: string
}

/** The metrics that have something to show, in the order of their columns. */
export function shownMetrics({ rows }: PlottedSweep): MetricName[] {
  const tags = rows.flatMap(({ metrics }) => Object.keys(metrics).flatMap((name) => tagOfMetric(name) ?? []))
  return metricNames(tags).filter((name) => saysSomething(name, rows))
}

export function pointsTable({ sweep, seeds, digests, folder }: ReportedSweep): PointsTable {
  const { axes, rows } = sweep
  const all = shownMetrics(sweep)
  const parts = seeds.length > 1 ? 3 : 1
  const room = Math.max(1, Math.floor((NUMBERS_MAX - PER_ROW * rows.length) / (rows.length * parts || 1)))
  const first = [
    ...KEPT_FIRST.filter((name) => all.includes(name)),
    ...all.filter((name) => !KEPT_FIRST.includes(name)),
  ]
  const kept = new Set(first.slice(0, room))
  const names = all.filter((name) => kept.has(name))
  const count = (name: string, head: string, of: (row: PlottedRow) => number): ColumnData => {
    return { name, head, format: 'count', values: rows.map(of) }
  }
  const digestCount = digests.reduce((sum, each) => sum + Object.keys(each).length, 0)
  const hasRatios = rows.some(({ ratios }) => Object.keys(ratios).length > 0)
  const columns = [
    ...axes.map((axis) => axisColumn(axis, rows)),
    count('seeds', 'seeds', (row) => row.seeds),
    ...(rows.some(({ stopped }) => stopped > 0) ? [count('stopped', 'stopped', (row) => row.stopped)] : []),
    ...names.flatMap((name) => [
      metricColumn(name, runMetric(name).head, rows, ({ metrics }) => metrics[name]),
      ...(hasRatios && rows.some(({ ratios }) => (ratios[name]?.count ?? 0) > 0) ? [ratioColumn(name, rows)] : []),
    ]),
    ...(digestCount > 0 && digestCount <= DIGESTS_MAX ? [digestColumn(digests)] : []),
  ]
  const left = all.length - names.length
  const notes = [
    ...(left === 0
      ? []
      : [
          `The page holds ${names.length} of ${all.length} metrics of these ${rows.length} combinations; sweep.csv in ${folder} has all.`,
        ]),
    ...(digestCount <= DIGESTS_MAX ? [] : [`Digests are in sweep.json in ${folder}.`]),
  ]
  return { table: { name: `points of ${sweep.name}`, columns }, note: notes.join(' ') }
}

/** Sorted by number, or by position in the list that the sweep was given. */
function axisColumn(axis: SweepAxis, rows: readonly PlottedRow[]): ColumnData {
  const values = rows.map((row) => row.values[axis.path] ?? '')
  const numbers = numericAxis(axis)?.numbers
  const keys = values.map((text) => numbers?.get(text) ?? axis.values.indexOf(text))
  return { name: axis.path, head: axis.path, format: 'text', values, keys }
}

function metricColumn(
  name: MetricName,
  head: string,
  rows: readonly PlottedRow[],
  of: (row: PlottedRow) => Interval | undefined,
): ColumnData {
  return { name, head, format: formatOf(name), ...endsOf(rows, of) }
}

function ratioColumn(name: MetricName, rows: readonly PlottedRow[]): ColumnData {
  const head = `${runMetric(name).head} / base`
  return { name: `${name}Ratio`, head, format: 'ratio', ...endsOf(rows, ({ ratios }) => ratios[name]) }
}

function endsOf(
  rows: readonly PlottedRow[],
  of: (row: PlottedRow) => Interval | undefined,
): Pick<ColumnData, 'values' | 'low' | 'high'> {
  const side = (end: 'mean' | 'low' | 'high'): (number | null)[] =>
    rows.map((row) => {
      const value = of(row)?.[end] ?? NaN
      return Number.isFinite(value) ? Number(value.toPrecision(6)) : null
    })
  const [values, low, high] = [side('mean'), side('low'), side('high')]
  return low.every((end) => end === null) ? { values } : { values, low, high }
}

/** "1:0123456789abcdef 2:..." in each row: seed and digest. */
function digestColumn(digests: ReportedSweep['digests']): ColumnData {
  const values = digests.map((each) =>
    Object.entries(each)
      .map(([seed, digest]) => `${seed}:${digest}`)
      .join(' '),
  )
  return { name: 'digests', head: 'digests', format: 'text', values, isFileOnly: true }
}
