/**
 * Link states: which links are up while several faults may hold one down, and the routes that follow.
 * A link is down while any fault holds it, and comes up when the last lets go.
 */
import type { Port } from '../../../core/fabric/link/port.ts'
import { computeRoutes } from '../../../core/topology/routes.ts'
import type { BuiltNetwork } from '../../network/network-builder.ts'
import { addTuples } from '../../pairs/pairs.ts'

export class LinkStates {
  readonly #built: BuiltNetwork
  /** By link: number of faults that hold it down. */
  readonly #holds: Int32Array
  /** Actor that computes the routes anew; -1: not needed yet. */
  #rerouter = -1

  constructor(built: BuiltNetwork) {
    this.#built = built
    this.#holds = new Int32Array(built.linkPorts.length)
  }

  /** Takes links down: frames on them are lost, and packets queued for them. Both ends forget their pauses. */
  cut(links: readonly number[]): void {
    const { network, linkPorts } = this.#built
    for (const link of links) if (this.#holds[link]!++ === 0) for (const port of linkPorts[link]!) this.#cutEnd(port)
    network.recordTargets()
  }

  /** Lets links come up again. */
  restore(links: readonly number[]): void {
    for (const link of links) {
      if (--this.#holds[link]! > 0) continue
      for (const port of this.#built.linkPorts[link]!) {
        this.#report(port, true)
        port.restore()
      }
    }
  }

  /** All switches use routes over the links that are up, `convergePs` from now; without that time in this very event. */
  reroute(nowPs: number, convergePs: number): void {
    const { network } = this.#built
    if (convergePs === 0) return this.#computeRoutes()
    if (this.#rerouter < 0) this.#rerouter = network.addActor({ onEvent: () => this.#computeRoutes() })
    network.actAt(nowPs + convergePs, this.#rerouter)
  }

  #cutEnd(port: Port): void {
    port.cut()
    this.#report(port, false)
    this.#built.network.switches[port.node]?.flush(port)
  }

  #report(port: Port, isUp: boolean): void {
    const { watch, queue } = this.#built.network.fabric
    watch?.onLink?.(queue.nowPs, port.id, isUp)
  }

  #computeRoutes(): void {
    const { topology, linkPorts, network, hostPorts } = this.#built
    const routes = computeRoutes(topology, (link) => linkPorts[link]![0].isUp)
    network.setRoutes(routes)
    hostPorts.onRoutes(routes, (pair) => addTuples(this.#built, pair))
  }
}
