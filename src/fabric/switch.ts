/**
 * HOT. Switch: orders the steps of a packet's stay; each step's rule lives in a file of its own.
 * On arrival: fault verdict, classify, look up, balance, admit, PFC after the charge, drop early (WRED), ECN, enqueue.
 * On departure: ECN where marking is at dequeue, release, PFC after the release, on to the link.
 * Store and forward. Units: bytes of frames, picoseconds.
 */
import type { Routes } from '../topology/routes.ts'
import { CE, CNP, DATA, NOT_ECT } from '../transport/segment.ts'
import type { Balance } from './balance/balance.ts'
import type { Buffer } from './buffer/buffer.ts'
import { DROP_BUFFER, DROP_LINK_DOWN, DROP_NO_ROUTE, DROP_WRED } from './counters.ts'
import type { Marker } from './ecn.ts'
import type { EgressQueue } from './egress-queue.ts'
import { EVENT_FORWARD, KIND_BITS, type Fabric } from './fabric.ts'
import type { Device, Port } from './port.ts'
import type { Scheduler } from './scheduler.ts'

export interface SwitchOptions {
  readonly node: number
  readonly buffer: Buffer
  /** Bit per lossless class. */
  readonly lossless: number
  /** Class by codepoint (DSCP 0..63 or PCP 0..7). */
  readonly classOf: Uint8Array
  readonly latencyPs: number
  readonly releaseAtEnd: boolean
  readonly markAtDequeue: boolean
  readonly wredClasses: number
  readonly wredThresholdBytes: number
  readonly balance: Balance
}

export class Switch implements Device {
  readonly node: number
  readonly buffer: Buffer
  /** By local index; 0 unused. */
  readonly ports: Port[] = []
  readonly queues: EgressQueue[] = []
  /** Bytes charged and not yet queued (latency), and sent but not yet released (release at the end). */
  pipelineBytes = 0
  heldBytes = 0
  readonly #schedulers: Scheduler[] = []
  readonly #markers: Marker[] = []
  readonly #fabric: Fabric
  readonly #options: SwitchOptions
  readonly #balance: Balance
  readonly #classOf: Uint8Array
  readonly #lossless: number
  readonly #markAtDequeue: boolean
  readonly #releaseAtEnd: boolean
  #routes!: Routes
  #routeBase = 0
  /** Packet whose bytes are freed at the end of its transmission, by port index; -1 none. */
  readonly #sending: number[] = []

  constructor(fabric: Fabric, options: SwitchOptions) {
    this.#fabric = fabric
    this.#options = options
    this.node = options.node
    this.buffer = options.buffer
    this.#balance = options.balance
    this.#classOf = options.classOf
    this.#lossless = options.lossless
    this.#markAtDequeue = options.markAtDequeue
    this.#releaseAtEnd = options.releaseAtEnd
  }

  /** Adds the next port; index 1, 2, 3, ... */
  addPort(port: Port, queue: EgressQueue, scheduler: Scheduler, marker: Marker): void {
    this.ports[port.index] = port
    this.queues[port.index] = queue
    this.#schedulers[port.index] = scheduler
    this.#markers[port.index] = marker
    this.#sending[port.index] = -1
    port.device = this
  }

  /** Uses these routes from now on. */
  setRoutes(routes: Routes, hostCount: number): void {
    this.#routes = routes
    this.#routeBase = this.node * hostCount
  }

