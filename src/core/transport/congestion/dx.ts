/**
 * DX: the window follows the measured queueing delay, one step up or one cut per window of data.
 * Units: packets (real), picoseconds.
 * Invariant: 1 <= window.
 * Source: [Survey] IV-C; docs/models/dx.md.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { durationOrOff, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type AckEvent, type CongestionContext, CongestionControl } from './congestion.ts'
import { initialWindow, wasFull } from './window.ts'

const params = {
  initialWindow,
  threshold: durationOrOff({
    default: null,
    help: 'a mean queueing delay up to this counts as none; off: one full packet at line rate',
    source: '[Survey] IV-C: 0; ours: packets of other flows delay a packet even without a queue',
  }),
}

export class Dx extends CongestionControl {
  private readonly lineBps: number
  private readonly baseRttPs: number
  private readonly isThresholdFixed: boolean
  private thresholdPs = DOUBLE_ZERO
  /** Wire bytes of the largest packet so far. */
  private packetBytes = 0
  /** Least delay of the largest packets acknowledged so far, those with `leastShortBits`. */
  private leastDelayPs = Infinity
  private leastShortBits = Infinity
  private sumPs = DOUBLE_ZERO
  private samples = 0
  /** The window has limited the sender since it began. */
  private isUsed = false
  /** The window of data ends with an ACK above this PSN; -1: no ACK yet. */
  private windowEnd = -1

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(context)
    this.windowPackets = values.initialWindow ?? context.startPackets
    this.lineBps = context.lineRateBps
    this.baseRttPs = context.baseRttPs
    this.isThresholdFixed = values.threshold !== null
    if (values.threshold !== null) this.thresholdPs = values.threshold
  }

  override onSent(_nowPs: number, wireBytes: number): void {
    if (this.isThresholdFixed || wireBytes <= this.packetBytes) return
    this.packetBytes = wireBytes
    this.thresholdPs = (wireBytes * 8e12) / this.lineBps
  }

  override onAck(_nowPs: number, ack: AckEvent): void {
    const { delayPs, shortBits } = ack
    // A smaller packet arrives sooner, by its size at every hop: measured against its delay all others would appear to
    // have queued for ever.
    if (shortBits < this.leastShortBits || (shortBits === this.leastShortBits && delayPs < this.leastDelayPs)) {
      this.leastShortBits = shortBits
      this.leastDelayPs = delayPs
    }
    if (delayPs > this.leastDelayPs) this.sumPs += delayPs - this.leastDelayPs
    this.samples++
    if (wasFull(ack, this.windowPackets)) this.isUsed = true
    if (ack.cumulativePsn <= this.windowEnd) return
    // The first ACK arrives within the first window.
    if (this.windowEnd >= 0) {
      this.update(this.sumPs / this.samples)
      this.sumPs = 0
      this.samples = 0
      this.isUsed = false
    }
    this.windowEnd = ack.unsentPsn
  }

  private update(queueingPs: number): void {
    const window = this.windowPackets
    if (queueingPs <= this.thresholdPs) {
      if (this.isUsed) this.windowPackets = window + 1
    } else if (window > 1) {
      // [Survey] IV-C: V = R W / (W - 1), W (1 - Q / V).
      const v = (this.baseRttPs * window) / (window - 1)
      this.windowPackets = Math.max(1, window * (1 - queueingPs / v))
    }
  }
}

export const dx = defineCongestion({
  name: 'dx',
  help: 'window cut once per round trip in proportion to the measured queueing delay, one step up without any',
  source: '[Survey] IV-C',
  needs: { perPacketAck: true, timestamps: true, soleAcks: true },
  needsOneClock: true,
  params,
  create: (values, context) => new Dx(values, context),
  // [Survey] IV-C: the window of TCP, RFC 5681 2.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
