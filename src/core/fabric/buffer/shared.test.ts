import { describe, expect, test } from 'vitest'
import { Bug } from '../../base/assert.ts'
import { Memory } from '../../base/memory.ts'
import { dynamicFixedPointBytes } from '../formulas.ts'
import { REFUSED } from './buffer.ts'
import { createSharedBuffer } from './egress-pool.ts'
import type { SharedBuffer, SharedBufferOptions } from './shared.ts'

const PACKET = 1086
const LOSSLESS = 3
const LOSSY = 0
const memory = new Memory()
const EGRESS_ALPHA = new Float64Array(8).fill(1)

/** The same value for every class. */
function byPort(...alphas: number[]): Float64Array {
  return Float64Array.from({ length: 8 * alphas.length }, (_, i) => alphas[i % alphas.length]!)
}

function bufferWith(fields: Partial<SharedBufferOptions> = {}, alpha = 1 / 16, headroomBytes = 30_000): SharedBuffer {
  const ports = fields.ports ?? 4
  return createSharedBuffer({
    ports,
    poolBytes: 9e6,
    reserveBytes: 0,
    alpha: new Float64Array(8 * (ports + 1)).fill(alpha),
    headroomBytes: new Float64Array(ports + 1).fill(headroomBytes),
    lossless: 1 << LOSSLESS,
    xonOffsetBytes: 0,
    limitedByPool: false,
    limitedByTotal: false,
    egressLimited: 0,
    egressCounted: 0xff,
    egressAlpha: EGRESS_ALPHA,
    egressReserveBytes: 0,
    egressPoolBytes: null,
    memory,
    ...fields,
  })
}

/** Adds packets until one is refused; returns the bytes taken. */
function fill(buffer: SharedBuffer, port: number, trafficClass: number, sizeBytes = PACKET): number {
  let bytes = 0
  while (buffer.admit(port, trafficClass, 2, sizeBytes) !== REFUSED) bytes += sizeBytes
  return bytes
}

describe('the dynamic threshold', () => {
  test('T-DT-1: with 1 MB of 9 MB in use, a sixteenth is 500,000 and a sixty-fourth 125,000', () => {
    for (const [alpha, expected] of [
      [1 / 16, 500_000],
      [1 / 64, 125_000],
    ] as const) {
      const buffer = bufferWith({ ports: 2, alpha: byPort(0, 1, alpha) })
      for (let i = 0; i < 1000; i++) expect(buffer.admit(1, LOSSY, 2, 1000)).not.toBe(REFUSED)
      expect(buffer.thresholdBytes(2, LOSSY)).toBe(expected)
    }
  })

  test('T-DT-2: a counter takes the packet that brings it up to its threshold, and not one byte more', () => {
    const at = (fillBytes: number): boolean => {
      const buffer = bufferWith({ ports: 2, alpha: byPort(0, 1, 1 / 16) })
      buffer.admit(1, LOSSY, 2, 1e6 - fillBytes)
      buffer.admit(2, LOSSY, 2, fillBytes)
      expect(buffer.thresholdBytes(2, LOSSY)).toBe(500_000)
      return buffer.admit(2, LOSSY, 2, PACKET) !== REFUSED
    }
    expect([at(500_000 - PACKET), at(500_000 - PACKET + 1)]).toEqual([true, false])
  })

  test.each([
    [1 / 16, 529_412],
    [1 / 64, 138_462],
    [1, 4_500_000],
  ])('T-DT-3: alone, a counter with alpha %f comes to rest within a packet of %i', (alpha, expected) => {
    const bytes = fill(bufferWith({}, alpha), 1, LOSSY)
    expect(Math.abs(bytes - expected)).toBeLessThan(PACKET)
  })

  test('T-DT-3: several counters come to rest at the fixed point of the formula', () => {
    const buffer = bufferWith({ ports: 8 }, 1 / 4)
    const took = new Float64Array(9)
    for (let isFull = false; !isFull;) {
      isFull = true
      for (let port = 1; port <= 8; port++) {
        if (buffer.admit(port, LOSSY, 2, PACKET) === REFUSED) continue
        took[port]! += PACKET
        isFull = false
      }
    }
    const rest = dynamicFixedPointBytes(1 / 4, 9e6, 8)
    for (let port = 1; port <= 8; port++) expect(Math.abs(took[port]! - rest)).toBeLessThan(3 * PACKET)
  })

  test('a larger alpha gives one port more', () => {
    const buffer = bufferWith({ ports: 2, alpha: Float64Array.of(0, 1 / 16, 1 / 4) })
    expect(fill(buffer, 2, LOSSY)).toBeGreaterThan(3 * fill(buffer, 1, LOSSY))
  })
})

