/**
 * HOT. Completion queue: a ring of CQEs that queue pairs fill and an application polls.
 * A CQE for which there is no room is lost and counted: an overrun. It breaks the queue's promise to whoever waits for
 * that CQE, so all queue pairs that complete here go to error then.
 * Source: IBTA 10.5 and 11.4.2; 11.6.3 for overruns (IBV_EVENT_CQ_ERR in libibverbs).
 * Deviates: the queue itself has no error state. What is in it can be polled, and what is flushed afterwards is taken as
 * far as there is room.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { inputError } from '../../base/issue.ts'
import { OP_SEND } from './operation.ts'
import { SUCCESS, type Status } from './status.ts'

/** Most CQEs of a queue, as of common adapters. */
const CAPACITY_MAX = 2 ** 22

/** A CQE. The caller owns the one that it polls into. */
export class Completion {
  /** The application's own number of the work request. */
  id = DOUBLE_ZERO
  status: Status = SUCCESS
  /** OP_... of operation.ts. */
  operation: number = OP_SEND
  /** Number of the queue pair. */
  qp = 0
  /** Bytes of the message: sent, received, read or swapped; of a WQE that failed, those it was posted with, or 0. */
  lengthBytes = DOUBLE_ZERO
  hasImmediate = false
  immediate = DOUBLE_ZERO
  /** Key that a SEND with invalidate took away, or -1. */
  invalidatedKey = DOUBLE_ZERO
}

/** A queue pair, as the queue that it completes in knows it. */
export interface CompletionUser {
  /** A CQE was lost, of this one or of another. */
  onOverrun(): void
}

export class CompletionQueue {
  /** CQEs that were lost for want of room. */
  overruns = 0
  /** There was an overrun since the users were told of the last one. */
  hasOverrun = false
  /** Since it was last armed, a CQE came that the application wants to be told of. */
  hasEvent = false
  private readonly capacity: number
  /** Made as they are needed: few queues are ever full. */
  private readonly ring: Completion[] = []
  private readonly users: CompletionUser[] = []
  private head = 0
  private tail = 0
  private armed: 'no' | 'solicited' | 'all' = 'no'

  /** @throws InputError for a capacity that cannot be. */
  constructor(capacity: number) {
    if (!Number.isInteger(capacity) || capacity < 1 || capacity > CAPACITY_MAX) {
      throw inputError('capacity', `a whole number of CQEs, 1 to ${CAPACITY_MAX}`, `${capacity}`)
    }
    this.capacity = capacity
  }

  get count(): number {
    return this.tail - this.head
  }

  attach(user: CompletionUser): void {
    this.users.push(user)
  }

  detach(user: CompletionUser): void {
    const at = this.users.indexOf(user)
    if (at >= 0) this.users.splice(at, 1)
  }

  /** For a queue pair that has done what it was at: push() may be in the middle of things. */
  reportOverrun(): void {
    this.hasOverrun = false
    for (let k = 0; k < this.users.length; k++) this.users[k]!.onOverrun()
  }

  /** Asks for one event: with the next CQE, or the next that is solicited or in error. An event not looked at yet is forgotten. */
  arm(isSolicitedOnly: boolean): void {
    this.hasEvent = false
    // Who waits for any CQE is not put off to a solicited one (IBTA 11.4.2.2).
    if (!isSolicitedOnly) this.armed = 'all'
    else if (this.armed === 'no') this.armed = 'solicited'
  }

  /** The next CQE to fill, or null when there is no room. It counts from the call on. */
  push(isSolicited: boolean): Completion | null {
    if (this.tail - this.head === this.capacity) {
      this.overruns++
      this.hasOverrun = true
      return null
    }
    if (this.armed === 'all' || (this.armed === 'solicited' && isSolicited)) {
      this.armed = 'no'
      this.hasEvent = true
    }
    return (this.ring[this.tail++ % this.capacity] ??= new Completion())
  }

  /** Takes the oldest CQE. */
  poll(out: Completion): boolean {
    if (this.head === this.tail) return false
    const from = this.ring[this.head++ % this.capacity]!
    out.id = from.id
    out.status = from.status
    out.operation = from.operation
    out.qp = from.qp
    out.lengthBytes = from.lengthBytes
    out.hasImmediate = from.hasImmediate
    out.immediate = from.immediate
    out.invalidatedKey = from.invalidatedKey
    return true
  }
}
