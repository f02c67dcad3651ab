/** Routes and floods that close circles of buffers are found, and no others. */
import { describe, expect, test } from 'vitest'
import { findCircle } from '../base/circle.ts'
import { createRandomStreams } from '../base/random.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { adjacencyOf } from './adjacency.ts'
import { bufferCircle, type BufferCircle } from './buffer-circle.ts'
import { BufferDependencies, type FloodPorts } from './buffer-dependencies.ts'
import { topologies } from './index.ts'
import { computeRoutes } from './routes.ts'
import type { Topology, TopologyDefinition } from './topology.ts'
import { isUpDown } from './up-down.ts'

const known: readonly TopologyDefinition[] = topologies

/** Flooding by every switch with hosts: to all its ports, or only to those with hosts. */
function floodsOfHosts(topology: Topology, to: 'all' | 'hosts'): FloodPorts {
  const hosts = new Set(topology.endpoints)
  const portsOf = new Map<number, number[]>()
  const portCount = new Map<number, number>()
  const add = (node: number, peer: number): void => {
    const port = (portCount.get(node) ?? 0) + 1
    portCount.set(node, port)
    if (to === 'all' || hosts.has(peer)) portsOf.set(node, [...(portsOf.get(node) ?? []), port])
  }
  const withHosts = new Set<number>()
  for (const { a, b } of topology.links) {
    if (hosts.has(a)) withHosts.add(b)
    if (hosts.has(b)) withHosts.add(a)
    add(a, b)
    add(b, a)
  }
  return new Map([...portsOf].filter(([node]) => withHosts.has(node) && !hosts.has(node)))
}

function built(text: string): Topology {
  const { topology } = parseScenario(`name: t\ntopology: ${text}\nworkload: [{kind: incast, senders: 1}]\n`)
  return known.find(({ name }) => name === topology.kind)!.build(topology)
}

function linksOf(topology: Topology) {
  const dependencies = new BufferDependencies(topology, computeRoutes(topology))
  const links = Array.from({ length: dependencies.links }, (_, link) => link)
  return { links, nextOf: (link: number) => dependencies.nextOf(link) }
}

const circleOf = (text: string): number[] | null => {
  const topology = built(text)
  return bufferCircle(topology, computeRoutes(topology))?.steps.map(({ node }) => node) ?? null
}

/** A ring of `count` switches with one host each. */
function ring(count: number, routes: readonly string[] = []): string {
  const hosts = Array.from({ length: count }, (_, k) => `${k} ${count + k} 100Gbps 1us`)
  const ringLinks = Array.from({ length: count }, (_, k) => `${count + k} ${count + ((k + 1) % count)} 100Gbps 1us`)
  const switches = Array.from({ length: count }, (_, k) => count + k)
  const links = [...hosts, ...ringLinks]
  return `{kind: graph, nodes: ${2 * count}, switches: ${JSON.stringify(switches)}, links: ${JSON.stringify(links)}, routes: ${JSON.stringify(routes)}}`
}

