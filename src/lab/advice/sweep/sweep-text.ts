/**
 * Sweep text: the table of a sweep for people. Columns that do not fit the width are left out and counted below it.
 */
import {
  exactCount,
  humanDuration,
  humanNumber,
  humanRate,
  humanShare,
  textTable,
  type TextOptions,
} from '../../../show/index.ts'
import {
  type Interval,
  interval95,
  isMetricName,
  JOB_METRIC_NAMES,
  knownMetric,
  METRIC_NAMES,
  type MetricKind,
  type MetricName,
  runMetric,
  saysSomething,
  sweepTailNote,
  tagOfMetric,
} from '../../../core/results/index.ts'
import { suggestion } from '../../scenario/text/wording.ts'
import type { Plan } from './points.ts'
import { type Baseline, namesOf, type SweepRow } from './sweep-table.ts'

interface SweepTextOptions extends TextOptions {
  /** Metrics to show whatever their width; by default, as many as fit of those that are not zero everywhere. */
  readonly columns?: readonly MetricName[] | 'all'
  /** Baseline of the ratios. */
  readonly baseline?: Baseline | undefined
}

/** Half-widths below this share of the mean are rounding errors. */
const ROUNDING = 1e-12

const SHOW: Readonly<Record<MetricKind, (value: number) => string>> = {
  ratio: humanNumber,
  duration: humanDuration,
  rate: humanRate,
  count: showCount,
}

/** Order in which columns are left out on a narrow terminal. */
const DROPPED_FIRST: readonly MetricName[] = [
  'slowdownP50',
  'completionP50Ps',
  'completionP95Ps',
  'completionP999Ps',
  'slowdownP95',
  'cnps',
  'ecnMarks',
  'slowdownP999',
  'completionP99Ps',
  'completionMaxPs',
  'goodputBps',
  'drops',
  'pauseFrames',
  'pausedPs',
  'slowdownP99',
  'slowdownMax',
  'completionMeanPs',
  'unacknowledged',
  'unposted',
  'withoutIdeal',
  'unfinished',
]

/** A tag's metrics are left out before all others, except its goodput and its p99 or highest slowdown. */
function isDroppedFirst(name: MetricName): boolean {
  return tagOfMetric(name) !== null && !/^(goodputBps|slowdownP99|slowdownMax)\[/.test(name)
}

/** "slowdownP99,goodputBps[storage]", or "all". Throws for unknown names. */
export function parseColumns(text: string): readonly MetricName[] | 'all' {
  if (text.trim() === 'all') return 'all'
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !isMetricName(name))
  if (unknown.length === 0) return names as MetricName[]
  const known = [...METRIC_NAMES, ...JOB_METRIC_NAMES]
  const meant = suggestion(unknown[0] ?? '', known)
  const hint = meant === '' ? '' : ` (${meant})`
  throw new Error(
    `expected all, or some of ${known.join(', ')}, or one of a tag, such as slowdownP99[storage], received ${unknown.join(', ')}${hint}`,
  )
}

/**
 * Each cell is a mean, the half-width of its interval as a share of the mean, and its number of seeds if not all; with a
 * baseline, a column of ratios follows each metric.
 */
export function sweepText(plan: Plan, rows: readonly SweepRow[], options: SweepTextOptions): string {
  const all = namesOf(rows)
  const reported = all.filter((name) => saysSomething(name, rows))
  let shown = options.columns === 'all' ? all : (options.columns?.map((name) => knownMetric(name, rows)) ?? reported)
  let text = tableText(plan, rows, shown, options)
  if (options.columns === undefined) {
    for (const name of [
      ...reported.filter(isDroppedFirst),
      ...DROPPED_FIRST,
      ...reported.filter((each) => tagOfMetric(each) !== null),
    ]) {
      if (widthOf(text) <= (options.width ?? Infinity)) break
      shown = shown.filter((each) => each !== name)
      text = tableText(plan, rows, shown, options)
    }
  }
  return [text, ...notesOf(rows, options, reported.length - shown.length)].join('')
}

