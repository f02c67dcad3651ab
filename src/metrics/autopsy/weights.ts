/**
 * Weights: amounts by origin, in the order in which the origins came. They are few, so that a search from the first one
 * takes less than a map would; and the lists keep their room when they are cleared.
 */
import { NO_ORIGIN } from '../pauses/origins.ts'

export class Weights {
  /** Entries in use. */
  count = 0
  readonly #origins: number[] = []
  readonly #amounts: number[] = []

  originAt(index: number): number {
    return this.#origins[index]!
  }

  amountAt(index: number): number {
    return this.#amounts[index]!
  }

  /** Adds to the amount of an origin. @returns that */
  add(origin: number, amount: number): number {
    for (let at = 0; at < this.count; at++) if (this.#origins[at] === origin) return (this.#amounts[at]! += amount)
    this.#origins[this.count] = origin
    this.#amounts[this.count++] = amount
    return amount
  }

  clear(): void {
    this.count = 0
  }

  divide(by: number): void {
    for (let at = 0; at < this.count; at++) this.#amounts[at]! /= by
  }

  /** The origin with the largest amount, the first of equals; NO_ORIGIN: there is none above 0. */
  get most(): number {
    let most = NO_ORIGIN
    let mostAmount = 0
    for (let at = 0; at < this.count; at++) {
      if (this.#amounts[at]! <= mostAmount) continue
      mostAmount = this.#amounts[at]!
      most = this.#origins[at]!
    }
    return most
  }

  amountOf(origin: number): number {
    for (let at = 0; at < this.count; at++) if (this.#origins[at] === origin) return this.#amounts[at]!
    return 0
  }
}
