/**
 * Blame: how much of each part of one message's time goes back to which origin. Amounts of a part add up to that part
 * where an origin is known, and are whole picoseconds.
 */
import { NO_ORIGIN } from '../pauses/origins.ts'

export class Blame {
  readonly parts: number[] = []
  readonly origins: number[] = []
  readonly spansPs: number[] = []

  clear(): void {
    this.parts.length = this.origins.length = this.spansPs.length = 0
  }

  add(part: number, origin: number, spanPs: number): void {
    if (spanPs <= 0 || origin === NO_ORIGIN) return
    for (let at = 0; at < this.parts.length; at++) {
      if (this.parts[at] !== part || this.origins[at] !== origin) continue
      this.spansPs[at]! += spanPs
      return
    }
    this.parts.push(part)
    this.origins.push(origin)
    this.spansPs.push(spanPs)
  }

  /** Shares a part out by weights; what has no origin stays without. @param wholePs weight of all of it, or more than the weights */
  share(part: number, partPs: number, weights: ReadonlyMap<number, number>, wholePs = 0): void {
    let sum = 0
    let largest = NO_ORIGIN
    for (const [origin, weight] of weights) {
      sum += weight
      if (origin !== NO_ORIGIN && weight > (weights.get(largest) ?? 0)) largest = origin
    }
    const all = Math.max(sum, wholePs)
    if (all <= 0 || largest === NO_ORIGIN) return
    // Rounded down; what is left over by rounding goes to the largest.
    let left = Math.round((partPs * (sum - (weights.get(NO_ORIGIN) ?? 0))) / all)
    for (const [origin, weight] of weights) {
      if (origin === NO_ORIGIN || origin === largest) continue
      const spanPs = Math.floor((partPs * weight) / all)
      this.add(part, origin, spanPs)
      left -= spanPs
    }
    this.add(part, largest, left)
  }
}
