/**
 * Loss recovery: what the two halves of a scheme must answer. A scheme is one file with both halves.
 * PSNs here are unbounded (transport/psn.ts unwraps them).
 */
import type { ParamFields, ValuesOf } from '../../base/params.ts'
import type { SchemeDefinition } from '../scheme.ts'
import type { Segment } from '../segment.ts'
import type { Timers } from '../timers.ts'

/** The sender's state a recovery works on; the sender keeps it, the recovery moves it. */
export interface SendWindow {
  /** Oldest unacknowledged PSN. */
  una: number
  /** Next PSN to send. */
  nxt: number
  /** One past the last PSN posted. */
  readonly end: number
  /** First PSN of the message that holds `psn`. */
  firstPsnOf(psn: number): number
}

/** Sender half. The sender has already moved `una` by what the segment acknowledges. */
export abstract class SenderRecovery {
  /** Goes before anything at `nxt`, whatever the window says; the pacing holds. -1: nothing. The sender drops it when acknowledged. */
  pendingPsn = -1
  /** Everything below `una` is acknowledged. */
  abstract onAck(nowPs: number, segment: Segment): void
  /** The receiver misses `psn` (una <= psn < end). */
  abstract onNak(nowPs: number, psn: number): void
  abstract onTimeout(nowPs: number): void
  /** A packet starts: the pending one, or the one at `nxt`, which is behind it already. `isLast`: of its message. */
  onSent(_nowPs: number, _psn: number, _isLast: boolean): void {}
}

/** What the receiver does with a data packet. */
export const NO_REPLY = 0
export const REPLY_ACK = 1
export const REPLY_NAK = 2
export type ReplyKind = typeof NO_REPLY | typeof REPLY_ACK | typeof REPLY_NAK

/** Receiver half. */
export abstract class ReceiverRecovery {
  /** Next PSN expected. */
  epsn = 0
  /** PSN that the last NAK named, or -1; nothing here depends on it, it tells what a timeout waited for. */
  reportedPsn = -1
  reply: ReplyKind = NO_REPLY
  /** ACK: last PSN acknowledged. NAK: PSN expected. Unbounded. */
  replyPsn = 0
  /** True when the packet is accepted (in order, for the application). Leaves its answer in `reply` and `replyPsn`. */
  abstract onData(nowPs: number, psn: number, segment: Segment): boolean
  /** RECOVERY_TIMER, which the recovery set, is due and already cleared. Leaves its answer in `reply` and `replyPsn`. */
  onTimer(_nowPs: number): void {}
}

export interface RecoveryDefinition<
  N extends string = string,
  F extends ParamFields = ParamFields,
> extends SchemeDefinition<N, F> {
  readonly createSender: (values: ValuesOf<F>, window: SendWindow) => SenderRecovery
  /** @param timers of the receiver; set RECOVERY_TIMER only, and only where the definition says so. */
  readonly createReceiver: (values: ValuesOf<F>, timers: Timers) => ReceiverRecovery
  /** The receiver half sets RECOVERY_TIMER. */
  readonly hasReceiverTimer?: boolean
}

/** Gives the definition its type. List it in recovery/index.ts. */
export function defineRecovery<const N extends string, F extends ParamFields>(
  definition: RecoveryDefinition<N, F>,
): RecoveryDefinition<N, F> {
  return definition
}
