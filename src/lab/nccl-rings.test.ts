/** All-reduces over servers with a NIC for each GPU, as NCCL lays its rings: the bandwidth of the bus is that of all NICs. */
import { expect, test } from 'vitest'
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
  const [call] = collectivesOf(result)
  return call!.busBps / 1e9
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
