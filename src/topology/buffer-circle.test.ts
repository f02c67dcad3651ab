/** Routes that close circles of buffers are found, and no others. */
import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../base/random.ts'
import { parseScenario } from '../scenario/index.ts'
import { adjacencyOf } from './adjacency.ts'
import { bufferCircle } from './buffer-circle.ts'
import { topologies } from './index.ts'
import { computeRoutes } from './routes.ts'
import type { Topology, TopologyDefinition } from './topology.ts'

const known: readonly TopologyDefinition[] = topologies

function built(text: string): Topology {
  const { topology } = parseScenario(`name: t\ntopology: ${text}\nworkload: [{kind: incast, senders: 1}]\n`)
  return known.find(({ name }) => name === topology.kind)!.build(topology)
}

const circleOf = (text: string): number[] | null => {
  const topology = built(text)
  return bufferCircle(topology, computeRoutes(topology))
}

/** A ring of `count` switches with one host each. */
function ring(count: number, routes: readonly string[] = []): string {
  const hosts = Array.from({ length: count }, (_, k) => `${k} ${count + k} 100Gbps 1us`)
  const ringLinks = Array.from({ length: count }, (_, k) => `${count + k} ${count + ((k + 1) % count)} 100Gbps 1us`)
  const switches = Array.from({ length: count }, (_, k) => count + k)
  const links = [...hosts, ...ringLinks]
  return `{kind: graph, nodes: ${2 * count}, switches: ${JSON.stringify(switches)}, links: ${JSON.stringify(links)}, routes: ${JSON.stringify(routes)}}`
}

describe('routes that only go up and then down close none', () => {
  test.each([
    '{kind: star, hosts: 5}',
    '{kind: dumbbell}',
    '{kind: leaf-spine}',
    '{kind: fat-tree, arity: 6}',
    '{kind: clos-podset}',
  ])('in %s no buffers wait for each other', (text) => expect(circleOf(text)).toBeNull())
})

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

test('random networks: it is found exactly where a walk over all paths finds it', () => {
  const random = createRandomStreams(7).stream('networks')
  let closed = 0
  for (let k = 0; k < 150; k++) {
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
    const topology = built(
      `{kind: graph, nodes: ${hosts + switches}, switches: ${JSON.stringify(ids)}, links: ${JSON.stringify(links)}}`,
    )
    const circle = bufferCircle(topology, computeRoutes(topology))
    expect(circle !== null, `network ${k}: ${links.join(', ')}`).toBe(hasCircle(topology))
    if (circle !== null) closed++
  }
  expect(closed).toBeGreaterThan(15)
  expect(closed).toBeLessThan(135)
})

/** The naive twin: all paths of all pairs of hosts, link after link. */
function hasCircle(topology: Topology): boolean {
  const { start, neighbor } = adjacencyOf(topology)
  const { listOf, listStart, listLength, ports, hostIndexOf } = computeRoutes(topology)
  const waits = new Map<number, Set<number>>()
  const walk = (before: number, node: number, destination: number): void => {
    const list = listOf[node * topology.endpoints.length + destination]!
    if (list < 0) return
    for (let at = 0; at < listLength[list]!; at++) {
      const link = start[node]! + ports[listStart[list]! + at]! - 1
      if (hostIndexOf[neighbor[link]!] !== -1) continue
      if (before >= 0) waits.set(before, (waits.get(before) ?? new Set()).add(link))
      walk(link, neighbor[link]!, destination)
    }
  }
  for (const host of topology.endpoints) topology.endpoints.forEach((_, destination) => walk(-1, host, destination))
  let left = [...waits.keys()]
  for (let before = -1; before !== left.length;) {
    before = left.length
    left = left.filter((link) => [...waits.get(link)!].some((next) => left.includes(next)))
  }
  return left.length > 0
}
