import { parquetWriteBuffer } from 'hyparquet-writer'
import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { InputError } from '../base/issue.ts'
import { readCsv, writeCsv } from './csv.ts'
import { readParquet, writeParquet } from './parquet.ts'
import { type Column, createTable, type Table } from './table.ts'

/** Any table, named columns of all three types, 0 .. 60 rows. */
const anyTable: fc.Arbitrary<Table> = fc
  .tuple(
    fc.nat(60),
    fc.uniqueArray(
      fc.record({ name: fc.string({ minLength: 1 }), type: fc.constantFrom('number', 'integer', 'text') }),
      { minLength: 1, maxLength: 6, selector: ({ name }) => name },
    ),
    fc.string(),
  )
  .chain(([rows, specs, name]) => {
    const size = { minLength: rows, maxLength: rows }
    const columns = specs.map((spec): fc.Arbitrary<Column> => {
      if (spec.type === 'text') {
        const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', '1', 'a,b', '"', 'x\r\ny', '-'))
        return fc.array(anyText, size).map((data): Column => ({ name: spec.name, type: 'text', data }))
      }
      const type = spec.type === 'integer' ? 'integer' : 'number'
      const value = type === 'integer' ? fc.oneof(fc.maxSafeInteger(), fc.nat(9)) : fc.double()
      return fc.array(value, size).map((data): Column => ({ name: spec.name, type, data: Float64Array.from(data) }))
    })
    return fc.tuple(...columns).map((all) => createTable(name, all))
  })

test('a table written as Parquet reads back equal', async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, async (table) => {
      expect(await readParquet(writeParquet(table))).toEqual(table)
    }),
  )
})

test('Parquet keeps picoseconds beyond 2^31 and absent values over several row groups', async () => {
  const rows = 250_000
  const timePs = Float64Array.from({ length: rows }, (_, i) => i * 31_000_000_007)
  const gapPs = timePs.map((value, i) => (i % 3 === 0 ? NaN : value / 7))
  const table = createTable('big', [
    { name: 'timePs', type: 'integer', data: timePs },
    { name: 'gapPs', type: 'number', data: gapPs },
    { name: 'port', type: 'text', data: Array.from({ length: rows }, (_, i) => `port ${i % 7}`) },
  ])
  const bytes = writeParquet(table)
  const read = await readParquet(bytes)
  expect(read.rowCount).toBe(rows)
  // toEqual on arrays of this length takes seconds.
  const differs = (column: Column, c: number): boolean => {
    for (let row = 0; row < rows; row++) if (!Object.is(column.data[row], read.columns[c]?.data[row])) return true
    return false
  }
  expect(table.columns.filter(differs)).toEqual([])
  expect(Buffer.compare(writeParquet(table), bytes)).toBe(0)
})

/** A table whose columns use every encoding that is written. */
function encodedTable(): Table {
  const rows = 60
  return createTable('t', [
    { name: 'timePs', type: 'integer', data: Float64Array.from({ length: rows }, (_, i) => i * 31_000_000_007) },
    { name: 'port', type: 'integer', data: Float64Array.from({ length: rows }, (_, i) => i % 5) },
    { name: 'class', type: 'integer', data: new Float64Array(rows).fill(3) },
    { name: 'gapPs', type: 'number', data: Float64Array.from({ length: rows }, (_, i) => (i % 3 === 0 ? NaN : i / 7)) },
    { name: 'name', type: 'text', data: Array.from({ length: rows }, (_, i) => `port ${i % 7}`) },
  ])
}

test('a file with any one bit flipped is refused, or is a table of as many cells', async () => {
  const whole = writeParquet(encodedTable())
  const outcomes = new Map<string, number>()
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const bytes = whole.slice()
    bytes[bit >> 3]! ^= 1 << (bit & 7)
    const outcome = await readParquet(bytes, 'x').then(
      ({ rowCount, columns }) => `${rowCount} rows of ${columns.length}`,
      (error: unknown) => (error instanceof InputError ? 'refused' : String(error)),
    )
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  expect([...outcomes.keys()].toSorted()).toEqual(['60 rows of 5', 'refused'])
  expect(outcomes.get('refused')).toBeGreaterThan(whole.length)
})

test('a file cut anywhere, and noise, are refused', async () => {
  const whole = writeParquet(encodedTable())
  for (let length = 0; length < whole.length - 8; length++) {
    await expect(readParquet(whole.slice(0, length), 'x')).rejects.toBeInstanceOf(InputError)
    const ends = [...whole.slice(0, length), ...whole.slice(-8)]
    await expect(readParquet(Uint8Array.from(ends), 'x')).rejects.toBeInstanceOf(InputError)
  }
})

