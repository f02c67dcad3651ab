/**
 * HOT. Port records: what the path of a packet reads and writes of every port of a fabric, one cache line a port.
 * Large fabrics live and die by the lines a hop touches: a port as an object with a queue, a clock and a marker of
 * its own took eight, its record and its class's queue take two.
 * Shape: one record of 64 bytes in one buffer, seen twice: five doubles at `port << 3`, then six integers, counted
 * from the record's start in fours, at `port << 4`.
 */
import { alignedDoubles } from '../base/aligned.ts'

/** Doubles: end of the transmission in progress, picoseconds. */
export const BUSY_PS = 0
/** Its place in line. */
export const BUSY_ORDER = 1
export const SENT_BYTES = 2
export const SENT_FRAMES = 3
/** Propagation delay of the cable, picoseconds. */
export const DELAY_PS = 4

/** Integers: the bits below, the classes from FULL_SHIFT on and those from PAUSED_SHIFT on; one look says it all. */
export const STATE = 10
/** Where the rate's transmission times begin. */
export const TABLE = 11
/** Class served last in the turn among classes. */
export const LAST_CLASS = 12
/** Egress queue, bytes, below which nothing is marked. */
export const MARK_FROM = 13
/** Port at the other end of the cable. */
export const PEER = 14

/** Bits of STATE: an end-of-transmission event is pending. */
export const END_PENDING = 1
/** Asks its device for a packet right now. */
export const CHOOSING = 2
export const DOWN = 4
/** PFC frames wait for the frame on the wire. */
export const HAS_PFC = 8
/** Its device wants to know of each end of a transmission. */
export const NOTIFIES_END = 16
/** Packets of each input port wait apart. */
export const VIRTUAL = 32
/** A packet that finds the port free goes past the queue. */
export const PASSES = 64
/** From here on a bit per class whose egress queue holds packets, */
export const FULL_SHIFT = 8
/** and a bit per class that may not start a frame. */
export const PAUSED_SHIFT = 16
export const ALL_CLASSES = 0xff

export class PortRecords {
  readonly ports: number
  readonly doubles: Float64Array
  readonly ints: Int32Array

  constructor(ports: number) {
    this.ports = ports
    this.doubles = alignedDoubles(8 * ports)
    this.ints = new Int32Array(this.doubles.buffer, this.doubles.byteOffset)
  }
}
