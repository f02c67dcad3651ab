/**
 * Loss recovery: the contract of a recovery scheme's sender half and receiver half. A scheme is one file with both.
 * PSNs here are unbounded (transport/psn.ts unwraps them).
 */
import type { AnyValues, ParamFields, ValuesOf } from '../../base/params.ts'
import type { RandomStream } from '../../base/random.ts'
import type { CongestionContext, CongestionControl, CongestionDefinition } from '../congestion/congestion.ts'
import type { HostDelay } from '../host-delay/host-delay.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import type { SchemeDefinition } from '../scheme.ts'
import type { MessageOperation, Segment } from '../segment.ts'
import type { Timers } from '../timers.ts'

/**
 * The packet space as its recovery sees it. A recovery acts on it by going back (`nxt`) and by resending single
 * packets.
 */
export interface SendWindow {
  /**
   * Oldest unacknowledged PSN. Before the recovery is given an ACK or NAK, the packet space has advanced `una`, raised
   * `nxt` to it where necessary, and cancelled a `resend` below it.
   */
  una: number
  /** Next PSN to send, `una` or more. A recovery that goes back lowers it. */
  nxt: number
  /** One past the highest PSN sent so far. */
  readonly highest: number
  /** One past the last PSN posted. */
  readonly end: number
  /** First PSN of the message that contains `psn`. */
  firstPsnOf(psn: number): number
  /** The packet requested by `resend` and not sent yet, or -1. */
  readonly resendPsn: number
  /**
   * Sends packet `psn` once more, before the packet at `nxt`. It obeys pacing, and the window if that covers
   * retransmissions and the recovery knows `inFlightPackets`; it does not leave before `fromPs`. There is one such packet
   * at a time; a later call replaces an earlier one.
   */
  resend(psn: number, fromPs?: number): void
  /** Withdraws the last `resend`. */
  cancelResend(): void
  /** Whether a new packet is posted and both schemes allow it to be sent. */
  maySendNew(): boolean
  /** Retransmission timeout of the QP, the longer one where there are two; NEVER_PS if there is none. */
  readonly ackTimeoutPs: number
  /** Line rate over the rate allowed by congestion control, 1 or more. */
  readonly slowdown: number
  /** The QP's congestion control. */
  readonly congestion: CongestionControl
}

/** Facts about the QP that both halves may use. */
export interface RecoveryContext {
  /** Full packets that fill the line for the round trip of the network's longest path, 1 or more. */
  readonly bdpPackets: number
  /** Marks are echoed until the sender signals CWR (RFC 3168). */
  readonly hasCwr: boolean
}

/** Facts and resources for the sender half. */
export interface SenderRecoveryContext extends RecoveryContext {
  /** Round trip of a full packet and its ACK in an empty network; NaN without a path. */
  readonly baseRttPs: number
  /** Timers of the sender; set only SENDING_TIMER. */
  readonly timers: Timers
  /** The host's random stream for path choices. */
  readonly random: () => RandomStream
}

/** Bits: effect of an ACK or NAK beyond the packets that it acknowledges. */
export type Verdict = number
export const NOTHING_NEW = 0
/** A loss was detected and retransmission begins; the congestion control's `onLoss` is called. */
export const LOSS_FOUND = 1
/** It names a packet that has arrived: progress, even if the oldest packet is still missing. */
export const PACKET_NAMED = 2

/** The retransmission timer restarts on every ACK, and on a NAK whose verdict is not NOTHING_NEW. */
export const TIMER_BY_ACK = 0
/** The timer belongs to the oldest packet: it restarts when that is acknowledged or sent again, and on PACKET_NAMED. */
export const TIMER_OF_OLDEST = 1
/** Like TIMER_OF_OLDEST, except that a retransmission does not restart it. */
export const TIMER_OF_PROGRESS = 2
export type TimerRule = typeof TIMER_BY_ACK | typeof TIMER_OF_OLDEST | typeof TIMER_OF_PROGRESS

/**
 * Sender half. The packet space reports events to it and queries it; the recovery acts through its window. Every scheme
 * implements `onNak` and `onTimeout` and overrides the other methods where the default does not fit.
 */
export abstract class SenderRecovery {
  protected readonly window: SendWindow
  readonly timerRule: TimerRule
  constructor(window: SendWindow, timerRule: TimerRule = TIMER_BY_ACK) {
    this.window = window
    this.timerRule = timerRule
  }

