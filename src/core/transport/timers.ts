/**
 * HOT. Timers of one endpoint: a few deadlines, each with an order.
 * The order is assigned when the deadline is set (the event's cause), so that timers are ordered among all events of
 * the same instant.
 * Units: picoseconds. Shape: a record of sixteen doubles; the nearest deadline, the last one armed and the ACK timer
 * are in its first cache line.
 */
import { DOUBLES, Memory } from '../base/memory.ts'
import { NEVER_PS } from '../base/params.ts'

const doubles = DOUBLES

/** Assigns orders; the simulator's event queue, or a plain counter in a live driver. */
export interface OrderSource {
  draw(): number
}

/** Slots, fixed: two of the recovery, then the congestion control's, and the recovery's last. */
export const ACK_TIMER = 0
export const RNR_TIMER = 1
/** Receiver: timer of its recovery. */
export const RECOVERY_TIMER = 1
/** Receiver: a held ACK is due. */
export const HELD_ACK_TIMER = 2
export const FIRST_CONGESTION_TIMER = 2
/** Sender: timer of its recovery. */
export const SENDING_TIMER = 5
const SLOTS = 6

/** Indices in the record. */
const NEXT_PS = 0
const NEXT_ORDER = 1
const ARMED_PS = 2
const ARMED_ORDER = 3
/** One per slot, consecutive. */
const DEADLINE_PS = 4
const ORDER = 5
const RECORD = 4 + 2 * SLOTS

export class Timers {
  /** Memory of its records, shared by all parts of the endpoint. */
  readonly memory: Memory
  /** Slot of the nearest deadline. */
  nextSlot = -1
  /** Bit per slot that has a deadline. */
  private setSlots = 0
  /** Offset of its record, in doubles. */
  private readonly at: number
  private readonly source: OrderSource

  /** @param memory by default one of its own. */
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

  /** Order of the nearest deadline. */
  get nextOrder(): number {
    return doubles[this.at | NEXT_ORDER]!
  }

  /**
   * The nearest deadline precedes the one that has an event, or none has an event. At the same instant it never
   * precedes: the armed one was set earlier.
   */
  get isUnarmed(): boolean {
    return doubles[this.at | NEXT_PS]! < doubles[this.at | ARMED_PS]!
  }

  /** Records that the nearest deadline now has an event. */
  arm(): void {
    const { at } = this
    doubles[at | ARMED_PS] = doubles[at | NEXT_PS]!
    doubles[at | ARMED_ORDER] = doubles[at | NEXT_ORDER]!
  }

  /** An event has fired: returns whether it is the last one armed; if so, none is armed from now on. */
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

  /** Gives all deadlines new orders, in the order of their slots. */
  redraw(): void {
    for (let left = this.setSlots; left !== 0; left &= left - 1) {
      const slot = 31 - Math.clz32(left & -left)
      doubles[this.at + 2 * slot + ORDER] = this.source.draw()
    }
    this.find()
  }

  /** The nearest deadline is due: `order` is the order of the event at `nowPs` up to which events have run. */
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

  /** Returns its record; it must not be used afterwards. */
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

/** An owner of a deadline. */
export interface Timed {
  readonly timers: Timers
  onTimeout(nowPs: number): void
}

/** The one with the nearest deadline, by order among equal times; null: none has one. */
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