describe('without flooding, up-down routes of Clos networks close no circle [MS-Scale 4.2]', () => {
  test.each([
    '{kind: star, hosts: 5}',
    '{kind: dumbbell}',
    '{kind: leaf-spine}',
    '{kind: fat-tree, arity: 6}',
    '{kind: clos-podset}',
    '{kind: rails}',
    '{kind: planes}',
  ])('in %s no buffers wait for each other', (text) => {
    expect(circleOf(text)).toBeNull()
    const topology = built(text)
    // The two switches of a dumbbell are of one tier.
    expect(isUpDown(topology, computeRoutes(topology))).toBe(!text.includes('dumbbell'))
    const { links, nextOf } = linksOf(topology)
    expect(findCircle(links, nextOf)).toBeNull()
  })

  test('a fixed route that climbs again is none of them, and neither is a ring', () => {
    const bounced = built('{kind: leaf-spine, leaves: 3, spines: 2, hostsPerLeaf: 1}')
    // Spine 0 hands packets for host 0 to leaf 2, which sends them up again.
    const routes = [{ node: 6, destinations: [0], ports: [3] }]
    const climbing = { ...bounced, fixedRoutes: routes }
    expect(isUpDown(climbing, computeRoutes(climbing))).toBe(false)
    const circle = built(ring(3))
    expect(isUpDown(circle, computeRoutes(circle))).toBe(false)
  })

  test('in 60 Clos networks of random size none do, and flooding by the ToRs closes one where there are two ways round', () => {
    const random = createRandomStreams(11).stream('clos')
    const from = (least: number, most: number): number => least + random.below(most - least + 1)
    let flooded = 0
    for (let k = 0; k < 60; k++) {
      const leaves = from(1, 4)
      const tors = from(1, 4)
      const podsets = k % 2 === 0 ? from(1, 3) : 1
      const text =
        k % 2 === 0
          ? `{kind: clos-podset, podsets: ${podsets}, leaves: ${leaves}, tors: ${tors}, serversPerTor: ${from(1, 3)}, spines: ${leaves * from(1, 3)}}`
          : `{kind: leaf-spine, leaves: ${tors}, spines: ${leaves}, hostsPerLeaf: ${from(1, 3)}}`
      const topology = built(text)
      const routes = computeRoutes(topology)
      expect(bufferCircle(topology, routes), text).toBeNull()
      expect(isUpDown(topology, routes), text).toBe(true)
      const { links, nextOf } = linksOf(topology)
      expect(findCircle(links, nextOf), text).toBeNull()
      expect(bufferCircle(topology, routes, floodsOfHosts(topology, 'hosts')), text).toBeNull()
      const circle = bufferCircle(topology, routes, floodsOfHosts(topology, 'all'))
      expect(circle !== null, text).toBe(leaves > 1 && tors * podsets > 1)
      if (circle === null) continue
      flooded++
      // Between ToRs that share no leaf it goes through spines.
      expect(circle.steps, text).toHaveLength(tors > 1 ? 4 : 8)
      expect(circle.steps.filter(({ isFlooded }) => isFlooded)).toHaveLength(2)
    }
    expect(flooded).toBeGreaterThan(20)
  })
})

describe('the circle of [MS-Scale 4.2], figure 4', () => {
  // Nodes: S1 0, S2 1, S3 2, S4 3, S5 4, T0 5, T1 6, La 7, Lb 8.
  const figure4 = built(
    `{kind: graph, nodes: 9, switches: [5, 6, 7, 8], links: ["0 5 40Gbps 10ns", "1 5 40Gbps 10ns", "2 6 40Gbps 10ns", "3 6 40Gbps 10ns", "4 6 40Gbps 10ns", "5 7 40Gbps 100ns", "5 8 40Gbps 100ns", "6 7 40Gbps 100ns", "6 8 40Gbps 100ns"]}`,
  )
  const routes = computeRoutes(figure4)

  test('is not there while the ToRs flood nothing', () => expect(bufferCircle(figure4, routes)).toBeNull())

  test('goes T0 to La to T1 to Lb, or the other way round, and both ToRs flood', () => {
    const { steps } = bufferCircle(figure4, routes, floodsOfHosts(figure4, 'all'))!
    expect(portsOf({ steps })).toEqual(['5.3 > 7.1', '7.2 > 6.4', '6.5 > 8.2', '8.1 > 5.4'])
    expect(steps.map(({ isFlooded }) => isFlooded)).toEqual([false, true, false, true])
    // Packets for S3, S4 or S5 come down to T1, those for S1 or S2 to T0.
    expect(steps.map(({ host }) => (host < 2 ? 'T0' : 'T1'))).toEqual(['T1', 'T1', 'T0', 'T0'])
  })

  test('needs both: a flood by one of the ToRs alone closes none', () => {
    const all = floodsOfHosts(figure4, 'all')
    for (const tor of [5, 6]) expect(bufferCircle(figure4, routes, new Map([[tor, all.get(tor)!]]))).toBeNull()
  })
})

