/** What a device hands out: domains, keys and addresses of memory, numbers of queue pairs. */
import { describe, expect, test } from 'vitest'
import { CompletionQueue } from './completion-queue.ts'
import { Device } from './device.ts'

const deviceWith = (domains: number): Device => {
  const device = new Device({ draw: () => 1 })
  for (let i = 0; i < domains; i++) expect(device.allocateDomain()).toBe(i)
  return device
}

describe('memory', () => {
  test('has keys of its own, which nobody guesses by counting', () => {
    const device = deviceWith(1)
    const regions = Array.from({ length: 300 }, () => device.register(0, 0, null, 10))
    expect(new Set(regions.map(({ key }) => key)).size).toBe(300)
    for (const region of regions) expect(device.regionOf(region.key)).toBe(region)
    expect(new Set(regions.map(({ key }) => key % 256)).size).toBeGreaterThan(200)
    expect([regions[0]!.key + 1, 0, 301 * 256].map((key) => device.regionOf(key))).toEqual([null, null, null])
  })

  test('begins at a page, and does not touch the next', () => {
    const device = deviceWith(1)
    const addresses = [1, 4095, 4096, 0, 8].map((bytes) => device.register(0, 0, null, bytes).address)
    expect(addresses.map((address) => address - addresses[0]!)).toEqual([0, 4096, 8192, 16_384, 20_480])
  })

  test('is as long as its bytes, or counted', () => {
    const device = deviceWith(1)
    expect(device.register(0, 0, new Uint8Array(7)).lengthBytes).toBe(7)
    expect([device.register(0, 0, null).lengthBytes, device.register(0, 0, null, 9).lengthBytes]).toEqual([0, 9])
  })

  test('of a domain that was not allocated is refused', () => {
    for (const domain of [-1, 2])
      expect(() => deviceWith(2).register(domain, 0, null, 8)).toThrow('no such protection domain')
    expect(deviceWith(2).register(1, 0, null, 8).domain).toBe(1)
  })

  test('is invalid when its key is taken away, and nothing else is', () => {
    const device = deviceWith(1)
    const [one, two] = [device.register(0, 0, null, 8), device.register(0, 0, null, 8)]
    device.invalidate(one.key)
    device.invalidate(12_345)
    expect([one.isValid, two.isValid]).toEqual([false, true])
  })
})

describe('queue pairs', () => {
  const queue = new CompletionQueue(4)
  const plan = { sendCompletions: queue, receiveCompletions: queue }

  test('are numbered from 2 on, and found by that', () => {
    const device = deviceWith(1)
    const pairs = [0, 1].map(() => device.createQueuePair({ ...plan, domain: 0 }))
    expect(pairs.map(({ number }) => number)).toEqual([2, 3])
    expect([2, 3, 0, 1, 4].map((number) => device.pairOf(number))).toEqual([...pairs, null, null, null])
  })

  test('share a receive queue of their own domain only', () => {
    const device = deviceWith(2)
    const shared = device.createSharedReceiveQueue(0, 4)
    expect(device.createQueuePair({ ...plan, domain: 0, shared }).isShared).toBe(true)
    expect(() => device.createQueuePair({ ...plan, domain: 1, shared })).toThrow(
      'a shared receive queue of another domain',
    )
    const foreign = deviceWith(1).createSharedReceiveQueue(0, 4)
    expect(() => device.createQueuePair({ ...plan, domain: 0, shared: foreign })).toThrow(
      'a shared receive queue of another device',
    )
  })
})
