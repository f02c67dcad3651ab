/**
 * Loss recovery: what the two halves of a scheme must answer. A scheme is one file with both halves.
 * PSNs here are unbounded (transport/psn.ts unwraps them).
 */
import type { ParamFields, ValuesOf } from '../../base/params.ts'
import type { SchemeDefinition } from '../scheme.ts'
import type { Segment } from '../segment.ts'

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
export interface SenderRecovery {
  /** Everything below `una` is acknowledged. */
  onAck(nowPs: number, segment: Segment): void
  /** The receiver misses `psn` (una <= psn < end). */
  onNak(nowPs: number, psn: number): void
  onTimeout(nowPs: number): void
}

/** What the receiver does with a data packet. */
export const NO_REPLY = 0
export const REPLY_ACK = 1
export const REPLY_NAK = 2
export type ReplyKind = typeof NO_REPLY | typeof REPLY_ACK | typeof REPLY_NAK

/** Receiver half. */
export interface ReceiverRecovery {
  /** Next PSN expected. */
  readonly epsn: number
  /** True when the packet is accepted (in order, for the application). Leaves its answer in `reply` and `replyPsn`. */
  onData(nowPs: number, psn: number, segment: Segment): boolean
  readonly reply: ReplyKind
  /** ACK: last PSN acknowledged. NAK: PSN expected. Unbounded. */
  readonly replyPsn: number
}

export interface RecoveryDefinition<
  N extends string = string,
  F extends ParamFields = ParamFields,
> extends SchemeDefinition<N, F> {
  readonly createSender: (values: ValuesOf<F>, window: SendWindow) => SenderRecovery
  readonly createReceiver: (values: ValuesOf<F>) => ReceiverRecovery
}

/** Gives the definition its type. List it in recovery/index.ts. */
export function defineRecovery<const N extends string, F extends ParamFields>(
  definition: RecoveryDefinition<N, F>,
): RecoveryDefinition<N, F> {
  return definition
}
