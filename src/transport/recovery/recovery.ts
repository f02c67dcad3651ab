/**
 * Loss recovery: what the two halves of a scheme must answer. A scheme is one file with both halves.
 * PSNs here are unbounded (transport/psn.ts unwraps them).
 */
import type { AnyValues, ParamFields, ValuesOf } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'
import type { CongestionContext, CongestionControl, CongestionDefinition } from '../congestion/congestion.ts'
import { HeldAck } from '../receive/held-ack.ts'
import type { StackTimes } from '../host-stack.ts'
import type { OutgoingMessage } from '../send/outgoing-messages.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import type { SchemeDefinition } from '../scheme.ts'
import type { Segment } from '../segment.ts'
import type { Timers } from '../timers.ts'

/** What a recovery sees of its packet space, and what it may do there: go back, and ask for single packets again. */
export interface SendWindow {
  /**
   * Oldest unacknowledged PSN. By the time the recovery hears of an answer, that has moved it, has taken `nxt` along, and
   * has cancelled a `resend` below it.
   */
  una: number
  /** Next PSN to send, `una` or more. A recovery that goes back sets it. */
  nxt: number
  /** One past the highest PSN that was ever sent. */
  readonly highest: number
  /** One past the last PSN posted. */
  readonly end: number
  /** First PSN of the message that holds `psn`. */
  firstPsnOf(psn: number): number
  /** The packet that `resend` asked for and that has not left yet, or -1. */
  readonly resendPsn: number
  /**
   * Packet `psn` goes again, once: before the one at `nxt` and whatever the window says, but as pacing allows, and not
   * before `fromPs`. There is one such packet at a time; the last call counts.
   */
  resend(psn: number, fromPs?: number): void
  /** The last `resend` is no longer wanted. */
  cancelResend(): void
  /** A new packet is there, and both schemes let it go. */
  maySendNew(): boolean
  /** The QP's retransmission timeout, the long one where there are two; NEVER_PS: none. */
  readonly ackTimeoutPs: number
  /** Line rate over the rate that congestion control allows now, 1 or more. */
  readonly slowdown: number
  /** The other scheme of the QP. */
  readonly congestion: CongestionControl
}

/** What both halves may know of their QP. */
export interface RecoveryContext {
  /** Full packets that fill the line over the network's longest path and back, 1 or more. */
  readonly bdpPackets: number
  /** Congestion control has marks echoed until it says that it has slowed down. */
  readonly hasCwr: boolean
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

/** What an answer means beyond the packets that it acknowledges: bits. */
export type Verdict = number
export const NOTHING_NEW = 0
/** A packet is lost, and sending again begins; congestion control hears of it. */
export const LOSS_FOUND = 1
/** It names a packet that has arrived: progress, though the oldest may still be missing. */
export const PACKET_NAMED = 2

/** The retransmission timer starts anew by every ACK, and by a NAK whose verdict is not NOTHING_NEW. */
export const TIMER_BY_ACK = 0
/** It is that of the oldest packet: it starts anew when that is acknowledged or sent again, and by PACKET_NAMED. */
export const TIMER_OF_OLDEST = 1
/** The same, but that a packet sent again does not start it. */
export const TIMER_OF_PROGRESS = 2
export type TimerRule = typeof TIMER_BY_ACK | typeof TIMER_OF_OLDEST | typeof TIMER_OF_PROGRESS

/**
 * Sender half. The packet space tells it what happens, and asks; the recovery answers, and acts on its window.
 * Every scheme writes `onNak` and `onTimeout`, and of the other calls those whose default does not fit it.
 */
export abstract class SenderRecovery {
  protected readonly window: SendWindow
  readonly timerRule: TimerRule
  constructor(window: SendWindow, timerRule: TimerRule = TIMER_BY_ACK) {
    this.window = window
    this.timerRule = timerRule
  }

  /** A message was posted: the last one up to `end`. */
  onPost(_nowPs: number, _operation: OutgoingMessage['operation']): void {}
  /** A packet starts. `isAgain`: the one that `resend` asked for; else the one at `nxt`, which has moved on. */
  onSent(_nowPs: number, _psn: number, _isAgain: boolean, _out: Segment): void {}
  /** Everything below `una` is acknowledged. */
  onAck(_nowPs: number, _segment: Segment): Verdict {
    return NOTHING_NEW
  }
  /** The receiver misses `psn` (below `una` in an old answer) and has `sackPsn`, where it says so. */
  abstract onNak(nowPs: number, psn: number, sackPsn: number, segment: Segment): Verdict
  /** Congestion control has heard of the answer too: time to look for more to send. */
  afterAnswer(_nowPs: number): void {}
  /** The oldest packet was not acknowledged in time. */
  abstract onTimeout(nowPs: number): void
  /** The receiver was not ready: everything goes again, from `una` = `nxt` on. */
  onRnr(): void {}
  /** SENDING_TIMER, which the recovery set, is due and already cleared. */
  onTimer(_nowPs: number): void {}

