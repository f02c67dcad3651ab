/**
 * Copies: the way of each data packet that is in the network: when it left its NIC, the sums of its queue pair's clock
 * then, and when it left each switch. Rows are kept by the number of the packet's record, and used again with it.
 * Shape: a row of WIDTH doubles; paths of more hops than fit in it are continued in a list. Units: picoseconds.
 */
import { SUMS } from './sums.ts'

/** Fields of a row, then the hops, then the sums. */
const DIRECTION = 0
const HOPS = 1
const HOPS_FROM = 2
/** A hop: port that it left by times eight, and its class there; when; time until the other end had what it waits for. */
const HOP = 3
const HOPS_IN_ROW = 8
const SUMS_FROM = HOPS_FROM + HOP * HOPS_IN_ROW
const WIDTH = SUMS_FROM + SUMS
/** Rows of a chunk, as a power of two. */
const CHUNK_BITS = 10

export interface Hop {
  readonly port: number
  readonly startPs: number
  readonly reachPs: number
  readonly trafficClass: number
}

export class Copies {
  readonly #chunks: Float64Array[] = []
  /** By record: hops that do not fit in its row. */
  readonly #longer = new Map<number, Hop[]>()

  /** A packet leaves its NIC. @param sums of the clock of its queue pair; null: nobody asks for them */
  begin(ordinal: number, direction: number, sums: Float64Array | null): void {
    const chunk = this.#chunkOf(ordinal)
    const at = rowOf(ordinal)
    chunk[at + DIRECTION] = direction
    if (chunk[at + HOPS]! > HOPS_IN_ROW) this.#longer.delete(ordinal)
    chunk[at + HOPS] = 0
    // A loop: set() takes longer for so few.
    if (sums !== null) for (let i = 0; i < SUMS; i++) chunk[at + SUMS_FROM + i] = sums[i]!
  }

  /** It starts on a link. @param portAndClass port times eight, and its class there. Without effect if its way is not known from the beginning. */
  hop(ordinal: number, direction: number, portAndClass: number, startPs: number, reachPs: number): void {
    const chunk = this.#chunkOf(ordinal)
    const at = rowOf(ordinal)
    if (chunk[at + DIRECTION] !== direction) return
    const hops = chunk[at + HOPS]!
    chunk[at + HOPS] = hops + 1
    if (hops >= HOPS_IN_ROW) {
      const known = this.#longer.get(ordinal)
      const hop = { port: portAndClass >> 3, startPs, reachPs, trafficClass: portAndClass & 7 }
      if (known === undefined) this.#longer.set(ordinal, [hop])
      else known.push(hop)
      return
    }
    const from = at + HOPS_FROM + HOP * hops
    chunk[from] = portAndClass
    chunk[from + 1] = startPs
    chunk[from + 2] = reachPs
  }

  /** The way of a packet so far, its NIC's link first; empty if it is not known. */
  hopsOf(ordinal: number, direction: number): Hop[] {
    const chunk = this.#chunkOf(ordinal)
    return chunk[rowOf(ordinal) + DIRECTION] === direction ? this.hopsAt(ordinal) : []
  }

  /** The way so far of the last packet with this record that began one. */
  hopsAt(ordinal: number): Hop[] {
    const chunk = this.#chunkOf(ordinal)
    const at = rowOf(ordinal)
    if (chunk[at + DIRECTION]! < 0) return []
    const inRow = Array.from({ length: Math.min(HOPS_IN_ROW, chunk[at + HOPS]!) }, (_, i): Hop => {
      const from = at + HOPS_FROM + HOP * i
      const port = chunk[from]! >> 3
      return { port, startPs: chunk[from + 1]!, reachPs: chunk[from + 2]!, trafficClass: chunk[from]! & 7 }
    })
    return [...inRow, ...(this.#longer.get(ordinal) ?? [])]
  }

  /** When a packet left its NIC. */
  startPs(ordinal: number): number {
    return this.#chunkOf(ordinal)[rowOf(ordinal) + HOPS_FROM + 1]!
  }

  /** The sums of its queue pair's clock when it left; a view, valid until the record is used again. */
  sumsOf(ordinal: number): Float64Array {
    const at = rowOf(ordinal) + SUMS_FROM
    return this.#chunkOf(ordinal).subarray(at, at + SUMS)
  }

  #chunkOf(ordinal: number): Float64Array {
    const index = ordinal >> CHUNK_BITS
    while (this.#chunks.length <= index) this.#chunks.push(new Float64Array(WIDTH << CHUNK_BITS).fill(-1))
    return this.#chunks[index]!
  }
}

function rowOf(ordinal: number): number {
  return (ordinal & ((1 << CHUNK_BITS) - 1)) * WIDTH
}
