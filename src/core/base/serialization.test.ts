import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { GBPS, NS } from './params.ts'
import { createSerialization, truncatedSteps } from './serialization.ts'

const exact = createSerialization(1, 'nearest')
const nearestNs = createSerialization(NS, 'nearest')
const truncated = createSerialization(NS, 'truncate-q64')

describe('to the picosecond', () => {
  test.each([
    [40, 200],
    [100, 80],
    [200, 40],
    [400, 20],
    [800, 10],
    [10, 800],
    [25, 320],
    [50, 160],
  ])('at %i Gb/s a byte lasts %i ps, and any number of bytes that many times as long', (gbps, psPerByte) => {
    for (let bytes = 0; bytes <= 10_000; bytes++) expect(exact.durationPs(bytes, gbps * GBPS)).toBe(bytes * psPerByte)
    for (const bytes of [1e6, 16_777_215, 4e6 * 1086])
      expect(exact.durationPs(bytes, gbps * GBPS)).toBe(bytes * psPerByte)
  })

  test('a frame of 1106 bytes on the wire takes 221.2 ns at 40 Gb/s', () => {
    expect(exact.durationPs(1106, 40 * GBPS)).toBe(221_200)
  })

  test('equals division in big integers at any rate, to half a picosecond', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), fc.integer({ min: 1_000_000, max: 1e12 }), (bytes, rateBps) => {
        const twice = 2n * BigInt(bytes) * 8_000_000_000_000n + BigInt(rateBps)
        expect(exact.durationPs(bytes, rateBps)).toBe(Number(twice / (2n * BigInt(rateBps))))
      }),
      { numRuns: 5000 },
    )
  })
})

describe('on a clock of 1 ns', () => {
  test.each([
    [1000, 100, 80],
    [60, 100, 5],
    [43, 100, 3],
    [1042, 100, 83],
    [1008, 100, 81],
  ])('nearest: %i bytes at %i Gb/s take %i ns', (bytes, gbps, ns) => {
    expect(nearestNs.durationPs(bytes, gbps * GBPS)).toBe(ns * NS)
  })

  test.each([
    [1048, 100, 83],
    [1000, 100, 79],
    [60, 100, 4],
    [1048, 40, 209],
    [1000, 40, 199],
  ])('truncated as 64.64 fixed-point seconds: %i bytes at %i Gb/s take %i ns', (bytes, gbps, ns) => {
    expect(truncated.durationPs(bytes, gbps * GBPS)).toBe(ns * NS)
  })

  test('truncation is that of exact arithmetic everywhere, also where the short cut is taken', () => {
    const twin = (bytes: number, rateBps: number): number => {
      const seconds = (bytes * 8) / rateBps
      const fixed = BigInt(Math.floor(seconds * 2 ** 64))
      return Number((fixed * 1_000_000_000n) / 2n ** 64n) * NS
    }
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.oneof(fc.integer({ min: 1_000_000, max: 1e12 }), fc.constantFrom(10e9, 25e9, 40e9, 100e9, 400e9)),
        (bytes, rateBps) => {
          expect(truncated.durationPs(bytes, rateBps)).toBe(twin(bytes, rateBps))
        },
      ),
      { numRuns: 5000 },
    )
    const wrong: number[][] = []
    for (let bytes = 1; bytes < 3000; bytes++) {
      for (const gbps of [10, 25, 40, 100, 200, 400]) {
        if (truncated.durationPs(bytes, gbps * GBPS) !== twin(bytes, gbps * GBPS)) wrong.push([bytes, gbps])
      }
    }
    expect(wrong).toEqual([])
  })

  test('a whole number of nanoseconds that a double holds exactly is not cut', () => {
    // 2^-10 s is exact in both forms.
    expect(truncatedSteps(2 ** -10, 1000)).toBe(976_562)
    expect(truncatedSteps(0.5, 1000)).toBe(500_000_000)
  })

  test('a clock whose step does not divide a second is truncated too', () => {
    // 7000 ps are 1000 steps of 7 ps, and come out one lower as every whole number of steps does.
    expect(createSerialization(7, 'truncate-q64').durationPs(7, 8e9)).toBe(6993)
    expect(truncatedSteps(0.5, 7)).toBe(71_428_571_428)
  })
})
