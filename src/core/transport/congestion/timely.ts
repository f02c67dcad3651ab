/**
 * TIMELY: rate control by the gradient of the round-trip time.
 * Units: bit/s, picoseconds. Invariant: minRate <= rate <= line.
 * Source: [Survey] IV-C, Fig. 9; TIMELY (SIGCOMM 2015); parameters in docs/models/timely.md.
 * One update per segment of bytes acknowledged, or per window of data (the HPCC fork's form).
 * Deviates: a segment's RTT is that of its last packet, without that packet's serialization (docs/models/timely.md).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import {
  choice,
  count,
  duration,
  flag,
  MBPS,
  rate,
  rateOrOff,
  ratio,
  size,
  US,
  type ValuesOf,
} from '../../base/params.ts'
import { defineCongestion, type AckEvent, type CongestionContext, CongestionControl } from './congestion.ts'
import { lossCut, LossEpisode } from './loss-episode.ts'

/** Parameters shared by TIMELY and its patched form. */
export const gradientParams = {
  gain: ratio({ default: 0.875, help: 'weight of the newest RTT difference', source: 'TIMELY: 0.875' }),
  tLow: duration({ default: 50 * US, help: 'below this RTT the rate always rises', source: 'TIMELY: 50us' }),
  tHigh: duration({ default: 500 * US, min: 1, help: 'above this RTT the rate always falls', source: 'TIMELY: 500us' }),
  minRtt: duration({ default: 20 * US, min: 1, help: 'normalises the gradient', source: 'TIMELY: 20us' }),
  additiveRate: rate({ default: 10 * MBPS, help: 'additive step', source: 'TIMELY: 10Mbps' }),
  minRate: rate({ default: 100 * MBPS, min: 1, help: 'never slower', source: 'HPCC fork' }),
  segment: size({ default: 16_384, min: 1, help: 'segment length', source: 'patched TIMELY: 16 KB' }),
  lossCut,
}

const params = {
  ...gradientParams,
  beta: ratio({ default: 0.8, help: 'multiplicative decrease', source: 'TIMELY: 0.8' }),
  hyperRate: rateOrOff({
    default: null,
    help: 'step after hyperAfter consecutive rises; off: 5 additive ones',
    source: 'TIMELY: 5 steps',
  }),
  hyperAfter: count({
    default: 4,
    help: 'consecutive rises before the hyper step',
    source: 'TIMELY: the fifth is one; HPCC fork: 5',
  }),
  hyperLow: flag({
    default: false,
    help: 'rises below tLow count towards the hyper step, and take it',
    source: 'TIMELY: no; HPCC fork: yes',
  }),
  update: choice(['window', 'segment'], {
    default: 'segment',
    help: 'once per window of data in flight, or per segment acknowledged',
    source: 'HPCC fork; [Survey] IV-C',
  }),
  serialization: choice(['subtracted', 'counted'], {
    default: 'subtracted',
    help: "whether the data's own serialization is part of the RTT",
    source: '[Survey] IV-C: subtracted; HPCC fork: counted',
  }),
}

/** TIMELY: N of its hyperactive increase. */
const HYPER_STEPS = 5

/** How the RTT is sampled. */
interface Sampling {
  readonly perWindow: boolean
  readonly subtracts: boolean
}

/** Samples, gradient and the two outer bands; the band between tLow and tHigh belongs to the scheme. */
export abstract class GradientControl extends CongestionControl {
  protected readonly lineBps: number
  private readonly shared: ValuesOf<typeof gradientParams>
  private readonly beta: number
  private readonly sampling: Sampling
  private readonly minBps: number
  private readonly whole: boolean
  private readonly segmentPackets: number
  private readonly episode: LossEpisode
  private previousRttPs = -0.5
  private differencePs = DOUBLE_ZERO
  /** An update waits for an ACK above this PSN. */
  private updatedUpTo = 0
  /** Wire bytes of the largest packet so far, and its serialization time. */
  private packetBytes = 0
  private packetPs = DOUBLE_ZERO