  /** A message was posted; `end` already includes it. */
  onPost(_nowPs: number, _operation: MessageOperation): void {}
  /** A packet starts. `isAgain`: it is the one requested by `resend`; else the one before `nxt`, which has advanced. */
  onSent(_nowPs: number, _psn: number, _isAgain: boolean, _out: Segment): void {}
  /** An ACK; everything below `una` is acknowledged. */
  onAck(_nowPs: number, _segment: Segment): Verdict {
    return NOTHING_NEW
  }
  /** A NAK: the receiver lacks `psn` (below `una` in a stale NAK) and has `sackPsn`, if the NAK names one. */
  abstract onNak(nowPs: number, psn: number, sackPsn: number, segment: Segment): Verdict
  /** Called after congestion control has processed the ACK or NAK: look for more to send. */
  afterAck(_nowPs: number): void {}
  /** The oldest packet was not acknowledged in time. */
  abstract onTimeout(nowPs: number): void
  /** The receiver was not ready (RNR NAK): everything is sent again, from `una` = `nxt` on. */
  onRnr(): void {}
  /** SENDING_TIMER has expired and is already cleared. */
  onTimer(_nowPs: number): void {}

  /** Duration of the retransmission timer, asked when it starts. */
  timeoutPs(): number {
    return this.window.ackTimeoutPs
  }
  /** Called when the timer expires: further time to wait, or 0 for a timeout. */
  extendTimeout(): number {
    return 0
  }
  /** Most packets in flight, 1 or more; by default as many as PSNs can tell apart. */
  capPackets(): number {
    return IN_FLIGHT_MAX
  }
  /**
   * `arrivedPackets` is an estimate of the packets that have left the network, arrived or lost; then the congestion
   * window is the only window that counts it.
   */
  readonly isEstimating: boolean = false
  /** Packets from `una` on that are known to have arrived; windows do not count them as in flight. */
  arrivedPackets(): number {
    return 0
  }
  /**
   * Packets in the network: sent, and neither known to have arrived nor taken for lost; asked while a retransmission is
   * pending, which is not one of them. -1: the recovery decides itself when it resends.
   */
  inFlightPackets(): number {
    return -1
  }
  /** Packets that were in flight when a loss was last detected. */
  flightPackets(): number {
    return this.window.highest - this.window.una
  }
  /** New packets that the recovery has released and that wait for the line. */
  waitingPackets(): number {
    return 0
  }
  /** Whether a new packet that may be sent precedes the one requested by `resend`. */
  isNewFirst(): boolean {
    return false
  }
  /** Packets first reported by the last ACK or NAK. `ackedPackets`: newly acknowledged by an ACK; 0 for a NAK. */
  deliveredPackets(ackedPackets: number): number {
    return ackedPackets
  }
}

/** The receiver's reply to a data packet. */
export const NO_REPLY = 0
export const REPLY_ACK = 1
export const REPLY_NAK = 2
/** An ACK that names a packet received out of order. */
export const REPLY_SACK = 3
/** An ACK that is never delayed. */
export const REPLY_ACK_NOW = 4
/** An ACK that may wait for the next packet's, even at the end of a message. */
export const REPLY_ACK_LATER = 5
/** A NAK that names a trimmed packet. */
export const REPLY_TRIMMED = 6
type ReplyKind =
  | typeof NO_REPLY
  | typeof REPLY_ACK
  | typeof REPLY_NAK
  | typeof REPLY_SACK
  | typeof REPLY_ACK_NOW
  | typeof REPLY_ACK_LATER
  | typeof REPLY_TRIMMED

/** Receiver half. `onData`, `onTrimmed` and `onTimer` leave their reply in `reply`, `replyPsn` and `sackPsn`. */
export abstract class ReceiverRecovery {
  /** Next PSN expected. */
  epsn = 0
  /** PSN named by the last NAK, or -1. Only read by observers, to tell why a timeout occurred. */
  reportedPsn = -1
  reply: ReplyKind = NO_REPLY
  /** ACK: last PSN acknowledged. NAK: PSN expected. Unbounded. */
  replyPsn = 0
  /** NAK, SACK: the packet that arrived out of order or was trimmed. Unbounded. */
  sackPsn = 0
  /** Packets are accepted out of order; messages complete once everything before them has arrived. */
  isReordering = false
  /** Every ACK and NAK echoes a mark, whichever packet it is for. */
  isEchoing = false
  /** If reordering: messages completed by the last accepted packet, and the SENDs among them. */
  wholeMessages = 0
  wholeSends = 0
  /** Sets the first PSN to expect, if it is not 0. Called before the first packet. */
  startAt(psn: number): void {
    this.epsn = psn
  }
  /** `onTrimmed` is implemented. Otherwise the NIC drops the headers of trimmed packets. */
  usesTrimmed = false
  /** Whether this packet was received out of order and is kept. */
  holds(_psn: number): boolean {
    return false
  }
  /** Returns true when the packet is accepted for the application. */
  abstract onData(nowPs: number, psn: number, segment: Segment): boolean
  /**
   * The header of packet `psn` arrived without its payload, which a switch cut off: this transmission is lost. Packets
   * sent before it may still arrive.
   */
  onTrimmed(_nowPs: number, _psn: number, _header: Segment): void {}
  /** RECOVERY_TIMER has expired and is already cleared. */
  onTimer(_nowPs: number): void {}
}

