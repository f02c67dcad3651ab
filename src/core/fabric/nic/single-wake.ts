/**
 * HOT. Single wake-up of a NIC (`wake` single, single-ahead). It is armed when nothing may be sent, at the earliest
 * pacing deadline of the QPs with bytes left, also of those that their window or a pause holds back. It stays as it is
 * when an earlier deadline appears; a rate change that moves a deadline to before it moves it there.
 * Units: picoseconds.
 * Invariant: `wakePs` and `order` are those of the event that counts; one that was replaced does nothing.
 * Source: HPCC fork, DequeueAndTransmit and UpdateNextAvail of its NIC; single-ahead: conweave, which leaves out deadlines
 * that have passed, where the HPCC fork then arms nothing.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { NEVER_PS } from '../../base/params.ts'
import type { EventQueue } from '../../engine/event-queue.ts'
import type { PacketSpace } from '../../transport/send/packet-space.ts'
import type { QueuePair } from '../pairs/queue-pair.ts'
import type { RoundRobin } from './round-robin.ts'

export class SingleWake {
  private readonly queue: EventQueue
  private readonly code: number
  private readonly isAhead: boolean
  private readonly roundRobin: RoundRobin
  /** Time of the wake-up; NEVER_PS: none is armed. */
  private wakePs = NEVER_PS
  private order = DOUBLE_ZERO
  /** Deadline stored by `hold`. */
  private heldPs = DOUBLE_ZERO

  /** @param code event code of the wake-up. */
  constructor(queue: EventQueue, code: number, rule: 'single' | 'single-ahead', roundRobin: RoundRobin) {
    this.queue = queue
    this.roundRobin = roundRobin
    this.code = code
    this.isAhead = rule === 'single-ahead'
  }

  /** Arms the wake-up: no QP of the round robin may send now. */
  arm(): void {
    if (this.wakePs !== NEVER_PS) return
    const nowPs = this.queue.nowPs
    const earliestPs = this.roundRobin.earliestPacedPs(this.isAhead ? nowPs : -1)
    if (earliestPs > nowPs && earliestPs < NEVER_PS) this.set(earliestPs)
  }

  /** Stores the deadline of a QP before an ACK, NAK or timer, which may change its rate. */
  hold(sender: PacketSpace): void {
    this.heldPs = sender.pacing.availablePs
  }

  /** Moves the wake-up after the change, if the QP's deadline is now earlier. */
  follow(pair: QueuePair): void {
    const deadlinePs = pair.sender.pacing.availablePs
    if (deadlinePs === this.heldPs) return
    this.roundRobin.pace(pair)
    if (deadlinePs >= this.wakePs || this.wakePs === NEVER_PS) return
    const nowPs = this.queue.nowPs
    this.set(deadlinePs > nowPs ? deadlinePs : nowPs)
  }

  /** Takes the event of a wake-up; false: another has replaced it. */
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
