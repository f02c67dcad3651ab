/**
 * Fabric: owner of the parts that all devices of a network share. Two networks in one process share no state.
 */
import { CHECKED } from '../base/assert.ts'
import { INTS, type Memory } from '../base/memory.ts'
import { Digest } from '../engine/digest.ts'
import { EventQueue } from '../engine/event-queue.ts'
import { DROP_TRIMMED, FabricCounters } from './counters.ts'
import { CutThrough } from './link/cut-through.ts'
import { Hops } from '../transport/hops.ts'
import { DATA, Segment, TRIMMED } from '../transport/segment.ts'
import { Departures } from './link/departures.ts'
import { EgressQueues } from './link/egress-queue.ts'
import { NicPackets } from './nic-packets.ts'
import { CODEPOINT, TRIMMED_BYTES, DIRECTION, expectAlive, KIND, Packets, PAYLOAD, PFC, SIZE } from './packets.ts'
import { PairTable } from './pairs/pair-table.ts'
import { PortRecords } from './link/port-records.ts'
import type { Telemetry } from './link/telemetry.ts'
import { Transmitter } from './link/transmitter.ts'
import type { Actor, LossWatch, Watch } from './watch.ts'

const ints = INTS

export class Fabric {
  /** Memory of its records. */
  readonly memory: Memory
  readonly queue: EventQueue
  readonly packets: Packets
  /** Conversion between packets and the segments of endpoints. */
  readonly nicPackets: NicPackets
  readonly digest = new Digest()
  readonly counters = new FabricCounters()
  /** Observer of pauses and drops, or null. */
  watch: Watch | null = null
  /** Telemetry that packets carry, or null. */
  readonly telemetry: Telemetry | null
  /** Observer of losses and timeouts, or null. */
  losses: LossWatch | null = null
  /** Packets that wait for an event of their own: in a switch's pipeline, or PFC frames that have not taken effect. */
  inPipeline = 0

  /** Passed between NICs and endpoints, one at a time; shared by all, so that it stays in the nearest cache. */
  readonly segment = new Segment()

  /** All queue pairs; each has two directions, forward and back. */
  readonly pairs = new PairTable()

  readonly records: PortRecords
  readonly queues: EgressQueues
  readonly transmitter: Transmitter
  /** null: nobody has asked for them. */
  departures: Departures | null = null
  /** Cut-through of switches; null: they store and forward. */
  readonly cutThrough: CutThrough | null

  /**
   * @param inputs number of inputs that the egress queue of each port keeps apart, in the order of port numbers.
   * @param headerBytes bytes that cut-through switches wait for; 0: switches store and forward.
   */
  constructor(memory: Memory, inputs: readonly number[], telemetry: Telemetry | null = null, headerBytes = 0) {
    this.memory = memory
    this.records = new PortRecords(inputs.length, memory)
    this.queue = new EventQueue(memory)
    this.packets = new Packets(memory)
    this.queues = new EgressQueues(this.records, inputs, memory)
    this.transmitter = new Transmitter(this.queue, this.records, memory, headerBytes)
    this.telemetry = telemetry
    this.nicPackets = new NicPackets(this, telemetry)
    if (telemetry !== null) this.segment.hops = new Hops()
    this.cutThrough = headerBytes === 0 ? null : new CutThrough(this, headerBytes, inputs.length)
  }

  openDepartures(): Departures {
    return (this.departures ??= new Departures(this.records.ports))
  }

  /** Makes a packet with all fields initialized and no telemetry: where telemetry is on, switches write into every packet. */
  makePacket(kind: number, direction: number, destination: number, sizeBytes: number, codepoint: number): number {
    const packet = this.packets.make(kind, direction, destination, sizeBytes, codepoint)
    if (this.telemetry !== null) this.telemetry.clear(packet)
    return packet
  }

  /** Cuts a data packet down to its header, which continues in another class. Its payload is lost. */
  trim(packet: number, sizeBytes: number, codepoint: number): void {
    if (this.losses !== null) this.losses.onLoss(packet)
    const trimmedBytes = ints[packet | SIZE]! - sizeBytes
    this.counters.trimmed++
    this.counters.trimmedBytes += trimmedBytes
    ints[packet | TRIMMED_BYTES] = trimmedBytes
    ints[packet | SIZE] = sizeBytes
    ints[packet | KIND] = TRIMMED
    ints[packet | CODEPOINT] = codepoint
    ints[packet | PAYLOAD] = 0
  }

  /** Whether a receiver makes use of a trimmed packet's header; if not, the packet is dropped here. */
  acceptTrimmed(packet: number, node: number, hearsTrimmed: boolean): boolean {
    if (hearsTrimmed) this.endTrimmed(packet)
    else this.drop(packet, node, DROP_TRIMMED)
    return hearsTrimmed
  }

  /** Counts, reports and frees a lost packet. */
  drop(packet: number, node: number, reason: number): void {
    if (CHECKED) expectAlive(packet)
    const packets = this.packets
    this.counters.drops[reason]!++
    const kind = ints[packet | KIND]!
    if (kind === DATA || kind === TRIMMED) this.counters.dataDrops++
    if (kind === TRIMMED) this.endTrimmed(packet)
    this.digest.add(this.queue.nowPs, -1 - reason, ints[packet | DIRECTION]!)
    if (this.watch !== null) {
      this.watch.onDrop(this.queue.nowPs, node, reason, ints[packet | DIRECTION]!, ints[packet | SIZE]!, packet)
    }
    // The loss of a trimmed packet was reported when it was trimmed.
    if (this.losses !== null && kind !== TRIMMED) this.losses.onLoss(packet)
    if (this.cutThrough !== null) this.cutThrough.forget(packet)
    if (kind !== PFC) this.pairs.addPackets(ints[packet | DIRECTION]!, -1)
    packets.free(packet)
  }

  private endTrimmed(packet: number): void {
    this.counters.trimmedEnded++
    this.counters.trimmedBytesEnded += ints[packet | TRIMMED_BYTES]!
  }
}

/** The network, as a device that acts at times of its own sees it. */
export interface DeviceNetwork {
  readonly fabric: Fabric
  addActor(actor: Actor): number
  actAt(timePs: number, actor: number): void
  recordTargets(): void
}
