/**
 * Run JSON check: whether a value that was read is a whole `RunJson`. Every field is looked at, so that a line that lost
 * part of itself, or was written by hand, is not taken for a run.
 */
import type { RunJson, TagJson } from './summary.ts'

type Check = (value: unknown) => boolean
/** A check for each field: one that is added to the type has to be added here. */
type Fields<T> = { readonly [Field in keyof Required<T>]: Check }

const isText: Check = (value) => typeof value === 'string'
const isFlag: Check = (value) => typeof value === 'boolean'
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isNumberOrNull: Check = (value) => value === null || Number.isFinite(value)
const isDigest: Check = (value) => typeof value === 'string' && /^[0-9a-f]{16}$/.test(value)
const isCounts: Check = (value) => isObject(value) && Object.values(value).every((each) => isCount(each))
const isTimes: Check = (value) => isObject(value) && Object.values(value).every((each) => Number.isFinite(each))

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasFields<T>(fields: Fields<T>): Check {
  const checks = Object.entries<Check>(fields)
  return (value) => isObject(value) && checks.every(([name, holds]) => holds(value[name]))
}

const isSpread = hasFields<RunJson['slowdown']>({
  mean: isNumberOrNull,
  p50: isNumberOrNull,
  p95: isNumberOrNull,
  p99: isNumberOrNull,
  p999: isNumberOrNull,
})

const isTag = hasFields<TagJson>({
  flows: isCount,
  finished: isCount,
  measured: isCount,
  measuredFinished: isCount,
  withoutIdeal: isCount,
  slowdownMean: isNumberOrNull,
  slowdownP50: isNumberOrNull,
  slowdownP99: isNumberOrNull,
  completionMeanPs: isNumberOrNull,
  completionP99Ps: isNumberOrNull,
  goodputBps: isNumberOrNull,
  jainIndex: isNumberOrNull,
})
const isTags: Check = (value) => isObject(value) && Object.values(value).every((each) => isTag(each))

const isWhole = hasFields<RunJson>({
  schemaVersion: (value) => value === 1,
  version: isText,
  name: isText,
  digest: isDigest,
  seed: isCount,
  partial: isFlag,
  simulatedPs: isNumberOrNull,
  stalledFromPs: isNumberOrNull,
  pauseCircle: (value) => value === null || isObject(value),
  flows: hasFields<RunJson['flows']>({
    finished: isCount,
    unfinished: isCount,
    unacknowledged: isCount,
    unposted: isCount,
    measured: isCount,
    measuredFinished: isCount,
    withoutIdeal: isCount,
  }),
  unfinishedReasons: isCounts,
  unacknowledgedReasons: isCounts,
  unpostedReasons: isCounts,
  slowdown: isSpread,
  completionPs: isSpread,
  goodputBps: isNumberOrNull,
  windowGoodputBps: isNumberOrNull,
  drops: isCounts,
  dataPacketsSent: isCount,
  dataPacketsDropped: isCount,
  pauseFrames: isCount,
  resumeFrames: isCount,
  pausedPs: isTimes,
  ecnMarks: isCount,
  cnps: isCount,
  rnrNaks: isCount,
  trimmed: isCount,
  trimmedBytes: isCount,
  retransmissions: isCount,
  timeouts: isCounts,
  packetHops: isCount,
  tags: isTags,
  tagJainIndex: isNumberOrNull,
  cpuSeconds: isNumberOrNull,
  packetHopsPerCpuSecond: isNumberOrNull,
  peakRssBytes: isNumberOrNull,
})

/** Whether a value from JSON has every field of a run's summary, each of its kind. */
export function isRunJson(value: unknown): value is RunJson {
  return isWhole(value)
}