describe('limited by the pool alone', () => {
  test('a lossy counter takes all that is free, under any alpha', () => {
    const bytes = fill(bufferWith({ limitedByPool: true }, 1 / 64), 1, LOSSY)
    expect(bytes).toBe(Math.floor(9e6 / PACKET) * PACKET)
  })

  test('a lossless counter causes a pause at its threshold, and takes from headroom when the pool is empty', () => {
    const buffer = bufferWith({ limitedByPool: true })
    while (!buffer.isOverXoff(1, LOSSLESS)) buffer.admit(1, LOSSLESS, 2, PACKET)
    expect(buffer.usedBy(1, LOSSLESS) - dynamicFixedPointBytes(1 / 16, 9e6, 1)).toBeLessThan(PACKET)
    expect(buffer.headroomUsedBy(1, LOSSLESS)).toBe(0)
    fill(buffer, 1, LOSSLESS)
    const inHeadroom = buffer.headroomUsedBy(1, LOSSLESS)
    expect(inHeadroom).toBe(Math.floor(30_000 / PACKET) * PACKET)
    expect(buffer.usedBytes - inHeadroom).toBe(Math.floor(9e6 / PACKET) * PACKET)
    expect(buffer.audit()).toEqual([])
  })
})

describe('headroom', () => {
  /** A lossless counter that has just crossed XOFF, and then takes `packets` more. */
  function over(packets: number): SharedBuffer {
    const buffer = bufferWith({ xonOffsetBytes: 3072 })
    while (!buffer.isOverXoff(1, LOSSLESS)) buffer.admit(1, LOSSLESS, 2, PACKET)
    for (let i = 0; i < packets; i++) expect(buffer.admit(1, LOSSLESS, 2, PACKET)).not.toBe(REFUSED)
    return buffer
  }

  test('XOFF comes with the packet that is the first in headroom, or that reaches the threshold', () => {
    const buffer = bufferWith()
    let before = 0
    while (!buffer.isOverXoff(1, LOSSLESS)) {
      before = buffer.usedBy(1, LOSSLESS)
      buffer.admit(1, LOSSLESS, 2, PACKET)
    }
    expect(before).toBeLessThan(dynamicFixedPointBytes(1 / 16, 9e6, 1))
    expect(buffer.usedBy(1, LOSSLESS) + PACKET).toBeGreaterThan(dynamicFixedPointBytes(1 / 16, 9e6, 1))
    expect(buffer.headroomUsedBy(1, LOSSLESS)).toBe(PACKET)
  })

  test('T-DT-4: drains before the resume, and before anything else', () => {
    const buffer = over(5)
    const inHeadroom = buffer.headroomUsedBy(1, LOSSLESS)
    expect(inHeadroom).toBe(6 * PACKET)
    const ordinary = buffer.usedBy(1, LOSSLESS) - inHeadroom
    for (let left = inHeadroom - PACKET; left > 0; left -= PACKET) {
      buffer.release(1, LOSSLESS, 2, PACKET)
      expect([buffer.headroomUsedBy(1, LOSSLESS), buffer.isUnderXon(1, LOSSLESS)]).toEqual([left, false])
    }
    buffer.release(1, LOSSLESS, 2, PACKET)
    expect([buffer.headroomUsedBy(1, LOSSLESS), buffer.usedBy(1, LOSSLESS)]).toEqual([0, ordinary])
    let released = 0
    while (!buffer.isUnderXon(1, LOSSLESS)) {
      buffer.release(1, LOSSLESS, 2, PACKET)
      released += PACKET
    }
    // The threshold rises by a sixteenth of what is released.
    expect(released).toBeGreaterThan(3072 - 2 * PACKET)
    expect(released).toBeLessThan(3072 + PACKET)
  })

  test('is the last memory of a lossless class: then packets are refused', () => {
    const buffer = over(0)
    let inHeadroom = buffer.headroomUsedBy(1, LOSSLESS)
    while (buffer.admit(1, LOSSLESS, 2, PACKET) !== REFUSED) inHeadroom += PACKET
    expect(inHeadroom).toBe(Math.floor(30_000 / PACKET) * PACKET)
  })

  test('is not for lossy classes, and separate for each port', () => {
    const buffer = over(3)
    fill(buffer, 2, LOSSY)
    expect(buffer.headroomUsedBy(2, LOSSY)).toBe(0)
    expect(buffer.headroomUsedBy(2, LOSSLESS)).toBe(0)
  })
})

