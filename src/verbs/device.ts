/**
 * Device: one NIC as the verbs see it: its address space with memory regions, its protection domains and queue pairs.
 */
import { assert } from '../base/assert.ts'
import type { OrderSource } from '../transport/timers.ts'
import type { CompletionQueue } from './completion-queue.ts'
import { MemoryRegion } from './memory-region.ts'
import { QueuePair } from './queue-pair.ts'
import { SharedReceiveQueue } from './receive-queue.ts'

const PAGE_BYTES = 4096

/** What a queue pair is made of. */
export interface QueuePairPlan {
  readonly domain: number
  readonly sendCompletions: CompletionQueue
  readonly receiveCompletions: CompletionQueue
  readonly sendDepth?: number
  readonly receiveDepth?: number
  readonly shared?: SharedReceiveQueue
}

export class Device {
  private readonly order: OrderSource
  private readonly regions: MemoryRegion[] = []
  private readonly pairs: QueuePair[] = []
  private readonly shared: SharedReceiveQueue[] = []
  private domains = 0
  private nextAddress: number

  /** @param baseAddress of the first region; regions begin at pages */
  constructor(order: OrderSource, baseAddress = 0x10_0000) {
    this.order = order
    this.nextAddress = baseAddress
  }

  /** A new protection domain: what is of one cannot be used with another. Its number is this device's own. */
  allocateDomain(): number {
    return this.domains++
  }

  /** Memory with rights; `bytes` null: only counted, `lengthBytes` long. */
  register(domain: number, access: number, bytes: Uint8Array | null, lengthBytes = bytes?.length ?? 0): MemoryRegion {
    assert(domain >= 0 && domain < this.domains, 'no such protection domain')
    // 24 bits of index and 8 of a key of its own, as keys are (IBTA 10.6.3.3).
    const key = (this.regions.length + 1) * 256 + ((this.regions.length * 37 + 1) & 0xff)
    const region = new MemoryRegion({ domain, access, bytes, lengthBytes, key, address: this.nextAddress })
    this.nextAddress += Math.ceil((lengthBytes + 1) / PAGE_BYTES) * PAGE_BYTES
    this.regions.push(region)
    return region
  }

  /** The valid or invalid region of a key, or null. */
  regionOf(key: number): MemoryRegion | null {
    const region = this.regions[Math.floor(key / 256) - 1]
    return region !== undefined && region.key === key ? region : null
  }

  /** Takes the right to use a key away: deregistration, or a SEND with invalidate. */
  invalidate(key: number): void {
    const region = this.regionOf(key)
    if (region !== null) region.isValid = false
  }

  createSharedReceiveQueue(domain: number, capacity: number): SharedReceiveQueue {
    const queue = new SharedReceiveQueue(domain, capacity)
    this.shared.push(queue)
    return queue
  }

  createQueuePair(plan: QueuePairPlan): QueuePair {
    const shared = plan.shared ?? null
    assert(shared === null || this.shared.includes(shared), 'a shared receive queue of another device')
    assert(shared === null || shared.domain === plan.domain, 'a shared receive queue of another domain')
    // 0 and 1 are the management queue pairs (IBTA 3.2.1).
    const number = this.pairs.length + 2
    const pair = new QueuePair({
      device: this,
      number,
      domain: plan.domain,
      sendCompletions: plan.sendCompletions,
      receiveCompletions: plan.receiveCompletions,
      sendDepth: plan.sendDepth ?? 128,
      receiveDepth: plan.receiveDepth ?? 128,
      shared,
      order: this.order,
    })
    this.pairs.push(pair)
    return pair
  }

  /** Null: there is none with that number. */
  pairOf(number: number): QueuePair | null {
    return this.pairs[number - 2] ?? null
  }
}
