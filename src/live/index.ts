/**
 * Live: ends of real RoCEv2 conversations, and faults between them, without sockets and clocks. What needs those is in
 * `rocelab/live/drivers`.
 */
export type { ManagementAgent, Party, PeerAddress } from './party.ts'
export * from './peer/index.ts'
export { Station, type StationOptions } from './link/station.ts'
export { ConnectionAgent } from './cm/agent.ts'
export type * from './cm/host.ts'
export { Rping, RPING_BYTES, RPING_PORT, type RpingFailure, type RpingRole } from './cm/rping.ts'
export { RpingPeer, type RpingOptions, type RpingSession } from './cm/rping-peer.ts'
export { PerfMeter } from './tools/perf-meter.ts'
export {
  DEPTH_MAX as PERF_DEPTH_MAX,
  PAIRS_MAX as PERF_PAIRS_MAX,
  formatUnder,
  type PerfOffer,
  readOffer,
  type SchemeNames,
  schemesOf,
} from './tools/perf-offer.ts'
export * from './tools/ping-summary.ts'
export type { Probe } from './tools/prober.ts'
export { FaultLine, type FaultEvent, type RuleCount } from './faults/fault-line.ts'
export { FaultyParty } from './faults/faulty-party.ts'
export { DIRECTIONS, type Direction, type Line, PlainLine } from './faults/line.ts'
export { readFaultScript } from './faults/read-script.ts'
export type * from './faults/script.ts'
