/**
 * Summary: a run in some twenty numbers.
 * Units in the names: Ps picoseconds, Bps bit/s; slowdowns are ratios. NaN where no flow is there to be counted.
 *
 * A flow's end is `receivedPs` or `acknowledgedPs`, as `result.completion` says, and its ideal the one of the same end
 * point. A READ ends at its requester, which is the receiver of its data, in both cases: its responder waits for
 * nothing. A flow is finished when its end is there, and unacknowledged too where its sender never came to know.
 * Times and slowdowns are taken over measured finished flows only, slowdowns over those that have an ideal time;
 * how many are left out is counted beside them. Counters are those of the whole run. The goodput of the measuring window is given beside that of the run.
 * Slowdown = (end - start) / ideal and is not clamped: a value below 1 means that the ideal is wrong for that flow,
 * and `slowdownsBelowOne` says how often that happened.
 * Goodput = all payload bytes delivered to receivers, over the time from the first flow's start to the last one's end,
 * or to the end of the run when a flow is unfinished; so a long silence before or after does not lower it. A run that
 * was given up has its end, for this, where the last byte was delivered: how long it was waited
 * for more is a matter of patience. Bytes that go-back-0 forgets again move that end too.
 */
import { FlowGroup } from './flows/flow-group.ts'
import { jobsJson, type JobsJson } from './jobs/job-json.ts'
import { collectivesOf, type CollectiveTimes, jobsOf, type JobTimes } from './jobs/jobs.ts'
import { eachFlow } from './flows/flow-rows.ts'
import { knownQuantile, mean, quantileOfSorted, sum } from './quantiles.ts'
import type { Counters, PauseCircle, Result, RunCost } from './result.ts'
import { hasWindow } from './run-times.ts'
import { jainIndex, tagSummary, type TagSummary } from './tags.ts'

/** The numbers of a run; NaN where no flow is there to be counted. */
export interface Summary {
  readonly flows: {
    readonly total: number
    readonly finished: number
    readonly unfinished: number
    /** Finished flows that are complete at the receiver and never acknowledged at the sender. */
    readonly unacknowledged: number
    /** Messages that were to be posted when others were finished, and never were. Not in `total`. */
    readonly unposted: number
    /** Flows that started in the measuring window, and those of them that finished. */
    readonly measured: number
    readonly measuredFinished: number
    /** Among the latter, flows without an ideal time, which are in no slowdown. */
    readonly withoutIdeal: number
  }
  /** Unfinished flows by their status, most frequent first. */
  readonly unfinishedReasons: Readonly<Record<string, number>>
  /** The same of unacknowledged flows, and of the flows that unposted messages wait for. */
  readonly unacknowledgedReasons: Readonly<Record<string, number>>
  readonly unpostedReasons: Readonly<Record<string, number>>
  readonly completion: 'receiver' | 'sender'
  readonly meanSlowdown: number
  readonly p50Slowdown: number
  /** Quantiles are NaN of fewer flows than they need (hasQuantile). */
  readonly p95Slowdown: number
  readonly p99Slowdown: number
  readonly p999Slowdown: number
  readonly maxSlowdown: number
  /** Measured flows faster than their ideal: 0 when the ideal is right. */
  readonly slowdownsBelowOne: number
  readonly meanCompletionPs: number
  readonly p50CompletionPs: number
  readonly p95CompletionPs: number
  readonly p99CompletionPs: number
  readonly p999CompletionPs: number
  readonly maxCompletionPs: number
  /** All receivers together. */
  readonly goodputBps: number
  /** The time that goodput is taken over, ps. */
  readonly goodputOverPs: number
  /** All receivers together, inside the measuring window; NaN where there is none or nothing of it was run. */
  readonly windowGoodputBps: number
  /** Sum over all reasons. */
  readonly drops: number
  readonly pauseFrames: number
  readonly resumeFrames: number
  /** By tier of the paused device, summed over its ports and classes. */
  readonly pausedPs: Readonly<Record<string, number>>
  readonly retransmissions: number
  /** Sum over all causes. */
  readonly timeouts: number
  /** By tag, where there are several. */
  readonly tags: readonly TagSummary[]
  /** Workloads whose messages wait for each other, and their collectives. */
  readonly jobs: readonly JobTimes[]
  readonly collectives: readonly CollectiveTimes[]
}

