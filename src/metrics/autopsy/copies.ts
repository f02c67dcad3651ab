/**
 * Copies: the way of each packet that is in the network: when it left its NIC, the sums of its queue pair's clock then, and
 * when it left each switch. Rows are kept by the number of the packet's record, and used again with it.
 * Shape: a row of WIDTH doubles, and one of sums; paths of more hops than fit in it are continued in a list.
 * Units: picoseconds.
 */
import { STATES } from '../../results/flow-parts.ts'
import { SUMS } from './sums.ts'

/** Fields of a row, then the hops. */
const DIRECTION = 0
const HOPS = 1
/** Bits of starts.ts, as it left its NIC, or those and HAS_ALL_SUMS. */
const BITS = 2
/** When its next port has all that it waits for. */
const REACHES_PS = 3
const HOPS_FROM = 4
/**
 * A hop: port that it left by times eight, and its class there; when; time until the other end had what it waits for; when
 * it was in the queue there; since when that queue had not been empty. With a mark the first is negative, and one less.
 */
const HOP = 5
const HOPS_IN_ROW = 8
const WIDTH = HOPS_FROM + HOP * HOPS_IN_ROW
/** Rows at first. */
const FIRST_ROWS = 1024
/** A bit: both halves of the sums are kept; else the second one is 0. */
const HAS_ALL_SUMS = 256

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

/** Waits of a packet in queues. Hops are counted from 0 at its NIC; 0: at none. */
export interface Waits {
  /** Sum over all hops. */
  waitPs: number
  /** The hop with the longest one, and that. */
  worstAt: number
  worstPs: number
  /** The first hop that it left with a mark. */
  markedAt: number
}

export class Copies {
  #rows = new Float64Array(WIDTH * FIRST_ROWS).fill(-1)
  #sums = new Float64Array(SUMS * FIRST_ROWS)
  /** By record: hops that do not fit in its row. */
  readonly #longer = new Map<number, Hop[]>()
  readonly #delaysPs: Float64Array
  readonly #latenciesPs: Float64Array
  readonly #waits: Waits = { waitPs: 0, worstAt: 0, worstPs: 0, markedAt: 0 }

  /** @param delaysPs of the links, by port @param latenciesPs of the switches, by port; 0 at hosts */
  constructor(delaysPs: Float64Array, latenciesPs: Float64Array) {
    this.#delaysPs = delaysPs
    this.#latenciesPs = latenciesPs
  }

