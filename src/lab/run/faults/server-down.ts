/**
 * Servers that die, and come back. A dead server sends nothing, drops what arrives and answers no ARP request; its link
 * stays up (it hangs) or goes down. Its queue pairs are lost and their messages end; the other ends retry until their own
 * limit. A server that comes back has no queue pairs: packets for those of before are dropped; it asks for its addresses,
 * so that its switch knows it again.
 * Source: [MS-Scale] 4.2 (dead servers, and a restart of all).
 */
import { INTS } from '../../../base/memory.ts'
import { DROP_HOST_DOWN } from '../../../fabric/counters.ts'
import type { Intake } from '../../../fabric/link/intake.ts'
import { DIRECTION, KIND, PFC } from '../../../fabric/packets.ts'
import { losePair } from '../../../fabric/nic/lost-pairs.ts'
import type { Nic } from '../../../fabric/nic/nic.ts'
import { Layer2Switch } from '../../../fabric/switch/layer2-switch.ts'
import { selectHosts } from '../../build/selection/host-selection.ts'
import type { BuiltNetwork } from '../../build/network-builder.ts'
import type { FaultOf, FaultSite } from './site.ts'
import type { LinkStates } from './link-states.ts'
import type { Silence } from './silence.ts'

/** @throws InputError for hosts that are not there */
export function layServerDown(values: FaultOf<'server-down'>, { built, links, silence, path }: FaultSite): void {
  const { network, topology } = built
  const hosts = selectHosts(values.hosts, topology, `${path}.hosts`)
  const servers = hosts.flatMap((host) =>
    topology.hostPorts[host]!.map((endpoint) => new Server(built, links, silence, network.nics[endpoint]!)),
  )
  const goesDown = values.link === 'goes-down'
  const act = (timePs: number, run: () => void): void => network.actAt(timePs, network.addActor({ onEvent: run }))
  act(values.down, () => {
    for (const server of servers) server.die(goesDown)
    network.recordTargets()
  })
  if (values.up === null) return
  act(values.up, () => {
    for (const server of servers) server.restart(goesDown)
    network.recordTargets()
  })
}

/** One port of a server; ports of one server die together. */
class Server implements Intake {
  readonly #built: BuiltNetwork
  readonly #states: LinkStates
  readonly #silence: Silence
  readonly #nic: Nic
  /** Its link, in a list. */
  readonly #links: readonly number[]
  /** Queue pairs below this number were lost. */
  #lostBelow = 0

  constructor(built: BuiltNetwork, states: LinkStates, silence: Silence, nic: Nic) {
    this.#built = built
    this.#states = states
    this.#silence = silence
    this.#nic = nic
    this.#links = [built.linkPorts.findIndex((ends) => ends.includes(nic.port))]
  }

  die(goesDown: boolean): void {
    const { network } = this.#built
    const nic = this.#nic
    if (nic.isDown) return
    nic.isDown = true
    this.#silence.begin(nic, 'server down')
    const receive = network.receives[nic.position]
    if (this.#lostBelow === 0) {
      // In front of the receive pipeline, which would hand packets to a dead server.
      if (receive !== undefined) nic.port.removeIntake(receive)
      nic.port.addIntake(this)
      if (receive !== undefined) nic.port.addIntake(receive)
    }
    this.#loseQueuePairs()
    // A pipeline that stands still keeps what it has, and the NIC goes on to pause ([MS-Scale] 6.2).
    if (receive !== undefined && !receive.isStopped) receive.empty(DROP_HOST_DOWN)
    nic.dropControl(DROP_HOST_DOWN)
    if (goesDown) this.#states.cut(this.#links)
  }

  restart(wentDown: boolean): void {
    const nic = this.#nic
    if (!nic.isDown) return
    // Messages that came while the server was down are lost with its queue pairs.
    this.#loseQueuePairs()
    nic.dropControl(DROP_HOST_DOWN)
    // A NIC that starts takes its link down and up: both ends forget each other's pauses.
    if (!wentDown) this.#states.cut(this.#links)
    // [MS-Scale] 4.3: "typically can be fixed by a server reboot".
    this.#built.network.receives[nic.position]?.powerCycle()
    nic.isDown = false
    this.#silence.end(nic, 'pipeline stopped')
    this.#silence.end(nic, 'server down')
    this.#states.restore(this.#links)
    const { port } = nic
    if (port.peer.at instanceof Layer2Switch) port.peer.at.announce(port.peer.index)
  }

  /** A frame has arrived at the server. PFC frames are obeyed by its MAC, which does not know, and a NIC that stands still holds what comes. */
  takes(packet: number): boolean {
    if (INTS[packet | KIND] === PFC) return false
    const nic = this.#nic
    if (this.#built.network.receives[nic.position]?.isStopped === true) return false
    if (!nic.isDown && INTS[packet | DIRECTION]! >> 1 >= this.#lostBelow) return false
    this.#built.network.fabric.drop(packet, nic.node, DROP_HOST_DOWN)
    return true
  }

  #loseQueuePairs(): void {
    const { pairs } = this.#built.network
    const { position } = this.#nic
    const { nowPs } = this.#built.network.fabric.queue
    for (const pair of pairs) {
      if (pair.source === position || pair.destination === position) losePair(this.#nic, nowPs, pair)
    }
    this.#lostBelow = pairs.count
  }
}
