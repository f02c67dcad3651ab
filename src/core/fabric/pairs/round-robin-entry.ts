/**
 * HOT. Entry of the round robin, and what it asks of one.
 * Units: picoseconds.
 */
import type { PacketSpace } from '../../transport/send/packet-space.ts'

/** A QP, or its entry at one of several ports. */
export interface RoundRobinEntry {
  readonly sender: PacketSpace
  readonly trafficClass: number
  /** Index in the list, or -1. */
  index: number
}

/** Pacing deadline of a QP with bytes left; of one that has sent all, when a retransmission may leave. */
export function deadlineOf({ sender }: RoundRobinEntry): number {
  return sender.nxt < sender.end ? sender.pacing.availablePs : sender.nextSendPs
}

/** Nothing is left to send. */
export function isDone(pair: RoundRobinEntry): boolean {
  return pair.sender.isIdle || pair.sender.isFailed
}
