/**
 * Waiting PFC: the PFC frames of a port that wait for the frame on its link, in the order in which they came.
 * At most two of a class wait: the peer has to learn the last state of a class, not each of those between. Otherwise a class
 * that goes over and under its limit with every small packet would fill the line faster than the link empties it, and its
 * last pause would come later than any headroom allows for.
 */
import { INTS } from '../../base/memory.ts'
import { DESTINATION, DIRECTION, NEXT } from '../packets.ts'
import { cancelPfc, type PfcSender } from './pfc-frame.ts'

const ints = INTS

/** Packets in the order in which they came, linked by their NEXT fields. */
class PacketList {
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

export class WaitingPfc extends PacketList {
  /** Adds a frame. Of two that wait for exactly its classes it replaces the last, and is left out if the first says the same. */
  admit(from: PfcSender, packet: number): void {
    const vector = ints[packet | DIRECTION]!
    let first = -1
    let last = -1
    let beforeLast = -1
    for (let before = -1, waiting = this.head; waiting >= 0; before = waiting, waiting = ints[waiting | NEXT]!) {
      if (ints[waiting | DIRECTION] !== vector) continue
      if (first < 0) first = waiting
      last = waiting
      beforeLast = before
    }
    if (first === last) return this.push(packet)
    this.removeAfter(beforeLast)
    cancelPfc(from, last)
    if (ints[first | DESTINATION] === ints[packet | DESTINATION]) cancelPfc(from, packet)
    else this.push(packet)
  }
}
