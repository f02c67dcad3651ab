/**
 * Losses: where packets were lost: the link, the queue that had no room, or the host that took none.
 */
import { INTS } from '../../../core/base/memory.ts'
import { DROP_BUFFER, DROP_FCS, DROP_LINK_DOWN, DROP_LOSS, DROP_WRED } from '../../../core/fabric/counters.ts'
import type { Network } from '../../../core/fabric/network.ts'
import { AT } from '../../../core/fabric/packets.ts'
import { NO_ORIGIN, type Origins } from '../pauses/origins.ts'
import type { PortTotals } from './port-totals.ts'
import type { Roots } from './roots.ts'

const ints = INTS

export class Losses {
  readonly #network: Network
  readonly #origins: Origins
  readonly #roots: Roots
  readonly #totals: PortTotals
  /** By port: the origin of its link. */
  readonly #linkOrigins: Int32Array
  /** By node: the ports of a switch. */
  readonly #portsOf: Int32Array[] = []

  constructor(network: Network, origins: Origins, roots: Roots, totals: PortTotals) {
    this.#network = network
    this.#origins = origins
    this.#roots = roots
    this.#totals = totals
    this.#linkOrigins = new Int32Array(network.ports.length).fill(NO_ORIGIN)
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
    const { queues } = network.fabric
    const ids = (this.#portsOf[node] ??= Int32Array.from(at.ports.flatMap((port) => port?.id ?? [])))
    let longest = -1
    let mostBytes = -1
    for (let i = 0; i < ids.length; i++) {
      const bytes = queues.bytesOf(ids[i]!, trafficClass)
      if (bytes <= mostBytes) continue
      longest = ids[i]!
      mostBytes = bytes
    }
    if (longest < 0) return this.#origins.numberOf('switch', node, -1)
    this.#totals.drop(longest, mostBytes)
    return this.#roots.portOrigin(longest)
  }

  /** A link that loses packets, or is down, by the port that sends. */
  linkOrigin(port: number): number {
    const known = this.#linkOrigins[port]!
    if (known !== NO_ORIGIN) return known
    const { node, index } = this.#network.ports[port]!
    return (this.#linkOrigins[port] = this.#origins.numberOf('link', node, index))
  }
}
