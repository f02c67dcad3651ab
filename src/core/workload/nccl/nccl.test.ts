/** NCCL's rings over NICs, and its model of an all-reduce. */
import { describe, expect, test } from 'vitest'
import type { Issue } from '../../base/issue.ts'
import { channelsOf, ncclChoice, type NcclMachine } from './cost-model.ts'
import { ncclRings } from './rings.ts'

const hosts = (servers: number, gpus: number): number[] =>
  Array.from({ length: servers * gpus }, (_, rank) => Math.floor(rank / gpus))

describe('rings', () => {
  test.each([
    [2, 8, false],
    [4, 8, true],
    [2, 4, true],
    [3, 4, false],
    [5, 1, false],
    [1, 8, false],
  ])('%i servers of %i: each channel visits every GPU once, server by server', (servers, gpus, isCrossing) => {
    const { orders } = ncclRings(hosts(servers, gpus), gpus, isCrossing, [])!
    for (const order of orders) {
      expect([...order].toSorted((a, b) => a - b)).toEqual([...order.keys()])
      expect([...order].map((position) => Math.floor(position / gpus))).toEqual(hosts(servers, gpus))
    }
  })

  test('each NIC of a server is left by one channel and entered by one', () => {
    for (const isCrossing of [false, true]) {
      const { orders, railOf } = ncclRings(hosts(4, 8), 8, isCrossing, [])!
      for (let server = 0; server < 4; server++) {
        const entered = orders.map((order) => order[server * 8]! % 8)
        const left = orders.map((order, channel) => railOf?.(channel) ?? order[server * 8 + 7]! % 8)
        expect(entered.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
        expect(left.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
        // It arrives at the rail that it left by.
        expect(orders.map((order) => order[((server + 1) % 4) * 8]! % 8)).toEqual(left)
      }
    }
  })

  test('servers of different sizes, and neighbours of an odd number, are refused', () => {
    const issues: Issue[] = []
    expect(ncclRings([0, 0, 1], 2, false, issues)).toBeNull()
    expect(ncclRings([0, 1, 0, 1], 2, false, issues)).toBeNull()
    expect(ncclRings(hosts(2, 3), 3, true, issues)).toBeNull()
    expect(issues.map(({ path }) => path)).toEqual(['channelsBy', 'channelsBy', 'channelsBy'])
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
