/**
 * Tables: named columns of equal length, units in the names ("startPs", "sizeBytes").
 * Numbers live in typed arrays, texts in plain arrays; nothing here knows what a column means.
 */
import { assert, Bug } from '../base/assert.ts'
import { inputError } from '../base/issue.ts'

export const DAMAGED = 'the result is damaged; run its scenario.yaml again'

export type Column =
  | { readonly name: string; readonly type: 'number'; readonly data: Float64Array }
  | { readonly name: string; readonly type: 'integer'; readonly data: Float64Array }
  | { readonly name: string; readonly type: 'text'; readonly data: readonly string[] }

export type ColumnType = Column['type']

/** Name and type of a column, before there are rows. */
export interface ColumnSpec {
  readonly name: string
  readonly type: ColumnType
}

/** Invariant: every column's data has `rowCount` entries. NaN in a number column means "not there". */
export interface Table {
  readonly name: string
  /** Kind of its rows: in a result one of table-kinds.ts, elsewhere the table's name. */
  readonly kind: string
  readonly rowCount: number
  readonly columns: readonly Column[]
}

/** A table of these columns; stops when their lengths differ or a name comes twice. */
export function createTable(name: string, columns: readonly Column[], kind = name): Table {
  const rowCount = columns[0]?.data.length ?? 0
  const names = new Set<string>()
  for (const column of columns) {
    assert(column.data.length === rowCount, 'table: columns differ in length')
    assert(!names.has(column.name), 'table: two columns have the same name')
    names.add(column.name)
  }
  return { name, kind, rowCount, columns }
}

/** The column of that name, or undefined. */
export function findColumn(table: Table, name: string): Column | undefined {
  return table.columns.find((column) => column.name === name)
}

/** Files that tables were read from, for messages: what lacks in a table of ours is a bug, in one that was read a mistake. */
const FILES = new WeakMap<Table, string>()

/** Notes the file that a table was read from. */
export function noteFile(table: Table, file: string): Table {
  FILES.set(table, file)
  return table
}

function missingColumn(table: Table, name: string, kind?: 'number' | 'text'): Error {
  const file = FILES.get(table)
  if (file === undefined) return new Bug(`table ${table.name}: no ${kind ?? ''} column ${name}`)
  const received = findColumn(table, name) === undefined ? 'none' : 'one of another type'
  return inputError(`${file}: ${name}`, kind === undefined ? 'a column' : `a column of ${kind}s`, received, DAMAGED)
}

/** For each column that is read on demand: reads it anew, for a caller that looks at it once; the column is not kept. */
const ON_DEMAND = new WeakMap<Column, () => Column>()

/** A column whose data take memory from the first look at them on; `read` makes it whole, anew each time. */
export function columnOnDemand({ name, type }: ColumnSpec, read: () => Column): Column {
  let kept: Column | undefined
  // Type and data are of one column, which the two properties do not say.
  const column = {
    name,
    type,
    get data() {
      return (kept ??= read()).data
    },
  } as Column
  ON_DEMAND.set(column, () => kept ?? read())
  return column
}

/** Reads the rows `from` to before `to` of a column anew; numbers go into `into` if it is given, which is at least as long. */
type PartReader = (from: number, to: number, into?: Float64Array) => Column

/** For each column that is elsewhere. */
const IN_PARTS = new WeakMap<Column, PartReader>()

/** A column on demand that can also be read in parts. */
export function columnInParts(spec: ColumnSpec, rowCount: number, read: PartReader): Column {
  const column = columnOnDemand(spec, () => read(0, rowCount))
  IN_PARTS.set(column, read)
  return column
}

/** The rows `from` to before `to` of a table; of columns in parts nothing else is read, and nothing is kept. */
export function rowsBetween(table: Table, from: number, to: number): Table {
  const columns = table.columns.map((column) => partOf(column, from, to))
  return { name: table.name, kind: table.kind, rowCount: to - from, columns }
}

/** The same rows of a column. @param into memory for numbers that have to be read */
export function partOf(column: Column, from: number, to: number, into?: Float64Array): Column {
  const read = IN_PARTS.get(column)
  if (read !== undefined) return read(from, to, into)
  const { name, type, data } = column
  return type === 'text' ? { name, type, data: data.slice(from, to) } : { name, type, data: data.subarray(from, to) }
}

