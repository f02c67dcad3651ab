/**
 * Congestion control: how fast a QP may send, by a rate, by a window, or both. One file per scheme; the sender asks
 * `rateBps` and `windowPackets` and tells what happens; a scheme overrides what it wants to hear.
 * Rates are bit/s of wire bytes, windows packets, PSNs unbounded, times picoseconds.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import type { ParamFields, ValuesOf } from '../../base/params.ts'
import { NO_HOPS, type Hops } from '../hops.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import type { SchemeDefinition } from '../scheme.ts'
import { LAST, RETRANSMITTED, SHORT_MASK, type Segment } from '../segment.ts'
import type { Timers } from '../timers.ts'

/** What a scheme may see of its sender; PSNs count packets of the QP from 0. */
export interface SenderView {
  /** Oldest unacknowledged, next to send, one past the last posted. */
  readonly una: number
  readonly nxt: number
  readonly end: number
  /** One past the highest that was ever sent. */
  readonly highest: number
  /** New packets that the recovery has let go and that wait for the line. */
  readonly waitingPackets: number
  /** When a packet may start; NEVER_PS: none waits, or more than pacing holds it back. */
  readonly nextSendPs: number
}

/** What a scheme may know of its QP. */
export interface CongestionContext {
  readonly sender: SenderView
  readonly lineRateBps: number
  readonly payloadBytes: number
  readonly timers: Timers
  /** Rates are cut to whole bit/s at each step. */
  readonly wholeRates: boolean
  /** A full packet there and its ACK back, alone in the network. */
  readonly baseRttPs: number
  /** Full packets that fill the line for that time, 1 or more. */
  readonly bdpPackets: number
  /** Packets of a window that starts at line rate: the cap of a recovery that has one, else `bdpPackets`. */
  readonly startPackets: number
  /** Of a full packet. */
  readonly packetWireBytes: number
  /** The longest of all pairs of hosts there are, each alone; asked for when a QP is made. */
  readonly largestRttPs: () => number
}

/** What an acknowledgement tells. The object is used again for the next. */
export interface AckEvent {
  /** Next PSN the receiver expects. */
  cumulativePsn: number
  /** Next PSN the sender sends; go-back-N goes back with it. */
  nextPsn: number
  /** Next PSN that was never sent: all below it is of the window of data that this answer may end. */
  unsentPsn: number
  /** Packets newly acknowledged. */
  newPackets: number
  /** Packets of whose arrival it is the first to tell: of a NACK that names a packet that one, of another NAK none. */
  deliveredPackets: number
  /** It is a NAK. */
  isNak: boolean
  /** The packet answered was marked. */
  marked: boolean
  /** When the answer's last transmission began; its cause, for ties. */
  causePs: number
  /** From the data packet's transmission start to this arrival. */
  rttPs: number
  /** From its transmission start to its arrival at the receiver, by the receiver's clock, which is the sender's. */
  delayPs: number
  /** How much smaller than a full one the packet answered was: SHORT_MASK's bits of segment.ts; 0: not at all. */
  shortBits: number
  /** What switches wrote into the packet answered; none where the scheme does not need telemetry. */
  hops: Hops
}

/** News of nothing, to be filled in. */
export function emptyAckEvent(): AckEvent {
  return {
    cumulativePsn: 0,
    nextPsn: 0,
    unsentPsn: 0,
    newPackets: 0,
    deliveredPackets: 0,
    isNak: false,
    marked: false,
    causePs: DOUBLE_ZERO,
    rttPs: DOUBLE_ZERO,
    delayPs: DOUBLE_ZERO,
    shortBits: 0,
    hops: NO_HOPS,
  }
}

/** Fills in what an answer tells of the packet that it answers. */
export function fillAckEvent(ack: AckEvent, nowPs: number, answer: Segment): void {
  ack.causePs = answer.causePs
  ack.rttPs = nowPs - answer.sentPs
  ack.delayPs = answer.delayPs
  ack.shortBits = answer.flags & SHORT_MASK
  ack.hops = answer.hops
}

