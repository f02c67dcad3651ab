import { expect, test } from 'vitest'
import { createRandomStreams } from '../base/random.ts'
import { PsnBitmap } from './psn-bitmap.ts'

test.each([
  [1, 32],
  [32, 32],
  [33, 64],
  [110, 128],
  [276, 512],
])('%i packets need a ring of %i bits', (packets, bits) => {
  expect(new PsnBitmap(packets).size).toBe(bits)
})

test('it behaves like a set, over every wrap of the ring and growth', () => {
  const random = createRandomStreams(7).stream('bitmap')
  const twin = new Set<number>()
  const bitmap = new PsnBitmap(64)
  let base = 2 ** 24 - 100
  const sizes: (readonly [is: number, meant: number])[] = []
  for (let step = 0; step < 20_000; step++) {
    const psn = base + random.below(bitmap.size)
    if (random.below(2) === 0) {
      bitmap.set(psn)
      twin.add(psn)
    } else {
      bitmap.clear(psn)
      twin.delete(psn)
    }
    expect(bitmap.has(psn)).toBe(twin.has(psn))
    const start = base + random.below(bitmap.size)
    const end = start + random.below(base + bitmap.size - start + 1)
    let absent = -1
    for (let at = start; at < end && absent < 0; at++) if (!twin.has(at)) absent = at
    expect(bitmap.firstAbsent(start, end)).toBe(absent)
    let present = -1
    for (let at = start; at < end && present < 0; at++) if (twin.has(at)) present = at
    expect(bitmap.firstPresent(start, end)).toBe(present)
    let count = 0
    for (let at = start; at < end; at++) if (!twin.has(at)) count++
    expect(bitmap.countAbsent(start, end)).toBe(count)
    if (random.below(10) === 0) {
      const gone = random.below(20) === 0 ? bitmap.size + random.below(5) : random.below(70)
      bitmap.clearRange(base, base + gone)
      for (let left = gone; left > 0; left--) twin.delete(base++)
    }
    if (random.below(5000) === 0) {
      const asked = bitmap.size + random.below(bitmap.size)
      bitmap.grow(base, asked)
      sizes.push([bitmap.size, new PsnBitmap(asked).size])
    }
  }
  expect(sizes.map(([is]) => is)).toEqual(sizes.map(([, meant]) => meant))
  expect([sizes.length > 1, bitmap.size > 64]).toEqual([true, true])
  bitmap.set(base)
  bitmap.clearAll()
  expect(bitmap.firstAbsent(base, base + 10)).toBe(base)
  expect(bitmap.firstPresent(base, base + bitmap.size)).toBe(-1)
})

test('a set bit is found behind empty words, and not at the end of the range', () => {
  const bitmap = new PsnBitmap(256)
  bitmap.set(400)
  expect([bitmap.firstPresent(250, 401), bitmap.firstPresent(250, 400), bitmap.firstPresent(401, 500)]).toEqual([
    400, -1, -1,
  ])
})
