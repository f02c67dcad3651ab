/**
 * HOT. Egress queue of one switch port: eight classes, each one FIFO, or one virtual output queue per input port.
 * Units: bytes of frames. Shapes: lists are indexed [class * inputs + input]; FIFO mode has one input.
 * Invariant: bytes[class] is the sum over its packets; bit `class` of `full` is set while it holds any.
 * Source: VOQs served round robin, one packet per turn: S3 4.1.
 */
import { NEXT, SIZE, type Packets } from './packets.ts'

export const CLASSES = 8

export class EgressQueue {
  /** Bit per class that holds packets. */
  full = 0
  readonly bytes = new Float64Array(CLASSES)
  packetCount = 0
  readonly #packets: Packets
  readonly #inputs: number
  readonly #heads: Int32Array
  readonly #tails: Int32Array
  /** Input served last, per class. */
  readonly #turn = new Int32Array(CLASSES)

  /** @param inputs ports whose packets are kept apart; 1: one FIFO per class. */
  constructor(packets: Packets, inputs: number) {
    this.#packets = packets
    this.#inputs = inputs
    this.#heads = new Int32Array(CLASSES * inputs).fill(-1)
    this.#tails = new Int32Array(CLASSES * inputs).fill(-1)
    if (inputs > 1) this.#turn.fill(inputs - 1)
  }

  push(packet: number, trafficClass: number, input: number): void {
    const packets = this.#packets
    const list = this.#inputs === 1 ? trafficClass : trafficClass * this.#inputs + input
    packets.data[packet + NEXT] = -1
    if (this.#heads[list]! < 0) this.#heads[list] = packet
    else packets.data[this.#tails[list]! + NEXT] = packet
    this.#tails[list] = packet
    this.bytes[trafficClass]! += packets.data[packet + SIZE]!
    this.full |= 1 << trafficClass
    this.packetCount++
  }

  /** Frame bytes of the packet that `pop` would take. The class is not empty. */
  headBytes(trafficClass: number): number {
    return this.#packets.data[this.#heads[this.#list(trafficClass)]! + SIZE]!
  }

  /** Takes the next packet of a class that is not empty. */
  pop(trafficClass: number): number {
    const packets = this.#packets
    const list = this.#list(trafficClass)
    const packet = this.#heads[list]!
    this.#heads[list] = packets.data[packet + NEXT]!
    this.packetCount--
    const rest = this.bytes[trafficClass]! - packets.data[packet + SIZE]!
    this.bytes[trafficClass] = rest
    if (this.#inputs > 1) this.#turn[trafficClass] = list - trafficClass * this.#inputs
    // Frames have at least one byte, so no bytes means no packets.
    if (rest === 0) this.full &= ~(1 << trafficClass)
    return packet
  }

  #list(trafficClass: number): number {
    const inputs = this.#inputs
    if (inputs === 1) return trafficClass
    const base = trafficClass * inputs
    let input = this.#turn[trafficClass]! + 1
    if (input === inputs) input = 0
    while (this.#heads[base + input]! < 0) {
      input++
      if (input === inputs) input = 0
    }
    return base + input
  }
}