/** A window that never closes: PSNs tell no more packets apart. */
export const NO_WINDOW: number = IN_FLIGHT_MAX

/** What a scheme may hear is a method here that lets it pass. */
export abstract class CongestionControl {
  /** Rate the QP may send at now. */
  rateBps = DOUBLE_ZERO
  /** Packets that may be in flight: as many as are whole from 1 on. Below 1, `releases` decide. NO_WINDOW: that is no limit. */
  windowPackets = NO_WINDOW
  /** While the window is below 1: packets that may go now, whatever is in flight; the sender takes them off. */
  releases = 0
  /** New packets below this PSN are sent ECN-incapable, unless they have one of `capableFlags`; 0: none. */
  incapableBelow = 0
  capableFlags = LAST | RETRANSMITTED
  /** An RTT request is to leave (rtt-probe.ts); whoever takes it sets this back. */
  isProbeDue = false
  /** The next new packet is to tell the receiver that a mark has been answered (RFC 3168 6.1.2); whoever tells sets this back. */
  isCwrDue = false

  constructor(context: CongestionContext) {
    this.rateBps = context.lineRateBps
  }

  get hasWindow(): boolean {
    return this.windowPackets !== NO_WINDOW
  }

  /** A message is posted on a QP that has nothing unacknowledged: its first one, or after a silence. */
  onStart(_nowPs: number): void {}
  /** The recovery has found one packet too many in the window. */
  onSurplus(_nowPs: number): void {}
  /** An ACK or NAK arrived. */
  onAck(_nowPs: number, _ack: AckEvent): void {}
  /** `causePs`: when the CNP's last transmission began, for ties with timers of the same instant. */
  onCnp(_nowPs: number, _causePs: number): void {}
  /** A switch says how far its queue is over its set point: 1 (hardly) to 63 (QCN). */
  onCnm(_nowPs: number, _feedback: number): void {}
  /** The answer to an RTT request of `sentPs` arrived. */
  onRttResponse(_nowPs: number, _sentPs: number): void {}
  onSent(_nowPs: number, _wireBytes: number): void {}
  /** The timer of `slot` (FIRST_CONGESTION_TIMER or above) is due; it is already cleared. */
  onTimer(_nowPs: number, _slot: number): void {}
  /** The recovery starts to send again after an answer, before the `onAck` of that; so many packets were in flight. */
  onLoss(_nowPs: number, _flightPackets: number): void {}
  /** A recovery that knows of no single packets has repaired its losses; before the `onAck` that says so. */
  onRepaired(_flightPackets: number): void {}
  /** The retransmission timeout has passed, with so many packets in flight. */
  onTimeout(_nowPs: number, _flightPackets: number): void {}
  /** The packet that starts is the first for longer than a retransmission timeout (TCP). */
  onSilence(): void {}
}

/**
 * Full packets that fill a line for a time, 1 or more ([IRN] 3.2: the cap of BDP flow control); no more than PSNs tell
 * apart.
 */
export function bdpPackets(lineRateBps: number, rttPs: number, frameBytes: number): number {
  return Math.max(1, Math.min(IN_FLIGHT_MAX, Math.floor((lineRateBps * rttPs) / 8e12 / frameBytes)))
}

export interface CongestionDefinition<
  N extends string = string,
  F extends ParamFields = ParamFields,
> extends SchemeDefinition<N, F> {
  create(values: ValuesOf<F>, context: CongestionContext): CongestionControl
  /** Least time between two CNPs of a QP's receiver. */
  cnpIntervalPs(values: ValuesOf<F>): number
  /** Above this round trip it only slows down, by the parameter of that name; left out: round trips do not matter to it. */
  targetRtt?(values: ValuesOf<F>): { readonly name: string; readonly rttPs: number }
}

/** Gives the definition its type. List it in congestion/index.ts. */
export function defineCongestion<const N extends string, F extends ParamFields>(
  definition: CongestionDefinition<N, F>,
): CongestionDefinition<N, F> {
  return definition
}
