/**
 * Path kinds: the paths that routes offer between two endpoints, one of all whose links are alike. Paths behind a switch are
 * looked up once for all hosts below another; few kinds are left even of 65,536 hosts.
 * A path that is never better than another one is left out, or one that is never worse, as is wanted. Where links of many
 * kinds leave more than PATHS_MAX, one path takes the place of all: the best, or the worst, link at each hop.
 * The network is the one that was built: links that are down later count.
 */
import { leastOf, mostOf } from '../../base/extremes.ts'
import type { Port } from '../../fabric/link/port.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'

/** One direction of a link, with the switch that sends into it. */
export interface Hop {
  readonly rateBps: number
  /** By frame bytes. */
  readonly transmitPs: Float64Array
  readonly delayPs: number
  /** null: a host sends. */
  readonly at: { readonly latencyPs: number } | null
}

/** Links from source to destination, in this order. */
export type Path = readonly Hop[]

/** Paths from a switch to another above the destination that are kept. */
const PATHS_MAX = 64

/** A path by its first link and the number of the path behind it; the first path has no link. */
interface Link {
  readonly hop: Hop
  readonly kind: number
  readonly onward: number
}

export class PathKinds {
  readonly #built: BuiltNetwork
  readonly #keep: 'best' | 'worst'
  /** By kind of link. */
  readonly #hops: Hop[] = []
  readonly #kindOf = new Map<string, number>()
  /** By id of a port: kind of its link + 1; 0: not looked at yet. */
  readonly #kindOfPort: Int32Array
  /** Sets of paths over links of one kind, with one set behind them, by both. */
  readonly #setOver = new Map<number, number>()
  /** By number of a path, and numbers by key. */
  readonly #links: (Link | null)[] = [null]
  readonly #numberOf = new Map<string, number>()
  /** Sets of paths, the first of which is the empty path alone, and their numbers by key. */
  readonly #sets: (readonly number[])[] = [[0], []]
  readonly #setOf = new Map<string, number>()
  /** By group of hosts: number of the set + 1, by row of the switch; 0: not looked at yet. */
  readonly #setsAt: (Int32Array | undefined)[] = []

  constructor(built: BuiltNetwork, keep: 'best' | 'worst') {
    this.#built = built
    this.#keep = keep
    this.#kindOfPort = new Int32Array(built.network.ports.length)
  }

  /**
   * A text that is equal for pairs of endpoints whose paths are of the same kinds; null: no path joins them.
   */
  key(from: number, to: number): string | null {
    const { network } = this.#built
    const source = network.nics[from]!.port
    const last = network.nics[to]!.port.peer
    if (source.peer.node === network.nics[to]!.port.node) return `${this.#portKind(source)}`
    const set = this.#setBehind(from, to)
    return set === NONE ? null : `${this.#portKind(source)}/${set}/${this.#portKind(last)}`
  }

  /** Paths between two endpoints. */
  between(from: number, to: number): Path[] {
    const { network } = this.#built
    const source = network.nics[from]!.port
    if (source.peer.node === network.nics[to]!.port.node) return [[source]]
    const last = network.nics[to]!.port.peer
    return this.#sets[this.#setBehind(from, to)]!.map((path) => [source, ...this.#hopsOf(path), last])
  }

  /** Whether some switch on the way has several ports to choose from. */
  isChoice(from: number, to: number): boolean {
    const { network, routes } = this.#built
    let node = network.nics[from]!.port.peer.node
    while (routes.hostIndexOf[node] === -1) {
      const list = routes.listAt(node, to)
      if (list < 0 || routes.listLength[list]! > 1) return true
      node = network.switches[node]!.ports[routes.ports[routes.listStart[list]!]!]!.peer.node
    }
    return false
  }

  /** Set of the paths from the switch above one endpoint to the switch above the other. */
  #setBehind(from: number, to: number): number {
    const { network, routes } = this.#built
    const above = network.nics[from]!.port.peer.node
    if (routes.hostIndexOf[above]! >= 0) return NONE
    const group = routes.groupOf[to]!
    const sets = (this.#setsAt[group] ??= new Int32Array(routes.listOf.length / routes.groupCount))
    return this.#setAt(above, to, sets)
  }

  #setAt(node: number, to: number, sets: Int32Array): number {
    const { network, routes } = this.#built
    const row = routes.rowOf[node]! / routes.groupCount
    const known = sets[row]!
    if (known !== 0) return known - 1
    // Fixed routes that go round are refused elsewhere; here they lead nowhere.
    sets[row] = NONE + 1
    const list = routes.listAt(node, to)
    if (list < 0) return NONE
    const alike = this.#setOfAlike(node, to, sets, list)
    if (alike !== undefined) {
      sets[row] = alike + 1
      return alike
    }
    const found = new Set<number>()
    const first = routes.listStart[list]!
    for (let at = first; at < first + routes.listLength[list]!; at++) {
      const port = network.switches[node]!.ports[routes.ports[at]!]!
      const next = port.peer.node
      if (routes.hostIndexOf[next] === to) found.add(0)
      else if (routes.hostIndexOf[next] === -1)
        for (const onward of this.#sets[this.#setAt(next, to, sets)]!) found.add(this.#path(port, onward))
    }
    const set = this.#set(this.#kept([...found]))
    sets[row] = set + 1
    return set
  }

