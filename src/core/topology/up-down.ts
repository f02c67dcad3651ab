/**
 * Up-down routes: whether packets first climb from tier to tier and then only descend. Then no circle of buffers is
 * possible: every link that a packet takes is higher than the one before while it climbs, and lower afterwards. So Clos
 * networks, however large, need no search for circles.
 * Source: Dally and Seitz 1987 (an order of the channels that all packets follow); Leiserson 1985 (fat trees).
 */
import { adjacencyOf } from './adjacency.ts'
import { OWN_LIST, type Routes } from './routes.ts'
import type { Topology } from './topology.ts'

/** Where the ports of a list lead at a switch. */
const UNKNOWN = 0
const UP = 1
const DOWN = 2
const MIXED = 3

/** False: some packet climbs after it has descended, or stays on a tier; links down count as the routes have them. */
export function isUpDown(topology: Topology, routes: Routes): boolean {
  const { tiers } = topology
  const { rowOf, groupCount, listOf, listStart, listLength, ports } = routes
  const { start, neighbor } = adjacencyOf(topology)
  const listCount = listStart.length
  /** Per list, at the switch looked at. */
  const directions = new Uint8Array(listCount)
  const directionAt = (node: number, list: number): number => {
    let direction = UNKNOWN
    for (const port of ports.subarray(listStart[list], listStart[list]! + listLength[list]!)) {
      const step = tiers[neighbor[start[node]! + port - 1]!]! - tiers[node]!
      direction |= step > 0 ? UP : step < 0 ? DOWN : MIXED
    }
    return direction
  }
  /** Per entry of the routes: 1 where packets go down. */
  const goesDown = new Uint8Array(listOf.length)
  for (let node = 0; node < topology.nodeCount; node++) {
    const row = rowOf[node]!
    if (row < 0) continue
    directions.fill(UNKNOWN)
    for (let at = row; at < row + groupCount; at++) {
      const list = listOf[at]!
      if (list === OWN_LIST) goesDown[at] = 1
      if (list < 0) continue
      if (directions[list] === UNKNOWN) directions[list] = directionAt(node, list)
      if (directions[list] === MIXED) return false
      if (directions[list] === DOWN) goesDown[at] = 1
    }
  }
  for (let node = 0; node < topology.nodeCount; node++) {
    const row = rowOf[node]!
    if (row < 0) continue
    for (let group = 0; group < groupCount; group++) {
      const list = listOf[row + group]!
      if (list < 0 || goesDown[row + group] === 0) continue
      for (let k = 0; k < listLength[list]!; k++) {
        const next = rowOf[neighbor[start[node]! + ports[listStart[list]! + k]! - 1]!]!
        if (next >= 0 && listOf[next + group]! !== -1 && goesDown[next + group] === 0) return false
      }
    }
  }
  return true
}
