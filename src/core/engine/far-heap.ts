/**
 * Far heap: the events beyond the window of the timing wheel, in a heap with four children per node.
 * Units: picoseconds. Shape: slots of events (event-record.ts); a node's children are at 4 i + 1 to 4 i + 4.
 * Invariant: no event comes before its parent, by time, then by order.
 */
import { DOUBLES } from '../base/memory.ts'
import { isBefore } from './event-record.ts'

const times = DOUBLES

export class FarHeap {
  /** Time of the first event, or Infinity. */
  firstPs = Infinity
  size = 0
  private heap = new Int32Array(256)

  push(slot: number): void {
    if (this.size === this.heap.length) {
      const larger = new Int32Array(this.heap.length * 2)
      larger.set(this.heap)
      this.heap = larger
    }
    const heap = this.heap
    let at = this.size++
    while (at > 0) {
      const parent = (at - 1) >> 2
      if (!isBefore(slot, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = slot
    if (at === 0) this.firstPs = times[slot]!
  }

  /** Removes the first event; there must be one. */
  pop(): number {
    const heap = this.heap
    const first = heap[0]!
    const last = heap[--this.size]!
    const size = this.size
    let at = 0
    for (;;) {
      const child = 4 * at + 1
      if (child >= size) break
      let least = child
      const end = child + 4 < size ? child + 4 : size
      for (let other = child + 1; other < end; other++) if (isBefore(heap[other]!, heap[least]!)) least = other
      if (!isBefore(heap[least]!, last)) break
      heap[at] = heap[least]!
      at = least
    }
    heap[at] = last
    this.firstPs = size > 0 ? times[heap[0]!]! : Infinity
    return first
  }

  /** Removes all events, in no particular order. */
  takeAll(): readonly number[] {
    const all = [...this.heap.subarray(0, this.size)]
    this.size = 0
    this.firstPs = Infinity
    return all
  }
}
