/**
 * HOT. Event queue: a timing wheel for the near future, a heap for the far one.
 * Units: picoseconds. An event is (time, order, code); events leave by time, then by order.
 * Order: a number assigned when the event's cause happens (`draw`), which may be long before the event enters the
 * queue, so that scheduling lazily never changes an order. Numbers only grow.
 * Shapes: an event is a record of event-record.ts, four doubles in a slot. A bucket is a list of slots sorted by (time,
 * order); head and tail of each bucket, the bitmap and its summary stand in front of the queue's slots. Where thousands of
 * events have one time, as hosts in lockstep have, a place in the list would be looked for too long: such a bucket has a
 * crowd (crowds.ts), which is sorted when the cursor gets there.
 * An owner with at most one event at a time (a packet, a port) may keep it at the front of its own record and needs no
 * slot of the queue (`enter`); codes of all other events have the lowest bit set (POOLED).
 * Invariant: the wheel holds exactly the events with time < horizonPs; the heap holds the others.
 * Bucket of an event: floor(time / width) mod BUCKETS, where width is a power of two; within the window of
 * BUCKETS * width only times of one interval share a bucket. The next full bucket is found in a bitmap of two levels,
 * whose bits are set one by one and cleared a word at a time, when the cursor leaves the word; the window starts at the
 * cursor's word, so it holds no bit of a later revolution.
 * Fields that hold times start as fractions, so that V8 stores them as doubles in place and allocates no heap numbers.
 * Rare cases are handled in tail calls, because V8 repeats its type checks after a call in the middle of a function.
 */
import { assert, CHECKED } from '../base/assert.ts'
import { DOUBLES, INTS, type Memory } from '../base/memory.ts'
import { CROWDED, Crowds } from './crowds.ts'
import { EVENT_CODE, EVENT_NEXT, EVENT_ORDER, expectIdle, isBefore, POOLED, TAKEN } from './event-record.ts'
import { FarHeap } from './far-heap.ts'

const times = DOUBLES
const links = INTS

const BUCKET_BITS = 15
const BUCKETS = 1 << BUCKET_BITS
const BUCKET_MASK = BUCKETS - 1
const WORDS = BUCKETS >> 5
const SUMMARY_WORDS = WORDS >> 5
/** Widths range from 0.1 ns, where the wheel spans 4 us, to 16 ns, where it spans 0.5 ms. */
const MIN_WIDTH_BITS = 7
const MAX_WIDTH_BITS = 14
/** Doubles per event. */
const RECORD = 4
/** Offsets of the bitmap and its summary, in integers, behind the heads and tails of the buckets. Their low bits are 0. */
const BITMAP = 2 * BUCKETS
const SUMMARY = BITMAP + WORDS
/** Mean number of events in the narrowest bucket from which each bucket of several is a crowd. */
const CROWD = 4
/** Events that an insertion passes at most before its bucket is made a crowd. */
const PASSED_MAX = 64
/** Integers in front of the first slots, and including them; the whole is aligned to the latter. */
const FRONT = SUMMARY + SUMMARY_WORDS
const WHOLE = 2 * BITMAP

export class EventQueue {
  /** Time of the event last taken. */
  nowPs = 0.5
  /** Order of the event last taken. */
  currentOrder = 0.5
  // Starts beyond the small integers, so that V8 stores it as a double from the start.
  private nextOrder = 2 ** 32

  private widthBits = 0
  private inverseWidth = 0.5
  private widthPs = 0.5
  private horizonPs = 0.5
  /** Time of the last call of `retune`. */
  private tunedPs = 0.5
  /** No event later than this is taken. */
  limitPs = Infinity
  private cursor = 0

  private readonly memory: Memory
  /** Base offset of heads, tails and bitmaps. */
  private readonly front: number
  /** First free slot; there is always one. */
  private free = -1
  /** Integers taken by all slots. */
  private slotInts = 0

  private readonly far = new FarHeap()
  private readonly crowds: Crowds
  /** 1: on average even the narrowest bucket has several events. */
  private isDense = 0

  /** @param widthBits bucket width as a power of two of picoseconds, to begin with: 10 is about 1 ns. */
  constructor(memory: Memory, widthBits = 10) {
    this.memory = memory
    this.nowPs = 0
    this.currentOrder = 0
    this.tunedPs = 0
    const front = memory.take(WHOLE, WHOLE)
    this.front = front
    this.addSlots(front + FRONT, front + WHOLE)
    links.fill(-1, front, front + BITMAP)
    this.crowds = new Crowds(memory)
    this.setWidth(widthBits)
  }