/** Lines below the table. Columns that were chosen by name are never hidden; the slowest replaces a p99 of too few flows. */
function notesOf(rows: readonly SweepRow[], options: SweepTextOptions, hiddenCount: number): string[] {
  const notes = [sweepTailNote(rows)].flatMap((note) => (note === '' ? [] : [`${note}\n`]))
  if (options.baseline !== undefined && rows.some((row) => row.ratios !== undefined)) {
    const base = Object.entries(options.baseline).map(([name, value]) => `${name}=${value}`)
    notes.push(`/ base: ratio to ${base.join(', ')}, mean of the pairs with equal seeds (95 % interval)\n`)
  }
  if (options.columns === undefined && hiddenCount > 0) {
    notes.push(`${hiddenCount} ${hiddenCount === 1 ? 'column' : 'columns'} hidden (--columns all / --csv)\n`)
  }
  return notes
}

/** An interval of 0 seeds for the metric of a tag that no run has. */
function intervalOf({ metrics }: SweepRow, name: MetricName): Interval {
  return metrics[name] ?? interval95([])
}

function tableText(
  plan: Plan,
  rows: readonly SweepRow[],
  names: readonly MetricName[],
  options: SweepTextOptions,
): string {
  const isSpread = plan.seeds.length > 1
  const sign = options.ascii === true ? '+-' : '±'
  const spread = ({ mean, low, high }: Interval): string => {
    const half = (high - low) / 2
    return !isSpread || Number.isNaN(low) || half <= ROUNDING * Math.abs(mean)
      ? ''
      : ` ${sign}${humanShare(half / Math.abs(mean), 2)}`
  }
  // A mean over some of the seeds is marked, as it may be biased.
  const part = ({ count }: Interval, seeds: number): string =>
    count > 0 && count < seeds ? ` (${count} of ${seeds})` : ''
  const metricColumns = names.flatMap((name): SweepColumn[] => {
    const { head, kind } = runMetric(name)
    const meanColumn: SweepColumn = {
      head,
      cell: (row) => {
        const interval = intervalOf(row, name)
        return `${SHOW[kind](interval.mean)}${spread(interval)}${part(interval, row.seeds)}`
      },
    }
    if (!rows.some((row) => (row.ratios?.[name]?.count ?? 0) > 0)) return [meanColumn]
    const ratioCell = ({ ratios, seeds }: SweepRow): string => {
      const ratio = ratios?.[name]
      return ratio === undefined ? '' : `${ratioText(ratio)}${part(ratio, seeds)}`
    }
    return [meanColumn, { head: '/ base', cell: ratioCell }]
  })
  const columns: readonly SweepColumn[] = [
    ...plan.axes.map(({ path }): SweepColumn => ({ head: path, cell: ({ values }) => values[path] ?? '' })),
    { head: 'seeds', cell: ({ seeds }) => String(seeds) },
    ...(rows.some(({ stopped }) => stopped > 0)
      ? [{ head: 'stopped at limit', cell: ({ stopped }: SweepRow) => String(stopped) }]
      : []),
    ...metricColumns,
  ]
  return textTable(
    columns.map(({ head }) => ({ head, align: 'right' })),
    rows.map((row) => columns.map(({ cell }) => cell(row))),
    { ascii: options.ascii === true },
  )
}

interface SweepColumn {
  readonly head: string
  readonly cell: (row: SweepRow) => string
}

/** "0.612 (0.548..0.676)"; without the interval for a single pair or zero width. */
function ratioText({ mean, low, high }: Interval): string {
  const isWide = high - low > ROUNDING * Math.abs(mean)
  return isWide ? `${humanNumber(mean)} (${humanNumber(low)}..${humanNumber(high)})` : humanNumber(mean)
}

function widthOf(text: string): number {
  return text.split('\n').reduce((widest, line) => Math.max(widest, line.length), 0)
}

/** A mean of counts, rounded from 1,000 on. */
function showCount(value: number): string {
  return Number.isInteger(value) || value >= 1000 ? exactCount(Math.round(value)) : humanNumber(value)
}
