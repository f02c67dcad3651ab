/** Texts as terminals show them. */
import { expect, test } from 'vitest'
import { partsOf } from './text.ts'

const linesOf = (text: string): string[] => partsOf('file', text).flatMap(({ lines }) => lines.map((line) => line.text))

test('of a line that was written over the last version stands', () => {
  expect(linesOf('10 %\r50 %\rtrust dscp\r\r\nmtu 9000\r\n')).toEqual(['trust dscp', 'mtu 9000', ''])
})

test('a megabyte of carriage returns takes no long time', () => {
  const start = performance.now()
  expect(linesOf(`${'\r'.repeat(1_000_000)}a\r`)).toEqual(['a'])
  expect(performance.now() - start).toBeLessThan(1000)
})
