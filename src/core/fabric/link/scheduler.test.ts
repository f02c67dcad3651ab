import { describe, expect, test } from 'vitest'
import { INTS, Memory } from '../../base/memory.ts'
import { createRandomStreams } from '../../base/random.ts'
import { EgressQueues } from './egress-queue.ts'
import { Packets, SIZE } from '../packets.ts'
import { PortRecords } from './port-records.ts'
import { Scheduler, type SchedulerOptions } from './scheduler.ts'

const memory = new Memory()
const packets = new Packets(memory)

/** A queue whose classes are refilled before every pick. */
class Backlogged {
  readonly sentBytes = new Float64Array(8)
  readonly sentPackets = new Float64Array(8)
  readonly #queue: EgressQueues
  readonly #scheduler: Scheduler
  readonly #classes: readonly number[]
  readonly #sizeOf: (trafficClass: number) => number

  constructor(
    options: Partial<SchedulerOptions>,
    classes: readonly number[],
    sizeOf: (trafficClass: number) => number,
  ) {
    const records = new PortRecords(1, memory)
    this.#queue = new EgressQueues(records, [1], memory)
    this.#scheduler = new Scheduler({ strict: 0, quantumBytes: null, ...options }, records, this.#queue)
    this.#classes = classes
    this.#sizeOf = sizeOf
  }

