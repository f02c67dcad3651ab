/**
 * HOT. Common part of TCP's congestion controls: slow start, the threshold, and the reductions at a loss, a timeout, a
 * mark or after idle. A control adds its growth in congestion avoidance and the size of its cut.
 * A loss episode begins when the recovery reports a loss and ends when everything sent by then is acknowledged; the
 * recovery decides which packets are sent meanwhile.
 * Units: packets, real; each is a segment. Invariant: windowPackets >= 1; thresholdPackets >= 2.
 * Source: RFC 5681 3.1, 3.2 and 4.1; RFC 3465 (appropriate byte counting); RFC 3168 6.1.2 (marks); RFC 6928 (the first
 * window). Deviates: docs/models/newreno.md.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { count, countOrOff, flag, type ValuesOf } from '../../base/params.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import type { Needs } from '../scheme.ts'
import { type AckEvent, type CongestionContext, CongestionControl, type SenderView } from './congestion.ts'
import { LossEpisode } from './loss-episode.ts'
import { wasFull } from './window.ts'

export const tcpWindowParams = {
  initialWindow: count({
    default: 10,
    min: 1,
    max: IN_FLIGHT_MAX,
    help: 'packets that may be in flight at first; over tcp also after a silence of a timeout',
    source: 'RFC 6928',
  }),
  byteCounting: countOrOff({
    default: 2,
    min: 1,
    max: IN_FLIGHT_MAX,
    help: 'an ACK counts for all packets that it acknowledges, in slow start for at most this many; off: each ACK counts for one',
    source: 'RFC 3465: L = 2; off: RFC 5681',
  }),
  ecn: flag({
    default: false,
    help: 'data packets can be marked, and a mark cuts the window as a loss does, once per window of data',
    source: 'RFC 3168; Linux: off unless the other side asks',
  }),
}

type TcpWindowValues = ValuesOf<typeof tcpWindowParams>

/** Needs common to all of them. */
export const TCP_NEEDS: Needs = { perPacketAck: true }

/** Needs with ECN. */
export function tcpNeedsWith({ ecn }: { readonly ecn: boolean }): Needs {
  return ecn ? { ...TCP_NEEDS, ecn: true, cwr: true } : TCP_NEEDS
}

/** Lower bound of a cut (RFC 5681 (4)). */
export const LEAST_THRESHOLD = 2

export abstract class TcpWindow extends CongestionControl {
  /** ssthresh */
  thresholdPackets = DOUBLE_ZERO
  protected readonly sender: SenderView
  private readonly initialWindow: number
  /** 0: each ACK counts for one packet. */
  private readonly slowStartLimit: number
  private readonly hasEcn: number
  private readonly episode: LossEpisode
  /** 1: in the episode of a loss, where the window does not grow; not after a timeout. */
  private isRepairing = 0
  /** Next PSN to send at the last cut for a mark: packets sent before belong to the same window of data. */
  private markedUntil = 0
  /** Next PSN to send when the window last limited the sender. */
  private fullUntil = 0
  /** The oldest PSN at the last timeout. */
  private timeoutPsn = -1

  constructor(values: TcpWindowValues, context: CongestionContext) {
    super(context)
    this.sender = context.sender
    this.initialWindow = values.initialWindow
    this.slowStartLimit = values.byteCounting ?? 0
    this.hasEcn = values.ecn ? 1 : 0
    this.windowPackets = values.initialWindow
    this.thresholdPackets = Infinity
    this.episode = new LossEpisode(context.sender)
  }

  /** An ACK in congestion avoidance that counts for `packets` packets. */
  protected abstract avoid(nowPs: number, packets: number): void
  /** The window after a cut, before the lower bound is applied. */
  protected abstract cutPackets(nowPs: number, usedPackets: number): number
  /** Called after a timeout has set the window to one packet. */
  protected onRestart(): void {}
  /** An ACK that causes no growth because the sender did not use its window. */
  protected onUnused(_nowPs: number): void {}

