/**
 * Routes: the ports of all equal-cost shortest paths, from every node towards every host.
 * Cost is the number of hops. Hosts never forward: a path runs through switches only.
 * A list of candidate ports is stored once and shared by all (node, host) pairs that have it.
 * Invariant: a computed list is ascending and not empty; a fixed route keeps its own order.
 */
import { inputError } from '../base/issue.ts'
import { adjacencyOf, type Adjacency } from './adjacency.ts'
import type { Topology } from './topology.ts'

export interface Routes {
  /** Per node: its position in Topology.endpoints, or -1 for a switch. */
  readonly hostIndexOf: Int32Array
  /** List id at [node * hostCount + host position]; -1 when unreachable and at the host itself. */
  readonly listOf: Int32Array
  /** Per list id: where its ports start in `ports`. */
  readonly listStart: Int32Array
  readonly listLength: Int32Array
  /** Local port numbers, from 1. */
  readonly ports: Int32Array
}

/** Entries of the table of routes, nodes times hosts: 1 GB, some 16,000 hosts. */
export const ROUTE_ENTRIES_MAX = 2 ** 28

/** Lengths of a network's longest shortest path. Fixed routes are not followed: they may contain loops. */
export interface PathProperties {
  /** Links on the longest shortest path between two hosts; 0 when there is none. */
  readonly longestPathHops: number
  /** Greatest time from the first bit sent to the last bit received, one way, store and forward, empty queues, ps. */
  readonly maxOneWayPs: number
}

/**
 * Candidate ports from everywhere to every host.
 * @param isLinkUp by index in Topology.links; all links are up when absent. Fixed routes are those of the whole network:
 * while a link is down all routes are computed, as laid over computed ones they would lead into dead ends.
 * Throws InputError for a network whose table would be larger than ROUTE_ENTRIES_MAX.
 */
export function computeRoutes(topology: Topology, isLinkUp?: (linkIndex: number) => boolean): Routes {
  checkSize(topology)
  const search = new HopSearch(topology, isLinkUp)
  const hostCount = topology.endpoints.length
  const listOf = new Int32Array(topology.nodeCount * hostCount).fill(-1)
  const lists = new PortLists()
  const { start } = search.adjacency
  topology.endpoints.forEach((host, position) => {
    search.run(host)
    for (let i = 1; i < search.reached; i++) {
      const node = search.order[i]!
      lists.begin()
      for (let at = start[node]!; at < start[node + 1]!; at++) {
        if (search.leadsCloser(node, at, host)) lists.add(at - start[node]! + 1)
      }
      listOf[node * hostCount + position] = lists.end()
    }
  })
  const isWhole = isLinkUp === undefined || topology.links.every((_, link) => isLinkUp(link))
  for (const { node, destinations, ports } of isWhole ? topology.fixedRoutes : []) {
    lists.begin()
    for (const port of ports) lists.add(port)
    const id = lists.end()
    for (const destination of destinations) listOf[node * hostCount + search.hostIndexOf[destination]!] = id
  }
  return { hostIndexOf: search.hostIndexOf, listOf, ...lists.columns() }
}

function checkSize({ nodeCount, endpoints }: Topology): void {
  if (nodeCount * endpoints.length <= ROUTE_ENTRIES_MAX) return
  throw inputError(
    '',
    `at most ${ROUTE_ENTRIES_MAX} routes, hosts times nodes`,
    `${endpoints.length} hosts times ${nodeCount} nodes, ${nodeCount * endpoints.length}`,
    'the table of routes would take more than 1 GB: fewer hosts or switches',
  )
}

/**
 * Lengths of the longest shortest paths between hosts.
 * @param wireBytes size of the packet that maxOneWayPs is for, with preamble and gap; 0 counts propagation alone.
 */
export function pathProperties(topology: Topology, wireBytes = 0): PathProperties {
  const search = new HopSearch(topology, undefined)
  const { start, neighbor, link } = search.adjacency
  const timePs = new Float64Array(topology.nodeCount)
  let longestPathHops = 0
  let maxOneWayPs = 0
  for (const host of topology.endpoints) {
    search.run(host)
    timePs[host] = 0
    for (let i = 1; i < search.reached; i++) {
      const node = search.order[i]!
      let most = 0
      for (let at = start[node]!; at < start[node + 1]!; at++) {
        if (!search.leadsCloser(node, at, host)) continue
        const { rateBps, delayPs } = topology.links[link[at]!]!
        most = Math.max(most, timePs[neighbor[at]!]! + delayPs + (wireBytes * 8e12) / rateBps)
      }
      timePs[node] = most
      if (search.hostIndexOf[node] === -1) continue
      longestPathHops = Math.max(longestPathHops, search.hops[node]!)
      maxOneWayPs = Math.max(maxOneWayPs, most)
    }
  }
  return { longestPathHops, maxOneWayPs: Math.round(maxOneWayPs) }
}

