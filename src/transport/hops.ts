/**
 * Hops: what switches wrote into a packet on its way, one record for each: in-band telemetry.
 * Shape: records of five doubles, in the order of the way: when the packet left, the wire bytes the port had sent before
 * it, the frame bytes that still waited there, the port's rate, and which port it was.
 * Units: picoseconds, bytes, bit/s. Invariant: 0 <= count <= MOST_HOPS; records from `count` on mean nothing.
 * Source: HPCC's INT header as the HPCC fork has it: five hops at most. docs/models/hpcc.md.
 */

export const MOST_HOPS = 5

/** Of a record: times and counters as far as the header can say them. */
export const HOP_TIME = 0
export const HOP_SENT = 1
export const HOP_QUEUE = 2
export const HOP_RATE = 3
/** Who wrote it; stands for the header's path ID. */
export const HOP_PORT = 4
export const HOP_RECORD = 5

export class Hops {
  count = 0
  readonly values = new Float64Array(MOST_HOPS * HOP_RECORD)

  /** Becomes a copy. */
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

/** Of segments where nobody writes any. */
export const NO_HOPS = new Hops()
