import { describe, expect, test } from 'vitest'
import { InputError } from '../base/issue.ts'
import { defaultsOf, GBPS, NS, US } from '../base/params.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import {
  adjacencyOf,
  closPodset,
  computeRoutes,
  dumbbell,
  fatTree,
  graph,
  leafSpine,
  planes,
  rails,
  star,
  topologies,
  type Topology,
} from './index.ts'
import { longestPaths } from './longest-paths.test-bench.ts'

const GRAPH = {
  nodes: 4,
  switches: [2, 3],
  links: ['0 2 40Gbps 2us', '2 3 100Gbps 1us loss=1e-4', '1 3 40Gbps 2us'],
  names: [],
  routes: [],
}
const PLANES = 3
const GENERATED: readonly (readonly [string, Topology])[] = [
  ['star', star.build({ ...defaultsOf(star.params), hosts: 5 })],
  ['dumbbell', dumbbell.build({ ...defaultsOf(dumbbell.params), leftHosts: 3 })],
  ['leaf-spine', leafSpine.build(defaultsOf(leafSpine.params))],
  ['fat-tree', fatTree.build(defaultsOf(fatTree.params))],
  ['clos-podset', closPodset.build({ ...defaultsOf(closPodset.params), serversPerTor: 2, tors: 3, spines: 8 })],
  ['rails', rails.build({ ...defaultsOf(rails.params), rails: 3, hostsPerGroup: 2 })],
  ['planes', planes.build({ ...defaultsOf(planes.params), planes: PLANES, hostsPerLeaf: 2 })],
  ['graph', graph.build(GRAPH)],
]

/** Number of shortest paths that the routes hold from one node to a host. */
function pathCount(topology: Topology, from: number, to: number): number {
  const routes = computeRoutes(topology)
  const adjacency = adjacencyOf(topology)
  const known = new Map<number, number>([[to, 1]])
  const walk = (node: number): number => {
    const before = known.get(node)
    if (before !== undefined) return before
    const list = routes.listAt(node, routes.hostIndexOf[to]!)
    let sum = 0
    for (let i = 0; i < routes.listLength[list]!; i++) {
      const port = routes.ports[routes.listStart[list]! + i]!
      sum += walk(adjacency.neighbor[adjacency.start[node]! + port - 1]!)
    }
    known.set(node, sum)
    return sum
  }
  return walk(from)
}

const issuesOf = (build: () => unknown): string[] => {
  try {
    build()
  } catch (error) {
    if (error instanceof InputError)
      return error.issues.map((issue) => `${issue.path}: ${issue.expected}, ${issue.received}`)
    throw error
  }
  return []
}

test('every registered topology is checked here', () => {
  expect(GENERATED.map(([name]) => name)).toEqual(topologies.map((topology) => topology.name))
})

describe.each(GENERATED)('%s', (name, topology) => {
  const isJoined = (a: number, b: number): boolean => name !== 'planes' || a % PLANES === b % PLANES

  test('numbers hosts first and switches tier by tier', () => {
    expect(topology.endpoints).toEqual(topology.endpoints.map((_, position) => position))
    expect([...topology.tiers].sort((a, b) => a - b)).toEqual(topology.tiers)
    expect(topology.tiers.filter((tier) => tier === 0)).toHaveLength(topology.endpoints.length)
    expect(new Set(topology.names).size).toBe(topology.nodeCount)
  })
  test('joins every pair of hosts, in planes by ports of one plane, with as many paths one way as back', () => {
    const routes = computeRoutes(topology)
    const count = topology.endpoints.length
    for (let a = 0; a < count; a++) {
      for (let b = 0; b < count; b++) expect(routes.listAt(a, b) >= 0).toBe(a !== b && isJoined(a, b))
    }
    const last = count - 1
    const first = isJoined(0, last) ? 0 : PLANES - 1
    expect(pathCount(topology, first, last)).toBe(pathCount(topology, last, first))
  })
  test('has no link of a node to itself and every host on one tier-1 switch', () => {
    const adjacency = adjacencyOf(topology)
    for (const { a, b } of topology.links) expect(a).not.toBe(b)
    for (const host of topology.endpoints) {
      expect(adjacency.start[host + 1]! - adjacency.start[host]!).toBe(1)
      expect(topology.tiers[adjacency.neighbor[adjacency.start[host]!]!]).toBe(1)
    }
  })
})

