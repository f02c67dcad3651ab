/**
 * Adjacency: what lies behind each port of each node.
 * Shapes: the ports of a node stand together, [start[node] + port - 1], ports from 1 in the order of the links.
 */
import type { Topology } from './topology.ts'

export interface Adjacency {
  /** Per node, and one past the last: where its ports start. */
  readonly start: Int32Array
  /** Per port: the node at the other end. */
  readonly neighbor: Int32Array
  /** Per port: the port at the other end. */
  readonly neighborPort: Int32Array
  /** Per port: index in Topology.links. */
  readonly link: Int32Array
}

/** Numbers the ports of all nodes. */
export function adjacencyOf(topology: Topology): Adjacency {
  const { nodeCount, links } = topology
  const start = new Int32Array(nodeCount + 1)
  for (const { a, b } of links) {
    start[a + 1]!++
    start[b + 1]!++
  }
  for (let node = 0; node < nodeCount; node++) start[node + 1]! += start[node]!
  const next = start.slice()
  const neighbor = new Int32Array(2 * links.length)
  const neighborPort = new Int32Array(2 * links.length)
  const link = new Int32Array(2 * links.length)
  links.forEach(({ a, b }, index) => {
    const atA = next[a]!++
    const atB = next[b]!++
    neighbor[atA] = b
    neighbor[atB] = a
    neighborPort[atA] = atB - start[b]! + 1
    neighborPort[atB] = atA - start[a]! + 1
    link[atA] = index
    link[atB] = index
  })
  return { start, neighbor, neighborPort, link }
}