test('more rows than a file of its size can have are refused before there is room for them', async () => {
  const rows = 2 ** 23
  const columnData = ['a', 'b'].map((name) => ({ name, data: new Float64Array(rows), type: 'DOUBLE' as const }))
  const bytes = new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: rows, statistics: false }))
  await expect(readParquet(bytes, 'x')).rejects.toThrow(`${rows} rows do not fit its size`)
})

test('Parquet refuses a fraction or a NaN in an integer column', () => {
  for (const value of [0.5, NaN, 2 ** 53]) {
    const table = createTable('t', [{ name: 'a', type: 'integer', data: Float64Array.of(value) }])
    expect(() => writeParquet(table)).toThrow('integer column')
  }
})

test('a table written as CSV reads back equal when the types are given', () => {
  fc.assert(
    fc.property(anyTable, (table) => {
      const types = Object.fromEntries(table.columns.map((column) => [column.name, column.type]))
      expect(readCsv(table.name, writeCsv(table), { types })).toEqual(table)
    }),
  )
})

test('CSV without types keeps texts as texts and finds integers', () => {
  fc.assert(
    fc.property(anyTable, (table) => {
      fc.pre(table.rowCount > 0)
      const read = readCsv(table.name, writeCsv(table))
      table.columns.forEach((column, c) => {
        expect(read.columns[c]?.data).toEqual(column.data)
        // A number column may happen to hold integers only.
        expect(column.type === 'number' ? 'number' : read.columns[c]?.type).toBe(column.type)
      })
    }),
  )
})

test('CSV is quoted where RFC 4180 asks and nowhere else', () => {
  const table = createTable('t', [
    { name: 'a', type: 'integer', data: Float64Array.of(1, 2, 3) },
    { name: 'b, c', type: 'text', data: ['plain', 'say "x"', '7'] },
    { name: 'd', type: 'number', data: Float64Array.of(0.1, NaN, 1e300) },
  ])
  expect(writeCsv(table)).toBe('a,"b, c",d\n1,plain,0.1\n2,"say ""x""",\n3,"7",1e+300\n')
})

test.each([
  '=1+1',
  '+1',
  '-A1',
  "-2+3+cmd|' /C calc'!A0",
  '@SUM(A1)',
  '-2 -A1',
  '-2 HYPERLINK("x")',
  '\tx',
  '\rx',
  "'=1",
  "''=1",
  '=',
  '-Infinity',
])('a text that a spreadsheet would run is text there, and comes back: %j', (text) => {
  const table = createTable('t', [
    { name: text, type: 'text', data: [text, 'a'] },
    { name: 'n', type: 'number', data: Float64Array.from([-1.5, -2]) },
  ])
  const csv = writeCsv(table)
  // No field begins with such a sign, quoted or not, but the negative numbers.
  expect(csv.replaceAll(/,-[\d.]+$/gm, '')).not.toMatch(/(?:^|,)"?[=+\-@\t\r]/m)
  expect(readCsv('t', csv)).toEqual(table)
})

test('quantities and quotes are no formulas', () => {
  const texts = [
    '-',
    '-5',
    '-980 to 1346 frames',
    '-1.5 us',
    '-31.5 to -27.1 %',
    '-9.3 % (-10 to -8)',
    "'tis",
    'a=b',
    'host-1',
  ]
  const csv = writeCsv(createTable('t', [{ name: 'n', type: 'text', data: texts }]))
  expect(csv.replaceAll('"', '').split('\n').slice(1, -1)).toEqual(texts)
})

test('CSV is read alike with LF and with CR LF at the ends of lines', () => {
  expect(readCsv('t', 'a,b\r\n1,x\r\n')).toEqual(readCsv('t', 'a,b\n1,x\n'))
})

test('CSV of other hands is read: bare line feeds, no last line end, byte order mark, blank lines', () => {
  const read = readCsv('t', '\uFEFFa,b\n1,x\n\n2,"y\nz"\n3,')
  expect(read.columns).toEqual([
    { name: 'a', type: 'integer', data: Float64Array.of(1, 2, 3) },
    { name: 'b', type: 'text', data: ['x', 'y\nz', ''] },
  ])
})

test('CSV mistakes are reported with their line', () => {
  expect(() => readCsv('t', '')).toThrow('a line of column names')
  expect(() => readCsv('t', 'a,b\r\n1,2\r\n3\r\n4,5,6\r\n')).toThrow('expected 2 fields, received 1')
  expect(() => readCsv('t', 'a\n"open')).toThrow('a closing quote')
  expect(() => readCsv('t', 'a\n"x"y\n')).toThrow('after a closing quote')
  expect(() => readCsv('t', 'a\n1.5\n', { types: { a: 'integer' } })).toThrow('integer in column a')
})