describe('hosts with several ports', () => {
  test('on rails: port r of every host is on the leaf of rail r of its group', () => {
    const topology = rails.build({ ...defaultsOf(rails.params), rails: 3, groups: 2, hostsPerGroup: 2 })
    expect(topology.hostPorts).toHaveLength(4)
    const { start, neighbor } = adjacencyOf(topology)
    topology.hostPorts.forEach((ports, host) => {
      const leaves = ports.map((port) => topology.names[neighbor[start[port]!]!])
      expect(leaves).toEqual([0, 1, 2].map((rail) => `leaf ${Math.floor(host / 2)}.${rail}`))
    })
  })
  test('on planes: port p of every host is on plane p, and no leaf of a plane reaches another', () => {
    const topology = planes.build({ ...defaultsOf(planes.params), planes: 3, hostsPerLeaf: 2 })
    const { start, neighbor } = adjacencyOf(topology)
    for (const ports of topology.hostPorts) {
      ports.forEach((port, plane) => {
        const seen = new Set([port])
        for (const node of seen) for (const next of neighbor.subarray(start[node], start[node + 1])) seen.add(next)
        const names = [...seen].map((node) => topology.names[node]!)
        expect(names.filter((name) => name.startsWith('leaf')).every((name) => name.startsWith(`leaf ${plane}.`))).toBe(
          true,
        )
        expect(names.filter((name) => name.startsWith('spine'))).toHaveLength(2)
      })
    }
  })
})

