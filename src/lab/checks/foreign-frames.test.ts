/** Hosts take only what is addressed to them, wherever links lead, and say that no path joins them. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { INTS } from '../../core/base/memory.ts'
import { Nic } from '../../core/fabric/nic/nic.ts'
import { DESTINATION } from '../../core/fabric/packets.ts'
import { numbersOf, type Result, summarize, textsOf } from '../../core/results/index.ts'
import { parseScenario } from '../scenario/index.ts'
import { run } from '../index.ts'

/** Two pairs of hosts back to back: no path joins one pair with the other. */
const PAIRS = 'kind: graph, nodes: 4, switches: [], links: ["0 1 100Gbps 1us", "2 3 100Gbps 1us"]'
const runOf = (topology: string, workload: string, ...sets: readonly string[]): Result =>
  run(parseScenario(`{name: foreign, topology: {${topology}}, workload: [{${workload}}]}`, { sets: [...sets] }), {
    check: true,
  })
const statusOf = ({ flows }: Result): readonly string[] => textsOf(flows, 'status')

afterEach(() => vi.restoreAllMocks())

test('a message to a host that no path leads to is not delivered to the one at the other end of the link', () => {
  const result = runOf(PAIRS, 'kind: trace, flows: ["0 3 1MB 0s", "0 1 1MB 0s"]')
  expect(statusOf(result)).toEqual(['stalled: no route', 'finished'])
  expect(result.counters.drops).toEqual({ 'wrong host': 977 })
  expect(result.counters.payloadBytesDelivered).toBe(1_000_000)
})

test('an incast over one link has the rate of that link, and the senders elsewhere deliver nothing', () => {
  const result = runOf(PAIRS, 'kind: incast, senders: 3, receiver: 0, sizeEach: 1MB')
  const finished = numbersOf(result.flows, 'source').filter((_, row) => statusOf(result)[row] === 'finished')
  expect([...finished]).toEqual([1])
  expect(summarize(result).goodputBps).toBeLessThan(100e9)
})

test('one of two hosts hangs on a switch, the other on a link: no path in either direction', () => {
  const mixed = 'kind: graph, nodes: 5, switches: [4], links: ["0 4 100Gbps 1us", "1 4 100Gbps 1us", "2 3 100Gbps 1us"]'
  const result = runOf(mixed, 'kind: trace, flows: ["2 0 1MB 0s", "0 2 1MB 0s"]')
  expect(statusOf(result)).toEqual(['stalled: no route', 'stalled: no route'])
  expect(result.counters.drops).toEqual({ 'wrong host': 977, 'no route': 977 })
})

test('a NIC with a receive pipeline does not store what is not its own', () => {
  const sets = ['nic.receive={kind: pipeline, packetTime: 1us}', 'measure.stop=3ms']
  const result = runOf(PAIRS, 'kind: trace, flows: ["0 3 1MB 0s"]', ...sets)
  expect(result.counters.drops).toEqual({ 'wrong host': 977 })
  expect(result.counters.pauseFrames).toBe(0)
})

describe('no path is the reason, not what follows from it', () => {
  const ISLANDS =
    'kind: graph, nodes: 6, switches: [4, 5], links: ["0 4 100Gbps 1us", "1 4 100Gbps 1us", "2 5 100Gbps 1us", "3 5 100Gbps 1us"]'
  const WORKLOAD = 'kind: trace, flows: ["0 2 1MB 0s", "0 1 1MB 0s", "3 1 1MB 0s op=read"]'
  const REASONS = ['stalled: no route', 'finished', 'stalled: no route']

  test.each<readonly [string, readonly string[]]>([
    ['without timeouts', []],
    ['with timeouts and no end of retries', ['qp.ackTimeout=1ms', 'qp.retryLimit=off']],
    ['at a stop', ['qp.ackTimeout=1ms', 'qp.retryLimit=off', 'measure.stop=20ms']],
    [
      'beside losses of other reasons',
      ['faults=[{kind: bernoulli, probability: 0.01, links: 0-4}]', 'qp.ackTimeout=1ms', 'qp.retryLimit=off'],
    ],
    ['for work requests', ['workload.0.workRequests=true', 'qp.ackTimeout=1ms', 'qp.retryLimit=off']],
  ])('%s', (_what, sets) => {
    expect(statusOf(runOf(ISLANDS, WORKLOAD, ...sets))).toEqual(REASONS)
  })
})

test('the law catches a NIC that takes everything', () => {
  // As it was once.
  const receive = Reflect.get(Nic.prototype, 'receive') as (this: Nic, packet: number) => void
  vi.spyOn(Nic.prototype, 'receive').mockImplementation(function takeAll(this: Nic, packet) {
    INTS[packet | DESTINATION] = this.position
    receive.call(this, packet)
  })
  expect(() => runOf(PAIRS, 'kind: trace, flows: ["0 3 1MB 0s"]')).toThrow(
    /broken law .*host 1 took a frame of another host/,
  )
})
