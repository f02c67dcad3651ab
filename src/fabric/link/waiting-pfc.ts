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
   * Where two frames for exactly the classes of `packet` wait, the last takes over its pause time, and `packet` the one that
   * the last had.
   * @returns whether it did; `packet` is not to be sent then
   */
  takesOver(packet: number): boolean {
    const vector = ints[packet | DIRECTION]!
    let last = -1
    let count = 0
    for (let waiting = this.head; waiting >= 0; waiting = ints[waiting | NEXT]!) {
      if (ints[waiting | DIRECTION] !== vector) continue
      last = waiting
      count++
    }
    if (count < 2) return false
    const before = ints[last | DESTINATION]!
    ints[last | DESTINATION] = ints[packet | DESTINATION]!
    ints[packet | DESTINATION] = before
    return true
  }
}
