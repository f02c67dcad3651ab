/**
 * Origins: the places that delays are traced back to, each with a number. Which of them held a message, and in what part of
 * its time, says `autopsy` (docs/models/autopsy.md).
 */
import type { Network } from '../../../core/fabric/network.ts'

/**
 * host: a host that receives more slowly than its link delivers
 * storm: a host that pauses its link although it holds next to nothing, or takes nothing at all
 * switch: the port of a switch where packets wait for others
 * nic: a host whose queue pairs wait for each other at its own port
 * link: a link that loses packets, or is down, by the end that sends
 */
export type OriginKind = 'host' | 'storm' | 'switch' | 'nic' | 'link'

export interface Origin {
  readonly kind: OriginKind
  readonly node: number
  /** Local index of the port; -1: a host, or a switch in which no port can be named. */
  readonly port: number
  /** For people: "host 3", "leaf 0 port 2 to host 1". */
  readonly name: string
}

/** Nothing is known of where it began. */
export const NO_ORIGIN = -1

export class Origins {
  readonly list: Origin[] = []
  readonly #network: Network
  readonly #names: readonly string[]
  /** Number by kind, node and then port. */
  readonly #numbers: Readonly<Record<OriginKind, number[][]>> = { host: [], storm: [], switch: [], nic: [], link: [] }

  /** @param names by node */
  constructor(network: Network, names: readonly string[]) {
    this.#network = network
    this.#names = names
  }

  /** The number of an origin, the same each time. */
  numberOf(kind: OriginKind, node: number, port: number): number {
    const ofNode = (this.#numbers[kind][node] ??= [])
    const known = ofNode[port + 1]
    if (known !== undefined) return known
    const own = this.#names[node]!
    const peer = this.#peerOf(node, port)
    const isWhole = kind === 'host' || kind === 'storm' || kind === 'nic' || port < 0
    this.list.push({ kind, node, port, name: isWhole ? own : `${own} port ${port} to ${peer}` })
    return (ofNode[port + 1] = this.list.length - 1)
  }

  #peerOf(node: number, port: number): string {
    const found = this.#network.ports.find((one) => one.node === node && one.index === port)
    return found === undefined ? '' : (this.#names[found.peer.node] ?? `${found.peer.node}`)
  }
}
