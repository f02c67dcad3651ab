/** NCCL's rings over NICs, and its model of an all-reduce. */
import { describe, expect, test } from 'vitest'
import type { Issue } from '../../base/issue.ts'
import { channelsOf, ncclChoice, type NcclMachine } from './cost-model.ts'
import { channelsFound, ncclLayout } from './rings.ts'

/** Ranks of servers whose GPUs share NICs. */
function ranksOn(count: number, gpus: number, gpusPerNic = 1) {
  const ranks = Array.from({ length: count * gpus }, (_, rank) => rank)
  return {
    hostOf: ranks.map((rank) => Math.floor(rank / gpus)),
    portOf: ranks.map((rank) => Math.floor((rank % gpus) / gpusPerNic)),
  }
}

describe('rings', () => {
  test.each([
    [2, 8, false],
    [4, 8, true],
    [2, 4, true],
    [3, 4, false],
    [5, 1, false],
    [1, 8, false],
  ])('%i servers of %i: each channel visits every GPU once, server by server', (count, gpus, isCrossing) => {
    const ranks = ranksOn(count, gpus)
    const orders = ncclLayout(ranks, gpus, 'ring', isCrossing, [])!.orders!
    for (const order of orders) {
      expect([...order].toSorted((a, b) => a - b)).toEqual([...order.keys()])
      expect([...order].map((position) => Math.floor(position / gpus))).toEqual(ranks.hostOf)
    }
  })

  test('each NIC of a server is left by one channel and entered by one', () => {
    for (const isCrossing of [false, true]) {
      const { orders, railOf } = ncclLayout(ranksOn(4, 8), 8, 'ring', isCrossing, [])!
      for (let server = 0; server < 4; server++) {
        const entered = orders!.map((order) => order[server * 8]! % 8)
        const left = orders!.map((order, channel) => railOf?.(channel, 0) ?? order[server * 8 + 7]! % 8)
        expect(entered.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
        expect(left.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
        // It arrives at the rail that it left by.
        expect(orders!.map((order) => order[((server + 1) % 4) * 8]! % 8)).toEqual(left)
      }
    }
  })

  test('servers of different sizes, and neighbours of an odd number, are refused', () => {
    const issues: Issue[] = []
    expect(ncclLayout({ hostOf: [0, 0, 1], portOf: [0, 1, 0] }, 2, 'ring', false, issues)).toBeNull()
    expect(ncclLayout({ hostOf: [0, 1, 0, 1], portOf: [0, 0, 1, 1] }, 2, 'ring', false, issues)).toBeNull()
    expect(ncclLayout({ hostOf: [0, 0, 1, 1], portOf: [0, 1, 2, 3] }, 2, 'ring', false, issues)).toBeNull()
    expect(ncclLayout({ hostOf: [0, 0, 0], portOf: [0, 0, 1] }, 2, 'ring', false, issues)).toBeNull()
    expect(ncclLayout(ranksOn(2, 3), 3, 'ring', true, issues)).toBeNull()
    expect(issues.map(({ path }) => path)).toEqual(Array.from({ length: 5 }, () => 'channelsBy'))
  })
})

describe('other patterns', () => {
  test('two GPUs of a NIC are the first and the last of its channel: neither needs the NIC of another', () => {
    const ranks = ranksOn(2, 8, 2)
    expect(channelsFound(ranks, 'ring')).toBe(4)
    for (const isCrossing of [false, true]) {
      const { orders, railOf } = ncclLayout(ranks, 4, 'ring', isCrossing, [])!
      expect([...orders![1]!]).toEqual([2, 4, 5, 6, 7, 0, 1, 3, 10, 12, 13, 14, 15, 8, 9, 11])
      expect([0, 1, 2, 3].map((channel) => railOf!(channel, 0))).toEqual([0, 1, 2, 3])
    }
  })

  test('a chain begins at the root, the first of all ranks, with every channel', () => {
    const { orders } = ncclLayout(ranksOn(2, 4), 4, 'chain', false, [])!
    expect(orders!.map((order) => [...order])).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7],
      [0, 5, 6, 7, 4, 1, 2, 3],
      [0, 1, 6, 7, 4, 5, 2, 3],
      [0, 1, 2, 7, 4, 5, 6, 3],
    ])
  })

  test('a tree enters and leaves every server at the GPU of its NIC, whatever rings do', () => {
    const { orders, railOf } = ncclLayout(ranksOn(3, 4), 4, 'tree', true, [])!
    for (const channel of [0, 1, 2, 3]) {
      expect([0, 4, 8].map((first) => orders![channel]![first]! % 4)).toEqual([channel, channel, channel])
      expect(railOf!(channel, 0)).toBe(channel)
    }
  })

  test('ports that are not the first ones are left by, too; messages of pairs go by the NIC of the receiver', () => {
    const late = { hostOf: [0, 0, 1, 1], portOf: [4, 6, 4, 6] }
    const { railOf } = ncclLayout(late, 2, 'ring', false, [])!
    expect([0, 1].map((channel) => railOf!(channel, 0))).toEqual([4, 6])
    const pairs = ncclLayout(late, 1, 'pairs', false, [])!
    expect([0, 1, 2, 3].map((to) => pairs.railOf!(0, to))).toEqual([4, 6, 4, 6])
    expect(ncclLayout(late, 1, 'pairs', true, [])!.railOf).toBeUndefined()
  })
})

/** Bus bandwidth, GB/s. Source of the numbers: NCCL's tuning.cc, worked by another program (nccl-tests#252, #119, nccl#1244). */
describe('the model', () => {
  const busOf = (machine: NcclMachine, bytes: number, algorithm?: 'ring'): number => {
    const n = machine.servers * machine.gpus
    const { timeUs } = ncclChoice(machine, bytes, algorithm === undefined ? {} : { algorithm })
    return ((bytes / timeUs / 1e3) * 2 * (n - 1)) / n
  }
  const machine = (servers: number, gpus: number, capability: number, nics: number, gbps: number): NcclMachine => ({
    servers,
    gpus,
    capability,
    ...channelsOf(nics, gbps * 1e9),
  })

  test.each([
    [machine(2, 4, 90, 4, 200), 2 ** 33, 95.9],
    [machine(3, 8, 80, 4, 200), 133_169_160, 86.6],
    [machine(2, 8, 90, 8, 400), 2 ** 20, 32.6],
    [machine(2, 8, 90, 8, 400), 2 ** 24, 179.3],
    [machine(2, 8, 90, 8, 400), 2 ** 26, 249.8],
    [machine(2, 8, 90, 8, 400), 2 ** 28, 336.7],
    [machine(4, 8, 90, 8, 400), 2 ** 34, 382],
  ])('%o, %i bytes: %f GB/s', (job, bytes, busGBs) => {
    expect(busOf(job, bytes)).toBeCloseTo(busGBs, busGBs > 300 ? -1 : 0)
  })

  test('a NIC of 400 Gb/s is a channel of 48 GB/s, one of 200 of 24', () => {
    expect(channelsOf(8, 400e9)).toEqual({ channels: 8, channelGBs: 48 })
    expect(channelsOf(4, 200e9)).toEqual({ channels: 4, channelGBs: 24 })
  })
})
