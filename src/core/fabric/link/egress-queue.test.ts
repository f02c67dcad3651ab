import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { INTS, Memory } from '../../base/memory.ts'
import { EgressQueues } from './egress-queue.ts'
import { Packets, SIZE } from '../packets.ts'
import { PortRecords } from './port-records.ts'

const memory = new Memory()
const packets = new Packets(memory)

function packetOf(sizeBytes: number): number {
  const packet = packets.alloc()
  INTS[packet | SIZE] = sizeBytes
  return packet
}

/** Egress queues of ports that keep this many inputs apart. */
function queuesOf(inputs: readonly number[]): EgressQueues {
  return new EgressQueues(new PortRecords(inputs.length, memory), inputs, memory)
}

describe('virtual output queues', () => {
  test('T-VOQ-1: inputs A with two packets, B and C with one are served a1, b1, c1, a2', () => {
    const queue = queuesOf([3])
    const [a1, a2, b1, c1] = [1, 2, 3, 4].map((bytes) => packetOf(bytes)) as [number, number, number, number]
    queue.push(0, a1, 3, 0)
    queue.push(0, a2, 3, 0)
    queue.push(0, b1, 3, 1)
    queue.push(0, c1, 3, 2)
    expect([1, 2, 3, 4].map(() => queue.pop(0, 3))).toEqual([a1, b1, c1, a2])
  })

  test('an input that joins late waits for one round, not for all packets before it', () => {
    const queue = queuesOf([2])
    const first = Array.from({ length: 4 }, () => packetOf(100))
    for (const packet of first) queue.push(0, packet, 0, 0)
    expect(queue.pop(0, 0)).toBe(first[0])
    const late = packetOf(100)
    queue.push(0, late, 0, 1)
    expect([queue.pop(0, 0), queue.pop(0, 0)]).toEqual([late, first[1]])
  })
})

test('classes are independent', () => {
  const queue = queuesOf([1])
  const [a, b] = [packetOf(100), packetOf(200)]
  queue.push(0, a, 0, 4)
  queue.push(0, b, 7, 2)
  expect([queue.full(0), queue.bytesOf(0, 0), queue.bytesOf(0, 7)]).toEqual([0b1000_0001, 100, 200])
  expect([queue.headBytes(0, 7), queue.pop(0, 7), queue.full(0)]).toEqual([200, b, 1])
})

/** A list of lists. */
class Twin {
  readonly lists = new Map<string, number[]>()
  readonly #inputs: number
  readonly #pointer = Array.from({ length: 8 }, () => -1)
  constructor(inputs: number) {
    this.#inputs = inputs
  }
  list(trafficClass: number, input: number): number[] {
    const key = `${trafficClass}/${this.#inputs === 1 ? 0 : input}`
    const list = this.lists.get(key) ?? []
    this.lists.set(key, list)
    return list
  }
  pop(trafficClass: number): number {
    for (let i = 1; i <= this.#inputs; i++) {
      const input = (this.#pointer[trafficClass]! + i + this.#inputs) % this.#inputs
      const list = this.list(trafficClass, input)
      if (list.length === 0) continue
      this.#pointer[trafficClass] = input
      return list.shift()!
    }
    return -1
  }
  all(trafficClass: number): number[] {
    return [...this.lists].filter(([key]) => key.startsWith(`${trafficClass}/`)).flatMap(([, list]) => list)
  }
}

test('equals lists of lists after any pushes and pops; two ports are independent', () => {
  const call = fc.record({
    isPush: fc.boolean(),
    trafficClass: fc.constantFrom(0, 3, 7),
    input: fc.nat(3),
    sizeBytes: fc.integer({ min: 1, max: 9216 }),
    which: fc.nat(1),
  })
  let popped = 0
  const wrong: number[] = []
  fc.assert(
    fc.property(fc.constantFrom(1, 4), fc.array(call, { minLength: 40, maxLength: 120 }), (inputs, calls) => {
      const queues = queuesOf([inputs, inputs])
      const twins = [new Twin(inputs), new Twin(inputs)]
      const sizes = new Map<number, number>()
      for (const { isPush, trafficClass, input, sizeBytes, which } of calls) {
        const twin = twins[which]!
        if (isPush) {
          const packet = packetOf(sizeBytes)
          sizes.set(packet, sizeBytes)
          queues.push(which, packet, trafficClass, input)
          twin.list(trafficClass, input).push(packet)
        } else if ((queues.full(which) & (1 << trafficClass)) !== 0) {
          const headBytes = queues.headBytes(which, trafficClass)
          const packet = queues.pop(which, trafficClass)
          if (packet !== twin.pop(trafficClass) || headBytes !== sizes.get(packet)) wrong.push(packet)
          popped++
        }
        let count = 0
        for (let c = 0; c < 8; c++) {
          const waiting = twin.all(c)
          count += waiting.length
          expect(queues.bytesOf(which, c)).toBe(waiting.reduce((sum, packet) => sum + sizes.get(packet)!, 0))
          expect((queues.full(which) & (1 << c)) !== 0).toBe(waiting.length > 0)
        }
        expect([queues.packetCount(which), wrong]).toEqual([count, []])
      }
    }),
    { numRuns: 200 },
  )
  expect(popped).toBeGreaterThan(1000)
})
