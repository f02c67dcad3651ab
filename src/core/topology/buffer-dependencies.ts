/**
 * Buffer dependencies: which link a packet that came by a link may leave by, over the routes to all hosts and over what
 * switches flood. A packet that waits for its next link holds buffer, which keeps the link it came by paused.
 * A link is one direction of a cable between switches, numbered as the port that sends into it (adjacency.ts).
 * Shapes: a set of ports of one node is `words` integers, one bit per port from 0. Packets for hosts of one switch that
 * all other switches reach by the same routes are followed once.
 * Source: Dally and Seitz 1987 (the graph of channels); flooding adds to it in [MS-Scale 4.2].
 */
import { adjacencyOf, type Adjacency } from './adjacency.ts'
import type { Routes } from './routes.ts'
import type { Topology } from './topology.ts'

/**
 * By switch: its ports, from 1, to which it may copy a packet for one of its own hosts whose MAC address it has not
 * learned; never the port where the packet came in. A switch that is not there floods nothing. The copies go no further
 * than the next device, which drops them: their addresses are not its own ([MS-Scale 4.2]).
 */
export type FloodPorts = ReadonlyMap<number, readonly number[]>

/** Hosts below one switch that are reached by the same routes, by the first of them. */
interface Group {
  /** Number in Routes. */
  readonly id: number
  /** Position in Topology.endpoints. */
  readonly position: number
  readonly access: number
}

/** Who makes a dependency. */
export interface Witness {
  /** Node of a host: packets for it take both links. */
  readonly host: number
  /** They take the second one as copies that a switch floods. */
  readonly isFlooded: boolean
}

export class BufferDependencies {
  readonly adjacency: Adjacency
  readonly #topology: Topology
  readonly #routes: Routes
  readonly #groups: readonly Group[]
  /** Number of hosts below each switch that has some, over links that are up. */
  readonly #hostsBelow = new Map<number, number>()
  readonly #words: number
  /** By node: ports that lead to switches. */
  readonly #toSwitch: Int32Array
  /** By list of routes: its ports. */
  readonly #ofList: Int32Array
  /** By switch: ports that it floods to. */
  readonly #flooded = new Map<number, Int32Array>()
  /** By link: ports by which packets go on from the node it leads to. */
  readonly #goesOn: Int32Array
  /** Scratch of #follow: nodes that it has seen, and nodes to look at. */
  readonly #seen: Uint8Array
  readonly #pending: Int32Array

