/**
 * Parquet: a table as one file in memory, here and in a browser.
 * Integer columns are INT64, number columns optional DOUBLE with null for NaN (so that other readers skip what is
 * not there), texts UTF8; Snappy inside. The table's name stands in the key `rocelab.table`.
 * Invariant: read back, names, types and values are equal.
 */
import type { KeyValue } from 'hyparquet'
import { type BasicType, ByteWriter, type ColumnSource, ParquetWriter, schemaFromColumnData } from 'hyparquet-writer'
import { assert } from '../base/assert.ts'
import { inputError } from '../base/issue.ts'
import {
  BOOLEAN,
  BYTE_ARRAY,
  type Chunk,
  DOUBLE,
  FLOAT,
  INT32,
  INT64,
  readChunk,
  SNAPPY,
  UNCOMPRESSED,
} from './parquet/pages.ts'
import {
  ByteReader,
  countOf,
  countOrZero,
  readStruct,
  structOf,
  structsOf,
  textOf,
  type ThriftStruct,
} from './parquet/thrift.ts'
import { joined } from './file-parts.ts'
import { type Column, type ColumnType, createTable, partOf, type Table } from './table.ts'

const NAME_KEY = 'rocelab.table'

/**
 * The table as the bytes of a Parquet file. An integer column holds integers up to 2^53 and no NaN.
 * @param notes further keys of the file's metadata, which ends the file as plain text.
 */
export function writeParquet(table: Table, notes: Readonly<Record<string, string>> = {}): Uint8Array {
  return joined(parquetParts(table, notes))
}

/** Rows of the groups that a file consists of: few in the first, for readers that want to see some. */
const FIRST_ROWS = 1000
const GROUP_ROWS = 10_000

/** The same part by part, of which none holds more than a group of rows. A part is valid until the next one is asked for. */
export function* parquetParts(table: Table, notes: Readonly<Record<string, string>> = {}): Generator<Uint8Array> {
  const stream = new ParquetStream(table, notes)
  for (let from = 0; from < table.rowCount;) {
    const to = Math.min(table.rowCount, from + (from === 0 ? FIRST_ROWS : GROUP_ROWS))
    yield stream.add(table, from, to)
    from = to
  }
  yield stream.end()
}

/** A file that is written group by group, of tables with the same columns. Bytes are valid until the next call. */
export class ParquetStream {
  readonly #writer = new ByteWriter()
  readonly #memory = memoryFor(GROUP_ROWS)
  readonly #file: ParquetWriter

  /** @param like a table with its name and columns; rows are not looked at @param notes as of writeParquet */
  constructor(like: Table, notes: Readonly<Record<string, string>> = {}) {
    const kvMetadata: KeyValue[] = [
      { key: NAME_KEY, value: like.name },
      ...Object.entries(notes).map(([key, value]) => ({ key, value })),
    ]
    const schema = schemaFromColumnData({ columnData: sourcesOf(like, 0, 0, this.#memory) })
    // Without the least and the most of each column: readers could skip parts by them, and they cost a third of the writing.
    this.#file = new ParquetWriter({
      writer: this.#writer,
      schema,
      kvMetadata,
      createdBy: 'rocelab',
      statistics: false,
    })
  }

  /** Rows of a table, at most 10,000, as a group. */
  add(table: Table, from = 0, to = table.rowCount): Uint8Array {
    assert(to - from <= GROUP_ROWS, 'parquet: a group has too many rows')
    void this.#file.write({ columnData: sourcesOf(table, from, to, this.#memory), rowGroupSize: GROUP_ROWS })
    return this.#taken()
  }

  end(): Uint8Array {
    void this.#file.finish()
    return this.#taken()
  }

  #taken(): Uint8Array {
    const bytes = this.#writer.getBytes()
    this.#writer.index = 0
    return bytes
  }
}

/**
 * The table in a Parquet file: flat columns of numbers, booleans (as 0 and 1) and UTF-8 texts, as they are or in
 * dictionaries, uncompressed or with Snappy. Throws InputError for anything else, and for a damaged file; neither takes
 * longer than a whole file of that size.
 */
export async function readParquet(bytes: Uint8Array, name = ''): Promise<Table> {
  const file = openParquet(bytes, name)
  return await Promise.resolve(createTable(file.name, file.columns.map(wholeColumn)))
}

