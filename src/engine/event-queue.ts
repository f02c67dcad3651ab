/**
 * HOT. Event queue: a timing wheel for the near future, a heap for the far one.
 * Units: picoseconds. An event is (time, order, code); events leave by time, then by order.
 * Order: a number drawn when the event's cause happens (`draw`), which may be long before the event enters the
 * queue; so scheduling lazily never changes an order. Numbers only grow.
 * Shapes: an event is one record of four doubles in one buffer, seen twice: times[slot], times[slot + 1] = order,
 * links[2 * slot + 4] = code, links[2 * slot + 5] = next slot; a slot is the offset of its record. A bucket is a list
 * of slots sorted by (time, order).
 * Invariant: the wheel holds exactly the events with time < horizonPs; the heap holds the others.
 * Bucket of an event: floor(time / width) mod BUCKETS, where width is a power of two; within the window of
 * BUCKETS * width no two times share a bucket but by nearness. Finding the next full bucket: a bitmap of two levels.
 */
import { assert } from '../base/assert.ts'

const BUCKET_BITS = 15
const BUCKETS = 1 << BUCKET_BITS
const BUCKET_MASK = BUCKETS - 1
const WORDS = BUCKETS >> 5
const SUMMARY_WORDS = WORDS >> 5
/** Doubles per event. */
const RECORD = 4

export class EventQueue {
  /** Time of the event last taken. */
  nowPs = 0.5
  /** Order of the event last taken. */
  currentOrder = 0.5
  /** Code of the event last taken. */
  code = 0

  // Starts beyond the small integers, so that the engine keeps it as a double from the first day.
  #nextOrder = 2 ** 32

  readonly #inverseWidth: number
  readonly #windowPs: number
  readonly #widthPs: number
  #horizonPs: number
  #cursor = 0

  #times = new Float64Array(1024 * RECORD)
  #links = new Int32Array(this.#times.buffer)
  #free = -1
  #used = 0
  /** Head and tail of each bucket side by side. */
  readonly #ends = new Int32Array(2 * BUCKETS).fill(-1)
  readonly #words = new Int32Array(WORDS)
  readonly #summary = new Int32Array(SUMMARY_WORDS)

  #heap = new Int32Array(256)
  #heapSize = 0
  /** Time of the first event in the heap. */
  #farPs = Infinity

  /** @param widthBits bucket width as a power of two of picoseconds: 10 is about 1 ns, 8 about 0.25 ns. */
  constructor(widthBits = 10) {
    const widthPs = 2 ** widthBits
    this.#widthPs = widthPs
    this.#inverseWidth = 1 / widthPs
    this.#windowPs = widthPs * BUCKETS
    this.#horizonPs = this.#windowPs
    this.nowPs = 0
    this.currentOrder = 0
  }

  /** Events waiting; counted by walking, for tests. */
  get size(): number {
    let count = this.#heapSize
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      for (let slot = this.#ends[bucket << 1]!; slot >= 0; slot = this.#links[(slot << 1) + 5]!) count++
    }
    return count
  }

  /** The next order number: the place in line of something caused now. */
  draw(): number {
    return this.#nextOrder++
  }

  /** Puts an event in line. `timePs` not before now; `order` from `draw`; `code` a small non-negative integer. */
  schedule(timePs: number, order: number, code: number): void {
    assert(timePs >= this.nowPs, 'an event lies in the past')
    const slot = this.#slot()
    this.#times[slot] = timePs
    this.#times[slot + 1] = order
    this.#links[(slot << 1) + 4] = code
    this.#place(slot)
  }

  /**
   * Draws an order and schedules, for what is caused now and enters the queue at once.
   * Whole picoseconds below 2^31 travel without a heap number, so this is the form for packets.
   */
  after(delayPs: number, code: number): void {
    const slot = this.#slot()
    this.#times[slot] = this.nowPs + delayPs
    this.#times[slot + 1] = this.#nextOrder++
    this.#links[(slot << 1) + 4] = code
    this.#place(slot)
  }

  /** Schedules at the time and place in line that stand at `at` and behind in a column: no number leaves the column. */
  scheduleFrom(column: Float64Array, at: number, code: number): void {
    const slot = this.#slot()
    this.#times[slot] = column[at]!
    this.#times[slot + 1] = column[at + 1]!
    this.#links[(slot << 1) + 4] = code
    this.#place(slot)
  }

  /** Draws an order into a column. */
  drawInto(column: Float64Array, at: number): void {
    column[at] = this.#nextOrder++
  }

  #slot(): number {
    const free = this.#free
    if (free >= 0) {
      this.#free = this.#links[(free << 1) + 5]!
      return free
    }
    const slot = this.#used
    this.#used += RECORD
    if (slot === this.#times.length) this.#grow()
    return slot
  }

  #place(slot: number): void {
    if (this.#times[slot]! < this.#horizonPs) this.#insert(slot)
    else this.#pushFar(slot)
  }

  /** Takes the next event if its time is at most `limitPs`; sets nowPs, currentOrder and code. */
  take(limitPs: number): boolean {
    let slot = this.#ends[this.#cursor << 1]!
    if (slot < 0) {
      if (!this.#advance(limitPs)) return false
      slot = this.#ends[this.#cursor << 1]!
    }
    const times = this.#times
    const timePs = times[slot]!
    if (timePs > limitPs) return false
    const links = this.#links
    const link = (slot << 1) + 4
    const next = links[link + 1]!
    this.#ends[this.#cursor << 1] = next
    if (next < 0) this.#clear(this.#cursor)
    links[link + 1] = this.#free
    this.#free = slot
    this.nowPs = timePs
    this.currentOrder = times[slot + 1]!
    this.code = links[link]!
    return true
  }

  #clear(bucket: number): void {
    const word = bucket >> 5
    const rest = this.#words[word]! & ~(1 << (bucket & 31))
    this.#words[word] = rest
    if (rest === 0) this.#summary[word >> 5]! &= ~(1 << (word & 31))
  }