const portsOf = ({ steps }: BufferCircle): string[] =>
  steps.map(({ node, port, peer, peerPort }) => `${node}.${port} > ${peer}.${peerPort}`)

describe('a ring', () => {
  test('of three: everybody is next to everybody', () => expect(circleOf(ring(3))).toBeNull())

  test('of four: the switch across is two hops away, either way round', () => {
    expect(new Set(circleOf(ring(4)))).toEqual(new Set([4, 5, 6, 7]))
  })

  test('of four with one way across left is none, and with all of them one way round it is one', () => {
    // Across by switch 5 or 7 from 4 and 6, and by switch 4 or 6 from 5 and 7: one choice each, and the other way back.
    const back = ['4: 2 via 2', '6: 0 via 2', '5: 3 via 2', '7: 1 via 3']
    expect(circleOf(ring(4, back))).toBeNull()
    const round = ['4: 2 via 2', '5: 3 via 3', '6: 0 via 3', '7: 1 via 3']
    expect(circleOf(ring(4, round))).toEqual([4, 5, 6, 7])
  })
})

/** A connected network of a few switches and hosts, with fixed routes at random. */
function randomNetwork(random: { below(count: number): number }): Topology {
  const switches = 3 + random.below(6)
  const hosts = 3 + random.below(6)
  const links = Array.from({ length: hosts }, (_, host) => `${host} ${hosts + random.below(switches)} 100Gbps 1us`)
  for (let a = 0; a < switches; a++) {
    for (let b = a + 1; b < switches; b++) {
      if (b === a + 1 || random.below(12) === 0) links.push(`${hosts + a} ${hosts + b} 100Gbps 1us`)
    }
  }
  if (random.below(5) > 0) links.push(`${hosts} ${hosts + switches - 1} 100Gbps 1us`)
  const ids = Array.from({ length: switches }, (_, at) => hosts + at)
  const plain = built(graphText(hosts + switches, ids, links, []))
  // A fixed route may lead anywhere but to a host that is not the destination, even back or round for ever.
  const { start, neighbor } = adjacencyOf(plain)
  const fixed = new Map<string, string>()
  for (let k = random.below(4); k > 0; k--) {
    const node = hosts + random.below(switches)
    const host = random.below(hosts)
    const port = random.below(start[node + 1]! - start[node]!)
    const next = neighbor[start[node]! + port]!
    if (next >= hosts || next === host) fixed.set(`${node} ${host}`, `${node}: ${host} via ${port + 1}`)
  }
  return built(graphText(hosts + switches, ids, links, [...fixed.values()]))
}

const graphText = (nodes: number, switches: readonly number[], links: readonly string[], routes: readonly string[]) =>
  `{kind: graph, nodes: ${nodes}, switches: ${JSON.stringify(switches)}, links: ${JSON.stringify(links)}, routes: ${JSON.stringify(routes)}}`

test('random networks with fixed routes and floods: dependencies and circles are those of a walk over all paths', () => {
  const random = createRandomStreams(7).stream('networks')
  let closed = 0
  let flooded = 0
  let upDown = 0
  for (let k = 0; k < 300; k++) {
    const topology = randomNetwork(random)
    const routes = computeRoutes(topology)
    const floods = k % 2 === 0 ? undefined : floodsOfHosts(topology, random.below(4) === 0 ? 'hosts' : 'all')
    const waits = waitsOf(topology, floods)
    const dependencies = new BufferDependencies(topology, routes, floods)
    const found = Array.from({ length: dependencies.links }, (_, link) => dependencies.nextOf(link))
    expect(found, `network ${k}`).toEqual(found.map((_, link) => [...(waits.get(link) ?? [])].sort((a, b) => a - b)))
    const circle = bufferCircle(topology, routes, floods)
    expect(circle !== null, `network ${k}`).toBe(hasCircle(waits))
    // Up-down routes alone close none: that they were not searched changes nothing.
    const climbsOnce = isUpDown(topology, routes)
    expect(climbsOnce && hasCircle(waitsOf(topology)), `network ${k}`).toBe(false)
    if (climbsOnce) upDown++
    if (circle === null) continue
    closed++
    if (circle.steps.some(({ isFlooded }) => isFlooded)) flooded++
    expectSound(circle, topology, waits)
  }
  expect(closed).toBeGreaterThan(60)
  expect(closed).toBeLessThan(250)
  expect(flooded).toBeGreaterThan(20)
  expect(upDown).toBeGreaterThan(5)
})