/** Retransmission timeouts. */
export interface Timeout {
  readonly firstPs: number
  /** The longest timeout: each consecutive one doubles, up to this. */
  readonly mostPs: number
  /** Lower bound of a timeout that follows measured round trips. */
  readonly leastPs?: number
}

/** Ours: a requester cannot tell whether its responder is gone or slow, and waits up to this many timeouts. */
const READ_WAITS = 64

/** Longest wait of a READ's requester for a response before it repeats the request. */
export function longestReadWaitPs({ firstPs, mostPs }: Timeout): number {
  return Math.max(mostPs, READ_WAITS * firstPs)
}

/** Frame sizes of a transport other than RoCE: from the Ethernet header to the FCS, without a VLAN tag. */
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
  /** @param timers of the receiver; set only RECOVERY_TIMER, and only if `hasReceiverTimer`. */
  createReceiver(values: ValuesOf<F>, timers: Timers, context: RecoveryContext): ReceiverRecovery
  /** The receiver half uses RECOVERY_TIMER. */
  readonly hasReceiverTimer?: boolean
  /** Own congestion control, used if the chosen one limits neither rate nor window (`soleControl`). */
  createControl?(values: ValuesOf<F>, context: CongestionContext): CongestionControl
  /**
   * Longest wait of an ACK for a second packet; the receiver half decides for each ACK. Absent or null: no delayed
   * ACKs.
   */
  delayedAckPs?(values: ValuesOf<F>): number | null
  /** Packets in flight are limited by the bandwidth-delay product, unless its values say otherwise. */
  readonly isCapped?: boolean
  /** First window of its flows, which begin with slow start; absent: they begin at line rate. */
  readonly initialPackets?: number
  /** Its waits for an ACK have rules of their own, which `qp.retry` cannot replace. */
  readonly hasOwnWaits?: boolean
  /** READ responses are acknowledged and timed like other data. */
  readonly acknowledgesReads?: boolean
  /** Reason why READ and atomic work requests are not supported; absent if they are. */
  readonly whyNoRequests?: string
  /** Its packets carry a virtual path, which switches hash. */
  readonly hasPaths?: boolean
  /** Bytes added to every data packet. */
  headerBytes?(values: ValuesOf<F>): number
  /** Frame sizes, if they differ from RoCE's. */
  framing?(values: ValuesOf<F>): Framing
  /**
   * For `check`: its reaction to packets that overtake each other, and a remedy; absent or undefined if it tolerates
   * them.
   */
  whenOvertaken?(values: ValuesOf<F>): string | undefined
  /** The scheme runs in the host: delays of its packets between host and NIC; absent or null: none. */
  stack?(values: ValuesOf<F>): HostDelay | null
  /** Own timeouts, which replace qp.ackTimeout. */
  timeout?(values: ValuesOf<F>): Timeout
}

/** Timeouts of a QP: the recovery's own, else a constant `ackTimeoutPs`; null: no timeouts. */
export function timeoutOf(
  definition: RecoveryDefinition,
  values: AnyValues,
  ackTimeoutPs: number | null,
): Timeout | null {
  const own = definition.timeout?.(values)
  if (own !== undefined) return own
  return ackTimeoutPs === null ? null : { firstPs: ackTimeoutPs, mostPs: ackTimeoutPs }
}

/** Part of a congestion control's context: how a flow starts, and the packets that may be in flight at most. */
export function startOf(
  { initialPackets }: RecoveryDefinition,
  recovery: SenderRecovery,
  bdpPackets: number,
): Pick<CongestionContext, 'startPackets' | 'mostPackets' | 'startsSlowly'> {
  const capPackets = recovery.capPackets()
  const mostPackets = capPackets < IN_FLIGHT_MAX ? capPackets : bdpPackets
  return {
    startPackets: initialPackets ?? mostPackets,
    mostPackets,
    startsSlowly: initialPackets !== undefined,
  }
}

/** Reaction of go-back-N schemes to packets that overtake each other. */
export const whenOvertakenGoingBack = (): string =>
  'discards out-of-order packets and sends them all again; recovery irn keeps it'

/** The QP's congestion control: the recovery's own if it has one. */
export function createControl(
  recovery: { readonly definition: RecoveryDefinition; readonly values: AnyValues },
  congestion: { readonly definition: CongestionDefinition; readonly values: AnyValues },
  context: CongestionContext,
): CongestionControl {
  const own = recovery.definition.createControl?.(recovery.values, context)
  if (own !== undefined) return own
  const control = congestion.definition.create(congestion.values, context)
  if (congestion.definition.windowCovers === 'all') control.coversAll = 1
  if (congestion.definition.countsBytes?.(congestion.values) === true) control.bytesCounted = 1
  return control
}

/** Gives the definition its type. List it in recovery/index.ts. */
export function defineRecovery<const N extends string, F extends ParamFields>(
  definition: RecoveryDefinition<N, F>,
): RecoveryDefinition<N, F> {
  return definition
}
