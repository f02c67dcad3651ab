/**
 * Spans: times during which something held (a pause, a link that is down), each with a cause, of which there are few; how
 * much of an interval they cover. They do not overlap. Units: picoseconds.
 */
import type { Weights } from './blame.ts'

/** Spans kept before old ones are looked for. */
const FEW = 1024

export class Spans {
  private readonly byCause: CauseSpans[] = []
  /** The same, whatever the cause. */
  private readonly all = new CauseSpans(-1)
  /** The one that has a span which is not over. */
  private current: CauseSpans | null = null
  private long = FEW

  /** A span with this cause begins, instead of one that is open. */
  open(nowPs: number, cause = 0): void {
    if (this.current?.cause === cause) return
    this.close(nowPs)
    let spans = this.byCause.find((one) => one.cause === cause)
    if (spans === undefined) this.byCause.push((spans = new CauseSpans(cause)))
    spans.begin(nowPs)
    this.all.begin(nowPs)
    this.current = spans
  }

  close(nowPs: number): void {
    if (this.current === null) return
    this.current.end(nowPs)
    this.all.end(nowPs)
    this.current = null
  }

  /** Time of the interval that is covered. Neither end lies in the future; what `forget` has dropped counts as not covered. */
  within(fromPs: number, toPs: number): number {
    let sumPs = 0
    for (let at = 0; at < this.byCause.length; at++) sumPs += this.byCause[at]!.within(fromPs, toPs)
    return sumPs
  }

  /** The same, of an interval of which nothing was dropped. */
  recentWithin(fromPs: number, toPs: number): number {
    return this.all.within(fromPs, toPs)
  }

  /** Adds the time of the interval that is covered, by cause. @returns all of it */
  addWithin(fromPs: number, toPs: number, byCause: Weights): number {
    let sumPs = 0
    for (let at = 0; at < this.byCause.length; at++) {
      const spans = this.byCause[at]!
      const spanPs = spans.within(fromPs, toPs)
      if (spanPs > 0) byCause.add(spans.cause, spanPs)
      sumPs += spanPs
    }
    return sumPs
  }

  /** There are many spans: worth to forget some. */
  get isLong(): boolean {
    return this.length > this.long
  }

  /** Forgets spans that ended before then. */
  forget(beforePs: number): void {
    for (const spans of this.byCause) spans.forget(beforePs)
    this.all.forget(beforePs)
    this.long = Math.max(FEW, 2 * this.length)
  }

  private get length(): number {
    return this.byCause.reduce((sum, { length }) => sum + length, 0)
  }
}

/** Those of one cause, in order. */
class CauseSpans {
  readonly cause: number
  /** Ends of the spans, and the time covered before each begins. */
  private from: number[] = []
  private to: number[] = []
  private before: number[] = []

  constructor(cause: number) {
    this.cause = cause
  }

  get length(): number {
    return this.from.length
  }

  begin(nowPs: number): void {
    const last = this.from.length - 1
    this.before.push(last < 0 ? 0 : this.before[last]! + this.to[last]! - this.from[last]!)
    this.from.push(nowPs)
    this.to.push(Infinity)
  }

  end(nowPs: number): void {
    this.to[this.to.length - 1] = nowPs
  }

  within(fromPs: number, toPs: number): number {
    const last = this.to.length - 1
    return last < 0 || toPs <= fromPs || this.to[last]! <= fromPs ? 0 : this.until(toPs) - this.until(fromPs)
  }

  forget(beforePs: number): void {
    const kept = this.to.findIndex((toPs) => toPs >= beforePs)
    const dropped = kept < 0 ? this.to.length - 1 : kept
    if (dropped <= 0) return
    this.from.splice(0, dropped)
    this.to.splice(0, dropped)
    this.before.splice(0, dropped)
  }

  /** Time covered up to then. */
  private until(timePs: number): number {
    const at = this.indexAt(timePs)
    if (at < 0) return this.before[0]!
    return this.before[at]! + Math.min(timePs, this.to[at]!) - this.from[at]!
  }

  /** The last span that begins at or before then; -1: none. */
  private indexAt(timePs: number): number {
    let high = this.from.length
    // Most that is asked for is near the end.
    let low = high - 1
    for (let step = 1; low >= 0 && this.from[low]! > timePs; step *= 2) {
      high = low
      low -= step
    }
    low = Math.max(0, low)
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.from[middle]! <= timePs) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
