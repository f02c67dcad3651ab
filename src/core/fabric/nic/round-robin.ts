/**
 * HOT. Round robin over the QPs of one NIC that have something to send, up to `packetsPerTurn` packets each, 1 by default.
 * Units: picoseconds. Shapes: by index in the list a record of four integers: when the QP is ready, and the bit of its class.
 * Two rules for the pointer. Stable: it stays with the QP served last. Compacting (the HPCC fork's): it is an
 * index that stays as it is while finished QPs leave the list, which they do only when a search passes them.
 * A QP joins at the end of the list. With the stable rule a pass over the list could go on for as long as others join, so
 * a pass serves as many QPs as the list had when it began, and JOINERS more; then the next one begins.
 * A QP that may send more than one packet is served again only while it is ready: it is never waited for.
 * With the stable rule a QP that leaves leaves its entry empty; the list is closed up when half of it is empty, so that
 * leaving costs the same whatever its length. An empty entry is never ready and does not change the order of the others.
 * Long lists keep an index of the entries that are ready (ready-index.ts) and of those that are done; short ones are looked
 * through, which is faster there.
 */
import { DOUBLES, INTS, LINE, type Memory } from '../../base/memory.ts'
import { NEVER_PS } from '../../base/params.ts'
import { Bits } from './bits.ts'
import { IndexHeap } from './index-heap.ts'
import { ReadyIndex } from './ready-index.ts'
import { deadlineOf, isDone, type RoundRobinEntry } from '../pairs/round-robin-entry.ts'

const ints = INTS
const doubles = DOUBLES

/** In front of the entries: a double. */
const KNOWN_IDLE_PS = 0

/** Entry: a double, */
const READY_PS = 0
/** and two integers; 1: the QP is done, and waits to leave a compacting list. */
const CLASS_BIT = 2
const IS_DONE = 3
const INDEX_BITS = 2
/** Initial number of entries: one cache line. */
const FIRST_ENTRIES = 4
/** A list of this length gets indexes, and loses them at half of it. */
const LONG = 64
/** QPs that have joined may be served in a pass up to this number, however few there were when it began. */
const JOINERS = 16

export class RoundRobin<Entry extends RoundRobinEntry = RoundRobinEntry> {
  private readonly memory: Memory
  /** Offset of the fields in front of the entries, in doubles. */
  private readonly front: number
  private readonly isCompacting: boolean
  /** By index; null: empty. */
  private readonly active: (Entry | null)[] = []
  /** Entries, including empty ones. */
  private length = 0
  /** All entries before this index are empty. */
  private first = 0
  /** QPs in the list. */
  private count = 0
  /** Offset of the entries, and capacity. Starts with a value that changes, or V8 would take it for a constant. */
  private indexes = -1
  private room = 0
  private roundRobin = 0
  private readonly packetsPerTurn: number
  /** Packets that the QP served last may still send before the next is served. */
  private packetsLeft = 0
  /** QPs that this pass may still serve; not counted when compacting. */
  private leftOfPass = 0
  /** Compacting: number of QPs in the list that are done. */
  private doneCount = 0
  /** Bits of the classes of all QPs in the list, and maybe more. */
  private classes = 0
  /** Index of the QPs that are ready; null: the list is short, and is looked through. */
  private ready: ReadyIndex | null = null
  /** QPs that are done, in a long list that is compacting; null: any other list. */
  private done: Bits | null = null
  /** Pacing deadlines of a long list, once they were asked for. */
  private paced: IndexHeap | null = null
  /** Classes that were paused when KNOWN_IDLE_PS was found. */
  private idlePaused = 0

  constructor(memory: Memory, isCompacting: boolean, packetsPerTurn = 1) {
    this.memory = memory
    this.front = memory.take(LINE) >> 1
    doubles.fill(NEVER_PS, this.front, this.front + LINE / 2)
    this.forget()
    this.indexes = memory.takeWhole(FIRST_ENTRIES << INDEX_BITS)
    this.room = FIRST_ENTRIES
    this.isCompacting = isCompacting
    this.beginPass()
    this.packetsPerTurn = packetsPerTurn
  }

