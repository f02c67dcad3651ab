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
 */
import { DOUBLES, INTS, LINE, type Memory } from '../../base/memory.ts'
import { NEVER_PS } from '../../base/params.ts'
import type { PacketSpace } from '../../transport/send/packet-space.ts'

const ints = INTS
const doubles = DOUBLES

/** In front of the entries: a double. */
const KNOWN_IDLE_PS = 0

/** Entry: a double, */
const READY_PS = 0
/** and an integer. */
const CLASS_BIT = 2
const INDEX_BITS = 2
/** Initial number of entries: one cache line. */
const FIRST_ENTRIES = 4
/** QPs that have joined may be served in a pass up to this number, however few there were when it began. */
const JOINERS = 16

/** Entry of the round robin: a QP, or its entry at one of several ports. */
export interface RoundRobinEntry {
  readonly sender: PacketSpace
  readonly trafficClass: number
  /** Index in the list, or -1. */
  index: number
}

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

  /** Earliest pacing deadline after this time of the QPs with bytes left, regardless of windows and pauses; NEVER_PS: none. */
  earliestPacedPs(afterPs: number): number {
    let earliestPs = NEVER_PS
    for (const pair of this.active) {
      if (pair === null) continue
      const { sender } = pair
      // All is sent: only retransmissions may be left.
      const deadlinePs = sender.nxt < sender.end ? sender.pacing.availablePs : sender.nextSendPs
      if (deadlinePs > afterPs && deadlinePs < earliestPs) earliestPs = deadlinePs
    }
    return earliestPs
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
    let earliestPs = NEVER_PS
    let firstDone = -1
    let found = -1
    for (let i = 0; i < length; i++) {
      const record = this.record(index)
      const readyPs = doubles[(record >> 1) | READY_PS]!
      const isPaused = (ints[record | CLASS_BIT]! & paused) !== 0
      if (readyPs <= nowPs && !isPaused) {
        found = index
        break
      }
      if (readyPs < earliestPs && !isPaused) earliestPs = readyPs
      if (this.doneCount > 0 && isDone(this.active[index]!) && (firstDone < 0 || index < firstDone)) firstDone = index
      if (++index === length) index = 0
    }
    if (firstDone >= 0) found = this.compact(firstDone, found)
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
    doubles[this.front | KNOWN_IDLE_PS] = earliestPs
    this.idlePaused = paused
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
    if (!isOver) return
    this.forget()
    if (this.isCompacting) this.doneCount = this.countDone()
    else this.leave(pair)
  }

  private enter(pair: Entry): void {
    const index = this.active.length
    if (index === this.room) this.grow()
    this.active.push(pair)
    this.length++
    // A QP that is alone counts no passes.
    if (this.count++ === 1) this.beginPass()
    pair.index = index
    ints[this.record(index) | CLASS_BIT] = 1 << pair.trafficClass
  }

  /** Doubles the capacity; the former memory is freed with the whole network. */
  private grow(): void {
    const more = this.memory.takeWhole((2 * this.room) << INDEX_BITS)
    ints.copyWithin(more, this.indexes, this.indexes + (this.room << INDEX_BITS))
    this.indexes = more
    this.room *= 2
  }

  private record(index: number): number {
    return this.indexes | (index << INDEX_BITS)
  }

  private leave(pair: Entry): void {
    const { index } = pair
    pair.index = -1
    if (index === this.roundRobin) this.packetsLeft = 0
    this.active[index] = null
    doubles[(this.record(index) >> 1) | READY_PS] = NEVER_PS
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
  }

  private beginPass(): void {
    this.leftOfPass = this.count + JOINERS
  }

  private countDone(): number {
    let done = 0
    for (const pair of this.active) if (isDone(pair!)) done++
    return done
  }

  /** Removes the QPs that are done from `from` on and returns the new index of `found`. The pointer is left as it is. */
  private compact(from: number, found: number): number {
    let to = from
    let foundNow = found
    for (let i = from; i < this.active.length; i++) {
      const pair = this.active[i]!
      if (isDone(pair)) {
        pair.index = -1
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
    this.doneCount = this.countDone()
    // The pointer may be at another QP now.
    this.packetsLeft = 0
    return foundNow
  }
}

function isDone(pair: RoundRobinEntry): boolean {
  return pair.sender.isIdle || pair.sender.isFailed
}