  constructor(
    values: ValuesOf<typeof gradientParams> & { readonly beta: number },
    sampling: Sampling,
    context: CongestionContext,
  ) {
    super(context)
    this.shared = values
    this.beta = values.beta
    this.sampling = sampling
    this.lineBps = context.lineRateBps
    this.minBps = Math.min(values.minRate, context.lineRateBps)
    this.whole = context.wholeRates
    this.segmentPackets = Math.max(1, Math.round(values.segment / context.payloadBytes))
    this.episode = new LossEpisode(context.sender)
  }

  override onSent(_nowPs: number, wireBytes: number): void {
    if (wireBytes <= this.packetBytes) return
    this.packetBytes = wireBytes
    this.packetPs = (wireBytes * 8e12) / this.lineBps
  }

  override onAck(_nowPs: number, ack: AckEvent): void {
    const { perWindow, subtracts } = this.sampling
    if (ack.cumulativePsn <= this.updatedUpTo) return
    if (!perWindow && ack.cumulativePsn < this.updatedUpTo + this.segmentPackets) return
    const rttPs = subtracts ? Math.max(0, ack.rttPs - this.packetPs) : ack.rttPs
    if (this.previousRttPs >= 0) this.update(rttPs)
    this.previousRttPs = rttPs
    this.updatedUpTo = perWindow ? ack.nextPsn : ack.cumulativePsn
  }

  override onLoss(_nowPs: number): void {
    if (this.shared.lossCut > 0 && this.episode.onLoss()) this.backOff()
  }

  override onTimeout(_nowPs: number): void {
    if (this.shared.lossCut === 0) return
    this.episode.begin()
    this.backOff()
  }

  protected abstract onLow(): void
  protected abstract onMiddle(rttPs: number, gradient: number): void
  /** Called after a cut that does not depend on the gradient. */
  protected abstract onHigh(): void

  protected rise(stepBps: number): void {
    const raisedBps = this.rateBps + stepBps
    this.rateBps = Math.min(this.lineBps, this.whole ? Math.floor(raisedBps) : raisedBps)
  }

  /** Multiplies the rate by a factor and adds a step, then applies the bounds. */
  protected scale(factor: number, stepBps = 0): void {
    const nextBps = this.rateBps * factor + stepBps
    this.rateBps = Math.min(this.lineBps, Math.max(this.minBps, this.whole ? Math.floor(nextBps) : nextBps))
  }

  private backOff(): void {
    this.scale(1 - this.shared.lossCut)
    this.onHigh()
  }

  private update(rttPs: number): void {
    const v = this.shared
    this.differencePs = (1 - v.gain) * this.differencePs + v.gain * (rttPs - this.previousRttPs)
    if (rttPs < v.tLow) this.onLow()
    else if (rttPs > v.tHigh) {
      this.scale(1 - this.beta * (1 - v.tHigh / rttPs))
      this.onHigh()
    } else this.onMiddle(rttPs, this.differencePs / v.minRtt)
  }
}

export class Timely extends GradientControl {
  private readonly values: ValuesOf<typeof params>
  private rises = 0

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(values, { perWindow: values.update === 'window', subtracts: values.serialization === 'subtracted' }, context)
    this.values = values
  }

  protected override onLow(): void {
    if (this.values.hyperLow) this.step()
    else this.rise(this.values.additiveRate)
  }

  protected override onMiddle(_rttPs: number, gradient: number): void {
    if (gradient <= 0) this.step()
    else {
      this.rises = 0
      this.scale(Math.max(0, 1 - this.values.beta * gradient))
    }
  }

  protected override onHigh(): void {
    this.rises = 0
  }

  private step(): void {
    const { hyperAfter, additiveRate, hyperRate } = this.values
    this.rise(this.rises < hyperAfter ? additiveRate : (hyperRate ?? HYPER_STEPS * additiveRate))
    this.rises++
  }
}

export const timely = defineCongestion({
  name: 'timely',
  help: 'rate follows the gradient of the round-trip time',
  source: '[Survey] IV-C',
  needs: { timestamps: true },
  params,
  create: (values, context) => new Timely(values, context),
  targetRtt: ({ tHigh }) => ({ name: 'tHigh', rttPs: tHigh }),
  cnpIntervalPs: () => 0,
})
