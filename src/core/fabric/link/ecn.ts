/**
 * HOT. ECN marking: RED on the instantaneous egress queue, and early drop of ECN-incapable packets.
 * Units: bytes. One marker per port; its random stream is used only where the probability is between 0 and 1.
 * Source: [LDCP] 2.1 (RED), [LDCP] eq. 3 (WRED drop), [Survey] V-B.
 */
import type { RandomStream } from '../../base/random.ts'
import { markingProbability } from '../formulas.ts'

/** One object for all ports with equal rules, so that it stays in the cache. */
export interface MarkingRule {
  /** Bit per class that marks. */
  readonly classes: number
  readonly kminBytes: number
  readonly kmaxBytes: number
  readonly pmax: number
  /** A queue equal to a threshold counts as above it. */
  readonly atLeast: boolean
}

export class Marker {
  private rule: MarkingRule
  private readonly stream: () => RandomStream
  private random: RandomStream | null = null

  /** @param stream called when a packet is marked by chance for the first time, as most ports never do */
  constructor(rule: MarkingRule, stream: () => RandomStream) {
    this.rule = rule
    this.stream = stream
  }

  /** Marks by another rule from now on. */
  useRule(rule: MarkingRule): void {
    this.rule = rule
  }

  /** No packet is marked while its queue is shorter. */
  get fromBytes(): number {
    return this.rule.classes === 0 ? 2 ** 30 : Math.min(2 ** 30, this.rule.kminBytes)
  }

  /** Whether a packet of the class is marked at this queue length. */
  isMarked(trafficClass: number, queueBytes: number): boolean {
    const { classes, kminBytes, kmaxBytes, pmax, atLeast } = this.rule
    if ((classes & (1 << trafficClass)) === 0) return false
    const probability = markingProbability(queueBytes, kminBytes, kmaxBytes, pmax, atLeast)
    if (probability <= 0 || probability >= 1) return probability > 0
    this.random ??= this.stream()
    return this.random.uniform() < probability
  }
}
