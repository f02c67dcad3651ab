/**
 * Event log: a table of the first `maxRows` events. The rest is counted in the last row's `leftOut`.
 * Events are not thinned like samples: every other pause and resume would be meaningless.
 */
import { type Column, type ColumnSpec, createTable, type Table, TableBuilder } from '../../core/results/table.ts'

export class EventLog {
  readonly #builder: TableBuilder
  readonly #maxRows: number
  #leftOut = 0

  constructor(name: string, columns: readonly ColumnSpec[], maxRows: number) {
    this.#builder = new TableBuilder(name, columns)
    this.#maxRows = maxRows
  }

  /** Adds an event: one value a column. */
  add(...values: readonly (number | string)[]): void {
    if (this.#builder.rowCount < this.#maxRows) this.#builder.add(...values)
    else this.#leftOut++
  }

  table(): Table {
    const table = this.#builder.build()
    return createTable(table.name, [...table.columns, leftOutColumn(table.rowCount, this.#leftOut)])
  }
}

/** Events after a row that are not in the table: 0 but in the last row of a full table. */
export function leftOutColumn(rowCount: number, leftOut: number): Column {
  const data = new Float64Array(rowCount)
  if (rowCount > 0) data[rowCount - 1] = leftOut
  return { name: 'leftOut', type: 'integer', data }
}
