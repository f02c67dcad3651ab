import { describe, expect, test } from 'vitest'
import { ADMITTED, ADMITTED_OVER_XOFF, REFUSED } from './buffer.ts'
import { MemoryManager, type Limits, type MemoryManagerOptions } from './memory-manager.ts'
import { WatchedBuffer } from './watched.ts'

const PORTS = 4
const LENGTH = (PORTS + 1) * 8
const CELL = 208

function limits({ alpha = NaN, fixed = Infinity, reserve = 0, pool = 0 }): Limits {
  return {
    reserveBytes: new Float64Array(LENGTH).fill(reserve),
    alpha: new Float64Array(LENGTH).fill(alpha),
    fixedBytes: new Float64Array(LENGTH).fill(fixed),
    pool: new Uint8Array(LENGTH).fill(pool),
  }
}

/** Class 3 lossless everywhere, one ingress pool of 1000 cells, alpha 1, headroom of 20 cells each. */
function optionsWith(more: Partial<MemoryManagerOptions> = {}): MemoryManagerOptions {
  const lossless = (value: number): Float64Array =>
    Float64Array.from({ length: LENGTH }, (_, at) => (at % 8 === 3 ? value : 0))
  return {
    ports: PORTS,
    cellBytes: CELL,
    poolBytes: Float64Array.of(1000 * CELL, 0, 10_000 * CELL, 0),
    headroomPoolBytes: Infinity,
    groupOf: Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7),
    groups: limits({ alpha: 1 }),
    headroomBytes: lossless(20 * CELL),
    isLossless: Uint8Array.from(lossless(1)),
    xonBytes: lossless(0),
    xonOffsetBytes: lossless(12 * CELL),
    queues: limits({ pool: 2 }),
    ...more,
  }
}

/** Admits packets until one is refused or `most` are in; the verdicts in turn. */
function fill(
  buffer: MemoryManager | WatchedBuffer,
  port: number,
  sizeBytes: number,
  most = Infinity,
  c = 3,
): number[] {
  const verdicts: number[] = []
  while (verdicts.length < most) {
    const verdict = buffer.admit(port, c, 4, sizeBytes)
    verdicts.push(verdict)
    if (verdict === REFUSED) break
  }
  return verdicts
}

describe('cells', () => {
  test.each([
    [1, 1],
    [64, 1],
    [208, 1],
    [209, 2],
    [1086, 6],
  ])('a packet of %i bytes takes %i cells of 208', (bytes, cells) => {
    const buffer = new MemoryManager(optionsWith())
    buffer.admit(1, 3, 2, bytes)
    expect([buffer.usedBy(1, 3), buffer.usedBytes, buffer.audit()]).toEqual([cells * CELL, bytes, []])
    buffer.release(1, 3, 2, bytes)
    expect([buffer.usedBy(1, 3), buffer.usedBytes]).toEqual([0, 0])
  })
})

describe('limits', () => {
  test('alpha 1: half of the pool, then 20 cells of headroom, then refused', () => {
    const verdicts = fill(new MemoryManager(optionsWith()), 1, 64)
    expect(verdicts.indexOf(ADMITTED_OVER_XOFF)).toBe(499)
    expect(verdicts.length).toBe(521)
  })

  test('static: the same limit however full the pool is, as long as it has room', () => {
    const buffer = new MemoryManager(optionsWith({ groups: limits({ fixed: 300 * CELL }) }))
    const xoffs = [1, 2, 3].map((port) => fill(buffer, port, 64).indexOf(ADMITTED_OVER_XOFF))
    expect(xoffs).toEqual([299, 299, 299])
    // The fourth finds 100 cells left.
    expect(fill(buffer, 4, 64).indexOf(ADMITTED_OVER_XOFF)).toBe(99)
    expect(buffer.audit()).toEqual([])
  })

  test('a group takes its reserve when others have taken the whole pool', () => {
    const buffer = new MemoryManager(optionsWith({ groups: limits({ fixed: Infinity, reserve: 6 * CELL }) }))
    fill(buffer, 1, 64)
    expect(buffer.poolUsedBytes(0)).toBe(1000 * CELL)
    const verdicts = fill(buffer, 2, 64)
    expect(verdicts.slice(0, 6)).toEqual([1, 1, 1, 1, 1, ADMITTED_OVER_XOFF])
    expect(verdicts.length).toBe(6 + 20 + 1)
  })

  test('lossy groups have a pool of their own, which lossless ones do not feel', () => {
    const groups = limits({ alpha: 1 })
    for (let at = 0; at < LENGTH; at++) groups.pool[at] = at % 8 === 3 ? 0 : 1
    const buffer = new MemoryManager(
      optionsWith({ groups, poolBytes: Float64Array.of(1000 * CELL, 50 * CELL, 1e9, 0) }),
    )
    expect(fill(buffer, 1, 64, Infinity, 0).length - 1).toBe(25)
    expect(fill(buffer, 1, 64).indexOf(ADMITTED_OVER_XOFF)).toBe(499)
  })

  test('classes of one priority group share its limit', () => {
    const buffer = new MemoryManager(optionsWith({ groupOf: Uint8Array.of(0, 0, 0, 3, 4, 5, 6, 7) }))
    fill(buffer, 1, 64, 200, 0)
    expect([0, 1, 2].map((c) => buffer.usedBy(1, c))).toEqual([200 * CELL, 200 * CELL, 200 * CELL])
    expect(fill(buffer, 1, 64, Infinity, 1).length - 1).toBe(300)
  })

  test('a queue is refused at its own limit, without XOFF', () => {
    const queues = limits({ pool: 2, fixed: 40 * CELL, reserve: 2 * CELL })
    const buffer = new MemoryManager(optionsWith({ queues }))
    const verdicts = fill(buffer, 1, 64)
    expect([verdicts.length - 1, verdicts.includes(ADMITTED_OVER_XOFF)]).toEqual([42, false])
    expect([buffer.isQueueFull(4, 3, 64), buffer.isQueueFull(3, 3, 64)]).toEqual([true, false])
  })
})

