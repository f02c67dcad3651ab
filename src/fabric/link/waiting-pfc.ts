/**
 * Waiting PFC: the PFC frames of a port that wait for the frame on its link, in the order in which they came.
 * At most two of a class wait: the peer has to learn the last state of a class, not each of those between. Otherwise a class
 * that goes over and under its limit with every small packet would fill the line faster than the link empties it, and its
 * last pause would come later than any headroom allows for.
 */
import { INTS } from '../../base/memory.ts'
import { DESTINATION, DIRECTION, NEXT } from '../packets.ts'
import { PacketList } from './packet-list.ts'
import { cancelPfc, type PfcSender } from './pfc-frame.ts'

const ints = INTS

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
