/**
 * DCTCP as a rate control: the rate is cut once per window in proportion to the marked share.
 * Source: [Survey] IV-B for the rule, the HPCC fork for its form as a rate (docs/models/dctcp-rate.md).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { MBPS, rate, ratio, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type AckEvent, type CongestionContext, CongestionControl } from './congestion.ts'

const params = {
  g: ratio({ default: 1 / 16, help: 'gain of alpha', source: 'RFC 8257: 1/16' }),
  additiveRate: rate({
    default: 615 * MBPS,
    help: 'step per window without marks: one packet per round trip',
    source: 'HPCC fork: 1 KB per 13us',
  }),
  minRate: rate({ default: 100 * MBPS, min: 1, help: 'never slower', source: 'HPCC fork' }),
}

type DctcpRateValues = ValuesOf<typeof params>

export class DctcpRate extends CongestionControl {
  alpha = DOUBLE_ZERO
  private readonly values: DctcpRateValues
  private readonly lineBps: number
  private readonly minBps: number
  private readonly whole: boolean
  private marked = 0
  private packetsInWindow = 0
  private windowEnd = 0
  private isReduced = false
  private reducedUntil = 0

  constructor(values: DctcpRateValues, context: CongestionContext) {
    super(context)
    this.values = values
    this.lineBps = context.lineRateBps
    this.minBps = Math.min(values.minRate, context.lineRateBps)
    this.whole = context.wholeRates
    this.alpha = 1
  }

  override onAck(_nowPs: number, ack: AckEvent): void {
    const v = this.values
    if (ack.marked) this.marked++
    const isNewWindow = ack.cumulativePsn > this.windowEnd
    if (isNewWindow) {
      if (this.windowEnd === 0) this.packetsInWindow = ack.nextPsn + 1
      else {
        const share = Math.min(1, this.marked / this.packetsInWindow)
        this.alpha = (1 - v.g) * this.alpha + v.g * share
        this.marked = 0
        // After a NAK that restarts a message the next packet lies below the PSNs acknowledged here.
        this.packetsInWindow = Math.max(1, ack.nextPsn - ack.cumulativePsn + 1)
      }
      this.windowEnd = ack.nextPsn
    }
    if (this.isReduced && ack.cumulativePsn > this.reducedUntil) this.isReduced = false
    if (ack.marked && !this.isReduced) {
      const cutBps = this.rateBps * (1 - this.alpha / 2)
      this.rateBps = Math.max(this.minBps, this.whole ? Math.floor(cutBps) : cutBps)
      this.isReduced = true
      this.reducedUntil = ack.nextPsn
    }
    if (!this.isReduced && isNewWindow) this.rateBps = Math.min(this.lineBps, this.rateBps + v.additiveRate)
  }
}

export const dctcpRate = defineCongestion({
  name: 'dctcp-rate',
  help: 'DCTCP as a rate: cut once per window by the marked share, one step up otherwise',
  source: '[Survey] IV-B; HPCC fork',
  needs: { ecn: true, perPacketAck: true, soleAcks: true },
  params,
  create: (values, context) => new DctcpRate(values, context),
  cnpIntervalPs: () => 0,
})
