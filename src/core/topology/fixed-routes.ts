/**
 * Check of fixed routes: a packet from any host to another has to arrive there, whichever of the
 * candidate ports its hash selects. Routes that no packet from a host can reach are not checked.
 */
import { InputError, type Issue } from '../base/issue.ts'
import { adjacencyOf } from './adjacency.ts'
import type { Routes } from './routes.ts'
import type { Topology } from './topology.ts'

/** Mistakes reported at most; one mistyped line may cause as many as there are hosts. */
const REPORTED_MAX = 10

/** On the way, and behind us: everything from there arrives. */
const OPEN = 1
const GOOD = 2

/** Throws InputError for destinations whose packets come round to a switch again, or end at another host. */
export function expectArrival(topology: Topology, routes: Routes): void {
  const { nodeCount, endpoints, names, fixedRoutes } = topology
  const { hostIndexOf, listStart, listLength, ports } = routes
  const { start, neighbor } = adjacencyOf(topology)
  const issues: Issue[] = []
  const state = new Uint8Array(nodeCount)

  /** Description of the mistake behind a node, or null. */
  const faultAt = (node: number, host: number): string | null => {
    if (node === host || state[node] === GOOD) return null
    if (state[node] === OPEN) return `packets that come round to ${names[node]} again`
    state[node] = OPEN
    const list = routes.listAt(node, hostIndexOf[host]!)
    const candidates = list < 0 ? [] : ports.subarray(listStart[list], listStart[list]! + listLength[list]!)
    for (const port of candidates) {
      const next = neighbor[start[node]! + port - 1]!
      if (next !== host && hostIndexOf[next] !== -1) return `packets that ${names[node]} hands to ${names[next]}`
      const fault = faultAt(next, host)
      if (fault !== null) return fault
    }
    state[node] = GOOD
    return null
  }

  for (const host of new Set(fixedRoutes.flatMap(({ destinations }) => destinations))) {
    state.fill(0)
    const fault = endpoints.map((from) => (from === host ? null : faultAt(from, host))).find((found) => found !== null)
    if (fault === undefined || fault === null) continue
    issues.push({ path: 'routes', expected: `ways that end at ${names[host]}`, received: fault, hint: '' })
    if (issues.length === REPORTED_MAX) break
  }
  if (issues.length > 0) throw new InputError(issues)
}