  #insert(slot: number): void {
    const timePs = this.#times[slot]!
    const order = this.#times[slot + 1]!
    // ToInt32 keeps the low 32 bits of the truncated quotient, of which the mask needs 15.
    const bucket = (timePs * this.#inverseWidth) & BUCKET_MASK
    const head = this.#ends[bucket << 1]!
    const times = this.#times
    const links = this.#links
    if (head < 0) {
      links[(slot << 1) + 5] = -1
      this.#ends[bucket << 1] = slot
      this.#ends[(bucket << 1) + 1] = slot
      const word = bucket >> 5
      this.#words[word]! |= 1 << (bucket & 31)
      this.#summary[word >> 5]! |= 1 << (word & 31)
      return
    }
    const tail = this.#ends[(bucket << 1) + 1]!
    const tailPs = times[tail]!
    if (tailPs < timePs || (tailPs === timePs && times[tail + 1]! < order)) {
      links[(slot << 1) + 5] = -1
      links[(tail << 1) + 5] = slot
      this.#ends[(bucket << 1) + 1] = slot
      return
    }
    let before = -1
    let at = head
    while (times[at]! < timePs || (times[at]! === timePs && times[at + 1]! < order)) {
      before = at
      at = links[(at << 1) + 5]!
    }
    links[(slot << 1) + 5] = at
    if (before < 0) this.#ends[bucket << 1] = slot
    else links[(before << 1) + 5] = slot
  }

  /** Moves the cursor to the next full bucket; false when nothing is due by `limitPs` (the cursor stays). */
  #advance(limitPs: number): boolean {
    const bucket = this.#nextFull(this.#cursor)
    if (bucket < 0) return this.#jump(limitPs)
    if (this.#times[this.#ends[bucket << 1]!]! > limitPs) return false
    this.#horizonPs += ((bucket - this.#cursor) & BUCKET_MASK) * this.#widthPs
    this.#cursor = bucket
    if (this.#farPs < this.#horizonPs) this.#drawNear()
    return true
  }

  /** The wheel is empty: goes straight to the first far event. */
  #jump(limitPs: number): boolean {
    const timePs = this.#farPs
    if (timePs > limitPs || timePs === Infinity) return false
    this.#cursor = (timePs * this.#inverseWidth) & BUCKET_MASK
    this.#horizonPs = Math.floor(timePs * this.#inverseWidth) * this.#widthPs + this.#windowPs
    this.#drawNear()
    return true
  }

  /** What the heap holds inside the window joins the wheel. */
  #drawNear(): void {
    while (this.#farPs < this.#horizonPs) {
      const slot = this.#heap[0]!
      this.#popFar()
      this.#farPs = this.#heapSize > 0 ? this.#times[this.#heap[0]!]! : Infinity
      this.#insert(slot)
    }
  }

  /** First full bucket at or after `from`, going round; -1: the wheel is empty. */
  #nextFull(from: number): number {
    const word = from >> 5
    const bits = this.#words[word]! & (-1 << (from & 31))
    if (bits !== 0) return (word << 5) + lowestBit(bits)
    let group = word >> 5
    let summary = (word & 31) === 31 ? 0 : this.#summary[group]! & (-1 << ((word & 31) + 1))
    // The group it started in comes last once more: what lies before `from` is a window away.
    for (let i = 0; summary === 0; i++) {
      if (i === SUMMARY_WORDS) return -1
      group = (group + 1) & (SUMMARY_WORDS - 1)
      summary = this.#summary[group]!
    }
    const full = (group << 5) + lowestBit(summary)
    return (full << 5) + lowestBit(this.#words[full]!)
  }

  #before(a: number, b: number): boolean {
    const ta = this.#times[a]!
    const tb = this.#times[b]!
    return ta < tb || (ta === tb && this.#times[a + 1]! < this.#times[b + 1]!)
  }

  #pushFar(slot: number): void {
    if (this.#heapSize === this.#heap.length) {
      const larger = new Int32Array(this.#heap.length * 2)
      larger.set(this.#heap)
      this.#heap = larger
    }
    const heap = this.#heap
    let at = this.#heapSize++
    while (at > 0) {
      const parent = (at - 1) >> 2
      if (!this.#before(slot, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = slot
    if (at === 0) this.#farPs = this.#times[slot]!
  }

  #popFar(): void {
    const heap = this.#heap
    const last = heap[--this.#heapSize]!
    const size = this.#heapSize
    let at = 0
    for (;;) {
      const first = at * 4 + 1
      if (first >= size) break
      let least = first
      const end = first + 4 < size ? first + 4 : size
      for (let child = first + 1; child < end; child++) if (this.#before(heap[child]!, heap[least]!)) least = child
      if (!this.#before(heap[least]!, last)) break
      heap[at] = heap[least]!
      at = least
    }
    heap[at] = last
  }

  #grow(): void {
    const times = new Float64Array(this.#times.length * 2)
    times.set(this.#times)
    this.#times = times
    this.#links = new Int32Array(times.buffer)
  }
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}
