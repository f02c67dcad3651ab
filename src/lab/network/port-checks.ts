/**
 * Port checks: which frames ports take, by their tag and by their length, and the intakes that check it.
 * Without VLANs and MTUs no port has one.
 */
import type { Network } from '../../core/fabric/network.ts'
import type { NicPackets } from '../../core/fabric/nic-packets.ts'
import { LAYER3_TIERS } from '../../core/fabric/params.ts'
import { Mtu } from '../../core/fabric/vlan/mtu.ts'
import { NicVlan, taggedPackets } from '../../core/fabric/vlan/nic-vlan.ts'
import { type PortVlan, SwitchVlans } from '../../core/fabric/vlan/switch-vlans.ts'
import { hostTable, usesVlans } from '../scenario/class-map.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Topology } from '../../core/topology/topology.ts'
import type { DeviceValues } from './device-values.ts'
import { type PortAt, type PortOf, portsByNode } from './selection/node-selection.ts'

export class PortChecks {
  readonly #scenario: Scenario
  readonly #values: DeviceValues
  readonly #topology: Topology
  /** By node; empty where nothing needs it. */
  readonly #ports: readonly (readonly PortOf[])[]
  /** By node and port: index of the port at the other end of the link. */
  readonly #indexAcross: readonly (readonly number[])[]
  readonly #hasVlans: boolean

  constructor(scenario: Scenario, topology: Topology, values: DeviceValues) {
    this.#scenario = scenario
    this.#values = values
    this.#topology = topology
    this.#hasVlans = usesVlans(scenario)
    this.#ports = this.#hasVlans ? portsByNode(topology) : []
    this.#indexAcross = this.#hasVlans ? indexesAcross(topology) : []
  }

  /** Whether a NIC sends frames with a tag, and takes only those. @param node of the NIC */
  isTagged(node: number): boolean {
    const { nic, classes } = this.#values.of(node)
    if (!this.#hasVlans) return classes.classify === 'pcp'
    if (nic.vlan !== 'as-port') return nic.vlan === 'tagged'
    const mode = this.#modeAcross(this.#ports[node]![0]!)
    return mode === 'trunk' || mode === 'hybrid'
  }

  /** A NIC that reads the class of its own packets from a tag which they do not have: all are of class 0 there. */
  isOneClass(node: number): boolean {
    return this.#values.of(node).nic.trust === 'pcp' && !this.isTagged(node)
  }

  /** Maker of the packets of a NIC; null: its packets have no tag of their own. */
  packetsOf(node: number, { fabric }: Network): NicPackets | null {
    if (!this.#hasVlans || !this.isTagged(node)) return null
    return taggedPackets(fabric, hostTable(this.#values.of(node)), this.#scenario.frames.vlanTag)
  }

  /** A port's frames, where there are VLANs. */
  vlanOf({ node, index, peer }: PortAt): PortVlan {
    const { tiers } = this.#topology
    const isHost = tiers[peer] === 0
    if (!isHost && this.#routes(node) && this.#routes(peer)) {
      return { takesTagged: false, takesUntagged: true, sendsTagged: false, isHost }
    }
    const { ports: mode } = this.#values.ofPort(node, index).switch.vlan
    if (mode === 'hybrid') {
      const across = isHost ? this.isTagged(peer) : this.#modeAcross({ node, index, peer }) !== 'access'
      return { takesTagged: true, takesUntagged: true, sendsTagged: across, isHost }
    }
    const isTrunk = mode === 'trunk'
    return { takesTagged: isTrunk, takesUntagged: !isTrunk, sendsTagged: isTrunk, isHost }
  }

  /** Gives the network's ports their intakes; Network.recordTargets() has to be called afterwards. */
  attach(network: Network): void {
    const { fabric, switches, nics } = network
    const { vlanTag } = this.#scenario.frames
    for (const port of network.ports) {
      const { nic, switch: at } = this.#values.ofPort(port.node, port.index)
      const mtuBytes = port.nic === null ? at.mtu : nic.mtu
      if (mtuBytes !== null) port.addIntake(new Mtu(fabric, mtuBytes, vlanTag))
    }
    if (!this.#hasVlans) return
    for (const at of switches) {
      if (at === null) continue
      // Index 0 is not used; the first port stands in for it.
      const [first, ...others] = this.#ports[at.node]!.map((port) => this.vlanOf(port))
      if (first === undefined) continue
      const vlans = new SwitchVlans(fabric, [first, first, ...others], this.#routes(at.node), vlanTag)
      for (const port of at.ports.slice(1)) port.addIntake(vlans)
    }
    for (const { node, port } of nics) port.addIntake(new NicVlan(fabric, this.isTagged(node)))
  }

  #routes(node: number): boolean {
    const tier = this.#topology.tiers[node]!
    return tier > 0 && tier >= LAYER3_TIERS[this.#scenario.switch.vlan.layer3At]
  }

  /** Mode of the port at the other end of a link. */
  #modeAcross({ node, index, peer }: PortAt): Scenario['switch']['vlan']['ports'] {
    const there = this.#indexAcross[node]![index - 1]!
    return this.#values.ofPort(peer, there).switch.vlan.ports
  }
}

function indexesAcross({ nodeCount, links }: Topology): number[][] {
  const across: number[][] = Array.from({ length: nodeCount }, () => [])
  for (const { a, b } of links) {
    across[a]!.push(across[b]!.length + 1)
    across[b]!.push(across[a]!.length)
  }
  return across
}