describe('fat tree', () => {
  test.each([2, 4, 6, 8, 10])(
    'of arity %i has k^3/4 hosts, 5k^2/4 switches of k ports and (k/2)^2 paths between pods',
    (k) => {
      const topology = fatTree.build({ ...defaultsOf(fatTree.params), arity: k })
      expect(topology.endpoints).toHaveLength(k ** 3 / 4)
      expect(topology.nodeCount - topology.endpoints.length).toBe((5 * k ** 2) / 4)
      const { start } = adjacencyOf(topology)
      for (let node = topology.endpoints.length; node < topology.nodeCount; node++)
        expect(start[node + 1]! - start[node]!).toBe(k)
      expect(pathCount(topology, 0, topology.endpoints.length - 1)).toBe((k / 2) ** 2)
      expect(pathCount(topology, 0, Math.max(1, k / 2))).toBe(k / 2)
    },
  )
  test('[IRN]: 54 hosts, 45 switches of six ports, 6 pods', () => {
    const topology = fatTree.build(defaultsOf(fatTree.params))
    const { start, neighbor } = adjacencyOf(topology)
    const portsOf = (node: number): number => start[node + 1]! - start[node]!
    const switches = topology.tiers.flatMap((tier, node) => (tier === 0 ? [] : [node]))
    expect([topology.endpoints.length, switches.length]).toEqual([54, 45])
    expect(new Set(switches.map(portsOf))).toEqual(new Set([6]))
    // A pod is what hangs together without the core.
    const core = Math.max(...topology.tiers)
    const podOf = new Map<number, number>()
    const reach = (node: number, pod: number): void => {
      if (podOf.has(node) || topology.tiers[node] === core) return
      podOf.set(node, pod)
      for (const next of neighbor.subarray(start[node], start[node + 1])) reach(next, pod)
    }
    for (const host of topology.endpoints) reach(host, host)
    expect(new Set(podOf.values()).size).toBe(6)
  })
  test('[IRN]: 120 KB fill the longest path, six links of 2 us there and back at 40 Gb/s', () => {
    const { longestPathHops, maxOneWayPs } = longestPaths(fatTree.build(defaultsOf(fatTree.params)))
    expect([longestPathHops, maxOneWayPs, (40e9 * 2 * maxOneWayPs) / 8e12]).toEqual([6, 12 * US, 120_000])
  })
  test('[IRN]: there and back on the longest path, and behind six full inputs of 240 KB, take about 320 us', () => {
    const params = defaultsOf(fatTree.params)
    const { maxOneWayPs } = longestPaths(fatTree.build(params))
    const queuePs = (params.arity * 240_000 * 8e12) / params.linkRate
    expect((2 * maxOneWayPs + queuePs) / US).toBe(312)
    expect(Math.abs(312 / 320 - 1)).toBeLessThan(0.05)
  })
  test('of [IRN] has a base round trip of 24 us and paths of six hops', () => {
    const topology = fatTree.build(defaultsOf(fatTree.params))
    expect(longestPaths(topology)).toEqual({ longestPathHops: 6, maxOneWayPs: 12 * US })
    expect(longestPaths(topology, 1000).maxOneWayPs).toBe(12 * US + 6 * 200 * NS)
  })
  test('has ports downwards first, and core port p + 1 leads to pod p', () => {
    const topology = fatTree.build({ ...defaultsOf(fatTree.params), arity: 4 })
    const { start, neighbor } = adjacencyOf(topology)
    const behind = (node: number): number[] => [...neighbor.subarray(start[node], start[node + 1])]
    expect(behind(16)).toEqual([0, 1, 24, 25])
    expect(behind(24)).toEqual([16, 17, 32, 33])
    expect(behind(25)).toEqual([16, 17, 34, 35])
    expect(behind(35)).toEqual([25, 27, 29, 31])
  })
  test('takes the number of hosts on an edge and a rate for each tier', () => {
    const values = {
      arity: 4,
      hostsPerEdge: 6,
      linkRate: 100 * GBPS,
      hostRate: 25 * GBPS,
      aggregationCoreRate: 400 * GBPS,
    }
    const topology = fatTree.build({ ...defaultsOf(fatTree.params), ...values })
    const { start, neighbor } = adjacencyOf(topology)
    expect([topology.endpoints.length, topology.nodeCount - 48]).toEqual([48, 20])
    const edge = topology.names.indexOf('edge 1.0')
    const behind = [...neighbor.subarray(start[edge], start[edge + 1])].map((node) => topology.names[node])
    expect(behind).toEqual([
      ...Array.from({ length: 6 }, (_, i) => `host ${12 + i}`),
      'aggregation 1.0',
      'aggregation 1.1',
    ])
    const rates = [0, 1, 2].map((tier) =>
      topology.links.flatMap(({ a, rateBps }) => (topology.tiers[a] === tier ? [rateBps / GBPS] : [])),
    )
    expect(rates.map((of) => [of.length, ...new Set(of)])).toEqual([
      [48, 25],
      [16, 100],
      [16, 400],
    ])
  })
  test('refuses an odd arity', () => {
    expect(issuesOf(() => fatTree.build({ ...defaultsOf(fatTree.params), arity: 5 }))).toEqual([
      'arity: an even number, 5',
    ])
  })
})

