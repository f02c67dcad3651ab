/**
 * LDCP: a window that every ACK moves, up a little or down by half a packet, after a first round trip at full speed
 * whose packets the switches may drop.
 * Units: packets, real; PSNs unbounded. Invariant: minWindow <= window <= twice the initial window.
 * Fast start: `initialWindow` packets are sent as Not-ECT, so that a switch drops them where its queue is long (WRED);
 * the last of them, the last of each message and retransmissions are ECN-capable. It ends when that many are
 * acknowledged, or at the first loss. Below one packet a timer releases one packet per rtt / window.
 * Source: [LDCP] 2.2, 2.3 and 3.1; docs/models/ldcp.md for what it leaves open.
 * Deviates: packets in flight are counted unless windowUnit says bytes; a cap on the window; fast start again after an
 * idle period.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { choice, durationOrOff, flag, ratio, US, type ValuesOf } from '../../base/params.ts'
import { LAST, RETRANSMITTED } from '../segment.ts'
import { FIRST_CONGESTION_TIMER, type Timers } from '../timers.ts'
import {
  defineCongestion,
  type AckEvent,
  type CongestionContext,
  CongestionControl,
  type SenderView,
} from './congestion.ts'
import { initialWindow } from './window.ts'

/** Shared by both forms of LDCP. */
export const ldcpParams = {
  initialWindow,
  alpha: ratio({
    default: 1,
    min: 0.001,
    max: 1,
    help: 'packets up per window of unmarked ACKs',
    source: '[LDCP] 2.2: above 0, up to 1; 1 is ours',
  }),
  beta: ratio({
    default: 0.5,
    min: 0.001,
    max: 1,
    help: 'packets down per marked ACK',
    source: '[LDCP] 2.2: above 0, up to 1; 0.5 is ours',
  }),
  minWindow: ratio({
    default: 0.125,
    min: 0.001,
    max: 1,
    help: 'gamma: least window, packets, and the step up of a window below one',
    source: '[LDCP] 2.2: 1/4, 1/8, 1/16',
  }),
}

const params = {
  ...ldcpParams,
  eta: ratio({
    default: 0.5,
    help: 'what a marked ACK leaves of a window below one packet',
    source: '[LDCP] 2.2: 1/2',
  }),
  incapableStart: flag({
    default: true,
    help: 'the packets of a fast start are ECN-incapable, so that WRED may take them; false: ECN-capable like all others',
    source: '[LDCP] 2.3',
  }),
  lastCapable: flag({
    default: true,
    help: 'the last packet of a fast start and of a message is ECN-capable, so that WRED cannot take it',
    source: '[LDCP] 3.1',
  }),
  windowUnit: choice(['packets', 'bytes'], {
    default: 'packets',
    help: 'packets: each packet counts as one; bytes: the payload in flight counts, a READ request nothing, and RoCE work requests carry byte sequence numbers',
    source: '[LDCP] 3.1: bytes, by LSN; packets: ours, the same for full packets',
  }),
  idleAfter: durationOrOff({
    default: 320 * US,
    help: 'a QP starts fast again when it was silent for longer; off: never',
    source: 'ours: the retransmission timeout of [IRN] 4.1',
  }),
}

/** Ours: without this cap an unlimited flow would grow without end and have as far to fall at the next mark. */
export const MOST_INITIAL_WINDOWS = 2

