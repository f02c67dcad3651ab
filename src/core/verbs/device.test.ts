/** Resources of a device: domains, keys and addresses of memory, numbers of queue pairs. */
import { describe, expect, test } from 'vitest'
import { LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ, REMOTE_WRITE } from './access.ts'
import { CompletionQueue } from './queues/completion-queue.ts'
import { Device } from './device.ts'

const deviceWith = (domains: number): Device => {
  const device = new Device({ draw: () => 1 })
  for (let i = 0; i < domains; i++) expect(device.allocateDomain()).toBe(i)
  return device
}

describe('memory', () => {
  test('has a key of its own, not predictable by counting', () => {
    const device = deviceWith(1)
    const regions = Array.from({ length: 300 }, () => device.register(0, 0, null, 10))
    expect(new Set(regions.map(({ key }) => key)).size).toBe(300)
    for (const region of regions) expect(device.regionOf(region.key)).toBe(region)
    expect(new Set(regions.map(({ key }) => key % 256)).size).toBeGreaterThan(200)
    expect([regions[0]!.key + 1, 0, 301 * 256].map((key) => device.regionOf(key))).toEqual([null, null, null])
  })

  test('begins at a page boundary and does not reach the next region', () => {
    const device = deviceWith(1)
    const addresses = [1, 4095, 4096, 0, 8].map((bytes) => device.register(0, 0, null, bytes).address)
    expect(addresses.map((address) => address - addresses[0]!)).toEqual([0, 4096, 8192, 16_384, 20_480])
  })

  test('is as long as its bytes, or has a length without bytes', () => {
    const device = deviceWith(1)
    expect(device.register(0, 0, new Uint8Array(7)).lengthBytes).toBe(7)
    expect([device.register(0, 0, null).lengthBytes, device.register(0, 0, null, 9).lengthBytes]).toEqual([0, 9])
  })

  test('of a domain that was not allocated is refused', () => {
    for (const domain of [-1, 2])
      expect(() => deviceWith(2).register(domain, 0, null, 8)).toThrow(
        'domain: expected a protection domain of this device: a whole number below 2',
      )
    expect(deviceWith(2).register(1, 0, null, 8).domain).toBe(1)
  })

  test('has only lengths and rights that are valid', () => {
    const device = deviceWith(1)
    const made = (access: number, lengthBytes?: number) => () => device.register(0, access, null, lengthBytes)
    for (const lengthBytes of [NaN, -10_000, 1.5, 2 ** 40])
      expect(made(0, lengthBytes)).toThrow(/^lengthBytes: expected/)
    for (const access of [16, -1, 0.5, NaN]) expect(made(access, 8)).toThrow(/^access: expected bits of/)
    for (const access of [REMOTE_WRITE, REMOTE_ATOMIC | REMOTE_READ]) {
      expect(made(access, 8)).toThrow(/^access: expected LOCAL_WRITE beside/)
    }
    expect(() => device.register(0, 0, new Uint8Array(8), 9)).toThrow(/^lengthBytes: expected as many .* 8, received 9/)
    // Refused registrations used no address and no key.
    const [one, two] = [device.register(0, REMOTE_READ, null, 8), device.register(0, LOCAL_WRITE, null, 8)]
    expect([two.address - one.address, device.regionOf(one.key), device.regionOf(two.key)]).toEqual([4096, one, two])
  })

  test('is invalid once its key is invalidated, and no other is', () => {
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

  test('are numbered from 2 on and found by number', () => {
    const device = deviceWith(1)
    const pairs = [0, 1].map(() => device.createQueuePair({ ...plan, domain: 0 }))
    expect(pairs.map(({ number }) => number)).toEqual([2, 3])
    expect([2, 3, 0, 1, 4].map((number) => device.pairOf(number))).toEqual([...pairs, null, null, null])
  })

  test('have only domains and depths that exist', () => {
    const device = deviceWith(1)
    expect(() => device.createQueuePair({ ...plan, domain: 99 })).toThrow(/^domain: expected a protection domain/)
    expect(() => device.createSharedReceiveQueue(99, 4)).toThrow(/^domain: expected a protection domain/)
    for (const depth of [-4, NaN, 2.5]) {
      expect(() => device.createQueuePair({ ...plan, domain: 0, sendDepth: depth })).toThrow(/^sendDepth: expected/)
      expect(() => device.createQueuePair({ ...plan, domain: 0, receiveDepth: depth })).toThrow(/^receiveDepth: exp/)
      expect(() => device.createSharedReceiveQueue(0, depth)).toThrow(/^capacity: expected/)
    }
  })

  test('share only receive queues of their own domain', () => {
    const device = deviceWith(2)
    const shared = device.createSharedReceiveQueue(0, 4)
    expect(device.createQueuePair({ ...plan, domain: 0, shared }).isShared).toBe(true)
    expect(() => device.createQueuePair({ ...plan, domain: 1, shared })).toThrow(
      'shared: expected a shared receive queue of domain 1, received one of domain 0',
    )
    const foreign = deviceWith(1).createSharedReceiveQueue(0, 4)
    expect(() => device.createQueuePair({ ...plan, domain: 0, shared: foreign })).toThrow(
      'shared: expected a shared receive queue of this device',
    )
  })
})
