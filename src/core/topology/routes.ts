/**
 * Routes: the ports of all equal-cost shortest paths, from every node towards every host.
 * Cost is the number of hops. Hosts never forward: a path runs through switches only.
 * Packets for the hosts below one switch take the same ports everywhere else, so that such hosts are one group, unless
 * fixed routes part them; a table of switches and groups holds all routes. Hosts themselves need no rows: they have one
 * link each.
 * A list of candidate ports is stored once and shared by all that have it.
 * Invariant: a computed list is ascending and not empty; a fixed route keeps its own order.
 */
import { inputError } from '../base/issue.ts'
import { adjacencyOf, type Adjacency } from './adjacency.ts'
import { type PortColumns, PortLists } from './port-lists.ts'
import type { Topology } from './topology.ts'

/** In `listOf`: each host of the group has its own port here, in `lastList`. */
export const OWN_LIST = -2

/** Entries of the table of routes, switches times groups of hosts: 1 GB. */
export const ROUTE_ENTRIES_MAX = 2 ** 28

export class Routes implements PortColumns {
  /** Per node: its position in Topology.endpoints, or -1 for a switch. */
  readonly hostIndexOf: Int32Array
  /** Per host, by position: its group. */
  readonly groupOf: Int32Array
  readonly groupCount: number
  /** Per node: where its entries begin in `listOf`; -1 at a host. */
  readonly rowOf: Int32Array
  /** List id at [row + group]; -1 without a route; OWN_LIST at the switch that the hosts of the group hang on. */
  readonly listOf: Int32Array
  /** Per host: the node at the other end of its link, its port there, and the list of this port, -1 while the link is down. */
  readonly above: Int32Array
  readonly lastPort: Int32Array
  readonly lastList: Int32Array
  readonly listStart: Int32Array
  readonly listLength: Int32Array
  readonly ports: Int32Array
  /** Id of the list that every host has, its one port. */
  readonly #hostList: number

  constructor(columns: Columns) {
    this.hostIndexOf = columns.hostIndexOf
    this.groupOf = columns.groupOf
    this.groupCount = columns.groupCount
    this.rowOf = columns.rowOf
    this.listOf = columns.listOf
    this.above = columns.above
    this.lastPort = columns.lastPort
    this.lastList = columns.lastList
    this.listStart = columns.listStart
    this.listLength = columns.listLength
    this.ports = columns.ports
    this.#hostList = columns.hostList
  }

  /** Id of the list of ports from a node to a host, by position; -1 when unreachable and at the host itself. */
  listAt(node: number, host: number): number {
    const row = this.rowOf[node]!
    if (row >= 0) {
      const list = this.listOf[row + this.groupOf[host]!]!
      return list === OWN_LIST ? this.lastList[host]! : list
    }
    const source = this.hostIndexOf[node]!
    if (source === host || this.lastList[source]! < 0) return -1
    const next = this.above[source]!
    if (this.hostIndexOf[next] === -1) return this.listAt(next, host) < 0 ? -1 : this.#hostList
    return this.hostIndexOf[next] === host ? this.#hostList : -1
  }
}

interface Columns extends PortColumns {
  readonly hostIndexOf: Int32Array
  readonly groupOf: Int32Array
  readonly groupCount: number
  readonly rowOf: Int32Array
  readonly listOf: Int32Array
  readonly above: Int32Array
  readonly lastPort: Int32Array
  readonly lastList: Int32Array
  readonly hostList: number
}

/**
 * Candidate ports from everywhere to every host. Each endpoint has one link, as Topology has it.
 * @param isLinkUp by index in Topology.links; all links are up when absent. Fixed routes are those of the whole network:
 * while a link is down all routes are computed, as laid over computed ones they would lead into dead ends.
 * Throws InputError for a network whose table would be larger than ROUTE_ENTRIES_MAX.
 */
export function computeRoutes(topology: Topology, isLinkUp?: (linkIndex: number) => boolean): Routes {
  const { nodeCount, endpoints } = topology
  const isWhole = isLinkUp === undefined || topology.links.every((_, link) => isLinkUp(link))
  const fixedRoutes = isWhole ? topology.fixedRoutes : []
  const adjacency = adjacencyOf(topology)
  const { start, neighbor, neighborPort, link } = adjacency
  const hostIndexOf = new Int32Array(nodeCount).fill(-1)
  endpoints.forEach((host, position) => (hostIndexOf[host] = position))
  const switches = new SwitchGraph(adjacency, hostIndexOf, isLinkUp)

  const lists = new PortLists()
  const above = Int32Array.from(endpoints, (host) => neighbor[start[host]!]!)
  const lastPort = Int32Array.from(endpoints, (host) => neighborPort[start[host]!]!)
  const lastList = lastPort.map((port, position) =>
    isLinkUp?.(link[start[endpoints[position]!]!]!) === false ? -1 : lists.single(port),
  )
  /** Row of the switch above a host; -1: there is none. */
  const edgeOf = lastList.map((list, position) => (list < 0 ? -1 : switches.rowOf[above[position]!]!))
  const { groupOf, edges } = groupsOf(edgeOf, topology, hostIndexOf, fixedRoutes)
  const groupCount = edges.length
  checkSize(switches.count, groupCount)

  const listOf = new Int32Array(switches.count * groupCount).fill(-1)
  const groupAt = new Map<number, number>()
  edges.forEach((edge, group) => {
    const known = groupAt.get(edge)
    if (known !== undefined) {
      for (let at = 0; at < listOf.length; at += groupCount) listOf[at + group] = listOf[at + known]!
      return
    }
    groupAt.set(edge, group)
    if (edge >= 0) switches.fill(edge, lists, listOf.subarray(group), groupCount)
  })
  for (const { node, destinations, ports } of fixedRoutes) {
    const row = switches.rowOf[node]!
    // A host has no choice.
    if (row < 0) continue
    lists.begin()
    for (const port of ports) lists.add(port)
    const id = lists.end()
    for (const to of destinations) listOf[row * groupCount + groupOf[hostIndexOf[to]!]!] = id
  }
  const rowOf = switches.rowOf.map((row) => (row < 0 ? -1 : row * groupCount))
  const hostList = lists.single(1)
  const ofHosts = { hostIndexOf, groupOf, above, lastPort, lastList, hostList }
  return new Routes({ ...ofHosts, groupCount, rowOf, listOf, ...lists.columns() })
}

