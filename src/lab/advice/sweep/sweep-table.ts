/**
 * Sweep table: means over seeds of the finished points, with 95 % confidence intervals, and ratios to a baseline, seed by
 * seed.
 */
import { inputError } from '../../../core/base/issue.ts'
import {
  type CollectiveJson,
  type Column,
  createTable,
  mean,
  type Interval,
  interval95,
  METRIC_NAMES,
  metricNames,
  type MetricName,
  metricOf,
  type RunJson,
  type Table,
} from '../../../core/results/index.ts'
import { suggestion } from '../../scenario/text/wording.ts'
import type { FinishedPoint } from './finished-points.ts'
import type { Axis, Plan } from './points.ts'

/** One interval per metric, in column order; metrics of tags only if runs have several tags. */
type Intervals = Readonly<Record<(typeof METRIC_NAMES)[number], Interval>> &
  Readonly<Partial<Record<MetricName, Interval>>>

/** One combination of values. */
export interface SweepRow {
  readonly values: Readonly<Record<string, string>>
  /** Runs that were not stopped; a metric's `count` is the number of them that have a value for it. */
  readonly seeds: number
  /** Runs that were stopped at --point-limit; excluded from the metrics. */
  readonly stopped: number
  readonly metrics: Intervals
  /** With a baseline: value over the baseline's value of the same seed; `count` is the number of pairs. */
  readonly ratios?: Intervals
  /** Collectives of its runs, their numbers as means over seeds; absent: they have none. */
  readonly collectives?: readonly CollectiveJson[]
  /** Digests of the runs that were not stopped, by seed. */
  readonly digests: Readonly<Record<string, string>>
}

/** Values of some axes. Each row is compared with the row that has these values and is otherwise equal. */
export type Baseline = Readonly<Record<string, string>>

/** Parses "path=value" texts; undefined if there are none. Throws InputError for a parameter or value not in the sweep. */
export function baselineOf(texts: readonly string[], axes: readonly Axis[]): Baseline | undefined {
  const baseline: Record<string, string> = {}
  for (const text of texts) {
    const equals = text.indexOf('=')
    const name = (equals < 0 ? text : text.slice(0, equals)).trim()
    const axis = axes.find((each) => each.path === name)
    if (axis === undefined) {
      const paths = axes.map((each) => each.path)
      const expected = paths.length === 0 ? 'a sweep with --param' : `a parameter of the sweep: ${paths.join(', ')}`
      throw inputError('--baseline', expected, JSON.stringify(name), suggestion(name, paths))
    }
    const value = equals < 0 ? '' : text.slice(equals + 1).trim()
    if (!axis.values.includes(value)) {
      const expected = `one of ${name}'s values: ${axis.values.join(', ')}`
      throw inputError('--baseline', expected, JSON.stringify(value))
    }
    if (Object.hasOwn(baseline, name)) throw inputError('--baseline', 'each path once', `${name} twice`)
    baseline[name] = value
  }
  return texts.length === 0 ? undefined : baseline
}

/** Summaries of one combination by their seed. */
type BySeed = ReadonlyMap<number, RunJson>

/** One row per combination, in the plan's order; combinations without a finished point have 0 seeds. */
export function sweepRows(plan: Plan, finished: readonly FinishedPoint[], baseline?: Baseline): SweepRow[] {
  const byKey = new Map(finished.map((point) => [point.key, point]))
  const rows: {
    readonly values: Readonly<Record<string, string>>
    readonly ended: BySeed
    readonly stopped: number
  }[] = []
  for (let first = 0; first < plan.points.length; first += plan.seeds.length) {
    const points = plan.points.slice(first, first + plan.seeds.length)
    const known = points.flatMap((point) => byKey.get(point.key) ?? [])
    const ended = known.filter((point) => point.stopped === undefined)
    rows.push({
      values: points[0]?.values ?? {},
      ended: new Map(ended.map(({ seed, summary }) => [seed, summary])),
      stopped: known.length - ended.length,
    })
  }
  const nameOf = (values: Readonly<Record<string, string>>): string =>
    JSON.stringify(plan.axes.map((axis) => values[axis.path]))
  const byValues = new Map(rows.map((row) => [nameOf(row.values), row.ended]))
  const runs = rows.flatMap(({ ended }) => [...ended.values()])
  const hasJobs = runs.some(({ jobs }) => jobs !== undefined)
  const names = metricNames(
    runs.flatMap(({ tags }) => Object.keys(tags)),
    hasJobs,
  )
  const forEachMetric = (intervalOf: (name: MetricName) => Interval): Intervals =>
    Object.fromEntries(names.map((name) => [name, intervalOf(name)])) as Intervals
  return rows.map(({ values, ended, stopped }) => {
    const metrics = forEachMetric((name) => meanOf(name, ended))
    const digests = Object.fromEntries([...ended].map(([seed, { digest }]) => [seed, digest]))
    const collectives = collectivesOver([...ended.values()])
    const row = {
      values,
      seeds: ended.size,
      stopped,
      metrics,
      ...(collectives.length === 0 ? {} : { collectives }),
      digests,
    }
    if (baseline === undefined) return row
    const base: BySeed = byValues.get(nameOf({ ...values, ...baseline })) ?? new Map()
    return { ...row, ratios: forEachMetric((name) => ratioOf(name, ended, base)) }
  })
}

