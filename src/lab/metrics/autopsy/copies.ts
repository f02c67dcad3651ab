/**
 * Copies: the way of each packet that is in the network: when it left its NIC, the sums of its queue pair's clock then, and
 * when it left each switch. Rows are kept by the number of the packet's record, and used again with it.
 * Shape: a row of two cache lines, of which the second is for waits; one of hops, for packets whose whole way may be asked
 * for, and one of sums. Paths of more hops than fit in it are continued in a list.
 * Units: picoseconds.
 */
import { STATES } from '../../../core/results/flow-parts.ts'
import { IS_DATA, MAY_COMPLETE } from './starts.ts'
import { SUMS } from './sums.ts'

/** Fields of a row. */
const DIRECTION = 0
const HOPS = 1
/** Bits of starts.ts, as it left its NIC, or those and HAS_ALL_SUMS. */
const BITS = 2
const START_PS = 3
/** When its next port has all that it waits for. */
const REACHES_PS = 4
/** Sum of its waits in queues. */
const WAIT_PS = 5
/** The longest of them, among the first hops; 0: none. */
const WORST_PS = 6
/** Whether it left one of the first hops with a mark: 1 or 0. */
const IS_MARKED = 7
/** A hop with a wait, without the time until it reached the other end: of the longest one, at first at the NIC, and where it was marked. */
export const WORST = 8
export const MARKED = 12
const WIDTH = 16
/**
 * A hop: port that it left by times eight, and its class there; when; time until the other end had what it waits for; when
 * it was in the queue there; since when that queue had not been empty.
 */
const HOP = 5
const HOPS_IN_ROW = 8
const HOPS_WIDTH = HOP * HOPS_IN_ROW
/** Rows at first. */
const FIRST_ROWS = 1024
/** A bit: both halves of the sums are kept; else the second one is 0. */
const HAS_ALL_SUMS = 256

/** A wait in the queue of a port. */
export interface Wait {
  readonly port: number
  readonly startPs: number
  readonly trafficClass: number
  /** When it was in the queue of the port, at the latest when it left: a switch may cut through; at a NIC, when it left. */
  readonly queuedPs: number
  /** Since when the queue had not been empty then; that, where it did not wait. */
  readonly busyFromPs: number
}

export interface Hop extends Wait {
  readonly reachPs: number
}

export class Copies {
  private rows = new Float64Array(WIDTH * FIRST_ROWS).fill(-1)
  private hops = new Float64Array(HOPS_WIDTH * FIRST_ROWS)
  private sums = new Float64Array(SUMS * FIRST_ROWS)
  /** By record: hops that do not fit in its row. */
  private readonly longer = new Map<number, Hop[]>()
  private readonly delaysPs: Float64Array
  private readonly latenciesPs: Float64Array

  /** @param delaysPs of the links, by port @param latenciesPs of the switches, by port; 0 at hosts */
  constructor(delaysPs: Float64Array, latenciesPs: Float64Array) {
    this.delaysPs = delaysPs
    this.latenciesPs = latenciesPs
  }

  /**
   * A packet leaves its NIC.
   * @param sums of the clock of its queue pair; null: nobody asks for them
   * @param hasAgain whether a retransmission has been pending there: else the second half of the sums is 0
   */
  begin(ordinal: number, direction: number, bits: number, sums: Float64Array | null, hasAgain: boolean): void {
    const at = ordinal * WIDTH
    if (at >= this.rows.length) this.grow(ordinal)
    const rows = this.rows
    rows[at + DIRECTION] = direction
    if (rows[at + HOPS]! > HOPS_IN_ROW) this.longer.delete(ordinal)
    rows[at + HOPS] = 0
    rows[at + BITS] = hasAgain ? bits | HAS_ALL_SUMS : bits
    rows[at + WAIT_PS] = 0
    rows[at + WORST_PS] = 0
    rows[at + IS_MARKED] = 0
    if (sums === null) return
    const kept = this.sums
    const from = ordinal * SUMS
    // A loop: set() takes longer for so few.
    const used = hasAgain ? SUMS : STATES
    for (let i = 0; i < used; i++) kept[from + i] = sums[i]!
  }

  /** When a packet that starts now was in the queue of the port; NaN: its way is not known from the beginning. */
  queuedPs(ordinal: number, direction: number, port: number, startPs: number): number {
    if (!this.isKnown(ordinal, direction)) return NaN
    const rows = this.rows
    const at = ordinal * WIDTH
    return rows[at + HOPS] === 0 ? startPs : Math.min(startPs, rows[at + REACHES_PS]! + this.latenciesPs[port]!)
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
    const rows = this.rows
    const at = ordinal * WIDTH
    const hops = rows[at + HOPS]!
    const port = portAndClass >> 3
    rows[at + HOPS] = hops + 1
    rows[at + REACHES_PS] = startPs + reachPs + this.delaysPs[port]!
    const waitPs = startPs - queuedPs
    rows[at + WAIT_PS]! += waitPs
    if (hops === 0) {
      rows[at + START_PS] = startPs
      this.note(at + WORST, portAndClass, startPs, queuedPs, busyFromPs)
    }
    const isFirst = hops < HOPS_IN_ROW
    if (isFirst && waitPs > rows[at + WORST_PS]!) {
      rows[at + WORST_PS] = waitPs
      this.note(at + WORST, portAndClass, startPs, queuedPs, busyFromPs)
    }
    if (isFirst && isMarked && rows[at + IS_MARKED] === 0) {
      rows[at + IS_MARKED] = 1
      this.note(at + MARKED, portAndClass, startPs, queuedPs, busyFromPs)
    }
    // Nobody asks for the way of other packets.
    if ((rows[at + BITS]! & (IS_DATA | MAY_COMPLETE)) === IS_DATA) return
    if (!isFirst) {
      const hop = { port, startPs, reachPs, trafficClass: portAndClass & 7, queuedPs, busyFromPs }
      const known = this.longer.get(ordinal)
      if (known === undefined) this.longer.set(ordinal, [hop])
      else known.push(hop)
      return
    }
    const from = ordinal * HOPS_WIDTH + HOP * hops
    const kept = this.hops
    kept[from] = portAndClass
    kept[from + 1] = startPs
    kept[from + 2] = reachPs
    kept[from + 3] = queuedPs
    kept[from + 4] = busyFromPs
  }

