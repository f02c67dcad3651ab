/**
 * Queue pairs are released when they are over. The twin is the same run in which no queue pair is ever over, so that all are kept.
 */
import { afterEach, expect, test, vi } from 'vitest'
import { PairTable } from '../core/fabric/pairs/pair-table.ts'
import { QueuePair } from '../core/fabric/pairs/queue-pair.ts'
import type { Result } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './simulation/simulation.ts'

afterEach(() => vi.restoreAllMocks())

const OBSERVERS = `
observe:
  - {kind: pair-goodput, interval: 3us}
  - {kind: rates, interval: 3us}
  - {kind: rates, interval: 5us, pairs: "0-1", table: chosen}
`

/** The results of a run that may be compared, and how many of its queue pairs were released. */
function play(text: string): { result: Result; released: number } {
  const release = vi.spyOn(PairTable.prototype, 'release')
  const result = run(parseScenario(text), { check: true })
  const released = release.mock.calls.length
  release.mockRestore()
  return { result, released }
}

function playKeepingAll(text: string): Result {
  const isOver = vi.spyOn(QueuePair.prototype, 'isOver', 'get').mockReturnValue(false)
  const { result, released } = play(text)
  expect(released).toBe(0)
  isOver.mockRestore()
  return result
}

const LOSSES = 'faults: [{kind: bernoulli, probability: 0.01, links: all, packets: both}]'
const TIMED = 'qp: {ackInterval: 1, ackTimeout: 100us, retryLimit: off}'

test.each([
  ['go-back-N, which acknowledges duplicates', `recovery: go-back-n\n${TIMED}\n${LOSSES}`],
  ['check-EPSN, whose receiver has a timer', `recovery: check-epsn\n${TIMED}\n${LOSSES}`],
  ['IRN with DCQCN, whose CNPs come late', `recovery: irn\ncongestion: dcqcn\n${TIMED}\n${LOSSES}`],
  [
    'MP-RDMA over many paths',
    `recovery: mp-rdma\ncongestion: mp-rdma\nqp: {ackInterval: 1, ackTimeout: 100us, retryLimit: off, ecnEcho: ack}`,
  ],
  ['LDCP on a NIC that asks for round-trip times', `congestion: ldcp-pcc\nqp: {ackInterval: 1}`],
  ['QCN, whose switches send messages', `congestion: qcn\nswitch: {qcn: {classes: [3]}, ecn: {classes: []}}`],
  ['held ACKs', `qp: {ackInterval: 1, ackCoalescing: 4, ackDelay: 20us}`],
  ['the list of the HPCC fork, which finished queue pairs leave late', `compat: hpcc`],
])('%s: the result is the same as if every queue pair were kept', (_, lines) => {
  const text = `
name: released
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 25Gbps}
workload:
  - {kind: poisson, load: 0.5, sizes: {kind: fixed, size: 6KB}}
measure: {generate: 300us}
${lines}
${OBSERVERS}`
  const { result, released } = play(text)
  expect(result.flows.rowCount).toBeGreaterThan(300)
  // Those that leave last are still there at the end.
  expect(released).toBeGreaterThan(0.8 * result.flows.rowCount)
  expect(result).toEqual(playKeepingAll(text))
})

test('results are the same for READs, and for messages that share a queue pair', () => {
  const text = `
name: reads
topology: {kind: star, hosts: 4, linkRate: 25Gbps}
workload:
  - {kind: poisson, load: 0.3, sizes: {kind: fixed, size: 6KB}, operation: read}
  - {kind: closed-loop, pairs: ["0 1"], messageSize: 8KB, messages: 20}
measure: {generate: 300us}
qp: {ackTimeout: 100us, retryLimit: off}
${LOSSES}
${OBSERVERS}`
  const { result, released } = play(text)
  expect(released).toBeGreaterThan(0.8 * (result.flows.rowCount - 20))
  expect(result).toEqual(playKeepingAll(text))
})
