/**
 * HOT. Egress queue of one switch port: eight classes, each one FIFO, or one virtual output queue per input port.
 * Units: bytes of frames. Shape: all queues of a fabric may share one column of integers (an arena), so that a queue's
 * state is a cache line and not five objects: per class four integers (head, tail, bytes, input served last) while
 * there is one input; with virtual output queues head and tail of each input follow, [class * inputs + input].
 * Invariant: bytes of a class is the sum over its packets; bit `class` of `full` is set while it holds any.
 * Source: VOQs served round robin, one packet per turn: S3 4.1.
 */
import { alignedInts } from '../base/aligned.ts'
import { NEXT, SIZE, type Packets } from './packets.ts'

export const CLASSES = 8

/** Of a class's record. */
const HEAD = 0
const TAIL = 1
const BYTES = 2
const TURN = 3
const RECORD = 4

/** Integers one queue takes of an arena. */
export function egressQueueLength(inputs: number): number {
  return CLASSES * RECORD + (inputs > 1 ? CLASSES * inputs * 2 : 0)
}

/** A column of integers that many queues share. */
export class Arena {
  readonly data: Int32Array
  private used = 0
  constructor(length: number) {
    this.data = alignedInts(length)
  }
  /** Offset of `length` integers of its own. */
  take(length: number): number {
    const offset = this.used
    this.used += length
    return offset
  }
}

export class EgressQueue {
  /** Bit per class that holds packets. */
  full = 0
  packetCount = 0
  /** Class served last in the turn among classes. */
  lastClass = 0
  private readonly packets: Packets
  private readonly data: Int32Array
  private readonly base: number
  private readonly inputs: number
  /** Where head and tail of the virtual output queues start. */
  private readonly lists: number

  /**
   * @param inputs ports whose packets are kept apart; 1: one FIFO per class.
   * @param arena with room for egressQueueLength(inputs); its own when absent.
   */
  constructor(packets: Packets, inputs: number, arena = new Arena(egressQueueLength(inputs))) {
    this.packets = packets
    this.inputs = inputs
    this.data = arena.data
    this.base = arena.take(egressQueueLength(inputs))
    this.lists = this.base + CLASSES * RECORD
    for (let c = 0; c < CLASSES; c++) {
      this.data[this.base + c * RECORD + HEAD] = -1
      this.data[this.base + c * RECORD + TURN] = inputs - 1
    }
    if (inputs > 1) this.data.fill(-1, this.lists, this.lists + CLASSES * inputs * 2)
  }

  /** Frame bytes that wait in a class. */
  bytesOf(trafficClass: number): number {
    return this.data[this.base + trafficClass * RECORD + BYTES]!
  }

  push(packet: number, trafficClass: number, input: number): void {
    const data = this.data
    const packets = this.packets.data
    const record = this.base + trafficClass * RECORD
    const list = this.inputs === 1 ? record : this.lists + (trafficClass * this.inputs + input) * 2
    packets[packet | NEXT] = -1
    if (data[list + HEAD]! < 0) data[list + HEAD] = packet
    else packets[data[list + TAIL]! | NEXT] = packet
    data[list + TAIL] = packet
    data[record + BYTES]! += packets[packet | SIZE]!
    this.full |= 1 << trafficClass
    this.packetCount++
  }

  /** Frame bytes of the packet that `pop` would take. The class is not empty. */
  headBytes(trafficClass: number): number {
    return this.packets.data[this.data[this.list(trafficClass) + HEAD]! | SIZE]!
  }

  /** Takes the next packet of a class that is not empty. */
  pop(trafficClass: number): number {
    const data = this.data
    const packets = this.packets.data
    const record = this.base + trafficClass * RECORD
    const list = this.inputs === 1 ? record : this.list(trafficClass)
    const packet = data[list + HEAD]!
    data[list + HEAD] = packets[packet | NEXT]!
    if (this.inputs > 1) data[record + TURN] = ((list - this.lists) >> 1) - trafficClass * this.inputs
    const rest = data[record + BYTES]! - packets[packet | SIZE]!
    data[record + BYTES] = rest
    this.packetCount--
    // Frames have at least one byte, so no bytes means no packets.
    if (rest === 0) this.full &= ~(1 << trafficClass)
    return packet
  }

  private list(trafficClass: number): number {
    const data = this.data
    const record = this.base + trafficClass * RECORD
    const inputs = this.inputs
    if (inputs === 1) return record
    const lists = this.lists + trafficClass * inputs * 2
    let input = data[record + TURN]! + 1
    if (input === inputs) input = 0
    while (data[lists + input * 2 + HEAD]! < 0) {
      input++
      if (input === inputs) input = 0
    }
    return lists + input * 2
  }
}
