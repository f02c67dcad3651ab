/**
 * HOT. Control queue: control packets of a NIC that wait for the port, first come, first served, linked through NEXT.
 */
import { NEXT, type Packets } from './packets.ts'

export class ControlQueue {
  /** First, or -1. */
  head = -1
  count = 0
  private tail = -1
  private readonly packets: Packets

  constructor(packets: Packets) {
    this.packets = packets
  }

  /** Puts in line a packet whose NEXT is -1. */
  push(packet: number): void {
    if (this.head < 0) this.head = packet
    else this.packets.data[this.tail | NEXT] = packet
    this.tail = packet
    this.count++
  }

  /** Takes the first; there is one. */
  take(): number {
    const packet = this.head
    this.head = this.packets.data[packet | NEXT]!
    this.count--
    return packet
  }
}
