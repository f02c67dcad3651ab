/**
 * Copies: the way of each packet that is in the network: when it left its NIC, the sums of its queue pair's clock then, and
 * when it left each switch. Rows are kept by the number of the packet's record, and used again with it.
 * Shape: a row of WIDTH doubles; paths of more hops than fit in it are continued in a list. Units: picoseconds.
 */
import { SUMS } from './sums.ts'

/** Fields of a row, then the hops, then the sums. */
const DIRECTION = 0
const HOPS = 1
/** Bits of starts.ts, as it left its NIC. */
const BITS = 2
/** Hop at which it was marked; 0: at none. */
const MARKED_AT = 3
/** Time in queues, the hop with the most of it, and that. */
const WAIT_PS = 4
const WORST_AT = 5
const WORST_PS = 6
/** When its next port has all that it waits for. */
const REACHES_PS = 7
const HOPS_FROM = 8
/**
 * A hop: port that it left by times eight, and its class there; when; time until the other end had what it waits for; when
 * it was in the queue there; since when that queue had not been empty.
 */
const HOP = 5
const HOPS_IN_ROW = 8
const SUMS_FROM = HOPS_FROM + HOP * HOPS_IN_ROW
const WIDTH = SUMS_FROM + SUMS
/** Rows at first. */
const FIRST_ROWS = 1024

export interface Hop {
  readonly port: number
  readonly startPs: number
  readonly reachPs: number
  readonly trafficClass: number
  /** When it was in the queue of the port, at the latest when it left: a switch may cut through; at a NIC, when it left. */
  readonly queuedPs: number
  /** Since when the queue had not been empty then; that, where it did not wait. */
  readonly busyFromPs: number
}

export class Copies {
  #rows = new Float64Array(WIDTH * FIRST_ROWS).fill(-1)
  /** By record: hops that do not fit in its row. */
  readonly #longer = new Map<number, Hop[]>()
  readonly #delaysPs: Float64Array
  readonly #latenciesPs: Float64Array

  /** @param delaysPs of the links, by port @param latenciesPs of the switches, by port; 0 at hosts */
  constructor(delaysPs: Float64Array, latenciesPs: Float64Array) {
    this.#delaysPs = delaysPs
    this.#latenciesPs = latenciesPs
  }

