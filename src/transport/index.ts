/** Transport: sans-IO RoCEv2 endpoints. */
export { congestions } from './congestion/index.ts'
export type {
  AckNews,
  CongestionContext,
  CongestionControl,
  CongestionDefinition,
} from './congestion/congestion.ts'
export { defineCongestion } from './congestion/congestion.ts'
export { dataFrameBytes, type Endpoint, type FrameSizes } from './endpoint.ts'
export { endpointParams, type EndpointValues } from './params.ts'
export { PSN_MASK, psnDistance, unwrapPsn } from './psn.ts'
export { Receiver, type ReceiverOptions } from './receiver.ts'
export { defineRecovery, recoveries, type RecoveryDefinition } from './recovery/index.ts'
export type { Needs, SchemeDefinition } from './scheme.ts'
export * from './segment.ts'
export { Sender, type SenderOptions } from './sender.ts'
export { Timers, type OrderSource } from './timers.ts'
