/**
 * HOT. Event queue: a timing wheel for the near future, a heap for the far one.
 * Units: picoseconds. An event is (time, order, code); events leave by time, then by order.
 * Order: a number drawn when the event's cause happens (`draw`), which may be long before the event enters the
 * queue; so scheduling lazily never changes an order. Numbers only grow.
 * Shapes: everything is in one buffer, seen twice, so that taking and placing an event looks at two arrays and not at
 * five: in front head and tail of each bucket, the bitmap and its summary (`links`, integers), behind them the events.
 * An event is one record of four doubles: times[slot], times[slot | 1] = order,
 * links[2 * slot + 4] = code, links[2 * slot + 5] = next slot; a slot is the offset of its record, a multiple of 4. A
 * bucket is a list of slots sorted by (time, order).
 * Invariant: the wheel holds exactly the events with time < horizonPs; the heap holds the others.
 * Bucket of an event: floor(time / width) mod BUCKETS, where width is a power of two; within the window of
 * BUCKETS * width no two times share a bucket but by nearness. Finding the next full bucket: a bitmap of two levels,
 * whose bits are set one by one and cleared a word at a time, when the cursor leaves the word; the window starts at the
 * cursor's word, so no bit of a later turn can be in it.
 * Fields that hold times start as fractions: the engine then keeps them as doubles in place and makes no heap numbers.
 * What is rare is called last of all: behind a call in the middle the engine checks anew what every object is.
 */
import { alignedDoubles } from '../base/aligned.ts'
import { assert } from '../base/assert.ts'

const BUCKET_BITS = 15
const BUCKETS = 1 << BUCKET_BITS
const BUCKET_MASK = BUCKETS - 1
const WORDS = BUCKETS >> 5
const SUMMARY_WORDS = WORDS >> 5
/** Widths between 0.1 ns, where the wheel spans 4 us, and 16 ns, where it spans 0.5 ms. */
const MIN_WIDTH_BITS = 7
const MAX_WIDTH_BITS = 14
/** Doubles per event. */
const RECORD = 4
/** Where in `links` the bitmap and its summary begin, behind head and tail of each bucket side by side. Their low bits are 0. */
const BITMAP = 2 * BUCKETS
const SUMMARY = BITMAP + WORDS
/** Doubles in front of the first event. */
const FRONT = (SUMMARY + SUMMARY_WORDS) / 2

export class EventQueue {
  /** Time of the event last taken. */
  nowPs = 0.5
  /** Order of the event last taken. */
  currentOrder = 0.5
  // Starts beyond the small integers, so that the engine keeps it as a double from the first day.
  private nextOrder = 2 ** 32

  private widthBits = 0
  private inverseWidth = 0.5
  private widthPs = 0.5
  private horizonPs = 0.5
  /** When the width was last looked at. */
  private tunedPs = 0.5
  /** No event later than this is taken. */
  limitPs = Infinity
  private cursor = 0

  private times = alignedDoubles(FRONT + 1024 * RECORD)
  private links = new Int32Array(this.times.buffer, this.times.byteOffset)
  /** First of the free slots, of which there is always one. */
  private free = FRONT

  private heap = new Int32Array(256)
  private heapSize = 0
  /** Time of the first event in the heap. */
  private farPs = Infinity

  /** @param widthBits bucket width as a power of two of picoseconds, to begin with: 10 is about 1 ns. */
  constructor(widthBits = 10) {
    this.nowPs = 0
    this.currentOrder = 0
    this.tunedPs = 0
    this.links.fill(-1, 0, BITMAP)
    this.linkFree(FRONT)
    this.setWidth(widthBits)
  }

  /**
   * Fits the buckets to the run: about as wide as events are apart. To be called now and then, after `events` events
   * since the last call; what waits is sorted anew when the width is off by four times or more. Changes no order.
   */
  retune(events: number): void {
    const gapPs = (this.nowPs - this.tunedPs) / events
    this.tunedPs = this.nowPs
    let bits = MIN_WIDTH_BITS
    while (bits < MAX_WIDTH_BITS && 2 ** (bits + 1) <= gapPs) bits++
    if (Math.abs(bits - this.widthBits) >= 2) this.setWidth(bits)
  }

