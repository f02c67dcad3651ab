/**
 * HOT. Egress queues of all ports of a fabric: eight classes each; a class is one FIFO, or one virtual output
 * queue per input port.
 * Units: bytes of frames. Shape: four integers per class and port (head, tail, bytes, input served last), the ports of
 * a class side by side, since most packets are of one class; the port's record has a bit per class that holds packets.
 * With virtual output queues head and tail of each input are in a column of their own, [class * inputs + input].
 * Invariant: bytes of a class is the sum over its packets; bit `class` of FULL is set while it holds any.
 * Source: VOQs served round robin, one packet at a time: [IRN] 4.1.
 */
import { assert, CHECKED } from '../../base/assert.ts'
import { INTS, type Memory } from '../../base/memory.ts'
import { DIRECTION, expectAlive, INPUT, NEXT, SIZE } from '../packets.ts'
import { ALL_CLASSES, DOWN, FULL_SHIFT, STATE, VIRTUAL, type PortRecords } from './port-records.ts'

const ints = INTS

export const CLASSES = 8

/** Fields of a class's record. */
const HEAD = 0
const TAIL = 1
const BYTES = 2
const POINTER = 3
const RECORD_BITS = 2

export class EgressQueues {
  readonly ports: number
  /** Base offset of the port records. */
  private readonly records: number
  /** Base offset of the records of classes. */
  private readonly base: number
  /** By port: number of input ports that are kept apart; 1: one FIFO per class. */
  private readonly inputs: Int32Array
  /** By port: index in `lists` of the heads and tails of its virtual output queues. */
  private readonly listsFrom: Int32Array
  private readonly lists: Int32Array

  /** @param inputs by port: number of input ports that are kept apart; 1: one FIFO per class. */
  constructor(records: PortRecords, inputs: readonly number[], memory: Memory) {
    this.ports = records.ports
    this.records = records.base
    this.base = memory.takeWhole((CLASSES * records.ports) << RECORD_BITS)
    this.inputs = Int32Array.from(inputs)
    this.listsFrom = new Int32Array(records.ports)
    let length = 0
    inputs.forEach((count, port) => {
      this.listsFrom[port] = length
      if (count > 1) {
        length += CLASSES * count * 2
        ints[this.records | (port << 4) | STATE]! |= VIRTUAL
      }
      for (let c = 0; c < CLASSES; c++) {
        ints[this.record(port, c) | HEAD] = -1
        ints[this.record(port, c) | POINTER] = count - 1
      }
    })
    this.lists = new Int32Array(length).fill(-1)
  }

  private record(port: number, trafficClass: number): number {
    return this.base | ((Math.imul(trafficClass | 0, this.ports) + port) << RECORD_BITS)
  }

  /** Bit per class that holds packets. */
  full(port: number): number {
    return (ints[this.records | (port << 4) | STATE]! >> FULL_SHIFT) & ALL_CLASSES
  }

  /** Frame bytes queued in a class. */
  bytesOf(port: number, trafficClass: number): number {
    return ints[this.record(port, trafficClass) | BYTES]!
  }

  /** The link of the port is down. */
  isDown(port: number): boolean {
    return (ints[this.records | (port << 4) | STATE]! & DOWN) !== 0
  }

  push(port: number, packet: number, trafficClass: number, input: number): void {
    if (CHECKED) expectAlive(packet)
    const record = this.record(port, trafficClass)
    const state = ints[this.records | (port << 4) | STATE]!
    ints[packet | NEXT] = -1
    if ((state & VIRTUAL) !== 0) this.pushVirtual(port, packet, trafficClass, input)
    else {
      if (ints[record | HEAD]! < 0) ints[record | HEAD] = packet
      else ints[ints[record | TAIL]! | NEXT] = packet
      ints[record | TAIL] = packet
    }
    ints[record | BYTES]! += ints[packet | SIZE]!
    ints[this.records | (port << 4) | STATE] = state | (1 << (FULL_SHIFT + trafficClass))
  }

  /** Frame bytes of the packet that `pop` would take. The class is not empty. */
  headBytes(port: number, trafficClass: number): number {
    const isVirtual = (ints[this.records | (port << 4) | STATE]! & VIRTUAL) !== 0
    const head = isVirtual
      ? this.lists[this.nextList(port, trafficClass)]!
      : ints[this.record(port, trafficClass) | HEAD]!
    return ints[head | SIZE]!
  }

