/**
 * Totals: counters that only their owners change, sampled and reported as increments per interval.
 * Shapes: one sample is `width` numbers at one time. Before the first sample all are 0 at time 0.
 * Invariant: the intervals join without gap and their sums are the counters. Where samples are thinned (the samples
 * 0, k, 2k, ... stay, k a power of two) the intervals get longer and nothing is lost.
 */
import { assert } from '../../core/base/assert.ts'

export class Totals {
  readonly #maxSamples: number
  readonly #read: (into: Float64Array) => void
  readonly #width: number
  #timesPs: number[] = [0]
  #values: Float64Array[]
  #stride = 1
  #offered = 0

  /** @param maxRows the intervals come to at most this many rows of one number each, or to two intervals. */
  constructor(width: number, maxRows: number, read: (into: Float64Array) => void) {
    assert(width >= 1, 'totals: nothing to count')
    this.#width = width
    this.#maxSamples = Math.max(2, Math.floor(maxRows / width))
    this.#read = read
    this.#values = [new Float64Array(width)]
  }

  sample(nowPs: number): void {
    if (nowPs <= this.#timesPs.at(-1)!) return
    this.#offered++
    if (this.#offered % this.#stride !== 0) return
    this.#timesPs.push(nowPs)
    this.#values.push(this.#current())
    if (this.#timesPs.length <= this.#maxSamples) return
    this.#stride *= 2
    this.#timesPs = this.#timesPs.filter((_, i) => i % 2 === 0)
    this.#values = this.#values.filter((_, i) => i % 2 === 0)
  }

  /** Visits the intervals in order of time, the last one up to nowPs, with the counters at both ends. */
  eachInterval(
    nowPs: number,
    visit: (fromPs: number, toPs: number, before: Float64Array, after: Float64Array) => void,
  ): void {
    const count = this.#timesPs.length
    for (let i = 1; i < count; i++) {
      visit(this.#timesPs[i - 1]!, this.#timesPs[i]!, this.#values[i - 1]!, this.#values[i]!)
    }
    const lastPs = this.#timesPs.at(-1)!
    if (nowPs > lastPs) visit(lastPs, nowPs, this.#values.at(-1)!, this.#current())
  }

  #current(): Float64Array {
    const values = new Float64Array(this.#width)
    this.#read(values)
    return values
  }
}
