/** Dice: random choices for scenarios, the same from the same seed. The swarm's own numbers, not a stream of the program. */

export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
    // Neighbouring seeds begin alike: the first numbers are skipped.
    for (let i = 0; i < 8; i++) this.real()
  }

  /** In [0, 1); mulberry32. */
  real(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  chance(probability: number): boolean {
    return this.real() < probability
  }

  /** An integer from `low` to `high`. */
  from(low: number, high: number): number {
    return low + Math.floor(this.real() * (high - low + 1))
  }

  /** An integer from `low` (1 or more) to `high`, small ones as likely as large ones. */
  log(low: number, high: number): number {
    return Math.min(high, Math.floor(low * Math.exp(this.real() * Math.log((high + 1) / low))))
  }

  one<T>(items: readonly [T, ...T[]] | readonly T[]): T {
    return items[Math.floor(this.real() * items.length)] as T
  }

  /** Between `least` and `most` different items, in the order of `items`. */
  some<T>(items: readonly T[], least: number, most: number): T[] {
    const left = [...items]
    const count = Math.min(items.length, this.from(least, most))
    while (left.length > count) left.splice(Math.floor(this.real() * left.length), 1)
    return left
  }

  /** Now and then another value, else the first. */
  seldom<T>(standard: T, other: () => T, probability = 0.3): T {
    return this.chance(probability) ? other() : standard
  }
}
