/**
 * Metrics: observers that turn a run into tables.
 */
import { drops } from './drops.ts'
import { goodput } from './goodput.ts'
import { linkUse } from './link-use.ts'
import { nicReceive } from './nic-receive.ts'
import { pairGoodput } from './pair-goodput.ts'
import { pauseIntervals } from './pause-intervals.ts'
import { pauseLog } from './pause-log.ts'
import { queueDepth } from './queue-depth.ts'
import { rates } from './rates.ts'
import { watchdog } from './watchdog.ts'

/** Every metric a scenario can name. */
export const metrics = [
  queueDepth,
  pauseIntervals,
  pauseLog,
  drops,
  goodput,
  pairGoodput,
  rates,
  linkUse,
  nicReceive,
  watchdog,
] as const

export { defineMetric, type MetricContext, type MetricDefinition, type Observer } from './metric.ts'
export { drops, goodput, linkUse, nicReceive, pairGoodput, pauseIntervals, pauseLog, queueDepth, rates, watchdog }
