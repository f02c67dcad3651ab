/**
 * TIMELY: rate control by the gradient of the round-trip time.
 * Source: S1 IV-C, Fig. 9; parameters in docs/models/timely.md.
 * One update per window of data (the HPCC fork's form) or per segment of bytes acknowledged.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { choice, count, duration, MBPS, rate, ratio, size, US, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type AckNews, type CongestionContext, CongestionControl } from './congestion.ts'

const params = {
  gain: ratio({ default: 0.875, help: 'weight of the newest RTT difference', source: 'TIMELY: 0.875' }),
  beta: ratio({ default: 0.8, help: 'multiplicative decrease', source: 'TIMELY: 0.8' }),
  tLow: duration({ default: 50 * US, help: 'below this RTT the rate always rises', source: 'TIMELY: 50us' }),
  tHigh: duration({ default: 500 * US, min: 1, help: 'above this RTT the rate always falls', source: 'TIMELY: 500us' }),
  minRtt: duration({ default: 20 * US, min: 1, help: 'normalises the gradient', source: 'TIMELY: 20us' }),
  additiveRate: rate({ default: 10 * MBPS, help: 'additive step', source: 'TIMELY: 10Mbps' }),
  hyperRate: rate({ default: 50 * MBPS, help: 'step after hyperAfter rises in a row', source: 'TIMELY: 5 steps' }),
  hyperAfter: count({ default: 5, help: 'rises in a row before the hyper step', source: 'TIMELY: 5' }),
  minRate: rate({ default: 100 * MBPS, min: 1, help: 'never slower', source: 'HPCC fork' }),
  update: choice(['window', 'segment'], {
    default: 'segment',
    help: 'once per window of data in flight, or per segment acknowledged',
    source: 'HPCC fork; S1 IV-C',
  }),
  segment: size({ default: 16_384, min: 1, help: 'segment length', source: 'patched TIMELY: 16 KB' }),
}

type TimelyValues = ValuesOf<typeof params>

export class Timely extends CongestionControl {
  private readonly values: TimelyValues
  private readonly lineBps: number
  private readonly minBps: number
  private readonly whole: boolean
  private readonly segmentPackets: number
  private previousRttPs = -0.5
  private differencePs = DOUBLE_ZERO
  private rises = 0
  /** An update waits for an ACK above this PSN. */
  private updatedUpTo = 0

  constructor(values: TimelyValues, context: CongestionContext) {
    super(context)
    this.values = values
    this.lineBps = context.lineRateBps
    this.minBps = Math.min(values.minRate, context.lineRateBps)
    this.whole = context.wholeRates
    this.segmentPackets = Math.max(1, Math.round(values.segment / context.payloadBytes))
  }

  override onAck(_nowPs: number, news: AckNews): void {
    if (news.cumulativePsn <= this.updatedUpTo) return
    if (this.values.update === 'segment' && news.cumulativePsn < this.updatedUpTo + this.segmentPackets) return
    if (this.previousRttPs >= 0) this.update(news.rttPs)
    this.previousRttPs = news.rttPs
    this.updatedUpTo = this.values.update === 'window' ? news.nextPsn : news.cumulativePsn
  }

  private update(rttPs: number): void {
    const v = this.values
    this.differencePs = (1 - v.gain) * this.differencePs + v.gain * (rttPs - this.previousRttPs)
    const gradient = this.differencePs / v.minRtt
    if (rttPs < v.tLow || (rttPs <= v.tHigh && gradient <= 0)) {
      const step = this.rises < v.hyperAfter ? v.additiveRate : v.hyperRate
      this.rises++
      this.rateBps = Math.min(this.lineBps, this.rateBps + step)
      return
    }
    this.rises = 0
    const factor = rttPs > v.tHigh ? 1 - v.beta * (1 - v.tHigh / rttPs) : Math.max(0, 1 - v.beta * gradient)
    const cutBps = this.whole ? Math.floor(this.rateBps * factor) : this.rateBps * factor
    this.rateBps = Math.max(this.minBps, cutBps)
  }
}

export const timely = defineCongestion({
  name: 'timely',
  help: 'rate follows the gradient of the round-trip time',
  source: 'S1 IV-C',
  needs: { timestamps: true },
  params,
  create: (values, context) => new Timely(values, context),
  cnpIntervalPs: () => 0,
})
