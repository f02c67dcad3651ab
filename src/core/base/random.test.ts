import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { createRandomStreams, createXoshiro128 } from './random.ts'

/** xoshiro128** as published, in unsigned big integers. */
function* twin(start: readonly number[]): Generator<number> {
  const mask = 0xffffffffn
  const rotate = (x: bigint, k: bigint): bigint => ((x << k) | (x >> (32n - k))) & mask
  const s = start.map((word) => BigInt(word))
  for (;;) {
    yield Number((rotate((s[1]! * 5n) & mask, 7n) * 9n) & mask)
    const t = (s[1]! << 9n) & mask
    s[2]! ^= s[0]!
    s[3]! ^= s[1]!
    s[1]! ^= s[2]!
    s[0]! ^= s[3]!
    s[2]! ^= t
    s[3] = rotate(s[3]!, 11n)
  }
}

describe('xoshiro128**', () => {
  test('gives the published first outputs for the state 1, 2, 3, 4', () => {
    const stream = createXoshiro128([1, 2, 3, 4])
    expect([stream.uint32(), stream.uint32(), stream.uint32(), stream.uint32()]).toEqual([11520, 0, 5927040, 70819200])
  })
  test('equals its twin in big integers from any state', () => {
    const word = fc.integer({ min: 0, max: 0xffffffff })
    fc.assert(
      fc.property(fc.tuple(word, word, word, word), (state) => {
        fc.pre(state.some((w) => w !== 0))
        const stream = createXoshiro128(state)
        const expected = twin(state)
        for (let i = 0; i < 50; i++) expect(stream.uint32()).toBe(expected.next().value)
      }),
    )
  })
})

describe('streams', () => {
  test('of the same name are one object, of other names or seeds other sequences', () => {
    const streams = createRandomStreams(7)
    expect(streams.stream('ecn/3')).toBe(streams.stream('ecn/3'))
    const firsts = new Set<number>()
    for (const seed of [0, 1, 7, 2 ** 32, 2 ** 53 - 1])
      for (const name of ['', 'ecn', 'ecn/1', 'ecn/2', 'nce'])
        firsts.add(createRandomStreams(seed).stream(name).uint32())
    expect(firsts.size).toBe(25)
  })
  test('do not affect each other', () => {
    const alone = createRandomStreams(3).stream('a')
    const both = createRandomStreams(3)
    for (let i = 0; i < 100; i++) {
      both.stream('b').uint32()
      expect(both.stream('a').uint32()).toBe(alone.uint32())
    }
  })
  test('have the known first words', () => {
    const stream = createRandomStreams(42).stream('poisson/background/0/5')
    expect([stream.uint32(), stream.uint32(), stream.uint32()]).toMatchInlineSnapshot(`
      [
        2150313594,
        1597712735,
        2159346901,
      ]
    `)
  })
  test('refuse seeds that are no integers from 0 to 2^53-1', () => {
    for (const seed of [-1, 0.5, NaN, 2 ** 53, Infinity]) expect(() => createRandomStreams(seed)).toThrow('random seed')
  })
})

describe('draws', () => {
  const DRAWS = 200_000
  const stream = createRandomStreams(11).stream('draws')

  test('uniform() lies in [0, 1) with the mean and variance of the uniform law', () => {
    let sum = 0
    let squares = 0
    for (let i = 0; i < DRAWS; i++) {
      const u = stream.uniform()
      expect(u >= 0 && u < 1).toBe(true)
      sum += u
      squares += u * u
    }
    expect(sum / DRAWS).toBeCloseTo(1 / 2, 2)
    expect(squares / DRAWS).toBeCloseTo(1 / 3, 2)
  })
  test('below() is even over its values: chi-square with 12 degrees of freedom below its 99.99 % point', () => {
    const counts = new Float64Array(13)
    for (let i = 0; i < DRAWS; i++) counts[stream.below(13)]!++
    const expected = DRAWS / 13
    const chiSquare = counts.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)
    expect(chiSquare).toBeLessThan(39.1)
  })
  test('below() takes bounds from 1 to 2^32 and nothing else', () => {
    expect(stream.below(1)).toBe(0)
    expect(stream.below(2 ** 32)).toBeLessThan(2 ** 32)
    for (const bound of [0, -1, 1.5, 2 ** 32 + 1, NaN]) expect(() => stream.below(bound)).toThrow('random bound')
  })
  test('exponential() has its mean and its median', () => {
    let sum = 0
    let below = 0
    for (let i = 0; i < DRAWS; i++) {
      const x = stream.exponential(50)
      sum += x
      if (x < 50 * Math.LN2) below++
    }
    expect(Math.abs(sum / DRAWS - 50)).toBeLessThan((4 * 50) / Math.sqrt(DRAWS))
    expect(Math.abs(below / DRAWS - 0.5)).toBeLessThan(4 * Math.sqrt(0.25 / DRAWS))
  })
})
