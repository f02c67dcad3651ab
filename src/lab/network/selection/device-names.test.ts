/**
 * Names of devices: what is printed selects the same device again, wherever a scenario selects devices.
 */
import { describe, expect, test } from 'vitest'
import { fc } from '../../../../tests/support/properties.ts'
import { hostName, hostNamesWithIds, idName } from '../../../core/base/device-names.ts'
import { textsOf } from '../../../core/results/index.ts'
import { parseLinkPatterns } from '../../scenario/rules/link-pattern.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Topology } from '../../../core/topology/index.ts'
import { run } from '../../index.ts'
import { topologyOf } from '../scenario-topology.ts'
import { selectHosts } from './host-selection.ts'
import { meansLink } from './link-match.ts'
import { selectNodes } from './node-selection.ts'

const scenarioOf = (topology: string, more = ''): ReturnType<typeof parseScenario> =>
  parseScenario(
    `name: names\ntopology: ${topology}\nworkload: [{kind: permutation, messageSize: 1KB, messages: 1}]\n${more}`,
  )

/** The switch first, gaps between the hosts, and a host with three links. */
const GRAPH =
  '{kind: graph, nodes: 7, switches: [0, 3, 4], links: ["0 3 100Gbps 1us", "3 4 100Gbps 1us", "2 0 100Gbps 1us", "1 0 100Gbps 1us", "5 3 100Gbps 1us", "5 0 100Gbps 1us", "5 4 100Gbps 1us", "6 4 25Gbps 1us"]}'

const NETWORKS = [
  '{kind: star, hosts: 12}',
  '{kind: dumbbell, leftHosts: 11, rightHosts: 2}',
  '{kind: leaf-spine, leaves: 11, spines: 2, hostsPerLeaf: 2}',
  '{kind: fat-tree, arity: 4}',
  '{kind: clos-podset, serversPerTor: 2, tors: 3, spines: 8}',
  '{kind: rails, rails: 11, hostsPerGroup: 2}',
  '{kind: planes, planes: 3, hostsPerLeaf: 6}',
  GRAPH,
]

/** Nodes whose links a pattern selects at either end; each host has links of its own. */
function nodesOfLinks(word: string, topology: Topology): Set<number> {
  const [pattern] = parseLinkPatterns(word)!
  return new Set(topology.links.flatMap(({ a, b }) => (meansLink(pattern!, topology, a, b) ? [a, b] : [])))
}

const neighboursOf = (node: number, { links }: Topology): number[] =>
  links.flatMap(({ a, b }) => (a === node ? [b] : b === node ? [a] : []))

function expectNamesToHold(topology: Topology): void {
  const { names, endpoints, hostPorts, writtenAs } = topology
  expect(new Set(names).size).toBe(names.length)
  names.forEach((name, node) => {
    expect(selectNodes(name, topology, '')).toEqual([node])
    expect(nodesOfLinks(name, topology)).toEqual(new Set([node, ...neighboursOf(node, topology)]))
    const others = [...writtenAs].flatMap(([port, id]) => (id === node ? [port] : []))
    expect(selectNodes(idName(node), topology, '')).toEqual([node, ...others])
    expect(selectNodes(`${node}`, topology, '')).toEqual([node, ...others])
  })
  const titles = hostNamesWithIds(topology)
  hostPorts.forEach((ports, host) => {
    const nodes = ports.map((port) => endpoints[port]!)
    for (const name of [hostName(host), titles[host]!]) {
      expect(selectNodes(name, topology, '')).toEqual(nodes)
      expect(selectHosts(name, topology, '')).toEqual([host])
      expect(nodesOfLinks(name, topology)).toEqual(
        new Set(nodes.flatMap((node) => [node, ...neighboursOf(node, topology)])),
      )
    }
    expect(selectHosts(`${host}`, topology, '')).toEqual([host])
    for (const node of nodes) expect(names[node]!.split(' ').slice(0, 2).join(' ')).toBe(hostName(host))
  })
}

