/**
 * The network of a result, as exported files need it: node ids, and a shortest path between two hosts.
 * Units: ns (integers, each term truncated), bit/s, bytes. Hosts do not forward.
 * A host with several ports is one node in exported files, that of its first port, with a port for each of its links; in
 * rocelab each port is a node with one link.
 */
import { assert } from '../core/base/assert.ts'
import { parseTree, scenarioParams } from '../lab/scenario/index.ts'

/** A path with the delay and rate that the HPCC fork computes for it. */
export interface Path {
  /** 2 * propagation + serialization of one payload at each hop in one direction. */
  readonly baseRttNs: number
  /** Rate of the slowest link. */
  readonly rateBps: number
}

export interface Network {
  /** Node ids by host index. */
  readonly hosts: readonly number[]
  /** Ports by host index. */
  readonly portCounts: readonly number[]
  /** Maps node and port of the result to those of exported files; ports count from 1. */
  readonly portOf: (node: number, port: number) => readonly [node: number, port: number]
  readonly payloadBytes: number
  readonly overheadBytes: number
  /** Path between host indexes; undefined if they are not connected. */
  readonly pathBetween: (from: number, to: number) => Path | undefined
}

type Topology = ReturnType<(typeof scenarioParams.fields.topology.definitions)[number]['build']>

/** Builds the network from a result's scenario in its printed form. */
export function networkOf(scenario: unknown): Network {
  const { topology: topologyTree, frames: framesTree } = scenario as { topology: unknown; frames?: unknown }
  const values = parseTree(scenarioParams.fields.topology, JSON.stringify(topologyTree ?? null))
  const frames = parseTree(scenarioParams.fields.frames, JSON.stringify(framesTree ?? {}))
  const definition = scenarioParams.fields.topology.definitions.find(({ name }) => name === values.kind)
  assert(definition !== undefined, 'a parsed topology has a definition')
  const topology = (definition.build as (values: unknown) => Topology)(values)
  const hosts = topology.hostPorts.map(([first]) => topology.endpoints[first!]!)
  const isHost = new Set(hosts)
  const portsOfHosts = new Map<number, readonly [node: number, port: number]>()
  topology.hostPorts.forEach((ports, host) => {
    ports.forEach((endpoint, i) => portsOfHosts.set(topology.endpoints[endpoint]!, [hosts[host]!, i + 1]))
  })
  const edges = edgesOf(topology, (node) => portsOfHosts.get(node)?.[0] ?? node)
  const pathsFrom = new Map<number, readonly (Path | undefined)[]>()
  return {
    hosts,
    portCounts: topology.hostPorts.map((ports) => ports.length),
    portOf: (node, port) => portsOfHosts.get(node) ?? [node, port],
    payloadBytes: frames.payload,
    overheadBytes: frames.dataOverhead,
    pathBetween(from, to) {
      const start = hosts[from] ?? 0
      const known = pathsFrom.get(start) ?? searchFrom(edges, isHost, start, frames.payload)
      pathsFrom.set(start, known)
      return known[hosts[to] ?? 0]
    },
  }
}

/** Paths from one node, breadth first; the first found counts. */
function searchFrom(
  edges: readonly (readonly Edge[])[],
  isHost: ReadonlySet<number>,
  start: number,
  payloadBytes: number,
): readonly (Path | undefined)[] {
  const paths: (Path | undefined)[] = Array.from({ length: edges.length }, () => undefined)
  paths[start] = { baseRttNs: 0, rateBps: Infinity }
  const queue = [start]
  for (const node of queue) {
    const path = paths[node]
    if (path === undefined || (node !== start && isHost.has(node))) continue
    for (const edge of edges[node] ?? []) {
      if (paths[edge.to] !== undefined) continue
      const hopNs = 2 * Math.floor(edge.delayPs / 1000) + Math.floor((payloadBytes * 8e9) / edge.rateBps)
      paths[edge.to] = { baseRttNs: path.baseRttNs + hopNs, rateBps: Math.min(path.rateBps, edge.rateBps) }
      queue.push(edge.to)
    }
  }
  return paths
}

interface Edge {
  readonly to: number
  readonly rateBps: number
  readonly delayPs: number
}

/** @param wholeOf returns the node that represents the host of a port */
function edgesOf(topology: Topology, wholeOf: (node: number) => number): readonly (readonly Edge[])[] {
  const edges: Edge[][] = Array.from({ length: topology.nodeCount }, () => [])
  for (const { a, b, rateBps, delayPs } of topology.links) {
    edges[wholeOf(a)]?.push({ to: wholeOf(b), rateBps, delayPs })
    edges[wholeOf(b)]?.push({ to: wholeOf(a), rateBps, delayPs })
  }
  return edges
}
