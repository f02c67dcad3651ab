/**
 * Round trips: how long a full packet and its ACK take, each pair of hosts alone in the network.
 * Units: picoseconds. Hosts below one switch on links of the same rate and delay are alike, so that two of them stand for
 * all, and paths over links of the same rates, delays and latencies are timed once: few are left even of 65,536 hosts.
 */
import { mostOf } from '../../base/extremes.ts'
import type { Port } from '../../fabric/link/port.ts'
import type { FrameSizes } from '../../transport/endpoint.ts'
import { firstPath, idealBackPs, idealPs } from './ideal.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'

/** The longest of all pairs of hosts, on the first path and over the frames of all workloads; NaN: no two are connected. */
export function longestRoundTripPs(built: BuiltNetwork): number {
  const paths = [...differentPaths(built)]
  return mostOf([...new Set([built.frames, ...built.framesOf])].map((frames) => largestOf(paths, built, frames)))
}

/** The same of queue pairs with these frames. */
export function largestRoundTripPs(built: BuiltNetwork, frames: FrameSizes): number {
  return largestOf(differentPaths(built), built, frames)
}

function largestOf(paths: Iterable<readonly Port[]>, { headerBytes }: BuiltNetwork, frames: FrameSizes): number {
  const ackBytes = Math.max(frames.ackBytes, frames.minimumBytes)
  let largestPs = NaN
  for (const path of paths) {
    const roundTripPs =
      idealPs(path, frames.payloadBytes, 'read', frames, headerBytes) + idealBackPs(path, ackBytes, headerBytes)
    if (!(roundTripPs <= largestPs)) largestPs = roundTripPs
  }
  return largestPs
}

/** First paths between hosts, one of all that have the same kinds of links in the same order. */
function* differentPaths(built: BuiltNetwork): Generator<readonly Port[]> {
  const { network, routes, hostPorts } = built
  const { sources, destinations } = representatives(built)
  const kinds = new PathKinds(built)
  const known = new Set<number>()
  const portOf = (node: number, index: number): Port => network.switches[node]!.ports[index]!
  for (const destination of destinations) {
    kinds.lookTowards(destination)
    for (const source of sources) {
      if (source === destination || !hostPorts.isUsed(source, destination)) continue
      const { port } = network.nics[source]!
      const kind = kinds.ofPath(port)
      if (kind < 0 || known.has(kind)) continue
      known.add(kind)
      const path = firstPath(port, destination, routes, portOf)
      if (path !== null) yield path
    }
  }
}

/** Endpoints of which each pair of hosts has one like it: the first of those that are alike, and a second as source. */
function representatives({ network, hostPorts }: BuiltNetwork): {
  readonly sources: readonly number[]
  readonly destinations: readonly number[]
} {
  const alike = new Map<string, number[]>()
  network.nics.forEach(({ port }, position) => {
    const key = `${port.peer.node}/${port.rateBps}/${port.delayPs}`
    const group = alike.get(key)
    if (group === undefined) alike.set(key, [position])
    // Two of each, since they send to each other too.
    else if (group.length < 2) group.push(position)
  })
  const sources = [...alike.values()].flat()
  // Ports of several hosts below one switch differ in whom they send to.
  const destinations = hostPorts.isSeveral ? sources : [...alike.values()].map(([first]) => first!)
  return { sources, destinations }
}

/** Numbers of paths to one host, equal for paths of the same kinds of links. */
class PathKinds {
  readonly #built: BuiltNetwork
  /** Number of each kind of link, and of each link with a path behind it. */
  readonly #links = new Map<string, number>()
  readonly #linkOf: Int32Array
  readonly #paths = new Map<number, number>()
  /** Per node: its path to the host; 0 not looked at yet, -1 there is none. */
  readonly #pathOf: Int32Array
  #host = -1

  constructor(built: BuiltNetwork) {
    this.#built = built
    this.#linkOf = Int32Array.from(built.network.ports, (port) => this.#kindOf(port))
    this.#pathOf = new Int32Array(built.topology.nodeCount)
  }

  /** Paths go to this endpoint from now on. */
  lookTowards(host: number): void {
    this.#host = host
    this.#pathOf.fill(0)
    this.#pathOf[this.#built.topology.endpoints[host]!] = 1
  }

  /** Kind of the path that begins with a port; -1: it does not arrive. */
  ofPath(port: Port): number {
    const onward = this.#from(port.peer.node, 0)
    return onward < 0 ? -1 : this.#joined(port, onward)
  }

  #from(node: number, hops: number): number {
    const known = this.#pathOf[node]!
    if (known !== 0) return known
    const { network, routes } = this.#built
    const list = routes.hostIndexOf[node] === -1 ? routes.listAt(node, this.#host) : -1
    // Fixed routes that go round are refused elsewhere.
    if (list < 0 || hops > routes.hostIndexOf.length) return (this.#pathOf[node] = -1)
    const port = network.switches[node]!.ports[routes.ports[routes.listStart[list]!]!]!
    const onward = this.#from(port.peer.node, hops + 1)
    return (this.#pathOf[node] = onward < 0 ? -1 : this.#joined(port, onward))
  }

  #joined(port: Port, onward: number): number {
    const key = onward * this.#links.size + this.#linkOf[port.id]!
    let path = this.#paths.get(key)
    if (path === undefined) {
      // From 2: 0 is a node not looked at, 1 the empty path.
      path = this.#paths.size + 2
      this.#paths.set(key, path)
    }
    return path
  }

  #kindOf({ rateBps, delayPs, at, peer }: Port): number {
    const key = `${rateBps}/${delayPs}/${at?.latencyPs}/${peer.rateBps}/${peer.at?.latencyPs}`
    const known = this.#links.get(key)
    if (known !== undefined) return known
    this.#links.set(key, this.#links.size)
    return this.#links.size - 1
  }
}