  private setWidth(bits: number): void {
    const waiting = [...this.heap.subarray(0, this.heapSize)]
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      for (let slot = this.links[bucket << 1]!; slot >= 0; slot = this.links[(slot << 1) | 5]!) waiting.push(slot)
    }
    this.links.fill(-1, 0, BITMAP)
    this.links.fill(0, BITMAP, 2 * FRONT)
    this.heapSize = 0
    this.farPs = Infinity
    this.widthBits = bits
    this.widthPs = 2 ** bits
    this.inverseWidth = 1 / this.widthPs
    this.lookFrom(this.nowPs)
    for (const slot of waiting) {
      if (this.times[slot]! < this.horizonPs) this.insert(slot)
      else this.pushFar(slot)
    }
  }

  /** Puts the cursor and the window where a time is. */
  private lookFrom(timePs: number): void {
    const wordPs = this.widthPs * 32
    this.horizonPs = Math.floor(timePs / wordPs) * wordPs + this.widthPs * BUCKETS
    this.cursor = (timePs * this.inverseWidth) & BUCKET_MASK
  }

  /** Events waiting; counted by walking, for tests. */
  get size(): number {
    let count = this.heapSize
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      for (let slot = this.links[bucket << 1]!; slot >= 0; slot = this.links[(slot << 1) | 5]!) count++
    }
    return count
  }

  /** The next order number: the place in line of something caused now. */
  draw(): number {
    return this.nextOrder++
  }

  /** Puts an event in line. `timePs` not before now; `order` from `draw`; `code` a small non-negative integer. */
  schedule(timePs: number, order: number, code: number): void {
    assert(timePs >= this.nowPs, 'an event lies in the past')
    const slot = this.free
    this.times[slot] = timePs
    this.times[slot | 1] = order
    this.links[(slot << 1) | 4] = code
    this.place(slot)
  }

  /** Time and place in line of the event that `scheduleDue` puts there: doubles in fields need no heap number. */
  duePs = 0.5
  dueOrder = 0.5

  /** Puts an event in line at `duePs` and `dueOrder`. */
  scheduleDue(code: number): void {
    assert(this.duePs >= this.nowPs, 'an event lies in the past')
    const slot = this.free
    this.times[slot] = this.duePs
    this.times[slot | 1] = this.dueOrder
    this.links[(slot << 1) | 4] = code
    this.place(slot)
  }

  /** The next place in line, into `dueOrder`. */
  drawDue(): void {
    this.dueOrder = this.nextOrder++
  }

  /**
   * Draws an order and schedules, for what is caused now and enters the queue at once.
   * Whole picoseconds below 2^31 travel without a heap number, so this is the form for packets.
   */
  after(delayPs: number, code: number): void {
    const slot = this.free
    this.times[slot] = this.nowPs + delayPs
    this.times[slot | 1] = this.nextOrder++
    this.links[(slot << 1) | 4] = code
    this.place(slot)
  }

  /** Schedules at the time and place in line that stand at `at`, even, and behind in a column: no number leaves the column. */
  scheduleFrom(column: Float64Array, at: number, code: number): void {
    const slot = this.free
    this.times[slot] = column[at]!
    this.times[slot | 1] = column[at | 1]!
    this.links[(slot << 1) | 4] = code
    this.place(slot)
  }

  /** Draws an order into a column. */
  drawInto(column: Float64Array, at: number): void {
    column[at] = this.nextOrder++
  }

  /** The first free slot, filled in, takes its place. */
  private place(slot: number): void {
    this.free = this.links[(slot << 1) | 5]!
    if (this.times[slot]! < this.horizonPs) this.insert(slot)
    else this.pushFar(slot)
    if (this.free < 0) this.grow()
  }

  /** Takes the next event if its time is at most `limitPs`: its code, or -1 for none; sets nowPs and currentOrder. */
  take(): number {
    const links = this.links
    let bucket = this.cursor
    let slot = links[bucket << 1]!
    if (slot < 0) {
      // Most often the next event is in the rest of the cursor's word.
      const bits = links[BITMAP | (bucket >> 5)]! & (-2 << (bucket & 31))
      if (bits === 0) return this.takeBeyond()
      bucket = (bucket & ~31) | (31 - Math.clz32(bits & -bits))
      slot = links[bucket << 1]!
    }
    const times = this.times
    const timePs = times[slot]!
    if (timePs > this.limitPs) return -1
    this.cursor = bucket
    const link = (slot << 1) | 4
    links[bucket << 1] = links[link | 1]!
    links[link | 1] = this.free
    this.free = slot
    this.nowPs = timePs
    this.currentOrder = times[slot | 1]!
    return links[link]!
  }

  /** Takes the next event, when nothing is left in the cursor's word. */
  private takeBeyond(): number {
    const bucket = this.nextWord(this.cursor >> 5)
    if (bucket < 0 || this.times[this.links[bucket << 1]!]! > this.limitPs) return -1
    if (bucket >> 5 !== this.cursor >> 5) this.leaveWord(bucket >> 5)
    this.cursor = bucket
    return this.take()
  }

  /**
   * Code of the event that is next as things are, or -1: it looks no further than the cursor's word. For whoever wants to
   * touch what that event will need while there is other work to do; it changes nothing.
   */
  peek(): number {
    const links = this.links
    let bucket = this.cursor
    if (links[bucket << 1]! < 0) {
      const bits = links[BITMAP | (bucket >> 5)]! & (-2 << (bucket & 31))
      if (bits === 0) return -1
      bucket = (bucket & ~31) | lowestBit(bits)
    }
    const slot = links[bucket << 1]!
    return slot < 0 ? -1 : links[(slot << 1) | 4]!
  }

  private insert(slot: number): void {
    const times = this.times
    const links = this.links
    const timePs = times[slot]!
    // ToInt32 keeps the low 32 bits of the truncated quotient, of which the mask needs 15.
    const bucket = (timePs * this.inverseWidth) & BUCKET_MASK
    const head = links[bucket << 1]!
    if (head < 0) {
      links[(slot << 1) | 5] = -1
      links[bucket << 1] = slot
      links[(bucket << 1) | 1] = slot
      const word = bucket >> 5
      const bits = links[BITMAP | word]!
      links[BITMAP | word] = bits | (1 << (bucket & 31))
      if (bits === 0) links[SUMMARY | (word >> 5)]! |= 1 << (word & 31)
      return
    }
    const order = times[slot | 1]!
    const tail = links[(bucket << 1) | 1]!
    const tailPs = times[tail]!
    if (tailPs < timePs || (tailPs === timePs && times[tail | 1]! < order)) {
      links[(slot << 1) | 5] = -1
      links[(tail << 1) | 5] = slot
      links[(bucket << 1) | 1] = slot
      return
    }
    let before = -1
    let at = head
    while (times[at]! < timePs || (times[at]! === timePs && times[at | 1]! < order)) {
      before = at
      at = links[(at << 1) | 5]!
    }
    links[(slot << 1) | 5] = at
    if (before < 0) links[bucket << 1] = slot
    else links[(before << 1) | 5] = slot
  }

  /** First full bucket in the words behind `word`, going round; draws on the heap when the wheel is empty; -1: none due. */
  private nextWord(word: number): number {
    let group = word >> 5
    let summary = (word & 31) === 31 ? 0 : this.links[SUMMARY | group]! & (-2 << (word & 31))
    // The group it started in comes last once more: what lies before `word` is a turn away.
    for (let i = 0; summary === 0; i++) {
      if (i === SUMMARY_WORDS) return this.jump(word)
      group = (group + 1) & (SUMMARY_WORDS - 1)
      summary = this.links[SUMMARY | group]!
      if (i === SUMMARY_WORDS - 1) summary &= ~(1 << (word & 31))
    }
    const full = (group << 5) + lowestBit(summary)
    return (full << 5) + lowestBit(this.links[BITMAP | full]!)
  }

  /** The cursor goes on to another word: the window moves with it, and what the heap holds inside it joins the wheel. */
  private leaveWord(word: number): void {
    const left = this.cursor >> 5
    this.links[BITMAP | left] = 0
    this.links[SUMMARY | (left >> 5)]! &= ~(1 << (left & 31))
    this.horizonPs += (((word - left) & (WORDS - 1)) << 5) * this.widthPs
    if (this.farPs < this.horizonPs) this.drawNear()
  }

  /** The wheel is empty: goes straight to the first far event, whose bucket it returns; -1: none due. */
  private jump(word: number): number {
    const timePs = this.farPs
    if (timePs > this.limitPs || timePs === Infinity) return -1
    this.links[BITMAP | word] = 0
    this.links[SUMMARY | (word >> 5)]! &= ~(1 << (word & 31))
    this.lookFrom(timePs)
    this.drawNear()
    return this.cursor
  }

  /** What the heap holds inside the window joins the wheel. */
  private drawNear(): void {
    while (this.farPs < this.horizonPs) {
      const slot = this.heap[0]!
      this.popFar()
      this.farPs = this.heapSize > 0 ? this.times[this.heap[0]!]! : Infinity
      this.insert(slot)
    }
  }

  private before(a: number, b: number): boolean {
    const ta = this.times[a]!
    const tb = this.times[b]!
    return ta < tb || (ta === tb && this.times[a | 1]! < this.times[b | 1]!)
  }

  private pushFar(slot: number): void {
    if (this.heapSize === this.heap.length) {
      const larger = new Int32Array(this.heap.length * 2)
      larger.set(this.heap)
      this.heap = larger
    }
    const heap = this.heap
    let at = this.heapSize++
    while (at > 0) {
      const parent = (at - 1) >> 2
      if (!this.before(slot, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = slot
    if (at === 0) this.farPs = this.times[slot]!
  }

  private popFar(): void {
    const heap = this.heap
    const last = heap[--this.heapSize]!
    const size = this.heapSize
    let at = 0
    for (;;) {
      const first = at * 4 + 1
      if (first >= size) break
      let least = first
      const end = first + 4 < size ? first + 4 : size
      for (let child = first + 1; child < end; child++) if (this.before(heap[child]!, heap[least]!)) least = child
      if (!this.before(heap[least]!, last)) break
      heap[at] = heap[least]!
      at = least
    }
    heap[at] = last
  }

  private grow(): void {
    const from = this.times.length
    const times = alignedDoubles(from * 2)
    times.set(this.times)
    this.times = times
    this.links = new Int32Array(times.buffer, times.byteOffset)
    this.linkFree(from)
  }

  /** Makes the slots from one on to the end free. */
  private linkFree(from: number): void {
    const end = this.times.length
    for (let slot = from; slot < end; slot += RECORD)
      this.links[(slot << 1) | 5] = slot + RECORD < end ? slot + RECORD : -1
    this.free = from
  }
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits)
}
