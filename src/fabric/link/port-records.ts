/**
 * HOT. Port records: what the path of a packet reads and writes of every port of a fabric, one cache line a port.
 * Large fabrics live and die by the lines a hop touches: a port as an object with a queue, a clock and a marker of
 * its own took eight, its record and its class's queue take two.
 * Shape: a record is 16 integers, a line; port p's is at `base | (p << 4)`, its fields are ints[record | FIELD] and
 * doubles[(record >> 1) | FIELD]. In front is the port's event, the end of its transmission (engine/event-queue.ts).
 */
import type { Memory } from '../../base/memory.ts'

/** Doubles: end of the transmission in progress, picoseconds, where an event has its time. */
export const BUSY_PS = 0
/** Its place in line, where an event has its order. */
export const BUSY_ORDER = 1
export const SENT_BYTES = 3
export const SENT_FRAMES = 4
/** Propagation delay of the cable, picoseconds. */
export const DELAY_PS = 5

/** Integers: the bits below and all that goes by class; one look says it all. */
export const STATE = 12
/** Where the rate's transmission times begin, a double. */
export const TABLE = 13
/** Egress queue, bytes, below which nothing is marked. */
export const MARK_FROM = 14
/** Port at the other end of the cable. */
export const PEER = 15

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
/** Its device may have something to send, or to be told, that no egress queue knows of. */
export const ASKS_DEVICE = 128
/** From here on a bit per class whose egress queue holds packets, */
export const FULL_SHIFT = 8
/** a bit per class that may not start a frame, */
export const PAUSED_SHIFT = 16
/** and the class served last in the turn among classes, of which there are 8. */
export const LAST_SHIFT = 24
export const ALL_CLASSES = 0xff
/** Beyond it: the other end is a cut-through switch, where a frame arrives with its header. */
export const HEADER_FIRST = 1 << 27

export class PortRecords {
  readonly ports: number
  /** Where they begin: a multiple of all they take. */
  readonly base: number

  constructor(ports: number, memory: Memory) {
    this.ports = ports
    this.base = memory.takeWhole(16 * ports)
  }
}
