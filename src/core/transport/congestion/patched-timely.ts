/**
 * Patched TIMELY: the gradient weights a step up against a cut in proportion to the RTT's distance from a reference, so
 * that there is one fixed point. Samples, outer bands and bounds are TIMELY's (timely.ts).
 * Units: bit/s, picoseconds.
 * Source: ECN or Delay (CoNEXT 2016), algorithm 2; docs/models/patched-timely.md.
 */
import { durationOrOff, ratio, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type CongestionContext } from './congestion.ts'
import { GradientControl, gradientParams } from './timely.ts'

const params = {
  ...gradientParams,
  beta: ratio({ default: 0.008, help: 'multiplicative decrease', source: 'ECN or Delay: 0.008' }),
  referenceRtt: durationOrOff({
    default: null,
    min: 1,
    help: 'target RTT; off: tLow, or 1ps where that is 0',
    source: 'ECN or Delay: tLow',
  }),
}

/** RTT that the rate control aims for. */
function referencePs({ referenceRtt, tLow }: ValuesOf<typeof params>): number {
  return referenceRtt ?? Math.max(1, tLow)
}

export class PatchedTimely extends GradientControl {
  private readonly additiveBps: number
  private readonly cutRatio: number
  private readonly referencePs: number

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(values, { perWindow: false, subtracts: true }, context)
    this.additiveBps = values.additiveRate
    this.cutRatio = values.beta
    this.referencePs = referencePs(values)
  }

  protected override onLow(): void {
    this.rise(this.additiveBps)
  }

  protected override onMiddle(rttPs: number, gradient: number): void {
    const weight = Math.min(1, Math.max(0, 2 * gradient + 0.5))
    const error = (rttPs - this.referencePs) / this.referencePs
    this.scale(Math.max(0, 1 - this.cutRatio * weight * error), this.additiveBps * (1 - weight))
  }

  protected override onHigh(): void {}
}

export const patchedTimely = defineCongestion({
  name: 'patched-timely',
  help: 'TIMELY with a fixed point: the gradient weights steps up against cuts by the distance from a reference RTT',
  source: 'ECN or Delay, algorithm 2',
  needs: { timestamps: true },
  params,
  create: (values, context) => new PatchedTimely(values, context),
  targetRtt: (values) => ({ name: 'referenceRtt', rttPs: referencePs(values) }),
  cnpIntervalPs: () => 0,
})
