/**
 * Parquet: a table as one file in memory, here and in a browser.
 * Integer columns are INT64, number columns optional DOUBLE with null for NaN (so that other readers skip what is
 * not there), texts UTF8; Snappy inside. The table's name stands in the key `rocelab.table`.
 * Invariant: read back, names, types and values are equal.
 */
import { type KeyValue, parquetMetadataAsync, parquetRead } from 'hyparquet'
import { type BasicType, type ColumnSource, parquetWriteBuffer } from 'hyparquet-writer'
import { assert } from '../base/assert.ts'
import { inputError } from '../base/issue.ts'
import { type Column, createTable, type Table } from './table.ts'

const NAME_KEY = 'rocelab.table'

/**
 * The table as the bytes of a Parquet file. An integer column holds integers up to 2^53 and no NaN.
 * @param notes further keys of the file's metadata, which ends the file as plain text.
 */
export function writeParquet(table: Table, notes: Readonly<Record<string, string>> = {}): Uint8Array {
  const kvMetadata: KeyValue[] = [
    { key: NAME_KEY, value: table.name },
    ...Object.entries(notes).map(([key, value]) => ({ key, value })),
  ]
  const columnData = table.columns.map(sourceOf)
  // Without the least and the most of each column: readers could skip parts by them, and they cost a third of the writing.
  return new Uint8Array(parquetWriteBuffer({ columnData, kvMetadata, createdBy: 'rocelab', statistics: false }))
}

/** The table in a Parquet file: flat columns of numbers, booleans (as 0 and 1) and UTF-8 texts. */
export async function readParquet(bytes: Uint8Array, name = ''): Promise<Table> {
  const file = bytes.slice().buffer
  const metadata = await parquetMetadataAsync({
    byteLength: file.byteLength,
    slice: (start, end) => file.slice(start, end),
  })
  const [root, ...leaves] = metadata.schema
  if (root?.num_children !== leaves.length) throw inputError(name, 'a Parquet file of flat columns', 'nested columns')
  const rowCount = Number(metadata.num_rows)
  const inGroups = metadata.row_groups.reduce((sum, group) => sum + Number(group.num_rows), 0)
  if (inGroups !== rowCount) throw inputError(name, `${rowCount} rows, as it says`, `${inGroups}`)
  const columns = new Map<string, Column>()
  for (const leaf of leaves) columns.set(leaf.name, emptyColumn(leaf.name, leaf.type ?? '', rowCount))
  await parquetRead({
    file,
    metadata,
    onChunk: ({ columnName, columnData, rowStart }) => {
      const column = columns.get(columnName)
      assert(column !== undefined, 'parquet: a chunk of a column that the schema has not')
      fill(column, columnData, rowStart)
    },
  })
  const stored = metadata.key_value_metadata?.find(({ key }) => key === NAME_KEY)?.value
  return createTable(stored ?? name, [...columns.values()])
}

function sourceOf(column: Column): ColumnSource {
  const { name } = column
  if (column.type === 'text') return { name, type: 'STRING', nullable: false, data: [...column.data] }
  if (column.type === 'integer') {
    const data = new BigInt64Array(column.data.length)
    for (let row = 0; row < data.length; row++) {
      const value = column.data[row] as number
      assert(Number.isSafeInteger(value), 'parquet: an integer column holds something else')
      data[row] = BigInt(value)
    }
    return { name, type: 'INT64', nullable: false, data }
  }
  const type: BasicType = 'DOUBLE'
  if (!column.data.some(Number.isNaN)) return { name, type, nullable: true, data: column.data }
  return { name, type, nullable: true, data: Array.from(column.data, (value) => (Number.isNaN(value) ? null : value)) }
}

function emptyColumn(name: string, type: string, rowCount: number): Column {
  if (type === 'BYTE_ARRAY') return { name, type: 'text', data: Array<string>(rowCount).fill('') }
  const isInteger = type === 'INT64' || type === 'INT32' || type === 'BOOLEAN'
  return { name, type: isInteger ? 'integer' : 'number', data: new Float64Array(rowCount).fill(NaN) }
}

function fill(column: Column, values: ArrayLike<unknown>, rowStart: number): void {
  const rows = Math.min(values.length, column.data.length - rowStart)
  for (let i = 0; i < rows; i++) {
    const value = values[i]
    if (value === null || value === undefined) continue
    if (column.type === 'text') (column.data as string[])[rowStart + i] = value as string
    else column.data[rowStart + i] = Number(value)
  }
}
