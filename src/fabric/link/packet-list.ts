/**
 * HOT. Packet list: packets in the order in which they came, linked by their NEXT fields.
 */
import { INTS } from '../../base/memory.ts'
import { NEXT } from '../packets.ts'

const ints = INTS

export class PacketList {
  protected head = -1
  private tail = -1

  get isEmpty(): boolean {
    return this.head < 0
  }

  /** Number of packets, counted one by one. */
  get length(): number {
    let count = 0
    for (let packet = this.head; packet >= 0; packet = ints[packet | NEXT]!) count++
    return count
  }

  push(packet: number): void {
    ints[packet | NEXT] = -1
    if (this.head < 0) this.head = packet
    else ints[this.tail | NEXT] = packet
    this.tail = packet
  }

  /** Takes out the packet that follows another one, of which there has to be one. */
  protected removeAfter(packet: number): void {
    const removed = ints[packet | NEXT]!
    ints[packet | NEXT] = ints[removed | NEXT]!
    if (this.tail === removed) this.tail = packet
  }

  /** Takes the first packet, of which there has to be one. */
  shift(): number {
    const packet = this.head
    this.head = ints[packet | NEXT]!
    return packet
  }
}