  override onAck(nowPs: number, ack: AckEvent): void {
    const { cumulativePsn, newPackets } = ack
    const isUsed = this.isUsed(ack)
    const firstPsn = cumulativePsn - newPackets
    if (this.isRepairing !== 0) {
      // The ACK that ends an episode still belongs to it.
      if (this.episode.has(firstPsn)) return
      this.isRepairing = 0
    }
    // The timeout has already cut for the packets in flight then; its slow start ignores marks on them.
    if (this.hasEcn !== 0 && !this.episode.has(firstPsn) && this.isMarked(nowPs, ack, firstPsn)) return
    if (newPackets === 0) return
    if (isUsed) this.grow(nowPs, newPackets, firstPsn)
    else this.onUnused(nowPs)
  }

  override onLoss(nowPs: number, flightPackets: number): void {
    if (!this.episode.onLoss()) return
    this.isRepairing = 1
    // A mark on packets sent with it has already caused a cut.
    if (this.sender.una < this.markedUntil) return
    this.cut(nowPs, flightPackets)
    this.windowPackets = this.thresholdPackets
  }

  /** RFC 6582 3.2 step 3, the first option: no burst, however few packets are in flight. */
  override onRepaired(flightPackets: number): void {
    const packets = (flightPackets > 1 ? flightPackets : 1) + 1
    this.windowPackets = packets < this.thresholdPackets ? packets : this.thresholdPackets
  }

  override onTimeout(nowPs: number, flightPackets: number): void {
    const { una } = this.sender
    this.episode.begin()
    this.isRepairing = 0
    // RFC 5681 (4); not again if the same segment times out again (3.1).
    if (una !== this.timeoutPsn) this.cut(nowPs, flightPackets)
    this.timeoutPsn = una
    this.windowPackets = 1
    this.onRestart()
  }

  /** RFC 5681 4.1: after idle the window is no longer valid. */
  override onSilence(): void {
    if (this.windowPackets > this.initialWindow) this.windowPackets = this.initialWindow
  }

  /** The window limited the sender within the last round trip. */
  protected isUsed(ack: AckEvent): boolean {
    if (wasFull(ack, this.windowPackets)) this.fullUntil = ack.unsentPsn
    return ack.cumulativePsn <= this.fullUntil
  }

  /** Used part of the window: FlightSize includes packets that arrived out of order. */
  protected usedPackets(flightPackets: number): number {
    return flightPackets < this.windowPackets ? flightPackets : this.windowPackets
  }

  private grow(nowPs: number, newPackets: number, firstPsn: number): void {
    const limit = this.slowStartLimit
    if (this.windowPackets >= this.thresholdPackets) this.avoid(nowPs, limit === 0 ? 1 : newPackets)
    else {
      // RFC 3465 2.3: L = 1 for packets in flight at a timeout.
      const most = limit === 0 || this.episode.has(firstPsn) ? 1 : limit
      this.windowPackets += newPackets < most ? newPackets : most
    }
  }

  /** RFC 3168 6.1.2: an ACK with a mark causes no growth, and one cut for the packets in flight at it. */
  private isMarked(nowPs: number, ack: AckEvent, firstPsn: number): boolean {
    if (firstPsn < this.markedUntil) return true
    if (!ack.marked) return false
    this.markedUntil = ack.unsentPsn
    this.cut(nowPs, ack.nextPsn - firstPsn)
    if (this.thresholdPackets < this.windowPackets) this.windowPackets = this.thresholdPackets
    return true
  }

  private cut(nowPs: number, flightPackets: number): void {
    const packets = this.cutPackets(nowPs, this.usedPackets(flightPackets))
    this.thresholdPackets = packets > LEAST_THRESHOLD ? packets : LEAST_THRESHOLD
    this.isCwrDue = this.hasEcn !== 0
  }
}