  constructor(topology: Topology, routes: Routes, floods: FloodPorts = new Map()) {
    this.#topology = topology
    this.#routes = routes
    this.adjacency = adjacencyOf(topology)
    const { start, neighbor } = this.adjacency
    let widest = 1
    for (let node = 0; node < topology.nodeCount; node++) widest = Math.max(widest, start[node + 1]! - start[node]!)
    const words = (this.#words = (widest + 31) >> 5)
    this.#toSwitch = new Int32Array(topology.nodeCount * words)
    for (let node = 0; node < topology.nodeCount; node++) {
      for (let at = start[node]!; at < start[node + 1]!; at++) {
        if (routes.hostIndexOf[neighbor[at]!] === -1) addTo(this.#toSwitch, node * words, at - start[node]!)
      }
    }
    this.#ofList = new Int32Array(routes.listStart.length * words)
    routes.listStart.forEach((from, list) => {
      for (let k = 0; k < routes.listLength[list]!; k++) addTo(this.#ofList, list * words, routes.ports[from + k]! - 1)
    })
    for (const [node, ports] of floods) {
      const set = new Int32Array(words)
      for (const port of ports) addTo(set, 0, port - 1)
      this.#flooded.set(node, set)
    }
    this.#seen = new Uint8Array(topology.nodeCount)
    this.#pending = new Int32Array(topology.nodeCount)
    const { above, lastList, groupOf } = routes
    const groups: Group[] = (this.#groups = [])
    const isKnown = new Uint8Array(routes.groupCount)
    groupOf.forEach((id, position) => {
      const access = above[position]!
      if (lastList[position]! >= 0) this.#hostsBelow.set(access, (this.#hostsBelow.get(access) ?? 0) + 1)
      if (isKnown[id] === 1) return
      isKnown[id] = 1
      groups.push({ id, position, access })
    })
    const goesOn = (this.#goesOn = new Int32Array(neighbor.length * words))
    const onward = new Int32Array(words)
    for (const group of this.#groups) {
      this.#follow(group, (link) => {
        this.#routed(group, link, onward)
        for (let w = 0; w < words; w++) goesOn[link * words + w]! |= onward[w]!
        if (!this.#isFlooded(group, link, onward)) return
        for (let w = 0; w < words; w++) goesOn[link * words + w]! |= onward[w]!
      })
    }
  }

  /** Number of links, whether or not packets take them. */
  get links(): number {
    return this.adjacency.neighbor.length
  }

  /** Number of sets of hosts that were followed. */
  get groups(): number {
    return this.#groups.length
  }

  /** Number of pairs of links of which the first waits for the second. */
  get count(): number {
    let count = 0
    for (let word of this.#goesOn) for (; word !== 0; word &= word - 1) count++
    return count
  }

  /** Links that packets of a link may go on by, ascending. */
  nextOf(link: number): number[] {
    const { start, neighbor } = this.adjacency
    const from = start[neighbor[link]!]!
    const next: number[] = []
    for (let w = 0; w < this.#words; w++) {
      for (let word = this.#goesOn[link * this.#words + w]!; word !== 0; word &= word - 1) {
        next.push(from + 32 * w + (31 - Math.clz32(word & -word)))
      }
    }
    return next
  }

  /** Who makes each of these dependencies, links as in nextOf; packets that a route leads are preferred to flooded ones. */
  witnesses(pairs: readonly (readonly [link: number, next: number])[]): Witness[] {
    const { start, neighbor } = this.adjacency
    const found: (Witness | undefined)[] = pairs.map(() => undefined)
    const byLink = new Map<number, number[]>()
    pairs.forEach(([link], k) => byLink.set(link, [...(byLink.get(link) ?? []), k]))
    const onward = new Int32Array(this.#words)
    for (const group of this.#groups) {
      this.#follow(group, (link) => {
        for (const k of byLink.get(link) ?? []) {
          const port = pairs[k]![1] - start[neighbor[link]!]!
          const host = this.#topology.endpoints[group.position]!
          this.#routed(group, link, onward)
          const isRouted = has(onward, port)
          if (isRouted && found[k]?.isFlooded !== false) found[k] = { host, isFlooded: false }
          if (isRouted || !this.#isFlooded(group, link, onward)) continue
          if (has(onward, port)) found[k] ??= { host, isFlooded: true }
        }
      })
    }
    return found.map((witness) => witness!)
  }

  /** Ports by which packets for a group that came by a link are routed on to switches, into `out`. */
  #routed({ id }: Group, link: number, out: Int32Array): void {
    const node = this.adjacency.neighbor[link]!
    // At the hosts' own switch there is no list: the link to them is none between switches.
    const list = this.#routes.listOf[this.#routes.rowOf[node]! + id]!
    for (let w = 0; w < this.#words; w++) {
      out[w] = list < 0 ? 0 : this.#ofList[list * this.#words + w]! & this.#toSwitch[node * this.#words + w]!
    }
  }

  /** Ports to switches by which copies of them are flooded, into `out`; false: nothing is flooded there. */
  #isFlooded({ access }: Group, link: number, out: Int32Array): boolean {
    const { neighbor, neighborPort } = this.adjacency
    const node = neighbor[link]!
    const flooded = node === access ? this.#flooded.get(node) : undefined
    if (flooded === undefined) return false
    for (let w = 0; w < this.#words; w++) out[w] = flooded[w]! & this.#toSwitch[node * this.#words + w]!
    const input = neighborPort[link]! - 1
    out[input >> 5]! &= ~(1 << (input & 31))
    return true
  }

  /** Visits every link between switches that packets for a group may take, from all other hosts. */
  #follow({ id, access }: Group, visit: (link: number) => void): void {
    const { start, neighbor } = this.adjacency
    const { rowOf, listOf, listStart, listLength, ports } = this.#routes
    const [seen, pending] = [this.#seen.fill(0), this.#pending]
    let count = 0
    const enter = (node: number): void => {
      if (rowOf[node]! < 0 || seen[node] === 1) return
      seen[node] = 1
      pending[count++] = node
    }
    for (const [node, hosts] of this.#hostsBelow) {
      if (node !== access || hosts > 1) enter(node)
    }
    while (count > 0) {
      const node = pending[--count]!
      const list = listOf[rowOf[node]! + id]!
      if (list < 0) continue
      for (let k = 0; k < listLength[list]!; k++) {
        const link = start[node]! + ports[listStart[list]! + k]! - 1
        const next = neighbor[link]!
        if (rowOf[next]! < 0) continue
        visit(link)
        enter(next)
      }
    }
  }
}

/** A bit of a set that begins at `from`. */
function addTo(sets: Int32Array, from: number, port: number): void {
  sets[from + (port >> 5)]! |= 1 << (port & 31)
}

function has(set: Int32Array, port: number): boolean {
  return (set[port >> 5]! & (1 << (port & 31))) !== 0
}
