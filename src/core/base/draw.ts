/**
 * Draws from a random stream of their own.
 */
import { assert } from './assert.ts'
import { exp, ln } from './math.ts'
import { createRandomStreams, type RandomStream } from './random.ts'

export class Draw {
  readonly #stream: RandomStream

  constructor(seed: number, name: string) {
    this.#stream = createRandomStreams(seed).stream(name)
  }

  /** Integer, both ends included. */
  whole(from: number, to: number): number {
    return from + this.#stream.below(to - from + 1)
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.#stream.uniform()
  }

  /** Between two positive numbers, each doubling as likely as the next. */
  scaled(from: number, to: number): number {
    return exp(this.between(ln(from), ln(to)))
  }

  chance(probability: number): boolean {
    return this.#stream.uniform() < probability
  }

  one<T>(values: readonly T[]): T {
    assert(values.length > 0, 'a draw from nothing')
    return values[this.#stream.below(values.length)]!
  }

  /** Some of the values, each once, in random order. */
  some<T>(values: readonly T[], count: number): T[] {
    const left = [...values]
    return Array.from({ length: count }, () => left.splice(this.#stream.below(left.length), 1)[0]!)
  }

  seed(): number {
    return this.#stream.uint32()
  }
}
