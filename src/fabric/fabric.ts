/**
 * Fabric: the one value that owns a network's shared parts. Two networks in one process share nothing.
 */
import type { Digest } from '../engine/digest.ts'
import type { EventQueue } from '../engine/event-queue.ts'
import { FabricCounters } from './counters.ts'
import { FLOW, SIZE, type Packets } from './packets.ts'
import type { LossWatch, Watch } from './watch.ts'

/** Event codes: kind in the low bits, target above. Arrivals come first since they are most. */
export const KIND_BITS = 3
export const KIND_MASK = (1 << KIND_BITS) - 1
/** Target: packet. It arrives at the port in its AT. */
export const EVENT_ARRIVAL = 0
/** Target: port. Its transmission ends. */
export const EVENT_PORT_END = 1
/** Target: host position. Its NIC looks for something to send. */
export const EVENT_NIC_WAKE = 2
/** Target: queue pair * 2 + half. A deadline of that half. */
export const EVENT_TIMER = 3
/** Target: packet. Leaves the switch's pipeline for its OUT; or a PFC frame takes effect. */
export const EVENT_FORWARD = 4
/** Target: port * 16 + class (pause expires), + 8 (pause is sent again). */
export const EVENT_PFC = 5
/** Target: actor. */
export const EVENT_ACTOR = 6

export class Fabric {
  readonly queue: EventQueue
  readonly packets: Packets
  readonly digest: Digest
  readonly counters = new FabricCounters()
  /** Told of pauses and drops; null: nobody watches. */
  watch: Watch | null = null
  /** Finds the causes of timeouts; null: nobody does. */
  losses: LossWatch | null = null
  /** Packets between two events of their own: in a switch's pipeline, or PFC frames not yet obeyed. */
  inPipeline = 0

  /** Per port: end of the transmission in progress, its place in line, bytes and frames sent. */
  readonly portClock: Float64Array

  constructor(queue: EventQueue, packets: Packets, digest: Digest, ports: number) {
    this.portClock = new Float64Array(4 * ports)
    this.queue = queue
    this.packets = packets
    this.digest = digest
  }

  /** Counts, tells and frees a lost packet. */
  drop(packet: number, node: number, reason: number): void {
    const packets = this.packets
    this.counters.drops[reason]!++
    this.digest.add(this.queue.nowPs, -1 - reason, packets.data[packet | FLOW]!)
    if (this.watch !== null) {
      this.watch.onDrop(this.queue.nowPs, node, reason, packets.data[packet | FLOW]!, packets.data[packet | SIZE]!)
    }
    if (this.losses !== null) this.losses.onLoss(packet)
    packets.free(packet)
  }
}
