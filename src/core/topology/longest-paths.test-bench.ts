/**
 * Longest paths: lengths of the longest shortest path of a network, which papers state of theirs.
 */
import { adjacencyOf, computeRoutes, type Topology } from './index.ts'

export interface LongestPaths {
  /** Links on the longest shortest path between two hosts; 0 when there is none. */
  readonly longestPathHops: number
  /** Greatest time from the first bit sent to the last bit received, one way, store and forward, empty queues, ps. */
  readonly maxOneWayPs: number
}

/** @param wireBytes size of the packet that maxOneWayPs is for, with preamble and gap; 0 counts propagation alone */
export function longestPaths(topology: Topology, wireBytes = 0): LongestPaths {
  const { nodeCount, endpoints, links } = topology
  const { start, neighbor, link } = adjacencyOf(topology)
  const routes = computeRoutes(topology)
  const [hops, timePs] = [new Int32Array(nodeCount), new Float64Array(nodeCount)]
  const walk = (node: number, position: number): void => {
    if (hops[node] !== -1) return
    const list = routes.listAt(node, position)
    if (list < 0) return
    const first = routes.listStart[list]!
    for (const port of routes.ports.subarray(first, first + routes.listLength[list]!)) {
      const at = start[node]! + port - 1
      const next = neighbor[at]!
      walk(next, position)
      const { rateBps, delayPs } = links[link[at]!]!
      hops[node] = Math.max(hops[node]!, hops[next]! + 1)
      timePs[node] = Math.max(timePs[node]!, timePs[next]! + delayPs + (wireBytes * 8e12) / rateBps)
    }
  }
  let longestPathHops = 0
  let maxOneWayPs = 0
  endpoints.forEach((host, position) => {
    hops.fill(-1)
    timePs.fill(0)
    hops[host] = 0
    for (const source of endpoints) {
      walk(source, position)
      longestPathHops = Math.max(longestPathHops, hops[source]!)
      maxOneWayPs = Math.max(maxOneWayPs, timePs[source]!)
    }
  })
  return { longestPathHops, maxOneWayPs: Math.round(maxOneWayPs) }
}
