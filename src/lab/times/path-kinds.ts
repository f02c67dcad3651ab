/**
 * Path kinds: the paths that routes offer between two endpoints, one of all whose links are alike. Paths behind switches that
 * are alike are looked up once for all hosts below another; few kinds are left even of 65,536 hosts.
 * A path that is never better than another one is left out, or one that is never worse, as is wanted. Where links of many
 * kinds leave more than PATHS_MAX, one path takes the place of all: the best, or the worst, link at each hop.
 * The network is the one that was built: links that are down later count.
 */
import { leastOf, mostOf } from '../../core/base/extremes.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'
import { firstAlike } from './alike-switches.ts'

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

/** Links of one kind that a switch chooses, with the node behind them, or the first of the switches that are alike. */
interface Choice {
  readonly port: Port
  readonly next: number
}

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
  readonly #setOverOne = new Map<number, number>()
  /** By number of a path, and numbers by key. */
  readonly #links: (Link | null)[] = [null]
  readonly #numberOf = new Map<string, number>()
  /** Sets of paths, the first of which is the empty path alone, and their numbers by key. */
  readonly #sets: (readonly number[])[] = [[0], []]
  readonly #setOf = new Map<string, number>()
  /** By group of hosts: number of the set + 1, by row of the switch; 0: not looked at yet. */
  readonly #setsAt: (Int32Array | undefined)[] = []
  /** By endpoint: kinds of its link in both directions, and the node at the other end, or the first switch that is like it. */
  readonly #kindUp: Int32Array
  readonly #kindDown: Int32Array
  readonly #above: Int32Array
  /** By node: the first of the switches that are alike. */
  readonly #first: Int32Array
  /** By node and list of ports. */
  readonly #choices = new Map<number, readonly Choice[]>()
  /** Numbers of keys by set and ends, of ends by kinds of the first and the last link. */
  readonly #keys = new NumberedPairs()
  readonly #ends = new NumberedPairs()

  constructor(built: BuiltNetwork, keep: 'best' | 'worst') {
    this.#built = built
    this.#keep = keep
    const { nics, ports } = built.network
    this.#kindOfPort = new Int32Array(ports.length)
    this.#first = firstAlike(built, (port) => this.#portKind(port))
    this.#kindUp = Int32Array.from(nics, ({ port }) => this.#portKind(port))
    this.#kindDown = Int32Array.from(nics, ({ port }) => this.#portKind(port.peer))
    this.#above = built.routes.above.map((node) => (this.#first[node]! < 0 ? node : this.#first[node]!))
  }

  /** A number that is equal for pairs of endpoints whose paths are of the same kinds, below KEYS_MAX; null: no path joins them. */
  key(from: number, to: number): number | null {
    if (this.#areNeighbors(from, to)) return this.#keyOf(NONE, this.#kindUp[from]!, 0)
    const set = this.#setBehind(from, to)
    return set === NONE ? null : this.#keyOf(set, this.#kindUp[from]!, this.#kindDown[to]!)
  }

  #areNeighbors(from: number, to: number): boolean {
    return this.#above[from] === this.#built.topology.endpoints[to]
  }

  #keyOf(set: number, first: number, last: number): number {
    return this.#keys.of(set, this.#ends.of(first, last))
  }

  /** Paths between two endpoints. */
  between(from: number, to: number): Path[] {
    const { network } = this.#built
    const source = network.nics[from]!.port
    if (this.#areNeighbors(from, to)) return [[source]]
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
    const { routes } = this.#built
    const above = this.#above[from]!
    if (routes.hostIndexOf[above]! >= 0) return NONE
    const group = routes.groupOf[to]!
    const sets = (this.#setsAt[group] ??= new Int32Array(routes.listOf.length / routes.groupCount))
    return this.#setAt(above, to, sets)
  }

  /** @param node the first of the switches that are alike */
  #setAt(node: number, to: number, sets: Int32Array): number {
    const { routes } = this.#built
    const row = routes.rowOf[node]! / routes.groupCount
    const known = sets[row]!
    if (known !== 0) return known - 1
    // Fixed routes that go round are refused elsewhere; here they lead nowhere.
    sets[row] = NONE + 1
    const list = routes.listAt(node, to)
    if (list < 0) return NONE
    const set = this.#setOver(this.#choicesOf(node, list), to, sets)
    sets[row] = set + 1
    return set
  }

  #setOver(choices: readonly Choice[], to: number, sets: Int32Array): number {
    const { hostIndexOf } = this.#built.routes
    const setBehind = ({ next }: Choice): number =>
      hostIndexOf[next] === -1 ? this.#setAt(next, to, sets) : hostIndexOf[next] === to ? 0 : NONE
    const [only] = choices
    if (choices.length === 1 && hostIndexOf[only!.next] === -1) {
      const behind = setBehind(only!)
      const key = this.#portKind(only!.port) * KEYS_MAX + behind
      return numbered(this.#setOverOne, key, () => this.#set(this.#kept(this.#pathsOver(only!, behind))))
    }
    const paths = choices.flatMap((choice) => this.#pathsOver(choice, setBehind(choice)))
    return this.#set(this.#kept([...new Set(paths)]))
  }

  /** Paths over a link; the last link, to a host, is left out. */
  #pathsOver({ port, next }: Choice, behind: number): readonly number[] {
    const onward = this.#sets[behind]!
    return this.#built.routes.hostIndexOf[next] === -1 ? onward.map((path) => this.#path(port, path)) : onward
  }

  #choicesOf(node: number, list: number): readonly Choice[] {
    const { network, routes } = this.#built
    const key = node * routes.listStart.length + list
    let choices = this.#choices.get(key)
    if (choices === undefined) {
      const start = routes.listStart[list]!
      const found = new Map<string, Choice>()
      for (const number of routes.ports.subarray(start, start + routes.listLength[list]!)) {
        const port = network.switches[node]!.ports[number]!
        const { node: next } = port.peer
        const first = routes.hostIndexOf[next] === -1 ? this.#first[next]! : next
        found.set(`${this.#portKind(port)}/${first}`, { port, next: first })
      }
      this.#choices.set(key, (choices = [...found.values()]))
    }
    return choices
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
/** More than there are kinds of links, sets or keys; two of them make one exact number. */
export const KEYS_MAX = 2 ** 26

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

/** Numbers of pairs of small numbers, from 0, as they are asked for. */
class NumberedPairs {
  readonly #numbers: number[][] = []
  #count = 0

  of(a: number, b: number): number {
    const row = (this.#numbers[a] ??= [])
    return (row[b] ??= this.#count++)
  }
}

function numbered<K>(known: Map<K, number>, key: K, make: () => number): number {
  let number = known.get(key)
  if (number === undefined) known.set(key, (number = make()))
  return number
}