/** Breadth-first search backwards from a host, through switches only. One search serves all hosts in turn. */
class HopSearch {
  readonly adjacency: Adjacency
  readonly hostIndexOf: Int32Array
  /** Per port as in the adjacency: 1 when its link is up. */
  readonly up: Uint8Array
  /** Per node: hops to the host of the last run; -1 when it cannot be reached. */
  readonly hops: Int32Array
  /** Nodes in order of their hops; the first `reached` are valid, the host itself at 0. */
  readonly order: Int32Array
  reached = 0

  constructor(topology: Topology, isLinkUp: ((linkIndex: number) => boolean) | undefined) {
    this.adjacency = adjacencyOf(topology)
    this.hostIndexOf = new Int32Array(topology.nodeCount).fill(-1)
    topology.endpoints.forEach((host, position) => (this.hostIndexOf[host] = position))
    const link = this.adjacency.link
    this.up = new Uint8Array(link.length).fill(1)
    if (isLinkUp !== undefined) link.forEach((index, at) => (this.up[at] = isLinkUp(index) ? 1 : 0))
    this.hops = new Int32Array(topology.nodeCount)
    this.order = new Int32Array(topology.nodeCount)
  }

  run(host: number): void {
    const { hops, order, up, hostIndexOf } = this
    const { start, neighbor } = this.adjacency
    hops.fill(-1)
    hops[host] = 0
    order[0] = host
    let reached = 1
    for (let i = 0; i < reached; i++) {
      const node = order[i]!
      if (i > 0 && hostIndexOf[node] !== -1) continue
      for (let at = start[node]!; at < start[node + 1]!; at++) {
        const next = neighbor[at]!
        if (up[at] === 0 || hops[next] !== -1) continue
        hops[next] = hops[node]! + 1
        order[reached++] = next
      }
    }
    this.reached = reached
  }

  /** Is the port at that place of the adjacency on a shortest path from its node to the host of the last run? */
  leadsCloser(node: number, at: number, host: number): boolean {
    const next = this.adjacency.neighbor[at]!
    if (this.up[at] === 0 || this.hops[next] !== this.hops[node]! - 1) return false
    return next === host || this.hostIndexOf[next] === -1
  }
}

/** Lists of ports, each stored once: an open-addressed table of list ids by a hash of the ports. */
class PortLists {
  #ports = new Int32Array(1024)
  /** Where each list starts; the entry past the last is where the list in the making starts. */
  #start = new Int32Array(256)
  #count = 0
  #end = 0
  #hash = 0
  #table = new Int32Array(512).fill(-1)
  #hashes = new Int32Array(256)

  begin(): void {
    this.#end = this.#start[this.#count]!
    this.#hash = 0x811c9dc5
  }

  add(port: number): void {
    if (this.#end === this.#ports.length) this.#ports = grown(this.#ports)
    this.#ports[this.#end++] = port
    this.#hash = Math.imul(this.#hash ^ port, 0x01000193)
  }

  /** Id of the list just made: an old one when the same list was there. */
  end(): number {
    const hash = this.#hash ^ (this.#hash >>> 15)
    const mask = this.#table.length - 1
    let slot = hash & mask
    for (let id = this.#table[slot]!; id !== -1; id = this.#table[slot]!) {
      if (this.#hashes[id] === hash && this.#isSame(id)) return id
      slot = (slot + 1) & mask
    }
    const id = this.#count++
    this.#table[slot] = id
    if (this.#count + 1 >= this.#start.length) {
      this.#start = grown(this.#start)
      this.#hashes = grown(this.#hashes)
    }
    this.#hashes[id] = hash
    this.#start[id + 1] = this.#end
    if (2 * this.#count > this.#table.length) this.#rehash()
    return id
  }

  columns(): Pick<Routes, 'listStart' | 'listLength' | 'ports'> {
    const listStart = this.#start.slice(0, this.#count)
    const listLength = listStart.map((start, id) => this.#start[id + 1]! - start)
    return { listStart, listLength, ports: this.#ports.slice(0, this.#start[this.#count]) }
  }

  #isSame(id: number): boolean {
    const start = this.#start[id]!
    const fresh = this.#start[this.#count]!
    const length = this.#end - fresh
    if (this.#start[id + 1]! - start !== length) return false
    for (let i = 0; i < length; i++) if (this.#ports[start + i] !== this.#ports[fresh + i]) return false
    return true
  }

  #rehash(): void {
    const table = new Int32Array(2 * this.#table.length).fill(-1)
    const mask = table.length - 1
    for (let id = 0; id < this.#count; id++) {
      let slot = this.#hashes[id]! & mask
      while (table[slot] !== -1) slot = (slot + 1) & mask
      table[slot] = id
    }
    this.#table = table
  }
}

function grown(column: Int32Array): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(2 * column.length)
  wider.set(column)
  return wider
}
