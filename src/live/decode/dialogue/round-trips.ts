/**
 * Round trips: from a packet that asks for an answer to that answer, of packets that were sent once (Karn).
 * Seen in the middle of a path they are those of its rest.
 */
import { assert, Bug, CHECKED } from '../../../core/base/assert.ts'
import type { Limits } from '../limits.ts'

const PENDING_MAX = 128
/** Buckets of 6 %: each power of two is cut into 16. */
const BUCKET_BITS = 4
const NONE: number[] = []

export interface RoundTrips {
  readonly count: number
  readonly minPs: number
  readonly p50Ps: number
  readonly p99Ps: number
  readonly maxPs: number
}

export class RoundTripMeter {
  readonly #limits: Limits
  /** Packets that wait for their answer, in the order of PSNs, from `#head` to before `#end`: PSN of the answer, and time. */
  #answerOf: number[] = NONE
  #timesPs: number[] = NONE
  #head = 0
  #end = 0
  #buckets: Buckets | null = null
  #sumPs = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** PSNs begin anew. */
  begin(): void {
    this.#head = this.#end = 0
  }

  /** @param answerOf PSN that its answer will have, above those before */
  asked(answerOf: number, timePs: number): void {
    if (this.#answerOf === NONE) {
      this.#answerOf = [0]
      this.#timesPs = [0]
    }
    const max = Math.min(PENDING_MAX, this.#limits.requests)
    if (this.#end - this.#head >= max) this.#head++
    if (this.#end >= 2 * max) {
      for (const list of [this.#answerOf, this.#timesPs]) list.copyWithin(0, this.#head, this.#end)
      this.#end -= this.#head
      this.#head = 0
    }
    if (CHECKED)
      assert(this.#head === this.#end || answerOf > this.#answerOf[this.#end - 1]!, 'round trips: PSNs go back')
    this.#answerOf[this.#end] = answerOf
    this.#timesPs[this.#end++] = timePs
  }

  answered(psn: number, timePs: number): void {
    let askedPs: number | null = null
    while (this.#head < this.#end && this.#answerOf[this.#head]! <= psn) {
      if (this.#answerOf[this.#head] === psn) askedPs = this.#timesPs[this.#head]!
      this.#head++
    }
    if (this.#head === this.#end) this.#head = this.#end = 0
    if (askedPs === null || timePs < askedPs) return
    const tookPs = Math.round(timePs - askedPs)
    // Clocks of damaged files run anywhere.
    if (!Number.isSafeInteger(tookPs)) return
    this.#buckets ??= new Buckets()
    this.#buckets.add(tookPs)
    this.#sumPs += tookPs
  }

  /** Packets from here on are sent again, so that their answers say nothing. */
  repeated(from: number): void {
    while (this.#head < this.#end && this.#answerOf[this.#end - 1]! >= from) this.#end--
  }

  get shortestPs(): number | null {
    return this.#buckets?.min ?? null
  }

  get meanPs(): number | null {
    return this.#buckets === null ? null : this.#sumPs / this.#buckets.count
  }

  facts(): RoundTrips | null {
    const buckets = this.#buckets
    if (buckets === null) return null
    const { count, min, max } = buckets
    const [p50Ps, p99Ps] = [buckets.quantile(0.5), buckets.quantile(0.99)]
    assert(min >= 0 && min <= p50Ps && p50Ps <= p99Ps && p99Ps <= max, 'round trips: quantiles are out of order')
    return { count, minPs: min, p50Ps, p99Ps, maxPs: max }
  }
}

/** A histogram of few values close together, as those of one connection are: it has the buckets that hold any, in order. */
class Buckets {
  readonly #from: number[] = []
  readonly #counts: number[] = []
  count = 0
  min = Infinity
  max = -Infinity

  /** A whole number. */
  add(value: number): void {
    this.count++
    this.min = Math.min(this.min, value)
    this.max = Math.max(this.max, value)
    const width = widthAt(value)
    const from = value - (value % width)
    let [low, high] = [0, this.#from.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#from[middle]! < from) low = middle + 1
      else high = middle
    }
    if (this.#from[low] === from) {
      this.#counts[low]!++
      return
    }
    this.#from.splice(low, 0, from)
    this.#counts.splice(low, 0, 1)
  }

  /** Nearest rank, as the middle of its bucket. */
  quantile(share: number): number {
    const rank = Math.max(1, Math.ceil(share * this.count))
    let seen = 0
    for (const [i, from] of this.#from.entries()) {
      seen += this.#counts[i]!
      if (seen < rank) continue
      return Math.min(this.max, Math.max(this.min, from + Math.floor((widthAt(from) - 1) / 2)))
    }
    throw new Bug('round trips: buckets hold fewer values than were added')
  }
}

function widthAt(value: number): number {
  const bits = value < 2 ** 32 ? 31 - Math.clz32(value) : 63 - Math.clz32(value / 2 ** 32)
  return bits <= BUCKET_BITS ? 1 : 2 ** (bits - BUCKET_BITS)
}
