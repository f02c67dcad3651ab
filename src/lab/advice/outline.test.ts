import { describe, expect, test } from 'vitest'
import { createSimulation, run } from '../index.ts'
import { numbersOf } from '../../core/results/index.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { type Outline, outlineOf } from './outline.ts'

function outline(scenario: Scenario): Outline {
  const simulation = createSimulation(scenario)
  return outlineOf(scenario, simulation)
}

test.each([
  'recovery: go-back-n',
  'classes: {classify: pcp}',
  'recovery: {kind: irn, extraHeader: 16B}',
  'recovery: iwarp',
])('with %s the outline counts as many messages as a run posts, where headers count as load', (more) => {
  const scenario = parseScenario(`
name: outline
topology: {kind: star, hosts: 3, linkRate: 1Gbps}
frames: {payload: 64B}
workload: [{kind: poisson, load: 0.9, loadBasis: wire, sizes: {kind: fixed, size: 640B}}]
measure: {generate: 2ms, stop: 2ms}
${more}`)
  const [expected] = outline(scenario).workloads
  expect(expected?.how).toBe('exact')
  expect(expected?.messages).toBeGreaterThan(100)
  expect(expected?.messages).toBe(run(scenario).flows.rowCount)
})

test('headroom is listed by rate and delay of the ports, with the rest of the buffer', () => {
  const scenario = parseScenario(`
name: plan
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, fabricRate: 400Gbps}
switch: {buffer: {kind: shared-buffer, size: 8MB}}
workload: [{kind: incast, senders: 2}]
`)
  const plan = outline(scenario).headroom!
  // Links between switches have two such ports each.
  expect(plan.kinds.map(({ rateBps, ports }) => [rateBps / 1e9, ports])).toEqual([
    [100, 4],
    [400, 8],
  ])
  expect(plan.kinds.every(({ roundedBytes, givenBytes }) => givenBytes === roundedBytes)).toBe(true)
  // A leaf has two ports of each kind, and 8 reserves a port.
  const { reserve, reservedClasses } = scenario.switch.buffer as { reserve: number; reservedClasses: number }
  const kept = plan.kinds.reduce((sum, { givenBytes }) => sum + 2 * givenBytes, 4 * reservedClasses * reserve)
  const spine = 2 * plan.kinds[1]!.givenBytes + 2 * reservedClasses * reserve
  expect(plan.poolBytes).toBe(8_000_000 - Math.max(kept, spine))
})

test.each([
  ['{kind: star, hosts: 3}', ['0-1: 3 at 100, null']],
  ['{kind: dumbbell, bottleneckRate: 40Gbps}', ['0-1: 4 at 100, null', '1-1: 1 at 40, null']],
  ['{kind: leaf-spine}', ['0-1: 64 at 100, null', '1-2: 16 at 400, 1']],
  // Leaf 0 has 4 hosts of 100 Gb/s and links of 40 and 100 Gb/s to the spines, leaf 1 two of 100 Gb/s.
  [
    '{kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, fabricRate: 100Gbps, rates: ["leaf 0-spine 1: 40Gbps"]}',
    ['0-1: 8 at 100, null', `1-2: 4 at 40-100, ${400 / 140}`],
  ],
  ['{kind: fat-tree, arity: 4, hostsPerEdge: 6}', ['0-1: 48 at 40, null', '1-2: 16 at 40, 3', '2-3: 16 at 40, 1']],
  ['{kind: clos-podset}', ['0-1: 1152 at 40, null', '1-2: 192 at 40, 6', '2-3: 128 at 40, 1.5']],
])('the links of %s are listed tier by tier, with their oversubscription', (topology, reported) => {
  const scenario = parseScenario(`{name: n, topology: ${topology}, workload: [{kind: incast, senders: 1}]}`)
  const shown = outline(scenario).stages.map(({ lowerTier, upperTier, links, rateMinBps, rateMaxBps, downOverUp }) => {
    const rates = [...new Set([rateMinBps / 1e9, rateMaxBps / 1e9])].join('-')
    return `${lowerTier}-${upperTier}: ${links} at ${rates}, ${downOverUp}`
  })
  expect(shown).toEqual(reported)
})

