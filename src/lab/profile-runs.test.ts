/** A NIC by its profile carries what was measured of it. */
import { expect, test } from 'vitest'
import { numberColumns } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './simulation/simulation.ts'

/** Payload of the middle half of the messages between two hosts, Gb/s. */
function gbps(kib: number, pairs: number): number {
  const { flows } = run(
    parseScenario(`
name: perftest
topology: {kind: dumbbell, leftHosts: 1, rightHosts: 1, bottleneckRate: 400Gbps}
nic: {profile: connectx-7}
frames: {payload: 4096B}
qp: {ackInterval: 4}
switch: {buffer: {kind: shared-buffer, size: 64MB}, ecn: {kmin: 30MB, kmax: 40MB}}
workload: [{kind: closed-loop, pairs: ["0 1"], qpsPerPair: ${pairs}, messageSize: ${kib}KiB, outstanding: 128, messages: ${2000 / pairs}}]
`),
  )
  const [ends, sizes] = numberColumns(flows, ['receivedPs', 'sizeBytes'])
  const order = [...ends.keys()].toSorted((a, b) => ends[a]! - ends[b]!)
  const [from, to] = [order.length >> 2, 3 * (order.length >> 2)]
  const bytes = order.slice(from + 1, to + 1).reduce((sum, row) => sum + sizes[row]!, 0)
  return (bytes * 8e3) / (ends[order[to]!]! - ends[order[from]!]!)
}

// nccl#2409. Fitted: the gap between two requests, on the first of them.
test.each([
  [16, 1, 380],
  [128, 1, 392.1],
  [16, 8, 391.8],
  [128, 8, 391.8],
  [1024, 8, 391.5],
])('ConnectX-7, %i KiB on %i queue pairs: %f Gb/s within 0.3 %', (kib, pairs, measured) => {
  expect(Math.abs(gbps(kib, pairs) / measured - 1)).toBeLessThan(0.003)
})
