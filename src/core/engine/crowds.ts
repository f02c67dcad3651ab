/**
 * HOT. Crowds: the events of buckets that thousands share, as hosts in lockstep have them. A crowd is a chain of chunks
 * of slots in the order in which they came; it is sorted by (time, order) when the cursor gets to its bucket.
 * Why arrays of slots and not lists of events: an event's record is in no cache. To add a slot touches none; to sort
 * reads each once, and many at a time, as no address depends on the record before.
 * Shapes: a bucket is the offset of its head, with its tail next; the head of one with a crowd is CROWDED, and its tail the
 * crowd's end, the offset where the next slot goes. A chunk is CHUNK integers, first the offset of the chunk before it, or
 * -1, then slots.
 */
import { DOUBLES, INTS, type Memory } from '../base/memory.ts'
import { EVENT_NEXT, EVENT_ORDER } from './event-record.ts'

const times = DOUBLES
const links = INTS

/** Head of a bucket with a crowd. */
export const CROWDED = -2
/** Integers. */
const CHUNK = 64
/** Events of a list among which one of the crowd is looked for. */
const LOOKS_MAX = 64
/** Integers taken from the memory at first, and at most at once. */
const FIRST = 16 * CHUNK
const MOST = 1024 * CHUNK

export class Crowds {
  private readonly memory: Memory
  /** First free chunk; there is always one. */
  private free = -1
  private taken = 0
  /** Number of events of the crowd sorted last. */
  private count = 0
  /** Its time, order and slot of each event. */
  private timesPs = new Float64Array(256)
  private orders = new Float64Array(256)
  private slots = new Int32Array(256)
  /** Indexes of its events, in the order so far, and room for the next pass. */
  private ranks: Int32Array = new Int32Array(256)
  private merged: Int32Array = new Int32Array(256)
  /** Indexes of its events when it was sorted. */
  private order: Int32Array = this.ranks

  constructor(memory: Memory) {
    this.memory = memory
    this.grow()
  }

  /** Makes a crowd of a bucket's list and one more event. */
  open(bucket: number, slot: number): void {
    let end = this.takeChunk(-1)
    for (let at = links[bucket]!; at >= 0; at = links[(at << 1) | EVENT_NEXT]!) end = this.add(end, at)
    links[bucket] = CROWDED
    links[bucket | 1] = this.add(end, slot)
  }

  /** Adds an event to a bucket's crowd. */
  join(bucket: number, slot: number): void {
    links[bucket | 1] = this.add(links[bucket | 1]!, slot)
  }

  /** Writes a slot at the end of a crowd. @returns its new end */
  private add(end: number, slot: number): number {
    links[end] = slot
    const next = end + 1
    return (next & (CHUNK - 1)) === 0 ? this.takeChunk(end & -CHUNK) : next
  }

  /** Turns a bucket's crowd into a list sorted by time and order. */
  sort(bucket: number): void {
    const count = this.collect(links[bucket | 1]!)
    const { slots } = this
    const order = this.sortRanks(count)
    this.count = count
    this.order = order
    let slot = slots[order[0]!]!
    links[bucket] = slot
    for (let i = 1; i < count; i++) {
      const next = slots[order[i]!]!
      links[(slot << 1) | EVENT_NEXT] = next
      slot = next
    }
    links[(slot << 1) | EVENT_NEXT] = -1
    links[bucket | 1] = slot
  }

  /**
   * An event of a list from which a place for another one is not far: of the crowd sorted last, the last event that comes before
   * it. The list is what is left of that crowd and what came since; its head comes before the event, and is returned where
   * nothing nearer is known. The crowd's events leave in their order: once one is found in the list, those behind it are there
   * too, up to the event, as they have the same bucket.
   */
  nearBefore(slot: number, head: number): number {
    const { slots, order, orders } = this
    const before = this.rankOf(slot)
    let at = head
    for (let left = LOOKS_MAX; left > 0 && at >= 0; left--) {
      const rank = this.rankOf(at)
      if (rank >= before) return head
      const i = order[rank]!
      if (slots[i] === at && orders[i]! === times[at | EVENT_ORDER]!) return slots[order[before - 1]!]!
      at = links[(at << 1) | EVENT_NEXT]!
    }
    return head
  }

