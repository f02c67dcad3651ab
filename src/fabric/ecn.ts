/**
 * HOT. ECN marking: RED on the instantaneous egress queue, and early drop of ECN-incapable packets.
 * Units: bytes. One marker per port; its random stream is drawn from only where the probability is between 0 and 1.
 * Source: S4 2.1 (RED), S4 eq. 3 (WRED drop), S1 V-B.
 */
import type { RandomStream } from '../base/random.ts'
import { markingProbability } from './formulas.ts'

export interface MarkerOptions {
  /** Bit per class that marks. */
  readonly classes: number
  readonly kminBytes: number
  readonly kmaxBytes: number
  readonly pmax: number
  /** Equality counts as over. */
  readonly atLeast: boolean
  readonly random: RandomStream
}

export class Marker {
  /** No packet is marked while its queue is shorter. */
  readonly fromBytes: number
  private readonly classes: number
  private readonly options: MarkerOptions
  constructor(options: MarkerOptions) {
    this.classes = options.classes
    this.fromBytes = options.classes === 0 ? 2 ** 30 : Math.min(2 ** 30, options.kminBytes)
    this.options = options
  }

  /** Whether a packet of the class is marked at this queue length. */
  isMarked(trafficClass: number, queueBytes: number): boolean {
    if (queueBytes < this.fromBytes || (this.classes & (1 << trafficClass)) === 0) return false
    const o = this.options
    const probability = markingProbability(queueBytes, o.kminBytes, o.kmaxBytes, o.pmax, o.atLeast)
    return probability >= 1 || (probability > 0 && o.random.uniform() < probability)
  }
}