  /** The retransmission timer starts: how long it runs. */
  timeoutPs(): number {
    return this.window.ackTimeoutPs
  }
  /** That time has passed: how much longer to wait, or 0 for a timeout. */
  extendTimeout(): number {
    return 0
  }
  /** Most packets in flight, 1 or more; without a limit of its own, as many as PSNs tell apart. */
  capPackets(): number {
    return IN_FLIGHT_MAX
  }
  /** `arrivedPackets` is an estimate of what has left the network, lost or arrived, by which the congestion window alone goes. */
  readonly isEstimating: boolean = false
  /** Packets from `una` on that are known to have arrived: to a window they are not in flight. */
  arrivedPackets(): number {
    return 0
  }
  /** Packets that were in flight when packets were last found missing. */
  flightPackets(): number {
    return this.window.highest - this.window.una
  }
  /** New packets that it has let go and that wait for the line. */
  waitingPackets(): number {
    return 0
  }
  /** A new packet that may go goes before the one that `resend` asked for. */
  isNewFirst(): boolean {
    return false
  }
  /** Packets that the last answer was the first to report. `ackedPackets`: newly acknowledged by an ACK; 0 for a NAK. */
  deliveredPackets(ackedPackets: number): number {
    return ackedPackets
  }
}

/** What the receiver does with a data packet. */
export const NO_REPLY = 0
export const REPLY_ACK = 1
export const REPLY_NAK = 2
/** An ACK that names a packet that came out of order. */
export const REPLY_SACK = 3
/** An ACK that goes at once, where ACKs are held back. */
export const REPLY_ACK_NOW = 4
/** An ACK that may wait for that of the next packet, at the end of a message too. */
export const REPLY_ACK_LATER = 5
/** A NAK that names a packet that has been trimmed. */
export const REPLY_TRIMMED = 6
export type ReplyKind =
  | typeof NO_REPLY
  | typeof REPLY_ACK
  | typeof REPLY_NAK
  | typeof REPLY_SACK
  | typeof REPLY_ACK_NOW
  | typeof REPLY_ACK_LATER
  | typeof REPLY_TRIMMED

/** Receiver half. */
export abstract class ReceiverRecovery {
  /** Next PSN expected. */
  epsn = 0
  /** PSN that the last NAK named, or -1; nothing here depends on it, it tells what a timeout waited for. */
  reportedPsn = -1
  reply: ReplyKind = NO_REPLY
  /** ACK: last PSN acknowledged. NAK: PSN expected. Unbounded. */
  replyPsn = 0
  /** NAK, SACK: the packet out of order that has arrived, or that has been trimmed. Unbounded. */
  sackPsn = 0
  /** 1: packets are accepted out of order; messages become whole when everything before them is there. */
  isReordering = 0
  /** 1: every answer echoes a mark, whatever it answers. */
  isEchoing = 0
  /** Where it is reordering: messages that the last accepted packet made whole, and SENDs among them. */
  wholeMessages = 0
  wholeSends = 0
  /** The first PSN to expect, where it is not 0; before anything has come. */
  startAt(psn: number): void {
    this.epsn = psn
  }
  /** 1: `onTrimmed` means something to it. Else the NIC drops the headers of trimmed packets. */
  hearsTrimmed = 0
  /** It has this packet, out of order. */
  holds(_psn: number): boolean {
    return false
  }
  /** True when the packet is accepted for the application. Leaves its answer in `reply` and `replyPsn`. */
  abstract onData(nowPs: number, psn: number, segment: Segment): boolean
  /**
   * The header of packet `psn` came, whose payload a switch has cut off: that transmission of it is lost. Packets sent
   * before may still be on their way. Leaves its answer in `reply` and `replyPsn`.
   */
  onTrimmed(_nowPs: number, _psn: number, _header: Segment): void {}
  /** RECOVERY_TIMER, which the recovery set, is due and already cleared. Leaves its answer in `reply` and `replyPsn`. */
  onTimer(_nowPs: number): void {}
}

/** Retransmission timeouts. */
export interface Timeout {
  readonly firstPs: number
  /** The longest: each in a row is twice as long as the one before, up to this. */
  readonly mostPs: number
  /** Where it follows measured round trips: it is never below this. */
  readonly leastPs?: number
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
  createSender(values: ValuesOf<F>, window: SendWindow, context: SenderRecoveryContext): SenderRecovery
  /** @param timers of the receiver; set RECOVERY_TIMER only, and only where the definition says so. */
  createReceiver(values: ValuesOf<F>, timers: Timers, context: RecoveryContext): ReceiverRecovery
  /** The receiver half sets RECOVERY_TIMER. */
  readonly hasReceiverTimer?: boolean
  /** Its own congestion control, in the place of one that leaves rate and window alone (`soleControl`). */
  createControl?(values: ValuesOf<F>, context: CongestionContext): CongestionControl
  /** Longest wait of an ACK for a second packet, which it says itself of each ACK; absent or null: none waits. */
  delayedAckPs?(values: ValuesOf<F>): number | null
  /** Its packets in flight are limited by the network's bandwidth-delay product unless its values say otherwise. */
  readonly isCapped?: boolean
  /** READ responses are acknowledged and timed like all data. */
  readonly acknowledgesReads?: boolean
  /** Why work requests that ask for data, READs and atomics, are not carried; absent: they are. */
  readonly whyNoRequests?: string
  /** Its packets name their path, and switches hash that. */
  readonly hasPaths?: boolean
  /** What it adds to every data packet. */
  headerBytes?(values: ValuesOf<F>): number
  /** Its frames, where they are not RoCE's. */
  framing?(values: ValuesOf<F>): Framing
  /** What it does where packets overtake each other, and what helps, for `check`; absent or undefined: it waits. */
  whenOvertaken?(values: ValuesOf<F>): string | undefined
  /** It runs in the host, and its packets take so long between that and the NIC; absent or null: no time. */
  stack?(values: ValuesOf<F>): StackTimes | null
  /** Its own timeouts, whatever qp.ackTimeout says. */
  timeout?(values: ValuesOf<F>): Timeout
}

/** Timeouts of a QP: the recovery's own, or `ackTimeoutPs` each time; null: there are none. */
export function timeoutOf(
  definition: RecoveryDefinition,
  values: AnyValues,
  ackTimeoutPs: number | null,
): Timeout | null {
  const own = definition.timeout?.(values)
  if (own !== undefined) return own
  return ackTimeoutPs === null ? null : { firstPs: ackTimeoutPs, mostPs: ackTimeoutPs }
}

/** Packets that fill the line to a sender at its start: the cap of its recovery, else what fills it over its own path. */
export function startPackets(recovery: SenderRecovery, bdpPackets: number): number {
  const capPackets = recovery.capPackets()
  return capPackets < IN_FLIGHT_MAX ? capPackets : bdpPackets
}

/** What go-back-N does where packets overtake each other. */
export const whenOvertakenGoingBack = (): string =>
  'throws away what comes out of order and sends it all again; recovery irn keeps it'

/** The control of a QP: that of its recovery if it brings one. */
export function createControl(
  recovery: { readonly definition: RecoveryDefinition; readonly values: AnyValues },
  congestion: { readonly definition: CongestionDefinition; readonly values: AnyValues },
  context: CongestionContext,
): CongestionControl {
  const own = recovery.definition.createControl?.(recovery.values, context)
  return own ?? congestion.definition.create(congestion.values, context)
}

/** Every second packet has its ACK (RFC 5681 4.2). */
const DELAYED_ACK_PACKETS = 2

/** What holds ACKs back as the recovery has it, but for those with `urgentEcho`; null: nothing. */
export function createDelayedAck(
  definition: RecoveryDefinition,
  values: AnyValues,
  urgentEcho: number,
): HeldAck | null {
  const delayPs = definition.delayedAckPs?.(values) ?? null
  return delayPs === null ? null : new HeldAck({ mostPackets: DELAYED_ACK_PACKETS, delayPs, urgentEcho })
}

/** Gives the definition its type. List it in recovery/index.ts. */
export function defineRecovery<const N extends string, F extends ParamFields>(
  definition: RecoveryDefinition<N, F>,
): RecoveryDefinition<N, F> {
  return definition
}
