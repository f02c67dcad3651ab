/**
 * Timers of one endpoint: a few deadlines, each with its place in line.
 * A deadline draws its order when it is set (the event's cause), so that timers of an endpoint stand in the same line
 * as everything else that happens at an instant.
 */
import { DOUBLE_ZERO } from '../base/double.ts'
import { NEVER_PS } from '../base/params.ts'

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

export class Timers {
  /** Nearest deadline, or NEVER_PS. */
  nextPs = NEVER_PS
  /** Its place in line. */
  nextOrder = DOUBLE_ZERO
  /** Its slot. */
  nextSlot = -1
  /** Bit per slot that has a deadline. */
  private setSlots = 0
  private readonly deadlinePs = new Float64Array(SLOTS).fill(NEVER_PS)
  private readonly order = new Float64Array(SLOTS)
  private readonly source: OrderSource

  constructor(source: OrderSource) {
    this.source = source
  }

  set(slot: number, deadlinePs: number): void {
    const order = this.source.draw()
    this.deadlinePs[slot] = deadlinePs
    this.order[slot] = order
    this.setSlots |= 1 << slot
    if (slot === this.nextSlot) this.find()
    else if (deadlinePs < this.nextPs) {
      this.nextPs = deadlinePs
      this.nextOrder = order
      this.nextSlot = slot
    }
  }

  clear(slot: number): void {
    if ((this.setSlots & (1 << slot)) === 0) return
    this.deadlinePs[slot] = NEVER_PS
    this.setSlots &= ~(1 << slot)
    if (slot === this.nextSlot) this.find()
  }

  /** The nearest deadline has come: its own place in line has, of which `order` is the last taken at `nowPs`. */
  isDue(nowPs: number, order: number): boolean {
    return this.nextPs < nowPs || (this.nextPs === nowPs && this.nextOrder <= order)
  }

  isSet(slot: number): boolean {
    return this.deadlinePs[slot] !== NEVER_PS
  }

  /** NEVER_PS: it is not set. */
  deadlineOf(slot: number): number {
    return this.deadlinePs[slot]!
  }

  clearAll(): void {
    this.deadlinePs.fill(NEVER_PS)
    this.setSlots = 0
    this.nextPs = NEVER_PS
    this.nextSlot = -1
  }

  private find(): void {
    let nextPs = NEVER_PS
    let nextOrder = Infinity
    let nextSlot = -1
    for (let left = this.setSlots; left !== 0; left &= left - 1) {
      const slot = 31 - Math.clz32(left & -left)
      const deadlinePs = this.deadlinePs[slot]!
      if (deadlinePs < nextPs || (deadlinePs === nextPs && this.order[slot]! < nextOrder && deadlinePs < NEVER_PS)) {
        nextPs = deadlinePs
        nextOrder = this.order[slot]!
        nextSlot = slot
      }
    }
    this.nextPs = nextPs
    this.nextOrder = nextOrder
    this.nextSlot = nextSlot
  }
}
