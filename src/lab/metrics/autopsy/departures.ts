/**
 * Departures: which data frames left which port when, to see later who went before a packet that waited there.
 * Shape: a circle of rows for all ports, which is written in order; each row leads to the one before it of its port. It grows
 * where old rows may still be asked for. Units: picoseconds.
 */

/** Fields of a row: start, end, queue pair, and number of the row before it of its port, or -1. */
const WIDTH = 4
const FIRST_ROWS = 4096

/** Nothing that ended before `knownPs` is asked for any more. */
export interface Horizon {
  readonly knownPs: number
  /** Finds it anew, which takes a while. */
  renew(): void
}

export class Departures {
  private rows = new Float64Array(WIDTH * FIRST_ROWS)
  private mask = FIRST_ROWS - 1
  /** Numbers of the oldest row and of the one after the last. */
  private first = 0
  private next = 0
  /** By port: number of its last row. */
  private readonly last: Float64Array
  private readonly horizon: Horizon

  constructor(ports: number, horizon: Horizon) {
    this.last = new Float64Array(ports).fill(-1)
    this.horizon = horizon
  }

  /** A frame starts. */
  add(port: number, startPs: number, endPs: number, pair: number): void {
    if (this.next - this.first > this.mask) this.makeRoom()
    const at = (this.next & this.mask) * WIDTH
    const rows = this.rows
    rows[at] = startPs
    rows[at + 1] = endPs
    rows[at + 2] = pair
    rows[at + 3] = this.last[port]!
    this.last[port] = this.next++
  }

  /** Frames on the link of a port in an interval, the last one first, with the part of it that each takes. */
  visit(port: number, fromPs: number, toPs: number, look: (pair: number, fromPs: number, toPs: number) => void): void {
    for (let row = this.last[port]!; row >= this.first;) {
      const at = (row & this.mask) * WIDTH
      const startPs = this.rows[at]!
      const endPs = this.rows[at + 1]!
      if (endPs <= fromPs) return
      if (startPs < toPs) look(this.rows[at + 2]!, Math.max(startPs, fromPs), Math.min(endPs, toPs))
      row = this.rows[at + 3]!
    }
  }

  /** Forgets old rows; doubles the circle where that does not halve them. */
  private makeRoom(): void {
    this.forget()
    if (2 * (this.next - this.first) <= this.mask) return
    this.horizon.renew()
    this.forget()
    if (2 * (this.next - this.first) <= this.mask) return
    const rows = new Float64Array(2 * this.rows.length)
    const mask = 2 * this.mask + 1
    for (let row = this.first; row < this.next; row++) {
      const from = (row & this.mask) * WIDTH
      const to = (row & mask) * WIDTH
      for (let field = 0; field < WIDTH; field++) rows[to + field] = this.rows[from + field]!
    }
    this.rows = rows
    this.mask = mask
  }

  private forget(): void {
    const { knownPs } = this.horizon
    while (this.first < this.next && this.rows[(this.first & this.mask) * WIDTH + 1]! < knownPs) this.first++
  }
}
