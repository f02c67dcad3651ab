import { expect, test } from 'vitest'
import { createRandomStreams } from '../../base/random.ts'
import { BITMAP_BITS_MAX, bitmapBits, PsnBitmap } from './bitmap.ts'

test.each([
  [1, 32],
  [32, 32],
  [33, 64],
  [110, 128],
  [276, 512],
  [BITMAP_BITS_MAX, BITMAP_BITS_MAX],
])('a cap of %i packets needs %i bits', (cap, bits) => {
  expect(bitmapBits(cap)).toBe(bits)
})

test('more than 4096 in flight, or a width that is no power of two, is refused', () => {
  expect(() => bitmapBits(4097)).toThrow('more packets')
  for (const bits of [0, 16, 33, 96, 8192]) expect(() => new PsnBitmap(bits)).toThrow('power of two')
})

test('a ring of bits does what a set of numbers does, wherever the window stands', () => {
  const random = createRandomStreams(7).stream('bitmap')
  let looked = 0
  for (const bits of [32, 64, 128, 512]) {
    for (const start of [0, 5, 2 ** 24 - 9, 2 ** 31 - 40, 2 ** 40 + 13]) {
      const bitmap = new PsnBitmap(bits)
      const twin = new Set<number>()
      let una = start
      for (let step = 0; step < 400; step++) {
        const psn = una + random.below(bits)
        if (random.below(3) > 0) {
          bitmap.set(psn)
          twin.add(psn)
        } else {
          bitmap.clear(psn)
          twin.delete(psn)
        }
        if (random.below(20) === 0) {
          const to = una + random.below(bits + 8)
          bitmap.clearRange(una, to)
          for (let p = una; p < to; p++) twin.delete(p)
          una = to
        }
        const from = una + random.below(bits)
        const limit = from + random.below(una + bits - from + 1)
        let clear = from
        while (clear < limit && twin.has(clear)) clear++
        expect(bitmap.nextClear(from, limit)).toBe(clear)
        expect(bitmap.has(from)).toBe(twin.has(from))
        looked++
      }
      for (let p = una; p < una + bits; p++) expect(bitmap.has(p)).toBe(twin.has(p))
    }
  }
  expect(looked).toBe(8000)
})
