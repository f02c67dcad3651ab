/**
 * Path flow: the most that the links between endpoints carry together, by the routes, and the cut that allows no more: the
 * maximum flow (Ford and Fulkerson), with shortest augmenting paths (Edmonds and Karp).
 * Several endpoints of a host share their links.
 */
import { leastOf } from '../../core/base/extremes.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/** A link, and its other direction, which takes flow back. */
interface Edge {
  readonly to: number
  leftBps: number
  /** In the direction of packets. */
  readonly isLink: boolean
  readonly reverse: Edge
}

/** A narrowest cut: links that every packet has to cross. */
export interface Cut {
  /** Together. */
  readonly bps: number
  /** Links that a packet crosses before a link of the cut, and behind it, at least. */
  readonly hopsBefore: number
  readonly hopsBehind: number
}

/** @param lanes endpoints that are joined by a path. */
export function narrowestCut(
  built: BuiltNetwork,
  lanes: Iterable<{ readonly from: number; readonly to: number }>,
): Cut {
  const graph = new FlowGraph(built)
  for (const { from, to } of lanes) graph.addLane(from, to)
  return graph.cut()
}

/** Nodes of the topology, with one source before all endpoints that send and one sink behind those that receive. */
class FlowGraph {
  readonly #built: BuiltNetwork
  readonly #edges = new Map<number, Edge[]>()
  readonly #known = new Set<number>()

  constructor(built: BuiltNetwork) {
    this.#built = built
  }

  addLane(from: number, to: number): void {
    const { network, routes, topology } = this.#built
    const source = network.nics[from]!.port
    const end = topology.endpoints[to]!
    this.#join(SOURCE, source.node, Infinity)
    this.#join(end, SINK, Infinity)
    this.#add(source)
    const seen = new Set([source.peer.node, end])
    for (const node of seen) {
      if (routes.hostIndexOf[node] !== -1) continue
      const list = routes.listAt(node, to)
      if (list < 0) continue
      const first = routes.listStart[list]!
      for (let at = first; at < first + routes.listLength[list]!; at++) {
        const port = network.switches[node]!.ports[routes.ports[at]!]!
        this.#add(port)
        seen.add(port.peer.node)
      }
    }
  }

  cut(): Cut {
    // Residues grow in both directions, hops do not.
    const hopsTo = this.#hopsFrom(SOURCE, ({ leftBps }) => leftBps > 0)
    const hopsFrom = this.#hopsFrom(SINK, ({ reverse }) => reverse.leftBps > 0)
    let bps = 0
    for (;;) {
      const { path, reached } = this.#augmenting()
      if (path.length === 0) {
        const crossing = [...reached].flatMap((node) =>
          this.#of(node)
            .filter(({ to, isLink }) => isLink && !reached.has(to))
            .map(({ to }) => [hopsTo.get(node)! - 1, hopsFrom.get(to)! - 1] as const),
        )
        const [before, behind] = [crossing.map(([hops]) => hops), crossing.map(([, hops]) => hops)]
        return { bps, hopsBefore: leastOf(before), hopsBehind: leastOf(behind) }
      }
      const moreBps = Math.min(...path.map(({ leftBps }) => leftBps))
      bps += moreBps
      for (const edge of path) {
        edge.leftBps -= moreBps
        edge.reverse.leftBps += moreBps
      }
    }
  }

  #add(port: Port): void {
    if (this.#known.has(port.id)) return
    this.#known.add(port.id)
    this.#joinNew(port.node, port.peer.node, port.rateBps)
  }

  #join(a: number, b: number, bps: number): void {
    if (this.#edges.get(a)?.some(({ to }) => to === b) !== true) this.#joinNew(a, b, bps)
  }

  #joinNew(a: number, b: number, bps: number): void {
    const forward = { to: b, leftBps: bps, isLink: true } as { -readonly [K in keyof Edge]: Edge[K] }
    forward.reverse = { to: a, leftBps: 0, isLink: false, reverse: forward }
    this.#of(a).push(forward)
    this.#of(b).push(forward.reverse)
  }

  #of(node: number): Edge[] {
    let edges = this.#edges.get(node)
    if (edges === undefined) this.#edges.set(node, (edges = []))
    return edges
  }

  /** Edges from a node to each other, by the edges that may be taken. */
  #hopsFrom(start: number, mayTake: (edge: Edge) => boolean): Map<number, number> {
    const hops = new Map([[start, 0]])
    for (const [node, count] of hops)
      for (const edge of this.#of(node)) if (mayTake(edge) && !hops.has(edge.to)) hops.set(edge.to, count + 1)
    return hops
  }

  /** The shortest path from source to sink with room on every edge, or else none; and the nodes that are reached. */
  #augmenting(): { readonly path: readonly Edge[]; readonly reached: ReadonlySet<number> } {
    const cameBy = new Map<number, Edge>()
    const order = [SOURCE]
    for (const node of order) {
      for (const edge of this.#of(node)) {
        if (edge.leftBps <= 0 || edge.to === SOURCE || cameBy.has(edge.to)) continue
        cameBy.set(edge.to, edge)
        order.push(edge.to)
      }
    }
    const path: Edge[] = []
    for (let edge = cameBy.get(SINK); edge !== undefined; edge = cameBy.get(edge.reverse.to)) path.push(edge)
    return { path, reached: new Set(order) }
  }
}

const SOURCE = -1
const SINK = -2
