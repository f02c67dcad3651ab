/**
 * Hops: in-band telemetry; one record for each switch that a packet has passed.
 * Shape: records of five doubles, in path order: the time the packet left, the wire bytes the port had sent before it,
 * the frame bytes still queued there, the port's rate, and the port's number.
 * Units: picoseconds, bytes, bit/s. Invariant: 0 <= count <= MOST_HOPS; records from `count` on mean nothing.
 * Source: HPCC's INT header as the HPCC fork has it: five hops at most. docs/models/hpcc.md.
 */

export const MOST_HOPS = 5

/** Indices in a record; times and counters have the resolution of the header. */
export const HOP_TIME = 0
export const HOP_SENT = 1
export const HOP_QUEUE = 2
export const HOP_RATE = 3
/** The port that wrote the record; stands for the header's path ID. */
export const HOP_PORT = 4
export const HOP_RECORD = 5

export class Hops {
  count = 0
  readonly values = new Float64Array(MOST_HOPS * HOP_RECORD)

  /** Copies `from`. */
  take(from: Hops): void {
    const count = from.count
    this.count = count
    for (let i = 0; i < count * HOP_RECORD; i++) this.values[i] = from.values[i]!
  }

  /** Whether both were written by the same ports in the same order. */
  isSamePath(other: Hops): boolean {
    const count = this.count
    if (other.count !== count) return false
    for (let at = HOP_PORT; at < count * HOP_RECORD; at += HOP_RECORD) {
      if (this.values[at] !== other.values[at]) return false
    }
    return true
  }
}

/** For segments without telemetry. */
export const NO_HOPS = new Hops()