  /** Sends one packet of a class that is not in `paused`. */
  send(paused = 0): number {
    for (const c of this.#classes) {
      while ((this.#queue.full(0) & (1 << c)) === 0 || this.#queue.bytesOf(0, c) < 20_000) {
        const packet = packets.alloc()
        INTS[packet | SIZE] = this.#sizeOf(c)
        this.#queue.push(0, packet, c, 0)
      }
    }
    const c = this.#scheduler.pick(this.#queue.full(0) & ~paused, 0)
    const before = this.#queue.bytesOf(0, c)
    packets.free(this.#queue.pop(0, c))
    this.sentBytes[c]! += before - this.#queue.bytesOf(0, c)
    this.sentPackets[c]!++
    return c
  }

  sendMany(count: number): this {
    for (let i = 0; i < count; i++) this.send()
    return this
  }
}

describe('strict classes', () => {
  test('go first, the highest number before all', () => {
    const port = new Backlogged({ strict: 0b1100_0000 }, [3, 6, 7], () => 100)
    expect([port.send(), port.send(1 << 7), port.send((1 << 7) | (1 << 6))]).toEqual([7, 6, 3])
  })
})

describe('round robin', () => {
  test('serves the ready classes round robin, one packet each', () => {
    const port = new Backlogged({}, [0, 2, 5], () => 100)
    expect(Array.from({ length: 7 }, () => port.send())).toEqual([2, 5, 0, 2, 5, 0, 2])
  })

  test('skips a paused class, and serves it again after the pause', () => {
    const port = new Backlogged({}, [0, 2, 5], () => 100)
    expect([0, 4, 4, 4, 0, 0].map((paused) => port.send(paused))).toEqual([2, 5, 0, 5, 0, 2])
  })

  test('is fair in packets, whatever their size', () => {
    const random = createRandomStreams(1).stream('sizes')
    const port = new Backlogged({}, [1, 3, 4], (c) => (c === 1 ? 64 : 64 + random.below(9000))).sendMany(9000)
    expect([1, 3, 4].map((c) => port.sentPackets[c])).toEqual([3000, 3000, 3000])
  })
})

describe('deficit weighted round robin', () => {
  const weighted = (weights: readonly number[], sizeOf: (c: number) => number): Backlogged =>
    new Backlogged({ quantumBytes: Float64Array.from(weights, (w) => w * 1600) }, [0, 1, 2], sizeOf)

  test.each([
    ['small', () => 64],
    ['full', () => 1086],
    ['jumbo', () => 9216],
  ])('shares bytes by weight 1 : 2 : 4 with %s packets', (_name, sizeOf) => {
    const port = weighted([1, 2, 4, 0, 0, 0, 0, 0], sizeOf).sendMany(70_000)
    const total = port.sentBytes.reduce((sum, bytes) => sum + bytes, 0)
    ;[1, 2, 4].forEach((weight, c) => expect(port.sentBytes[c]! / total).toBeCloseTo(weight / 7, 2))
  })

  test('shares bytes and not packets where sizes differ', () => {
    const port = weighted([1, 1, 1, 0, 0, 0, 0, 0], (c) => [64, 1086, 9216][c]!).sendMany(100_000)
    const [a, b, c] = port.sentBytes
    expect(a! / b!).toBeCloseTo(1, 1)
    expect(c! / b!).toBeCloseTo(1, 1)
  })

  test('no class is ever further from its share than one round and a packet', () => {
    const random = createRandomStreams(2).stream('sizes')
    const port = weighted([1, 2, 4, 0, 0, 0, 0, 0], () => 64 + random.below(9000))
    let worst = 0
    for (let i = 0; i < 20_000; i++) {
      port.send()
      const served = [1, 2, 4].map((weight, c) => port.sentBytes[c]! / weight)
      worst = Math.max(worst, Math.max(...served) - Math.min(...served))
    }
    expect(worst).toBeGreaterThan(0)
    expect(worst).toBeLessThan(1600 + 2 * 9064)
  })

  test('a class that was empty comes back without a deficit', () => {
    const records = new PortRecords(1, memory)
    const queue = new EgressQueues(records, [1], memory)
    const scheduler = new Scheduler({ strict: 0, quantumBytes: new Float64Array(8).fill(1600) }, records, queue)
    const push = (c: number, sizeBytes: number) => {
      const packet = packets.alloc()
      INTS[packet | SIZE] = sizeBytes
      queue.push(0, packet, c, 0)
    }
    for (let i = 0; i < 100; i++) {
      push(0, 1000)
      queue.pop(0, scheduler.pick(queue.full(0), 0))
    }
    for (let i = 0; i < 40; i++) for (const c of [0, 1]) push(c, 1000)
    const order = Array.from({ length: 20 }, () => {
      const c = scheduler.pick(queue.full(0), 0)
      queue.pop(0, c)
      return c
    })
    expect(order.filter((c) => c === 1).length).toBeGreaterThanOrEqual(9)
    expect(order.slice(0, 4)).toContain(1)
  })
})

test('equals going round one step at a time, also where a packet takes thousands of rounds', () => {
  const random = createRandomStreams(5).stream('weights')
  let longest = 0
  for (let round = 0; round < 40; round++) {
    const quantumBytes = Float64Array.from({ length: 8 }, () => [1, 7, 100, 1600, 9000][random.below(5)]!)
    const records = new PortRecords(1, memory)
    const queue = new EgressQueues(records, [1], memory)
    const scheduler = new Scheduler({ strict: 0, quantumBytes }, records, queue)
    const deficit = new Float64Array(8)
    let last = 0
    const naive = (ready: number): number => {
      for (let c = 0; c < 8; c++) if ((queue.full(0) & (1 << c)) === 0) deficit[c] = 0
      for (let visits = 0, c = last; ; visits++, c = (c + 1) & 7) {
        const isReady = (ready & (1 << c)) !== 0
        if (isReady && visits > 0) deficit[c]! += quantumBytes[c]!
        if (!isReady || deficit[c]! < queue.headBytes(0, c)) continue
        deficit[c]! -= queue.headBytes(0, c)
        longest = Math.max(longest, visits)
        last = c
        return c
      }
    }
    for (let step = 0; step < 150; step++) {
      while (queue.packetCount(0) < 6) {
        const packet = packets.alloc()
        INTS[packet | SIZE] = 64 + random.below(9000)
        queue.push(0, packet, random.below(8), 0)
      }
      let ready = queue.full(0) & random.below(256)
      if (ready === 0) ready = queue.full(0)
      const expected = naive(ready)
      expect(scheduler.pick(ready, 0), `round ${round}, step ${step}`).toBe(expected)
      packets.free(queue.pop(0, expected))
    }
  }
  expect(longest).toBeGreaterThan(1000)
})
