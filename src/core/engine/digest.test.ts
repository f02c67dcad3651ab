import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../base/random.ts'
import { Digest } from './digest.ts'

type Entry = readonly [timePs: number, x: number, y: number]

function digestOf(entries: readonly Entry[]): string {
  const digest = new Digest()
  for (const [timePs, x, y] of entries) digest.add(timePs, x, y)
  return digest.text()
}

const random = createRandomStreams(1).stream('digest')
const some = (count: number): Entry[] =>
  Array.from({ length: count }, () => [
    random.below(2 ** 31) * 2 ** random.below(20),
    random.below(2 ** 20),
    random.uint32() | 0,
  ])

describe('a digest', () => {
  test('is 16 hex digits, equal for equal streams', () => {
    for (let i = 0; i < 100; i++) {
      const entries = some(i)
      expect(digestOf(entries)).toMatch(/^[0-9a-f]{16}$/)
      expect(digestOf(entries)).toBe(digestOf(entries.slice()))
    }
  })

  test('distinguishes streams that differ in one number by one', () => {
    for (let i = 0; i < 300; i++) {
      const entries = some(20)
      const at = random.below(20)
      const [timePs, x, y] = entries[at]!
      const changed: Entry[] = [
        [timePs + 1, x, y],
        [timePs + 2 ** 32, x, y],
        [timePs, x + 1, y],
        [timePs, x, y ^ 1],
        [timePs, -1 - x, y],
      ]
      const original = digestOf(entries)
      for (const entry of changed) expect(digestOf(entries.with(at, entry))).not.toBe(original)
    }
  })

  test('depends on the order, also of neighbours at one time', () => {
    for (let i = 0; i < 300; i++) {
      const entries = some(10).map(([, x, y]): Entry => [1000, x, y])
      const at = random.below(9)
      const swapped = entries.with(at, entries[at + 1]!).with(at + 1, entries[at]!)
      expect(digestOf(swapped)).not.toBe(digestOf(entries))
    }
  })

  test('distinguishes a stream from a longer one, even of zeros', () => {
    const digests = Array.from({ length: 200 }, (_, length) =>
      digestOf(Array.from({ length }, () => [0, 0, 0] as const)),
    )
    expect(new Set(digests).size).toBe(200)
  })

  test('may be read in between without changing the result', () => {
    const digest = new Digest()
    digest.add(1, 2, 3)
    digest.text()
    digest.add(4, 5, 6)
    expect(digest.text()).toBe(
      digestOf([
        [1, 2, 3],
        [4, 5, 6],
      ]),
    )
  })

  test('differs between many random streams', () => {
    const digests = Array.from({ length: 20_000 }, () => digestOf(some(3)))
    expect(new Set(digests).size).toBe(20_000)
  })
})
