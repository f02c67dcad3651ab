/** Hosts with several ports: their total rate, where queue pairs move when a port goes down, and how they return. */
import { describe, expect, test } from 'vitest'
import { InputError } from '../../src/core/base/issue.ts'
import { outlineOf } from '../../src/lab/advice/outline.ts'
import { createSimulation, run } from '../../src/lab/index.ts'
import { numbersOf, type Result, summarize, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const RAILS = '{kind: rails, rails: 4, groups: 2, hostsPerGroup: 2, spines: 2}'
const PLANES = '{kind: planes, planes: 4, leaves: 2, spines: 2, hostsPerLeaf: 2}'
/** Hosts 0 and 1 with two ports each on switches 2 and 3. */
const GRAPH = `{kind: graph, nodes: 4, switches: [2, 3],
  links: ["0 2 100Gbps 1us", "0 3 100Gbps 1us", "1 2 100Gbps 1us", "1 3 100Gbps 1us"]}`

const runOf = (text: string): Result => run(parseScenario(text))

function issuesOf(text: string): string[] {
  try {
    createSimulation(parseScenario(text)).close()
  } catch (error) {
    if (error instanceof InputError) return error.issues.map(({ path, expected }) => `${path}: ${expected}`)
    throw error
  }
  return []
}

describe.each(['bound', 'spray', 'least-queue'])('%s', (portChoice) => {
  test.each([
    ['rails', RAILS],
    ['planes', PLANES],
    ['graph', GRAPH],
  ])('%s: a message alone takes its ideal time, to the picosecond', (_name, topology) => {
    const far = topology === GRAPH ? 1 : 3
    const flows = [1, 1023, 1024, 1025, 4096, 5000, 1_000_000].flatMap((size, i) => [
      `"0 ${far} ${size}B ${4 * i}ms"`,
      `"${far} 0 ${size}B ${4 * i + 2}ms op=send"`,
      `"0 ${far} ${size}B ${4 * i + 3}ms op=read"`,
    ])
    const result = runOf(`{name: alone, topology: ${topology}, nic: {portChoice: ${portChoice}}, recovery: irn,
      qp: {ackTimeout: 10ms}, workload: [{kind: trace, flows: [${flows.join(', ')}]}]}`)
    const [started, received, ideal] = ['startPs', 'receivedPs', 'idealPs'].map((name) =>
      numbersOf(result.flows, name),
    ) as [Float64Array, Float64Array, Float64Array]
    const tookPs = [...received].map((ps, row) => ps - started[row]!)
    // A sender of several ports paces at their sum: the first packets start one after the other, within one packet's time.
    const laterPs = portChoice === 'bound' ? 0 : 90_000
    for (const [row, ps] of tookPs.entries()) {
      expect(ps).toBeGreaterThanOrEqual(ideal[row]!)
      expect(ps).toBeLessThanOrEqual(ideal[row]! + laterPs)
    }
  })
})

test.each(['read', 'write'])('%s over unlike links: a queue pair has one port at each end, both ways', (operation) => {
  // Host 1 has a link of 10 us and one of 100 ns, and each other host one of 1 us.
  const links = '["0 3 100Gbps 1us", "2 3 100Gbps 1us", "1 3 100Gbps 10us", "1 3 100Gbps 100ns"]'
  const result = runOf(`{name: unlike, topology: {kind: graph, nodes: 4, switches: [3], links: ${links}}, workload: [{
    kind: closed-loop, pairs: ["0 1", "2 1", "1 0", "1 2"], messageSize: 1KB, messages: 6, outstanding: 1, qpsPerPair: 2,
    operation: ${operation}, workRequests: true}]}`)
  const of = (name: string): Float64Array => numbersOf(result.flows, name)
  const [started, acknowledged, ideal] = [of('startPs'), of('acknowledgedPs'), of('idealAcknowledgedPs')]
  const rows = [...started.keys()]
  for (const row of rows) expect(acknowledged[row]! - started[row]!).toBeGreaterThanOrEqual(ideal[row]!)
  // The second queue pair that host 1 opens towards a host has the short link: 1.1 us there and back, and serialization.
  const [source, destination] =
    operation === 'read' ? [of('destination'), of('source')] : [of('source'), of('destination')]
  const own = rows.filter((row) => source[row] === 1 && destination[row] === 0)
  const least = Math.min(...own.map((row) => acknowledged[row]! - started[row]!))
  expect(least / 1e6).toBeGreaterThan(2.2)
  expect(least / 1e6).toBeLessThan(2.5)
})

/** Goodput of host 1 over time, bit/s by interval of 100 us. */
function goodputOf(portChoice: string, more: string, hostPorts = 4): number[] {
  const pairs = Array.from({ length: 16 }, () => '"0 1"').join(', ')
  const topology =
    hostPorts === 1
      ? '{kind: leaf-spine, leaves: 1, spines: 1, hostsPerLeaf: 2}'
      : `{kind: rails, rails: ${hostPorts}, groups: 1, hostsPerGroup: 2, spines: 0}`
  const result = runOf(`{name: ports, topology: ${topology}, nic: {portChoice: ${portChoice}}, recovery: irn,
    congestion: none, qp: {ackTimeout: 500us}, workload: [{kind: closed-loop, pairs: [${pairs}], messageSize: 10MB}],
    observe: [{kind: goodput, interval: 100us, perHost: true}], measure: {stop: 4ms}, ${more}}`)
  const [series] = result.series
  const [hosts, rates] = [numbersOf(series!, 'host'), numbersOf(series!, 'goodputBps')]
  return [...rates].filter((_, row) => hosts[row] === 1)
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('16 queue pairs between two hosts with four ports', () => {
  const CUT = 'faults: [{kind: link-down, links: host 0 rail 2, down: 1ms, up: 2ms, converge: 50us}]'
  const one = mean(goodputOf('bound', '', 1).slice(5, 10))

  test.each(['bound', 'spray', 'least-queue'])(
    '%s: carry four times as much, and three while one is down',
    (choice) => {
      const goodput = goodputOf(choice, CUT)
      const [before, down] = [mean(goodput.slice(5, 10)), mean(goodput.slice(12, 20))]
      expect(before / one).toBeGreaterThan(3.9)
      expect(down / before).toBeGreaterThan(0.74)
      expect(down / before).toBeLessThan(0.76)
      // Up at 2 ms, routes at 2.05 ms, ten round trips of some 5 us later all is as before.
      expect(mean(goodput.slice(21, 26)) / before).toBeGreaterThan(0.98)
      console.log(
        `${choice}: ${(before / one).toFixed(3)} of one port, ${(down / before).toFixed(3)} while one is down`,
      )
    },
  )

  test('stay where they went with portUp: stay, and do not come back to the port', () => {
    const goodput = goodputOf('bound, portUp: stay', CUT)
    expect(mean(goodput.slice(25, 40)) / mean(goodput.slice(12, 20))).toBeCloseTo(1, 2)
  })

  test('that may not move wait for their port, and give up by their retry limit where the port is the other host’s', () => {
    const down = 'faults: [{kind: link-down, links: host 0 rail 2, down: 1ms}]'
    const goodput = goodputOf('bound, portDown: stay', CUT)
    // Those of other ports go on as before; the four of this one are back when the port is.
    expect(mean(goodput.slice(12, 19)) / mean(goodput.slice(5, 10))).toBeCloseTo(0.75, 2)
    expect(mean(goodput.slice(26, 36)) / mean(goodput.slice(5, 10))).toBeGreaterThan(0.98)
    const text = `{name: stay, topology: {kind: rails, rails: 4, groups: 1, hostsPerGroup: 2, spines: 0},
      nic: {portDown: stay}, qp: {ackTimeout: 100us, retryLimit: 2}, ${down},
      workload: [{kind: trace, flows: ["0 1 10MB 900us", "0 1 10MB 900us", "0 1 10MB 900us", "0 1 10MB 900us"]}]}`
    const stopped = (status: string): string[] => ['finished', 'finished', status, 'finished']
    expect(textsOf(runOf(text).flows, 'status')).toEqual(stopped('link down'))
    const far = text.replace('links: host 0', 'links: host 1')
    expect(textsOf(runOf(far).flows, 'status')).toEqual(stopped('retry limit reached'))
    expect(textsOf(runOf(text.replace('portDown: stay', 'portDown: move')).flows, 'status')).toEqual(
      Array.from({ length: 4 }, () => 'finished'),
    )
  })
})

test('the other host too may lose a port, and queue pairs move at both ends', () => {
  for (const portChoice of ['bound', 'spray', 'least-queue']) {
    const result = runOf(`{name: far, topology: ${PLANES}, nic: {portChoice: ${portChoice}}, recovery: irn,
      workload: [{kind: closed-loop, pairs: ["0-1 2"], messageSize: 100KB, messages: 200}],
      faults: [{kind: link-down, links: "host 2 plane 0, host 2 plane 1, host 2 plane 2", down: 100us, up: 400us}]}`)
    expect(summarize(result).flows).toMatchObject({ total: 400, finished: 400 })
  }
})

test('queue pairs are bound to the ports of their host in turn, and to the same ones at the other host', () => {
  const links = (rail: number): number => {
    const flows = Array.from({ length: 8 }, (_, i) => `"0 3 100KB ${i}ms"`).join(', ')
    return runOf(`{name: turn, topology: ${RAILS}, workload: [{kind: trace, flows: [${flows}]}],
      faults: [{kind: every-nth, n: 1, links: "host 3 rail ${rail}", packets: data}], measure: {stop: 8ms}}`).counters
      .payloadBytesDelivered
  }
  expect([0, 1, 2, 3].map(links)).toEqual([600_000, 600_000, 600_000, 600_000])
})

describe('a graph', () => {
  test('names a port by host and number, and its links by the node as written', () => {
    const down = (links: string): Result =>
      runOf(`{name: graph, topology: ${GRAPH}, qp: {ackTimeout: 100us}, nic: {portDown: stay},
        workload: [{kind: trace, flows: ["0 1 1MB 0us", "0 1 1MB 0us"]}],
        faults: [{kind: link-down, links: "${links}", down: 10us}], measure: {stop: 3ms}}`)
    const finished = (result: Result): number => summarize(result).flows.finished
    expect(finished(down('host 0 port 2'))).toBe(1)
    expect(finished(down('0-3'))).toBe(1)
    expect(finished(down('host 0'))).toBe(0)
    expect(finished(down('0'))).toBe(0)
  })

  test('takes fixed routes to hosts with one port only', () => {
    const text = `{name: routes, topology: ${GRAPH.replace('links:', 'routes: ["2: 1 via 2"], links:')}, workload: [permutation]}`
    expect(issuesOf(text)).toEqual(['topology.routes.0: hosts with one port'])
  })
})

test('settings that need one port per host, or several, are refused', () => {
  const star = '{name: one, topology: {kind: star, hosts: 2}, workload: [permutation], NIC}'
  expect(issuesOf(star.replace('NIC', 'nic: {portChoice: spray}'))).toEqual([
    'nic.portChoice: bound, or hosts with several ports (topology rails, planes or graph)',
  ])
  const several = `{name: several, topology: ${RAILS}, workload: [permutation], NIC}`
  expect(issuesOf(several.replace('spines: 2', 'spines: 0').replace('NIC', 'seed: 2'))).toEqual([
    'topology.spines: spines, as there are several groups',
  ])
})

test('packets of one queue pair that take several ports overtake each other, which check notes', () => {
  const notes = (more: string): unknown[] => {
    const scenario = parseScenario(`{name: notes, topology: ${RAILS}, workload: [permutation], ${more}}`)
    const simulation = createSimulation(scenario)
    const found = outlineOf(scenario, simulation).findings
    simulation.close()
    return found
      .filter(({ id }) => id === 'reordering-taken-for-loss')
      .map(({ subject, values }) => [subject, values['recovery'], values['under']])
  }
  expect(notes('nic: {portChoice: spray}')).toEqual([[{ path: 'nic.portChoice' }, 'go-back-n', 'nic.portChoice spray']])
  expect(notes('nic: {portChoice: bound}')).toEqual([])
  expect(notes('nic: {portChoice: spray}, recovery: irn')).toEqual([
    [{ path: 'nic.portChoice' }, 'irn', 'nic.portChoice spray'],
  ])
})