/** The column for one look: data that are read on demand are not kept. */
function once(column: Column): Column {
  return ON_DEMAND.get(column)?.() ?? column
}

/** A column that must be there: of numbers or integers, or of texts, or of either. Its data are not looked at. */
export function expectColumn(table: Table, name: string, kind?: 'number' | 'text'): Column {
  const column = findColumn(table, name)
  const isOther = kind !== undefined && (column?.type === 'text') !== (kind === 'text')
  if (column === undefined || isOther) throw missingColumn(table, name, kind)
  return column
}

/**
 * Reads rows of a column that must be there, from one to before another, for one pass over them: of columns in parts nothing
 * else is in memory, and of others on demand nothing is kept.
 */
export function columnReader(
  table: Table,
  name: string,
  kind: 'number' | 'text',
): (from: number, to: number) => Column {
  const column = expectColumn(table, name, kind)
  const read = IN_PARTS.get(column)
  if (read !== undefined) return read
  const whole = once(column)
  return (from, to) => partOf(whole, from, to)
}

/** The data of a column of numbers or integers. */
export function numbersIn({ data }: Column): Float64Array {
  return data as Float64Array
}

/** The data of a column of texts. */
export function textsIn({ data }: Column): readonly string[] {
  return data as readonly string[]
}

/** The data of a number or integer column that must be there. */
export function numbersOf(table: Table, name: string): Float64Array {
  return expectColumn(table, name, 'number').data as Float64Array
}

/** The same for one look at them: a column that is read on demand is not kept. */
export function numbersOnce(table: Table, name: string): Float64Array {
  return once(expectColumn(table, name, 'number')).data as Float64Array
}

/** The data of number columns that must be there, in this order. */
export function numberColumns<const N extends readonly string[]>(
  table: Table,
  names: N,
): { readonly [K in keyof N]: Float64Array } {
  // map() forgets how many there are.
  return names.map((name) => numbersOf(table, name)) as { readonly [K in keyof N]: Float64Array }
}

/** The data of a text column that must be there. */
export function textsOf(table: Table, name: string): readonly string[] {
  return expectColumn(table, name, 'text').data as readonly string[]
}

/** The data of several text columns that must be there. */
export function textColumns<const N extends readonly string[]>(
  table: Table,
  names: N,
): { readonly [K in keyof N]: readonly string[] } {
  return names.map((name) => textsOf(table, name)) as { readonly [K in keyof N]: readonly string[] }
}

/** A new table of these rows, with those columns of these names that there are. Columns read on demand are not kept for it. */
export function pickRows(table: Table, rows: readonly number[], names: readonly string[]): Table {
  const columns = table.columns
    .filter(({ name }) => names.includes(name))
    .map((column): Column => {
      const { name, type, data } = once(column)
      if (type === 'text') return { name, type, data: rows.map((row) => data[row]!) }
      return { name, type, data: Float64Array.from(rows, (row) => data[row]!) }
    })
  const kept = { name: table.name, kind: table.kind, rowCount: rows.length, columns }
  const file = FILES.get(table)
  return file === undefined ? kept : noteFile(kept, file)
}

/** One object a row, keyed by column name. For small tables: reports, tests. */
export function toObjects(table: Table): Record<string, number | string>[] {
  const rows: Record<string, number | string>[] = []
  for (let row = 0; row < table.rowCount; row++) {
    rows.push(Object.fromEntries(table.columns.map((column) => [column.name, column.data[row] as number | string])))
  }
  return rows
}

export interface TableLimits {
  /** Most rows the table may keep; unlimited when not given. At least 1. */
  readonly maxRows?: number
}

const FIRST_CAPACITY = 256

/**
 * A table that grows row by row, and thins itself when it would pass `maxRows`.
 *
 * Thinning is by sample: the rows added between two calls of `beginSample` (say, one per port at one instant) are kept
 * or dropped together, so that no port vanishes from the series. Without any `beginSample` every row is a sample.
 * Kept are the samples 0, k, 2k, 3k, ... with k the smallest power of two that the limit allowed so far; which rows
 * remain depends on nothing but the rows offered and `maxRows`. Sample 0 always stays whole, so a first sample
 * larger than `maxRows` passes the limit.
 */