  /**
   * Fits the width of the buckets to the mean distance between events. To be called now and then, after `events` events
   * since the last call; pending events are sorted again when the width is off by a factor of four or more. Changes no
   * order.
   */
  retune(events: number): void {
    const gapPs = (this.nowPs - this.tunedPs) / events
    this.tunedPs = this.nowPs
    this.isDense = gapPs * CROWD < 2 ** MIN_WIDTH_BITS ? 1 : 0
    let bits = MIN_WIDTH_BITS
    while (bits < MAX_WIDTH_BITS && 2 ** (bits + 1) <= gapPs) bits++
    if (Math.abs(bits - this.widthBits) >= 2) this.setWidth(bits)
  }

  private setWidth(bits: number): void {
    const waiting = [...this.far.takeAll(), ...this.wheel()]
    const front = this.front
    links.fill(-1, front, front + BITMAP)
    links.fill(0, front + BITMAP, front + FRONT)
    this.widthBits = bits
    this.widthPs = 2 ** bits
    this.inverseWidth = 1 / this.widthPs
    this.lookFrom(this.nowPs)
    for (const slot of waiting) this.line(slot)
  }

  /** Moves the cursor and the window to a time. */
  private lookFrom(timePs: number): void {
    const wordPs = this.widthPs * 32
    this.horizonPs = Math.floor(timePs / wordPs) * wordPs + this.widthPs * BUCKETS
    this.cursor = (timePs * this.inverseWidth) & BUCKET_MASK
  }

  /** Number of pending events, counted by walking the lists. */
  get size(): number {
    return this.far.size + [...this.wheel()].length
  }

