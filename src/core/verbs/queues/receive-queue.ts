/**
 * HOT. Receive queue: a ring of Receive WQEs ordered by recv_WQE_SN; and the shared receive queue, from which queue
 * pairs take WQEs and number them ([IRN] 5.3.2, B.2).
 */
import { assert } from '../../base/assert.ts'
import { DOUBLE_ZERO } from '../../base/double.ts'
import type { MemoryRegion } from '../memory-region.ts'
import { isMessageLength } from './operation.ts'
import { isReceiveWork } from './work-check.ts'
import type { ReceiveWork } from './work-request.ts'

/** A Receive WQE: memory for an incoming message. */
export class ReceiveWqe {
  id = DOUBLE_ZERO
  region: MemoryRegion | null = null
  address = DOUBLE_ZERO
  lengthBytes = DOUBLE_ZERO
}

export class ReceiveQueue {
  /** SN of the oldest WQE in the queue. */
  head = 0
  /** SN of the next to be posted. */
  tail = 0
  readonly capacity: number
  /** Entries are created on first use: few queues are ever full. */
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

  /** The WQE of an SN in head..tail - 1. */
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
  /** Fewer WQEs than the limit are left, or were once (IBTA 10.2.9.3); armed by setLimit(). */
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

  /** False: the queue is full, or the length or address is invalid. */
  post(work: ReceiveWork): boolean {
    return isReceiveWork(work) && isMessageLength(work.lengthBytes) && this.queue.post(work)
  }

  /**
   * Arms isLow, which is set once fewer than `count` WQEs are left, or at once if that holds already.
   * Deviates: IBTA 10.2.9.3 reports the count dropping below the limit, which never happens in a queue that is empty
   * when armed.
   */
  setLimit(count: number): void {
    this.limit = count
    this.isLow = false
    this.checkLimit()
  }

  /**
   * Moves the oldest WQE to a queue pair's own queue, where it gets its SN. False: this queue is empty, or that one
   * full.
   */
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
