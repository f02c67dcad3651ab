/**
 * HOT. Control lanes: control packets of a NIC that wait for the port, a FIFO for each class, linked through NEXT; classes
 * are served round robin.
 * Invariant: a bit of `waiting` is set while the FIFO of its class has a packet.
 */
import { INTS } from '../../base/memory.ts'
import { NEXT } from '../packets.ts'

const ints = INTS

export const CLASSES = 8

export class ControlLanes {
  /** Classes with a packet, as bits. */
  waiting = 0
  /** First packet of each class, then last packet of each class. */
  private readonly ends = new Int32Array(2 * CLASSES)
  /** Class that was served last. */
  private last = 0

  /** Queues a packet whose NEXT is -1. */
  push(packet: number, trafficClass: number): void {
    const bit = 1 << trafficClass
    const ends = this.ends
    if ((this.waiting & bit) === 0) {
      ends[trafficClass] = packet
      this.waiting |= bit
    } else ints[ends[trafficClass | CLASSES]! | NEXT] = packet
    ends[trafficClass | CLASSES] = packet
  }

  /** Number of packets of a class that wait. */
  count(trafficClass: number): number {
    if ((this.waiting & (1 << trafficClass)) === 0) return 0
    let count = 0
    for (let packet = this.ends[trafficClass]!; packet >= 0; packet = ints[packet | NEXT]!) count++
    return count
  }

  /** Takes a packet of a class that is not in `paused`; there must be one. */
  take(paused: number): number {
    const ready = this.waiting & ~paused
    let bit = ready & -ready
    // Where several classes wait, the next after the one served last, wrapping around.
    if (bit !== ready) {
      const behind = ready & (-2 << this.last)
      if (behind !== 0) bit = behind & -behind
    }
    const trafficClass = 31 - Math.clz32(bit)
    this.last = trafficClass
    const packet = this.ends[trafficClass]!
    const next = ints[packet | NEXT]!
    if (next < 0) this.waiting ^= bit
    else this.ends[trafficClass] = next
    return packet
  }
}