describe('Clos of podsets as in [MS-Scale] section 5.4', () => {
  const topology = closPodset.build(defaultsOf(closPodset.params))
  const { start, neighbor } = adjacencyOf(topology)
  const uplinks = (node: number): number => {
    let up = 0
    for (let at = start[node]!; at < start[node + 1]!; at++)
      if (topology.tiers[neighbor[at]!]! > topology.tiers[node]!) up++
    return up
  }
  const oversubscription = (node: number): number => (start[node + 1]! - start[node]! - uplinks(node)) / uplinks(node)
  const nodesOf = (tier: number): number[] => topology.tiers.flatMap((t, node) => (t === tier ? [node] : []))

  test('has 2 x 576 servers, 48 ToRs, 8 leaves, 64 spines', () => {
    expect([0, 1, 2, 3].map((tier) => nodesOf(tier).length)).toEqual([1152, 48, 8, 64])
  })
  test('is oversubscribed 6:1 at every ToR and 3:2 at every leaf', () => {
    for (const tor of nodesOf(1)) expect(oversubscription(tor)).toBe(6 / 1)
    for (const leaf of nodesOf(2)) expect(oversubscription(leaf)).toBe(3 / 2)
  })
  test('has 128 leaf-spine links, 64 and 2.56 Tb/s per podset', () => {
    const fabric = topology.links.filter(({ b }) => topology.tiers[b] === 3)
    expect(fabric).toHaveLength(128)
    const ofFirst = fabric.filter(({ a }) => topology.names[a]!.startsWith('leaf 0.'))
    expect(ofFirst).toHaveLength(64)
    expect(ofFirst.reduce((sum, link) => sum + link.rateBps, 0)).toBe(2560 * GBPS)
  })
  test('has 64 paths between podsets, 4 inside one, and 3.22 us of propagation one way', () => {
    expect(pathCount(topology, 0, 1151)).toBe(64)
    expect(pathCount(topology, 0, 24)).toBe(4)
    expect(longestPaths(topology)).toEqual({ longestPathHops: 6, maxOneWayPs: 3220 * NS })
  })
  test('takes 20 to 40 servers a ToR, tens of ToRs and tens to hundreds of spines ([MS-Scale] section 2)', () => {
    for (const sizes of [
      { serversPerTor: 20, tors: 10, spines: 16 },
      { serversPerTor: 40, tors: 48, spines: 256 },
    ]) {
      const text = JSON.stringify({ kind: 'clos-podset', ...sizes })
      const scenario = parseScenario(`name: t\ntopology: ${text}\nworkload: [{kind: incast, senders: 1}]\n`)
      const { topology: values } = scenario
      if (values.kind !== 'clos-podset') throw new Error('another topology')
      const clos = closPodset.build(values)
      const countOf = (tier: number): number => clos.tiers.filter((each) => each === tier).length
      expect([countOf(1), countOf(3)]).toEqual([2 * sizes.tors, sizes.spines])
      expect(countOf(0)).toBe(2 * sizes.tors * sizes.serversPerTor)
      expect(new Set(clos.links.map(({ rateBps }) => rateBps))).toEqual(new Set([40 * GBPS]))
    }
  })
  test('refuses spines that do not divide among the leaves', () => {
    expect(issuesOf(() => closPodset.build({ ...defaultsOf(closPodset.params), spines: 66 }))).toEqual([
      'spines: a multiple of leaves (4), 66',
    ])
  })
})