test.each([
  ['{kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 32}', ['0 host 0-127', '1 leaf 128-131', '2 spine 132-133']],
  ['{kind: dumbbell, leftHosts: 2, rightHosts: 2}', ['0 host 0-3', '1 left, right 4-5']],
  [
    '{kind: graph, nodes: 5, switches: [1, 2], links: ["0 1 1Gbps 1us", "1 2 1Gbps 1us", "2 3 1Gbps 1us", "4 1 1Gbps 1us"]}',
    ['0 host 0-0 3-4', '1 switch 1-2'],
  ],
])('the nodes of %s have the numbers that faults take', (topology, reported) => {
  const scenario = parseScenario(`{name: n, topology: ${topology}, workload: [{kind: incast, senders: 1}]}`)
  const runs = outline(scenario).nodes.map(({ tier, name, ids }) => [
    tier,
    name,
    ...ids.map(([first, last]) => `${first}-${last}`),
  ])
  expect(runs.map((parts) => parts.join(' '))).toEqual(reported)
})

describe('NIC state of IRN', () => {
  const FAR = `
name: far
topology: {kind: dumbbell, leftHosts: 2, rightHosts: 1, bottleneckDelay: 9us}
recovery: irn
qp: {ackTimeout: 1ms}
workload: [{kind: trace, flows: [0 2 4MB 0us, 1 2 4MB 0us]}]
observe: [{kind: rates, interval: 1us}]
`

  test('is computed for the most packets that a queue pair has in flight', () => {
    const scenario = parseScenario(FAR)
    const irn = outline(scenario).irnState!
    const { series } = run(scenario)
    const [una, nxt] = ['una', 'nxt'].map((name) => numbersOf(series[0]!, name))
    expect(Math.max(...nxt!.map((psn, row) => psn - una![row]!))).toBe(irn.capPackets)
    // [IRN] 6.1: 160 bits of variables, and five bitmaps.
    expect(irn.capPackets).toBeGreaterThan(128)
    // The next power of two that holds the cap.
    expect(irn.bitmapPackets).toBe(2 ** Math.ceil(Math.log2(irn.capPackets)))
    expect(irn.state.variableBits + irn.state.bitmapBits).toBe(160 + 5 * irn.bitmapPackets)
  })

  test('equals that of [IRN] in its network, and follows the cap', () => {
    const of = (...sets: string[]) => outline(parseScenario(FAR, { sets })).irnState
    expect(of('topology.bottleneckDelay=1us')).toMatchObject({
      bitmapPackets: 128,
      state: { bitmapBits: 640, wqeBytes: 3 },
    })
    expect(of('recovery.cap=110')).toMatchObject({ capPackets: 110, bitmapPackets: 128 })
    expect(of('recovery.cap=600')).toMatchObject({ capPackets: 600, state: { bitmapBits: 5120 } })
  })

  test('covers all ports of a host if packets of a queue pair use several', () => {
    const scenarioOf = (portChoice: string): Scenario =>
      parseScenario(`
name: ports
topology: {kind: planes, planes: 3, leaves: 2, spines: 1, hostsPerLeaf: 2, fabricDelay: 4us}
nic: {portChoice: ${portChoice}}
recovery: irn
qp: {ackTimeout: 1ms}
workload: [{kind: trace, flows: [0 2 8MB 0us, 1 2 8MB 0us]}]
observe: [{kind: rates, interval: 1us}]
`)
    const capOf = (portChoice: string): number => outline(scenarioOf(portChoice)).irnState!.capPackets
    const bound = capOf('bound')
    for (const portChoice of ['spray', 'least-queue']) {
      const capPackets = capOf(portChoice)
      expect(capPackets / bound).toBeCloseTo(3, 1)
      const { series } = run(scenarioOf(portChoice))
      const [una, nxt] = ['una', 'nxt'].map((name) => numbersOf(series[0]!, name))
      expect(Math.max(...nxt!.map((psn, row) => psn - una![row]!))).toBe(capPackets)
    }
  })

  test.each(['recovery=go-back-n', 'recovery.resend=go-back-n', 'recovery.bdpFlowControl=false'])(
    'is null with %s',
    (set) => {
      expect(outline(parseScenario(FAR, { sets: [set] })).irnState).toBeNull()
    },
  )
})
