/**
 * Spans: a set of whole numbers as intervals, for PSNs that were seen. Numbers mostly come in order, so that one interval
 * holds them. Memory is bounded: of many intervals the lowest are forgotten.
 */
import { assert, CHECKED } from '../../core/base/assert.ts'
import { type Limits, MOST } from './limits.ts'

const NONE: number[] = []

export class Spans {
  /** Intervals in order, apart from each other: from <= number < to. Sets without any share one empty list. */
  #from: number[] = NONE
  #to: number[] = NONE
  readonly #limits: Pick<Limits, 'intervals'>

  constructor(limits: Pick<Limits, 'intervals'> = MOST) {
    this.#limits = limits
  }

  /** Numbers in it. */
  get size(): number {
    return this.#to.reduce((sum, to, i) => sum + to - this.#from[i]!, 0)
  }

  get first(): number | null {
    return this.#from[0] ?? null
  }

  /** Adds an interval; the result is how many of its numbers were in the set before. */
  add(from: number, to: number): number {
    if (to <= from) return 0
    const last = this.#to.length - 1
    if (last >= 0 && from === this.#to[last]) {
      this.#to[last] = to
      return 0
    }
    if (last < 0) {
      this.#from = [from]
      this.#to = [to]
      return 0
    }
    if (from > this.#to[last]!) {
      this.#from.push(from)
      this.#to.push(to)
      this.#forget()
      return 0
    }
    return this.#join(from, to)
  }

  remove(from: number, to: number): void {
    if (to <= from) return
    for (let i = this.#reaching(from + 1); i < this.#to.length && this.#from[i]! < to;) {
      const [start, end] = [this.#from[i]!, this.#to[i]!]
      const left = [
        [start, Math.min(end, from)],
        [Math.max(start, to), end],
      ].filter(([a, b]) => a! < b!)
      this.#from.splice(i, 1, ...left.map(([a]) => a!))
      this.#to.splice(i, 1, ...left.map(([, b]) => b!))
      i += left.length
    }
    this.#forget()
  }

  has(number: number): boolean {
    const i = this.#reaching(number + 1)
    return i < this.#to.length && this.#from[i]! <= number
  }

  /** The lowest number of the set from `from` to before `to`; null: there is none. */
  firstIn(from: number, to: number): number | null {
    const start = this.#from[this.#reaching(from + 1)]
    return start === undefined || start >= to ? null : Math.max(start, from)
  }

  /** The end of the interval that holds a number; the number itself if none does. */
  endAt(number: number): number {
    const i = this.#reaching(number + 1)
    return i < this.#to.length && this.#from[i]! <= number ? this.#to[i]! : number
  }

  /** Intervals from `from` to before `to` that are not in the set. */
  gaps(from: number, to: number): [number, number][] {
    const found: [number, number][] = []
    let at = from
    for (let i = this.#reaching(from + 1); at < to; i++) {
      const start = Math.min(to, this.#from[i] ?? to)
      if (at < start) found.push([at, start])
      at = Math.max(start, this.#to[i] ?? to)
    }
    return found
  }

  /** Index of the first interval whose end is at least `end`. */
  #reaching(end: number): number {
    let low = 0
    let high = this.#to.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#to[middle]! < end) low = middle + 1
      else high = middle
    }
    return low
  }

  #join(from: number, to: number): number {
    const first = this.#reaching(from)
    let [start, end, known, after] = [from, to, 0, first]
    while (after < this.#to.length && this.#from[after]! <= to) {
      const [a, b] = [this.#from[after]!, this.#to[after]!]
      known += Math.max(0, Math.min(b, to) - Math.max(a, from))
      start = Math.min(start, a)
      end = Math.max(end, b)
      after++
    }
    this.#from.splice(first, after - first, start)
    this.#to.splice(first, after - first, end)
    this.#forget()
    return known
  }

  #forget(): void {
    const over = this.#to.length - this.#limits.intervals
    if (over > 0) {
      this.#from.splice(0, over)
      this.#to.splice(0, over)
    }
    if (CHECKED) this.#expectApart()
  }

  #expectApart(): void {
    const [from, to] = [this.#from, this.#to]
    assert(from.length === to.length && to.length <= this.#limits.intervals, 'spans: more intervals than have room')
    assert(
      to.every((end, i) => from[i]! < end && (i === 0 || to[i - 1]! < from[i]!)),
      'spans: intervals are out of order, empty or next to each other',
    )
  }
}
