/**
 * Swift: the window follows the distance of the round-trip time from a target that grows as the window shrinks.
 * Units: packets (real), picoseconds.
 * Invariant: minWindow <= window. Below one packet a timer releases one packet per rtt / window.
 * Source: Swift (SIGCOMM 2020) as Broadcom's csg-htsim has it (HTS); docs/models/swift.md.
 * Deviates: grows only while the window limits the sender; one delay, the RTT, and one window; no split into fabric and
 * host (docs/models/swift.md).
 */
import { count, duration, durationOrOff, ratio, US, type ValuesOf } from '../../base/params.ts'
import { FIRST_CONGESTION_TIMER, type Timers } from '../timers.ts'
import { defineCongestion, type AckEvent, type CongestionContext, CongestionControl } from './congestion.ts'
import { initialWindow, wasFull } from './window.ts'

const params = {
  initialWindow,
  baseTarget: duration({
    default: 30 * US,
    min: 1,
    help: 'target of the RTT of a large window over no hops',
    source: 'ours: above the 24us of [IRN] at 40G; HTS: 20us',
  }),
  hops: count({ default: 0, help: 'hops that the target allows for', source: 'ours: the base target includes them' }),
  hopDelay: durationOrOff({
    default: null,
    help: 'target per hop; off: baseTarget / 6.55',
    source: 'HTS: a guess of its authors',
  }),
  scalingRange: durationOrOff({
    default: null,
    help: 'largest addition to the target for a small window; off: 5 baseTarget',
    source: 'HTS: 5 base targets',
  }),
  scalingMin: ratio({
    default: 0.1,
    min: 0.001,
    help: 'window up to which the whole range is added, packets',
    source: 'HTS: 0.1',
  }),
  scalingMax: ratio({
    default: 100,
    min: 2,
    max: 1e6,
    help: 'window from which nothing is added, packets',
    source: 'HTS: 100',
  }),
  additive: ratio({ default: 1, max: 100, help: 'packets up per round trip', source: 'HTS: 1' }),
  beta: ratio({ default: 0.8, help: 'cut per share of the delay above the target', source: 'HTS: 0.8' }),
  maxCut: ratio({ default: 0.5, help: 'largest share of a cut, and the share at a loss', source: 'HTS: 0.5' }),
  minWindow: ratio({
    default: 0.01,
    min: 0.0001,
    help: 'least window, packets',
    source: 'HTS: 10 bytes, about a hundredth of a packet',
  }),
  resetAfter: count({ default: 5, min: 1, help: 'consecutive timeouts that set the least window', source: 'HTS: 5' }),
}

/** Target of a large window. A small window's extra compensates for more flows, not for a longer path. */
function fixedTargetPs({ baseTarget, hops, hopDelay }: ValuesOf<typeof params>): number {
  return baseTarget + hops * (hopDelay ?? baseTarget / 6.55)
}

export class Swift extends CongestionControl {
  private readonly values: ValuesOf<typeof params>
  private readonly timers: Timers
  /** Target without the part that depends on the window; the maximum of that part, and its two coefficients. */
  private readonly fixedPs: number
  private readonly rangePs: number
  private readonly slopePs: number
  private readonly offsetPs: number
  private rttPs: number
  private lastCutPs = -Infinity
  private lastSentPs = -Infinity
  /** Next PSN to send when the window last limited the sender. */
  private fullUntil = 0
  /** Consecutive timeouts. */
  private timeouts = 0

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(context)
    const { baseTarget, scalingMin, scalingMax } = values
    this.values = values
    this.timers = context.timers
    this.windowPackets = values.initialWindow ?? context.bdpPackets
    this.rttPs = context.baseRttPs
    this.fixedPs = fixedTargetPs(values)
    this.rangePs = values.scalingRange ?? 5 * baseTarget
    this.slopePs = this.rangePs / (1 / Math.sqrt(scalingMin) - 1 / Math.sqrt(scalingMax))
    this.offsetPs = -this.slopePs / Math.sqrt(scalingMax)
  }

  /** Target RTT at a window. */
  targetPs(windowPackets: number): number {
    const scaled = this.slopePs / Math.sqrt(windowPackets) + this.offsetPs
    return this.fixedPs + Math.min(this.rangePs, Math.max(0, scaled))
  }

  override onAck(nowPs: number, ack: AckEvent): void {
    const { additive, beta, maxCut } = this.values
    const window = this.windowPackets
    const delayPs = ack.rttPs
    const targetPs = this.targetPs(window)
    this.rttPs = delayPs
    this.timeouts = 0
    if (wasFull(ack, window)) this.fullUntil = ack.unsentPsn
    if (delayPs < targetPs) {
      const step = additive * ack.newPackets
      if (ack.cumulativePsn <= this.fullUntil) this.windowPackets = window >= 1 ? window + step / window : window + step
    } else this.cut(nowPs, Math.max(1 - (beta * (delayPs - targetPs)) / delayPs, 1 - maxCut))
    this.pace(nowPs)
  }

  override onLoss(nowPs: number): void {
    this.cut(nowPs, 1 - this.values.maxCut)
    this.pace(nowPs)
  }

  override onTimeout(nowPs: number): void {
    this.timeouts++
    if (this.timeouts >= this.values.resetAfter) {
      this.windowPackets = Math.min(this.windowPackets, this.values.minWindow)
      this.lastCutPs = nowPs
    } else this.cut(nowPs, 1 - this.values.maxCut)
    this.pace(nowPs)
  }

  override onSent(nowPs: number): void {
    this.lastSentPs = nowPs
    if (this.windowPackets < 1) this.pace(nowPs)
  }

  override onTimer(): void {
    this.releases = 1
  }

  /** At most once per round trip. */
  private cut(nowPs: number, factor: number): void {
    if (nowPs - this.lastCutPs < this.rttPs) return
    this.windowPackets = Math.max(this.values.minWindow, this.windowPackets * factor)
    this.lastCutPs = nowPs
  }

  /**
   * Below one packet: the next release is rtt / window after the last. A release that is set is not moved (HTS: as
   * Carousel).
   */
  private pace(nowPs: number): void {
    if (this.windowPackets >= 1) {
      this.releases = 0
      this.timers.clear(FIRST_CONGESTION_TIMER)
      return
    }
    if (this.releases > 0 || this.timers.isSet(FIRST_CONGESTION_TIMER)) return
    const duePs = this.lastSentPs + Math.round(this.rttPs / this.windowPackets)
    if (duePs > nowPs) this.timers.set(FIRST_CONGESTION_TIMER, duePs)
    else this.releases = 1
  }
}

export const swift = defineCongestion({
  name: 'swift',
  help: 'window controlled towards a target round-trip time that grows as the window shrinks',
  source: 'Swift; HTS',
  needs: { perPacketAck: true, timestamps: true, soleAcks: true },
  params,
  create: (values, context) => new Swift(values, context),
  targetRtt: (values) => ({ name: 'baseTarget', rttPs: fixedTargetPs(values) }),
  // Swift 3.1: the window limits the packets outstanding, below one packet by pacing.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
