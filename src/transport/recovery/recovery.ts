/**
 * Loss recovery: what the two halves of a scheme must answer. A scheme is one file with both halves.
 * PSNs here are unbounded (transport/psn.ts unwraps them).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { NEVER_PS, type ParamFields, type ValuesOf } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'
import type { CongestionControl } from '../congestion/congestion.ts'
import type { OutgoingMessage } from '../outgoing-messages.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import type { SchemeDefinition } from '../scheme.ts'
import type { Segment } from '../segment.ts'
import type { Timers } from '../timers.ts'

/** What is in flight: kept by its sender, moved by the recovery. */
export interface PacketWindow {
  /** Oldest unacknowledged PSN. */
  una: number
  /** Next PSN to send. */
  nxt: number
  /** One past the highest PSN that was ever sent. */
  readonly highest: number
  /** Line rate over the rate that congestion control allows now, 1 or more. */
  readonly slowdown: number
}

/** The state of a queue pair's sender that a recovery works on. */
export interface SendWindow extends PacketWindow {
  /** One past the last PSN posted. */
  readonly end: number
  /** The other scheme of the QP. */
  readonly congestion: CongestionControl
  /** First PSN of the message that holds `psn`. */
  firstPsnOf(psn: number): number
}

/** What both halves may know of their QP. */
export interface RecoveryContext {
  /** Full packets that fill the line over the network's longest path and back, 1 or more. */
  readonly bdpPackets: number
  /** The QP's retransmission timeout, the long one where there are two; NEVER_PS: none. */
  readonly ackTimeoutPs: number
}

/** What the sender's half may know and use besides. */
export interface SenderRecoveryContext extends RecoveryContext {
  /** A full packet there and its ACK back, alone in the network; NaN: there is no way. */
  readonly baseRttPs: number
  /** Of the sender; set SENDING_TIMER only. */
  readonly timers: Timers
  /** The host's stream for choices among paths. */
  readonly random: () => RandomStream
}

/** The timer starts anew by every ACK, and by an answer that makes the recovery send again. */
export const TIMER_BY_ACK = 0
/** It is that of the oldest packet: it starts anew when that is acknowledged or sent again, or when `hasNamed`. */
export const TIMER_OF_OLDEST = 1
/** The same, but that a packet sent again does not start it. */
export const TIMER_OF_PROGRESS = 2
export type TimerRule = typeof TIMER_BY_ACK | typeof TIMER_OF_OLDEST | typeof TIMER_OF_PROGRESS

/** `seek` is not called. */
export const SEEK_NEVER = 0
/** After an answer with which there is nothing new to send, as something more may be missing. */
export const SEEK_WITHOUT_NEW = 1
/** After every answer. */
export const SEEK_ALWAYS = 2
export type SeekMode = typeof SEEK_NEVER | typeof SEEK_WITHOUT_NEW | typeof SEEK_ALWAYS

/** Sender half. The sender has already moved `una` by what the segment acknowledges. */
export abstract class SenderRecovery {
  /** Goes before anything at `nxt`, whatever the window says; the pacing holds. -1: nothing. */
  pendingPsn = -1
  /** 1: a new packet that may go goes before the pending one. */
  isNewFirst = 0
  /** Before this time the pending packet may not go. */
  pendingPs = DOUBLE_ZERO
  /** Most packets in flight, 1 or more; without a limit of its own, as many as PSNs tell apart. */
  capPackets = IN_FLIGHT_MAX
  /** Timeout from now on. NEVER_PS at the start: the QP's. */
  ackTimeoutPs = NEVER_PS
  /** Set once, by the constructor. */
  timerRule: TimerRule = TIMER_BY_ACK
  /** 1: the last answer was the first to name a packet: progress, though the oldest may still be missing. */
  hasNamed = 0
  /** Packets from `una` on that are known to have arrived: to a window they are not in flight. */
  arrivedPackets = 0
  /** New packets that it has let go and that wait for the line. */
  waitingPackets = 0
  /** Packets of which the last answer was the first to say that they are there, where answers name packets; else -1. */
  deliveredPackets = -1
  seekMode: SeekMode = SEEK_NEVER
  /** Everything below `una` is acknowledged. */
  abstract onAck(nowPs: number, segment: Segment): void
  /**
   * The receiver misses `psn` (below `una` in an old answer) and has `sackPsn`, where it says so.
   * True when sending again starts because of it.
   */
  abstract onNak(nowPs: number, psn: number, sackPsn: number, segment: Segment): boolean
  /** The timer starts, with `ackTimeoutPs`. */
  onTimerStart(): void {}
  /** The timeout has passed: how much longer to wait, or 0 for a timeout. */
  extendTimeout(): number {
    return 0
  }
  abstract onTimeout(nowPs: number): void
  /** A message was posted: the last one up to `end`. */
  onPost(_nowPs: number, _operation: OutgoingMessage['operation']): void {}
  /** A packet starts: the pending one, or the one at `nxt`, which is behind it already. `isLast`: of its message. */
  onSent(_nowPs: number, _psn: number, _isLast: boolean, _out: Segment): void {}
  /** SENDING_TIMER, which the recovery set, is due and already cleared. */
  onTimer(_nowPs: number): void {}
  /** Looks for what else is missing. The congestion control has heard of the answer. */
  seek(_nowPs: number): void {}
  /** The receiver was not ready: everything from `una` = `nxt` on goes again. */
  onRnr(): void {}
  /** What was pending below `una` is there. */
  dropBelow(una: number): void {
    if (this.pendingPsn < una) this.pendingPsn = -1
  }
}