/** Summary of a run. Looks at its flows once, one after the other. */
export function summarize(result: Result): Summary {
  const { counters } = result
  const byTag = new Map<string, FlowGroup>()
  const all = new FlowGroup(result)
  const unfinishedReasons = new Map<string, number>()
  const unacknowledgedReasons = new Map<string, number>()
  eachFlow(result, (flow) => {
    if (!byTag.has(flow.tag)) {
      // The flows of the only tag are all flows.
      for (const [tag, group] of byTag) if (group === all) byTag.set(tag, all.copy())
      byTag.set(flow.tag, byTag.size === 0 ? all : new FlowGroup(result))
    }
    all.add(flow)
    if (byTag.size > 1) byTag.get(flow.tag)!.add(flow)
    // Status tells of both ends; a flow may have reached one and not the other.
    const isDone = flow.status === 'finished'
    if (Number.isNaN(flow.completionPs)) {
      countOne(unfinishedReasons, isDone ? `not finished at the ${result.completion}` : flow.status)
    } else if (!isDone) countOne(unacknowledgedReasons, flow.status)
  })
  const [times, slowdowns] = [all.timesPs, all.slowdowns]
  const goodputOverPs = all.activePs
  return {
    flows: {
      total: all.flows,
      finished: all.finished,
      unfinished: all.flows - all.finished,
      unacknowledged: sum(unacknowledgedReasons.values()),
      unposted: totalOf(result.unposted),
      measured: all.measured,
      measuredFinished: times.length,
      withoutIdeal: times.length - slowdowns.length,
    },
    unfinishedReasons: byFrequency([...unfinishedReasons]),
    unacknowledgedReasons: byFrequency([...unacknowledgedReasons]),
    unpostedReasons: byFrequency(Object.entries(result.unposted)),
    completion: result.completion,
    meanSlowdown: mean(slowdowns),
    p50Slowdown: quantileOfSorted(slowdowns, 0.5),
    p95Slowdown: knownQuantile(slowdowns, 0.95),
    p99Slowdown: knownQuantile(slowdowns, 0.99),
    p999Slowdown: knownQuantile(slowdowns, 0.999),
    maxSlowdown: quantileOfSorted(slowdowns, 1),
    slowdownsBelowOne: slowdowns.filter((value) => value < 1).length,
    meanCompletionPs: mean(times),
    p50CompletionPs: quantileOfSorted(times, 0.5),
    p95CompletionPs: knownQuantile(times, 0.95),
    p99CompletionPs: knownQuantile(times, 0.99),
    p999CompletionPs: knownQuantile(times, 0.999),
    maxCompletionPs: quantileOfSorted(times, 1),
    goodputBps: goodputOverPs > 0 ? (counters.payloadBytesDelivered / goodputOverPs) * 8e12 : NaN,
    goodputOverPs,
    windowGoodputBps: windowGoodputBps(result),
    drops: totalOf(counters.drops),
    pauseFrames: counters.pauseFrames,
    resumeFrames: counters.resumeFrames,
    pausedPs: counters.pausedPs,
    retransmissions: counters.retransmissions,
    timeouts: totalOf(counters.timeouts),
    tags: byTag.size < 2 ? [] : [...byTag].map(([tag, group]) => tagSummary(result, tag, group)),
    jobs: jobsOf(result),
    collectives: collectivesOf(result),
  }
}

/** Mean, quantiles and largest over measured finished flows; null where there are none, or too few for that quantile. */
interface SpreadJson {
  readonly mean: number | null
  readonly p50: number | null
  readonly p95: number | null
  readonly p99: number | null
  readonly p999: number | null
  readonly max: number | null
}

/** Counters that `--json` has, in their order there. */
export const COUNTED = [
  'drops',
  'dataPacketsSent',
  'dataPacketsDropped',
  'pauseFrames',
  'resumeFrames',
  'pausedPs',
  'ecnMarks',
  'cnps',
  'rnrNaks',
  'trimmed',
  'trimmedBytes',
  'retransmissions',
  'timeouts',
  'packetHops',
] as const satisfies readonly (keyof Counters)[]

type Counted = Pick<Counters, (typeof COUNTED)[number]>
type Reasons = Pick<Summary, 'unfinishedReasons' | 'unacknowledgedReasons' | 'unpostedReasons'>

/** Output of `rocelab run --json` beside the folder: plain JSON, with null where there is no number. */
export interface RunJson extends Partial<JobsJson>, Counted, Reasons {
  readonly schemaVersion: 1
  readonly version: string
  readonly name: string
  readonly digest: string
  readonly seed: number
  readonly partial: boolean
  readonly simulatedPs: number | null
  /** When the last byte was delivered before the run was given up; null: it ended otherwise. */
  readonly stalledFromPs: number | null
  /** Switches that wait for each other at the end; null: none do. */
  readonly pauseCircle: PauseCircle | null
  readonly flows: Omit<Summary['flows'], 'total'>
  readonly slowdown: SpreadJson
  readonly completionPs: SpreadJson
  readonly goodputBps: number | null
  /** In the measuring window; null where the scenario sets none. */
  readonly windowGoodputBps: number | null
  /** By tag, where there are several; jainIndex: among its flows. */
  readonly tags: Readonly<Record<string, TagJson>>
  /** Among the tags' goodput; null where there is one. */
  readonly tagJainIndex: number | null
  readonly cpuSeconds: number | null
  readonly packetHopsPerCpuSecond: number | null
  readonly peakRssBytes: number | null
}

