/**
 * Run JSON check: the shape of a whole `RunJson`. It has every field, so that a line that lost part of itself, or was
 * written by hand, is not taken for a run.
 */
import {
  countShape,
  flagShape,
  numberShape,
  objectOf,
  oneOf,
  optional,
  orNull,
  recordOf,
  type Shape,
  textShape,
} from '../../base/shape.ts'
import { counterShapes, countsShape, digestShape, pauseCircleShape } from './head.ts'
import { collectiveShape, jobShape } from '../jobs/job-json.ts'
import { COUNTED, pick, type RunJson, type TagJson } from '../summary.ts'

const measureShape = orNull(numberShape)

const spreadShape = objectOf<RunJson['slowdown']>({
  mean: measureShape,
  p50: measureShape,
  p95: measureShape,
  p99: measureShape,
  p999: measureShape,
  max: measureShape,
})

const tagShape = objectOf<TagJson>({
  flows: countShape,
  finished: countShape,
  measured: countShape,
  measuredFinished: countShape,
  withoutIdeal: countShape,
  slowdownMean: measureShape,
  slowdownP50: measureShape,
  slowdownP99: measureShape,
  slowdownMax: measureShape,
  completionMeanPs: measureShape,
  completionP99Ps: measureShape,
  completionMaxPs: measureShape,
  goodputBps: measureShape,
  jainIndex: measureShape,
})

/** Every field of a run's summary, each of its kind. */
export const runJsonShape: Shape<RunJson> = objectOf<RunJson>({
  schemaVersion: oneOf(1),
  version: textShape,
  name: textShape,
  digest: digestShape,
  seed: countShape,
  partial: flagShape,
  simulatedPs: measureShape,
  stalledFromPs: measureShape,
  pauseCircle: orNull(pauseCircleShape),
  flows: objectOf<RunJson['flows']>({
    finished: countShape,
    unfinished: countShape,
    unacknowledged: countShape,
    unposted: countShape,
    measured: countShape,
    measuredFinished: countShape,
    withoutIdeal: countShape,
  }),
  unfinishedReasons: countsShape,
  unacknowledgedReasons: countsShape,
  unpostedReasons: countsShape,
  slowdown: spreadShape,
  completionPs: spreadShape,
  goodputBps: measureShape,
  windowGoodputBps: measureShape,
  ...pick(counterShapes, COUNTED),
  tags: recordOf(tagShape),
  jobs: optional(jobShape),
  collectives: optional(collectiveShape),
  tagJainIndex: measureShape,
  cpuSeconds: measureShape,
  packetHopsPerCpuSecond: measureShape,
  peakRssBytes: measureShape,
})
