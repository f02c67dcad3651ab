/**
 * Log-linear histogram: counts of values over many decades with a bounded relative error, in constant memory.
 * Values are integers 0 .. 2^53 - 1 (picoseconds, bytes). Below 2^precision every value has its own bucket; above,
 * each power of two is cut into 2^(precision - 1) equal buckets, so a bucket is at most 2^(1 - precision) of its
 * value wide (precision 8: 0.8 %). Recording allocates nothing.
 */
import { assert } from '../base/assert.ts'

const TWO_32 = 4294967296
/** 2^0 .. 2^53. */
const POWERS: Float64Array = ((): Float64Array => {
  const powers = new Float64Array(54)
  powers[0] = 1
  for (let i = 1; i < powers.length; i++) powers[i] = 2 * (powers[i - 1] as number)
  return powers
})()

export class Histogram {
  readonly precision: number
  private readonly counts: Float64Array
  private total: number
  private lowest: number
  private highest: number

  /** `precision` in bits, 2 .. 16. */
  constructor(precision = 8) {
    assert(precision >= 2 && precision <= 16, 'histogram: precision outside 2..16 bits')
    this.precision = precision
    // 2^precision single values, then 53 - precision powers of two of half as many buckets each.
    this.counts = new Float64Array((55 - precision) * (1 << (precision - 1)))
    this.total = 0
    this.lowest = Infinity
    this.highest = -Infinity
  }

  /** Values recorded. */
  get count(): number {
    return this.total
  }

  /** Smallest value recorded; NaN when none. */
  get min(): number {
    return this.total === 0 ? NaN : this.lowest
  }

  /** Largest value recorded; NaN when none. */
  get max(): number {
    return this.total === 0 ? NaN : this.highest
  }

  /** Counts one value: an integer 0 .. 2^53 - 1. */
  record(value: number): void {
    const index = this.indexOf(value)
    this.counts[index] = (this.counts[index] as number) + 1
    this.total++
    if (value < this.lowest) this.lowest = value
    if (value > this.highest) this.highest = value
  }

  /** Adds another histogram of the same precision to this one. */
  merge(other: Histogram): void {
    assert(other.precision === this.precision, 'histogram: precisions differ')
    for (let i = 0; i < this.counts.length; i++) {
      this.counts[i] = (this.counts[i] as number) + (other.counts[i] as number)
    }
    this.total += other.total
    this.lowest = Math.min(this.lowest, other.lowest)
    this.highest = Math.max(this.highest, other.highest)
  }

  /** Nearest-rank quantile, as the middle of its bucket (never outside min .. max); `share` 0 .. 1. */
  quantile(share: number): number {
    assert(share >= 0 && share <= 1, 'histogram: share outside 0..1')
    if (this.total === 0) return NaN
    const rank = Math.max(1, Math.ceil(share * this.total))
    let seen = 0
    for (let i = 0; i < this.counts.length; i++) {
      seen += this.counts[i] as number
      if (seen < rank) continue
      const from = this.fromOf(i)
      const middle = from + Math.floor((this.fromOf(i + 1) - 1 - from) / 2)
      return Math.min(this.highest, Math.max(this.lowest, middle))
    }
    return this.highest
  }

  /** The buckets that hold anything: from <= value < to. */
  buckets(): { readonly from: number; readonly to: number; readonly count: number }[] {
    const out = []
    for (let i = 0; i < this.counts.length; i++) {
      const count = this.counts[i] as number
      if (count > 0) out.push({ from: this.fromOf(i), to: this.fromOf(i + 1), count })
    }
    return out
  }

  private indexOf(value: number): number {
    assert(Number.isSafeInteger(value) && value >= 0, 'histogram: values are integers from 0 to 2^53 - 1')
    const bits = value < TWO_32 ? 32 - Math.clz32(value) : 64 - Math.clz32(value / TWO_32)
    const shift = bits - this.precision
    if (shift <= 0) return value
    const half = 1 << (this.precision - 1)
    return shift * half + Math.floor(value / (POWERS[shift] as number))
  }

  private fromOf(index: number): number {
    const half = 1 << (this.precision - 1)
    if (index < 2 * half) return index
    const shift = Math.floor(index / half) - 1
    return (index - shift * half) * (POWERS[shift] as number)
  }
}
