/** Collectives over servers as NCCL lays them: the bandwidth of the bus is what the bytes that cross NICs leave of these. */
import { describe, expect, test } from 'vitest'
import { collectivesOf } from '../core/results/index.ts'
import { run } from './index.ts'
import { parseScenario } from './scenario/index.ts'

/** Gb/s of the bus. NICs do not acknowledge every packet: ACKs of all would take 2 % of a link. */
function busGbps(servers: number, nics: number, gbps: number, more = '', bytes = 64 * 2 ** 20): number {
  const result = run(
    parseScenario(`
name: rings
topology: {kind: rails, rails: ${nics}, groups: 1, hostsPerGroup: ${servers}, spines: 0, hostRate: ${gbps}Gbps, hostDelay: 300ns}
frames: {payload: 4096B}
congestion: none
qp: {ackInterval: 4}
switch: {buffer: {kind: shared-buffer, size: 64MB}}
workload:
  - {kind: collective, ranks: port, size: ${bytes}B, insideRate: 3600Gbps, insideLatency: 1us, ${more}}
`),
  )
  // Messages inside a server are no flows, and done.
  expect(result.unposted).toEqual({})
  const calls = collectivesOf(result)
  expect(calls).toHaveLength(1)
  return calls[0]!.busBps / 1e9
}

/** Microseconds of an all-reduce of 64 KiB over 2 servers of 8. */
const microseconds = (step: string): number => {
  const gbps = busGbps(2, 8, 400, `channelsBy: nccl, ${step}`, 65_536)
  return (65_536 * 8 * (30 / 16)) / gbps / 1e3
}

test('a step latency is paid where a ring crosses servers, a step time by every message that crosses', () => {
  const [plain, latency, busy] = ['', 'stepLatency: 11us', 'stepTime: 11us'].map(microseconds) as [
    number,
    number,
    number,
  ]
  // 30 steps around a ring of 16 of which two edges cross: three or four crossings, and 30 messages by each edge.
  expect(latency - plain).toBeGreaterThan(2.9 * 11)
  expect(latency - plain).toBeLessThan(4.1 * 11)
  expect(busy).toBeGreaterThan(29 * 11)
})

/** Payload of a link: 4096 bytes in 4178, and the header of a WRITE. */
const CEILING = 4096 / (4096 + 82)

test.each([
  [2, 8, 400],
  [4, 8, 400],
  [2, 4, 400],
  [2, 4, 200],
])('%i servers of %i NICs of %i Gb/s: within 1 % of their links', (servers, nics, gbps) => {
  const ratio = busGbps(servers, nics, gbps, 'channelsBy: nccl') / (nics * gbps * CEILING)
  expect(ratio).toBeGreaterThan(0.99)
  expect(ratio).toBeLessThanOrEqual(1)
})

test('by the NIC of the neighbour, as without PXN, it is the same', () => {
  expect(busGbps(2, 4, 400, 'channelsBy: nccl, crossNic: true') / (4 * 400 * CEILING)).toBeGreaterThan(0.99)
})

test('in one order for all channels every channel leaves a server by the same NIC', () => {
  expect(busGbps(2, 4, 400, 'channels: 4') / (4 * 400 * CEILING)).toBeLessThan(0.26)
})

test.each([2, 4])('%i servers of 8 GPUs that share 4 NICs: within one percent of these', (servers) => {
  const ratio = busGbps(servers, 4, 400, 'gpusPerNic: 2, channelsBy: nccl') / (4 * 400 * CEILING)
  expect(ratio).toBeGreaterThan(0.99)
  expect(ratio).toBeLessThanOrEqual(1)
})

describe('trees', () => {
  const MIB = 2 ** 20
  const tree = 'channelsBy: nccl, algorithm: double-binary-tree, slices: 64'

  test('between two servers each half of the buffer crosses once in each direction: the bus is faster than the NICs', () => {
    const ratio = busGbps(2, 8, 400, tree) / (8 * 400 * CEILING)
    // 2 (n - 1) / n of 16 GPUs, less the time that the first piece takes through 16 of them and back.
    expect(ratio).toBeGreaterThan(1.65)
    expect(ratio).toBeLessThan(2 * (15 / 16))
  })

  test('a fourth of the buffer leaves the busiest NIC of four servers: the bus of a ring, nearly', () => {
    // Inner servers send up one tree once and down to two children, and up the other: four halves of a channel's share.
    const ratio = busGbps(4, 4, 400, tree, 256 * MIB) / (4 * 400 * CEILING)
    expect(ratio).toBeGreaterThan(0.98 * (15 / 16))
    expect(ratio).toBeLessThan(15 / 16)
  })

  test('it makes no difference to them whether a GPU may use the NIC of another', () => {
    expect(busGbps(2, 4, 400, `${tree}, crossNic: true`)).toBe(busGbps(2, 4, 400, tree))
  })
})

/** Each GPU sends to those of the other servers, each to one of a rail: rails have no spine. */
test.each([
  [2, 8, 'crossNic: false'],
  [4, 8, 'crossNic: false'],
  [4, 4, 'crossNic: true'],
])('all-to-all over %i servers of %i NICs, %s: the share of its own server leaves no NIC', (servers, gpus, more) => {
  const n = servers * gpus
  const expected = ((400 * CEILING * servers) / (servers - 1)) * ((n - 1) / n)
  const ratio = busGbps(servers, gpus, 400, `operation: all-to-all, channelsBy: nccl, ${more}`) / expected
  expect(ratio).toBeGreaterThan(0.98)
  expect(ratio).toBeLessThanOrEqual(1)
})

test('a broadcast goes along a chain by default, every channel of it from the root by a NIC of its own', () => {
  const ratio = busGbps(2, 4, 400, 'operation: broadcast, channelsBy: nccl, slices: 64') / (4 * 400 * CEILING)
  expect(ratio).toBeGreaterThan(0.9)
  expect(ratio).toBeLessThanOrEqual(1)
})
