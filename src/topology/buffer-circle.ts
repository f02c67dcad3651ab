/**
 * Buffer circle: a cyclic buffer dependency. A packet that waits at a switch for its next link holds buffer there, which
 * keeps the link it came by paused; where the routes of several hosts make such waits close into a circle, pauses may
 * never end, however large the buffers. Up-down routes of Clos networks have none.
 * A link is one direction of a cable, numbered as the port that sends into it.
 * Source: Dally and Seitz 1987 (the graph of channels, and that one without circles cannot lock); Guo et al. 2016, 4.2.
 */
import { findCircle } from '../base/circle.ts'
import { adjacencyOf } from './adjacency.ts'
import type { Routes } from './routes.ts'
import type { Topology } from './topology.ts'

/** The switches of one circle, in the order in which packets go round it; null: the routes close none. */
export function bufferCircle(topology: Topology, routes: Routes): number[] | null {
  const { start, neighbor, neighborPort } = adjacencyOf(topology)
  const { hostIndexOf, listOf, listStart, listLength, ports } = routes
  const hostCount = topology.endpoints.length
  const isToHost = Uint8Array.from(neighbor, (node) => (hostIndexOf[node] === -1 ? 0 : 1))
  let widest = 0
  for (let node = 0; node < topology.nodeCount; node++) widest = Math.max(widest, start[node + 1]! - start[node]!)
  /** [link * widest + port - 1]: 1 where packets from the link go on by that port of the switch it leads to. */
  const goesOn = new Uint8Array(neighbor.length * widest)
  /** Per link: the host, by its position, whose packets were followed over it last. */
  const followedFor = new Int32Array(neighbor.length).fill(-1)
  const found = new Int32Array(neighbor.length)
  for (const position of differentHosts(topology, routes)) {
    let count = 0
    for (const host of topology.endpoints) {
      const link = start[host]!
      if (hostIndexOf[host] === position || listOf[host * hostCount + position]! < 0 || isToHost[link] === 1) continue
      followedFor[link] = position
      found[count++] = link
    }
    while (count > 0) {
      const link = found[--count]!
      const node = neighbor[link]!
      const list = listOf[node * hostCount + position]!
      if (list < 0) continue
      const end = listStart[list]! + listLength[list]!
      for (let at = listStart[list]!; at < end; at++) {
        const port = ports[at]! - 1
        const out = start[node]! + port
        if (isToHost[out] === 1) continue
        goesOn[link * widest + port] = 1
        if (followedFor[out] === position) continue
        followedFor[out] = position
        found[count++] = out
      }
    }
  }
  const circle = findCircle([...neighbor.keys()], nextOf)
  return circle === null ? null : circle.map((link) => neighbor[start[neighbor[link]!]! + neighborPort[link]! - 1]!)

  function nextOf(link: number): number[] {
    const next: number[] = []
    for (let port = 0; port < widest; port++) {
      if (goesOn[link * widest + port] === 1) next.push(start[neighbor[link]!]! + port)
    }
    return next
  }
}

/** Positions of hosts with their one cable each, one of all those at one switch that others reach by the same routes. */
function differentHosts(topology: Topology, { hostIndexOf, listOf }: Routes): number[] {
  const { start, neighbor } = adjacencyOf(topology)
  const hostCount = topology.endpoints.length
  const bySwitch = new Map<number, number[]>()
  const different: number[] = []
  topology.endpoints.forEach((host, position) => {
    const access = neighbor[start[host]!]!
    const known = bySwitch.get(access) ?? []
    const isNew = known.every((other) => {
      for (let node = 0; node < topology.nodeCount; node++) {
        if (node === access || hostIndexOf[node] !== -1) continue
        if (listOf[node * hostCount + position] !== listOf[node * hostCount + other]) return true
      }
      return false
    })
    if (!isNew) return
    bySwitch.set(access, [...known, position])
    different.push(position)
  })
  return different
}
