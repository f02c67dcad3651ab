import { expect, test } from 'vitest'
import { InputError } from '../../base/issue.ts'
import { exampleResult } from '../example.test-data.ts'
import { writeParquet } from '../parquet.ts'
import { type Column, numbersOf, numbersOnce, pickRows, type Table, textsOf } from '../table.ts'
import { readFlows, readSeries } from './table.ts'

const flows = exampleResult().flows

async function messageOf(act: () => unknown): Promise<string> {
  try {
    await act()
    return 'none'
  } catch (error) {
    return error instanceof InputError ? error.message : `no InputError: ${String(error)}`
  }
}

/** The flows with another column of a name; undefined: without it. */
function withColumn(name: string, changed: (column: Column) => Column | undefined): Table {
  return {
    ...flows,
    columns: flows.columns.flatMap((column) => (column.name === name ? (changed(column) ?? []) : column)),
  }
}

const read = (table: Table): Promise<Table> => readFlows(writeParquet(table), 'flows.parquet')
const needed = flows.columns.map(({ name }) => name).filter((name) => name !== 'deliveredBytes')

test('flows are read as they were written', async () => {
  expect(await read(flows)).toEqual(flows)
})

test.each(needed)('flows without %s, or with another type of it, are refused with its name', async (name) => {
  expect(await messageOf(() => read(withColumn(name, () => undefined)))).toMatch(`flows.parquet: ${name}`)
  const other = ({ type, data }: Column): Column =>
    type === 'text'
      ? { name, type: 'number', data: new Float64Array(data.length) }
      : { name, type: 'text', data: Array.from(data, String) }
  expect(await messageOf(() => read(withColumn(name, other)))).toMatch(`flows.parquet: ${name}`)
})

test.each(needed.filter((name) => !['operation', 'tag', 'status'].includes(name)))(
  'flows with a huge or negative %s are refused with its name and row',
  async (name) => {
    for (const value of [1e300, -1e300, Infinity, -1, 2 ** 70]) {
      const data = (numbersOf(flows, name) as Float64Array).slice()
      data[2] = value
      const table = withColumn(name, () => ({ name, type: 'number', data }))
      expect(await messageOf(() => read(table)), String(value)).toMatch(`flows.parquet: ${name}, row 3`)
    }
  },
)

test('a column of flows that nobody wants is checked when someone looks at it', async () => {
  const data = (numbersOf(flows, 'sizeBytes') as Float64Array).slice()
  data[2] = -1
  const bytes = writeParquet(withColumn('sizeBytes', () => ({ name: 'sizeBytes', type: 'integer', data })))
  expect(await messageOf(() => readFlows(bytes, 'flows.parquet', ['startPs', 'sizeBytes']))).toMatch('sizeBytes, row 3')
  const table = await readFlows(bytes, 'flows.parquet', ['startPs'])
  expect(numbersOf(table, 'startPs')).toEqual(numbersOf(flows, 'startPs'))
  expect(await messageOf(() => numbersOf(table, 'sizeBytes'))).toMatch('flows.parquet: sizeBytes, row 3')
  expect(await messageOf(() => pickRows(table, [0], ['sizeBytes']))).toMatch('flows.parquet: sizeBytes, row 3')
  // That a column is there, and of which kind, is known at once.
  const without = writeParquet(withColumn('sizeBytes', () => undefined))
  expect(await messageOf(() => readFlows(without, 'flows.parquet', ['startPs']))).toMatch('flows.parquet: sizeBytes')
})

test('the data of a column of flows are made once they are looked at, and kept unless for one look', async () => {
  const table = await read(flows)
  const kept = (name: string): boolean => numbersOf(table, name) === numbersOf(table, name)
  expect(numbersOnce(table, 'startPs')).not.toBe(numbersOnce(table, 'startPs'))
  expect(pickRows(table, [2, 0], ['startPs', 'tag', 'none'])).toEqual(pickRows(flows, [2, 0], ['startPs', 'tag']))
  expect(numbersOnce(table, 'startPs')).not.toBe(numbersOnce(table, 'startPs'))
  expect(kept('startPs')).toBe(true)
  expect(numbersOnce(table, 'startPs')).toBe(numbersOf(table, 'startPs'))
})

const series: Table = {
  name: 'use',
  kind: 'link-use',
  rowCount: 2,
  columns: [
    { name: 'fromPs', type: 'integer', data: Float64Array.of(0, 10) },
    { name: 'useRatio', type: 'number', data: Float64Array.of(0.5, NaN) },
    { name: 'nodeName', type: 'text', data: ['a', 'b'] },
  ],
}
const readUse = (columns: readonly Column[], name = 'use'): Promise<Table> =>
  readSeries(writeParquet({ ...series, columns }), 'series/use.parquet', name, 'link-use')

test('a column of a series is of the type of its name', async () => {
  const [fromPs, useRatio, nodeName] = series.columns as [Column, Column, Column]
  expect(await readUse(series.columns)).toEqual(series)
  const wrong: Column[] = [
    { name: 'fromPs', type: 'number', data: Float64Array.of(0, NaN) },
    { name: 'fromPs', type: 'integer', data: Float64Array.of(0, -1) },
    { name: 'useRatio', type: 'text', data: ['0.5', ''] },
    { name: 'useRatio', type: 'number', data: Float64Array.of(1e300, 0) },
    { name: 'nodeName', type: 'integer', data: Float64Array.of(0, 1) },
  ]
  for (const column of wrong) {
    expect(await messageOf(() => readUse([column]))).toMatch(`series/use.parquet: ${column.name}`)
  }
  expect(await messageOf(() => readUse([fromPs, useRatio, nodeName], 'other'))).toMatch('expected the table other')
})

test('a column that someone asks for and a file does not have is a mistake in the file', async () => {
  const table = await readUse(series.columns)
  for (const each of [
    table,
    pickRows(
      table,
      [0, 1],
      table.columns.map(({ name }) => name),
    ),
  ]) {
    expect(await messageOf(() => numbersOf(each, 'toPs'))).toMatch('series/use.parquet: toPs')
    expect(await messageOf(() => numbersOf(each, 'nodeName'))).toMatch('series/use.parquet: nodeName')
    expect(await messageOf(() => textsOf(each, 'useRatio'))).toMatch('series/use.parquet: useRatio')
  }
  // In a table of ours it is a bug.
  expect(await messageOf(() => numbersOf(series, 'toPs'))).toMatch('no InputError')
})
