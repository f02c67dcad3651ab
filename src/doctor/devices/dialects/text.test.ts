/** Texts as terminals show them. */
import { expect, test } from 'vitest'
import { FOREIGN_LINES } from './foreign-lines.test-data.ts'
import { readFile } from './index.ts'
import { headingIn, partsOf } from './text.ts'

const linesOf = (text: string): string[] => partsOf('file', text).flatMap(({ lines }) => lines.map((line) => line.text))

test('of a line that was written over the last version stands', () => {
  expect(linesOf('10 %\r50 %\rtrust dscp\r\r\nmtu 9000\r\n')).toEqual(['trust dscp', 'mtu 9000', ''])
})

test('a megabyte of carriage returns takes no long time', () => {
  const start = performance.now()
  expect(linesOf(`${'\r'.repeat(1_000_000)}a\r`)).toEqual(['a'])
  expect(performance.now() - start).toBeLessThan(20_000)
})

test('a line of many marks is no heading, and is not searched for one without end', () => {
  expect(headingIn({ number: 1, text: '== eth2 ==' })).toBe('eth2')
  expect(headingIn({ number: 1, text: `${'-=#'.repeat(10_000)}!` })).toBeUndefined()
})

test('times in front of all lines are taken away, and a file of nothing but a log is named', () => {
  const lines = ['hostname leaf1', '!', 'interface Ethernet1', '   mtu 9214']
  for (const stamp of ['2026-11-29T03:12:44.123Z ', '[2026-11-29 03:12:44] ', 'Nov 29 03:12:44 ', '03:12:44 '])
    expect(linesOf(lines.map((line) => stamp + line).join('\n'))).toEqual(lines)
  const log = FOREIGN_LINES.slice(0, 5).join('\n')
  expect(linesOf(log)).toEqual([])
  expect(readFile('f', `\n${log}`).unknown).toEqual([{ first: { number: 2, text: FOREIGN_LINES[0] }, language: '' }])
  expect(readFile('f', '\n').unknown).toEqual([])
})
