/**
 * Sweep table: finished points summed up over seeds, with 95 % confidence intervals of the mean.
 */
import {
  exactCount,
  humanDuration,
  humanNumber,
  humanRate,
  humanShare,
  textTable,
  type TextOptions,
} from '../report/index.ts'
import { type Column, createTable, type Interval, interval95, type RunJson, type Table } from '../results/index.ts'
import type { FinishedPoint } from './finished-points.ts'
import type { Axis, Plan } from './sweep-plan.ts'

/** Finished points of one combination of values. */
export interface SweepRow {
  readonly values: Readonly<Record<string, string>>
  /** Runs that ended; a metric's `count` says how many of them gave it a number. */
  readonly seeds: number
  readonly metrics: Readonly<Record<MetricName, Interval>>
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** What is taken of each summary; NaN where it has no number. */
const METRICS = {
  slowdownMean: { head: 'slowdown', of: ({ slowdown }: RunJson) => slowdown.mean, show: humanNumber },
  slowdownP99: { head: 'slowdown p99', of: ({ slowdown }: RunJson) => slowdown.p99, show: humanNumber },
  completionMeanPs: { head: 'completion', of: ({ completionPs }: RunJson) => completionPs.mean, show: humanDuration },
  completionP99Ps: { head: 'completion p99', of: ({ completionPs }: RunJson) => completionPs.p99, show: humanDuration },
  goodputBps: { head: 'goodput', of: ({ goodputBps }: RunJson) => goodputBps, show: humanRate },
  drops: { head: 'drops', of: ({ drops }: RunJson) => total(drops), show: showCount },
  ecnMarks: { head: 'ECN marks', of: ({ ecnMarks }: RunJson) => ecnMarks, show: showCount },
  cnps: { head: 'CNPs', of: ({ cnps }: RunJson) => cnps, show: showCount },
  pauseFrames: { head: 'pauses', of: ({ pauseFrames }: RunJson) => pauseFrames, show: showCount },
  unfinished: { head: 'unfinished', of: ({ flows }: RunJson) => flows.unfinished, show: showCount },
  unacknowledged: { head: 'unacknowledged', of: ({ flows }: RunJson) => flows.unacknowledged, show: showCount },
  unposted: { head: 'never posted', of: ({ flows }: RunJson) => flows.unposted, show: showCount },
} as const

type MetricName = keyof typeof METRICS
const NAMES = Object.keys(METRICS) as MetricName[]

/** One row a combination, in the plan's order; combinations without a finished point have 0 seeds. */
export function sweepRows(plan: Plan, finished: readonly FinishedPoint[]): SweepRow[] {
  const byKey = new Map(finished.map((point) => [point.key, point]))
  const rows: SweepRow[] = []
  for (let first = 0; first < plan.points.length; first += plan.seeds.length) {
    const points = plan.points.slice(first, first + plan.seeds.length)
    const summaries = points.flatMap((point) => byKey.get(point.key)?.summary ?? [])
    const metrics = Object.fromEntries(
      NAMES.map((name) => [name, interval95(summaries.map((summary) => METRICS[name].of(summary) ?? NaN))]),
    ) as Record<MetricName, Interval>
    rows.push({ values: points[0]?.values ?? {}, seeds: summaries.length, metrics })
  }
  return rows
}

/** Spreads below this share of the mean are those of rounding. */
const ROUNDING = 1e-12

/** The order in which columns give way on a narrow terminal, first to go first. */
const GIVE_WAY: readonly MetricName[] = [
  'cnps',
  'ecnMarks',
  'completionP99Ps',
  'goodputBps',
  'drops',
  'pauseFrames',
  'slowdownP99',
]

/**
 * For people: means, the half width of their interval as a share of them, and over how many seeds they are if not over
 * all. What fits beside each other is shown.
 */
export function sweepText(plan: Plan, rows: readonly SweepRow[], options: TextOptions): string {
  let names = NAMES.filter((name) => isTold(name, rows))
  let text = tableText(plan, rows, names, options)
  for (const name of GIVE_WAY) {
    if (widthOf(text) <= (options.width ?? Infinity)) break
    names = names.filter((each) => each !== name)
    text = tableText(plan, rows, names, options)
  }
  return text
}

/** Counts that are 0 everywhere are not worth a column. */
function isTold(name: MetricName, rows: readonly SweepRow[]): boolean {
  return METRICS[name].show !== showCount || rows.some((row) => row.metrics[name].mean > 0)
}

function tableText(plan: Plan, rows: readonly SweepRow[], names: readonly MetricName[], options: TextOptions): string {
  const isSpread = plan.seeds.length > 1
  const sign = options.ascii === true ? '+-' : '±'
  const spread = ({ mean, low, high }: Interval): string => {
    const half = (high - low) / 2
    return !isSpread || Number.isNaN(low) || half <= ROUNDING * Math.abs(mean)
      ? ''
      : ` ${sign}${humanShare(half / Math.abs(mean), 2)}`
  }
  const cell = (name: MetricName, { metrics, seeds }: SweepRow): string => {
    const interval = metrics[name]
    // A mean over the seeds that happened to finish something is not one over all.
    const isPart = interval.count > 0 && interval.count < seeds
    const part = isPart ? ` (${interval.count} of ${seeds})` : ''
    return `${METRICS[name].show(interval.mean)}${spread(interval)}${part}`
  }
  const columns = [
    ...plan.axes.map((axis) => ({ head: axis.path, align: 'right' as const })),
    { head: 'seeds', align: 'right' as const },
    ...names.map((name) => ({ head: METRICS[name].head, align: 'right' as const })),
  ]
  const cells = rows.map((row) => [
    ...plan.axes.map((axis) => row.values[axis.path] ?? ''),
    String(row.seeds),
    ...names.map((name) => cell(name, row)),
  ])
  return textTable(columns, cells, { ascii: options.ascii === true })
}

function widthOf(text: string): number {
  return text.split('\n').reduce((widest, line) => Math.max(widest, line.length), 0)
}

/** For other programs: mean and both ends of each interval, in base units, and how many seeds it is of. */
export function sweepTable(plan: Plan, rows: readonly SweepRow[]): Table {
  const column = (type: 'number' | 'integer', name: string, of: (row: SweepRow) => number): Column => {
    return { name, type, data: Float64Array.from(rows, of) }
  }
  return createTable('sweep', [
    ...plan.axes.map((axis) => axisColumn(axis, rows)),
    column('integer', 'seeds', (row) => row.seeds),
    ...NAMES.flatMap((name) => [
      column('number', name, (row) => row.metrics[name].mean),
      column('number', `${name}Low`, (row) => row.metrics[name].low),
      column('number', `${name}High`, (row) => row.metrics[name].high),
      column('integer', `${name}Seeds`, (row) => row.metrics[name].count),
    ]),
  ])
}

/** Values as numbers where all of them are. */
function axisColumn({ path, values }: Axis, rows: readonly SweepRow[]): Column {
  const texts = rows.map((row) => row.values[path] ?? '')
  const isNumeric = values.every((value) => /^-?\d+(\.\d+)?$/.test(value))
  return isNumeric
    ? { name: path, type: 'number', data: Float64Array.from(texts, Number) }
    : { name: path, type: 'text', data: texts }
}

/** A mean of counts; from 1,000 on its fraction says nothing. */
function showCount(value: number): string {
  return Number.isInteger(value) || value >= 1000 ? exactCount(Math.round(value)) : humanNumber(value)
}
