/**
 * Waiting PFC: the PFC frames of a port that wait for the frame on its link, in the order in which they came.
 * At most two of a class wait: the peer has to learn the last state of a class, not each of those between. Otherwise a class
 * that goes over and under its limit with every small packet would fill the line faster than the link empties it, and its
 * last pause would come later than any headroom allows for.
 */
import { INTS } from '../../base/memory.ts'
import { DESTINATION, DIRECTION, NEXT } from '../packets.ts'
import { PacketList } from './packet-list.ts'

const ints = INTS

export class WaitingPfc extends PacketList {
  /**
   * Where two frames for exactly these classes wait, the last is to have this pause time instead.
   * @returns the pause time that it had; -1: a frame has to be added
   */
  restate(vector: number, quanta: number): number {
    let last = -1
    let count = 0
    for (let packet = this.head; packet >= 0; packet = ints[packet | NEXT]!) {
      if (ints[packet | DIRECTION] !== vector) continue
      last = packet
      count++
    }
    if (count < 2) return -1
    const before = ints[last | DESTINATION]!
    ints[last | DESTINATION] = quanta
    return before
  }
}
