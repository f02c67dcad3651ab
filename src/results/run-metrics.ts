/**
 * Run metrics: the numbers of a run that tables and figures of many runs show, each by a name that ends in its unit.
 * The names are columns of sweep.csv and keys of sweep.json, so they stay.
 */
import type { RunJson } from './summary.ts'

/** What a metric measures, which decides how it is printed and on what axis it is drawn. */
export type MetricKind = 'ratio' | 'duration' | 'rate' | 'count'

export interface RunMetric {
  /** Head of its column. */
  readonly head: string
  readonly kind: MetricKind
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
  completionMeanPs: { head: 'completion', kind: 'duration', of: ({ completionPs }) => completionPs.mean },
  completionP50Ps: { head: 'completion p50', kind: 'duration', of: ({ completionPs }) => completionPs.p50 },
  completionP95Ps: { head: 'completion p95', kind: 'duration', of: ({ completionPs }) => completionPs.p95 },
  completionP99Ps: { head: 'completion p99', kind: 'duration', of: ({ completionPs }) => completionPs.p99 },
  completionP999Ps: { head: 'completion p99.9', kind: 'duration', of: ({ completionPs }) => completionPs.p999 },
  goodputBps: { head: 'goodput', kind: 'rate', of: ({ goodputBps }) => goodputBps },
  drops: { head: 'drops', kind: 'count', of: ({ drops }) => total(drops) },
  ecnMarks: { head: 'ECN marks', kind: 'count', of: ({ ecnMarks }) => ecnMarks },
  cnps: { head: 'CNPs', kind: 'count', of: ({ cnps }) => cnps },
  rnrNaks: { head: 'RNR NAKs', kind: 'count', of: ({ rnrNaks }) => rnrNaks },
  pauseFrames: { head: 'pauses', kind: 'count', of: ({ pauseFrames }) => pauseFrames },
  pausedPs: { head: 'paused time', kind: 'duration', of: ({ pausedPs }) => total(pausedPs) },
  unfinished: { head: 'unfinished', kind: 'count', of: ({ flows }) => flows.unfinished },
  unacknowledged: { head: 'unacknowledged', kind: 'count', of: ({ flows }) => flows.unacknowledged },
  unposted: { head: 'never posted', kind: 'count', of: ({ flows }) => flows.unposted },
} as const satisfies Readonly<Record<string, RunMetric>>

export type MetricName = keyof typeof RUN_METRICS

export const METRIC_NAMES: readonly MetricName[] = Object.keys(RUN_METRICS) as MetricName[]

/** Whether 0 is the usual value, so that a metric that is 0 in every run says nothing. */
export function isUsuallyZero(name: MetricName): boolean {
  return RUN_METRICS[name].kind === 'count' || name === 'pausedPs'
}

/** A metric of a run; NaN where the run has no number for it. */
export function metricOf(name: MetricName, run: RunJson): number {
  const metric: RunMetric = RUN_METRICS[name]
  return metric.of(run) ?? NaN
}
