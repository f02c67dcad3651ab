/**
 * HOT. The wake-up of a NIC that arms only one (nic.wake: single, single-ahead). It is armed when nothing may be sent, at
 * the earliest pacing deadline of the QPs with bytes left, those that their window or a pause holds back too. It stays
 * where it is when an earlier deadline appears; a rate change that moves a deadline before it moves it there.
 * Units: picoseconds.
 * Invariant: `wakePs` and `order` are those of the event that counts; one that was replaced does nothing.
 * Source: HPCC fork, DequeueAndTransmit and UpdateNextAvail of its NIC; single-ahead: conweave, which leaves out deadlines
 * that have passed, where the HPCC fork then arms nothing.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { NEVER_PS } from '../../base/params.ts'
import type { EventQueue } from '../../engine/event-queue.ts'
import type { PacketSpace } from '../../transport/send/packet-space.ts'
import type { RoundRobin } from './round-robin.ts'

export class SingleWake {
  private readonly queue: EventQueue
  private readonly code: number
  private readonly isAhead: boolean
  /** NEVER_PS: none is armed. */
  private wakePs = NEVER_PS
  private order = DOUBLE_ZERO
  /** The deadline that `hold` remembers. */
  private heldPs = DOUBLE_ZERO

  /** @param code of the wake-up's event. */
  constructor(queue: EventQueue, code: number, rule: 'single' | 'single-ahead') {
    this.queue = queue
    this.code = code
    this.isAhead = rule === 'single-ahead'
  }

  /** Nothing of this turn may be sent now. */
  arm(roundRobin: RoundRobin): void {
    if (this.wakePs !== NEVER_PS) return
    const nowPs = this.queue.nowPs
    const earliestPs = roundRobin.earliestPacedPs(this.isAhead ? nowPs : -1)
    if (earliestPs > nowPs && earliestPs < NEVER_PS) this.set(earliestPs)
  }

  /** Remembers the deadline of a QP that is about to hear an answer or a timer, which may change its rate. */
  hold(sender: PacketSpace): void {
    this.heldPs = sender.pacing.availablePs
  }

  /** The QP has heard it: the wake-up follows a deadline that moved before it. */
  follow(sender: PacketSpace): void {
    const deadlinePs = sender.pacing.availablePs
    if (deadlinePs === this.heldPs || deadlinePs >= this.wakePs || this.wakePs === NEVER_PS) return
    const nowPs = this.queue.nowPs
    this.set(deadlinePs > nowPs ? deadlinePs : nowPs)
  }

  /** A wake-up's event has come; false: another has replaced it. */
  take(): boolean {
    const { queue } = this
    if (queue.nowPs !== this.wakePs || queue.currentOrder !== this.order) return false
    this.wakePs = NEVER_PS
    return true
  }

  private set(timePs: number): void {
    const { queue } = this
    this.wakePs = timePs
    queue.duePs = timePs
    queue.drawDue()
    this.order = queue.dueOrder
    queue.scheduleDue(this.code)
  }
}