export class TableBuilder {
  readonly name: string
  private readonly specs: readonly ColumnSpec[]
  private readonly maxRows: number
  private readonly data: (Float64Array | string[])[]
  /** Sample number of each kept row. */
  private samples: Float64Array
  private rows: number
  private capacity: number
  private stride: number
  private sample: number
  private explicitSamples: boolean

  constructor(name: string, columns: readonly ColumnSpec[], limits: TableLimits = {}) {
    this.name = name
    this.specs = columns
    this.maxRows = limits.maxRows ?? Infinity
    assert(this.maxRows >= 1, 'table builder: maxRows is below 1')
    this.capacity = FIRST_CAPACITY
    this.data = columns.map((column) => (column.type === 'text' ? [] : new Float64Array(FIRST_CAPACITY)))
    this.samples = new Float64Array(FIRST_CAPACITY)
    this.rows = 0
    this.stride = 1
    this.sample = -1
    this.explicitSamples = false
  }

  /** Rows kept so far. */
  get rowCount(): number {
    return this.rows
  }

  /** One sample in this many is kept; 1 as long as nothing was thinned. */
  get keptEvery(): number {
    return this.stride
  }

  /** Opens the next sample. False: its rows will be dropped, the caller may skip the work of adding them. */
  beginSample(): boolean {
    assert(this.explicitSamples || this.sample < 0, 'table builder: beginSample after rows without a sample')
    this.explicitSamples = true
    this.sample++
    return this.sample % this.stride === 0
  }

  /** Adds a row: one value a column, in the columns' order. */
  add(...values: readonly (number | string)[]): void {
    if (!this.explicitSamples) this.sample++
    if (this.sample % this.stride !== 0) return
    assert(values.length === this.specs.length, 'table builder: a row has one value a column')
    if (this.rows === this.capacity) this.grow()
    const row = this.rows
    for (let c = 0; c < values.length; c++) {
      const column = this.data[c] as Float64Array | string[]
      const value = values[c] as number | string
      if (typeof value === 'number') {
        assert(column instanceof Float64Array, 'table builder: a number in a text column')
        column[row] = value
      } else {
        assert(!(column instanceof Float64Array), 'table builder: a text in a number column')
        column[row] = value
      }
    }
    this.samples[row] = this.sample
    this.rows = row + 1
    // The first row belongs to sample 0, so a table whose last row does too holds nothing else.
    while (this.rows > this.maxRows && (this.samples[this.rows - 1] as number) > 0) this.thin()
  }

  /** The table so far; later rows do not change it. */
  build(): Table {
    const columns = this.specs.map((spec, c): Column => {
      const data = this.data[c] as Float64Array | string[]
      if (data instanceof Float64Array) {
        return { name: spec.name, type: spec.type as 'number' | 'integer', data: data.slice(0, this.rows) }
      }
      return { name: spec.name, type: 'text', data: data.slice(0, this.rows) }
    })
    return { name: this.name, kind: this.name, rowCount: this.rows, columns }
  }

  private grow(): void {
    this.capacity *= 2
    const wider = (old: Float64Array): Float64Array => {
      const data = new Float64Array(this.capacity)
      data.set(old)
      return data
    }
    this.samples = wider(this.samples)
    for (let c = 0; c < this.data.length; c++) {
      const column = this.data[c]
      if (column instanceof Float64Array) this.data[c] = wider(column)
    }
  }

  private thin(): void {
    this.stride *= 2
    let kept = 0
    for (let row = 0; row < this.rows; row++) {
      const sample = this.samples[row] as number
      if (sample % this.stride !== 0) continue
      this.samples[kept] = sample
      for (const column of this.data) {
        if (column instanceof Float64Array) column[kept] = column[row] as number
        else column[kept] = column[row] as string
      }
      kept++
    }
    for (const column of this.data) if (!(column instanceof Float64Array)) column.length = kept
    this.rows = kept
  }
}