describe('graph', () => {
  test('reads links, tiers and fixed routes', () => {
    const topology = graph.build({ ...GRAPH, routes: ['2: 0-1 via 2,1', ' 3:1,0 via 1 '] })
    expect(topology.links[1]).toEqual({ a: 2, b: 3, rateBps: 100 * GBPS, delayPs: 1 * US, lossRatio: 1e-4 })
    expect(topology.links[0]!.lossRatio).toBe(0)
    expect(topology.tiers).toEqual([0, 0, 1, 1])
    expect(topology.fixedRoutes).toEqual([
      { node: 2, destinations: [0, 1], ports: [2, 1] },
      { node: 3, destinations: [1, 0], ports: [1] },
    ])
  })
  test('takes hosts in any place and two hosts on one cable', () => {
    const topology = graph.build({
      nodes: 5,
      switches: [0],
      links: ['0 1 1Gbps 1ns', '0 3 1Gbps 1ns', '4 2 1Gbps 1ns'],
      names: [],
      routes: [],
    })
    expect(topology.endpoints).toEqual([1, 2, 3, 4])
    const routes = computeRoutes(topology)
    // Hosts 2 and 4 have each other and nobody else.
    expect(routes.listAt(2, 1)).toBe(-1)
    expect(routes.listAt(2, 3)).toBeGreaterThanOrEqual(0)
    expect(routes.listAt(2, 0)).toBe(-1)
  })
  test('gives a host a port for each of its links, the first with its own number and the others behind all nodes', () => {
    const links = ['0 2 1Gbps 1ns', '0 3 1Gbps 1ns', '1 2 1Gbps 1ns', '1 0 1Gbps 1ns', '2 3 1Gbps 1ns']
    const topology = graph.build({ nodes: 4, switches: [2, 3], links, names: [], routes: [] })
    expect(topology.hostPorts).toEqual([
      [0, 2, 4],
      [1, 3],
    ])
    expect(topology.endpoints).toEqual([0, 1, 4, 5, 6])
    expect(topology.links.map(({ a, b }) => [a, b])).toEqual([
      [0, 2],
      [4, 3],
      [1, 2],
      [5, 6],
      [2, 3],
    ])
    expect(topology.names).toEqual([
      'host 0 port 1',
      'host 1 port 1',
      'switch 2',
      'switch 3',
      'host 0 port 2',
      'host 1 port 2',
      'host 0 port 3',
    ])
    expect([...topology.writtenAs]).toEqual([
      [4, 0],
      [5, 1],
      [6, 0],
    ])
  })
  test('counts tiers from the nearest host', () => {
    const chain = ['0 1 1Gbps 1ns', '1 2 1Gbps 1ns', '2 3 1Gbps 1ns']
    expect(graph.build({ nodes: 5, switches: [1, 2, 3, 4], links: chain, names: [], routes: [] }).tiers).toEqual([
      0, 1, 2, 3, 1,
    ])
  })
  test('reports every unreadable link and switch at once', () => {
    const links = [
      '0 2 40 2us',
      '0 9 40Gbps 2us',
      '1 1 40Gbps 2us',
      '0 2 40Gbps 2us loss=2',
      '0 2 0Gbps 2',
      'nonsense',
      '0 3 40Gbps 2us',
    ]
    expect(issuesOf(() => graph.build({ nodes: 4, switches: [2, 2, 7], links, names: [], routes: [] }))).toEqual([
      'switches.1: each switch once, 2 again',
      'switches.2: a node 0 to 3, 7',
      'links.0: a rate above 0 such as 40Gbps, "40"',
      'links.1: a node 0 to 3, "9"',
      'links.2: two different nodes, 1 and 1',
      'links.3: loss=P with P from 0 to 1, "loss=2"',
      'links.4: a rate above 0 such as 40Gbps, "0Gbps"',
      'links.4: a delay such as 2us, or a length of cable such as 40m, "2"',
      'links.5: "A B RATE DELAY [loss=P]", "nonsense"',
    ])
  })
  test('reports every unreadable route at once, and hosts without a link', () => {
    const routes = [
      '2: 0 via 3',
      '2: 2 via 1',
      '2: 0-9 via 1',
      '7: 0 via 1',
      'nonsense',
      '3: 1-0 via 1',
      '3: 0 via 2,2',
      '3: 0,1 via 1',
      '3: 1 via 2',
    ]
    expect(issuesOf(() => graph.build({ ...GRAPH, nodes: 5, routes }))).toEqual([
      'links: a link at node 4, a host, none',
      'routes.0: ports 1 to 2 of node 2, "3"',
      'routes.1: hosts as destinations, the switch 2',
      'routes.2: hosts as destinations, the switch 2',
      'routes.3: a node 0 to 4, 7',
      'routes.3: ports 1 to 0 of node 7, "1"',
      'routes.4: "NODE: HOSTS via PORTS", for example "54: 3-53 via 4,5,6", "nonsense"',
      'routes.5: node ids of hosts and ranges such as 3-53, "1-0"',
      'routes.6: each port once, 2 again',
      'routes.8: one route from node 3 to node 1, a second one after routes.7',
    ])
  })
})
