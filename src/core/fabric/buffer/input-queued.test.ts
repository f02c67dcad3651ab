import { describe, expect, test } from 'vitest'
import { Bug } from '../../base/assert.ts'
import { createRandomStreams } from '../../base/random.ts'
import { Bench, INPUT_QUEUED } from '../../../../tests/support/switch-bench.ts'
import { ADMITTED, ADMITTED_OVER_XOFF, REFUSED } from './buffer.ts'
import { InputQueuedBuffer } from './input-queued.ts'

const bufferWith = (fields: object = {}): InputQueuedBuffer =>
  new InputQueuedBuffer({ ports: 3, portBytes: 240_000, xoffBytes: 220_000, xonOffsetBytes: 0, ...fields })

function packetsUntil(isEnough: (buffer: InputQueuedBuffer) => boolean, buffer = bufferWith()): number {
  let packets = 0
  while (!isEnough(buffer) && buffer.admit(1, 3, 2, 1086) !== REFUSED) packets++
  return packets
}

test('T-VOQ-2: a buffer of 240,000 bytes takes 220 packets of 1086 and refuses the next', () => {
  expect(packetsUntil(() => false)).toBe(220)
})

test('T-PFC-1: with XOFF at 220,000 it is the 203rd packet that is over', () => {
  expect(packetsUntil((buffer) => buffer.isOverXoff(1, 3))).toBe(203)
})

test('XON is below XOFF by the offset', () => {
  const buffer = bufferWith({ xonOffsetBytes: 5000 })
  packetsUntil((b) => b.isOverXoff(1, 3), buffer)
  const left: number[] = []
  while (!buffer.isUnderXon(1, 3)) {
    buffer.release(1, 3, 2, 1086)
    left.push(buffer.usedBy(1, 3))
  }
  expect(left.at(-1)).toBeLessThan(215_000)
  expect(left.at(-2)).toBeGreaterThanOrEqual(215_000)
})

describe('a port', () => {
  test('does not count packets from other ports', () => {
    const buffer = bufferWith()
    packetsUntil(() => false, buffer)
    expect([buffer.admit(2, 3, 1, 1086), buffer.isOverXoff(2, 3), buffer.usedBytes]).toEqual([
      ADMITTED,
      false,
      221 * 1086,
    ])
  })
  test('may be filled by any class; XOFF is compared with each class', () => {
    const buffer = bufferWith()
    for (let i = 0; i < 220; i++) buffer.admit(1, i % 2 === 0 ? 3 : 4, 2, 1086)
    expect([buffer.isOverXoff(1, 3), buffer.admit(1, 5, 2, 1086)]).toEqual([false, REFUSED])
  })
})

test('equals plain sums after any arrivals and departures', () => {
  const random = createRandomStreams(1).stream('buffer')
  const buffer = bufferWith({ portBytes: 20_000, xoffBytes: 9000, xonOffsetBytes: 2000 })
  const stored: [port: number, c: number, out: number, bytes: number][] = []
  const counts = { admitted: 0, refused: 0, over: 0 }
  const wrong: number[] = []
  for (let step = 0; step < 10_000; step++) {
    const at = [1 + random.below(3), random.below(3), 1, 64 + random.below(1500)] as const
    const bytesOf = (port: number, c: number) =>
      stored.reduce((sum, [p, k, , bytes]) => sum + (p === port && (c < 0 || k === c) ? bytes : 0), 0)
    if (random.below(5) > 1 || stored.length === 0) {
      const admission = buffer.admit(...at)
      const isIn = admission !== REFUSED
      if (isIn !== bytesOf(at[0], -1) + at[3] <= 20_000) wrong.push(step)
      if (isIn) stored.push([...at])
      if (isIn && (admission === ADMITTED_OVER_XOFF) !== buffer.isOverXoff(at[0], at[1])) wrong.push(step)
      counts[isIn ? 'admitted' : 'refused']++
    } else buffer.release(...stored.splice(random.below(stored.length), 1)[0]!)
    const [port, c] = at
    const used = bytesOf(port, c)
    expect([buffer.usedBy(port, c), buffer.isOverXoff(port, c), buffer.isUnderXon(port, c)]).toEqual([
      used,
      used >= 9000,
      used < 7000,
    ])
    if (used >= 9000) counts.over++
  }
  expect([wrong, buffer.audit()]).toEqual([[], []])
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50)
})

test('bytes released under another class or port are caught, and found by an audit', () => {
  const buffer = bufferWith()
  buffer.admit(1, 3, 2, 1000)
  expect(buffer.audit()).toEqual([])
  expect(() => buffer.release(1, 4, 2, 1000)).toThrow(Bug)
  expect(buffer.audit().join()).toMatch(/negative/)
})

test('T-VOQ-3: a packet for a free output leaves at once, behind one for a paused output', () => {
  const bench = new Bench(3, INPUT_QUEUED)
  bench.at(1e6, () => {
    bench.pauseArrives(bench.portTo(1), 1 << 3, 65_535)
    bench.arriveFrom(0, { to: 1 })
    bench.arriveFrom(0, { to: 2 })
  })
  bench.run(100e6)
  expect([bench.startsTo(1), bench.startsTo(2)]).toEqual([[], [1e6]])
})

test('T-VOQ-1: an output serves its inputs round robin, one packet each', () => {
  const bench = new Bench(4, INPUT_QUEUED)
  bench.at(1e6, () => {
    bench.pauseArrives(bench.portTo(3), 1 << 3, 65_535)
    for (const [from, ecn] of [
      [0, 2],
      [0, 2],
      [1, 3],
      [2, 1],
    ] as const)
      bench.arriveFrom(from, { to: 3, ecn })
  })
  bench.at(2e6, () => bench.pauseArrives(bench.portTo(3), 1 << 3, 0))
  bench.run(100e6)
  // The ECN field tells them apart.
  expect(bench.arrivals.filter(({ host, kind }) => host === 3 && kind === 0).map(({ ecn }) => ecn)).toEqual([
    2, 3, 1, 2,
  ])
})
