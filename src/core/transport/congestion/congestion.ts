/**
 * Congestion control: how fast a QP may send, by a rate, by a window, or both. One file per scheme. The sender reads
 * `rateBps` and `windowPackets` and reports events; a scheme overrides the events that it needs.
 * Units: rates are bit/s of wire bytes, windows packets, PSNs unbounded, times picoseconds.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import type { ParamFields, ValuesOf } from '../../base/params.ts'
import { NO_HOPS, type Hops } from '../hops.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import type { SchemeDefinition } from '../scheme.ts'
import { LAST, RETRANSMITTED, SHORT_MASK, type Segment } from '../segment.ts'
import type { Timers } from '../timers.ts'

/** Read-only view of the sender. PSNs count packets of the QP from 0. */
export interface SenderView {
  /** Oldest unacknowledged PSN, next PSN to send, one past the last PSN posted. */
  readonly una: number
  readonly nxt: number
  readonly end: number
  /** One past the highest PSN sent so far. */
  readonly highest: number
  /** New packets that the recovery has released and that wait for the line. */
  readonly waitingPackets: number
  /** Earliest start of the next packet; NEVER_PS: none waits, or something other than pacing holds it back. */
  readonly nextSendPs: number
}

/** Facts about the QP that a scheme may use. */
export interface CongestionContext {
  readonly sender: SenderView
  readonly lineRateBps: number
  readonly payloadBytes: number
  readonly timers: Timers
  /** Rates are rounded down to whole bit/s at each step. */
  readonly wholeRates: boolean
  /** Round trip of a full packet and its ACK in an empty network. */
  readonly baseRttPs: number
  /** Full packets that fill the line for `baseRttPs`, 1 or more. */
  readonly bdpPackets: number
  /** Packets of the first window: the recovery's `initialPackets`, else its cap if it has one, else `bdpPackets`. */
  readonly startPackets: number
  /** Most packets in flight: the recovery's cap if it has one, else `bdpPackets`. */
  readonly mostPackets: number
  /** The recovery's flows begin with slow start. */
  readonly startsSlowly: boolean
  /** Wire bytes of a full packet. */
  readonly packetWireBytes: number
  /** The largest base RTT of all pairs of hosts; read when the QP is created. */
  readonly largestRttPs: () => number
}

/** Contents of an ACK or NAK. One object is reused for all of them. */
export interface AckEvent {
  /** Next PSN the receiver expects. */
  cumulativePsn: number
  /** Next PSN the sender sends; go-back-N lowers it. */
  nextPsn: number
  /** Next PSN never sent: PSNs below belong to the window of data that this ACK may end. */
  unsentPsn: number
  /** Packets newly acknowledged. */
  newPackets: number
  /**
   * Packets whose arrival is reported for the first time. A NACK that names a packet reports that one, any other NAK
   * none.
   */
  deliveredPackets: number
  /** It is a NAK. */
  isNak: boolean
  /** The acknowledged packet was marked. */
  marked: boolean
  /** Start of the last transmission of this ACK; its cause, to order events at the same instant. */
  causePs: number
  /** From the start of the data packet's transmission to the arrival of this ACK. */
  rttPs: number
  /** From the start of the data packet's transmission to its arrival at the receiver; both have the same clock. */
  delayPs: number
  /**
   * Shortfall of the acknowledged packet against a full one: the SHORT_MASK bits of segment.ts; 0 for a full packet.
   */
  shortBits: number
  /** Telemetry that switches wrote into the acknowledged packet; empty unless the scheme needs it. */
  hops: Hops
}

/** An empty ACK event, to be filled in. */
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

/** Copies from an ACK or NAK the values that concern the packet it acknowledges. */
export function fillAckEvent(ack: AckEvent, nowPs: number, segment: Segment): void {
  ack.causePs = segment.causePs
  ack.rttPs = nowPs - segment.sentPs
  ack.delayPs = segment.delayPs
  ack.shortBits = segment.flags & SHORT_MASK
  ack.hops = segment.hops
}

/** Packets that a window limits: those sent for the first time only, or retransmissions too. */
export type WindowScope = 'new' | 'all'

/** A window that never closes: PSNs cannot tell more packets apart. */
export const NO_WINDOW: number = IN_FLIGHT_MAX

