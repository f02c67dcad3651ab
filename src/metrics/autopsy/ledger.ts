/**
 * Ledger: what held the sender of one queue pair, in the order of time: in which state, and by which origin.
 * Shape: entries of an interval each, of which they hold a part, since others and packets on the link come between; waits
 * of one state and origin are one entry up to the next `mark`. Units: picoseconds.
 */

/** Entries back to which a wait is joined with an earlier one. */
const REACH = 4

export class Ledger {
  #from: number[] = []
  #to: number[] = []
  #state: number[] = []
  #origin: number[] = []
  #span: number[] = []
  /** Entries before this one are not added to. */
  #marked = 0

  copy(): Ledger {
    const other = new Ledger()
    other.#from = [...this.#from]
    other.#to = [...this.#to]
    other.#state = [...this.#state]
    other.#origin = [...this.#origin]
    other.#span = [...this.#span]
    other.#marked = this.#marked
    return other
  }

  add(fromPs: number, toPs: number, state: number, origin: number, spanPs: number): void {
    const { length } = this.#from
    for (let at = length - 1; at >= this.#marked && at >= length - REACH; at--) {
      if (this.#state[at] !== state || this.#origin[at] !== origin) continue
      this.#to[at] = toPs
      this.#span[at]! += spanPs
      return
    }
    this.#from.push(fromPs)
    this.#to.push(toPs)
    this.#state.push(state)
    this.#origin.push(origin)
    this.#span.push(spanPs)
  }

  /** A message begins or ends: waits from now on have entries of their own. */
  mark(): void {
    this.#marked = this.#from.length
  }

  /** Waits within an interval; of an entry that reaches beyond it, the share of its time. */
  visit(fromPs: number, toPs: number, look: (state: number, origin: number, spanPs: number) => void): void {
    for (let at = 0; at < this.#from.length && this.#from[at]! < toPs; at++) {
      const from = this.#from[at]!
      const to = this.#to[at]!
      const withinPs = Math.min(to, toPs) - Math.max(from, fromPs)
      if (withinPs > 0) look(this.#state[at]!, this.#origin[at]!, (this.#span[at]! * withinPs) / (to - from))
    }
  }

  /** Entries that ended before then are not asked for any more. */
  forget(beforePs: number): void {
    let dropped = 0
    while (dropped < this.#marked && this.#to[dropped]! <= beforePs) dropped++
    if (dropped < 16 && dropped < this.#from.length) return
    for (const list of [this.#from, this.#to, this.#state, this.#origin, this.#span]) list.splice(0, dropped)
    this.#marked -= dropped
  }
}
