import { crc32 as zlibCrc32 } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { fc } from '../../../tests/support/properties.ts'
import { crc32, crc32Before } from './crc32.ts'
import { fcsOf } from './ethernet.ts'
import { icrcOf } from './icrc.ts'

test('the CRC is that of another library, in one piece and in several', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926)
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, at) => {
      expect(crc32(bytes)).toBe(zlibCrc32(bytes))
      expect(crc32(bytes.subarray(at), crc32(bytes.subarray(0, at)))).toBe(crc32(bytes))
      expect(crc32Before(bytes.subarray(at), crc32(bytes))).toBe(crc32(bytes.subarray(0, at)))
    }),
  )
})

test('the FCS after a frame makes the CRC of all of it a constant', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), (frame) => {
      expect(crc32(Uint8Array.of(...frame, ...fcsOf(frame)))).toBe(0x2144df1c)
    }),
  )
})

describe('the ICRC', () => {
  /** Offsets of bytes that routers may change, and bits of them, by length of the IP header. */
  const FREE = {
    20: { 1: 0xff, 8: 0xff, 10: 0xff, 11: 0xff, 26: 0xff, 27: 0xff, 32: 0xff },
    40: { 0: 0x0f, 1: 0xff, 2: 0xff, 3: 0xff, 7: 0xff, 46: 0xff, 47: 0xff, 52: 0xff },
  } as const

  test.each([20, 40] as const)(
    'with an IP header of %i bytes covers all bits but those that routers change',
    (ipBytes) => {
      const free: Readonly<Record<number, number>> = FREE[ipBytes]
      const packet = Uint8Array.from({ length: ipBytes + 40 }, (_, i) => (i * 37) & 0xff)
      const icrc = icrcOf(packet, ipBytes)
      const wrong: string[] = []
      for (let i = 0; i < packet.length; i++) {
        for (let bit = 1; bit < 256; bit *= 2) {
          const changed = packet.with(i, packet[i]! ^ bit)
          const isFree = ((free[i] ?? 0) & bit) !== 0
          if ((icrcOf(changed, ipBytes) === icrc) !== isFree) wrong.push(`byte ${i}, bit ${bit}`)
        }
      }
      expect(wrong).toEqual([])
    },
  )

  test.each([20, 40] as const)('is the CRC of another library over the masked packet, %i', (ipBytes) => {
    const packet = Uint8Array.from({ length: ipBytes + 29 }, (_, i) => (i * 91 + 5) & 0xff)
    const masked = new Uint8Array(packet)
    for (const [at, bits] of Object.entries(FREE[ipBytes])) masked[Number(at)]! |= bits
    expect(icrcOf(packet, ipBytes)).toBe(zlibCrc32(Buffer.concat([Buffer.alloc(8, 0xff), masked])))
  })
})