/** A Parquet file whose columns are read one by one. */
export interface ParquetFile {
  /** That of the table, or the name that was given. */
  readonly name: string
  readonly rowCount: number
  readonly columns: readonly ParquetColumn[]
}

/** Each call of `read` makes its data anew, and throws InputError for a damaged file. */
export type ParquetColumn =
  | { readonly name: string; readonly type: 'number' | 'integer'; readonly read: () => Float64Array }
  | { readonly name: string; readonly type: 'text'; readonly read: () => string[] }

/** Opens a file for `readParquet`, which says what may be in it. Throws InputError. */
export function openParquet(bytes: Uint8Array, name = ''): ParquetFile {
  return refusing(name, () => fileIn(bytes, name))
}

/** The data that have been read. */
export function wholeColumn({ name, ...column }: ParquetColumn): Column {
  if (column.type === 'text') return { name, type: column.type, data: column.read() }
  return { name, type: column.type, data: column.read() }
}

/** Throws InputError for whatever goes wrong in a file. */
function refusing<T>(name: string, act: () => T): T {
  try {
    return act()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw inputError(name, 'a whole Parquet file', `one that cannot be read: ${reason}`)
  }
}

/** A column of the file. */
interface Leaf {
  readonly name: string
  readonly type: number
  readonly isOptional: boolean
}

/** Cells that a file may have whatever its size, and beyond them by byte: columns of one value take next to none. */
const CELLS_FREE = 2 ** 23
const CELLS_PER_BYTE = 256

const MAGIC = 'PAR1'

/** A part of a column, and the row that it begins with. */
interface Part {
  readonly chunk: Chunk
  readonly rowStart: number
}

function fileIn(bytes: Uint8Array, name: string): ParquetFile {
  const footer = footerOf(bytes)
  const [root, ...elements] = structsOf(footer, 2)
  if (root === undefined || countOrZero(root, 5) !== elements.length) throw new Error('its columns are nested')
  const leaves = elements.map(leafOf)
  if (new Set(leaves.map((leaf) => leaf.name)).size < leaves.length) throw new Error('two columns have the same name')
  const rowCount = countOf(footer, 3)
  const groups = structsOf(footer, 4)
  const inGroups = groups.reduce((sum, group) => sum + countOf(group, 3), 0)
  if (inGroups !== rowCount) throw new Error(`it has ${inGroups} rows in place of ${rowCount}`)
  if (rowCount * leaves.length > CELLS_FREE + CELLS_PER_BYTE * bytes.length) {
    throw new Error(`${rowCount} rows do not fit its size`)
  }
  const parts = leaves.map((): Part[] => [])
  let rowStart = 0
  let chunkBytes = 0
  for (const group of groups) {
    const rows = countOf(group, 3)
    const chunks = structsOf(group, 1)
    if (chunks.length !== leaves.length) throw new Error('it has other columns than it says')
    for (const [i, leaf] of leaves.entries()) {
      const chunk = chunkOf(structOf(chunks[i]!, 3), leaf, rows, bytes.length)
      // No byte is of two columns, so that a small file cannot have the same pages read again and again.
      chunkBytes += chunk.to - chunk.from
      if (chunkBytes > bytes.length) throw new Error('its columns are larger than the file')
      parts[i]!.push({ chunk, rowStart })
    }
    rowStart += rows
  }
  const columns = leaves.map((leaf, i) =>
    columnOf(leaf, rowCount, (data) => {
      refusing(name, () => {
        for (const part of parts[i]!) readChunk(bytes, part.chunk, data, part.rowStart)
      })
    }),
  )
  return { name: nameIn(footer) ?? name, rowCount, columns }
}

function columnOf(
  { name, type }: Leaf,
  rowCount: number,
  fill: (data: Float64Array | string[]) => void,
): ParquetColumn {
  const filled = <T extends Float64Array | string[]>(data: T): T => {
    fill(data)
    return data
  }
  if (type === BYTE_ARRAY) return { name, type: 'text', read: () => filled(Array<string>(rowCount).fill('')) }
  const isInteger = type === INT64 || type === INT32 || type === BOOLEAN
  return { name, type: isInteger ? 'integer' : 'number', read: () => filled(new Float64Array(rowCount).fill(NaN)) }
}

