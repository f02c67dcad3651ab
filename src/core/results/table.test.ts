import { expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { createTable, pickRows, findColumn, numbersOf, TableBuilder, textsOf, toObjects } from './table.ts'

const SPECS = [
  { name: 'timePs', type: 'integer' },
  { name: 'port', type: 'text' },
] as const

test('a built table has the rows that were added', () => {
  const builder = new TableBuilder('queue', SPECS)
  for (let i = 0; i < 1000; i++) builder.add(i, `p${i % 3}`)
  const table = builder.build()
  expect(table.rowCount).toBe(1000)
  expect(numbersOf(table, 'timePs')[999]).toBe(999)
  expect(textsOf(table, 'port').slice(0, 4)).toEqual(['p0', 'p1', 'p2', 'p0'])
  builder.add(1000, 'p1')
  expect(table.rowCount).toBe(1000)
  expect(numbersOf(table, 'timePs')).toHaveLength(1000)
})

test('a full table keeps every k-th row, k the smallest power of two that fits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 500 }), (maxRows, offered) => {
      const builder = new TableBuilder('t', SPECS, { maxRows })
      for (let i = 0; i < offered; i++) builder.add(i, String(i))
      let k = 1
      while (Math.ceil(offered / k) > maxRows) k *= 2
      expect(builder.keptEvery).toBe(k)
      const wanted = Array.from({ length: Math.ceil(offered / k) }, (_, i) => i * k)
      expect([...numbersOf(builder.build(), 'timePs')]).toEqual(wanted)
      expect(textsOf(builder.build(), 'port')).toEqual(wanted.map(String))
    }),
  )
})

test('rows of one sample are kept or dropped together', () => {
  const builder = new TableBuilder('t', SPECS, { maxRows: 10 })
  const begun: number[] = []
  for (let i = 0; i < 100; i++) {
    if (builder.beginSample()) begun.push(i)
    for (const port of ['a', 'b', 'c', 'd']) builder.add(i, port)
  }
  expect(begun).toEqual([0, 1, 2, 4, 8, 16, 32, 64])
  const table = builder.build()
  expect(table.rowCount).toBe(8)
  expect([...numbersOf(table, 'timePs')]).toEqual([0, 0, 0, 0, 64, 64, 64, 64])
  expect(textsOf(table, 'port').slice(4)).toEqual(['a', 'b', 'c', 'd'])
})

test('a first sample larger than the limit stays whole and the rest goes', () => {
  const builder = new TableBuilder('t', SPECS, { maxRows: 3 })
  for (let i = 0; i < 50; i++) {
    builder.beginSample()
    for (let row = 0; row < 5; row++) builder.add(i, 'a')
  }
  expect([...numbersOf(builder.build(), 'timePs')]).toEqual([0, 0, 0, 0, 0])
})

test('a value of the wrong kind is a bug', () => {
  const builder = new TableBuilder('t', SPECS)
  expect(() => builder.add('x', 'y')).toThrow('number column')
  expect(() => builder.add(1, 2)).toThrow('text column')
  expect(() => builder.add(1)).toThrow('one value a column')
  expect(builder.rowCount).toBe(0)
})

test('rows are found by column and filtered', () => {
  const table = createTable('t', [
    { name: 'a', type: 'integer', data: Float64Array.of(1, 2, 3) },
    { name: 'b', type: 'text', data: ['x', 'y', 'z'] },
  ])
  expect(findColumn(table, 'c')).toBeUndefined()
  expect(() => numbersOf(table, 'b')).toThrow('no number column b')
  expect(() => textsOf(table, 'a')).toThrow('no text column a')
  expect(toObjects(pickRows(table, [0, 2], ['a', 'b']))).toEqual([
    { a: 1, b: 'x' },
    { a: 3, b: 'z' },
  ])
  expect(() => createTable('t', [...table.columns, { name: 'c', type: 'text', data: [] }])).toThrow('length')
})
