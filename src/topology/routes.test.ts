import { describe, expect, test } from 'vitest'
import { timesAsLong } from '../../tests/support/growth.ts'
import { fc } from '../../tests/support/properties.ts'
import { InputError } from '../base/issue.ts'
import { defaultsOf } from '../base/params.ts'
import {
  adjacencyOf,
  closPodset,
  computeRoutes,
  fatTree,
  type FixedRoute,
  type LinkSpec,
  ROUTE_ENTRIES_MAX,
  type Routes,
  type Topology,
} from './index.ts'

const linkOf = (a: number, b: number): LinkSpec => ({ a, b, rateBps: 1e9, delayPs: 1000, lossRatio: 0 })
function network(
  hostCount: number,
  switchCount: number,
  links: readonly LinkSpec[],
  fixedRoutes: FixedRoute[] = [],
): Topology {
  const nodeCount = hostCount + switchCount
  const hosts = Array.from({ length: hostCount }, (_, h) => h)
  const tiers = Array.from({ length: nodeCount }, (_, node) => (node < hostCount ? 0 : 1))
  return {
    nodeCount,
    endpoints: hosts,
    hostPorts: hosts.map((host) => [host]),
    tiers,
    names: tiers.map((_, node) => `${node}`),
    links,
    fixedRoutes,
    writtenAs: new Map(),
  }
}

function candidates(routes: Routes, topology: Topology, node: number, host: number): number[] {
  const id = routes.listOf[node * topology.endpoints.length + routes.hostIndexOf[host]!]!
  if (id === -1) return []
  const start = routes.listStart[id]!
  return [...routes.ports.subarray(start, start + routes.listLength[id]!)]
}

/** Hops by relaxing every link until nothing changes; a host may start or end a path and not be inside one. */
function twin(topology: Topology, node: number, host: number, isUp: (link: number) => boolean): number[] {
  const isHost = (n: number): boolean => topology.endpoints.includes(n)
  const hops = topology.tiers.map((_, n) => (n === host ? 0 : Infinity))
  for (let round = 0; round < topology.nodeCount; round++) {
    topology.links.forEach(({ a, b }, index) => {
      if (!isUp(index)) return
      for (const [from, to] of [
        [a, b],
        [b, a],
      ] as const) {
        if (to === host || !isHost(to)) hops[from] = Math.min(hops[from]!, hops[to]! + 1)
      }
    })
  }
  const ports: number[] = []
  let port = 0
  topology.links.forEach(({ a, b }, index) => {
    if (a !== node && b !== node) return
    port++
    const next = a === node ? b : a
    const mayEnter = next === host || !isHost(next)
    if (node !== host && isUp(index) && mayEnter && hops[next]! + 1 === hops[node] && hops[node]! < Infinity)
      ports.push(port)
  })
  return ports
}

const graphs = fc
  .record({ hosts: fc.integer({ min: 1, max: 6 }), switches: fc.integer({ min: 1, max: 7 }) })
  .chain(({ hosts, switches }) => {
    const node = fc.integer({ min: 0, max: hosts + switches - 1 })
    const pair = fc.tuple(node, node).filter(([a, b]) => a !== b)
    return fc
      .tuple(fc.array(pair, { maxLength: 25 }), fc.array(fc.boolean(), { minLength: 25, maxLength: 25 }))
      .map(([pairs, up]) => ({
        topology: network(
          hosts,
          switches,
          pairs.map(([a, b]) => linkOf(a, b)),
        ),
        up,
      }))
  })

