/**
 * HOT. Port records: the state of all ports that is read or written per packet, one cache line a port.
 * The speed of large fabrics depends on the cache lines that a hop touches: a port object with a queue, a clock and a
 * marker of its own took eight; its record and its class's queue take two.
 * Shape: a record is 16 integers, a line; port p's is at `base | (p << 4)`, its fields are ints[record | FIELD] and
 * doubles[(record >> 1) | FIELD]. In front is the port's event, the end of its transmission (engine/event-queue.ts).
 */
import type { Memory } from '../../base/memory.ts'

/** Doubles: end of the transmission in progress, picoseconds; the time of the port's event. */
export const BUSY_PS = 0
/** Order of that end; the order of the port's event. */
export const BUSY_ORDER = 1
export const SENT_BYTES = 3
export const SENT_FRAMES = 4
/** Propagation delay of the cable, picoseconds. */
export const DELAY_PS = 5

/** Integers: the bits below and those by class, in one word. */
export const STATE = 12
/** Index of the rate's serialization times, in doubles. */
export const TABLE = 13
/** Egress queue, bytes, below which nothing is marked. */
export const MARK_FROM = 14
/** Port at the other end of the cable. */
export const PEER = 15

/** Bits of STATE: an end-of-transmission event is pending. */
export const END_PENDING = 1
/** The port is asking its device for a packet. */
export const CHOOSING = 2
export const DOWN = 4
/** PFC frames wait for the frame on the link. */
export const HAS_PFC = 8
/** Its device is notified of the end of each transmission. */
export const NOTIFIES_END = 16
/** It has virtual output queues, one per input port. */
export const VIRTUAL = 32
/** A packet that finds the port free bypasses the queue. */
export const PASSES = 64
/** Its device may have a packet to send that is in no egress queue, or may have to be notified. */
export const ASKS_DEVICE = 128
/** From here on a bit per class whose egress queue holds packets. */
export const FULL_SHIFT = 8
/** From here on a bit per class that may not start a frame. */
export const PAUSED_SHIFT = 16
/** From here on the class that round robin served last, 3 bits. */
export const LAST_SHIFT = 24
export const ALL_CLASSES = 0xff
/** The other end is a cut-through switch, where a frame arrives with its header. */
export const HEADER_FIRST = 1 << 27
/** Packets of some classes are dropped instead of being queued (Port.blockedMask). */
export const BLOCKED = 1 << 28
/** Frames that start here are reported to observers (Transmitter.watch). */
export const WATCHED = 1 << 29

export class PortRecords {
  readonly ports: number
  /** Offset of the first record, aligned to the size of all records. */
  readonly base: number

  constructor(ports: number, memory: Memory) {
    this.ports = ports
    this.base = memory.takeWhole(16 * ports)
  }
}
