/**
 * Clocks of capture files: times of two halves of 32 bits, in counts of any length. Differences are exact, although counts
 * since 1970 exceed 2^53.
 */

export interface ClockSettings {
  /** Counts of the lower half in a second. */
  readonly perSecond: bigint
  /** Counts of the lower half in one of the upper. */
  readonly perHigh: bigint
  /** Seconds to add to all times. */
  readonly offsetSeconds: bigint
}

const PS_PER_SECOND = 10n ** 12n

export class Clock {
  readonly #settings: ClockSettings
  readonly #lowPs: number
  readonly #highPs: number
  /** The first time that was asked for; later ones are differences to it. */
  #first: { readonly high: number; readonly low: number; readonly afterPs: number } | null = null

  constructor(settings: ClockSettings) {
    this.#settings = settings
    this.#lowPs = Number(PS_PER_SECOND) / Number(settings.perSecond)
    this.#highPs = this.#lowPs * Number(settings.perHigh)
  }

  /** Picoseconds since 1970, rounded down. */
  sinceEpochPs(high: number, low: number): bigint {
    const { perSecond, perHigh, offsetSeconds } = this.#settings
    const counts = BigInt(high) * perHigh + BigInt(low)
    return (counts * PS_PER_SECOND) / perSecond + offsetSeconds * PS_PER_SECOND
  }

  /** Picoseconds after a start; the start is the same in all calls. */
  afterPs(startPs: bigint, high: number, low: number): number {
    this.#first ??= { high, low, afterPs: Number(this.sinceEpochPs(high, low) - startPs) }
    const { high: firstHigh, low: firstLow, afterPs } = this.#first
    // Adding zero makes a negative zero positive.
    return Math.round(afterPs + (high - firstHigh) * this.#highPs + (low - firstLow) * this.#lowPs) + 0
  }
}
