/**
 * Layer 2 of a network: its switches with tables, which know their hosts, and the filters of hosts, which drop frames that
 * are not theirs.
 */
import { INTS } from '../../core/base/memory.ts'
import { LAST_PS, SECOND } from '../../core/base/params.ts'
import { DROP_NOT_MINE } from '../../core/fabric/counters.ts'
import type { Fabric } from '../../core/fabric/fabric.ts'
import type { Intake } from '../../core/fabric/link/intake.ts'
import type { Port } from '../../core/fabric/link/port.ts'
import type { Network } from '../../core/fabric/network.ts'
import { BROADCAST, COPY, DESTINATION, KIND, PFC } from '../../core/fabric/packets.ts'
import { Copies } from '../../core/fabric/switch/layer2-copies.ts'
import { type Layer2Options, Layer2Switch } from '../../core/fabric/switch/layer2-switch.ts'
import { Switch } from '../../core/fabric/switch/switch.ts'
import type { SwitchOptions } from '../../core/fabric/switch/switch-options.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { FloodPorts } from '../../core/topology/buffer-dependencies.ts'
import type { Topology } from '../../core/topology/topology.ts'
import { selectHosts } from './selection/host-selection.ts'
import type { Mistakes } from './mistakes.ts'

/** Options of switches with tables; null: switches have none. */
export function layer2Options({ switch: { layer2 } }: Scenario): Layer2Options | null {
  if (layer2.kind === 'off') return null
  return {
    // Longer than any run as a rule, and then never reached: simulated time ends after 2.5 hours.
    arpAgeingPs: Math.ceil(layer2.arpSeconds * layer2.timeScale * SECOND),
    macAgeingPs: Math.ceil(layer2.macSeconds * layer2.timeScale * SECOND),
    forgetsOnLinkDown: layer2.forgetOnLinkDown,
    onIncomplete: layer2.onIncomplete,
    floodsUplinks: layer2.floodPorts === 'all',
    headDropTakesTime: layer2.headDrop === 'frame-time',
    floodClass: layer2.floodClass ?? -1,
    cpuPs: Math.round(SECOND / layer2.cpuRate),
    cpuQueue: layer2.cpuQueue,
    resolvePs: layer2.resolveTime,
  }
}

/** Makes the switches of one network: those with hosts have tables, if the scenario says so. */
export class SwitchMaker {
  readonly #options: Layer2Options | null
  readonly #copies = new Copies()
  readonly #withHosts: ReadonlySet<number>

  constructor(scenario: Scenario, { links, endpoints }: Topology) {
    this.#options = layer2Options(scenario)
    const hosts = new Set(endpoints)
    this.#withHosts = new Set(links.flatMap(({ a, b }) => [...(hosts.has(a) ? [b] : []), ...(hosts.has(b) ? [a] : [])]))
  }

  create(fabric: Fabric, options: SwitchOptions): Switch {
    return this.#options === null || !this.#withHosts.has(options.node)
      ? new Switch(fabric, options)
      : new Layer2Switch(fabric, options, this.#options, this.#copies)
  }
}

/** Tells switches with tables their hosts, once all ports are there. */
export function connectLayer2(scenario: Scenario, network: Network, topology: Topology, mistakes: Mistakes): void {
  const { layer2 } = scenario.switch
  if (layer2.kind === 'off') return
  for (const at of network.switches) if (at instanceof Layer2Switch) at.attach(hostsOf(at, network))
  const filter = hostFilter(network)
  for (const { port } of network.nics) port.addIntake(filter)
  const word = layer2.macMissing.trim()
  if (word === 'none') return
  mistakes.attempt(() => {
    for (const host of selectHosts(word, topology, 'switch.layer2.macMissing')) {
      for (const endpoint of topology.hostPorts[host]!) {
        const { peer } = network.nics[endpoint]!.port
        if (peer.at instanceof Layer2Switch) peer.at.forgetMac(peer.index)
      }
    }
  })
}

/**
 * By switch: the ports to which it may flood a lossless packet for one of its hosts; empty where the scenario has no
 * tables, or does not flood lossless packets. For the analysis of buffer dependencies.
 */
export function losslessFloodsOf({ switch: { layer2 } }: Scenario, network: Network): FloodPorts {
  if (layer2.kind === 'off' || layer2.onIncomplete !== 'flood') return new Map()
  // MAC entries outlive those of ARP, so that none is incomplete, unless one is missing from the start.
  const isCertain = layer2.macSeconds > layer2.arpSeconds && layer2.macMissing.trim() === 'none'
  if (isCertain && !layer2.forgetOnLinkDown) return new Map()
  return new Map(
    network.switches.flatMap((at) => (at instanceof Layer2Switch ? [[at.node, at.portsOfFlood()] as const] : [])),
  )
}

function hostsOf(at: Layer2Switch, network: Network) {
  const portOf = new Int32Array(network.nics.length)
  const nics = network.nics.filter(({ port }) => port.peer.node === at.node)
  for (const { position, port } of nics) portOf[position] = port.peer.index
  const nicAt = new Map(nics.map((nic) => [nic.port.peer.index, nic]))
  const actor = network.addActor({ onEvent: (nowPs) => at.look(nowPs) })
  return {
    portOf,
    answers: (port: number): boolean => {
      const nic = nicAt.get(port)!
      // ARP takes the way of all packets: a NIC whose receive side is dead does not see the request ([MS-Scale] 4.2, 4.3).
      return !nic.isDown && nic.port.isUp && network.receives[nic.position]?.isReceiving !== false
    },
    callAt: (timePs: number): void => {
      if (timePs <= LAST_PS) network.actAt(timePs, actor)
    },
  }
}

/** Hosts drop flooded frames with another MAC address than their own, and take in broadcasts. */
function hostFilter({ fabric }: Network): Intake {
  return {
    takes(packet, port: Port) {
      const kind = INTS[packet | KIND]!
      if (kind === PFC) return false
      if (kind === BROADCAST) {
        fabric.counters.broadcastsReceived++
        fabric.packets.free(packet)
        return true
      }
      if (kind !== COPY || INTS[packet | DESTINATION] === port.nic!.position) return false
      fabric.drop(packet, port.node, DROP_NOT_MINE)
      return true
    },
  }
}
