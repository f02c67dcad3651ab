/**
 * Many paths for one QP: two leaves, four spines, four hosts at each leaf; 40 Gb/s everywhere but where a test says.
 * Four flows from leaf to leaf have room for all of them only if they use every path for what it carries.
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, textsOf, type Result } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const FLOW_BYTES = 10e6
const PACKETS = 4 * Math.ceil(FLOW_BYTES / 1024)
/** Serialization time of `bytes` of payload, with headers and gaps. */
const wireMs = (bytes: number, gbps: number): number => ((bytes / 1024) * 1106 * 8) / (gbps * 1e9) / 1e-3

/** Leaves 8 and 9, spines 10 to 13; the link from the last spine down to leaf 9 has `lastGbps`. */
function outcome(lastGbps: number, sets: readonly string[] = []): Result {
  const hosts = [0, 1, 2, 3, 4, 5, 6, 7].map((host) => `${host} ${host < 4 ? 8 : 9} 40Gbps 1us`)
  const spines = [10, 11, 12, 13]
  const links = [
    ...hosts,
    ...spines.map((spine) => `8 ${spine} 40Gbps 1us`),
    ...spines.map((spine) => `9 ${spine} ${spine === 13 ? lastGbps : 40}Gbps 1us`),
  ]
  const text = `
name: paths
topology: {kind: graph, nodes: 14, switches: [8, 9, 10, 11, 12, 13], links: ${JSON.stringify(links)}}
qp: {ecnEcho: ack, ackTimeout: 320us}
switch: {ecn: {kmin: 20KB, kmax: 20KB, pmax: 1}}
recovery: mp-rdma
congestion: mp-rdma
workload: [{kind: trace, flows: ["0 4 10MB 0us", "1 5 10MB 0us", "2 6 10MB 0us", "3 7 10MB 0us"]}]
observe: [{kind: link-use, interval: 500us}]
`
  return run(parseScenario(text, { sets: [...sets] }), { check: true })
}

const ONE_PATH = ['recovery=go-back-n', 'congestion=dctcp']

/** Completion time of the last flow, or Infinity. */
function lastMs({ flows }: Result): number {
  if (textsOf(flows, 'status').some((status) => status !== 'finished')) return Infinity
  return Math.max(...numbersOf(flows, 'receivedPs')) / 1e9
}

/** Shares of the four paths in the traffic from leaf 8 upwards in an interval of 500 us. */
function sharesIn(result: Result, interval: number): number[] {
  const table = result.series[0]!
  const [from, node, port, bytes] = ['fromPs', 'node', 'port', 'sentBytes'].map((name) => numbersOf(table, name))
  const sent = [5, 6, 7, 8].map((up) =>
    bytes!.reduce(
      (sum, each, row) => (from![row] === interval * 500e6 && node![row] === 8 && port![row] === up ? sum + each : sum),
      0,
    ),
  )
  const all = sent.reduce((sum, each) => sum + each, 0)
  return sent.map((each) => each / all)
}

describe.each([1, 2, 3])('seed %i', (seed) => {
  const seeded = [`seed=${seed}`]

  test('equal paths are all used, and hardly anything is sent twice: four flows take hardly longer than one alone', () => {
    const result = outcome(40, seeded)
    expect(lastMs(result)).toBeLessThan(1.03 * wireMs(FLOW_BYTES, 40))
    for (const share of sharesIn(result, 2)) expect(share).toBeCloseTo(0.25, 1)
    // Only the ends of the flows are resent, when there is nothing else to send.
    expect(result.counters.retransmissions).toBeLessThan(0.01 * PACKETS)
  })

  test('a path at a quarter of the rate gets about a quarter of the traffic, and the others are full', () => {
    const result = outcome(10, seeded)
    expect(lastMs(result)).toBeLessThan(1.2 * wireMs(4 * FLOW_BYTES, 130))
    const shares = sharesIn(result, 3)
    expect(shares[3]).toBeGreaterThan(0.5 * (10 / 130))
    expect(shares[3]).toBeLessThan(1.4 * (10 / 130))
    for (const share of shares.slice(0, 3)) expect(share).toBeCloseTo(40 / 130, 1)
  })

  test('flows that keep to one path each collide and take much longer', () => {
    for (const lastGbps of [40, 10])
      expect(lastMs(outcome(lastGbps, [...seeded, ...ONE_PATH]))).toBeGreaterThan(
        1.4 * lastMs(outcome(lastGbps, seeded)),
      )
  })

  test('reordering stays within the bitmap because slow paths are cut off: without that it overflows again and again', () => {
    const withDelta = outcome(10, seeded).counters.retransmissions
    const without = outcome(10, [...seeded, 'recovery.delta=1000']).counters.retransmissions
    expect(withDelta).toBeLessThan(0.04 * PACKETS)
    expect(without).toBeGreaterThan(2 * withDelta)
  })

  test('a path that is cut costs the packets on it, and the flows go on over the others', () => {
    const result = outcome(40, [...seeded, 'faults=[{kind: link-down, links: "9-13", down: 1ms}]'])
    expect(result.counters.drops['link down']).toBeGreaterThan(0)
    expect(lastMs(result)).toBeLessThan(1.35 * wireMs(4 * FLOW_BYTES, 120))
    expect(sharesIn(result, 3)[3]).toBe(0)
  })
})
