/**
 * HOT. Ready index: which entries of a long round robin may send, so that a search costs the same however many wait.
 * Entries that are ready stand as bits, those that will be in a heap by time; a search moves those that are due.
 * Units: picoseconds.
 * Invariant: an entry is in the bits, or in the heap under its time, or never ready.
 */
import { NEVER_PS } from '../../base/params.ts'
import { Bits } from './bits.ts'
import { IndexHeap } from './index-heap.ts'

export class ReadyIndex {
  private readonly bits: Bits
  private readonly heap: IndexHeap
  /** Time of the last search: entries ready by then are in the bits. */
  private untilPs = -Infinity

  /** @param room number of indexes. */
  constructor(room: number) {
    this.bits = new Bits(room)
    this.heap = new IndexHeap(room)
  }

  /** When the first of those that are not ready will be; NEVER_PS: none will. */
  get earliestPs(): number {
    return this.heap.earliestPs
  }

  /** First entry that is ready, from an index on and then from the first; -1: none is. */
  firstFrom(index: number, nowPs: number): number {
    this.untilPs = nowPs
    while (this.heap.earliestPs <= nowPs) this.bits.add(this.heap.take())
    return this.bits.firstFrom(index)
  }

  /** Sets when an entry may send next. */
  set(index: number, readyPs: number): void {
    if (readyPs > this.untilPs && readyPs < NEVER_PS) {
      this.bits.remove(index)
      this.heap.set(index, readyPs)
      return
    }
    this.heap.remove(index)
    if (readyPs < NEVER_PS) this.bits.add(index)
    else this.bits.remove(index)
  }
}