test('shared headroom: each group has up to 20 cells, all together 50', () => {
  const buffer = new MemoryManager(optionsWith({ headroomPoolBytes: 50 * CELL, groups: limits({ fixed: 100 * CELL }) }))
  const packets = [1, 2, 3, 4].map((port) => fill(buffer, port, 64).length - 1)
  expect(packets).toEqual([120, 120, 110, 100])
  expect(buffer.poolUsedBytes(4)).toBe(50 * CELL)
})

describe('XON at usage <= max(xon, limit - xonOffset)', () => {
  /** Cells in use when XON comes, after a static limit of 100 cells was reached. */
  function resumesAt(xonCells: number, offsetCells: number): number {
    const buffer = new MemoryManager(
      optionsWith({
        groups: limits({ fixed: 100 * CELL }),
        xonBytes: new Float64Array(LENGTH).fill(xonCells * CELL),
        xonOffsetBytes: new Float64Array(LENGTH).fill(offsetCells * CELL),
      }),
    )
    fill(buffer, 1, 64, 110)
    while (!buffer.isUnderXon(1, 3)) buffer.release(1, 3, 4, 64)
    return buffer.usedBy(1, 3) / CELL
  }
  test.each([
    [0, 12, 88],
    [60, 12, 88],
    [95, 12, 95],
    [6, 100, 6],
    [0, 200, 0],
  ])('xon of %i cells, offset of %i: resumes at %i', (xon, offset, at) => {
    expect(resumesAt(xon, offset)).toBe(at)
  })
})

describe('new limits while packets are stored', () => {
  test('below the occupancy: nothing is dropped, the group is over XOFF at once, the next packet goes to headroom', () => {
    const buffer = new MemoryManager(optionsWith())
    fill(buffer, 1, 64, 300)
    expect(buffer.isOverXoff(1, 3)).toBe(false)
    buffer.configure(optionsWith({ groups: limits({ fixed: 100 * CELL }) }))
    expect([buffer.usedBy(1, 3), buffer.isOverXoff(1, 3)]).toEqual([300 * CELL, true])
    expect([buffer.admit(1, 3, 4, 64), buffer.headroomUsedBy(1, 3)]).toEqual([ADMITTED_OVER_XOFF, CELL])
  })

  test('a pool below its use: no more is taken from it until it has drained', () => {
    const buffer = new MemoryManager(optionsWith())
    fill(buffer, 1, 64, 300, 0)
    buffer.configure(optionsWith({ poolBytes: Float64Array.of(200 * CELL, 0, 1e9, 0) }))
    expect(buffer.admit(2, 0, 4, 64)).toBe(REFUSED)
    for (let i = 0; i < 101; i++) buffer.release(1, 0, 4, 64)
    expect(buffer.admit(2, 0, 4, 64)).toBe(ADMITTED)
    expect(buffer.audit()).toEqual([])
  })
})

test('watermarks keep the highest use until they are cleared; drops count where there was no room', () => {
  const buffer = new WatchedBuffer(new MemoryManager(optionsWith()), PORTS)
  const at = 8 + 3
  fill(buffer, 1, 64)
  for (let i = 0; i < 520; i++) buffer.release(1, 3, 4, 64)
  const seen = (): number[] =>
    [buffer.sharedPeak[at]!, buffer.headroomPeak[at]!, buffer.queuePeak[32 + 3]!].map((b) => b / CELL)
  expect([seen(), buffer.ingressDrops[at], buffer.egressDrops[35]]).toEqual([[500, 20, 520], 1, 0])
  expect([...buffer.poolPeak].map((bytes) => bytes / CELL)).toEqual([500, 0, 520, 0, 20])
  buffer.clear()
  expect([seen(), buffer.ingressDrops[at]]).toEqual([[0, 0, 0], 0])
  expect(buffer.audit()).toEqual([])
})
