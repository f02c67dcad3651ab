/**
 * HOT. Timers of one endpoint: a few deadlines, each with its place in line.
 * A deadline draws its order when it is set (the event's cause), so that timers of an endpoint stand in the same line
 * as everything else that happens at an instant.
 * Units: picoseconds. Shape: a record of sixteen doubles; the nearest deadline, what was armed last and the ACK's timer
 * are in its first cache line.
 */
import { DOUBLES, Memory } from '../base/memory.ts'
import { NEVER_PS } from '../base/params.ts'

const doubles = DOUBLES

/** Gives places in line; the simulator's event queue, or a plain counter in a live driver. */
export interface OrderSource {
  draw(): number
}

/** Slots, fixed: the recovery's two, then the congestion control's, and the recovery's last. */
export const ACK_TIMER = 0
export const RNR_TIMER = 1
/** Of a receiver: its recovery's own. */
export const RECOVERY_TIMER = 1
/** Of a receiver: an ACK that is held back has to go. */
export const HELD_ACK_TIMER = 2
export const FIRST_CONGESTION_TIMER = 2
/** Of a sender: its recovery's own. */
export const SENDING_TIMER = 5
const SLOTS = 6

/** Of the record. */
const NEXT_PS = 0
const NEXT_ORDER = 1
const ARMED_PS = 2
const ARMED_ORDER = 3
/** Slot by slot, side by side. */
const DEADLINE_PS = 4
const ORDER = 5
const RECORD = 4 + 2 * SLOTS

export class Timers {
  /** Of its records; shared by whoever belongs to the endpoint. */
  readonly memory: Memory
  /** Slot of the nearest deadline. */
  nextSlot = -1
  /** Bit per slot that has a deadline. */
  private setSlots = 0
  /** Where its record is, in doubles. */
  private readonly at: number
  private readonly source: OrderSource

  /** @param memory left out: its own. */
  constructor(source: OrderSource, memory = new Memory()) {
    this.memory = memory
    this.source = source
    this.at = memory.takeRecord(2 * RECORD) >> 1
    doubles.fill(NEVER_PS, this.at, this.at + RECORD)
  }

  /** Nearest deadline, or NEVER_PS. */
  get nextPs(): number {
    return doubles[this.at | NEXT_PS]!
  }

  /** Its place in line. */
  get nextOrder(): number {
    return doubles[this.at | NEXT_ORDER]!
  }

  /**
   * The nearest deadline comes before the one that has an event, or there is none. At the same instant it never does: the
   * nearest was armed, and what was set since stands behind it.
   */
  get isUnarmed(): boolean {
    return doubles[this.at | NEXT_PS]! < doubles[this.at | ARMED_PS]!
  }

  /** The nearest deadline has an event now. */
  arm(): void {
    const { at } = this
    doubles[at | ARMED_PS] = doubles[at | NEXT_PS]!
    doubles[at | ARMED_ORDER] = doubles[at | NEXT_ORDER]!
  }

  /** An event has come: whether it is the last that was armed, and there is none from now on. */
  disarm(nowPs: number, order: number): boolean {
    const { at } = this
    if (nowPs !== doubles[at | ARMED_PS]! || order !== doubles[at | ARMED_ORDER]!) return false
    doubles[at | ARMED_PS] = NEVER_PS
    return true
  }

  set(slot: number, deadlinePs: number): void {
    const order = this.source.draw()
    const { at } = this
    doubles[at + 2 * slot + DEADLINE_PS] = deadlinePs
    doubles[at + 2 * slot + ORDER] = order
    this.setSlots |= 1 << slot
    if (slot === this.nextSlot) this.find()
    else if (deadlinePs < doubles[at | NEXT_PS]!) {
      doubles[at | NEXT_PS] = deadlinePs
      doubles[at | NEXT_ORDER] = order
      this.nextSlot = slot
    }
  }

  clear(slot: number): void {
    if ((this.setSlots & (1 << slot)) === 0) return
    doubles[this.at + 2 * slot + DEADLINE_PS] = NEVER_PS
    this.setSlots &= ~(1 << slot)
    if (slot === this.nextSlot) this.find()
  }

  /** The nearest deadline has come: its own place in line has, of which `order` is the last taken at `nowPs`. */
  isDue(nowPs: number, order: number): boolean {
    const nextPs = doubles[this.at | NEXT_PS]!
    return nextPs < nowPs || (nextPs === nowPs && doubles[this.at | NEXT_ORDER]! <= order)
  }

  isSet(slot: number): boolean {
    return doubles[this.at + 2 * slot + DEADLINE_PS]! !== NEVER_PS
  }

  /** NEVER_PS: it is not set. */
  deadlineOf(slot: number): number {
    return doubles[this.at + 2 * slot + DEADLINE_PS]!
  }

  clearAll(): void {
    doubles.fill(NEVER_PS, this.at + DEADLINE_PS, this.at + RECORD)
    this.setSlots = 0
    doubles[this.at | NEXT_PS] = NEVER_PS
    this.nextSlot = -1
  }

  /** Gives its record back; it must not be used any more. */
  release(): void {
    this.memory.giveRecord(2 * this.at, 2 * RECORD)
  }

  private find(): void {
    const { at } = this
    let nextPs = NEVER_PS
    let nextOrder = Infinity
    let nextSlot = -1
    for (let left = this.setSlots; left !== 0; left &= left - 1) {
      const slot = 31 - Math.clz32(left & -left)
      const deadlinePs = doubles[at + 2 * slot + DEADLINE_PS]!
      const order = doubles[at + 2 * slot + ORDER]!
      if (deadlinePs < nextPs || (deadlinePs === nextPs && order < nextOrder && deadlinePs < NEVER_PS)) {
        nextPs = deadlinePs
        nextOrder = order
        nextSlot = slot
      }
    }
    doubles[at | NEXT_PS] = nextPs
    doubles[at | NEXT_ORDER] = nextOrder
    this.nextSlot = nextSlot
  }
}

/** What can have a deadline, and is told of it. */
export interface Timed {
  readonly timers: Timers
  onTimeout(nowPs: number): void
}

/** The one with the nearest deadline, the first in line of that instant; null: none has one. */
export function nearestOf(timed: readonly Timed[]): Timed | null {
  let nearest: Timed | null = null
  for (const each of timed) {
    const { timers } = each
    if (timers.nextPs === NEVER_PS) continue
    const isNearer =
      nearest === null ||
      timers.nextPs < nearest.timers.nextPs ||
      (timers.nextPs === nearest.timers.nextPs && timers.nextOrder < nearest.timers.nextOrder)
    if (isNearer) nearest = each
  }
  return nearest
}
