/**
 * HOT. What TCP's congestion controls share: slow start, the threshold, and when a loss, a timeout, a mark or a silence
 * takes the window back. A control adds how the window grows in congestion avoidance and what a cut leaves.
 * A loss episode begins with what the recovery calls a loss and ends when everything sent by then is acknowledged; which
 * packets go again meanwhile, and which new ones for those that arrive, is the recovery's.
 * Units: packets, real; each is a segment. Invariant: windowPackets >= 1; thresholdPackets >= 2.
 * Source: RFC 5681 3.1, 3.2 and 4.1; RFC 3465 (an ACK counts for what it acknowledges); RFC 3168 6.1.2 (marks);
 * RFC 6928 (the first window). Deviates: docs/models/newreno.md.
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
    help: 'an ACK counts for all packets that it acknowledges, in slow start for so many at most; off: each ACK counts for one',
    source: 'RFC 3465: L = 2; off: RFC 5681',
  }),
  ecn: flag({
    default: false,
    help: 'data packets can be marked, and a mark cuts the window as a loss does, once per window of data',
    source: 'RFC 3168; Linux: off unless the other side asks',
  }),
}

type TcpWindowValues = ValuesOf<typeof tcpWindowParams>

/** What all of them need. */
export const TCP_NEEDS: Needs = { perPacketAck: true }

/** With marks. */
export function tcpNeedsWith({ ecn }: { readonly ecn: boolean }): Needs {
  return ecn ? { ...TCP_NEEDS, ecn: true, cwr: true } : TCP_NEEDS
}

/** No cut leaves less (RFC 5681 (4)). */
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
  /** 1: in the episode of a loss, where the window stands still; not after a timeout. */
  private isRepairing = 0
  /** Sent next at the last cut for a mark: what was sent before is of the same window of data. */
  private markedUntil = 0
  /** Sent next when the window last held the sender back. */
  private fullUntil = 0
  /** The oldest packet at the last timeout. */
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

  /** An ACK in congestion avoidance that counts for so many packets. */
  protected abstract avoid(nowPs: number, packets: number): void
  /** What a cut leaves of so many packets, before the least there is. */
  protected abstract cutPackets(nowPs: number, usedPackets: number): number
  /** A timeout has passed, and the window is one packet. */
  protected onRestart(): void {}
  /** An ACK that lets nothing grow, for the sender had less to send than it was allowed. */
  protected onUnused(_nowPs: number): void {}

  override onAck(nowPs: number, ack: AckEvent): void {
    const { cumulativePsn, newPackets } = ack
    const isUsed = this.isUsed(ack)
    const firstPsn = cumulativePsn - newPackets
    if (this.isRepairing !== 0) {
      // The answer that ends an episode begins in it.
      if (this.episode.has(firstPsn)) return
      this.isRepairing = 0
    }
    // A timeout has cut for what was in flight at it, and its slow start goes on whatever is still echoed.
    if (this.hasEcn !== 0 && !this.episode.has(firstPsn) && this.isMarked(nowPs, ack, firstPsn)) return
    if (newPackets === 0) return
    if (isUsed) this.grow(nowPs, newPackets, firstPsn)
    else this.onUnused(nowPs)
  }

  override onLoss(nowPs: number, flightPackets: number): void {
    if (!this.episode.onLoss()) return
    this.isRepairing = 1
    // A mark on what was sent with it has cut already.
    if (this.sender.una < this.markedUntil) return
    this.cut(nowPs, flightPackets)
    this.windowPackets = this.thresholdPackets
  }

  /** RFC 6582 3.2 step 3, the first option: no burst, however few are in flight. */
  override onRepaired(flightPackets: number): void {
    const packets = (flightPackets > 1 ? flightPackets : 1) + 1
    this.windowPackets = packets < this.thresholdPackets ? packets : this.thresholdPackets
  }

  override onTimeout(nowPs: number, flightPackets: number): void {
    const { una } = this.sender
    this.episode.onTimeout()
    this.isRepairing = 0
    // RFC 5681 (4); not again where the same segment times out again (3.1).
    if (una !== this.timeoutPsn) this.cut(nowPs, flightPackets)
    this.timeoutPsn = una
    this.windowPackets = 1
    this.onRestart()
  }

  /** RFC 5681 4.1: what was learnt before a silence is old. */
  override onSilence(): void {
    if (this.windowPackets > this.initialWindow) this.windowPackets = this.initialWindow
  }

  /** The window was what held the sender back, within the last round trip. */
  protected isUsed(ack: AckEvent): boolean {
    if (wasFull(ack, this.windowPackets)) this.fullUntil = ack.unsentPsn
    return ack.cumulativePsn <= this.fullUntil
  }

  /** How much of the window was in use: FlightSize counts what has arrived out of order, too. */
  protected usedPackets(flightPackets: number): number {
    return flightPackets < this.windowPackets ? flightPackets : this.windowPackets
  }

  private grow(nowPs: number, newPackets: number, firstPsn: number): void {
    const limit = this.slowStartLimit
    if (this.windowPackets >= this.thresholdPackets) this.avoid(nowPs, limit === 0 ? 1 : newPackets)
    else {
      // RFC 3465 2.3: L = 1 for what was in flight at a timeout.
      const most = limit === 0 || this.episode.has(firstPsn) ? 1 : limit
      this.windowPackets += newPackets < most ? newPackets : most
    }
  }

  /** RFC 3168 6.1.2: no growth by an ACK with a mark, and one cut for the packets in flight at it. */
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
