/**
 * HOT. Receive queue: Receive WQEs in the order of their recv_WQE_SN, a ring; and the shared receive queue, from which
 * queue pairs take them and give them their numbers ([IRN] 5.3.2, B.2).
 */
import { assert } from '../../base/assert.ts'
import { DOUBLE_ZERO } from '../../base/double.ts'
import type { MemoryRegion } from '../memory-region.ts'
import { isMessageLength } from './operation.ts'
import { isReceiveWork } from './work-check.ts'
import type { ReceiveWork } from './work-request.ts'

/** A Receive WQE: where an incoming message may go. */
export class ReceiveWqe {
  id = DOUBLE_ZERO
  region: MemoryRegion | null = null
  address = DOUBLE_ZERO
  lengthBytes = DOUBLE_ZERO
}

export class ReceiveQueue {
  /** SN of the oldest that is still there. */
  head = 0
  /** SN of the next to be posted. */
  tail = 0
  readonly capacity: number
  /** Made as they are needed: few queues are ever full. */
  private readonly ring: ReceiveWqe[] = []

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get isFull(): boolean {
    return this.tail - this.head === this.capacity
  }

  get isEmpty(): boolean {
    return this.tail === this.head
  }

  /** The WQE of that SN, which is there: head <= sn < tail. */
  at(sn: number): ReceiveWqe {
    assert(sn >= this.head && sn < this.tail, 'no such Receive WQE')
    return this.ring[sn % this.capacity]!
  }

  /** False: the queue is full. */
  post(work: ReceiveWork): boolean {
    if (this.isFull) return false
    const wqe = (this.ring[this.tail++ % this.capacity] ??= new ReceiveWqe())
    wqe.id = work.id
    wqe.region = work.region ?? null
    wqe.address = work.address ?? 0
    wqe.lengthBytes = work.lengthBytes
    return true
  }

  drop(): void {
    assert(this.head < this.tail, 'no Receive WQE is left')
    this.head++
  }

  reset(): void {
    this.head = this.tail = 0
  }
}

/** Shared by several queue pairs of one protection domain. */
export class SharedReceiveQueue {
  readonly domain: number
  private readonly queue: ReceiveQueue
  private limit = 0
  /** There are, or were, fewer left than the limit (IBTA 10.2.9.3); armed by setLimit(). */
  isLow = false

  constructor(domain: number, capacity: number) {
    this.domain = domain
    this.queue = new ReceiveQueue(capacity)
  }

  get capacity(): number {
    return this.queue.capacity
  }

  get count(): number {
    return this.queue.tail - this.queue.head
  }

  /** False: the queue is full, its length is none of a message, or its address is none. */
  post(work: ReceiveWork): boolean {
    return isReceiveWork(work) && isMessageLength(work.lengthBytes) && this.queue.post(work)
  }

  /**
   * Says once when fewer than so many are left, and at once where that is so already. IBTA has the event when the count
   * drops below the limit; in an empty queue it cannot drop any more, and whoever arms late would never hear of it.
   */
  setLimit(count: number): void {
    this.limit = count
    this.isLow = false
    this.checkLimit()
  }

  /** Moves the oldest WQE to a queue pair's own queue, where it gets its SN. False: there is none, or no room. */
  moveTo(queue: ReceiveQueue): boolean {
    if (this.queue.isEmpty || queue.isFull) return false
    queue.post(this.queue.at(this.queue.head))
    this.queue.drop()
    this.checkLimit()
    return true
  }

  private checkLimit(): void {
    if (this.count >= this.limit) return
    this.isLow = true
    this.limit = 0
  }
}