/** Means of numbers of the first run's collectives over all runs that have as many. */
function collectivesOver(runs: readonly RunJson[]): CollectiveJson[] {
  const [first = []] = runs.flatMap(({ collectives }) => (collectives === undefined ? [] : [collectives]))
  const alike = runs.flatMap(({ collectives = [] }) => (collectives.length === first.length ? [collectives] : []))
  return first.map((one, i) => {
    const over = (name: 'meanPs' | 'idealMeanPs' | 'algorithmBps' | 'busBps' | 'lateMeanPs'): number | null => {
      const known = alike.flatMap((collectives) => collectives[i]![name] ?? [])
      return known.length === 0 ? null : mean(known)
    }
    const times = { meanPs: over('meanPs'), idealMeanPs: over('idealMeanPs'), lateMeanPs: over('lateMeanPs') }
    return { ...one, ...times, algorithmBps: over('algorithmBps'), busBps: over('busBps') }
  })
}

function meanOf(name: MetricName, ended: BySeed): Interval {
  return interval95([...ended.values()].map((summary) => metricOf(name, summary)))
}

/** Mean and interval of the ratios of pairs with equal seeds; a pair whose baseline is 0 has no ratio. */
function ratioOf(name: MetricName, ended: BySeed, base: BySeed): Interval {
  const ratios = [...ended].map(([seed, summary]) => {
    const other = base.get(seed)
    const ratio = other === undefined ? NaN : metricOf(name, summary) / metricOf(name, other)
    return Number.isFinite(ratio) ? ratio : NaN
  })
  return interval95(ratios)
}

/** The metrics of a sweep, in the order of their columns. */
export function namesOf(rows: readonly SweepRow[]): readonly MetricName[] {
  return (rows[0] === undefined ? METRIC_NAMES : Object.keys(rows[0].metrics)) as MetricName[]
}

/** Table for other programs: mean, both ends of each interval in base units, and its number of seeds. */
export function sweepTable(plan: Plan, rows: readonly SweepRow[]): Table {
  const column = (type: 'number' | 'integer', name: string, of: (row: SweepRow) => number): Column => {
    return { name, type, data: Float64Array.from(rows, of) }
  }
  const intervalColumns = (name: string, of: (row: SweepRow) => Interval): Column[] => [
    column('number', name, (row) => of(row).mean),
    column('number', `${name}Low`, (row) => of(row).low),
    column('number', `${name}High`, (row) => of(row).high),
    column('integer', `${name}Seeds`, (row) => of(row).count),
  ]
  return createTable('sweep', [
    ...plan.axes.map((axis) => axisColumn(axis, rows)),
    column('integer', 'seeds', (row) => row.seeds),
    column('integer', 'stopped', (row) => row.stopped),
    ...namesOf(rows).flatMap((name) => [
      ...intervalColumns(name, (row) => row.metrics[name]!),
      ...(rows[0]?.ratios === undefined
        ? []
        : intervalColumns(`${name}Ratio`, (row) => row.ratios?.[name] ?? interval95([]))),
    ]),
  ])
}

/** A number column if all values are numbers, else text. */
function axisColumn({ path, values }: Axis, rows: readonly SweepRow[]): Column {
  const texts = rows.map((row) => row.values[path] ?? '')
  const isNumeric = values.every((value) => /^-?\d+(\.\d+)?$/.test(value))
  return isNumeric
    ? { name: path, type: 'number', data: Float64Array.from(texts, Number) }
    : { name: path, type: 'text', data: texts }
}
