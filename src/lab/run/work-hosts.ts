/**
 * Work hosts: verbs resources of each host for all its queue pairs of work requests: a device, one memory region, and a
 * shared receive queue where the scenario has them.
 * Units: bytes; they are counted and not moved.
 */
import type { Scenario } from '../scenario/scenario.ts'
import type { OrderSource } from '../../core/transport/timers.ts'
import {
  type CompletionQueue,
  Device,
  LOCAL_WRITE,
  type MemoryRegion,
  MESSAGE_BYTES_MAX,
  type QueuePair,
  REMOTE_ATOMIC,
  REMOTE_READ,
  REMOTE_WRITE,
  type SharedReceiveQueue,
} from '../../core/verbs/index.ts'

const RIGHTS = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC
/** Distance between the address spaces of two hosts. */
const SPACE_BYTES = 2 ** 40
/** A region has room for the longest message. */
const REGION_BYTES = MESSAGE_BYTES_MAX

interface WorkHost {
  readonly device: Device
  readonly domain: number
  /** Named by all work requests: the model has no cost per region. */
  readonly region: MemoryRegion
  /** null: each queue pair has its own receives. */
  readonly shared: SharedReceiveQueue | null
}

export class WorkHosts {
  readonly #params: Scenario['verbs']
  readonly #order: OrderSource
  readonly #hosts: (WorkHost | undefined)[] = []

  constructor(params: Scenario['verbs'], order: OrderSource) {
    this.#params = params
    this.#order = order
  }

  /** Most Receive WQEs of one queue. */
  get receiveDepth(): number {
    return this.#params.sharedReceives ?? this.#params.receives
  }

  at(host: number): WorkHost {
    return (this.#hosts[host] ??= this.#create(host))
  }

  newPair(
    host: number,
    sendCompletions: CompletionQueue,
    receiveCompletions: CompletionQueue,
    sendDepth: number,
    receiveDepth: number,
  ): QueuePair {
    const { device, domain, shared } = this.at(host)
    return device.createQueuePair({
      domain,
      sendCompletions,
      receiveCompletions,
      sendDepth,
      receiveDepth,
      ...(shared === null ? {} : { shared }),
    })
  }

  /** Posts one Receive WQE, which has room for any message. */
  receive(pair: QueuePair, host: number): void {
    const { shared } = this.at(host)
    const work = { id: 0, lengthBytes: MESSAGE_BYTES_MAX }
    if (shared !== null) shared.post(work)
    else pair.postReceive(work)
  }

  /** A new key, for a SEND with invalidate. */
  keyFor(host: number): number {
    const { device, domain } = this.at(host)
    return device.register(domain, RIGHTS, null, 1).key
  }

  #create(host: number): WorkHost {
    const { sharedReceives } = this.#params
    const device = new Device({ draw: () => this.#order.draw() }, (host + 1) * SPACE_BYTES)
    const domain = device.allocateDomain()
    const shared = sharedReceives === null ? null : device.createSharedReceiveQueue(domain, sharedReceives)
    if (shared !== null)
      for (let k = 0; k < sharedReceives!; k++) shared.post({ id: 0, lengthBytes: MESSAGE_BYTES_MAX })
    return { device, domain, shared, region: device.register(domain, RIGHTS, null, REGION_BYTES) }
  }
}