  /**
   * A packet leaves its NIC.
   * @param sums of the clock of its queue pair; null: nobody asks for them
   * @param hasAgain whether a retransmission has been pending there: else the second half of the sums is 0
   */
  begin(ordinal: number, direction: number, bits: number, sums: Float64Array | null, hasAgain: boolean): void {
    const at = ordinal * WIDTH
    if (at >= this.#rows.length) this.#grow(ordinal)
    const rows = this.#rows
    rows[at + DIRECTION] = direction
    if (rows[at + HOPS]! > HOPS_IN_ROW) this.#longer.delete(ordinal)
    rows[at + HOPS] = 0
    rows[at + BITS] = hasAgain ? bits | HAS_ALL_SUMS : bits
    if (sums === null) return
    const kept = this.#sums
    const from = ordinal * SUMS
    // A loop: set() takes longer for so few.
    const used = hasAgain ? SUMS : STATES
    for (let i = 0; i < used; i++) kept[from + i] = sums[i]!
  }

  /** When a packet that starts now was in the queue of the port; NaN: its way is not known from the beginning. */
  queuedPs(ordinal: number, direction: number, port: number, startPs: number): number {
    if (!this.#isKnown(ordinal, direction)) return NaN
    const rows = this.#rows
    const at = ordinal * WIDTH
    return rows[at + HOPS] === 0 ? startPs : Math.min(startPs, rows[at + REACHES_PS]! + this.#latenciesPs[port]!)
  }

  /** It starts on a link. @param portAndClass port times eight, and its class there @param queuedPs as returned by `queuedPs` */
  hop(
    ordinal: number,
    portAndClass: number,
    isMarked: boolean,
    startPs: number,
    reachPs: number,
    queuedPs: number,
    busyFromPs: number,
  ): void {
    const rows = this.#rows
    const at = ordinal * WIDTH
    const hops = rows[at + HOPS]!
    const port = portAndClass >> 3
    rows[at + HOPS] = hops + 1
    rows[at + REACHES_PS] = startPs + reachPs + this.#delaysPs[port]!
    if (hops >= HOPS_IN_ROW) {
      const hop = { port, startPs, reachPs, trafficClass: portAndClass & 7, queuedPs, busyFromPs }
      const known = this.#longer.get(ordinal)
      if (known === undefined) this.#longer.set(ordinal, [hop])
      else known.push(hop)
      return
    }
    const from = at + HOPS_FROM + HOP * hops
    rows[from] = isMarked ? ~portAndClass : portAndClass
    rows[from + 1] = startPs
    rows[from + 2] = reachPs
    rows[from + 3] = queuedPs
    rows[from + 4] = busyFromPs
  }

  /** Bits of starts.ts, as the packet with this record left its NIC; -1: it is of another direction, or still there. */
  bitsOf(ordinal: number, direction: number): number {
    const at = ordinal * WIDTH
    return this.#isKnown(ordinal, direction) && this.#rows[at + HOPS]! > 1 ? this.#rows[at + BITS]! & ~HAS_ALL_SUMS : -1
  }

  /** Its waits, the longest of the hops in its row; valid until the next call. */
  waitsOf(ordinal: number): Readonly<Waits> {
    const rows = this.#rows
    const at = ordinal * WIDTH
    const waits = this.#waits
    waits.waitPs = waits.worstAt = waits.worstPs = waits.markedAt = 0
    const hops = rows[at + HOPS]!
    for (let hop = 1; hop < hops && hop < HOPS_IN_ROW; hop++) {
      const from = at + HOPS_FROM + HOP * hop
      const waitPs = rows[from + 1]! - rows[from + 3]!
      waits.waitPs += waitPs
      if (waitPs > waits.worstPs) {
        waits.worstPs = waitPs
        waits.worstAt = hop
      }
      if (rows[from]! < 0 && waits.markedAt === 0) waits.markedAt = hop
    }
    if (hops > HOPS_IN_ROW)
      for (const { startPs, queuedPs } of this.#longer.get(ordinal)!) waits.waitPs += startPs - queuedPs
    return waits
  }

  /** A hop of its way. @param index below HOPS_IN_ROW */
  hopAt(ordinal: number, index: number): Hop {
    const rows = this.#rows
    const from = ordinal * WIDTH + HOPS_FROM + HOP * index
    const portAndClass = this.portAndClassAt(ordinal, index)
    return {
      port: portAndClass >> 3,
      trafficClass: portAndClass & 7,
      startPs: rows[from + 1]!,
      reachPs: rows[from + 2]!,
      queuedPs: rows[from + 3]!,
      busyFromPs: rows[from + 4]!,
    }
  }

  /** Port of a hop times eight, and its class there. @param index below HOPS_IN_ROW */
  portAndClassAt(ordinal: number, index: number): number {
    const kept = this.#rows[ordinal * WIDTH + HOPS_FROM + HOP * index]!
    return kept < 0 ? ~kept : kept
  }

  /** Time that it waited at a hop. @param index below HOPS_IN_ROW */
  waitAt(ordinal: number, index: number): number {
    const from = ordinal * WIDTH + HOPS_FROM + HOP * index
    return this.#rows[from + 1]! - this.#rows[from + 3]!
  }

  /** The way of a packet so far, its NIC's link first; empty if it is not known. */
  hopsOf(ordinal: number, direction: number): Hop[] {
    return this.#isKnown(ordinal, direction) ? this.hopsAt(ordinal) : []
  }

  /** The way so far of the last packet with this record that began one. */
  hopsAt(ordinal: number): Hop[] {
    const at = ordinal * WIDTH
    const found: Hop[] = []
    if (!(this.#rows[at + DIRECTION]! >= 0)) return found
    const length = Math.min(HOPS_IN_ROW, this.#rows[at + HOPS]!)
    for (let hop = 0; hop < length; hop++) found.push(this.hopAt(ordinal, hop))
    if (length < this.#rows[at + HOPS]!) found.push(...this.#longer.get(ordinal)!)
    return found
  }

  /** When a packet left its NIC. */
  startPs(ordinal: number): number {
    return this.#rows[ordinal * WIDTH + HOPS_FROM + 1] ?? -1
  }

  /** The sums of its queue pair's clock when it left; a view, valid until the record is used again. */
  sumsOf(ordinal: number): Float64Array {
    const from = ordinal * SUMS
    if ((this.#rows[ordinal * WIDTH + BITS]! & HAS_ALL_SUMS) === 0) this.#sums.fill(0, from + STATES, from + SUMS)
    return this.#sums.subarray(from, from + SUMS)
  }

  #isKnown(ordinal: number, direction: number): boolean {
    return this.#rows[ordinal * WIDTH + DIRECTION] === direction
  }

  #grow(ordinal: number): void {
    const { length } = this.#rows
    let rows = length / WIDTH
    while (rows <= ordinal) rows *= 2
    const grown = new Float64Array(WIDTH * rows)
    grown.set(this.#rows)
    this.#rows = grown.fill(-1, length)
    const sums = new Float64Array(SUMS * rows)
    sums.set(this.#sums)
    this.#sums = sums
  }
}
