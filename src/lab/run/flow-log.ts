/**
 * Flow log: one row per message.
 */
import type { Column, Table } from '../../results/table.ts'

/** Index of each column in a row. */
const COLUMNS = {
  source: 0,
  destination: 1,
  sizeBytes: 2,
  startPs: 3,
  receivedPs: 4,
  acknowledgedPs: 5,
  idealPs: 6,
  idealAcknowledgedPs: 7,
  trafficClass: 8,
  sourcePort: 9,
  destinationPort: 10,
  pair: 11,
  messageOfPair: 12,
  // Counts of a queue pair that was released; NaN: the queue pair still has them.
  retransmissions: 13,
  timeouts: 14,
} as const
type NumberColumn = keyof typeof COLUMNS
/** Columns that are known when a message is posted. */
type PostedColumns = Readonly<
  Record<Exclude<NumberColumn, 'receivedPs' | 'acknowledgedPs' | 'retransmissions' | 'timeouts'>, number>
>

const WIDTH = Object.keys(COLUMNS).length
/** Rows of a chunk, as a power of two: the log grows without being copied. */
const CHUNK_BITS = 12
const CHUNK_MASK = (1 << CHUNK_BITS) - 1

export class FlowLog {
  count = 0
  readonly operations: string[] = []
  readonly tags: string[] = []
  /** Rows side by side, chunk by chunk. */
  readonly #chunks: Float64Array[] = []

  /** Adds the row of a message that is posted, and returns its number. */
  add(operation: string, tag: string, posted: PostedColumns): number {
    const row = this.count++
    if ((row & CHUNK_MASK) === 0) this.#chunks.push(new Float64Array(WIDTH << CHUNK_BITS).fill(NaN))
    this.operations.push(operation)
    this.tags.push(tag)
    const chunk = this.#chunks[row >> CHUNK_BITS]!
    const at = (row & CHUNK_MASK) * WIDTH
    chunk[at + COLUMNS.source] = posted.source
    chunk[at + COLUMNS.destination] = posted.destination
    chunk[at + COLUMNS.sizeBytes] = posted.sizeBytes
    chunk[at + COLUMNS.startPs] = posted.startPs
    chunk[at + COLUMNS.idealPs] = posted.idealPs
    chunk[at + COLUMNS.idealAcknowledgedPs] = posted.idealAcknowledgedPs
    chunk[at + COLUMNS.trafficClass] = posted.trafficClass
    chunk[at + COLUMNS.sourcePort] = posted.sourcePort
    chunk[at + COLUMNS.destinationPort] = posted.destinationPort
    chunk[at + COLUMNS.pair] = posted.pair
    chunk[at + COLUMNS.messageOfPair] = posted.messageOfPair
    return row
  }

  get(name: NumberColumn, row: number): number {
    return this.#chunks[row >> CHUNK_BITS]![(row & CHUNK_MASK) * WIDTH + COLUMNS[name]]!
  }

  set(name: NumberColumn, row: number, value: number): void {
    this.#chunks[row >> CHUNK_BITS]![(row & CHUNK_MASK) * WIDTH + COLUMNS[name]] = value
  }

  /** The result's `flows` table; `more` gives the columns that are known at the end of the run only. */
  table(
    more: (row: number) => {
      retransmissions: number
      timeouts: number
      deliveredBytes: number
      measured: boolean
      status: string
    },
  ): Table {
    const rows = this.count
    const copy = (name: NumberColumn): Float64Array => {
      const data = new Float64Array(rows)
      const index = COLUMNS[name]
      for (let row = 0; row < rows; row++) {
        data[row] = this.#chunks[row >> CHUNK_BITS]![(row & CHUNK_MASK) * WIDTH + index]!
      }
      return data
    }
    const extra = {
      flow: new Float64Array(rows),
      retransmissions: new Float64Array(rows),
      timeouts: new Float64Array(rows),
      deliveredBytes: new Float64Array(rows),
      measured: new Float64Array(rows),
    }
    const status: string[] = []
    for (let row = 0; row < rows; row++) {
      const m = more(row)
      extra.flow[row] = row
      extra.retransmissions[row] = m.retransmissions
      extra.timeouts[row] = m.timeouts
      extra.deliveredBytes[row] = m.deliveredBytes
      extra.measured[row] = m.measured ? 1 : 0
      status.push(m.status)
    }
    const integer = (name: string, data: Float64Array): Column => ({ name, type: 'integer', data })
    const number = (name: string, data: Float64Array): Column => ({ name, type: 'number', data })
    return {
      name: 'flows',
      kind: 'flows',
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
        number('deliveredBytes', extra.deliveredBytes),
        integer('measured', extra.measured),
        { name: 'operation', type: 'text', data: [...this.operations] },
        { name: 'tag', type: 'text', data: [...this.tags] },
        { name: 'status', type: 'text', data: status },
      ],
    }
  }
}
