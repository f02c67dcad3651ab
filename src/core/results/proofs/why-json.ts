/**
 * Why JSON: the causes of a run as they were proved, as a command prints them and a result keeps them (why.json).
 */
import {
  countShape,
  listOf,
  numberShape,
  objectOf,
  oneOf,
  orNull,
  recordOf,
  type Shaped,
  textShape,
} from '../../base/shape.ts'

const affected = objectOf({
  flows: countShape,
  unfinished: countShape,
  meanSlowdown: orNull(numberShape),
  p50Slowdown: orNull(numberShape),
  tailSlowdown: orNull(numberShape),
  slowestSlowdown: orNull(numberShape),
  p50Ps: orNull(numberShape),
  tailPs: orNull(numberShape),
  goodputBps: orNull(numberShape),
})
const suspect = objectOf({
  kind: textShape,
  stage: textShape,
  device: orNull(textShape),
  port: orNull(textShape),
  workload: orNull(textShape),
  path: orNull(textShape),
  others: listOf(textShape),
  sides: listOf(textShape),
  now: textShape,
  usual: textShape,
})
const tried = objectOf({
  suspects: listOf(suspect),
  beyond: listOf(suspect),
  /** also: in its two runs it does as much as a cause; small: it holds some messages up; cleared: neither. */
  standing: oneOf('cause', 'also', 'small', 'cleared'),
  /** Overrides of the scenario that make the run without them, and those in both runs. */
  sets: listOf(textShape),
  /** The number that gains most, of which tag ('': of all), and the share of it that is gone. */
  by: textShape,
  tag: textShape,
  share: orNull(numberShape),
  faster: countShape,
  slower: countShape,
  /** By how many standard deviations more is faster than slower. */
  deviations: numberShape,
  digest: textShape,
  /** Tag of the messages that are counted; '': all that are affected. */
  of: textShape,
  before: affected,
  after: affected,
  /** The job whose steps gain most, and their times; null: they did not end. */
  step: orNull(objectOf({ tag: textShape, beforePs: orNull(numberShape), afterPs: orNull(numberShape) })),
})
const remedy = objectOf({
  /** Row of the cause; null: of the load. */
  cause: orNull(countShape),
  sets: listOf(textShape),
  digest: textShape,
  /** Numbers of the affected messages, and of all others. */
  before: affected,
  after: affected,
  othersBefore: affected,
  othersAfter: affected,
})
/** The port that the slow messages waited for most. */
const busyPort = objectOf({
  device: textShape,
  port: textShape,
  useShare: numberShape,
  rateBps: numberShape,
})

export const whyShape = objectOf({
  schemaVersion: oneOf(1),
  name: textShape,
  seed: countShape,
  /** That of the run that is explained. */
  digest: textShape,
  verdict: oneOf('causes', 'load', 'unknown', 'calm'),
  causes: listOf(tried),
  cleared: listOf(tried),
  untried: listOf(suspect),
  busyPort: orNull(busyPort),
  remedies: listOf(remedy),
  all: affected,
  clean: orNull(affected),
  drops: recordOf(countShape),
  runs: countShape,
  packetHops: countShape,
  budgetHops: countShape,
})
export type WhyJson = Shaped<typeof whyShape>
export type TriedJson = WhyJson['causes'][number]
export type SuspectJson = TriedJson['suspects'][number]
export type AffectedJson = WhyJson['all']