  /** A packet leaves its NIC. @param sums of the clock of its queue pair; null: nobody asks for them */
  begin(ordinal: number, direction: number, bits: number, sums: Float64Array | null): void {
    const at = ordinal * WIDTH
    if (at >= this.#rows.length) this.#grow(ordinal)
    const rows = this.#rows
    rows[at + DIRECTION] = direction
    if (rows[at + HOPS]! > HOPS_IN_ROW) this.#longer.delete(ordinal)
    rows[at + HOPS] = 0
    rows[at + BITS] = bits
    rows[at + MARKED_AT] = 0
    rows[at + WAIT_PS] = 0
    rows[at + WORST_AT] = 0
    rows[at + WORST_PS] = 0
    // A loop: set() takes longer for so few.
    if (sums !== null) for (let i = 0; i < SUMS; i++) rows[at + SUMS_FROM + i] = sums[i]!
  }

  /**
   * It starts on a link. Without effect if its way is not known from the beginning.
   * @param portAndClass port times eight, and its class there
   * @returns when it was in the queue of the port; NaN: not known
   */
  hop(ordinal: number, direction: number, portAndClass: number, startPs: number, reachPs: number): number {
    if (!this.#isKnown(ordinal, direction)) return NaN
    const rows = this.#rows
    const at = ordinal * WIDTH
    const hops = rows[at + HOPS]!
    const port = portAndClass >> 3
    const queuedPs = hops === 0 ? startPs : Math.min(startPs, rows[at + REACHES_PS]! + this.#latenciesPs[port]!)
    rows[at + HOPS] = hops + 1
    rows[at + REACHES_PS] = startPs + reachPs + this.#delaysPs[port]!
    if (hops >= HOPS_IN_ROW) {
      const hop = { port, startPs, reachPs, trafficClass: portAndClass & 7, queuedPs, busyFromPs: queuedPs }
      const known = this.#longer.get(ordinal)
      if (known === undefined) this.#longer.set(ordinal, [hop])
      else known.push(hop)
      return queuedPs
    }
    const from = at + HOPS_FROM + HOP * hops
    rows[from] = portAndClass
    rows[from + 1] = startPs
    rows[from + 2] = reachPs
    rows[from + 3] = queuedPs
    rows[from + 4] = queuedPs
    return queuedPs
  }

  /** It waited at its last hop, whose queue had not been empty since then. */
  wait(ordinal: number, waitPs: number, busyFromPs: number): void {
    const rows = this.#rows
    const at = ordinal * WIDTH
    const hop = rows[at + HOPS]! - 1
    rows[at + WAIT_PS]! += waitPs
    if (hop >= HOPS_IN_ROW) return
    rows[at + HOPS_FROM + HOP * hop + 4] = busyFromPs
    if (waitPs <= rows[at + WORST_PS]!) return
    rows[at + WORST_PS] = waitPs
    rows[at + WORST_AT] = hop
  }

  /** It left its last hop with a mark. Only the first time counts. */
  mark(ordinal: number, direction: number): void {
    const at = ordinal * WIDTH
    if (this.#isKnown(ordinal, direction) && this.#rows[at + MARKED_AT] === 0)
      this.#rows[at + MARKED_AT] = this.#rows[at + HOPS]! - 1
  }

  /** Bits of starts.ts, as the packet with this record left its NIC; -1: it is of another direction, or still there. */
  bitsOf(ordinal: number, direction: number): number {
    const at = ordinal * WIDTH
    return this.#isKnown(ordinal, direction) && this.#rows[at + HOPS]! > 1 ? this.#rows[at + BITS]! : -1
  }

  /** Hop at which it was marked; 0: at none. */
  markedAt(ordinal: number): number {
    return this.#rows[ordinal * WIDTH + MARKED_AT]!
  }

  /** Time that it spent in queues. */
  waitPs(ordinal: number): number {
    return this.#rows[ordinal * WIDTH + WAIT_PS]!
  }

  /** The hop at which it waited longest. */
  worstAt(ordinal: number): number {
    return this.#rows[ordinal * WIDTH + WORST_AT]!
  }

  /** A hop of its way. @param index below HOPS_IN_ROW */
  hopAt(ordinal: number, index: number): Hop {
    const rows = this.#rows
    const from = ordinal * WIDTH + HOPS_FROM + HOP * index
    return {
      port: rows[from]! >> 3,
      trafficClass: rows[from]! & 7,
      startPs: rows[from + 1]!,
      reachPs: rows[from + 2]!,
      queuedPs: rows[from + 3]!,
      busyFromPs: rows[from + 4]!,
    }
  }

  /** The way of a packet so far, its NIC's link first; empty if it is not known. */
  hopsOf(ordinal: number, direction: number): Hop[] {
    return this.#isKnown(ordinal, direction) ? this.hopsAt(ordinal) : []
  }

  /** The way so far of the last packet with this record that began one. */
  hopsAt(ordinal: number): Hop[] {
    const at = ordinal * WIDTH
    if (!(this.#rows[at + DIRECTION]! >= 0)) return []
    const length = Math.min(HOPS_IN_ROW, this.#rows[at + HOPS]!)
    return [...Array.from({ length }, (_, i) => this.hopAt(ordinal, i)), ...(this.#longer.get(ordinal) ?? [])]
  }

  /** When a packet left its NIC. */
  startPs(ordinal: number): number {
    return this.#rows[ordinal * WIDTH + HOPS_FROM + 1] ?? -1
  }

  /** The sums of its queue pair's clock when it left; a view, valid until the record is used again. */
  sumsOf(ordinal: number): Float64Array {
    const from = ordinal * WIDTH + SUMS_FROM
    return this.#rows.subarray(from, from + SUMS)
  }

  #isKnown(ordinal: number, direction: number): boolean {
    return this.#rows[ordinal * WIDTH + DIRECTION] === direction
  }

  #grow(ordinal: number): void {
    let rows = this.#rows.length / WIDTH
    while (rows <= ordinal) rows *= 2
    const grown = new Float64Array(WIDTH * rows).fill(-1)
    grown.set(this.#rows)
    this.#rows = grown
  }
}
