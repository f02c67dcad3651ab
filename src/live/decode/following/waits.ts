/** Spans of time, of which what overlaps counts once. Memory is bounded: of many spans the first are added up. */
const SPANS_MAX = 512

export class Waits {
  #spans: [number, number][] = []
  #foldedPs = 0

  add(fromPs: number, toPs: number): void {
    if (toPs <= fromPs) return
    this.#spans.push([fromPs, toPs])
    if (this.#spans.length > 2 * SPANS_MAX) {
      const joined = this.#joined()
      for (const [from, to] of joined.splice(0, Math.max(0, joined.length - SPANS_MAX))) this.#foldedPs += to - from
      this.#spans = joined
    }
  }

  get totalPs(): number {
    return this.#joined().reduce((sum, [from, to]) => sum + to - from, this.#foldedPs)
  }

  #joined(): [number, number][] {
    const joined: [number, number][] = []
    for (const [from, to] of this.#spans.toSorted((a, b) => a[0] - b[0])) {
      const last = joined.at(-1)
      if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to)
      else joined.push([from, to])
    }
    return joined
  }
}