export class Ldcp extends CongestionControl {
  private readonly sender: SenderView
  private readonly timers: Timers
  private readonly values: ValuesOf<typeof params>
  private readonly initialPackets: number
  private readonly maxPackets: number
  private readonly idlePs: number
  private isStarted = false
  private isFast = false
  /** First PSN of the fast start. */
  private startPsn = 0
  private lastActivePs = DOUBLE_ZERO
  private rttPs = DOUBLE_ZERO

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(context)
    this.sender = context.sender
    this.timers = context.timers
    this.values = values
    this.initialPackets = values.initialWindow ?? context.bdpPackets
    this.maxPackets = MOST_INITIAL_WINDOWS * this.initialPackets
    this.idlePs = values.idleAfter ?? Infinity
    this.windowPackets = this.initialPackets
    this.rttPs = context.baseRttPs
    this.capableFlags = values.lastCapable ? LAST | RETRANSMITTED : RETRANSMITTED
  }

  override onStart(nowPs: number): void {
    if (this.isStarted && nowPs - this.lastActivePs <= this.idlePs) return
    this.isStarted = true
    this.isFast = true
    this.startPsn = this.sender.nxt
    // [LDCP] 3.1: the last packet of the first window lets the receiver detect losses before it.
    const { incapableStart, lastCapable } = this.values
    if (incapableStart) this.incapableBelow = this.startPsn + this.initialPackets - (lastCapable ? 1 : 0)
    this.setWindow(nowPs, this.initialPackets)
  }

  override onAck(nowPs: number, ack: AckEvent): void {
    this.lastActivePs = nowPs
    this.rttPs = ack.rttPs
    if (this.isFast) {
      // [LDCP] 3.1, transition 2: a full first window is acknowledged.
      if (ack.cumulativePsn - this.startPsn >= this.initialPackets) this.settle(nowPs, this.initialPackets)
      return
    }
    // [LDCP] 2.2: n, packets an ACK "can confirm the delivery of"; a NACK of selective repeat confirms one too, a NAK
    // of go-back-N none.
    const packets = ack.deliveredPackets
    if (packets === 0) return
    const { alpha, beta, eta, minWindow } = this.values
    const window = this.windowPackets
    // [LDCP] 2.2, below one packet and eq. (2).
    if (window < 1) this.setWindow(nowPs, ack.marked ? eta * window : window + minWindow)
    else this.setWindow(nowPs, ack.marked ? window - packets * beta : window + (packets * alpha) / window)
  }

  override onLoss(nowPs: number): void {
    this.endFastStart(nowPs)
  }

  override onTimeout(nowPs: number): void {
    this.endFastStart(nowPs)
  }

  override onSent(nowPs: number): void {
    this.lastActivePs = nowPs
    if (this.windowPackets < 1) this.startTimer(nowPs)
  }

  /**
   * The released packet restarts the timer: releases do not accumulate, and a flow with nothing to send has no timer.
   */
  override onTimer(): void {
    this.releases = 1
  }

  /**
   * [LDCP] 3.1, transition 1: the packets acknowledged before the loss are the window the network can carry. Later
   * losses change nothing.
   */
  private endFastStart(nowPs: number): void {
    if (this.isFast) this.settle(nowPs, Math.max(1, this.sender.una - this.startPsn))
  }

  private settle(nowPs: number, windowPackets: number): void {
    this.isFast = false
    this.incapableBelow = 0
    this.setWindow(nowPs, windowPackets)
  }

  private setWindow(nowPs: number, packets: number): void {
    const least = this.values.minWindow
    const most = this.maxPackets
    this.windowPackets = packets < least ? least : packets > most ? most : packets
    if (this.windowPackets < 1) {
      if (this.releases === 0 && !this.timers.isSet(FIRST_CONGESTION_TIMER)) this.startTimer(nowPs)
    } else {
      this.releases = 0
      this.timers.clear(FIRST_CONGESTION_TIMER)
    }
  }

  /** [LDCP] 2.2: one packet per rtt / window, using the current window. */
  private startTimer(nowPs: number): void {
    this.timers.set(FIRST_CONGESTION_TIMER, nowPs + Math.round(this.rttPs / this.windowPackets))
  }
}

export const ldcp = defineCongestion({
  name: 'ldcp',
  help: 'a window moved by every ACK, behind a first round trip at full speed that switches may drop',
  source: '[LDCP] 2 and 3.1',
  needs: { ecn: true, perPacketAck: true, marksAtOnce: true, wred: true },
  // None of its packets can be dropped early.
  needsWith: ({ incapableStart }) => ({ ecn: true, perPacketAck: true, marksAtOnce: true, wred: incapableStart }),
  params,
  create: (values, context) => new Ldcp(values, context),
  // [LDCP] 2.2: the window controls all data that are sent.
  windowCovers: 'all',
  countsBytes: ({ windowUnit }) => windowUnit === 'bytes',
  cnpIntervalPs: () => 0,
})