  get isEmpty(): boolean {
    return this.count === 0
  }

  /**
   * Earliest pacing deadline after this time of the QPs with bytes left, regardless of windows and pauses; NEVER_PS: none.
   * @param afterPs -1, or never before that of an earlier call
   */
  earliestPacedPs(afterPs: number): number {
    if (this.ready !== null) {
      const paced = (this.paced ??= this.pacedOfAll())
      // Those behind the present are set again when they change.
      while (paced.earliestPs <= afterPs) paced.take()
      return paced.earliestPs
    }
    const { active } = this
    let earliestPs = NEVER_PS
    for (let index = this.first; index < this.length; index++) {
      const pair = active[index]!
      if (pair === null) continue
      const deadlinePs = deadlineOf(pair)
      if (deadlinePs > afterPs && deadlinePs < earliestPs) earliestPs = deadlinePs
    }
    return earliestPs
  }

  /** The pacing deadline of a QP may have changed. */
  pace(pair: Entry): void {
    if (this.paced === null) return
    if (pair.index < 0) this.paced = null
    else this.paced.set(pair.index, deadlineOf(pair))
  }

  private pacedOfAll(): IndexHeap {
    const paced = new IndexHeap(this.room)
    for (const pair of this.active) if (pair !== null) paced.set(pair.index, deadlineOf(pair))
    return paced
  }

  /** Whether it is known without a search that no QP is ready. */
  isIdle(nowPs: number, paused: number): boolean {
    return nowPs < doubles[this.front | KNOWN_IDLE_PS]! && paused === this.idlePaused && this.doneCount === 0
  }

  /** After `next` has found none: when the earliest QP that is not paused is ready; -Infinity when that is no longer known. */
  get idleUntilPs(): number {
    return doubles[this.front | KNOWN_IDLE_PS]!
  }

  /** Makes the next `isIdle` return false. */
  forget(): void {
    doubles[this.front | KNOWN_IDLE_PS] = -Infinity
  }

  pairAt(index: number): Entry {
    return this.active[index]!
  }

  /** Sets when the QP at an index may send next. */
  setReady(index: number, readyPs: number): void {
    doubles[(this.record(index) >> 1) | READY_PS] = readyPs
    if (readyPs < doubles[this.front | KNOWN_IDLE_PS]!) doubles[this.front | KNOWN_IDLE_PS] = readyPs
    if (this.ready !== null) this.reindex(index, readyPs)
  }

  private reindex(index: number, readyPs: number): void {
    this.ready!.set(index, readyPs)
    if (this.paced === null) return
    const pair = this.active[index]!
    if (pair === null) this.paced.remove(index)
    else this.paced.set(index, deadlineOf(pair))
  }

  /**
   * Index of the QP that may send now, which then is the one served last; -1: none. It is the one served last while that
   * may send more packets, else the first ready one after it.
   */
  next(nowPs: number, paused: number): number {
    const { length } = this
    if (length === 1 && this.doneCount === 0) return this.nextAlone(nowPs, paused)
    const served = this.packetsLeft > 0 ? this.roundRobin : -1
    let index = served >= 0 ? served : this.roundRobin + 1
    // Compacting leaves the pointer where it is, possibly far beyond the end; usually it is the end.
    if (index >= length) index = index === length || length === 0 ? 0 : index % length
    const isPassOver = this.leftOfPass <= 0 && served < 0
    if (isPassOver) index = 0
    let found = this.ready === null ? this.look(index, nowPs, paused) : this.find(index, nowPs, paused)
    const firstDone = this.doneCount > 0 ? this.firstDone(index, found) : -1
    if (firstDone >= 0) {
      const before = found
      found = this.compact(firstDone, before)
      // The one that was found has left.
      if (found < 0 && before >= 0) return this.next(nowPs, paused)
    }
    if (found >= 0) {
      if (found === served) this.packetsLeft--
      else {
        this.packetsLeft = this.packetsPerTurn - 1
        if (isPassOver || found <= this.roundRobin) this.beginPass()
        else if (!this.isCompacting) this.leftOfPass--
      }
      this.roundRobin = found
      doubles[this.front | KNOWN_IDLE_PS] = -Infinity
      return found
    }
    this.idlePaused = paused
    return -1
  }