describe('computed routes', () => {
  test('equal a naive twin on random graphs, with links up or down and parallel links', () => {
    fc.assert(
      fc.property(graphs, fc.boolean(), ({ topology, up }, all) => {
        const isUp = (link: number): boolean => all || up[link]!
        const routes = all ? computeRoutes(topology) : computeRoutes(topology, isUp)
        for (let node = 0; node < topology.nodeCount; node++) {
          for (const host of topology.endpoints)
            expect(candidates(routes, topology, node, host)).toEqual(twin(topology, node, host, isUp))
        }
      }),
      { numRuns: 300 },
    )
  })
  test('share equal lists', () => {
    const topology = fatTree.build({ ...defaultsOf(fatTree.params), arity: 8 })
    const routes = computeRoutes(topology)
    const seen = new Set<string>()
    routes.listStart.forEach((start, id) =>
      seen.add(routes.ports.subarray(start, start + routes.listLength[id]!).join()),
    )
    expect(seen.size).toBe(routes.listStart.length)
    // Down: one port of 8. Up: one port at a host, four at a switch.
    expect(routes.listStart.length).toBe(9)
  })
  test('of 1024 hosts and of the 1152-server Clos take the time of some passes over all links for each host', () => {
    for (const topology of [
      fatTree.build({ ...defaultsOf(fatTree.params), arity: 16 }),
      closPodset.build(defaultsOf(closPodset.params)),
    ]) {
      const { endpoints: hosts, links, nodeCount } = topology
      const route = (): void => expect(computeRoutes(topology).listOf.length).toBe(nodeCount * hosts.length)
      const ends = Float64Array.from(links.flatMap(({ a, b }) => [a, b]))
      const pass = (): void => {
        let sum = 0
        for (const host of hosts) for (let i = 0; i < ends.length; i++) sum += ends[i]! ^ host
        expect(sum).toBeGreaterThan(0)
      }
      expect(timesAsLong(route, pass, 40)).toBeLessThan(40)
    }
  })
})

describe('fixed routes', () => {
  //  0, 1 hosts; 2 - 3 joined by two links: ports 2 and 3 of both
  const links = [linkOf(0, 2), linkOf(1, 3), linkOf(2, 3), linkOf(2, 3)]
  test('replace computed ones and keep their order', () => {
    const topology = network(2, 2, links, [{ node: 2, destinations: [1], ports: [3, 2] }])
    const routes = computeRoutes(topology)
    expect(candidates(routes, topology, 2, 1)).toEqual([3, 2])
    expect(candidates(routes, topology, 3, 0)).toEqual([2, 3])
  })
  test('lead nobody into a dead end: while a link is down, also a far one, all are computed', () => {
    //  0, 1 hosts; 2 - 3 - 5 and 2 - 4 - 5
    const diamond = [linkOf(0, 2), linkOf(1, 5), linkOf(2, 3), linkOf(2, 4), linkOf(3, 5), linkOf(4, 5)]
    const topology = network(2, 4, diamond, [{ node: 2, destinations: [1], ports: [3, 2] }])
    const towards = (isLinkUp: (link: number) => boolean): number[] =>
      candidates(computeRoutes(topology, isLinkUp), topology, 2, 1)
    expect(towards(() => true)).toEqual([3, 2])
    expect(towards((link) => link !== 4)).toEqual([3])
    expect(towards((link) => link !== 1)).toEqual([])
  })
  test('have no port whose link is down', () => {
    const topology = network(2, 2, links, [{ node: 2, destinations: [1], ports: [3, 2] }])
    expect(
      candidates(
        computeRoutes(topology, (link) => link !== 3),
        topology,
        2,
        1,
      ),
    ).toEqual([2])
    expect(
      candidates(
        computeRoutes(topology, (link) => link < 2),
        topology,
        2,
        1,
      ),
    ).toEqual([])
  })
})

test('ports count from 1 in the order of the links, and both ends know each other', () => {
  const topology = network(2, 2, [linkOf(0, 2), linkOf(3, 2), linkOf(1, 3), linkOf(2, 3)])
  const { start, neighbor, neighborPort, link } = adjacencyOf(topology)
  expect([...start]).toEqual([0, 1, 2, 5, 8])
  expect([...neighbor]).toEqual([2, 3, 0, 3, 3, 2, 1, 2])
  expect([...neighborPort]).toEqual([1, 2, 1, 1, 3, 2, 1, 3])
  expect([...link]).toEqual([0, 2, 0, 1, 3, 1, 2, 3])
})

test('a table of routes that would not fit is an input mistake, reported before memory is allocated', () => {
  const hosts = Array.from({ length: 2 ** 14 }, (_, host) => host)
  const large: Topology = { ...network(0, 0, []), nodeCount: 2 ** 14 + 1, endpoints: hosts }
  expect(large.nodeCount * hosts.length).toBeGreaterThan(ROUTE_ENTRIES_MAX)
  expect(() => computeRoutes(large)).toThrow(InputError)
  expect(() => computeRoutes(large)).toThrow('received 16384 hosts times 16385 nodes, 268451840 (')
})
