/**
 * HOT. Packets of NICs: made from the segment of one half of a queue pair, and read back into a segment at the other end.
 * One object for all NICs, so that it stays in the nearest cache.
 * Units: bytes of frames, picoseconds.
 */
import { CHECKED } from '../base/assert.ts'
import { INTS } from '../base/memory.ts'
import { controlFrameBytes, dataFrameBytes } from '../transport/endpoint.ts'
import { expectPsn } from '../transport/psn.ts'
import { ACK, NAK, READ_REQUEST, RNR_NAK, SACK, type Segment } from '../transport/segment.ts'
import type { FabricCounters } from './counters.ts'
import { ECN, expectAlive, FLAGS, KIND, ORDINAL, type Packets, PAYLOAD, PSN, SACK_PSN, SYNDROME } from './packets.ts'
import type { QueuePair } from './pairs/queue-pair.ts'
import type { Telemetry } from './link/telemetry.ts'
import { PLAIN } from '../transport/plain.ts'

const ints = INTS

/** The parts of the fabric that make and count packets. */
export interface PacketMaker {
  readonly packets: Packets
  readonly counters: FabricCounters
  makePacket(kind: number, direction: number, destination: number, sizeBytes: number, codepoint: number): number
}

export class NicPackets {
  private readonly fabric: PacketMaker
  /** null: packets carry no telemetry. */
  private readonly telemetry: Telemetry | null

  constructor(fabric: PacketMaker, telemetry: Telemetry | null) {
    this.fabric = fabric
    this.telemetry = telemetry
  }

  /** Makes a data packet. */
  makeData(segment: Segment, pair: QueuePair, destination: number): number {
    const { verbs } = pair
    const sizeBytes =
      PLAIN || verbs === null
        ? dataFrameBytes(pair.frames, segment.payloadBytes, segment.flags)
        : verbs.frameBytes(verbs.packets.scratch)
    const packet = this.fill(segment, pair, 0, destination, sizeBytes, pair.codepoint)
    this.fabric.counters.dataSent++
    return packet
  }

  /** Makes a control packet. */
  makeControl(segment: Segment, pair: QueuePair, isBack: 0 | 1, destination: number, codepoint: number): number {
    const { kind } = segment
    const isOfVerbs =
      !PLAIN && pair.verbs !== null && (kind === ACK || kind === NAK || kind === RNR_NAK || kind === READ_REQUEST)
    const sizeBytes = isOfVerbs
      ? pair.verbs!.frameBytes(pair.verbs!.packets.scratch)
      : controlFrameBytes(pair.frames, kind, segment.flags)
    const packet = this.fill(segment, pair, isBack, destination, sizeBytes, codepoint)
    if (kind === NAK || (segment.flags & SACK) !== 0) ints[packet | SACK_PSN] = segment.sackPsn
    if (!PLAIN && this.telemetry !== null && (kind === ACK || kind === NAK)) this.telemetry.store(packet, segment.hops)
    this.fabric.counters.controlSent++
    return packet
  }

  /** Reads a packet into a segment. */
  read(packet: number, segment: Segment): void {
    if (CHECKED) expectAlive(packet)
    const { packets } = this.fabric
    segment.kind = ints[packet | KIND]! as Segment['kind']
    segment.ordinal = ints[packet | ORDINAL]!
    segment.psn = ints[packet | PSN]!
    if (CHECKED) expectPsn(segment.psn)
    segment.payloadBytes = ints[packet | PAYLOAD]!
    segment.flags = ints[packet | FLAGS]!
    segment.ecn = ints[packet | ECN]!
    segment.syndrome = ints[packet | SYNDROME]!
    segment.sentPs = packets.sentPs(packet)
    segment.delayPs = packets.delayPs(packet)
    if (!PLAIN && this.telemetry !== null) this.telemetry.load(packet, segment.hops)
  }

  private fill(
    segment: Segment,
    pair: QueuePair,
    isBack: 0 | 1,
    destination: number,
    sizeBytes: number,
    codepoint: number,
  ): number {
    const packet = this.fabric.makePacket(segment.kind, (pair.id << 1) | isBack, destination, sizeBytes, codepoint)
    pair.inNetwork++
    if (CHECKED) expectPsn(segment.psn)
    ints[packet | PSN] = segment.psn
    ints[packet | PAYLOAD] = segment.payloadBytes
    ints[packet | FLAGS] = segment.flags
    ints[packet | ECN] = segment.ecn
    ints[packet | SYNDROME] = segment.syndrome
    this.fabric.packets.setTimes(packet, segment.sentPs, segment.delayPs)
    const { verbs } = pair
    if (!PLAIN && verbs !== null) verbs.packets.stow(packet, verbs.format)
    return packet
  }
}