  /**
   * First QP that may send, from an index on and then from the first; if there is none, KNOWN_IDLE_PS is when there will
   * be one.
   */
  private look(from: number, nowPs: number, paused: number): number {
    const { length } = this
    let index = from
    let earliestPs = NEVER_PS
    for (let i = 0; i < length; i++) {
      const record = this.record(index)
      const readyPs = doubles[(record >> 1) | READY_PS]!
      const isPaused = (ints[record | CLASS_BIT]! & paused) !== 0
      if (readyPs <= nowPs && !isPaused) return index
      if (readyPs < earliestPs && !isPaused) earliestPs = readyPs
      if (++index === length) index = 0
    }
    doubles[this.front | KNOWN_IDLE_PS] = earliestPs
    return -1
  }

  /** The same by the index of ready QPs. */
  private find(from: number, nowPs: number, paused: number): number {
    const pausedHere = this.classes & paused
    // Where some classes are paused and others are not, the index does not tell them apart.
    if (pausedHere !== 0 && pausedHere !== this.classes) return this.look(from, nowPs, paused)
    // All are paused.
    if (pausedHere !== 0) doubles[this.front | KNOWN_IDLE_PS] = NEVER_PS
    else {
      const ready = this.ready!
      const found = ready.firstFrom(from, nowPs)
      if (found >= 0) return found
      doubles[this.front | KNOWN_IDLE_PS] = ready.earliestPs
    }
    return -1
  }

  /** Lowest index of a QP that is done, of those that a search from an index has passed; -1: it has passed none. */
  private firstDone(from: number, found: number): number {
    const first = this.doneFrom(0)
    if (found < 0 || first < 0) return first
    if (found < from) return first < found ? first : this.doneFrom(from)
    const behind = first < from ? this.doneFrom(from) : first
    return behind < found ? behind : -1
  }

  /** First QP that is done, from an index on; -1: there is none. */
  private doneFrom(from: number): number {
    if (this.done !== null) return this.done.firstNotBefore(from)
    for (let index = from; index < this.length; index++) if (ints[this.record(index) | IS_DONE] !== 0) return index
    return -1
  }

  /** `next` for a list of one QP, which is not done. */
  private nextAlone(nowPs: number, paused: number): number {
    const { indexes } = this
    const readyPs = doubles[(indexes >> 1) | READY_PS]!
    const isPaused = (ints[indexes | CLASS_BIT]! & paused) !== 0
    if (readyPs <= nowPs && !isPaused) {
      this.packetsLeft = this.packetsLeft > 0 && this.roundRobin === 0 ? this.packetsLeft - 1 : this.packetsPerTurn - 1
      this.roundRobin = 0
      doubles[this.front | KNOWN_IDLE_PS] = -Infinity
      return 0
    }
    this.idlePaused = paused
    // Two stores instead of a conditional expression: one of doubles would allocate a heap number.
    if (isPaused) doubles[this.front | KNOWN_IDLE_PS] = NEVER_PS
    else doubles[this.front | KNOWN_IDLE_PS] = readyPs
    return -1
  }

  /** Brings a QP's entry up to date; enters it when it has something to send, removes it when it is done. */
  update(pair: Entry): void {
    const { sender } = pair
    const isOver = isDone(pair)
    if (pair.index < 0) {
      if (isOver) return
      this.enter(pair)
    }
    this.setReady(pair.index, isOver ? NEVER_PS : sender.nextSendPs)
    if (this.isCompacting) this.markDone(pair.index, isOver)
    if (!isOver) return
    this.forget()
    if (!this.isCompacting) this.leave(pair)
  }

