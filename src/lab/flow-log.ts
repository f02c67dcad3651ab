/**
 * Flow log: one row a message, in growing columns.
 */
import type { Column, Table } from '../results/table.ts'

const NUMBERS = [
  'source',
  'destination',
  'sizeBytes',
  'startPs',
  'receivedPs',
  'acknowledgedPs',
  'idealPs',
  'idealAcknowledgedPs',
  'trafficClass',
  'sourcePort',
  'destinationPort',
  'pair',
  'messageOfPair',
  // Of a queue pair that was released, as long as NaN that of the queue pair itself.
  'retransmissions',
  'timeouts',
] as const
type NumberColumn = (typeof NUMBERS)[number]

/** Place of a column in a row. */
const PLACE = Object.fromEntries(NUMBERS.map((name, place) => [name, place])) as Record<NumberColumn, number>
const WIDTH = NUMBERS.length
/** Rows of a chunk, as a power of two: the log grows without being copied. */
const CHUNK_BITS = 12
const CHUNK_MASK = (1 << CHUNK_BITS) - 1

export class FlowLog {
  count = 0
  readonly operations: string[] = []
  readonly tags: string[] = []
  /** Rows side by side, chunk by chunk. */
  readonly #chunks: Float64Array[] = []

  /** Adds a row of NaNs; its number. */
  add(operation: string, tag: string): number {
    const row = this.count++
    if ((row & CHUNK_MASK) === 0) this.#chunks.push(new Float64Array(WIDTH << CHUNK_BITS).fill(NaN))
    this.operations.push(operation)
    this.tags.push(tag)
    return row
  }

  get(name: NumberColumn, row: number): number {
    return this.#chunks[row >> CHUNK_BITS]![(row & CHUNK_MASK) * WIDTH + PLACE[name]]!
  }

  set(name: NumberColumn, row: number, value: number): void {
    this.#chunks[row >> CHUNK_BITS]![(row & CHUNK_MASK) * WIDTH + PLACE[name]] = value
  }

  /** The result's `flows` table; `more` gives what only the end of the run knows. */
  table(
    more: (row: number) => { retransmissions: number; timeouts: number; measured: boolean; status: string },
  ): Table {
    const rows = this.count
    const copy = (name: NumberColumn): Float64Array => {
      const data = new Float64Array(rows)
      for (let row = 0; row < rows; row++) data[row] = this.get(name, row)
      return data
    }
    const extra = {
      flow: new Float64Array(rows),
      retransmissions: new Float64Array(rows),
      timeouts: new Float64Array(rows),
      measured: new Float64Array(rows),
    }
    const status: string[] = []
    for (let row = 0; row < rows; row++) {
      const m = more(row)
      extra.flow[row] = row
      extra.retransmissions[row] = m.retransmissions
      extra.timeouts[row] = m.timeouts
      extra.measured[row] = m.measured ? 1 : 0
      status.push(m.status)
    }
    const integer = (name: string, data: Float64Array): Column => ({ name, type: 'integer', data })
    const number = (name: string, data: Float64Array): Column => ({ name, type: 'number', data })
    return {
      name: 'flows',
      rowCount: rows,
      columns: [
        integer('flow', extra.flow),
        integer('source', copy('source')),
        integer('destination', copy('destination')),
        integer('sizeBytes', copy('sizeBytes')),
        integer('startPs', copy('startPs')),
        number('receivedPs', copy('receivedPs')),
        number('acknowledgedPs', copy('acknowledgedPs')),
        number('idealPs', copy('idealPs')),
        number('idealAcknowledgedPs', copy('idealAcknowledgedPs')),
        integer('trafficClass', copy('trafficClass')),
        integer('sourcePort', copy('sourcePort')),
        integer('destinationPort', copy('destinationPort')),
        integer('pair', copy('pair')),
        number('retransmissions', extra.retransmissions),
        number('timeouts', extra.timeouts),
        integer('measured', extra.measured),
        { name: 'operation', type: 'text', data: [...this.operations] },
        { name: 'tag', type: 'text', data: [...this.tags] },
        { name: 'status', type: 'text', data: status },
      ],
    }
  }
}