  /** Takes the next packet of a class that is not empty. */
  pop(port: number, trafficClass: number): number {
    const record = this.record(port, trafficClass)
    let packet
    if ((ints[this.records | (port << 4) | STATE]! & VIRTUAL) !== 0) packet = this.popVirtual(port, trafficClass)
    else {
      packet = ints[record | HEAD]!
      ints[record | HEAD] = ints[packet | NEXT]!
    }
    if (CHECKED) expectAlive(packet)
    const rest = ints[record | BYTES]! - ints[packet | SIZE]!
    if (CHECKED) assert(rest >= 0, 'a queue releases more than it holds')
    ints[record | BYTES] = rest
    // Frames have at least one byte, so no bytes means no packets.
    if (rest === 0) ints[this.records | (port << 4) | STATE]! &= ~(1 << (FULL_SHIFT + trafficClass))
    return packet
  }

  /** Packets queued at a port; counted by walking, for observers and checkers. */
  packetCount(port: number): number {
    let count = 0
    for (let c = 0; c < CLASSES; c++) this.visit(port, c, () => count++)
    return count
  }

  /**
   * Visits the packets of a class of a port, for observers: input port (from 1), frame bytes, direction (queue-pair.ts).
   * @param most packets of each list, those that leave first
   */
  visit(
    port: number,
    trafficClass: number,
    look: (input: number, sizeBytes: number, direction: number) => void,
    most = Infinity,
  ): void {
    if (this.bytesOf(port, trafficClass) === 0) return
    const inputs = this.inputs[port]!
    for (let input = 0; input < inputs; input++) {
      const list = this.listsFrom[port]! + (trafficClass * inputs + input) * 2
      let packet = inputs === 1 ? ints[this.record(port, trafficClass) | HEAD]! : this.lists[list + HEAD]!
      for (let left = most; packet >= 0 && left > 0; packet = ints[packet | NEXT]!, left--) {
        look(inputs === 1 ? ints[packet | INPUT]! : input + 1, ints[packet | SIZE]!, ints[packet | DIRECTION]!)
      }
    }
  }

  private pushVirtual(port: number, packet: number, trafficClass: number, input: number): void {
    const lists = this.lists
    const list = this.listsFrom[port]! + (trafficClass * this.inputs[port]! + input) * 2
    if (lists[list + HEAD]! < 0) lists[list + HEAD] = packet
    else ints[lists[list + TAIL]! | NEXT] = packet
    lists[list + TAIL] = packet
  }

  private popVirtual(port: number, trafficClass: number): number {
    const list = this.nextList(port, trafficClass)
    const packet = this.lists[list]!
    this.lists[list] = ints[packet | NEXT]!
    const first = this.listsFrom[port]! + trafficClass * this.inputs[port]! * 2
    ints[this.record(port, trafficClass) | POINTER] = (list - first) >> 1
    return packet
  }

  /** The virtual output queue of a class that is served next. */
  private nextList(port: number, trafficClass: number): number {
    const inputs = this.inputs[port]!
    const lists = this.listsFrom[port]! + trafficClass * inputs * 2
    let input = ints[this.record(port, trafficClass) | POINTER]! + 1
    if (input === inputs) input = 0
    while (this.lists[lists + input * 2]! < 0) {
      input++
      if (input === inputs) input = 0
    }
    return lists + input * 2
  }
}

/** The queue of one port, for observers. */
export class EgressQueue {
  private readonly queues: EgressQueues
  private readonly port: number
  constructor(queues: EgressQueues, port: number) {
    this.queues = queues
    this.port = port
  }

  get packetCount(): number {
    return this.queues.packetCount(this.port)
  }

  /** Frame bytes queued in a class. */
  bytesOf(trafficClass: number): number {
    return this.queues.bytesOf(this.port, trafficClass)
  }

  /** Visits the packets of a class: input port of the switch (from 1), frame bytes, direction (queue pair times two, and 1 on the way back). */
  visit(
    trafficClass: number,
    look: (input: number, sizeBytes: number, direction: number) => void,
    most = Infinity,
  ): void {
    this.queues.visit(this.port, trafficClass, look, most)
  }
}
