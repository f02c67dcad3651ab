/**
 * Watch: interfaces of observers. A call costs one null check where nobody observes; none is per packet and hop.
 */
import type { WatchableReceiver } from '../transport/receive/watched-receiver.ts'
import type { WatchableSender } from '../transport/send/watched-sender.ts'
import type { QueuePair } from './pairs/queue-pair.ts'

export interface Watch {
  /** A PFC frame arrived at the paused device: `pause` true for a pause, false for a resume. */
  onPfcReceived(nowPs: number, portId: number, classVector: number, pause: boolean): void
  /** The pause state of a port's class changed. */
  onPauseChanged(nowPs: number, portId: number, trafficClass: number, isPaused: boolean): void
  /** A packet was lost; reason as in counters.ts. It is about to be freed: its fields can still be read. */
  onDrop(nowPs: number, nodeId: number, reason: number, direction: number, sizeBytes: number, packet: number): void
  /** A frame has just been lost on the link towards this port, and is about to be dropped; reason as in counters.ts. */
  onLinkLoss?(portId: number, reason: number, packet: number): void
  /** The link at a port goes down, or comes up again. */
  onLink?(nowPs: number, portId: number, isUp: boolean): void
  /** A switch's watchdog has taken a class of a port out of service, or into service again. @param rule its rule's name */
  onWatchdog?(nowPs: number, event: WatchdogEvent, rule: string, row: WatchdogRow): void
}

/** The ends of a queue pair that can be observed. */
export interface WatchedEnds {
  readonly sender: WatchableSender
  readonly receiver: WatchableReceiver
}

/** storm: detected; restore: over, as the rule sees it; stop: the watchdog was changed or turned off meanwhile. */
export type WatchdogEvent = 'storm' | 'restore' | 'stop'

/** A class of a port as `pfcwd show stats` prints it; packets of the storm in progress or of the last one. */
export interface WatchdogRow {
  /** Number in the fabric. */
  readonly port: number
  readonly trafficClass: number
  readonly isStormed: boolean
  readonly detected: number
  readonly restored: number
  readonly txOk: number
  readonly txDropped: number
  readonly rxOk: number
  readonly rxDropped: number
}

/** Observes losses and timeouts, to find the cause of each timeout. */
export interface LossWatch {
  /** A packet is about to be freed, or to be trimmed: its fields can still be read. */
  onLoss(packet: number): void
  /** A timeout of the sender, or of the half that reads, has just been served and counted. */
  onTimeout(pair: QueuePair, isReader: boolean): void
}

/** Observes frames, PFC frames included, as they start at the ports that it was added to (Transmitter.watch). */
export interface FrameWatch {
  /**
   * The frame's first bit leaves by this port now; its fields can be read.
   * @param transmitPs until its last bit has left
   * @param reachPs until the last bit has left that the other end waits for: the same, or at a cut-through switch less
   */
  onStart(nowPs: number, port: number, packet: number, transmitPs: number, reachPs: number): void
}

/** Acts at times of its own, outside the packet path: workloads, samplers, link faults. */
export interface Actor {
  onEvent(nowPs: number): void
}
