/**
 * HOT. Completion queue: a ring of CQEs that queue pairs fill and an application polls.
 * A CQE without room is lost and counted: an overrun. Since the application would wait for it forever, all queue pairs
 * that use the completion queue then enter the error state.
 * Source: IBTA 10.5 and 11.4.2; 11.6.3 for overruns (IBV_EVENT_CQ_ERR in libibverbs).
 * Deviates: the queue itself has no error state. Its CQEs can be polled, and CQEs of flushed work requests are added as
 * far as there is room.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { inputError } from '../../base/issue.ts'
import { OP_SEND } from './operation.ts'
import { doubled, FIRST_ENTRIES } from './ring.ts'
import { SUCCESS, type Status } from './status.ts'

/** Most CQEs of a queue, as in common adapters. */
const CAPACITY_MAX = 2 ** 22

/** A CQE. The caller owns the one passed to poll(). */
export class Completion {
  /** The application's number of the work request. */
  id = DOUBLE_ZERO
  status: Status = SUCCESS
  /** OP_... of operation.ts. */
  operation: number = OP_SEND
  /** Number of the queue pair. */
  qp = 0
  /** Bytes of the message: sent, received, read or swapped. Of a failed WQE: the length it was posted with, or 0. */
  lengthBytes = DOUBLE_ZERO
  hasImmediate = false
  immediate = DOUBLE_ZERO
  /** Key that a SEND with invalidate has invalidated, or -1. */
  invalidatedKey = DOUBLE_ZERO
}

/** A queue pair that uses a completion queue. */
export interface CompletionUser {
  /** A CQE of this or another user was lost. */
  onOverrun(): void
}

export class CompletionQueue {
  /** CQEs lost for lack of room. */
  overruns = 0
  /** An overrun has not been reported to the users yet. */
  hasOverrun = false
  /** A CQE arrived that the application had armed the queue for. */
  hasEvent = false
  private readonly capacity: number
  private ring: (Completion | undefined)[] = Array.from({ length: FIRST_ENTRIES })
  private readonly users: CompletionUser[] = []
  private head = 0
  private tail = 0
  private armed: 'no' | 'solicited' | 'all' = 'no'

  /** @throws InputError for an invalid capacity. */
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

  /** Reports an overrun to all users. Queue pairs call it after push(), which may run in the middle of an operation. */
  reportOverrun(): void {
    this.hasOverrun = false
    for (let k = 0; k < this.users.length; k++) this.users[k]!.onOverrun()
  }

  /** Requests one event: at the next CQE, or at the next that is solicited or failed. Clears an unread event. */
  arm(isSolicitedOnly: boolean): void {
    this.hasEvent = false
    // A request for any CQE is not narrowed to solicited ones (IBTA 11.4.2.2).
    if (!isSolicitedOnly) this.armed = 'all'
    else if (this.armed === 'no') this.armed = 'solicited'
  }

  /** The next CQE to fill, or null without room. It is visible to poll() from this call on. */
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
    if (this.tail - this.head === this.ring.length) this.ring = doubled(this.ring, this.head)
    return (this.ring[this.tail++ & (this.ring.length - 1)] ??= new Completion())
  }

  /** Copies the oldest CQE to `out` and removes it. False: the queue is empty. */
  poll(out: Completion): boolean {
    if (this.head === this.tail) return false
    const from = this.ring[this.head++ & (this.ring.length - 1)]!
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