function footerOf(bytes: Uint8Array): ThriftStruct {
  const marks = [bytes.subarray(0, 4), bytes.subarray(-4)].map((mark) => String.fromCharCode(...mark))
  if (bytes.length < 12 || marks.some((mark) => mark !== MAGIC)) throw new Error('it does not begin and end as one')
  const end = bytes.length - 8
  const length = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(end, true)
  if (length > end - 4) throw new Error('its description is larger than the file')
  return readStruct(new ByteReader(bytes, end - length, end))
}

function leafOf(element: ThriftStruct): Leaf {
  const [type, repetition] = [countOf(element, 1), countOrZero(element, 3)]
  const name = textOf(element, 4)
  if (countOrZero(element, 5) !== 0 || repetition > 1) throw new Error('its columns are nested')
  const isKnown = [BOOLEAN, INT32, INT64, FLOAT, DOUBLE, BYTE_ARRAY].includes(type)
  const meaning = element.has(6) ? countOf(element, 6) : undefined
  if (!isKnown || (meaning !== undefined && !MEANINGS.includes(meaning))) {
    throw new Error(`column ${name} has neither numbers nor texts`)
  }
  return { name, type, isOptional: repetition === 1 }
}

/** Meanings of values, by the numbers of the format: UTF8, ENUM, INT_8 to INT_64, JSON. */
const MEANINGS: readonly number[] = [0, 4, 15, 16, 17, 18, 19]

function chunkOf(meta: ThriftStruct, { type, isOptional }: Leaf, rows: number, fileBytes: number): Chunk {
  const [codec, data, dictionary] = [countOf(meta, 4), countOf(meta, 9), countOrZero(meta, 11)]
  const from = dictionary > 0 ? Math.min(dictionary, data) : data
  const to = from + countOf(meta, 7)
  if (countOf(meta, 1) !== type) throw new Error('a column has another type than it says')
  if (countOf(meta, 5) !== rows) throw new Error('a column has other rows than the table')
  if (codec !== UNCOMPRESSED && codec !== SNAPPY) throw new Error(`compression ${codec} is not read by this program`)
  if (from < MAGIC.length || to > fileBytes) throw new Error('a column is outside of the file')
  return { type, isOptional, codec, from, to, rows }
}

function nameIn(footer: ThriftStruct): string | undefined {
  const note = structsOf(footer, 5).find((one) => textOf(one, 1) === NAME_KEY)
  return note?.has(2) === true ? textOf(note, 2) : undefined
}

/** Memory that is used again for each column of a group; the writer copies what it is given. */
interface Memory {
  readonly numbers: Float64Array
  readonly integers: BigInt64Array
}

function memoryFor(rows: number): Memory {
  return { numbers: new Float64Array(rows), integers: new BigInt64Array(rows) }
}

/** The rows `from` to before `to` of all columns, each made when it is written. */
function sourcesOf(table: Table, from: number, to: number, memory: Memory): ColumnSource[] {
  return table.columns.map((column) => ({
    name: column.name,
    type: TYPES[column.type],
    nullable: column.type === 'number',
    get data() {
      return valuesIn(partOf(column, from, to, memory.numbers), memory)
    },
  }))
}

const TYPES: Readonly<Record<ColumnType, BasicType>> = { text: 'STRING', integer: 'INT64', number: 'DOUBLE' }

function valuesIn(column: Column, { integers }: Memory): ColumnSource['data'] {
  if (column.type === 'text') return [...column.data]
  if (column.type === 'integer') {
    const data = integers.subarray(0, column.data.length)
    // In halves, the lower one first as on all machines that Node runs on: a BigInt each would be an object each.
    const halves = new Int32Array(data.buffer, data.byteOffset, 2 * data.length)
    for (let row = 0; row < data.length; row++) {
      const value = column.data[row] as number
      assert(Number.isSafeInteger(value), 'parquet: an integer column holds something else')
      halves[2 * row] = value
      halves[2 * row + 1] = Math.floor(value / 2 ** 32)
    }
    return data
  }
  if (!column.data.some(Number.isNaN)) return column.data
  return Array.from(column.data, (value) => (Number.isNaN(value) ? null : value))
}
