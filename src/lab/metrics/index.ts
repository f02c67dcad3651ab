/**
 * Metrics: observers that turn a run into tables.
 */
import { autopsy } from './autopsy/autopsy.ts'
import { capture } from './capture/capture.ts'
import { counters } from './counters/counters.ts'
import { drops } from './drops.ts'
import { goodput } from './goodput.ts'
import { linkUse } from './link-use.ts'
import { nicReceive } from './nic-receive.ts'
import { pairGoodput } from './pair-goodput.ts'
import { deadlock } from './pauses/deadlock.ts'
import { pauseIntervals } from './pauses/pause-intervals.ts'
import { pauseLog } from './pauses/pause-log.ts'
import { pauseTree } from './pauses/pause-tree-log.ts'
import { queueDepth } from './queue-depth.ts'
import { rates } from './rates.ts'
import { serverState } from './servers/server-state.ts'
import { watchdog } from './watchdog.ts'
import { watermarks } from './watermarks.ts'

/** Every metric a scenario can name. */
export const metrics = [
  queueDepth,
  pauseIntervals,
  pauseLog,
  pauseTree,
  deadlock,
  counters,
  serverState,
  drops,
  goodput,
  pairGoodput,
  rates,
  linkUse,
  nicReceive,
  watchdog,
  watermarks,
  autopsy,
  capture,
] as const

export { defineMetric, type MetricContext, type MetricDefinition, type Observer } from './metric.ts'
export {
  autopsy,
  capture,
  counters,
  deadlock,
  drops,
  goodput,
  linkUse,
  nicReceive,
  pairGoodput,
  pauseIntervals,
  pauseLog,
  pauseTree,
  queueDepth,
  rates,
  serverState,
  watchdog,
  watermarks,
}
export type { CaptureFile, EncodedFrame, PacketFrames } from './packet-frames.ts'
export { pairsHeldBy, type PauseCircleFound, pauseCirclesOf } from './pauses/pause-circles.ts'
export { heldUpBy, hostsAmong, type Pause, type PauseGraph, pauseGraphOf, type Wait } from './pauses/pause-graph.ts'
export { type PauseRoot, type PauseTree, pauseTreeOf, type TreePause } from './pauses/pause-tree.ts'
