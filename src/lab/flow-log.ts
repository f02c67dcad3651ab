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

export class FlowLog {
  count = 0
  readonly operations: string[] = []
  readonly tags: string[] = []
  readonly #columns: Record<NumberColumn, Float64Array>

  constructor() {
    this.#columns = Object.fromEntries(NUMBERS.map((name) => [name, new Float64Array(256)])) as Record<
      NumberColumn,
      Float64Array
    >
  }

  /** Adds a row of NaNs; its number. */
  add(operation: string, tag: string): number {
    const row = this.count++
    if (row === this.#columns.source.length) this.#grow()
    for (const name of NUMBERS) this.#columns[name][row] = NaN
    this.operations.push(operation)
    this.tags.push(tag)
    return row
  }

  get(name: NumberColumn, row: number): number {
    return this.#columns[name][row]!
  }

  set(name: NumberColumn, row: number, value: number): void {
    this.#columns[name][row] = value
  }

  /** The result's `flows` table; `more` gives what only the end of the run knows. */
  table(
    more: (row: number) => { retransmissions: number; timeouts: number; measured: boolean; status: string },
  ): Table {
    const rows = this.count
    const copy = (name: NumberColumn): Float64Array => this.#columns[name].slice(0, rows)
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

  #grow(): void {
    for (const name of NUMBERS) {
      const longer = new Float64Array(this.count * 2)
      longer.set(this.#columns[name])
      this.#columns[name] = longer
    }
  }
}
