/**
 * DCTCP: a congestion window that is cut once per window of data, by half of the smoothed share of marked packets.
 * Marks on packets sent before the last cut count in alpha and cut nothing more.
 * Units: packets, real; alpha is a share. Invariant: 0 <= alpha <= 1.
 * Source: RFC 8257 3.3 to 3.5, RFC 3168 6.1.2 (one cut per window of data), [Survey] IV-B and Fig. 8 for the order,
 * [IRN] 4.4.4 for the start without slow start.
 * Deviates: grows only while the window limits the sender (docs/models/dctcp.md).
 * D2TCP and L2DCT extend it: they weight alpha and the step.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { flag, ratio, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type AckEvent, type CongestionContext } from './congestion.ts'
import { wasFull, WindowControl, windowParams } from './window.ts'

export const dctcpParams = {
  ...windowParams,
  g: ratio({ default: 1 / 16, help: 'gain of alpha', source: 'RFC 8257: 1/16' }),
  slowStart: flag({
    default: false,
    help: 'the window doubles per round trip up to the first cut, and after a timeout; over tcp always',
    source: 'RFC 5681; off: [IRN] 4.4.4',
  }),
  cutOnFirstEce: flag({
    default: false,
    help: 'the first mark of a window cuts at once, with the alpha of the last full window',
    source: 'Linux; false: RFC 8257, [Survey] Fig. 8',
  }),
}

/** A restarted slow start ends at two packets or more (RFC 5681 (4)). */
const LEAST_THRESHOLD = 2

export class Dctcp extends WindowControl {
  alpha = DOUBLE_ZERO
  private readonly g: number
  private readonly isSlowStarting: boolean
  private readonly cutsAtOnce: boolean
  private readonly initialPackets: number
  private thresholdPackets = DOUBLE_ZERO
  private acknowledged = 0
  private marked = 0
  /** Next PSN to send when the window of data began. */
  private windowEnd = 0
  /** A packet sent after the last cut was marked. */
  private isCutDue = false
  /** Next PSN to send when the window last limited the sender. */
  private fullUntil = 0

  constructor(values: ValuesOf<typeof dctcpParams>, context: CongestionContext) {
    super(values, context)
    this.g = values.g
    this.isSlowStarting = values.slowStart || context.startsSlowly
    this.initialPackets = this.windowPackets
    this.cutsAtOnce = values.cutOnFirstEce
    // RFC 8257 3.3: alpha starts at 1.
    this.alpha = 1
    if (this.isSlowStarting) this.thresholdPackets = Infinity
  }

  override onAck(nowPs: number, ack: AckEvent): void {
    const { cumulativePsn, unsentPsn, newPackets } = ack
    const isRecovering = this.isRecovering(ack)
    if (wasFull(ack, this.windowPackets)) this.fullUntil = unsentPsn
    this.acknowledged += newPackets
    const isOfCut = isRecovering || cumulativePsn <= this.markedUntil
    if (ack.marked) {
      this.marked += newPackets
      if (!isOfCut && newPackets > 0) this.isCutDue = true
    } else if (!(this.cutsAtOnce ? isOfCut : isRecovering) && cumulativePsn <= this.fullUntil) this.grow(newPackets)
    // RFC 8257 3.3: a window of data ends. A stale ACK acknowledges nothing and ends nothing.
    const isEnd = cumulativePsn > this.windowEnd && this.acknowledged > 0
    if (isEnd) this.endWindow(unsentPsn)
    if (this.isCutDue && (isEnd || this.cutsAtOnce)) this.cut(nowPs, ack)
  }

  override onTimeout(nowPs: number): void {
    super.onTimeout(nowPs)
    if (!this.isSlowStarting) return
    this.thresholdPackets = Math.max(this.windowPackets, LEAST_THRESHOLD)
    this.windowPackets = this.minPackets
  }

  /** RFC 5681 4.1: after idle the window is no longer valid. */
  override onSilence(): void {
    if (this.windowPackets > this.initialPackets) this.windowPackets = this.initialPackets
  }

  /** Factor of a cut; alpha unless weighted. */
  protected severity(_nowPs: number, _ack: AckEvent): number {
    return this.alpha
  }

  /** Packets that the window gains per round trip. */
  protected stepPackets(): number {
    return 1
  }

  protected override scale(factor: number): void {
    super.scale(factor)
    this.thresholdPackets = this.windowPackets
    this.isCutDue = false
  }

  private endWindow(unsentPsn: number): void {
    this.alpha = (1 - this.g) * this.alpha + (this.g * this.marked) / this.acknowledged
    this.acknowledged = 0
    this.marked = 0
    this.windowEnd = unsentPsn
  }

  /** Linux does not grow until a round trip after the cut. */
  private grow(newPackets: number): void {
    if (this.windowPackets < this.thresholdPackets) this.windowPackets += newPackets
    else this.windowPackets += (newPackets * this.stepPackets()) / this.windowPackets
  }

  private cut(nowPs: number, ack: AckEvent): void {
    this.markedUntil = ack.unsentPsn
    this.scale(1 - this.severity(nowPs, ack) / 2)
  }
}

export const dctcp = defineCongestion({
  name: 'dctcp',
  help: 'a window that marks cut once per round trip by half of their share',
  source: 'RFC 8257; [Survey] IV-B',
  needs: { ecn: true, perPacketAck: true },
  params: dctcpParams,
  create: (values, context) => new Dctcp(values, context),
  // RFC 8257 3.5: as conventional TCP, RFC 6675 5.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