test.each(NETWORKS)('every name of %s selects its device and no other', (text) => {
  const topology = topologyOf(scenarioOf(text))
  expect(topology.names).toHaveLength(topology.nodeCount)
  expectNamesToHold(topology)
})

/** Graphs of 2 to 12 nodes; the last node is a switch with a link to every other, so that no host is without. */
const graphs = fc
  .array(fc.boolean(), { minLength: 2, maxLength: 11 })
  .chain((isSwitch) => {
    const last = isSwitch.length
    const more = fc.array(fc.tuple(fc.nat(last - 1), fc.nat(last)), { maxLength: 12 })
    return more.map((pairs) => ({
      nodes: last + 1,
      switches: [...isSwitch.flatMap((is, node) => (is ? [node] : [])), last],
      links: [...isSwitch.map((_, node): [number, number] => [node, last]), ...pairs.filter(([a, b]) => a !== b)].map(
        ([a, b]) => `${a} ${b} 10Gbps 1us`,
      ),
    }))
  })
  .filter(({ nodes, switches }) => nodes - switches.length >= 2)

test('names hold in graphs of any order of hosts and switches, and any number of links', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const topology = topologyOf(scenarioOf(JSON.stringify({ kind: 'graph', ...graph })))
      expectNamesToHold(topology)
      const ids = [...Array(graph.nodes).keys()].filter((node) => !graph.switches.includes(node))
      // host N is the N-th node that is no switch.
      ids.forEach((id, host) => {
        const written = selectHosts(idName(id), topology, '')
        expect(written).toEqual([host])
      })
      for (const id of graph.switches) expect(topology.names[id]).toBe(`switch ${id}`)
    }),
  )
})

describe('a run', () => {
  test.each(NETWORKS)('of %s observes the port that a name selects', (text) => {
    const { names } = topologyOf(scenarioOf(text))
    const picked = names.filter((_, node) => node % 7 === 0 || node > names.length - 3)
    const observe = picked.map((name, i) => ({ kind: 'link-use', table: `n${i}`, ports: `${name}:*`, interval: '1us' }))
    const scenario = scenarioOf(text, `observe: ${JSON.stringify(observe)}\nmeasure: {stop: 1us}`)
    const seen = run(scenario).series.map((table) => [...new Set(textsOf(table, 'nodeName'))])
    expect(seen).toEqual(picked.map((name) => [name]))
  })
})

/** Its hosts are nodes 2, 3 and 5. */
const GAPS = `name: gaps
topology: {kind: graph, nodes: 6, switches: [0, 1, 4], links: ["0 1 100Gbps 1us", "0 4 100Gbps 1us", "2 0 100Gbps 1us", "3 1 100Gbps 1us", "5 4 25Gbps 1us"]}
workload: [{kind: trace, flows: ["0 2 1MB 0s", "1 2 1MB 0s"]}]
`

test.each([
  ['{kind: link-down, links: "host 2", down: 0s}', ['0', '1']],
  ['{kind: link-down, links: "node 2", down: 0s}', ['0']],
  ['{kind: link-down, links: "host 1-switch 1", down: 0s}', ['1']],
  ['{kind: server-down, hosts: "1", down: 0s}', ['1']],
  ['{kind: server-down, hosts: "node 5", down: 0s}', ['0', '1']],
  ['{kind: server-down, hosts: "switch 0", down: 0s}', ['0']],
  ['{kind: pause-storm, hosts: "0", from: 0s}', ['0']],
])('where ids have gaps, %s ends the flows of that host', (fault, unfinished) => {
  const { flows } = run(parseScenario(`${GAPS}faults: [${fault}]`))
  const open = textsOf(flows, 'status').flatMap((status, flow) => (status === 'finished' ? [] : [`${flow}`]))
  expect(open).toEqual(unfinished)
})
