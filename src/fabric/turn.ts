/**
 * HOT. Turn: the QPs of one NIC that have something to send, served round robin, so many packets each (one unless told).
 * Units: picoseconds. Shapes: readyPs and classBit are indexed by place in the list.
 * Two rules of turn: stable, where it stays with the QP served last; compacting (the HPCC fork's), where it is an
 * index that stays as it is while finished QPs leave the list, which they do only when a look comes past them.
 * A QP that may send more than one packet keeps the turn only while it is ready: it is never waited for.
 */
import { NEVER_PS } from '../base/params.ts'
import type { QueuePair } from './queue-pair.ts'

export class Turn {
  /** After `next` said none: when the earliest that is not paused is ready, and the earliest of all. */
  earliestPs = NEVER_PS
  earliestAnyPs = NEVER_PS
  private readonly isCompacting: boolean
  private readonly active: QueuePair[] = []
  /** Length of the list. */
  private count = 0
  private readyPs = new Float64Array(16)
  private classBit = new Int32Array(16)
  private turn = 0
  private readonly packetsPerTurn: number
  /** Packets that the QP served last may send before the turn passes on. */
  private leftOfTurn = 0
  /** Compacting: QPs in the list that are done. */
  private doneCount = 0
  /** While nothing was ready: the earliest time something may be; -Infinity when not known. */
  private knownIdlePs = -Infinity
  /** Classes that were paused when that was found. */
  private idlePaused = 0

  constructor(isCompacting: boolean, packetsPerTurn = 1) {
    this.isCompacting = isCompacting
    this.packetsPerTurn = packetsPerTurn
  }

  get isEmpty(): boolean {
    return this.count === 0
  }

  /** Nothing can be ready, known without looking. */
  isIdle(nowPs: number, paused: number): boolean {
    return nowPs < this.knownIdlePs && paused === this.idlePaused && this.doneCount === 0
  }

  /** The earliest time something may be ready, as far as is known without looking. */
  get idleUntilPs(): number {
    return this.knownIdlePs
  }

  /** The next `isIdle` has to look. */
  forget(): void {
    this.knownIdlePs = -Infinity
  }

  pairAt(place: number): QueuePair {
    return this.active[place]!
  }

  /** When the QP at a place may send next. */
  setReady(place: number, readyPs: number): void {
    this.readyPs[place] = readyPs
    if (readyPs < this.knownIdlePs) this.knownIdlePs = readyPs
  }

  /**
   * Place of the QP that may send now, which is then the last one served; -1: none. It is the one served last while that
   * has packets of its turn left, else the first after it.
   */
  next(nowPs: number, paused: number): number {
    const count = this.count
    if (count === 1 && this.doneCount === 0) return this.nextAlone(nowPs, paused)
    const ready = this.readyPs
    const bits = this.classBit
    const served = this.leftOfTurn > 0 ? this.turn : -1
    let place = served >= 0 ? served : this.turn + 1
    // Compacting leaves the turn where it is, maybe far beyond the end; mostly it is the end.
    if (place >= count) place = place === count || count === 0 ? 0 : place % count
    let earliestPs = NEVER_PS
    let earliestAnyPs = NEVER_PS
    let firstDone = -1
    let found = -1
    for (let i = 0; i < count; i++) {
      const readyPs = ready[place]!
      if (readyPs <= nowPs && (bits[place]! & paused) === 0) {
        found = place
        break
      }
      if (readyPs < earliestAnyPs) earliestAnyPs = readyPs
      if (readyPs < earliestPs && (bits[place]! & paused) === 0) earliestPs = readyPs
      if (this.doneCount > 0 && isDone(this.active[place]!) && (firstDone < 0 || place < firstDone)) firstDone = place
      if (++place === count) place = 0
    }
    if (firstDone >= 0) found = this.compact(firstDone, found)
    if (found >= 0) {
      this.leftOfTurn = found === served ? this.leftOfTurn - 1 : this.packetsPerTurn - 1
      this.turn = found
      this.knownIdlePs = -Infinity
      return found
    }
    this.knownIdlePs = earliestPs
    this.idlePaused = paused
    this.earliestPs = earliestPs
    this.earliestAnyPs = earliestAnyPs
    return -1
  }

  /** The same where there is one QP, which is not done. */
  private nextAlone(nowPs: number, paused: number): number {
    const readyPs = this.readyPs[0]!
    const isPaused = (this.classBit[0]! & paused) !== 0
    if (readyPs <= nowPs && !isPaused) {
      this.leftOfTurn = this.leftOfTurn > 0 && this.turn === 0 ? this.leftOfTurn - 1 : this.packetsPerTurn - 1
      this.turn = 0
      this.knownIdlePs = -Infinity
      return 0
    }
    this.idlePaused = paused
    this.earliestAnyPs = readyPs
    // Stores of their own, not one of a choice: a choice between doubles becomes a heap number.
    if (isPaused) {
      this.earliestPs = NEVER_PS
      this.knownIdlePs = NEVER_PS
    } else {
      this.earliestPs = readyPs
      this.knownIdlePs = readyPs
    }
    return -1
  }

  /** Brings a QP's entry up to date; enters it when it has something to send, removes it when it is done. */
  update(pair: QueuePair): void {
    const { sender } = pair
    const isOver = isDone(pair)
    if (pair.place < 0) {
      if (isOver) return
      this.enter(pair)
    }
    this.setReady(pair.place, isOver ? NEVER_PS : sender.nextSendPs)
    if (!isOver) return
    this.forget()
    if (this.isCompacting) this.doneCount = this.countDone()
    else this.leave(pair)
  }

  private enter(pair: QueuePair): void {
    const place = this.active.length
    if (place === this.readyPs.length) {
      const ready = new Float64Array(place * 2)
      ready.set(this.readyPs)
      this.readyPs = ready
      const bits = new Int32Array(place * 2)
      bits.set(this.classBit)
      this.classBit = bits
    }
    this.active.push(pair)
    this.count++
    pair.place = place
    this.classBit[place] = 1 << pair.trafficClass
  }

  private leave(pair: QueuePair): void {
    const { place } = pair
    pair.place = -1
    if (place === this.turn) this.leftOfTurn = 0
    this.active.splice(place, 1)
    this.count--
    for (let i = place; i < this.active.length; i++) {
      this.readyPs[i] = this.readyPs[i + 1]!
      this.classBit[i] = this.classBit[i + 1]!
      this.active[i]!.place = i
    }
    if (place <= this.turn) this.turn = this.turn === 0 ? Math.max(0, this.active.length - 1) : this.turn - 1
  }

  private countDone(): number {
    let done = 0
    for (const pair of this.active) if (isDone(pair)) done++
    return done
  }

  /** Removes the QPs that are done from `from` on; where `found` lies afterwards. The turn is left as it is. */
  private compact(from: number, found: number): number {
    let to = from
    let foundNow = found
    for (let i = from; i < this.active.length; i++) {
      const pair = this.active[i]!
      if (isDone(pair)) {
        pair.place = -1
        continue
      }
      if (i === found) foundNow = to
      this.active[to] = pair
      this.readyPs[to] = this.readyPs[i]!
      this.classBit[to] = this.classBit[i]!
      pair.place = to
      to++
    }
    this.active.length = to
    this.count = to
    this.doneCount = this.countDone()
    // The turn may be another's now.
    this.leftOfTurn = 0
    return foundNow
  }
}

function isDone(pair: QueuePair): boolean {
  return pair.sender.isIdle || pair.sender.isFailed
}
