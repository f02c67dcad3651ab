import { expect, test } from 'vitest'
import { leastOf, mostOf } from './extremes.ts'

test('a million values have extremes, which as arguments of one call would overflow the stack', () => {
  const values = Array.from({ length: 1_000_000 }, (_, i) => (i * 7919) % 1_000_003)
  expect([leastOf(values), mostOf(values)]).toEqual([0, 1_000_002])
})

test('the extremes of no values are Infinity and -Infinity, as in Math.min and Math.max', () => {
  expect([leastOf([]), mostOf([])]).toEqual([Math.min(), Math.max()])
})
