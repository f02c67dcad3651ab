/**
 * HOT. Completion queue: a ring of CQEs that queue pairs fill and an application polls.
 * Source: IBTA 10.5 and 11.4.2. A CQE for which there is no room is lost and counted (an overrun).
 */
import { assert } from '../base/assert.ts'
import { DOUBLE_ZERO } from '../base/double.ts'
import { OP_SEND } from './operation.ts'
import { SUCCESS, type Status } from './status.ts'

/** A CQE. The caller owns the one that it polls into. */
export class Completion {
  /** The application's own number of the work request. */
  id = DOUBLE_ZERO
  status: Status = SUCCESS
  /** OP_... of operation.ts. */
  operation: number = OP_SEND
  /** Number of the queue pair. */
  qp = 0
  /** Bytes received, read or swapped. */
  lengthBytes = DOUBLE_ZERO
  hasImmediate = false
  immediate = DOUBLE_ZERO
  /** Key that a SEND with invalidate took away, or -1. */
  invalidatedKey = DOUBLE_ZERO
}

export class CompletionQueue {
  /** CQEs that were lost for want of room. */
  overruns = 0
  /** Since it was last armed, a CQE came that the application wants to be told of. */
  hasEvent = false
  private readonly ring: Completion[]
  private head = 0
  private tail = 0
  private armed: 'no' | 'solicited' | 'all' = 'no'

  constructor(capacity: number) {
    assert(capacity >= 1 && Number.isInteger(capacity), 'a completion queue holds at least one')
    this.ring = Array.from({ length: capacity }, () => new Completion())
  }

  get count(): number {
    return this.tail - this.head
  }

  /** Asks for one event: with the next CQE, or the next that is solicited or in error. */
  arm(isSolicitedOnly: boolean): void {
    this.hasEvent = false
    this.armed = isSolicitedOnly ? 'solicited' : 'all'
  }

  /** The next CQE to fill, or null when there is no room. It counts from the call on. */
  push(isSolicited: boolean): Completion | null {
    if (this.tail - this.head === this.ring.length) {
      this.overruns++
      return null
    }
    if (this.armed === 'all' || (this.armed === 'solicited' && isSolicited)) {
      this.armed = 'no'
      this.hasEvent = true
    }
    return this.ring[this.tail++ % this.ring.length]!
  }

  /** Takes the oldest CQE. */
  poll(out: Completion): boolean {
    if (this.head === this.tail) return false
    const from = this.ring[this.head++ % this.ring.length]!
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
