/**
 * Blame: how much of each part of one message's time goes back to which origin. Amounts of a part add up to that part
 * where an origin is known, and are whole picoseconds. Origins of one message are few, so that a search from the first one
 * takes less than a map would; lists keep their room when they are cleared.
 */
import { NO_ORIGIN } from '../pauses/origins.ts'

/** Amounts by origin, in the order in which the origins came. */
export class Weights {
  /** Entries in use. */
  count = 0
  private readonly origins: number[] = []
  private readonly amounts: number[] = []

  originAt(index: number): number {
    return this.origins[index]!
  }

  amountAt(index: number): number {
    return this.amounts[index]!
  }

  /** Adds to the amount of an origin. @returns that */
  add(origin: number, amount: number): number {
    for (let at = 0; at < this.count; at++) if (this.origins[at] === origin) return (this.amounts[at]! += amount)
    this.origins[this.count] = origin
    this.amounts[this.count++] = amount
    return amount
  }

  clear(): void {
    this.count = 0
  }

  divide(by: number): void {
    for (let at = 0; at < this.count; at++) this.amounts[at]! /= by
  }

  /** The origin with the largest amount, the first of equals; NO_ORIGIN: there is none above 0. */
  get most(): number {
    let most = NO_ORIGIN
    let mostAmount = 0
    for (let at = 0; at < this.count; at++) {
      if (this.amounts[at]! <= mostAmount) continue
      mostAmount = this.amounts[at]!
      most = this.origins[at]!
    }
    return most
  }

  amountOf(origin: number): number {
    for (let at = 0; at < this.count; at++) if (this.origins[at] === origin) return this.amounts[at]!
    return 0
  }
}

export class Blame {
  /** Entries in use; the lists keep their room when they are cleared. */
  count = 0
  readonly parts: number[] = []
  readonly origins: number[] = []
  readonly spansPs: number[] = []

  clear(): void {
    this.count = 0
  }

  add(part: number, origin: number, spanPs: number): void {
    if (spanPs <= 0 || origin === NO_ORIGIN) return
    for (let at = 0; at < this.count; at++) {
      if (this.parts[at] !== part || this.origins[at] !== origin) continue
      this.spansPs[at]! += spanPs
      return
    }
    this.parts[this.count] = part
    this.origins[this.count] = origin
    this.spansPs[this.count++] = spanPs
  }

  /** Shares a part out by weights; what has no origin stays without. @param wholePs weight of all of it, or more than the weights */
  share(part: number, partPs: number, weights: Weights, wholePs = 0): void {
    let known = 0
    let unknown = 0
    let largest = -1
    for (let at = 0; at < weights.count; at++) {
      const amount = weights.amountAt(at)
      if (weights.originAt(at) === NO_ORIGIN) unknown += amount
      else {
        known += amount
        if (largest < 0 || amount > weights.amountAt(largest)) largest = at
      }
    }
    const all = Math.max(known + unknown, wholePs)
    if (known <= 0) return
    // Rounded down; what is left over by rounding goes to the largest.
    let left = Math.round((partPs * known) / all)
    for (let at = 0; at < weights.count; at++) {
      if (weights.originAt(at) === NO_ORIGIN || at === largest) continue
      const spanPs = Math.floor((partPs * weights.amountAt(at)) / all)
      this.add(part, weights.originAt(at), spanPs)
      left -= spanPs
    }
    this.add(part, weights.originAt(largest), left)
  }
}
