/** Transport: sans-IO RoCEv2 endpoints. */
export { congestions } from './congestion/index.ts'
export type {
  AckEvent,
  CongestionContext,
  CongestionDefinition,
  SenderView,
  WindowScope,
} from './congestion/congestion.ts'
export { CongestionControl, defineCongestion, NO_WINDOW } from './congestion/congestion.ts'
export { dataFrameBytes, type Endpoint, type FrameSizes } from './endpoint.ts'
export { endpointParams, type EndpointValues } from './params.ts'
export { PSN_MASK, psnDistance, unwrapPsn } from './psn.ts'
export type { ReceiverOptions } from './receive/receiver-options.ts'
export { Receiver } from './receive/receiver.ts'
export { recoveries } from './recovery/index.ts'
export {
  defineRecovery,
  LOSS_FOUND,
  NO_REPLY,
  NOTHING_NEW,
  PACKET_NAMED,
  ReceiverRecovery,
  type RecoveryContext,
  type RecoveryDefinition,
  REPLY_ACK,
  REPLY_ACK_LATER,
  REPLY_ACK_NOW,
  REPLY_NAK,
  REPLY_SACK,
  REPLY_TRIMMED,
  SenderRecovery,
  type SenderRecoveryContext,
  type SendWindow,
  TIMER_BY_ACK,
  TIMER_OF_OLDEST,
  TIMER_OF_PROGRESS,
  type TimerRule,
  type Verdict,
} from './recovery/recovery.ts'
export type { Needs, Offers, SchemeDefinition } from './scheme.ts'
export * from './segment.ts'
export { Sender } from './send/sender.ts'
export type { SenderOptions } from './send/sender-options.ts'
export { FIRST_CONGESTION_TIMER, HELD_ACK_TIMER, RECOVERY_TIMER, Timers, type OrderSource } from './timers.ts'