/** Event handlers default to no operation. */
export abstract class CongestionControl {
  /** Current rate limit. */
  rateBps = DOUBLE_ZERO
  /**
   * Packets that may be in flight. From 1 on only whole packets count; below 1 `releases` decides. NO_WINDOW:
   * unlimited.
   */
  windowPackets = NO_WINDOW
  /**
   * While the window is below 1: packets that may be sent regardless of those in flight; the sender counts them down.
   */
  releases = 0
  /** 1: the window counts payload bytes, in full packets, as the definition declares (`countsBytes`). */
  bytesCounted = 0
  /** 1: the window limits retransmissions too, as the definition declares (`windowCovers`). */
  coversAll = 0
  /** New packets below this PSN are sent as Not-ECT, unless they have one of `capableFlags`; 0: none. */
  incapableBelow = 0
  capableFlags = LAST | RETRANSMITTED
  /** 1: its timers change nothing but its own state, which can be brought up to date when there is something to send again. */
  canRest = 0
  /** 1: until something arrives, its timers raise the rate or do nothing. Only read where `canRest` is 1. */
  raisesOnly = 1
  /** An RTT request is due (rtt-probe.ts); cleared by the code that sends it. */
  isProbeDue = false
  /** The next new packet carries CWR (RFC 3168 6.1.2); cleared by the code that sends it. */
  isCwrDue = false
  /** Losses and timeouts that cut the rate (`lossCut`): slow restart of a NIC, which counts them as CNPs. */
  lossCuts = 0

  constructor(context: CongestionContext) {
    this.rateBps = context.lineRateBps
  }

  get hasWindow(): boolean {
    return this.windowPackets !== NO_WINDOW
  }

  /** A message is posted on a QP with nothing unacknowledged: its first message, or the first after an idle period. */
  onStart(_nowPs: number): void {}
  /** The recovery has found one packet too many in the window. */
  onSurplus(_nowPs: number): void {}
  /** An ACK or NAK arrived. */
  onAck(_nowPs: number, _ack: AckEvent): void {}
  /** `causePs`: start of the CNP's last transmission, to order it against timers at the same instant. */
  onCnp(_nowPs: number, _causePs: number): void {}
  /** A congestion message of a switch (QCN): feedback from 1 (slightly above the set point) to 63. */
  onCnm(_nowPs: number, _feedback: number): void {}
  /** The response to the RTT request sent at `sentPs` arrived. */
  onRttResponse(_nowPs: number, _sentPs: number): void {}
  onSent(_nowPs: number, _wireBytes: number): void {}
  /**
   * Nothing but its timers has happened up to `nowPs`, and none of them was an event (`canRest`): as many as it can it takes at
   * once, with the same result as `onTimer` one by one, which is called for those that it leaves.
   */
  elapse(_nowPs: number): void {}
  /** The timer of `slot` (FIRST_CONGESTION_TIMER or above) has expired and is already cleared. */
  onTimer(_nowPs: number, _slot: number): void {}
  /** Retransmission begins because of an ACK or NAK; called before its `onAck`. `flightPackets` were in flight. */
  onLoss(_nowPs: number, _flightPackets: number): void {}
  /** A recovery without knowledge of single packets has repaired its losses; called before the `onAck` of that ACK. */
  onRepaired(_flightPackets: number): void {}
  /** The retransmission timeout has expired with `flightPackets` in flight. */
  onTimeout(_nowPs: number, _flightPackets: number): void {}
  /** A packet starts after a silence longer than the retransmission timeout (TCP). */
  onSilence(): void {}
}

/**
 * Full packets that fill a line for `rttPs`, 1 or more ([IRN] 3.2: the cap of BDP flow control), at most IN_FLIGHT_MAX.
 */
export function bdpPackets(lineRateBps: number, rttPs: number, frameBytes: number): number {
  return Math.max(1, Math.min(IN_FLIGHT_MAX, Math.floor((lineRateBps * rttPs) / 8e12 / frameBytes)))
}

export interface CongestionDefinition<
  N extends string = string,
  F extends ParamFields = ParamFields,
> extends SchemeDefinition<N, F> {
  create(values: ValuesOf<F>, context: CongestionContext): CongestionControl
  /** For a scheme with a window. A recovery that keeps packets in flight itself (TCP, MP-RDMA) has its own rule. */
  readonly windowCovers?: WindowScope
  /** Whether its window counts payload bytes instead of packets; RoCE then carries byte sequence numbers. */
  countsBytes?(values: ValuesOf<F>): boolean
  /** About the time between two timers of a QP that stay on while it is below line rate; absent: there are none. */
  timerPs?(values: ValuesOf<F>): number
  /** It needs the delay of data in one direction, which only ends with the same clock can measure. */
  readonly needsOneClock?: boolean
  /** Minimum interval between CNPs of a QP's receiver. */
  cnpIntervalPs(values: ValuesOf<F>): number
  /**
   * The parameter that holds the round trip above which the scheme only slows down; absent if RTTs do not matter to it.
   */
  targetRtt?(values: ValuesOf<F>): { readonly name: string; readonly rttPs: number }
}

/** Gives the definition its type. List it in congestion/index.ts. */
export function defineCongestion<const N extends string, F extends ParamFields>(
  definition: CongestionDefinition<N, F>,
): CongestionDefinition<N, F> {
  return definition
}