describe('a class with thresholds of its own', () => {
  test('takes its share of the pool, whatever others may take', () => {
    const ports = 2
    const alpha = new Float64Array(8 * (ports + 1)).fill(1 / 16)
    alpha.fill(8, LOSSY * (ports + 1), (LOSSY + 1) * (ports + 1))
    const buffer = bufferWith({ ports, alpha })
    expect([buffer.thresholdBytes(1, LOSSLESS), buffer.thresholdBytes(1, LOSSY)]).toEqual([562_500, 72e6])
    // With alpha 8 a queue comes to rest at 8/9 of the pool; the remainder is shared as before.
    const bytes = fill(buffer, 1, LOSSY)
    expect(Math.abs(bytes - dynamicFixedPointBytes(8, 9e6, 1))).toBeLessThan(PACKET)
    expect(buffer.thresholdBytes(2, LOSSLESS)).toBe(Math.floor((9e6 - bytes) / 16))
  })

  test('leaves its egress queues at a share of their own', () => {
    const egressAlpha = Float64Array.of(1 / 8, 1, 1, 1, 1, 1, 1, 1)
    const buffer = bufferWith({ egressLimited: 0xff, egressAlpha }, 128)
    expect(Math.abs(fill(buffer, 1, 0) - dynamicFixedPointBytes(1 / 8, 9e6, 1))).toBeLessThan(PACKET)
    expect(fill(buffer, 1, 1)).toBeGreaterThan(dynamicFixedPointBytes(1 / 8, 9e6, 1) * 3)
  })
})

describe('the reserve', () => {
  test('is available to each counter when the pool is full', () => {
    const buffer = bufferWith({ ports: 2, reserveBytes: 4096, alpha: byPort(0, 1, 0) })
    fill(buffer, 1, LOSSY)
    expect(buffer.thresholdBytes(2, LOSSY)).toBe(0)
    expect(fill(buffer, 2, LOSSY)).toBe(3 * PACKET)
    expect(fill(buffer, 2, 1)).toBe(3 * PACKET)
  })

  test('is used before the pool, and released after it', () => {
    const buffer = bufferWith({ reserveBytes: 4096 })
    for (let i = 0; i < 3; i++) buffer.admit(1, LOSSY, 2, 2000)
    expect(buffer.thresholdBytes(1, LOSSY)).toBe(Math.floor((9e6 - 1904) / 16))
    buffer.release(1, LOSSY, 2, 2000)
    expect(buffer.thresholdBytes(1, LOSSY)).toBe(562_500)
  })
})