  /** Slots of the wheel's events. */
  private *wheel(): Iterable<number> {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      if (links[this.front | (bucket << 1)] === CROWDED) this.crowds.sort(this.front | (bucket << 1))
      for (let at = links[this.front | (bucket << 1)]!; at >= 0; at = links[(at << 1) | EVENT_NEXT]!) yield at
    }
  }

  /** Returns the next order number, for an event whose cause happens now. */
  draw(): number {
    return this.nextOrder++
  }

  /** Schedules an event. `timePs` not before now; `order` from `draw`; `code` a small non-negative integer. */
  schedule(timePs: number, order: number, code: number): void {
    this.duePs = timePs
    this.dueOrder = order
    this.scheduleDue(code)
  }

  /** Time and order of the event that `scheduleDue` schedules: doubles in fields need no heap number. */
  duePs = 0.5
  dueOrder = 0.5

  /** Schedules an event at `duePs` with `dueOrder`. */
  scheduleDue(code: number): void {
    assert(this.duePs >= this.nowPs, 'an event lies in the past')
    const slot = this.free
    times[slot] = this.duePs
    times[slot | EVENT_ORDER] = this.dueOrder
    links[(slot << 1) | EVENT_CODE] = code
    this.putIn(slot)
  }

  /** Stores the next order number in `dueOrder`. */
  drawDue(): void {
    this.dueOrder = this.nextOrder++
  }

  /**
   * Assigns an order and schedules, relative to now, an event that enters the queue at once.
   * Whole picoseconds below 2^31 are passed without a heap number, so this is the form for packets.
   */
  after(delayPs: number, code: number): void {
    if (CHECKED) assert(delayPs >= 0, 'an event lies in the past')
    const slot = this.free
    times[slot] = this.nowPs + delayPs
    times[slot | EVENT_ORDER] = this.nextOrder++
    links[(slot << 1) | EVENT_CODE] = code
    this.putIn(slot)
  }

  /** Schedules a record that holds its time, not before now, and its order. `code` without POOLED; `record` its offset. */
  enter(record: number, code: number): void {
    if (CHECKED) expectIdle(record)
    if (CHECKED) assert(times[record >> 1]! >= this.nowPs, 'an event lies in the past')
    links[record | EVENT_CODE] = code
    this.line(record >> 1)
  }

  /** Schedules a record relative to now and assigns the event's order. */
  enterAfter(record: number, delayPs: number, code: number): void {
    if (CHECKED) expectIdle(record)
    if (CHECKED) assert(delayPs >= 0, 'an event lies in the past')
    const slot = record >> 1
    times[slot] = this.nowPs + delayPs
    times[slot | EVENT_ORDER] = this.nextOrder++
    links[record | EVENT_CODE] = code
    this.line(slot)
  }

  /** Assigns an order to the event of a record. */
  drawInto(record: number): void {
    times[(record >> 1) | EVENT_ORDER] = this.nextOrder++
  }

  /** Moves the first free slot, which has been filled in, to the wheel or the heap. */
  private putIn(slot: number): void {
    this.free = links[(slot << 1) | EVENT_NEXT]!
    this.line(slot)
    if (this.free < 0) this.grow()
  }

  private line(slot: number): void {
    if (times[slot]! < this.horizonPs) this.insert(slot)
    else this.far.push(slot)
  }

  /** Takes the next event if its time is at most `limitPs`: its code, or -1 for none; sets nowPs and currentOrder. */
  take(): number {
    let bucket = this.cursor
    let slot = links[this.front | (bucket << 1)]!
    if (slot < 0) {
      // Usually the next event is in the rest of the cursor's word.
      const bits = links[this.front | BITMAP | (bucket >> 5)]! & (-2 << (bucket & 31))
      if (bits === 0) return this.takeBeyond()
      bucket = (bucket & ~31) | (31 - Math.clz32(bits & -bits))
      slot = links[this.front | (bucket << 1)]!
      if (slot < 0) return this.takeSorted(bucket)
    }
    const timePs = times[slot]!
    if (timePs > this.limitPs) return -1
    this.cursor = bucket
    const record = slot << 1
    links[this.front | (bucket << 1)] = links[record | EVENT_NEXT]!
    const code = links[record | EVENT_CODE]!
    if (CHECKED) assert(code >= 0 && timePs >= this.nowPs, 'an event is taken twice, or out of order')
    if (CHECKED) links[record | EVENT_CODE] = TAKEN
    if ((code & POOLED) !== 0) {
      links[record | EVENT_NEXT] = this.free
      this.free = slot
    }
    this.nowPs = timePs
    this.currentOrder = times[slot | EVENT_ORDER]!
    return code
  }

  /** Takes the next event, which is in this crowded bucket. */
  private takeSorted(bucket: number): number {
    this.crowds.sort(this.front | (bucket << 1))
    return this.take()
  }

  /** Takes the next event when nothing is left in the cursor's word. */
  private takeBeyond(): number {
    const bucket = this.nextWord(this.cursor >> 5)
    if (bucket >= 0 && links[this.front | (bucket << 1)]! < 0) this.crowds.sort(this.front | (bucket << 1))
    if (bucket < 0 || times[links[this.front | (bucket << 1)]!]! > this.limitPs) return -1
    if (bucket >> 5 !== this.cursor >> 5) this.leaveWord(bucket >> 5)
    this.cursor = bucket
    return this.take()
  }

  /**
   * Code of the event that is next at this moment, or -1 when it is not in the cursor's word. Lets the caller prefetch the
   * memory that the event will need. Changes nothing.
   */
  peek(): number {
    let bucket = this.cursor
    if (links[this.front | (bucket << 1)]! < 0) {
      const bits = links[this.front | BITMAP | (bucket >> 5)]! & (-2 << (bucket & 31))
      if (bits === 0) return -1
      bucket = (bucket & ~31) | lowestBit(bits)
    }
    const slot = links[this.front | (bucket << 1)]!
    return slot < 0 ? -1 : links[(slot << 1) | EVENT_CODE]!
  }

  private insert(slot: number): void {
    const timePs = times[slot]!
    // ToInt32 keeps the low 32 bits of the truncated quotient, of which the mask needs 15.
    const bucket = (timePs * this.inverseWidth) & BUCKET_MASK
    const head = links[this.front | (bucket << 1)]!
    if (head < 0) {
      if (head === CROWDED) return this.crowds.join(this.front | (bucket << 1), slot)
      links[(slot << 1) | EVENT_NEXT] = -1
      links[this.front | (bucket << 1)] = slot
      links[this.front | (bucket << 1) | 1] = slot
      const word = bucket >> 5
      const bits = links[this.front | BITMAP | word]!
      links[this.front | BITMAP | word] = bits | (1 << (bucket & 31))
      if (bits === 0) links[this.front | SUMMARY | (word >> 5)]! |= 1 << (word & 31)
      return
    }
    if (this.isDense !== 0 && bucket !== this.cursor) return this.crowd(slot, bucket)
    const order = times[slot | EVENT_ORDER]!
    const tail = links[this.front | (bucket << 1) | 1]!
    const tailPs = times[tail]!
    if (tailPs < timePs || (tailPs === timePs && times[tail | EVENT_ORDER]! < order)) {
      links[(slot << 1) | EVENT_NEXT] = -1
      links[(tail << 1) | EVENT_NEXT] = slot
      links[this.front | (bucket << 1) | 1] = slot
      return
    }
    if (timePs < times[head]!) {
      links[(slot << 1) | EVENT_NEXT] = head
      links[this.front | (bucket << 1)] = slot
    } else this.insertInside(slot, bucket, head)
  }

  /** Inserts an event that comes before the last of a bucket's list. */
  private insertInside(slot: number, bucket: number, head: number): void {
    const timePs = times[slot]!
    const order = times[slot | EVENT_ORDER]!
    let before = -1
    let at = head
    let left = PASSED_MAX
    if (bucket === this.cursor && isBefore(head, slot)) {
      before = this.crowds.nearBefore(slot, head)
      at = links[(before << 1) | EVENT_NEXT]!
    }
    while (times[at]! < timePs || (times[at]! === timePs && times[at | EVENT_ORDER]! < order)) {
      if (left === 0) return this.crowd(slot, bucket)
      before = at
      at = links[(at << 1) | EVENT_NEXT]!
      left--
    }
    links[(slot << 1) | EVENT_NEXT] = at
    if (before < 0) links[this.front | (bucket << 1)] = slot
    else links[(before << 1) | EVENT_NEXT] = slot
  }

  /** Makes a crowd of a bucket's list and one more event. */
  private crowd(slot: number, bucket: number): void {
    this.crowds.open(this.front | (bucket << 1), slot)
    // Events of the cursor's bucket leave now: it stays sorted.
    if (bucket === this.cursor) this.crowds.sort(this.front | (bucket << 1))
  }

  /** First full bucket in the words after `word`, wrapping around; from the heap when the wheel is empty; -1: none due. */
  private nextWord(word: number): number {
    let group = word >> 5
    let summary = (word & 31) === 31 ? 0 : links[this.front | SUMMARY | group]! & (-2 << (word & 31))
    // The group of `word` is read last once more: the buckets before `word` are one revolution away.
    for (let i = 0; summary === 0; i++) {
      if (i === SUMMARY_WORDS) return this.jump(word)
      group = (group + 1) & (SUMMARY_WORDS - 1)
      summary = links[this.front | SUMMARY | group]!
      if (i === SUMMARY_WORDS - 1) summary &= ~(1 << (word & 31))
    }
    const full = (group << 5) + lowestBit(summary)
    return (full << 5) + lowestBit(links[this.front | BITMAP | full]!)
  }

  /** Moves the cursor to another word and the window with it; events of the heap inside the window join the wheel. */
  private leaveWord(word: number): void {
    const left = this.cursor >> 5
    links[this.front | BITMAP | left] = 0
    links[this.front | SUMMARY | (left >> 5)]! &= ~(1 << (left & 31))
    this.horizonPs += (((word - left) & (WORDS - 1)) << 5) * this.widthPs
    if (this.far.firstPs < this.horizonPs) this.drawNear()
  }

  /** With the wheel empty, moves to the first event of the heap and returns its bucket; -1: none due. */
  private jump(word: number): number {
    const timePs = this.far.firstPs
    if (timePs > this.limitPs || timePs === Infinity) return -1
    links[this.front | BITMAP | word] = 0
    links[this.front | SUMMARY | (word >> 5)]! &= ~(1 << (word & 31))
    this.lookFrom(timePs)
    this.drawNear()
    return this.cursor
  }

  /** Moves the events of the heap inside the window to the wheel. */
  private drawNear(): void {
    while (this.far.firstPs < this.horizonPs) this.insert(this.far.pop())
  }

  /** Doubles the number of slots. */
  private grow(): void {
    const length = this.slotInts
    const from = this.memory.take(length)
    this.addSlots(from, from + length)
  }

  /** Turns the integers of a range into free slots. */
  private addSlots(from: number, end: number): void {
    for (let record = from; record + 2 * RECORD <= end; record += 2 * RECORD) {
      links[record | EVENT_NEXT] = this.free
      this.free = record >> 1
      this.slotInts += 2 * RECORD
    }
  }
}

const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits)
