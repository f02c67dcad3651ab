import { describe, expect, test } from 'vitest'
import { readRequestFpduBytes, taggedFpduBytes, untaggedFpduBytes } from './fpdu.ts'

describe('an FPDU', () => {
  test('of 1000 bytes tagged needs no pad, of 1001 three bytes (T-TCP-3)', () => {
    expect(taggedFpduBytes(1000, false)).toBe(1020)
    expect(taggedFpduBytes(1001, false)).toBe(1024)
  })

  test.each([
    // Length 2, header 14 or 18, payload, pad, CRC 4.
    [0, 20, 24],
    [1, 24, 28],
    [4, 24, 28],
    [1024, 1044, 1048],
    [1440, 1460, 1464],
  ])('of %i bytes is %i tagged and %i untagged', (payload, tagged, untagged) => {
    expect([taggedFpduBytes(payload, false), untaggedFpduBytes(payload, false)]).toEqual([tagged, untagged])
  })

  test('is a multiple of four whatever it carries', () => {
    const wrong: number[] = []
    for (let payload = 0; payload < 2000; payload++) {
      if (taggedFpduBytes(payload, false) % 4 !== 0 || untaggedFpduBytes(payload, false) % 4 !== 0) wrong.push(payload)
    }
    expect(wrong).toEqual([])
  })

  test('of a READ request holds its 28 bytes of addresses', () => {
    expect(readRequestFpduBytes(false)).toBe(2 + 18 + 28 + 4)
  })
})

describe('markers', () => {
  test('are four bytes in every 512 of the stream: two in a packet of 1024, none in a small one', () => {
    expect(taggedFpduBytes(1024, true) - taggedFpduBytes(1024, false)).toBe(8)
    expect(taggedFpduBytes(32, true) - taggedFpduBytes(32, false)).toBe(0)
    expect(untaggedFpduBytes(9000, true) - untaggedFpduBytes(9000, false)).toBe(18 * 4)
  })

  test('over packets of all sizes they come to 0.79 %', () => {
    let plain = 0
    let marked = 0
    for (let payload = 0; payload < 9000; payload++) {
      plain += taggedFpduBytes(payload, false)
      marked += taggedFpduBytes(payload, true)
    }
    expect(marked / plain - 1).toBeCloseTo(4 / 508, 4)
  })
})
