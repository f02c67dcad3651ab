/**
 * Copies of flooded packets, over all switches of a network: how many of a packet's copies are left in the switch that made
 * them. A copy is a packet of its own in its egress queue; the bytes are stored once, and given back with the last copy.
 * A packet is in a group from its flooding until it leaves the switch, so that a group's packets are all in one switch.
 * Source: shared-memory switches keep one set of cells and a queue entry per copy (docs/models/layer2.md).
 */
import { INTS } from '../../base/memory.ts'
import { BROADCAST, COPY, KIND, ORDINAL } from '../packets.ts'

const ints = INTS

/** A flooded packet that a host or port takes for its own only if it is a broadcast. */
export function isSpare(packet: number): boolean {
  const kind = ints[packet | KIND]!
  return kind === COPY || kind === BROADCAST
}

export class Copies {
  /** By ordinal of the packet: its group, from 1; 0: none. */
  private groupOf = new Int32Array(1024)
  /** By group: packets left; of a free group, the next free one. */
  private readonly left: number[] = [0]
  private firstFree = 0

  /** A new group without packets. */
  open(): number {
    const group = this.firstFree
    if (group === 0) return this.left.push(0) - 1
    this.firstFree = this.left[group]!
    this.left[group] = 0
    return group
  }

  /** Gives back a group that nothing has joined. */
  close(group: number): void {
    this.left[group] = this.firstFree
    this.firstFree = group
  }

  /** A packet joins a group. */
  join(packet: number, group: number): void {
    const ordinal = ints[packet | ORDINAL]!
    if (ordinal >= this.groupOf.length) this.grow(ordinal)
    this.groupOf[ordinal] = group
    this.left[group]!++
  }

  has(packet: number): boolean {
    return (this.groupOf[ints[packet | ORDINAL]!] ?? 0) > 0
  }

  /** A packet leaves its group. @returns whether it was the last one */
  leave(packet: number): boolean {
    const ordinal = ints[packet | ORDINAL]!
    const group = this.groupOf[ordinal]!
    this.groupOf[ordinal] = 0
    const left = --this.left[group]!
    if (left > 0) return false
    this.close(group)
    return true
  }

  private grow(ordinal: number): void {
    const groupOf = new Int32Array(2 * ordinal)
    groupOf.set(this.groupOf)
    this.groupOf = groupOf
  }
}
