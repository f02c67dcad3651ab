/**
 * Flow pages: rows of doubles in pages, column behind column. A page whose rows will not change any more moves to a store
 * outside of memory, if there is one; read or changed afterwards, it is as if it had stayed.
 */

/** Bytes outside of memory, by their position. */
export interface ByteStore {
  /** False: they could not be taken, now or ever. */
  write(at: number, bytes: Uint8Array): boolean
  /** Fills `bytes` with those that were written at `at`. */
  read(at: number, bytes: Uint8Array): void
}

/** Rows of a page, as a power of two. */
const PAGE_BITS = 12
const PAGE_ROWS = 1 << PAGE_BITS
const ROW_MASK = PAGE_ROWS - 1
/** Pages that stay in memory though they could leave, so that short runs write nothing. */
const KEPT_PAGES = 4

export class FlowPages {
  count = 0
  readonly #columns: number
  readonly #store: ByteStore | null
  /** null: in the store. */
  readonly #pages: (Float64Array | null)[] = []
  /** By page: rows that may change. */
  readonly #open: number[] = []
  /** Pages without such rows, to leave in this order. */
  readonly #leaving: number[] = []
  /** A page of the store that was looked at last, and its number. */
  #seen: Float64Array | null = null
  #seenPage = -1
  /** Memory of a page that left. */
  #spare: Float64Array | null = null
  #isRefused = false

  constructor(columns: number, store: ByteStore | null) {
    this.#columns = columns
    this.#store = store
  }

  /** Adds a row of NaN, open to changes, and returns its number. */
  add(): number {
    const row = this.count++
    if ((row & ROW_MASK) === 0) {
      this.#pages.push((this.#spare ?? new Float64Array(this.#columns * PAGE_ROWS)).fill(NaN))
      this.#spare = null
      this.#open.push(0)
    }
    this.#open[row >> PAGE_BITS]!++
    return row
  }

  get(column: number, row: number): number {
    return this.#page(row >> PAGE_BITS)[column * PAGE_ROWS + (row & ROW_MASK)]!
  }

  set(column: number, row: number, value: number): void {
    const number = row >> PAGE_BITS
    const page = this.#page(number)
    const at = column * PAGE_ROWS + (row & ROW_MASK)
    if (Object.is(page[at], value)) return
    page[at] = value
    // A change this late is rare: a queue pair that carried one message and might have carried more.
    if (this.#pages[number] !== null) return
    if (this.#store!.write(this.#position(number, at), bytesOf(page.subarray(at, at + 1)))) return
    this.#pages[number] = page
    this.#seen = null
    this.#seenPage = -1
  }

  /** The row will hardly change any more. */
  close(row: number): void {
    const number = row >> PAGE_BITS
    if (--this.#open[number]! > 0 || (number + 1) * PAGE_ROWS > this.count) return
    this.#leaving.push(number)
    while (this.#leaving.length > KEPT_PAGES && !this.#isRefused) this.#leave(this.#leaving.shift()!)
  }

  /** The rows `from` to before `to` of a column, in `memory` if it is given. */
  read(column: number, from: number, to: number, memory?: Float64Array): Float64Array {
    const data = memory?.subarray(0, to - from) ?? new Float64Array(to - from)
    for (let row = from; row < to;) {
      const [number, first] = [row >> PAGE_BITS, column * PAGE_ROWS + (row & ROW_MASK)]
      const rows = Math.min(to, (number + 1) * PAGE_ROWS) - row
      const page = this.#pages[number]!
      const into = data.subarray(row - from, row - from + rows)
      if (page === null) this.#store!.read(this.#position(number, first), bytesOf(into))
      else into.set(page.subarray(first, first + rows))
      row += rows
    }
    return data
  }

  #page(number: number): Float64Array {
    const page = this.#pages[number]!
    if (page !== null) return page
    if (this.#seenPage === number) return this.#seen!
    this.#seen ??= new Float64Array(this.#columns * PAGE_ROWS)
    this.#store!.read(this.#position(number, 0), bytesOf(this.#seen))
    this.#seenPage = number
    return this.#seen
  }

  #leave(number: number): void {
    const page = this.#pages[number]!
    if (this.#store?.write(this.#position(number, 0), bytesOf(page!)) !== true) {
      this.#isRefused = true
      return
    }
    this.#pages[number] = null
    this.#spare = page
  }

  #position(number: number, at: number): number {
    return (number * this.#columns * PAGE_ROWS + at) * Float64Array.BYTES_PER_ELEMENT
  }
}

function bytesOf(data: Float64Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}
