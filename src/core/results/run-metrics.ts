/**
 * Run metrics: the numbers of a run that tables and figures of many runs show, each by a name that ends in its unit.
 * The names are columns of sweep.csv and keys of sweep.json, so they stay. Metrics of a tag are named NAME[TAG].
 */
import { exactCount } from '../base/format.ts'
import { meanOf, stepRatio } from './jobs/job-json.ts'
import type { Interval } from './quantiles.ts'
import type { RunJson } from './summary.ts'

/** Kind of quantity, which decides format and axis. */
export type MetricKind = 'ratio' | 'duration' | 'rate' | 'count'

export interface RunMetric {
  /** Head of its column. */
  readonly head: string
  readonly kind: MetricKind
  /** No value is higher. */
  readonly most?: number
  /** Its value in a run; null or undefined where the run has none. */
  readonly of: (run: RunJson) => number | null | undefined
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** In the order of the columns. */
export const RUN_METRICS = {
  slowdownMean: { head: 'slowdown', kind: 'ratio', of: ({ slowdown }) => slowdown.mean },
  slowdownP50: { head: 'slowdown p50', kind: 'ratio', of: ({ slowdown }) => slowdown.p50 },
  slowdownP95: { head: 'slowdown p95', kind: 'ratio', of: ({ slowdown }) => slowdown.p95 },
  slowdownP99: { head: 'slowdown p99', kind: 'ratio', of: ({ slowdown }) => slowdown.p99 },
  slowdownP999: { head: 'slowdown p99.9', kind: 'ratio', of: ({ slowdown }) => slowdown.p999 },
  slowdownMax: { head: 'highest slowdown', kind: 'ratio', of: ({ slowdown }) => slowdown.max },
  completionMeanPs: { head: 'completion', kind: 'duration', of: ({ completionPs }) => completionPs.mean },
  completionP50Ps: { head: 'completion p50', kind: 'duration', of: ({ completionPs }) => completionPs.p50 },
  completionP95Ps: { head: 'completion p95', kind: 'duration', of: ({ completionPs }) => completionPs.p95 },
  completionP99Ps: { head: 'completion p99', kind: 'duration', of: ({ completionPs }) => completionPs.p99 },
  completionP999Ps: { head: 'completion p99.9', kind: 'duration', of: ({ completionPs }) => completionPs.p999 },
  completionMaxPs: { head: 'slowest completion', kind: 'duration', of: ({ completionPs }) => completionPs.max },
  goodputBps: { head: 'goodput', kind: 'rate', of: ({ goodputBps }) => goodputBps },
  tagJainIndex: { head: "Jain's index of tags", kind: 'ratio', most: 1, of: ({ tagJainIndex }) => tagJainIndex },
  drops: { head: 'drops', kind: 'count', of: ({ drops }) => total(drops) },
  ecnMarks: { head: 'ECN marks', kind: 'count', of: ({ ecnMarks }) => ecnMarks },
  cnps: { head: 'CNPs', kind: 'count', of: ({ cnps }) => cnps },
  rnrNaks: { head: 'RNR NAKs', kind: 'count', of: ({ rnrNaks }) => rnrNaks },
  trimmed: { head: 'trimmed', kind: 'count', of: ({ trimmed }) => trimmed },
  pauseFrames: { head: 'pauses', kind: 'count', of: ({ pauseFrames }) => pauseFrames },
  pausedPs: { head: 'paused time', kind: 'duration', of: ({ pausedPs }) => total(pausedPs) },
  flows: { head: 'flows', kind: 'count', of: ({ flows }) => flows.measuredFinished },
  unfinished: { head: 'unfinished', kind: 'count', of: ({ flows }) => flows.unfinished },
  unacknowledged: { head: 'unacknowledged', kind: 'count', of: ({ flows }) => flows.unacknowledged },
  unposted: { head: 'never posted', kind: 'count', of: ({ flows }) => flows.unposted },
  withoutIdeal: { head: 'without ideal', kind: 'count', of: ({ flows }) => flows.withoutIdeal },
} as const satisfies Readonly<Record<string, RunMetric>>

/** Metrics of runs with jobs: means over these and their collectives. */
export const JOB_METRICS = {
  stepTimePs: { head: 'step time', kind: 'duration', of: ({ jobs }) => meanOf(jobs, ({ stepPs }) => stepPs) },
  stepTimeRatio: { head: 'step time / idle', kind: 'ratio', of: ({ jobs }) => meanOf(jobs, stepRatio) },
  algorithmBps: {
    head: 'algbw',
    kind: 'rate',
    of: ({ collectives }) => meanOf(collectives, ({ algorithmBps }) => algorithmBps),
  },
  busBps: { head: 'busbw', kind: 'rate', of: ({ collectives }) => meanOf(collectives, ({ busBps }) => busBps) },
} as const satisfies Readonly<Record<string, RunMetric>>

/** Metrics of the flows of one tag, where a run has several: slowdownP99[storage]. */
export const TAG_METRICS = {
  slowdownMean: { head: 'slowdown', kind: 'ratio', of: ({ slowdownMean }) => slowdownMean },
  slowdownP50: { head: 'slowdown p50', kind: 'ratio', of: ({ slowdownP50 }) => slowdownP50 },
  slowdownP99: { head: 'slowdown p99', kind: 'ratio', of: ({ slowdownP99 }) => slowdownP99 },
  slowdownMax: { head: 'highest slowdown', kind: 'ratio', of: ({ slowdownMax }) => slowdownMax },
  completionMeanPs: { head: 'completion', kind: 'duration', of: ({ completionMeanPs }) => completionMeanPs },
  completionP99Ps: { head: 'completion p99', kind: 'duration', of: ({ completionP99Ps }) => completionP99Ps },
  completionMaxPs: { head: 'slowest completion', kind: 'duration', of: ({ completionMaxPs }) => completionMaxPs },
  goodputBps: { head: 'goodput', kind: 'rate', of: ({ goodputBps }) => goodputBps },
  jainIndex: { head: "Jain's index", kind: 'ratio', most: 1, of: ({ jainIndex }) => jainIndex },
  flows: { head: 'flows', kind: 'count', of: ({ measuredFinished }) => measuredFinished },
  unfinished: { head: 'unfinished', kind: 'count', of: ({ flows, finished }) => flows - finished },
  withoutIdeal: { head: 'without ideal', kind: 'count', of: ({ withoutIdeal }) => withoutIdeal },
} as const satisfies Readonly<Record<string, TagMetric>>

interface TagMetric {
  readonly head: string
  readonly kind: MetricKind
  readonly most?: number
  readonly of: (tag: RunJson['tags'][string]) => number | null
}

type RunMetricName = keyof typeof RUN_METRICS
type JobMetricName = keyof typeof JOB_METRICS
type TagMetricName = keyof typeof TAG_METRICS

export type MetricName = RunMetricName | JobMetricName | `${TagMetricName}[${string}]`

/** Those that every run has. */
export const METRIC_NAMES: readonly RunMetricName[] = Object.keys(RUN_METRICS) as RunMetricName[]

/** Those of runs with jobs. */
export const JOB_METRIC_NAMES: readonly JobMetricName[] = Object.keys(JOB_METRICS) as JobMetricName[]

const TAG_METRIC_NAMES = Object.keys(TAG_METRICS) as TagMetricName[]

/** Those of runs with these tags, and with jobs if there are, in the order of their columns. */
export function metricNames(tags: Iterable<string>, hasJobs = true): MetricName[] {
  const ofTags = [...new Set(tags)].flatMap((tag) => TAG_METRIC_NAMES.map((name): MetricName => `${name}[${tag}]`))
  return [...METRIC_NAMES, ...(hasJobs ? JOB_METRIC_NAMES : []), ...ofTags]
}

const WHOLE_METRICS: Readonly<Record<RunMetricName | JobMetricName, RunMetric>> = { ...RUN_METRICS, ...JOB_METRICS }

/** Whether a text names a metric, be it of a tag that no run has. */
export function isMetricName(text: string): text is MetricName {
  const parts = tagParts(text)
  return parts === null ? Object.hasOwn(WHOLE_METRICS, text) : Object.hasOwn(TAG_METRICS, parts.name)
}

/** The metric of that name. */
export function runMetric(name: MetricName): RunMetric {
  const parts = tagParts(name)
  if (parts === null) return WHOLE_METRICS[name as RunMetricName | JobMetricName]
  const { head, kind, most, of }: TagMetric = TAG_METRICS[parts.name as TagMetricName]
  return {
    head: `${head}, ${parts.tag === '' ? 'untagged' : parts.tag}`,
    kind,
    ...(most === undefined ? {} : { most }),
    of: ({ tags }) => (Object.hasOwn(tags, parts.tag) ? of(tags[parts.tag]!) : null),
  }
}

/** The tag whose metric it is; null: that of a run. */
export function tagOfMetric(name: string): string | null {
  return tagParts(name)?.tag ?? null
}

function tagParts(name: string): { readonly name: string; readonly tag: string } | null {
  const bracket = name.indexOf('[')
  return bracket < 0 || !name.endsWith(']') ? null : { name: name.slice(0, bracket), tag: name.slice(bracket + 1, -1) }
}

/** Rows of a sweep: an interval for each metric that is known. */
type MetricRows = readonly { readonly metrics: Readonly<Partial<Record<MetricName, Interval>>> }[]

/**
 * Whether tables and figures show a metric unasked. A metric that is usually 0 says nothing where it is 0 in all rows. Where
 * a run has too few flows for a quantile, no row shows it, and the slowest takes the place of the 99th percentile in all.
 */
export function saysSomething(name: MetricName, rows: MetricRows): boolean {
  const means = rows.map(({ metrics }) => metrics[name]?.mean ?? NaN).filter((mean) => Number.isFinite(mean))
  if (means.length === 0 || /^flows\b/.test(name)) return false
  const which = TAIL.exec(name)?.[2]
  if (which === undefined) {
    const isUsuallyZero = runMetric(name).kind === 'count' || name === 'pausedPs'
    return !isUsuallyZero || means.some((mean) => mean > 0)
  }
  const countOf = ({ metrics }: MetricRows[number], of: string): number | undefined =>
    metrics[name.replace(TAIL, `$1${of}`) as MetricName]?.count
  const isKnown = (of: string): boolean =>
    rows.every((row) => countOf(row, of) === (countOf(row, 'Max') ?? countOf(row, of)))
  return which === 'Max' ? !isKnown('P99') : isKnown(which)
}

/** The metric, or the slowest in place of a 99th percentile that is not known in all rows. */
export function knownMetric(name: MetricName, rows: MetricRows): MetricName {
  const slowest = name.replace(/^(slowdown|completion)P99(?!9)/, '$1Max') as MetricName
  return slowest !== name && saysSomething(slowest, rows) ? slowest : name
}

const TAIL = /^(slowdown|completion)(P95|P999?|Max)/

/** "p99 of 1,204 flows", "slowest of 16 to 19 flows, 3 did not finish": whose quantiles the rows have; '' where that is not known. */
export function sweepTailNote(rows: MetricRows): string {
  const ends = (name: MetricName): [number, number] | undefined => {
    const means = rows.map(({ metrics }) => metrics[name]?.mean ?? NaN).filter((mean) => Number.isFinite(mean))
    return means.length === 0 ? undefined : [Math.min(...means), Math.max(...means)]
  }
  const rangeOf = ([least, most]: [number, number]): string =>
    (least === most ? [most] : [least, most]).map((count) => exactCount(Math.round(count))).join(' to ')
  const [flows, unfinished] = [ends('flows'), ends('unfinished')]
  if (flows === undefined || flows[1] === 0) return ''
  const word = saysSomething('completionP99Ps', rows) ? 'p99' : 'slowest'
  const left = unfinished === undefined || unfinished[1] === 0 ? '' : `, ${rangeOf(unfinished)} did not finish`
  return `${word} of ${rangeOf(flows)} ${flows[1] === 1 ? 'flow' : 'flows'}${left}`
}

/** A metric of a run; NaN where the run has no number for it. */
export function metricOf(name: MetricName, run: RunJson): number {
  return runMetric(name).of(run) ?? NaN
}
