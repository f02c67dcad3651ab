/**
 * Ledger: what held the sender of one queue pair, in the order of time: in which state, and by which origin.
 * Shape: entries of an interval each, of which they hold a part, since others and packets on the link come between; waits
 * of one state and origin are one entry up to the next `mark`. Units: picoseconds.
 */

/** Fields of an entry. */
const FROM_PS = 0
const TO_PS = 1
const STATE = 2
const ORIGIN = 3
const SPAN_PS = 4
const WIDTH = 5
/** Entries back to which a wait is joined with an earlier one. */
const REACH = 4 * WIDTH
/** Entries that are forgotten together. */
const FEW = 16 * WIDTH

export class Ledger {
  private entries: number[] = []
  /** Fields before this one are not added to. */
  private marked = 0

  copy(): Ledger {
    const other = new Ledger()
    other.entries = [...this.entries]
    other.marked = this.marked
    return other
  }

  add(fromPs: number, toPs: number, state: number, origin: number, spanPs: number): void {
    const entries = this.entries
    const least = Math.max(this.marked, entries.length - REACH)
    for (let at = entries.length - WIDTH; at >= least; at -= WIDTH) {
      if (entries[at + STATE] !== state || entries[at + ORIGIN] !== origin) continue
      entries[at + TO_PS] = toPs
      entries[at + SPAN_PS]! += spanPs
      return
    }
    entries.push(fromPs, toPs, state, origin, spanPs)
  }

  /** A message begins or ends: waits from now on have entries of their own. */
  mark(): void {
    this.marked = this.entries.length
  }

  /** Waits within an interval; of an entry that reaches beyond it, the share of its time. */
  visit(fromPs: number, toPs: number, look: (state: number, origin: number, spanPs: number) => unknown): void {
    const entries = this.entries
    for (let at = 0; at < entries.length && entries[at + FROM_PS]! < toPs; at += WIDTH) {
      const from = entries[at + FROM_PS]!
      const to = entries[at + TO_PS]!
      const withinPs = Math.min(to, toPs) - Math.max(from, fromPs)
      if (withinPs > 0)
        look(entries[at + STATE]!, entries[at + ORIGIN]!, (entries[at + SPAN_PS]! * withinPs) / (to - from))
    }
  }

  /** Entries that ended before then are not asked for any more. */
  forget(beforePs: number): void {
    const entries = this.entries
    let dropped = 0
    while (dropped < this.marked && entries[dropped + TO_PS]! <= beforePs) dropped += WIDTH
    if (dropped === 0 || (dropped < FEW && dropped < entries.length)) return
    entries.splice(0, dropped)
    this.marked -= dropped
  }
}
