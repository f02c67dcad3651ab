/**
 * Watch: interfaces of observers. A call costs one null check where nobody observes; none is per packet and hop.
 */
import type { QueuePair } from './nic/queue-pair.ts'

export interface Watch {
  /** A PFC frame arrived at the paused device: `pause` true for a pause, false for a resume. */
  onPfcReceived(nowPs: number, portId: number, classVector: number, pause: boolean): void
  /** The pause state of a port's class changed. */
  onPauseChanged(nowPs: number, portId: number, trafficClass: number, isPaused: boolean): void
  /** A packet was lost; reason as in counters.ts. */
  onDrop(nowPs: number, nodeId: number, reason: number, direction: number, sizeBytes: number): void
}

/** Observes losses and timeouts, to find the cause of each timeout. */
export interface LossWatch {
  /** A packet is about to be freed, or to be trimmed: its fields can still be read. */
  onLoss(packet: number): void
  /** A timeout of the sender, or of the half that reads, has just been served and counted. */
  onTimeout(pair: QueuePair, isReader: boolean): void
}

/** Acts at times of its own, outside the packet path: workloads, samplers, link faults. */
export interface Actor {
  onEvent(nowPs: number): void
}
