import { describe, expect, test } from 'vitest'
import {
  CREDITS,
  creditCode,
  RNR_WAIT_US,
  SYNDROME_ACK_UNLIMITED,
  SYNDROME_INVALID_REQUEST,
  SYNDROME_PSN_ERROR,
  SYNDROME_REMOTE_ACCESS,
  SYNDROME_REMOTE_OPERATION,
  SYNDROME_RNR,
} from './aeth.ts'

test('syndromes: ACKs begin with 000, RNR NAKs with 001, NAKs with 011', () => {
  const all = [SYNDROME_ACK_UNLIMITED, SYNDROME_RNR, SYNDROME_PSN_ERROR]
  expect(all).toEqual([0x1f, 0x20, 0x60])
  expect([SYNDROME_INVALID_REQUEST, SYNDROME_REMOTE_ACCESS, SYNDROME_REMOTE_OPERATION]).toEqual([0x61, 0x62, 0x63])
  expect(all.map((syndrome) => syndrome >> 5)).toEqual([0, 1, 3])
})

describe('credits', () => {
  test('by code 0 to 30', () => {
    expect(CREDITS).toEqual([
      0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144,
      8192, 12288, 16384, 24576, 32768,
    ])
  })
  test.each([
    [5, 4],
    [6, 5],
    [100, 13],
    [0, 0],
    [32_767, 29],
    [32_768, 30],
    [1e9, 30],
    [Infinity, 0x1f],
  ])('T-GBN-6: %i free is code %i', (credits, code) => {
    expect(creditCode(credits)).toBe(code)
  })
  test('are rounded down: never more is promised than there is', () => {
    const wrong: number[] = []
    for (let credits = 0; credits < 40_000; credits++) {
      const code = creditCode(credits)
      if (CREDITS[code]! > credits || (code < 30 && CREDITS[code + 1]! <= credits)) wrong.push(credits)
    }
    expect(wrong).toEqual([])
  })
})

test('waits after an RNR NAK, by code, microseconds', () => {
  expect(RNR_WAIT_US).toEqual([
    655_360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960, 1280, 1920, 2560, 3840, 5120, 7680, 10_240,
    15_360, 20_480, 30_720, 40_960, 61_440, 81_920, 122_880, 163_840, 245_760, 327_680, 491_520,
  ])
  expect(RNR_WAIT_US[0x2b & 0x1f]).toBe(480)
})
