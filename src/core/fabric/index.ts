/** Fabric: the modelled hardware. */
export { balances, ecmpHash, type Balance, type FlowTuple } from './balance/index.ts'
export type { Buffer } from './buffer/buffer.ts'
export { InputQueuedBuffer } from './buffer/input-queued.ts'
export { MemoryManager } from './buffer/memory-manager.ts'
export { SharedBuffer } from './buffer/shared.ts'
export * from './counters.ts'
export { Marker, type MarkingRule } from './link/ecn.ts'
export { CLASSES, EgressQueue } from './link/egress-queue.ts'
export { Fabric } from './fabric.ts'
export * from './link/fault.ts'
export * from './formulas.ts'
export { FAMILY_NAMES, familyOf, type FamilyName, asicHeadroom, type SwitchFamily } from './headroom/families.ts'
export { strictHeadroom } from './headroom/strict.ts'
export {
  LINK_PS_PER_METRE,
  type AsicPort,
  type HeadroomLink,
  type HeadroomSum,
  type HeadroomTerm,
  metresOf,
} from './headroom/terms.ts'
export { Network } from './network.ts'
export { Nic } from './nic/nic.ts'
export { Packets, PFC } from './packets.ts'
export { PauseBook, pauseDurationPs, type PfcRules } from './link/pfc.ts'
export { Port } from './link/port.ts'
export { QueuePair, type CompletionSink } from './pairs/queue-pair.ts'
export { Scheduler } from './link/scheduler.ts'
export { Switch } from './switch/switch.ts'
export type { Actor, LossWatch, Watch } from './watch.ts'
