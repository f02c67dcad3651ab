import { describe, expect, test } from 'vitest'
import { timesAsLong } from '../../../tests/support/growth.ts'
import { fc } from '../../../tests/support/properties.ts'
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
    kinds: tiers.map((tier) => (tier === 0 ? 'host' : 'switch')),
    names: tiers.map((_, node) => `${node}`),
    links,
    fixedRoutes,
    writtenAs: new Map(),
  }
}

function candidates(routes: Routes, node: number, host: number): number[] {
  const id = routes.listAt(node, routes.hostIndexOf[host]!)
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

/** Networks in which each host has one link, to a switch or to another host; switches have any, also several in parallel. */
const graphs = fc
  .record({ hosts: fc.integer({ min: 1, max: 8 }), switches: fc.integer({ min: 1, max: 7 }) })
  .chain(({ hosts, switches }) => {
    const at = fc.integer({ min: hosts, max: hosts + switches - 1 })
    const above = fc.array(fc.option(at, { freq: 6 }), { minLength: hosts, maxLength: hosts })
    const other = fc.integer({ min: 1, max: Math.max(1, switches - 1) })
    const between = fc
      .array(fc.tuple(at, other), { maxLength: switches === 1 ? 0 : 25 })
      .map((pairs) => pairs.map(([a, by]): [number, number] => [a, hosts + ((a - hosts + by) % switches)]))
    const host = fc.integer({ min: 0, max: hosts - 1 })
    const fixed = fc.array(fc.record({ node: at, destinations: fc.uniqueArray(host, { minLength: 1 }) }), {
      maxLength: 3,
    })
    return fc.tuple(above, between, fixed, fc.array(fc.boolean(), { minLength: 40, maxLength: 40 }))
  })
  .map(([above, between, fixed, up]) => {
    // Hosts without a switch are joined in pairs; one that is left over hangs on the first switch.
    const single = above.flatMap((to, host) => (to === null ? [host] : []))
    const joined = single.flatMap((host, i): [number, number][] => {
      if (i % 2 === 0 && i + 1 < single.length) return [[host, single[i + 1]!]]
      return i % 2 === 0 ? [[host, above.length]] : []
    })
    const hung = above.flatMap((to, host): [number, number][] => (to === null ? [] : [[to, host]]))
    const links = shuffled([...between, ...hung, ...joined], up)
    const switches = Math.max(above.length, ...links.flat()) + 1 - above.length
    const portsAt = (node: number): number => links.flat().filter((end) => end === node).length
    const fixedRoutes = fixed.flatMap(({ node, destinations }): FixedRoute[] =>
      portsAt(node) === 0 ? [] : [{ node, destinations, ports: portsAt(node) > 1 ? [2, 1] : [1] }],
    )
    const topology = network(
      above.length,
      switches,
      links.map(([a, b]) => linkOf(a, b)),
    )
    return { topology, fixedRoutes, up }
  })

/** Links to hosts stand anywhere between those of switches. */
function shuffled<T>(items: readonly T[], coins: readonly boolean[]): T[] {
  return [...items.filter((_, i) => coins[i]), ...items.filter((_, i) => !coins[i])]
}

/** The naive twin with fixed routes laid over it; later ones hold. */
function expected(topology: Topology, fixedRoutes: readonly FixedRoute[], node: number, host: number): number[] {
  const fixed = fixedRoutes.findLast((route) => route.node === node && route.destinations.includes(host))
  return fixed === undefined ? twin(topology, node, host, () => true) : [...fixed.ports]
}

describe('computed routes', () => {
  test('equal a naive twin on random graphs, with links up or down and parallel links', () => {
    fc.assert(
      fc.property(graphs, fc.boolean(), ({ topology, up }, all) => {
        const isUp = (link: number): boolean => all || up[link]!
        const routes = all ? computeRoutes(topology) : computeRoutes(topology, isUp)
        for (let node = 0; node < topology.nodeCount; node++) {
          for (const host of topology.endpoints)
            expect(candidates(routes, node, host)).toEqual(twin(topology, node, host, isUp))
        }
      }),
      { numRuns: 400 },
    )
  })
  test('equal the twin where fixed routes hold for some hosts of a switch and not for others, and none after a cut', () => {
    fc.assert(
      fc.property(graphs, ({ topology: bare, fixedRoutes, up }) => {
        const topology = { ...bare, fixedRoutes }
        const whole = computeRoutes(topology)
        const isUp = (link: number): boolean => link > 0 && up[link]!
        const cut = computeRoutes(topology, isUp)
        for (let node = topology.endpoints.length; node < topology.nodeCount; node++) {
          for (const host of topology.endpoints) {
            expect(candidates(whole, node, host)).toEqual(expected(topology, fixedRoutes, node, host))
            expect(candidates(cut, node, host)).toEqual(twin(topology, node, host, isUp))
          }
        }
      }),
      { numRuns: 400 },
    )
  })
  test('have a group for the hosts of a switch, more where fixed routes part them, and no rows for hosts', () => {
    //  0 .. 3 below switch 4, 5 below switch 6
    const links = [linkOf(0, 4), linkOf(1, 4), linkOf(2, 4), linkOf(3, 4), linkOf(5, 6), linkOf(4, 6), linkOf(4, 6)]
    const bare: Topology = { ...network(4, 3, links), endpoints: [0, 1, 2, 3, 5] }
    const parted = { ...bare, fixedRoutes: [{ node: 6, destinations: [1, 2], ports: [3] }] }
    expect([...computeRoutes(bare).groupOf]).toEqual([0, 0, 0, 0, 1])
    expect([...computeRoutes(parted).groupOf]).toEqual([0, 1, 1, 0, 2])
    expect([...computeRoutes(bare).rowOf]).toEqual([-1, -1, -1, -1, 0, -1, 2])
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
      const route = (): void => expect(computeRoutes(topology).listOf.length).toBeLessThan(nodeCount * hosts.length)
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
    expect(candidates(routes, 2, 1)).toEqual([3, 2])
    expect(candidates(routes, 3, 0)).toEqual([2, 3])
  })
  test('lead nobody into a dead end: while a link is down, also a far one, all are computed', () => {
    //  0, 1 hosts; 2 - 3 - 5 and 2 - 4 - 5
    const diamond = [linkOf(0, 2), linkOf(1, 5), linkOf(2, 3), linkOf(2, 4), linkOf(3, 5), linkOf(4, 5)]
    const topology = network(2, 4, diamond, [{ node: 2, destinations: [1], ports: [3, 2] }])
    const towards = (isLinkUp: (link: number) => boolean): number[] =>
      candidates(computeRoutes(topology, isLinkUp), 2, 1)
    expect(towards(() => true)).toEqual([3, 2])
    expect(towards((link) => link !== 4)).toEqual([3])
    expect(towards((link) => link !== 1)).toEqual([])
  })
  test('have no port whose link is down', () => {
    const topology = network(2, 2, links, [{ node: 2, destinations: [1], ports: [3, 2] }])
    expect(
      candidates(
        computeRoutes(topology, (link) => link !== 3),
        2,
        1,
      ),
    ).toEqual([2])
    expect(
      candidates(
        computeRoutes(topology, (link) => link < 2),
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
  const racks = 2 ** 14 + 1
  const links = Array.from({ length: racks }, (_, host) => linkOf(host, racks + host))
  expect(racks * racks).toBeGreaterThan(ROUTE_ENTRIES_MAX)
  expect(() => computeRoutes(network(racks, racks, links))).toThrow(InputError)
  expect(() => computeRoutes(network(racks, racks, links))).toThrow('received 16385 switches times 16385, 268468225 (')
})
