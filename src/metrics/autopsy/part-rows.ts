/**
 * Part rows: the parts of messages that are over, by queue pair and number; a row of doubles each, in chunks.
 */
import type { Column } from '../../results/table.ts'
import { PART_COUNT } from './sums.ts'

/** Queue pair and number of the message, then the parts, those of the ACK last. */
const PARTS_FROM = 2
const CHUNK_ROWS = 1024

export class PartRows {
  readonly #names: readonly string[]
  readonly #width: number
  #count = 0
  readonly #chunks: Float64Array[]

  /** @param names of the columns, a part each: those of messages, then those of ACKs if there are any */
  constructor(names: readonly string[], chunks: Float64Array[] = [], count = 0) {
    this.#names = names
    this.#width = PARTS_FROM + names.length
    this.#chunks = chunks
    this.#count = count
  }

  /** The same rows, to which others can be added. */
  copy(): PartRows {
    return new PartRows(
      this.#names,
      this.#chunks.map((chunk) => chunk.slice()),
      this.#count,
    )
  }

  /** Returns the number of the row. */
  add(pair: number, message: number, parts: Float64Array): number {
    const width = this.#width
    const row = this.#count++
    const at = (row % CHUNK_ROWS) * width
    if (at === 0 && row / CHUNK_ROWS >= this.#chunks.length)
      this.#chunks.push(new Float64Array(width * CHUNK_ROWS).fill(NaN))
    const chunk = this.#chunks[Math.floor(row / CHUNK_ROWS)]!
    chunk[at] = pair
    chunk[at + 1] = message
    chunk.set(parts, at + PARTS_FROM)
    return row
  }

  /** Adds the parts of the ACK of a message to its row. @param parts by number, of which those of the ACK count */
  addAck(row: number, parts: Float64Array): void {
    const at = (row % CHUNK_ROWS) * this.#width + PARTS_FROM
    this.#chunks[Math.floor(row / CHUNK_ROWS)]!.set(parts.subarray(PART_COUNT), at + PART_COUNT)
  }

  /**
   * A column per part, for a table with a row a message, NaN where nothing is known.
   * @param pairOf queue pair of each row of the table, whose messages are in the order of their numbers
   */
  columns(pairOf: Float64Array): (Column & { readonly data: Float64Array })[] {
    const rowOf = messageRows(pairOf)
    const columns = this.#names.map((name) => ({
      name,
      type: 'number' as const,
      data: new Float64Array(pairOf.length).fill(NaN),
    }))
    for (let row = 0; row < this.#count; row++) {
      const chunk = this.#chunks[Math.floor(row / CHUNK_ROWS)]!
      const at = (row % CHUNK_ROWS) * this.#width
      const to = rowOf(chunk[at]!, chunk[at + 1]!)
      columns.forEach(({ data }, part) => (data[to] = chunk[at + PARTS_FROM + part]!))
    }
    return columns
  }
}

/** Row of a message in a table, by queue pair and number. */
export function messageRows(pairOf: Float64Array): (pair: number, message: number) => number {
  const pairs = pairOf.reduce((most, pair) => Math.max(most, pair + 1), 0)
  const from = new Int32Array(pairs + 1)
  for (const pair of pairOf) from[pair + 1]!++
  for (let pair = 0; pair < pairs; pair++) from[pair + 1]! += from[pair]!
  const rows = new Int32Array(pairOf.length)
  const next = from.slice()
  pairOf.forEach((pair, row) => (rows[next[pair]!++] = row))
  return (pair, message) => rows[from[pair]! + message]!
}