  /** The set where all links to choose from are of one kind, with the same paths behind them, as in a fat tree; undefined: else. */
  #setOfAlike(node: number, to: number, sets: Int32Array, list: number): number | undefined {
    const { network, routes } = this.#built
    const first = routes.listStart[list]!
    let common = -1
    for (let at = first; at < first + routes.listLength[list]!; at++) {
      const port = network.switches[node]!.ports[routes.ports[at]!]!
      if (routes.hostIndexOf[port.peer.node] !== -1) return undefined
      const over = this.#portKind(port) * SETS_MAX + this.#setAt(port.peer.node, to, sets)
      if (common >= 0 && over !== common) return undefined
      common = over
    }
    let set = this.#setOver.get(common)
    if (set === undefined) {
      const port = network.switches[node]!.ports[routes.ports[first]!]!
      const onward = this.#sets[common % SETS_MAX]!
      set = this.#set(this.#kept(onward.map((path) => this.#path(port, path))))
      this.#setOver.set(common, set)
    }
    return set
  }

  #set(paths: readonly number[]): number {
    if (paths.length === 0) return NONE
    if (paths.length === 1 && paths[0] === 0) return 0
    return numbered(this.#setOf, paths.join(), () => this.#sets.push(paths) - 1)
  }

  #path(hop: Hop, onward: number): number {
    const kind = this.#kind(hop)
    return numbered(this.#numberOf, `${kind}/${onward}`, () => {
      return this.#links.push({ hop: this.#hops[kind]!, kind, onward }) - 1
    })
  }

  #portKind(port: Port): number {
    const known = this.#kindOfPort[port.id]!
    if (known > 0) return known - 1
    const kind = this.#kind(port)
    this.#kindOfPort[port.id] = kind + 1
    return kind
  }

  #kind(hop: Hop): number {
    const { rateBps, delayPs, at } = hop
    return numbered(this.#kindOf, `${rateBps}/${delayPs}/${at?.latencyPs}`, () => this.#hops.push(hop) - 1)
  }

  #hopsOf(path: number): Hop[] {
    const hops: Hop[] = []
    for (let link = this.#links[path]!; link !== null; link = this.#links[link.onward]!) hops.push(link.hop)
    return hops
  }

  /** Paths in ascending order, without those that another one makes useless. */
  #kept(paths: readonly number[]): number[] {
    const sorted = paths.toSorted((a, b) => a - b)
    // Where frames cut through, a slower link may let a faster one behind it start earlier.
    if (sorted.length === 1 || (this.#built.headerBytes > 0 && sorted.length <= PATHS_MAX)) return sorted
    const hopsOf = new Map(sorted.map((path) => [path, this.#hopsOf(path)]))
    const isUseless = (path: number): boolean =>
      sorted.some((other) => {
        const [better, worse] = this.#keep === 'best' ? [other, path] : [path, other]
        if (other === path || !isNeverWorse(hopsOf.get(better)!, hopsOf.get(worse)!)) return false
        return other < path || !isNeverWorse(hopsOf.get(worse)!, hopsOf.get(better)!)
      })
    const kept = sorted.filter((path) => !isUseless(path))
    return kept.length <= PATHS_MAX ? kept : this.#merged(kept.map((path) => hopsOf.get(path)!))
  }

  /** One path for each length: of each hop the best link, or the worst. */
  #merged(paths: readonly Hop[][]): number[] {
    const isBest = this.#keep === 'best'
    const [fastOf, shortOf] = isBest ? [mostOf, leastOf] : [leastOf, mostOf]
    return [...new Set(paths.map(({ length }) => length))].map((hops) => {
      const alike = paths.filter(({ length }) => length === hops)
      let merged = 0
      for (let i = hops - 1; i >= 0; i--) {
        const all = alike.map((path) => path[i]!)
        const rateBps = fastOf(all.map((hop) => hop.rateBps))
        const { transmitPs } = all.find((hop) => hop.rateBps === rateBps)!
        const delayPs = shortOf(all.map((hop) => hop.delayPs))
        merged = this.#path({ rateBps, transmitPs, delayPs, at: { latencyPs: shortOf(all.map(latencyPs)) } }, merged)
      }
      return merged
    })
  }
}

/** The set without paths. */
const NONE = 1
/** More than there are sets: two for each pair of switches in the largest network. */
const SETS_MAX = 2 ** 40

/** Latency of the device that sends into a link. */
export function latencyPs({ at }: Hop): number {
  return at === null ? 0 : at.latencyPs
}

/** Whether no frames take longer on path `a` than on path `b`, where switches store and forward. */
function isNeverWorse(a: Path, b: Path): boolean {
  if (a.length !== b.length || !a.every(({ rateBps }, i) => rateBps >= b[i]!.rateBps)) return false
  return betweenPs(a) <= betweenPs(b)
}

/** Time of a frame on a path without its transmissions: propagation, and the latency of switches. */
export function betweenPs(path: Path): number {
  return path.reduce((sum, hop) => sum + hop.delayPs + latencyPs(hop), 0)
}

function numbered(known: Map<string, number>, key: string, make: () => number): number {
  let number = known.get(key)
  if (number === undefined) known.set(key, (number = make()))
  return number
}