/** What the receiver does with a data packet. */
export const NO_REPLY = 0
export const REPLY_ACK = 1
export const REPLY_NAK = 2
/** An ACK that names a packet that came out of order. */
export const REPLY_SACK = 3
export type ReplyKind = typeof NO_REPLY | typeof REPLY_ACK | typeof REPLY_NAK | typeof REPLY_SACK

/** Receiver half. */
export abstract class ReceiverRecovery {
  /** Next PSN expected. */
  epsn = 0
  /** PSN that the last NAK named, or -1; nothing here depends on it, it tells what a timeout waited for. */
  reportedPsn = -1
  reply: ReplyKind = NO_REPLY
  /** ACK: last PSN acknowledged. NAK: PSN expected. Unbounded. */
  replyPsn = 0
  /** NAK, SACK: the packet out of order that has arrived. Unbounded. */
  sackPsn = 0
  /** 1: packets are accepted out of order; messages become whole when everything before them is there. */
  isReordering = 0
  /** Where it is reordering: messages that the last accepted packet made whole, and SENDs among them. */
  wholeMessages = 0
  wholeSends = 0
  /** The first PSN to expect, where it is not 0; before anything has come. */
  startAt(psn: number): void {
    this.epsn = psn
  }
  /** It has this packet, out of order. */
  holds(_psn: number): boolean {
    return false
  }
  /** True when the packet is accepted for the application. Leaves its answer in `reply` and `replyPsn`. */
  abstract onData(nowPs: number, psn: number, segment: Segment): boolean
  /** RECOVERY_TIMER, which the recovery set, is due and already cleared. Leaves its answer in `reply` and `replyPsn`. */
  onTimer(_nowPs: number): void {}
}

/** Retransmission timeouts. */
export interface Timeout {
  readonly firstPs: number
  /** The longest: each in a row is twice as long as the one before, up to this. */
  readonly mostPs: number
}

/** Ours: a reader cannot see whether its responder is gone or slow, and waits up to so many times the timeout. */
const READ_WAITS = 64

/** The longest that a reader waits for a response before it asks again. */
export function longestReadWaitPs({ firstPs, mostPs }: Timeout): number {
  return Math.max(mostPs, READ_WAITS * firstPs)
}

/** The frames of a transport that is not RoCE: bytes from the Ethernet header to the FCS, without a VLAN tag. */
export interface Framing {
  readonly dataBytes: (payloadBytes: number, isSend: boolean) => number
  readonly ackBytes: number
  /** An ACK with SACK. */
  readonly sackAckBytes: number
  readonly readRequestBytes: number
}

export interface RecoveryDefinition<
  N extends string = string,
  F extends ParamFields = ParamFields,
> extends SchemeDefinition<N, F> {
  readonly createSender: (values: ValuesOf<F>, window: SendWindow, context: SenderRecoveryContext) => SenderRecovery
  /** @param timers of the receiver; set RECOVERY_TIMER only, and only where the definition says so. */
  readonly createReceiver: (values: ValuesOf<F>, timers: Timers, context: RecoveryContext) => ReceiverRecovery
  /** The receiver half sets RECOVERY_TIMER. */
  readonly hasReceiverTimer?: boolean
  /** Its packets in flight are limited by the network's bandwidth-delay product unless its values say otherwise. */
  readonly isCapped?: boolean
  /** READ responses are acknowledged and timed like all data. */
  readonly acknowledgesReads?: boolean
  /** Its packets name their path, and switches hash that. */
  readonly hasPaths?: boolean
  /** What it adds to every data packet. */
  readonly headerBytes?: (values: ValuesOf<F>) => number
  /** Its frames, where they are not RoCE's. */
  readonly framing?: (values: ValuesOf<F>) => Framing
  /** What it does where packets overtake each other, and what helps, for `check`; absent or undefined: it waits. */
  readonly whenOvertaken?: (values: ValuesOf<F>) => string | undefined
  /** Its own timeouts, whatever qp.ackTimeout says. */
  readonly timeout?: (values: ValuesOf<F>) => Timeout
}

/** Timeouts of a QP: the recovery's own, or `ackTimeoutPs` each time; null: there are none. */
export function timeoutOf(
  definition: RecoveryDefinition,
  values: unknown,
  ackTimeoutPs: number | null,
): Timeout | null {
  const own = definition.timeout?.(values as never)
  if (own !== undefined) return own
  return ackTimeoutPs === null ? null : { firstPs: ackTimeoutPs, mostPs: ackTimeoutPs }
}

/** Packets that fill the line to a sender at its start: the cap of its recovery, else what fills it over its own path. */
export function startPackets({ capPackets }: SenderRecovery, bdpPackets: number): number {
  return capPackets < IN_FLIGHT_MAX ? capPackets : bdpPackets
}

/** What go-back-N does where packets overtake each other. */
export const whenOvertakenGoingBack = (): string =>
  'throws away what comes out of order and sends it all again; recovery irn keeps it'

/** Gives the definition its type. List it in recovery/index.ts. */
export function defineRecovery<const N extends string, F extends ParamFields>(
  definition: RecoveryDefinition<N, F>,
): RecoveryDefinition<N, F> {
  return definition
}
