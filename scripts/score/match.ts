/**
 * Match: whether a device that is named is one of the truth. The rules:
 *   - a node is right if the truth has it among its nodes: the host that is slow, stands still, loses on its link, is sent
 *     to by a crowd or sends without end; the switch whose marking or buffer is wrong, or whose uplinks are slow
 *   - a port is right if it is a port of the truth or the other end of the same link: the lossy link, the link of such a
 *     host, each uplink of an oversubscribed tier
 *   - of a switch that is wrong as a whole, in its marking or buffer, each port is right
 *   - a link that is named by both its nodes is right if one of its ports is
 * A switch is not right because a link of it is, and a name that the network does not have is never right.
 */
import { portsByNode } from '../../src/lab/index.ts'
import type { Topology } from '../../src/core/topology/index.ts'
import type { TruePort, Truth } from './truth.ts'

/** A device, port or link that is named as a cause. */
export interface Found {
  /** As it is named: "host 3", "leaf 0 port 2 to host 1". */
  readonly device: string
  /** Name of the node at the other end, of a link that is named by both ends. */
  readonly peer?: string
}

interface Named {
  readonly node: number
  /** Ports that are meant; empty: the node itself. */
  readonly ports: readonly (TruePort & { readonly peer: number })[]
}

/** Places by the texts that name them. */
export class Names {
  readonly #byText = new Map<string, Named>()
  readonly #byEnds = new Map<string, Named>()
  readonly #ends = new Map<string, TruePort>()
  readonly #isHost: (node: number) => boolean

  constructor(topology: Topology) {
    const { names, links, tiers } = topology
    this.#isHost = (node) => tiers[node] === 0
    names.forEach((name, node) => this.#byText.set(name, { node, ports: [] }))
    for (const { node, index, peer } of portsByNode(topology).flat()) {
      const named: Named = { node, ports: [{ node, port: index, peer }] }
      const [name, peerName] = [names[node]!, names[peer]!]
      this.#byText.set(`${name} port ${index}`, named)
      this.#byText.set(`${name} port ${index} to ${peerName}`, named)
      const ends = `${name}>${peerName}`
      this.#byEnds.set(ends, { node, ports: [...(this.#byEnds.get(ends)?.ports ?? []), ...named.ports] })
    }
    const next = new Int32Array(names.length)
    for (const { a, b } of links) {
      const [ofA, ofB] = [++next[a]!, ++next[b]!]
      this.#ends.set(`${a}:${ofA}`, { node: b, port: ofB })
      this.#ends.set(`${b}:${ofB}`, { node: a, port: ofA })
    }
  }

  /** Whether the network has what is named. */
  knows(found: Found): boolean {
    return this.#named(found) !== undefined
  }

  #named({ device, peer }: Found): Named | undefined {
    return peer === undefined ? this.#byText.get(device) : this.#byEnds.get(`${device}>${peer}`)
  }

  /** Whether the device that is named, or that has the port that is named, is among the nodes of the truth. */
  isAtNode(found: Found, { nodes }: Truth): boolean {
    const named = this.#named(found)
    return named !== undefined && nodes.includes(named.node)
  }

  fits(found: Found, { nodes, ports }: Truth): boolean {
    const named = this.#named(found)
    if (named === undefined) return false
    if (named.ports.length === 0) return nodes.includes(named.node)
    if (ports.length === 0 && nodes.includes(named.node)) return true
    return named.ports.some((port) => {
      const end = this.#ends.get(`${port.node}:${port.port}`)!
      const isLink = ports.some((truth) => [port, end].some((at) => at.node === truth.node && at.port === truth.port))
      return isLink || [port.node, port.peer].some((node) => this.#isHost(node) && nodes.includes(node))
    })
  }

  /** Position of the first that fits one of the truths, -1: none does. */
  rankOf(found: readonly Found[], truths: readonly Truth[]): number {
    return found.findIndex((one) => truths.some((truth) => this.fits(one, truth)))
  }
}