  /** Number of events of the crowd sorted last that came before an event. */
  private rankOf(slot: number): number {
    const { order, timesPs, orders } = this
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >> 1
      const i = order[middle]!
      if (timesPs[i]! < times[slot]! || (timesPs[i]! === times[slot]! && orders[i]! < times[slot | EVENT_ORDER]!))
        low = middle + 1
      else high = middle
    }
    return low
  }

  /** Copies a crowd's events to the arrays, the oldest first, and frees its chunks. @returns how many there are */
  private collect(end: number): number {
    let count = (end & (CHUNK - 1)) - 1
    let chunk = end & -CHUNK
    for (let at = links[chunk]!; at >= 0; at = links[at]!) count += CHUNK - 1
    if (count > this.slots.length) this.widen(count)
    const { slots, timesPs, orders } = this
    let from = count
    let until = end
    while (chunk >= 0) {
      from -= until - chunk - 1
      for (let at = chunk + 1, i = from; at < until; at++, i++) slots[i] = links[at]!
      const before = links[chunk]!
      links[chunk] = this.free
      this.free = chunk
      chunk = before
      until = chunk + CHUNK
    }
    for (let i = 0; i < count; i++) {
      timesPs[i] = times[slots[i]!]!
      orders[i] = times[slots[i]! | EVENT_ORDER]!
    }
    return count
  }

  /** Sorts the events' indexes: a merge sort of the ascending runs that they consist of, mostly few. */
  private sortRanks(count: number): Int32Array {
    let from = this.ranks
    let to = this.merged
    for (let i = 0; i < count; i++) from[i] = i
    for (;;) {
      let runs = 0
      let at = 0
      while (at < count) {
        const middle = this.runEnd(from, at, count)
        const end = middle < count ? this.runEnd(from, middle, count) : count
        this.merge(from, to, at, middle, end)
        at = end
        runs++
      }
      if (runs === 1) return to
      const other = from
      from = to
      to = other
    }
  }

  /** Index behind the ascending run that begins at an index. */
  private runEnd(ranks: Int32Array, from: number, count: number): number {
    let at = from + 1
    while (at < count && this.isBefore(ranks[at - 1]!, ranks[at]!)) at++
    return at
  }

  private merge(from: Int32Array, to: Int32Array, start: number, middle: number, end: number): void {
    let left = start
    let right = middle
    for (let at = start; at < end; at++) {
      const isLeft = right === end || (left < middle && this.isBefore(from[left]!, from[right]!))
      to[at] = isLeft ? from[left++]! : from[right++]!
    }
  }

  private isBefore(a: number, b: number): boolean {
    const aPs = this.timesPs[a]!
    const bPs = this.timesPs[b]!
    return aPs < bPs || (aPs === bPs && this.orders[a]! < this.orders[b]!)
  }

  /** Makes room for a larger crowd; a sort in progress has read nothing yet. */
  private widen(count: number): void {
    const length = 2 * count
    this.timesPs = new Float64Array(length)
    this.orders = new Float64Array(length)
    this.slots = new Int32Array(length)
    this.ranks = new Int32Array(length)
    this.merged = new Int32Array(length)
  }

  /** Begins a chunk behind another, or -1. @returns where its first slot goes */
  private takeChunk(before: number): number {
    const chunk = this.free
    this.free = links[chunk]!
    links[chunk] = before
    if (this.free < 0) this.grow()
    return chunk + 1
  }

  /** Doubles the number of chunks. */
  private grow(): void {
    const length = Math.min(MOST, Math.max(FIRST, this.taken))
    const from = this.memory.take(length, CHUNK)
    this.taken += length
    for (let chunk = from + length - CHUNK; chunk >= from; chunk -= CHUNK) {
      links[chunk] = this.free
      this.free = chunk
    }
  }
}
