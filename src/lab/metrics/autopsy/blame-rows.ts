/**
 * Blame rows: of each message, how much of each part of its time goes back to which origin; a row for each part and origin.
 * Rows without an origin hold the parts themselves (part-columns.ts): of the parts that there are, a message has few.
 */
import { ALL_PARTS } from '../../../core/results/flow-parts.ts'
import { type ColumnSpec, type Table, TableBuilder } from '../../../core/results/table.ts'
import { NO_ORIGIN, type Origin } from '../pauses/origins.ts'
import type { Blame } from './blame.ts'

/** Queue pair, number of the message, part, origin. */
const INTEGERS = 4
const CHUNK_ROWS = 4096

const COLUMNS: readonly ColumnSpec[] = [
  { name: 'pair', type: 'integer' },
  { name: 'message', type: 'integer' },
  { name: 'part', type: 'text' },
  { name: 'kind', type: 'text' },
  { name: 'node', type: 'integer' },
  { name: 'nodeName', type: 'text' },
  { name: 'port', type: 'integer' },
  { name: 'origin', type: 'text' },
  { name: 'spanPs', type: 'integer' },
]

export class BlameRows {
  readonly #integers: Int32Array[]
  readonly #spansPs: Float64Array[]
  #count: number

  constructor(integers: Int32Array[] = [], spansPs: Float64Array[] = [], count = 0) {
    this.#integers = integers
    this.#spansPs = spansPs
    this.#count = count
  }

  /** The same rows, to which others can be added. */
  copy(): BlameRows {
    const last = this.#integers.length - 1
    return new BlameRows(
      this.#integers.map((chunk, i) => (i === last ? chunk.slice() : chunk)),
      this.#spansPs.map((chunk, i) => (i === last ? chunk.slice() : chunk)),
      this.#count,
    )
  }

  add(pair: number, message: number, { count, parts, origins, spansPs }: Blame): void {
    for (let i = 0; i < count; i++) this.#addRow(pair, message, parts[i]!, origins[i]!, spansPs[i]!)
  }

  /** Adds those of the parts that are not 0, and at least one, from this number on. */
  addParts(pair: number, message: number, parts: Float64Array, from: number): void {
    let isAdded = false
    for (let part = parts.length - 1; part >= from; part--) {
      if (parts[part] === 0 && (part > from || isAdded)) continue
      this.#addRow(pair, message, part, NO_ORIGIN, parts[part]!)
      isAdded = true
    }
  }

  #addRow(pair: number, message: number, part: number, origin: number, spanPs: number): void {
    const row = this.#count++ % CHUNK_ROWS
    if (row === 0) {
      this.#integers.push(new Int32Array(INTEGERS * CHUNK_ROWS))
      this.#spansPs.push(new Float64Array(CHUNK_ROWS))
    }
    const integers = this.#integers.at(-1)!
    integers[row * INTEGERS] = pair
    integers[row * INTEGERS + 1] = message
    integers[row * INTEGERS + 2] = part
    integers[row * INTEGERS + 3] = origin
    this.#spansPs.at(-1)![row] = spanPs
  }

  visit(look: (pair: number, message: number, part: number, origin: number, spanPs: number) => void): void {
    for (let row = 0; row < this.#count; row++) {
      const integers = this.#integers[Math.floor(row / CHUNK_ROWS)]!
      const at = row % CHUNK_ROWS
      const from = at * INTEGERS
      const spanPs = this.#spansPs[Math.floor(row / CHUNK_ROWS)]![at]!
      look(integers[from]!, integers[from + 1]!, integers[from + 2]!, integers[from + 3]!, spanPs)
    }
  }

  /** @param names by node */
  table(name: string, origins: readonly Origin[], names: readonly string[]): Table {
    const builder = new TableBuilder(name, COLUMNS)
    this.visit((pair, message, part, number, spanPs) => {
      const { kind, node, port, name: origin } = origins[number]!
      builder.add(pair, message, ALL_PARTS[part]!.column, kind, node, names[node] ?? '', port, origin, spanPs)
    })
    return builder.build()
  }
}
