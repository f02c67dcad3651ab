/**
 * Servers that die, and come back. A dead server sends nothing, drops what arrives and answers no ARP request; its link
 * stays up (it hangs) or goes down. Its queue pairs are lost and their messages end; the other ends retry until their own
 * limit. A server that comes back has no queue pairs: packets for those of before are dropped; it asks for its addresses,
 * so that its switch knows it again.
 * Source: [MS-Scale] 4.2 (dead servers, and a restart of all).
 */
import { INTS } from '../../../core/base/memory.ts'
import { DROP_HOST_DOWN } from '../../../core/fabric/counters.ts'
import type { Intake } from '../../../core/fabric/link/intake.ts'
import { DIRECTION, KIND, PFC } from '../../../core/fabric/packets.ts'
import { losePair } from '../../../core/fabric/nic/lost-pairs.ts'
import type { Nic } from '../../../core/fabric/nic/nic.ts'
import type { Port } from '../../../core/fabric/link/port.ts'
import { selectHosts } from '../../network/selection/host-selection.ts'
import type { BuiltNetwork } from '../../network/network-builder.ts'
import type { HostStates } from './host-states.ts'
import type { FaultOf, FaultSite } from './site.ts'

/** @throws InputError for hosts that are not there */
export function layServerDown(values: FaultOf<'server-down'>, { built, links, hosts, path }: FaultSite): void {
  const { network, topology } = built
  const servers = selectHosts(values.hosts, topology, `${path}.hosts`).flatMap((host) =>
    topology.hostPorts[host]!.map((endpoint) => new Server(built, hosts, network.nics[endpoint]!)),
  )
  const goesDown = values.link === 'goes-down'
  const hostLinks = servers.map(({ port }) => built.linkPorts.findIndex((ends) => ends.includes(port)))
  const act = (timePs: number, run: () => void): void => network.actAt(timePs, network.addActor({ onEvent: run }))
  act(values.down, () => {
    for (const server of servers) server.die()
    if (goesDown) links.cut(hostLinks)
    network.recordTargets()
  })
  if (values.up === null) return
  act(values.up, () => {
    // A NIC that starts takes its link down and up: both ends forget each other's pauses.
    if (!goesDown) links.cut(hostLinks)
    for (const server of servers) server.restart()
    links.restore(hostLinks)
    for (const server of servers) hosts.announce(server.nic)
    network.recordTargets()
  })
}

/** One port of a server; ports of one server die together. */
class Server implements Intake {
  readonly nic: Nic
  readonly #built: BuiltNetwork
  readonly #states: HostStates
  /** Queue pairs below this number were lost. */
  #lostBelow = 0
  #isIntake = false

  constructor(built: BuiltNetwork, states: HostStates, nic: Nic) {
    this.#built = built
    this.#states = states
    this.nic = nic
  }

  get port(): Port {
    return this.nic.port
  }

  die(): void {
    const nic = this.nic
    const isFirst = this.#states.deaths.hold(nic)
    this.#states.silence(nic)
    if (!this.#isIntake) nic.port.addIntake(this)
    this.#isIntake = true
    if (!isFirst) return
    nic.isDown = true
    this.#loseQueuePairs()
    this.#dropWaiting()
    // A pipeline that stands still goes on to hold what it has, and to pause its switch.
    if (!this.#states.isStorming(nic)) this.#built.network.receives[nic.position]?.empty(DROP_HOST_DOWN)
  }

  restart(): void {
    const nic = this.nic
    if (this.#states.deaths.release(nic)) {
      // Messages that came while the server was down are lost with its queue pairs.
      this.#loseQueuePairs()
      this.#dropWaiting()
      // [MS-Scale] 4.3: "typically can be fixed by a server reboot". A storm with a time of its own goes on.
      this.#states.powerCycle(nic)
      nic.isDown = false
    }
    this.#states.unsilence(nic)
  }

  /** A frame has arrived at the server. PFC frames are obeyed by its MAC, which does not know, and a NIC that stands still holds what comes. */
  takes(packet: number): boolean {
    if (INTS[packet | KIND] === PFC) return false
    const nic = this.nic
    if (this.#states.isStorming(nic)) return false
    if (!nic.isDown && INTS[packet | DIRECTION]! >> 1 >= this.#lostBelow) return false
    this.#built.network.fabric.drop(packet, nic.node, DROP_HOST_DOWN)
    return true
  }

  /** Packets that wait for the port. */
  #dropWaiting(): void {
    this.nic.dropControl(DROP_HOST_DOWN)
    this.#built.network.reads[this.nic.position]?.drop(DROP_HOST_DOWN)
  }

  #loseQueuePairs(): void {
    const { pairs } = this.#built.network
    const { position } = this.nic
    const { nowPs } = this.#built.network.fabric.queue
    for (const pair of pairs) {
      if (pair.source === position || pair.destination === position) losePair(this.nic, nowPs, pair)
    }
    this.#lostBelow = pairs.count
  }
}
