/**
 * Verbs: work requests, completions, memory regions and their ordering guarantees, in RoCE and in IRN mode ([IRN] 5).
 */
export * from './access.ts'
export type { AsyncEvent, AsyncEventKind } from './async-event.ts'
export { decodePacket, encodePacket, packetBytes, takesReceive } from './codec.ts'
export { Completion, CompletionQueue } from './queues/completion-queue.ts'
export {
  ConnectionManager,
  type ConnectionManagerOptions,
  type ConnectionMessage,
  type ConnectionOffer,
  type ConnectionState,
} from './connection/manager.ts'
export { connectionIssues, LSN_WINDOW_MAX } from './connection/check.ts'
export { CONNECTION_DEFAULTS, type ConnectionValues, type Mode } from './connection/values.ts'
export { Device, type QueuePairPlan } from './device.ts'
export { MemoryRegion, type MemoryRegionOptions } from './memory-region.ts'
export { type NicState, type NicStateField, nicStateFor, nicStateOf } from './nic-state.ts'
export * from './queues/operation.ts'
export { VerbsPacket } from './packet.ts'
export { type PostListener, QueuePair } from './queue-pair.ts'
export type { QueuePairState } from './queue-pair-state.ts'
export { SharedReceiveQueue } from './queues/receive-queue.ts'
export { LIVE_DEFAULTS, liveConnection, type LiveOptions, liveSchemes, type SchemeChoice } from './live-schemes.ts'
export { plainRecovery } from './plain-schemes.ts'
export type { HalfKind, Schemes } from './schemes.ts'
export { requestOpcode } from './requester/request-packet.ts'
export { responseOpcode } from './responder/response-sender.ts'
export { PSNS_MAX } from './queues/send-queue.ts'
export type { PostResult, ReceiveWork, SendWork } from './queues/work-request.ts'
export * from './queues/status.ts'
