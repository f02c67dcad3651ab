import { expect, test } from 'vitest'
import { createRandomStreams } from '../../base/random.ts'
import { doubled, FIRST_ENTRIES } from './ring.ts'

test('a ring that doubles when full gives what a list gives', () => {
  const random = createRandomStreams(5).stream('ring')
  let ring: (number | undefined)[] = Array.from({ length: FIRST_ENTRIES })
  const list: number[] = []
  // Beyond 32 bits too: numbers are counted for ever.
  const first = 2 ** 32 - 40
  let [head, tail] = [first, first]
  const [got, expected]: (number | undefined)[][] = [[], []]
  for (let step = 0; step < 500; step++) {
    if (list.length === 0 || random.below(100) < 54) {
      if (tail - head === ring.length) ring = doubled(ring, head)
      list.push(step)
      ring[tail++ & (ring.length - 1)] = step
    } else {
      got.push(ring[head++ & (ring.length - 1)])
      expected.push(list.shift())
    }
  }
  expect(got).toEqual(expected)
  expect([tail > 2 ** 32, ring.length >= 16]).toEqual([true, true])
})