  /** A packet that passed the link's faults came in by `port`. */
  receive(packet: number, port: Port): void {
    const packets = this.#fabric.packets
    const trafficClass = this.#classOf[packets.codepoint[packet]!]!
    const out = this.#lookUp(packet)
    if (out < 0) {
      this.#fabric.drop(packet, this.node, DROP_NO_ROUTE)
      return
    }
    const sizeBytes = packets.sizeBytes[packet]!
    const bit = 1 << trafficClass
    if (!this.buffer.admit(port.index, trafficClass, out, sizeBytes)) {
      if ((this.#lossless & bit) !== 0) this.#fabric.counters.losslessDrops++
      this.#fabric.drop(packet, this.node, DROP_BUFFER)
      return
    }
    packets.trafficClass[packet] = trafficClass
    packets.out[packet] = out
    if ((this.#lossless & bit) !== 0 && this.buffer.isOverXoff(port.index, trafficClass)) port.pausePeer(trafficClass)
    if (this.#options.latencyPs === 0) this.forward(packet)
    else {
      this.pipelineBytes += sizeBytes
      this.#fabric.inPipeline++
      this.#fabric.queue.after(this.#options.latencyPs, (packet << KIND_BITS) | EVENT_FORWARD)
    }
  }

  /** The packet has passed the switch's pipeline. */
  leavePipeline(packet: number): void {
    this.pipelineBytes -= this.#fabric.packets.sizeBytes[packet]!
    this.#fabric.inPipeline--
    this.forward(packet)
  }

  /** The packet reaches its egress queue. */
  forward(packet: number): void {
    const packets = this.#fabric.packets
    const out = packets.out[packet]!
    const trafficClass = packets.trafficClass[packet]!
    const port = this.ports[out]!
    const queue = this.queues[out]!
    if (!port.isUp) {
      this.#discard(packet, DROP_LINK_DOWN)
      return
    }
    const queueBytes = queue.bytes[trafficClass]!
    if (packets.ecn[packet] === NOT_ECT) {
      if (this.#isDroppedEarly(packet, trafficClass, queueBytes)) {
        this.#discard(packet, DROP_WRED)
        return
      }
    } else if (!this.#markAtDequeue && this.#markers[out]!.isMarked(trafficClass, queueBytes)) this.#mark(packet)
    // `at` still names the port of this switch it came in by.
    queue.push(packet, trafficClass, this.#inputOf(packet) - 1)
    port.kick()
  }

  nextPacket(port: Port): number {
    const index = port.index
    const queue = this.queues[index]!
    const ready = queue.full & ~port.paused.mask
    if (ready === 0) return -1
    const trafficClass = this.#schedulers[index]!.pick(ready, queue)
    const packet = queue.pop(trafficClass)
    const packets = this.#fabric.packets
    if (
      this.#markAtDequeue &&
      packets.ecn[packet] !== NOT_ECT &&
      this.#markers[index]!.isMarked(trafficClass, queue.bytes[trafficClass]!)
    ) {
      this.#mark(packet)
    }
    if (this.#releaseAtEnd) this.#releaseLater(packet, index)
    else this.#release(this.#inputOf(packet), trafficClass, index, packets.sizeBytes[packet]!)
    return packet
  }

  hasWaiting(port: Port): boolean {
    return this.#sending[port.index]! >= 0 || (this.queues[port.index]!.full & ~port.paused.mask) !== 0
  }

  /** End of a transmission: bytes that were to be freed now are freed. */
  onSent(port: Port): void {
    const held = this.#sending[port.index]!
    if (held < 0) return
    this.#sending[port.index] = -1
    this.heldBytes -= held >> 11
    // Packed by #releaseLater: the packet itself may be gone already.
    this.#release(held & 0xff, (held >> 8) & 7, port.index, held >> 11)
  }

  /** Loses everything that waits for a port whose cable was cut. */
  flush(port: Port): void {
    const queue = this.queues[port.index]!
    while (queue.full !== 0) {
      const packet = queue.pop(31 - Math.clz32(queue.full))
      this.#discard(packet, DROP_LINK_DOWN)
    }
  }

  #lookUp(packet: number): number {
    const routes = this.#routes
    const list = routes.listOf[this.#routeBase + this.#fabric.packets.destination[packet]!]!
    if (list < 0) return -1
    const candidates = routes.listLength[list]!
    const start = routes.listStart[list]!
    if (candidates === 1) return routes.ports[start]!
    return routes.ports[start + this.#balance.choose(this.node, packet, candidates)]!
  }

  /** Local index of the port a stored packet came in by. */
  #inputOf(packet: number): number {
    return this.#fabric.portIndex[this.#fabric.packets.at[packet]!]!
  }

  #isDroppedEarly(packet: number, trafficClass: number, queueBytes: number): boolean {
    const o = this.#options
    if ((o.wredClasses & (1 << trafficClass)) === 0 || queueBytes < o.wredThresholdBytes) return false
    // Early drop is for data that cannot be marked; control packets of the class are exempt (spec of S4 eq. 3).
    return this.#fabric.packets.kind[packet] === DATA
  }

  #mark(packet: number): void {
    const fabric = this.#fabric
    const packets = fabric.packets
    if (packets.kind[packet] === CNP) return
    packets.ecn[packet] = CE
    fabric.counters.ecnMarks++
  }

  /** Loses a packet that is charged. */
  #discard(packet: number, reason: number): void {
    const packets = this.#fabric.packets
    this.#release(
      this.#inputOf(packet),
      packets.trafficClass[packet]!,
      packets.out[packet]!,
      packets.sizeBytes[packet]!,
    )
    this.#fabric.drop(packet, this.node, reason)
  }

  #releaseLater(packet: number, index: number): void {
    const packets = this.#fabric.packets
    const sizeBytes = packets.sizeBytes[packet]!
    this.heldBytes += sizeBytes
    this.#sending[index] =
      (sizeBytes << 11) | (packets.trafficClass[packet]! << 8) | this.#inputOf(packet)
  }

  #release(input: number, trafficClass: number, out: number, sizeBytes: number): void {
    this.buffer.release(input, trafficClass, out, sizeBytes)
    const port = this.ports[input]!
    if ((port.xoffSent & (1 << trafficClass)) !== 0 && this.buffer.isUnderXon(input, trafficClass)) {
      port.resumePeer(trafficClass)
    }
  }
}
