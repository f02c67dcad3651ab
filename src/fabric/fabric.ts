/**
 * Fabric: the one value that owns a network's shared parts. Two networks in one process share no state.
 */
import { INTS, type Memory } from '../base/memory.ts'
import { Digest } from '../engine/digest.ts'
import { EventQueue } from '../engine/event-queue.ts'
import { FabricCounters } from './counters.ts'
import { Hops } from '../transport/hops.ts'
import { DATA, Segment } from '../transport/segment.ts'
import { EgressQueues } from './egress-queue.ts'
import { FLOW, KIND, Packets, PFC, SIZE } from './packets.ts'
import { PairTable } from './pair-table.ts'
import { PortRecords } from './port-records.ts'
import type { Telemetry } from './telemetry.ts'
import { Transmitter } from './transmitter.ts'
import type { LossWatch, Watch } from './watch.ts'

const ints = INTS

export class Fabric {
  /** Where its records are. */
  readonly memory: Memory
  readonly queue: EventQueue
  readonly packets: Packets
  readonly digest = new Digest()
  readonly counters = new FabricCounters()
  /** Told of pauses and drops; null: nobody watches. */
  watch: Watch | null = null
  /** What packets carry of their way; null: nothing. */
  readonly telemetry: Telemetry | null
  /** Finds the causes of timeouts; null: nobody does. */
  losses: LossWatch | null = null
  /** Packets between two events of their own: in a switch's pipeline, or PFC frames not yet obeyed. */
  inPipeline = 0

  /** What NICs and endpoints hand each other, one at a time: one for all, so that it stays in the nearest cache. */
  readonly segment = new Segment()

  /** All queue pairs; each has two flows, there and back. */
  readonly pairs = new PairTable()

  readonly records: PortRecords
  readonly queues: EgressQueues
  readonly transmitter: Transmitter

  /** @param inputs of each port, in the order of their numbers: how many inputs its egress queue keeps apart. */
  constructor(memory: Memory, inputs: readonly number[], telemetry: Telemetry | null = null) {
    this.memory = memory
    this.records = new PortRecords(inputs.length, memory)
    this.queue = new EventQueue(memory)
    this.packets = new Packets(memory)
    this.queues = new EgressQueues(this.records, inputs, memory)
    this.transmitter = new Transmitter(this.queue, this.records, memory)
    this.telemetry = telemetry
    if (telemetry !== null) this.segment.hops = new Hops()
  }

  /** A packet with every field filled, and no telemetry: switches write into all that passes, where they write at all. */
  makePacket(kind: number, flow: number, destination: number, sizeBytes: number, codepoint: number): number {
    const packet = this.packets.make(kind, flow, destination, sizeBytes, codepoint)
    if (this.telemetry !== null) this.telemetry.clear(packet)
    return packet
  }

  /** Counts, tells and frees a lost packet. */
  drop(packet: number, node: number, reason: number): void {
    const packets = this.packets
    this.counters.drops[reason]!++
    if (ints[packet | KIND] === DATA) this.counters.dataDrops++
    this.digest.add(this.queue.nowPs, -1 - reason, ints[packet | FLOW]!)
    if (this.watch !== null) {
      this.watch.onDrop(this.queue.nowPs, node, reason, ints[packet | FLOW]!, ints[packet | SIZE]!)
    }
    if (this.losses !== null) this.losses.onLoss(packet)
    if (ints[packet | KIND] !== PFC) this.pairs.addPackets(ints[packet | FLOW]!, -1)
    packets.free(packet)
  }
}
