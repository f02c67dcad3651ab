import { expect, test } from 'vitest'
import { fc } from '../../tests/support/properties.ts'
import { textTable } from './text-table.ts'

const COLUMNS = [{ head: 'name' }, { head: 'count', align: 'right' }] as const

test('texts stand left, numbers right, a rule below the head', () => {
  const rows = [
    ['a', '1'],
    ['longer', '1,234'],
  ]
  expect(textTable(COLUMNS, rows)).toBe(
    ['name    count', '──────  ─────', 'a           1', 'longer  1,234', ''].join('\n'),
  )
  expect(textTable(COLUMNS, rows, { ascii: true })).toContain('------  -----\n')
})

test('a cell or head with control characters is no command to the terminal', () => {
  expect(textTable([{ head: '' }], [['\u001B[2Ja\nb']])).toBe('\\u001b[2Ja\nb\n')
  expect(textTable([{ head: '\u001B[2J' }], [['a']])).toMatch(/^\\u001b\[2J\n/)
})

test('a table without heads has no rule', () => {
  expect(textTable([{ head: '' }, { head: '' }], [['a', 'b']])).toBe('a  b\n')
})

test('long texts are wrapped between words, numbers never', () => {
  const rows = [['one two three four five', '1,234,567']]
  expect(textTable(COLUMNS, rows, { width: 24, ascii: true })).toBe(
    ['name               count', '-------------  ---------', 'one two three  1,234,567', 'four five', ''].join('\n'),
  )
})

test('no line is wider than asked, as long as there is text to wrap', () => {
  const cell = fc.string({ maxLength: 80 })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, fc.nat().map(String))), fc.integer({ min: 24, max: 60 }), (rows, width) => {
      for (const line of textTable(COLUMNS, rows, { width }).split('\n')) {
        expect(line.length).toBeLessThanOrEqual(width)
      }
    }),
  )
})
