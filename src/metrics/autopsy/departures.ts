/**
 * Departures: which data frames left a port when, to see later who went before a packet that waited there.
 * Shape: a circle of rows of three doubles (start, end, queue pair); it grows where old rows may still be asked for.
 */

const WIDTH = 3
const FIRST_ROWS = 256

/** Nothing that ended before `knownPs` is asked for any more. */
export interface Horizon {
  readonly knownPs: number
  /** Finds it anew, which takes a while. */
  renew(): void
}

export class Departures {
  #rows = new Float64Array(WIDTH * FIRST_ROWS)
  #mask = FIRST_ROWS - 1
  /** Numbers of the oldest row and of the one after the last. */
  #first = 0
  #next = 0

  /** A frame starts. */
  add(startPs: number, endPs: number, pair: number, horizon: Horizon): void {
    if (this.#next - this.#first > this.#mask) this.#makeRoom(horizon)
    const at = (this.#next++ & this.#mask) * WIDTH
    this.#rows[at] = startPs
    this.#rows[at + 1] = endPs
    this.#rows[at + 2] = pair
  }

  /** Frames on the link in an interval, in order, with the part of it that each takes. */
  visit(fromPs: number, toPs: number, look: (pair: number, fromPs: number, toPs: number) => void): void {
    // The first row that ends after the interval's beginning.
    let low = this.#first
    let high = this.#next
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if (this.#rows[(middle & this.#mask) * WIDTH + 1]! <= fromPs) low = middle + 1
      else high = middle
    }
    for (; low < this.#next; low++) {
      const at = (low & this.#mask) * WIDTH
      const startPs = this.#rows[at]!
      if (startPs >= toPs) return
      look(this.#rows[at + 2]!, Math.max(startPs, fromPs), Math.min(this.#rows[at + 1]!, toPs))
    }
  }

  /** Forgets old rows; doubles the circle where that does not halve them. */
  #makeRoom(horizon: Horizon): void {
    this.#forget(horizon.knownPs)
    if (2 * (this.#next - this.#first) <= this.#mask) return
    horizon.renew()
    this.#forget(horizon.knownPs)
    if (2 * (this.#next - this.#first) <= this.#mask) return
    const rows = new Float64Array(2 * this.#rows.length)
    const mask = 2 * this.#mask + 1
    for (let row = this.#first; row < this.#next; row++) {
      const from = (row & this.#mask) * WIDTH
      rows.set(this.#rows.subarray(from, from + WIDTH), (row & mask) * WIDTH)
    }
    this.#rows = rows
    this.#mask = mask
  }

  #forget(beforePs: number): void {
    while (this.#first < this.#next && this.#rows[(this.#first & this.#mask) * WIDTH + 1]! < beforePs) this.#first++
  }
}
