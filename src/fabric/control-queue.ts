/**
 * HOT. Control queue: control packets of a NIC that wait for the port, first come, first served, linked through NEXT.
 */
import { INTS } from '../base/memory.ts'
import { NEXT } from './packets.ts'

const ints = INTS

export class ControlQueue {
  /** First, or -1. */
  head = -1
  private tail = -1

  /** Puts in line a packet whose NEXT is -1. */
  push(packet: number): void {
    if (this.head < 0) this.head = packet
    else ints[this.tail | NEXT] = packet
    this.tail = packet
  }

  /** Takes the first; there is one. */
  take(): number {
    const packet = this.head
    this.head = ints[packet | NEXT]!
    return packet
  }
}
