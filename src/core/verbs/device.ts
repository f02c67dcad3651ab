/**
 * Device: one NIC as its verbs users see it, with an address space of memory regions, protection domains and queue
 * pairs.
 */
import { inputError } from '../base/issue.ts'
import type { OrderSource } from '../transport/timers.ts'
import { LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ, REMOTE_WRITE } from './access.ts'
import type { AsyncEvent, AsyncEventKind } from './async-event.ts'
import { CompletionQueue } from './queues/completion-queue.ts'
import { MemoryRegion, type MemoryRegionOptions } from './memory-region.ts'
import { QueuePair } from './queue-pair.ts'
import { SharedReceiveQueue } from './queues/receive-queue.ts'

const PAGE_BYTES = 4096
const ALL_RIGHTS = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC
/** Longest memory region. Addresses stay exact below 2^53. */
const REGION_BYTES_MAX = 2 ** 38
/** Most WQEs of one queue. */
const DEPTH_MAX = 2 ** 20

/** Options of a new queue pair. */
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
  private readonly pairs = new Map<number, QueuePair>()
  /** 0 and 1 are the management queue pairs (IBTA 3.2.1). */
  private nextPair = 2
  private readonly events: AsyncEvent[] = []
  private readonly shared: SharedReceiveQueue[] = []
  private domains = 0
  private nextAddress: number

  /** @param baseAddress address of the first region; regions begin at page boundaries */
  constructor(order: OrderSource, baseAddress = 0x10_0000) {
    this.order = order
    this.nextAddress = baseAddress
  }

  /**
   * Returns the number of a new protection domain. Objects of different domains cannot be used together. Numbers are
   * unique within the device only.
   */
  allocateDomain(): number {
    return this.domains++
  }

  /**
   * Registers memory. With `bytes` null only its length, `lengthBytes`, is modelled.
   * @throws InputError for an invalid domain, access or length.
   */
  register(domain: number, access: number, bytes: Uint8Array | null, lengthBytes = bytes?.length ?? 0): MemoryRegion {
    this.expectDomain(domain)
    if (!Number.isInteger(lengthBytes) || lengthBytes < 0 || lengthBytes > REGION_BYTES_MAX) {
      throw inputError('lengthBytes', `a whole number of bytes, up to ${REGION_BYTES_MAX}`, `${lengthBytes}`)
    }
    if (bytes !== null && lengthBytes !== bytes.length) {
      throw inputError('lengthBytes', `as many as there are bytes, ${bytes.length}`, `${lengthBytes}`)
    }
    if (!Number.isInteger(access) || access < 0 || access > ALL_RIGHTS) {
      throw inputError('access', 'bits of LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC', `${access}`)
    }
    // Remote writing requires local writing (IBTA 10.6.3.1).
    if ((access & (REMOTE_WRITE | REMOTE_ATOMIC)) !== 0 && (access & LOCAL_WRITE) === 0) {
      throw inputError('access', 'LOCAL_WRITE beside REMOTE_WRITE or REMOTE_ATOMIC', `${access}`)
    }
    const address = this.nextAddress
    this.nextAddress += Math.ceil((lengthBytes + 1) / PAGE_BYTES) * PAGE_BYTES
    return this.add({ domain, access, bytes, lengthBytes, address })
  }

  /** Keeps a region under a key of its own. */
  protected add(options: Omit<MemoryRegionOptions, 'key'>): MemoryRegion {
    // 24 bits of index and 8 bits that the consumer owns (IBTA 10.6.3.3).
    const key = (this.regions.length + 1) * 256 + ((this.regions.length * 37 + 1) & 0xff)
    const region = new MemoryRegion({ ...options, key })
    this.regions.push(region)
    return region
  }

  /** The region of a key, valid or invalidated, or null. */
  regionOf(key: number): MemoryRegion | null {
    const region = this.regions[Math.floor(key / 256) - 1]
    return region !== undefined && region.key === key ? region : null
  }

  /** Invalidates a key: deregistration, or a SEND with invalidate. */
  invalidate(key: number): void {
    const region = this.regionOf(key)
    if (region !== null) region.isValid = false
  }

  /** @throws InputError for an invalid domain or capacity. */
  createSharedReceiveQueue(domain: number, capacity: number): SharedReceiveQueue {
    this.expectDomain(domain)
    expectDepth('capacity', capacity)
    const queue = new SharedReceiveQueue(domain, capacity)
    this.shared.push(queue)
    return queue
  }

  /** @throws InputError for an invalid plan. */
  createQueuePair(plan: QueuePairPlan): QueuePair {
    expectPlan(plan)
    const shared = plan.shared ?? null
    this.expectDomain(plan.domain)
    expectDepth('sendDepth', plan.sendDepth ?? 1)
    expectDepth('receiveDepth', plan.receiveDepth ?? 1)
    if (shared !== null && !this.shared.includes(shared)) {
      throw inputError('shared', 'a shared receive queue of this device', 'one of another device')
    }
    if (shared !== null && shared.domain !== plan.domain) {
      throw inputError('shared', `a shared receive queue of domain ${plan.domain}`, `one of domain ${shared.domain}`)
    }
    const number = this.nextPair++
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
    this.pairs.set(number, pair)
    return pair
  }

  /**
   * Destroys a queue pair in any state. Its outstanding work requests produce no CQEs (IBTA 11.2.4.4), CQEs already
   * written can be polled, packets for it are dropped. Its number is not used again.
   * @throws InputError for a queue pair that this device does not have.
   */
  destroyQueuePair(pair: QueuePair): void {
    if (this.pairOf(pair.number) !== pair) {
      throw inputError('pair', 'a queue pair of this device that was not destroyed', `number ${pair.number}`)
    }
    this.pairs.delete(pair.number)
    pair.close()
  }

  /** Takes the oldest event, or returns null. */
  pollEvent(): AsyncEvent | null {
    return this.events.shift() ?? null
  }

  /** Called by the device's queue pairs. */
  report(kind: AsyncEventKind, qp: number): void {
    this.events.push({ kind, qp })
  }

  /** The queue pair of a number, or null. */
  pairOf(number: number): QueuePair | null {
    return this.pairs.get(number) ?? null
  }

  private expectDomain(domain: number): void {
    if (Number.isInteger(domain) && domain >= 0 && domain < this.domains) return
    const expected = this.domains === 0 ? 'one that allocateDomain() gave' : `a whole number below ${this.domains}`
    throw inputError('domain', `a protection domain of this device: ${expected}`, `${domain}`)
  }
}

/** Checks what the types promise, for callers in JavaScript. */
function expectPlan(plan: QueuePairPlan): void {
  if (typeof plan !== 'object' || plan === null) throw inputError('plan', 'the options of a queue pair', String(plan))
  for (const name of ['sendCompletions', 'receiveCompletions'] as const) {
    if (plan[name] instanceof CompletionQueue) continue
    throw inputError(
      name,
      'a completion queue',
      String(plan[name]),
      'new CompletionQueue(capacity); one may serve both',
    )
  }
}

function expectDepth(path: string, depth: number): void {
  if (Number.isInteger(depth) && depth >= 0 && depth <= DEPTH_MAX) return
  throw inputError(path, `a whole number of WQEs, 0 to ${DEPTH_MAX}`, `${depth}`)
}
