/**
 * Losses: where packets were lost: the link, the queue that had no room, or the host that took none.
 */
import { INTS } from '../../../core/base/memory.ts'
import { DROP_BUFFER, DROP_FCS, DROP_LINK_DOWN, DROP_LOSS, DROP_WRED } from '../../../core/fabric/counters.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import type { Network } from '../../../core/fabric/network.ts'
import { AT } from '../../../core/fabric/packets.ts'
import type { Origins } from '../pauses/origins.ts'
import type { PortTotals } from './port-totals.ts'
import type { Roots } from './roots.ts'

const ints = INTS

export class Losses {
  readonly #network: Network
  readonly #origins: Origins
  readonly #roots: Roots
  readonly #totals: PortTotals

  constructor(network: Network, origins: Origins, roots: Roots, totals: PortTotals) {
    this.#network = network
    this.#origins = origins
    this.#roots = roots
    this.#totals = totals
  }

  /** The link that lost a packet, the queue that had no room for it, or the host that took none. */
  originOf(node: number, reason: number, packet: number): number {
    const network = this.#network
    const at = network.switches[node] ?? null
    if (reason === DROP_LINK_DOWN) {
      const down = network.ports.find((port) => port.node === node && !port.isUp)
      return this.linkOrigin((down ?? network.ports[ints[packet | AT]!]!.peer).id)
    }
    if (reason === DROP_LOSS || reason === DROP_FCS) return this.linkOrigin(network.ports[ints[packet | AT]!]!.peer.id)
    if (at === null) {
      const endpoint = network.nics.findIndex(({ port }) => port.node === node)
      return this.#origins.numberOf(network.receives[endpoint]?.isStanding === true ? 'storm' : 'host', node, -1)
    }
    if (reason !== DROP_BUFFER && reason !== DROP_WRED) return this.#origins.numberOf('switch', node, -1)
    const trafficClass = at.trafficClassOf(packet)
    const bytesOf = (port: Port | undefined): number => port?.queue.bytesOf(trafficClass) ?? -1
    const longest = at.ports.reduce<Port | undefined>(
      (most, port) => (bytesOf(port) > bytesOf(most) ? port : most),
      undefined,
    )
    if (longest !== undefined) this.#totals.drop(longest.id, longest.queue.bytesOf(trafficClass))
    return longest === undefined ? this.#origins.numberOf('switch', node, -1) : this.#roots.portOrigin(longest.id)
  }

  /** A link that loses packets, or is down, by the port that sends. */
  linkOrigin(port: number): number {
    const { node, index } = this.#network.ports[port]!
    return this.#origins.numberOf('link', node, index)
  }
}