describe('lossy egress queues', () => {
  test('are refused beyond their share of what is free', () => {
    const buffer = bufferWith({ egressLimited: 1 << LOSSY, egressAlpha: new Float64Array(8).fill(1 / 8) }, 128)
    const bytes = fill(buffer, 1, LOSSY)
    const rest = dynamicFixedPointBytes(1 / 8, 9e6, 1)
    expect(Math.abs(bytes - rest)).toBeLessThan(2 * PACKET)
    expect(buffer.admit(1, LOSSY, 3, PACKET)).not.toBe(REFUSED)
    expect(buffer.admit(1, LOSSLESS, 2, PACKET)).not.toBe(REFUSED)
  })
  test('keep their reserve', () => {
    const buffer = bufferWith(
      { egressLimited: 1 << LOSSY, egressAlpha: new Float64Array(8), egressReserveBytes: 3000 },
      128,
    )
    expect(fill(buffer, 1, LOSSY)).toBe(2 * PACKET)
  })
})

describe('egress queues with a pool of their own', () => {
  const OWN = { egressLimited: 0xff, egressReserveBytes: 1049, egressPoolBytes: 74_848, limitedByPool: true }

  test('may hold their share beyond their reserve, and a packet counts as a whole', () => {
    // The 37th finds 36,679 bytes beyond its own 1049 and leaves 38,169 of the pool; the 38th finds 37,727 and 37,121.
    expect(fill(bufferWith(OWN), 1, LOSSY, 1048)).toBe(37 * 1048)
    expect(fill(bufferWith({ ...OWN, egressPoolBytes: null, poolBytes: 74_848 }), 1, LOSSY, 1048)).toBe(36 * 1048)
  })

  test('are limited by it in lossless classes too, while the shared pool is almost empty', () => {
    const buffer = bufferWith(OWN)
    expect(fill(buffer, 1, LOSSLESS, 1048)).toBe(37 * 1048)
    expect(buffer.headroomUsedBy(1, LOSSLESS)).toBe(0)
    expect(buffer.audit()).toEqual([])
  })

  test('give back what they took', () => {
    const buffer = bufferWith(OWN)
    const bytes = fill(buffer, 1, LOSSY, 1048)
    for (let left = bytes; left > 0; left -= 1048) buffer.release(1, LOSSY, 2, 1048)
    expect([buffer.usedBytes, buffer.audit()]).toEqual([0, []])
    expect(fill(buffer, 1, LOSSY, 1048)).toBe(bytes)
  })
})

describe('limited by all that the switch holds', () => {
  const TOTAL = { limitedByTotal: true, poolBytes: 10_000, reserveBytes: 1048 }

  test('a lossy counter takes from the headroom of its port, which no other port may use', () => {
    const buffer = bufferWith(TOTAL)
    expect(fill(buffer, 1, LOSSY, 1000)).toBe(10_000 + 30_000)
    expect(buffer.headroomUsedBy(1, LOSSY)).toBe(30_000)
    expect(fill(buffer, 3, LOSSY, 1000)).toBe(30_000)
    expect(buffer.audit()).toEqual([])
  })

  test('headroom counts against the pool: bytes that leave it make no room for others while the switch holds more than the pool', () => {
    const buffer = bufferWith(TOTAL)
    fill(buffer, 1, LOSSY, 1000)
    for (let i = 0; i < 20; i++) buffer.release(1, LOSSY, 2, 1000)
    buffer.admit(3, LOSSY, 2, 1000)
    expect([buffer.headroomUsedBy(1, LOSSY), buffer.headroomUsedBy(3, LOSSY)]).toEqual([10_000, 1000])
  })

  test('a packet within the reserve is taken whatever the others hold', () => {
    const buffer = bufferWith(TOTAL, 1 / 16, 0)
    fill(buffer, 1, LOSSY, 1000)
    expect(buffer.admit(3, LOSSY, 2, 1048)).not.toBe(REFUSED)
    expect(buffer.admit(3, LOSSY, 2, 64)).toBe(REFUSED)
  })
})

test('bytes released twice are caught, and found by an audit', () => {
  const buffer = bufferWith({ reserveBytes: 4096 })
  buffer.admit(1, LOSSLESS, 2, 9000)
  buffer.admit(2, LOSSLESS, 2, 500)
  expect(buffer.audit()).toEqual([])
  expect(() => buffer.release(2, LOSSLESS, 2, 1000)).toThrow(Bug)
  expect(buffer.audit().join()).toMatch(/negative/)
})