  private markDone(index: number, isOver: boolean): void {
    const at = this.record(index) | IS_DONE
    if ((ints[at] !== 0) === isOver) return
    ints[at] = isOver ? 1 : 0
    this.doneCount += isOver ? 1 : -1
    if (this.done === null) return
    if (isOver) this.done.add(index)
    else this.done.remove(index)
  }

  private enter(pair: Entry): void {
    const index = this.active.length
    if (index === this.room) this.grow()
    this.active.push(pair)
    this.length++
    // A QP that is alone counts no passes.
    if (this.count++ === 1) this.beginPass()
    pair.index = index
    const record = this.record(index)
    doubles[(record >> 1) | READY_PS] = NEVER_PS
    ints[record | CLASS_BIT] = 1 << pair.trafficClass
    ints[record | IS_DONE] = 0
    this.classes |= 1 << pair.trafficClass
    if (this.ready === null && this.length >= LONG) this.buildIndexes()
  }

  /** Builds the indexes of a list anew, or lets them go where it is short. */
  private buildIndexes(): void {
    this.ready = this.length < LONG / 2 ? null : new ReadyIndex(this.room)
    this.done = this.ready === null || !this.isCompacting ? null : new Bits(this.room)
    this.paced = null
    this.classes = 0
    for (let index = 0; index < this.length; index++) {
      const record = this.record(index)
      this.classes |= ints[record | CLASS_BIT]!
      this.ready?.set(index, doubles[(record >> 1) | READY_PS]!)
      if (ints[record | IS_DONE] !== 0) this.done?.add(index)
    }
  }

  /** Doubles the capacity; the former memory is freed with the whole network. */
  private grow(): void {
    const more = this.memory.takeWhole((2 * this.room) << INDEX_BITS)
    ints.copyWithin(more, this.indexes, this.indexes + (this.room << INDEX_BITS))
    this.indexes = more
    this.room *= 2
    if (this.ready !== null) this.buildIndexes()
  }

  private record(index: number): number {
    return this.indexes | (index << INDEX_BITS)
  }

  private leave(pair: Entry): void {
    const { index } = pair
    pair.index = -1
    if (index === this.roundRobin) this.packetsLeft = 0
    this.active[index] = null
    this.setReady(index, NEVER_PS)
    this.count--
    while (this.first < this.length && this.active[this.first] === null) this.first++
    // The entry before the first is the last.
    if (this.first > this.roundRobin) this.roundRobin = this.length - 1
    if (this.count <= 1 || 2 * this.count <= this.length) this.closeUp()
  }

  /** Removes the empty entries. The pointer is then at the QP that was served last, or at the one before it. */
  private closeUp(): void {
    const { active, roundRobin } = this
    let to = 0
    let served = 0
    for (let from = 0; from < this.length; from++) {
      const pair = active[from]!
      if (pair !== null) {
        if (to !== from) {
          active[to] = pair
          ints.copyWithin(this.record(to), this.record(from), this.record(from) + (1 << INDEX_BITS))
          pair.index = to
        }
        to++
      }
      if (from === roundRobin && to > 0) served = to - 1
    }
    active.length = this.length = to
    this.first = 0
    this.roundRobin = served
    if (this.ready !== null) this.buildIndexes()
  }

  private beginPass(): void {
    this.leftOfPass = this.count + JOINERS
  }

  /** Removes the QPs that are done from `from` on and returns the new index of `found`. The pointer is left as it is. */
  private compact(from: number, found: number): number {
    let to = from
    let foundNow = found
    for (let i = from; i < this.active.length; i++) {
      const pair = this.active[i]!
      if (isDone(pair)) {
        pair.index = -1
        this.doneCount -= ints[this.record(i) | IS_DONE]!
        // It has failed since it was found ready.
        if (i === found) foundNow = -1
        continue
      }
      if (i === found) foundNow = to
      this.active[to] = pair
      ints.copyWithin(this.record(to), this.record(i), this.record(i) + (1 << INDEX_BITS))
      pair.index = to
      to++
    }
    this.active.length = this.length = this.count = to
    if (this.ready !== null) this.buildIndexes()
    // The pointer may be at another QP now.
    this.packetsLeft = 0
    return foundNow
  }
}
