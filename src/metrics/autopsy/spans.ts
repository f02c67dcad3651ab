/**
 * Spans: times during which something held (a pause, a link that is down), in order, each with a cause; how much of an
 * interval they cover. Units: picoseconds.
 */
import type { Weights } from './blame.ts'

/** Spans kept before old ones are looked for. */
const FEW = 1024

export class Spans {
  /** Ends of the spans, and the time covered before each begins. */
  #from: number[] = []
  #to: number[] = []
  #before: number[] = []
  #cause: number[] = []
  #long = FEW

  /** A span with this cause begins, instead of one that is open. */
  open(nowPs: number, cause = 0): void {
    const last = this.#from.length - 1
    if (last >= 0 && this.#to[last] === Infinity) {
      if (this.#cause[last] === cause) return
      this.#to[last] = nowPs
    }
    const before = last < 0 ? 0 : this.#before[last]! + this.#to[last]! - this.#from[last]!
    this.#from.push(nowPs)
    this.#to.push(Infinity)
    this.#before.push(before)
    this.#cause.push(cause)
  }

  close(nowPs: number): void {
    const last = this.#from.length - 1
    if (last >= 0 && this.#to[last] === Infinity) this.#to[last] = nowPs
  }

  /** Time of the interval that is covered. Neither end lies in the future; what `forget` has dropped counts as not covered. */
  within(fromPs: number, toPs: number): number {
    return toPs <= fromPs || this.#from.length === 0 ? 0 : this.#until(toPs) - this.#until(fromPs)
  }

  /** Adds the time of the interval that is covered, by cause. */
  addWithin(fromPs: number, toPs: number, byCause: Weights): void {
    for (let at = Math.max(0, this.#indexAt(fromPs)); at < this.#from.length; at++) {
      const startPs = Math.max(fromPs, this.#from[at]!)
      if (startPs >= toPs) return
      const spanPs = Math.min(toPs, this.#to[at]!) - startPs
      if (spanPs > 0) byCause.add(this.#cause[at]!, spanPs)
    }
  }

  /** There are many spans: worth to forget some. */
  get isLong(): boolean {
    return this.#from.length > this.#long
  }

  /** Forgets spans that ended before then. */
  forget(beforePs: number): void {
    const kept = this.#to.findIndex((toPs) => toPs >= beforePs)
    const dropped = kept < 0 ? this.#to.length - 1 : kept
    this.#long = Math.max(FEW, 2 * (this.#from.length - dropped))
    if (dropped <= 0) return
    this.#from.splice(0, dropped)
    this.#to.splice(0, dropped)
    this.#before.splice(0, dropped)
    this.#cause.splice(0, dropped)
  }

  /** Time covered up to then. */
  #until(timePs: number): number {
    const at = this.#indexAt(timePs)
    if (at < 0) return this.#before[0]!
    return this.#before[at]! + Math.min(timePs, this.#to[at]!) - this.#from[at]!
  }

  /** The last span that begins at or before then; -1: none. */
  #indexAt(timePs: number): number {
    let low = 0
    let high = this.#from.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#from[middle]! <= timePs) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
