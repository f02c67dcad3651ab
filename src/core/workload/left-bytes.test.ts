import { expect, test } from 'vitest'
import { defaultsOf, KB, NEVER_PS, US } from '../base/params.ts'
import { closedLoop, incast, permutation, poisson, type Source, trace } from './index.ts'
import { context, take } from './workloads.test-bench.ts'

/** Bytes left before each message and after the last, and the size of each; every message finishes at once. */
function follow(source: Source, most = 1000): { readonly left: number[]; readonly sizes: number[] } {
  const left = [source.leftBytes!]
  const sizes: number[] = []
  while (source.nextStartPs !== NEVER_PS && sizes.length < most) {
    const nowPs = source.nextStartPs
    sizes.push(take(source).sizeBytes)
    left.push(source.leftBytes!)
    source.onComplete(nowPs, sizes.length - 1)
  }
  return { left, sizes }
}

test('what is left is the bytes of all messages to come', () => {
  const network = context(2, 4)
  const loop = { messages: 5, messageSize: 7 * KB, outstanding: 2, qpsPerPair: 2 }
  const sources = [
    incast.create({ ...defaultsOf(incast.params), senders: 3, connections: 2, total: 1001, repetitions: 4 }, network),
    incast.create({ ...defaultsOf(incast.params), senders: 3, connections: 2, sizeEach: 101, repetitions: 2 }, network),
    closedLoop.create({ ...defaultsOf(closedLoop.params), ...loop, pairs: ['0-2 3'] }, network),
    permutation.create({ ...defaultsOf(permutation.params), ...loop }, network),
    trace.create({ ...defaultsOf(trace.params), flows: ['0 1 3KB 0us', '1 2 1B 1us', '0 1 70KB 9us'] }, network),
  ]
  for (const source of sources) {
    const { left, sizes } = follow(source)
    expect(sizes.length).toBeGreaterThan(2)
    sizes.forEach((_, i) => {
      const toComeBytes = sizes.slice(i).reduce((sum, bytes) => sum + bytes, 0)
      // Parts of an incast differ by a byte.
      expect(Math.abs(left[i]! - toComeBytes)).toBeLessThanOrEqual(6)
    })
    expect(left.at(-1)).toBe(0)
  }
})

test('of random sizes it is the mean that is left', () => {
  const { left, sizes } = follow(poisson.create({ ...defaultsOf(poisson.params), flows: 400 }, context(2, 4)))
  expect(sizes).toHaveLength(400)
  expect(left.at(-1)).toBe(0)
  expect(left[100]! / left[0]!).toBeCloseTo(0.75, 12)
})

test('where only time ends it, the number of bytes left is not known', () => {
  const network = context(2, 4, { generateUntilPs: 50 * US })
  const sources = [
    poisson.create(defaultsOf(poisson.params), network),
    closedLoop.create({ ...defaultsOf(closedLoop.params), messages: null }, network),
  ]
  expect(sources.map((source) => source.leftBytes)).toEqual([Infinity, Infinity])
})
