/** Hosts with several ports: work requests over all of them, and messages while no path joins two hosts. */
import { describe, expect, test } from 'vitest'
import { run, topologyOf } from '../../src/lab/index.ts'
import { numbersOf, type Result, summarize, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const US = 1e6
const runOf = (text: string, ...sets: string[]): Result => run(parseScenario(text, { sets }), { check: true })
const statusOf = ({ flows }: Result): string[] => [...new Set(textsOf(flows, 'status'))]
const PLANES = '{kind: planes, planes: 2, leaves: 2, spines: 2, hostsPerLeaf: 3}'

describe.each(['bound', 'spray', 'least-queue'])('work requests, %s', (portChoice) => {
  test.each(['write', 'send', 'read', 'fetch-and-add', 'write-immediate'])(
    '%s: one packet after another through an idle network takes no timeout, and none stalls without timeouts',
    (operation) => {
      const size = operation === 'fetch-and-add' ? 8 : 1000
      const text = `{name: alone, topology: ${PLANES}, nic: {portChoice: ${portChoice}}, recovery: irn,
        workload: [{kind: closed-loop, pairs: ["2 0", "1 4"], messageSize: ${size}B, messages: 10, outstanding: 1,
          operation: ${operation}, workRequests: true}]}`
      for (const timeout of ['off', '320us']) {
        const result = runOf(text, `qp.ackTimeout=${timeout}`)
        expect(statusOf(result)).toEqual(['finished'])
        expect(result.counters.timeouts).toEqual({})
        expect(result.simulatedPs).toBeLessThan(100 * US)
      }
    },
  )
})

test('ACKs of work requests leave by the port at which their packet has arrived', () => {
  const scenario =
    parseScenario(`{name: acks, topology: {kind: planes, planes: 4, leaves: 2, spines: 2, hostsPerLeaf: 1},
    nic: {portChoice: spray}, recovery: irn, qp: {ackTimeout: 320us},
    workload: [{kind: trace, workRequests: true, flows: [0 1 4MB 0us]}], observe: [{kind: link-use, interval: 10ms}]}`)
  const { endpoints, hostPorts } = topologyOf(scenario)
  const [series] = run(scenario, { check: true }).series
  const [from, bytes] = ['node', 'sentBytes'].map((name) => numbersOf(series!, name)) as [Float64Array, Float64Array]
  const receiving = hostPorts[1]!.map((endpoint) => endpoints[endpoint])
  const acks = [...bytes].filter((_, row) => receiving.includes(from[row]))
  expect(acks.length).toBe(4)
  const mean = acks.reduce((sum, sent) => sum + sent, 0) / 4
  for (const sent of acks) expect(Math.abs(sent / mean - 1)).toBeLessThan(0.01)
})

test('a permutation of work requests over four planes is as fast as one of messages, but for IRN’s headers', () => {
  const [plain, work] = [false, true].map((isWork) =>
    runOf(`{name: planes, topology: {kind: planes, planes: 4, leaves: 2, spines: 2, hostsPerLeaf: 4},
      nic: {portChoice: spray}, recovery: irn, qp: {ackTimeout: 320us},
      workload: [{kind: permutation, workRequests: ${isWork}, messageSize: 1MB, messages: 1}]}`),
  ) as [Result, Result]
  expect(work.counters.retransmissions).toBeLessThan(plain.counters.retransmissions + 10)
  expect(summarize(work).goodputBps / summarize(plain).goodputBps).toBeGreaterThan(0.98)
})

test.each(['irn', '{kind: irn, resend: go-back-n}', 'irn, compat: conweave'])(
  'least-queue, %s: a lost ACK is made good by the next, and nothing circles',
  (recovery) => {
    for (let seed = 1; seed <= 20; seed++) {
      const result =
        runOf(`{name: lost, seed: ${seed}, topology: ${PLANES}, nic: {portChoice: least-queue}, pfc: {classes: []},
        recovery: ${recovery}, qp: {ackTimeout: 300us, retryLimit: off}, verbs: {receives: 1, signalEvery: 3, sendDepth: 4},
        faults: [{kind: bernoulli, probability: 0.05, packets: both}], measure: {stop: 20ms},
        workload: [{kind: closed-loop, pairs: ["2 0"], messageSize: 1024B, messages: 11, outstanding: 8, operation: send-invalidate}]}`)
      expect(statusOf(result)).toEqual(['finished'])
    }
  },
)

describe('a host that is cut off from the start, until 50 us', () => {
  const RAILS = '{kind: rails, rails: 2, groups: 1, hostsPerGroup: 3, spines: 0}'
  const FAULT = 'faults: [{kind: link-down, links: host 2, down: 0us, up: 50us}]'

  describe.each(['bound', 'spray', 'least-queue'])('%s', (portChoice) => {
    test.each(['move', 'stay'])('portDown: %s: what is sent to it waits, and goes to no other host', (portDown) => {
      const result = runOf(`{name: cut, topology: ${RAILS}, nic: {portChoice: ${portChoice}, portDown: ${portDown}},
        recovery: irn, qp: {ackTimeout: 100us, retryLimit: off}, ${FAULT},
        workload: [{kind: trace, flows: ["1 2 20KB 5us", "0 2 20KB 6us", "2 0 20KB 7us"]}],
        observe: [{kind: goodput, perHost: true, interval: 1ms}]}`)
      expect(statusOf(result)).toEqual(['finished'])
      for (const ps of numbersOf(result.flows, 'receivedPs')) expect(ps).toBeGreaterThan(50 * US)
      const [hosts, rates] = ['host', 'goodputBps'].map((name) => numbersOf(result.series[0]!, name)) as [
        Float64Array,
        Float64Array,
      ]
      expect([...rates].filter((rate, row) => hosts[row] === 1 && rate > 0)).toEqual([])
    })
  })

  test('a connection to it is opened, and is the same afterwards', () => {
    const result = runOf(`{name: loop, topology: ${RAILS}, ${FAULT}, measure: {generate: 100us, stop: 10ms},
      workload: [{kind: closed-loop, pairs: ["1 2"], messageSize: 20KB, messages: 4}]}`)
    expect(statusOf(result)).toEqual(['finished'])
    expect(result.counters.payloadBytesDelivered).toBe(80_000)
  })

  test('and is not back at the end: the reason is its link', () => {
    const result = runOf(`{name: gone, topology: ${RAILS}, qp: {ackTimeout: 100us, retryLimit: off},
      workload: [{kind: trace, flows: ["1 2 20KB 5us", "0 1 20KB 6us"]}],
      faults: [{kind: link-down, links: host 2, down: 0us}]}`)
    expect(textsOf(result.flows, 'status')).toEqual(['link down', 'finished'])
  })
})

test('broadcasts that wait at a port whose link goes down stay there', () => {
  const result = runOf(`{name: broadcast, topology: {kind: planes, planes: 2}, switch: {layer2: tables},
    workload: [{kind: permutation, messageSize: 100KB}], measure: {stop: 200us},
    faults: [{kind: broadcast, hosts: all, interval: 1us, until: 50us},
      {kind: link-down, links: host 1, down: 10us, up: 40us, converge: 10us}]}`)
  expect(result.counters.layer2!['floods']).toBeGreaterThan(100)
})