/** Each step leads to the next, by packets that the walk has seen. */
function expectSound({ steps }: BufferCircle, topology: Topology, waits: ReturnType<typeof waitsOf>): void {
  const { start, neighbor, neighborPort } = adjacencyOf(topology)
  steps.forEach((step, k) => {
    const next = steps[(k + 1) % steps.length]!
    const link = start[step.node]! + step.port - 1
    expect([neighbor[link], neighborPort[link], next.node]).toEqual([step.peer, step.peerPort, step.peer])
    const onward = start[next.node]! + next.port - 1
    expect(waits.get(link)).toContain(onward)
    expect(waits.by.get(`${link} ${onward}`)).toContain(`${step.host}${step.isFlooded ? ' flooded' : ''}`)
  })
}

/** The naive twin: all packets of all pairs of hosts, link after link; `by` says which packets make a dependency. */
function waitsOf(topology: Topology, floods: FloodPorts = new Map()) {
  const { start, neighbor, neighborPort } = adjacencyOf(topology)
  const routes = computeRoutes(topology)
  const { listStart, listLength, ports, hostIndexOf } = routes
  const waits = new Map<number, Set<number>>()
  const by = new Map<string, Set<string>>()
  const add = (before: number, link: number, who: string): void => {
    if (before < 0 || hostIndexOf[neighbor[link]!] !== -1) return
    waits.set(before, (waits.get(before) ?? new Set()).add(link))
    by.set(`${before} ${link}`, (by.get(`${before} ${link}`) ?? new Set()).add(who))
  }
  const been = new Set<string>()
  const walk = (before: number, node: number, destination: number): void => {
    if (hostIndexOf[node] !== -1 && before >= 0) return
    // Loops of fixed routes are walked once.
    if (been.has(`${before} ${destination}`) && before >= 0) return
    been.add(`${before} ${destination}`)
    const host = topology.endpoints[destination]!
    if (neighbor[start[host]!] === node && before >= 0) {
      for (const port of floods.get(node) ?? []) {
        if (port !== neighborPort[before]) add(before, start[node]! + port - 1, `${host} flooded`)
      }
    }
    const list = routes.listAt(node, destination)
    if (list < 0) return
    for (let at = 0; at < listLength[list]!; at++) {
      const link = start[node]! + ports[listStart[list]! + at]! - 1
      add(before, link, `${host}`)
      walk(link, neighbor[link]!, destination)
    }
  }
  for (const host of topology.endpoints) topology.endpoints.forEach((_, destination) => walk(-1, host, destination))
  // A host's own cable is none between switches.
  for (const host of topology.endpoints) waits.delete(start[host]!)
  return Object.assign(waits, { by })
}

function hasCircle(waits: ReadonlyMap<number, ReadonlySet<number>>): boolean {
  let left = [...waits.keys()]
  for (let before = -1; before !== left.length;) {
    before = left.length
    left = left.filter((link) => [...waits.get(link)!].some((next) => left.includes(next)))
  }
  return left.length > 0
}

test('a large fabric takes a walk per ToR, not per host, and a bit per pair of links', () => {
  const topology = built('{kind: fat-tree, arity: 16}')
  const dependencies = new BufferDependencies(topology, computeRoutes(topology))
  expect(dependencies.groups).toBe(128)
  // Up at a ToR to 8 others, up at an aggregation switch to 8 cores and down to 7 ToRs, through a core to 15 pods, and down.
  const [tors, aggregations, cores] = [128, 128, 64]
  const up = tors * 8 * (8 + 7) + aggregations * 8 * 15
  const down = cores * 16 * 8
  expect(dependencies.count).toBe(up + down)
})