  private note(at: number, portAndClass: number, startPs: number, queuedPs: number, busyFromPs: number): void {
    const rows = this.rows
    rows[at] = portAndClass
    rows[at + 1] = startPs
    rows[at + 2] = queuedPs
    rows[at + 3] = busyFromPs
  }

  /** Bits of starts.ts, as the packet with this record left its NIC; -1: it is of another direction, or still there. */
  bitsOf(ordinal: number, direction: number): number {
    const at = ordinal * WIDTH
    return this.isKnown(ordinal, direction) && this.rows[at + HOPS]! > 1 ? this.rows[at + BITS]! & ~HAS_ALL_SUMS : -1
  }

  /** Time that it waited in queues. */
  waitPs(ordinal: number): number {
    return this.rows[ordinal * WIDTH + WAIT_PS]!
  }

  /** The longest of its waits. */
  worstPs(ordinal: number): number {
    return this.rows[ordinal * WIDTH + WORST_PS]!
  }

  /** Whether it has left a queue with a mark. */
  isMarked(ordinal: number): boolean {
    return this.rows[ordinal * WIDTH + IS_MARKED] === 1
  }

  /** Time that it waited in the queue where it was marked. */
  markedWaitPs(ordinal: number): number {
    const from = ordinal * WIDTH + MARKED
    return this.rows[from + 1]! - this.rows[from + 2]!
  }

  /** Port of a wait times eight, and its class there. @param which WORST or MARKED, if there is one */
  portAndClassOf(ordinal: number, which: number): number {
    return this.rows[ordinal * WIDTH + which]!
  }

  waitOf(ordinal: number, which: number): Wait {
    const rows = this.rows
    const from = ordinal * WIDTH + which
    const portAndClass = rows[from]!
    return {
      port: portAndClass >> 3,
      trafficClass: portAndClass & 7,
      startPs: rows[from + 1]!,
      queuedPs: rows[from + 2]!,
      busyFromPs: rows[from + 3]!,
    }
  }

  /** The way of a packet so far, its NIC's link first; empty if it is not known. Not of data that complete no message. */
  hopsOf(ordinal: number, direction: number): Hop[] {
    return this.isKnown(ordinal, direction) ? this.hopsAt(ordinal) : []
  }

  /** The way so far of the last packet with this record that began one. */
  hopsAt(ordinal: number): Hop[] {
    const at = ordinal * WIDTH
    const found: Hop[] = []
    if (!(this.rows[at + DIRECTION]! >= 0)) return found
    const length = Math.min(HOPS_IN_ROW, this.rows[at + HOPS]!)
    for (let hop = 0; hop < length; hop++) found.push(this.hopAt(ordinal * HOPS_WIDTH + HOP * hop))
    if (length < this.rows[at + HOPS]!) found.push(...this.longer.get(ordinal)!)
    return found
  }

  /** When a packet left its NIC. */
  startPs(ordinal: number): number {
    return this.rows[ordinal * WIDTH + START_PS] ?? -1
  }

  /** The sums of its queue pair's clock when it left; a view, valid until the record is used again. */
  sumsOf(ordinal: number): Float64Array {
    const from = ordinal * SUMS
    if ((this.rows[ordinal * WIDTH + BITS]! & HAS_ALL_SUMS) === 0) this.sums.fill(0, from + STATES, from + SUMS)
    return this.sums.subarray(from, from + SUMS)
  }

  private hopAt(from: number): Hop {
    const hops = this.hops
    const portAndClass = hops[from]!
    return {
      port: portAndClass >> 3,
      trafficClass: portAndClass & 7,
      startPs: hops[from + 1]!,
      reachPs: hops[from + 2]!,
      queuedPs: hops[from + 3]!,
      busyFromPs: hops[from + 4]!,
    }
  }

  private isKnown(ordinal: number, direction: number): boolean {
    return this.rows[ordinal * WIDTH + DIRECTION] === direction
  }

  private grow(ordinal: number): void {
    const { length } = this.rows
    let rows = length / WIDTH
    while (rows <= ordinal) rows *= 2
    const grown = new Float64Array(WIDTH * rows)
    grown.set(this.rows)
    this.rows = grown.fill(-1, length)
    const hops = new Float64Array(HOPS_WIDTH * rows)
    hops.set(this.hops)
    this.hops = hops
    const sums = new Float64Array(SUMS * rows)
    sums.set(this.sums)
    this.sums = sums
  }
}
