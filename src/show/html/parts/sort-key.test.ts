/** Sort keys of the texts that tables have. */
import { expect, test } from 'vitest'
import { isAbsent, sortKey } from './sort-key.ts'

test.each([
  ['900 us', 9e8],
  ['1.73 ms', 1.73e9],
  ['1,219,442', 1219442],
  ['0.0518 %', 0.000518],
  ['5.61 (one run)', 5.61],
  ['-980 to 1346 frames', -980],
  ['1e-5', 1e-5],
  ['1/64', 1 / 64],
  ['25Gbps', 25e9],
  ['220 KB, all flows', 220e3],
  ['3 x', 3],
] as const)('%s is sorted as %d', (text, key) => {
  expect(sortKey(text)).toBeCloseTo(key, 12)
})

test.each(['', '-', 'no control', 'IRN 2'])('%j has no number to be sorted by', (text) => {
  expect(sortKey(text)).toBeUndefined()
})

test('empty cells and dashes are absent', () => {
  expect(['', ' - ', '–', '0', '-1'].map(isAbsent)).toEqual([true, true, true, false, false])
})