/** The summary as JSON; everything but the last three fields is equal on every run of the scenario. */
export function runJson(result: Result, summary: Summary, cost?: RunCost): RunJson {
  const { counters } = result
  const { total: _, ...flows } = summary.flows
  return {
    schemaVersion: 1,
    version: result.version,
    name: result.name,
    digest: result.digest,
    seed: result.seed,
    partial: result.partial,
    simulatedPs: orNull(result.simulatedPs),
    stalledFromPs: result.stalledFromPs,
    pauseCircle: result.pauseCircle,
    flows,
    unfinishedReasons: summary.unfinishedReasons,
    unacknowledgedReasons: summary.unacknowledgedReasons,
    unpostedReasons: summary.unpostedReasons,
    slowdown: {
      mean: orNull(summary.meanSlowdown),
      p50: orNull(summary.p50Slowdown),
      p95: orNull(summary.p95Slowdown),
      p99: orNull(summary.p99Slowdown),
      p999: orNull(summary.p999Slowdown),
      max: orNull(summary.maxSlowdown),
    },
    completionPs: {
      mean: orNull(summary.meanCompletionPs),
      p50: orNull(summary.p50CompletionPs),
      p95: orNull(summary.p95CompletionPs),
      p99: orNull(summary.p99CompletionPs),
      p999: orNull(summary.p999CompletionPs),
      max: orNull(summary.maxCompletionPs),
    },
    goodputBps: orNull(summary.goodputBps),
    windowGoodputBps: orNull(summary.windowGoodputBps),
    ...pick(counters, COUNTED),
    tags: Object.fromEntries(summary.tags.map((of) => [of.tag, tagJson(of)])),
    ...(summary.jobs.length === 0 ? {} : jobsJson(summary.jobs, summary.collectives)),
    tagJainIndex: orNull(jainIndex(summary.tags.map(({ goodputBps }) => goodputBps))),
    cpuSeconds: orNull(cost?.cpuSeconds),
    packetHopsPerCpuSecond: orNull(cost === undefined ? undefined : counters.packetHops / cost.cpuSeconds),
    peakRssBytes: orNull(cost?.peakRssBytes),
  }
}

/** An object with these fields of another. */
export function pick<T, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> {
  return Object.fromEntries(keys.map((key) => [key, from[key]])) as Pick<T, K>
}

/** Summary of a tag in `--json`; null where there is no number. */
export interface TagJson {
  readonly flows: number
  readonly finished: number
  readonly measured: number
  readonly measuredFinished: number
  readonly withoutIdeal: number
  readonly slowdownMean: number | null
  readonly slowdownP50: number | null
  readonly slowdownP99: number | null
  readonly slowdownMax: number | null
  readonly completionMeanPs: number | null
  readonly completionP99Ps: number | null
  readonly completionMaxPs: number | null
  readonly goodputBps: number | null
  readonly jainIndex: number | null
}

function tagJson(of: TagSummary): TagJson {
  return {
    flows: of.flows,
    finished: of.finished,
    measured: of.measured,
    measuredFinished: of.measuredFinished,
    withoutIdeal: of.withoutIdeal,
    slowdownMean: orNull(of.meanSlowdown),
    slowdownP50: orNull(of.p50Slowdown),
    slowdownP99: orNull(of.p99Slowdown),
    slowdownMax: orNull(of.maxSlowdown),
    completionMeanPs: orNull(of.meanCompletionPs),
    completionP99Ps: orNull(of.p99CompletionPs),
    completionMaxPs: orNull(of.maxCompletionPs),
    goodputBps: orNull(of.goodputBps),
    jainIndex: orNull(of.jainIndex),
  }
}

/** Whole runs have no window of their own. */
function windowGoodputBps(result: Result): number {
  const { windowFromPs, windowToPs, windowPayloadBytes } = result
  if (!hasWindow(result)) return NaN
  return windowToPs > windowFromPs ? (windowPayloadBytes / (windowToPs - windowFromPs)) * 8e12 : NaN
}

function countOne(counts: Map<string, number>, text: string): void {
  counts.set(text, (counts.get(text) ?? 0) + 1)
}

function byFrequency(counts: readonly (readonly [string, number])[]): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)))
}

function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((total, next) => total + next, 0)
}

function orNull(value: number | undefined): number | null {
  return value === undefined || !Number.isFinite(value) ? null : value
}