/** Hosts below one switch for which the same fixed routes hold are a group; so are all hosts without a switch. */
function groupsOf(
  edgeOf: Int32Array,
  { endpoints }: Topology,
  hostIndexOf: Int32Array,
  fixedRoutes: Topology['fixedRoutes'],
): { readonly groupOf: Int32Array; readonly edges: readonly number[] } {
  /** By host: number of the set of fixed routes to it, from 0, which is no route. */
  const setOf = new Int32Array(endpoints.length)
  let sets = 1
  for (const { destinations } of fixedRoutes) {
    const grown = new Map<number, number>()
    for (const to of new Set(destinations)) {
      const position = hostIndexOf[to]!
      const before = setOf[position]!
      if (!grown.has(before)) grown.set(before, sets++)
      setOf[position] = grown.get(before)!
    }
  }
  const edges: number[] = []
  const known = new Map<number, number>()
  const groupOf = edgeOf.map((edge, position) => {
    const key = (edge + 1) * sets + setOf[position]!
    let group = known.get(key)
    if (group === undefined) {
      group = edges.push(edge) - 1
      known.set(key, group)
    }
    return group
  })
  return { groupOf, edges }
}

function checkSize(switchCount: number, groupCount: number): void {
  if (switchCount * groupCount <= ROUTE_ENTRIES_MAX) return
  throw inputError(
    '',
    `at most ${ROUTE_ENTRIES_MAX} routes, switches times switches with hosts`,
    `${switchCount} switches times ${groupCount}, ${switchCount * groupCount}`,
    'the table of routes would take more than 1 GB: fewer switches',
  )
}

/** Switches by row, in the order of their nodes, the links between them that are up, and a search through them. */
class SwitchGraph {
  /** Per node; -1 at a host. */
  readonly rowOf: Int32Array
  readonly count: number
  /** Per row, and one past the last: where its links start. */
  readonly #start: Int32Array
  /** Per link: row at the other end, and local port number. */
  readonly #next: Int32Array
  readonly #port: Int32Array
  /** Per row: hops to the row of the last search; -1 when it cannot be reached. */
  readonly #hops: Int32Array
  readonly #order: Int32Array

  constructor(
    { start, neighbor, link }: Adjacency,
    hostIndexOf: Int32Array,
    isLinkUp: ((linkIndex: number) => boolean) | undefined,
  ) {
    let rows = 0
    this.rowOf = hostIndexOf.map((position) => (position === -1 ? rows++ : -1))
    this.count = rows
    const [next, port] = [new Int32Array(neighbor.length), new Int32Array(neighbor.length)]
    this.#start = new Int32Array(rows + 1)
    let end = 0
    hostIndexOf.forEach((position, node) => {
      if (position !== -1) return
      for (let at = start[node]!; at < start[node + 1]!; at++) {
        const row = this.rowOf[neighbor[at]!]!
        if (row < 0 || isLinkUp?.(link[at]!) === false) continue
        next[end] = row
        port[end++] = at - start[node]! + 1
      }
      this.#start[this.rowOf[node]! + 1] = end
    })
    this.#next = next.slice(0, end)
    this.#port = port.slice(0, end)
    this.#hops = new Int32Array(rows)
    this.#order = new Int32Array(rows)
  }

  /** Lists of ports to the switch of row `edge`, at [row * stride] of `into`; rows that do not reach it keep their entry. */
  fill(edge: number, lists: PortLists, into: Int32Array, stride: number): void {
    const [hops, order, start, next, port] = [this.#hops, this.#order, this.#start, this.#next, this.#port]
    hops.fill(-1)
    hops[edge] = 0
    order[0] = edge
    into[edge * stride] = OWN_LIST
    let reached = 1
    for (let i = 0; i < reached; i++) {
      const row = order[i]!
      const [own, end] = [hops[row]!, start[row + 1]!]
      if (i > 0) lists.begin()
      // All switches that are closer have been reached before, so that the ports to them are known now.
      for (let at = start[row]!; at < end; at++) {
        const there = next[at]!
        const far = hops[there]!
        if (far === -1) {
          hops[there] = own + 1
          order[reached++] = there
        } else if (far < own) lists.add(port[at]!)
      }
      if (i > 0) into[row * stride] = lists.end()
    }
  }
}
