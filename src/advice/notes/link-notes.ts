/**
 * Link notes: devices that are set otherwise than the other end of a link, or than hosts expect. Each names the device and
 * the port, what is expected and found there, and what will happen.
 * Source: [MS-Scale] 5.1 (configurations that drift from the desired ones).
 */
import { type DeviceValues, PortChecks, portsByNode, type PortOf } from '../../lab/index.ts'
import { dataClasses, dscpTable, hostTable, type Scenario, usesVlans } from '../../scenario/index.ts'
import type { Topology } from '../../topology/index.ts'
import { type Finding, foundAt, linkFindings } from '../../findings/index.ts'

interface Checked {
  readonly scenario: Scenario
  readonly topology: Topology
  readonly values: DeviceValues
  readonly checks: PortChecks
  /** By node. */
  readonly ports: readonly (readonly PortOf[])[]
}

/** Findings on the links of these nodes, and on the nodes, by the values in force. */
export class LinkNotes {
  readonly #checked: Checked
  /** By node: indexes in #links. */
  readonly #linksOf: readonly (readonly number[])[]
  readonly #links: readonly LinkEnds[]

  /** @param values that are in force when `at` is called */
  constructor(scenario: Scenario, topology: Topology, values: DeviceValues) {
    const ports = portsByNode(topology)
    this.#checked = { scenario, topology, values, checks: new PortChecks(scenario, topology, values), ports }
    this.#links = linkEnds(topology, ports)
    const linksOf: number[][] = topology.names.map(() => [])
    topology.links.forEach(({ a, b }, link) => {
      linksOf[a]!.push(link)
      linksOf[b]!.push(link)
    })
    this.#linksOf = linksOf
  }

  at(nodes: readonly number[]): Finding[] {
    const context = this.#checked
    const indexes = [...new Set(nodes.flatMap((node) => this.#linksOf[node]!))].toSorted((a, b) => a - b)
    const links = indexes.map((link) => this.#links[link]!)
    return [
      ...links.flatMap((ends) => pfcFindings(context, ends)),
      ...links.flatMap((ends) => lengthFindings(context, ends)),
      ...links.flatMap((ends) => mtuFindings(context, ends)),
      ...(usesVlans(context.scenario) ? links.flatMap((ends) => vlanFindings(context, ends)) : []),
      ...nodes.flatMap((node) => trustFindings(context, node)),
      ...nodes.flatMap((node) => mapFindings(context, node)),
    ]
  }
}

/** Both ends of a link, with its delay. */
interface LinkEnds {
  readonly ends: readonly [PortOf, PortOf]
  readonly delayPs: number
}

function linkEnds(topology: Topology, ports: readonly (readonly PortOf[])[]): LinkEnds[] {
  const next = topology.names.map(() => 0)
  return topology.links.map(({ a, b, delayPs }) => ({
    ends: [ports[a]![next[a]!++]!, ports[b]![next[b]!++]!],
    delayPs,
  }))
}

/** PFC on at one end only. */
function pfcFindings({ topology, values }: Checked, { ends }: LinkEnds): Finding[] {
  return [ends, ends.toReversed() as [PortOf, PortOf]].flatMap(([own, other]) => {
    const here = values.ofPort(own.node, own.index).pfc.classes
    const there = values.ofPort(other.node, other.index).pfc.classes
    const missing = there.filter((c) => !here.includes(c))
    if (missing.length === 0) return []
    const [name, far] = [topology.names[own.node]!, topology.names[other.node]!]
    const isSwitch = topology.tiers[own.node] !== 0
    const differing = { classes: here, expectedClasses: there, missingClasses: missing, isSwitch }
    return [foundAt(linkFindings.pfcAtOneEnd, { device: name, port: far, path: 'pfc.classes' }, differing)]
  })
}

/** Headroom for another cable than the link has. */
function lengthFindings({ topology, values }: Checked, { ends, delayPs }: LinkEnds): Finding[] {
  return ends.flatMap(({ node, index, peer }) => {
    const own = values.ofPort(node, index)
    const { buffer } = own.switch
    if (topology.tiers[node] === 0 || own.pfc.classes.length === 0 || buffer.kind !== 'shared-buffer') return []
    const { believedDelay: believedPs } = buffer
    if (believedPs === null || believedPs === delayPs) return []
    const subject = { device: topology.names[node]!, port: topology.names[peer]!, path: 'switch.buffer.believedDelay' }
    const delays = { delayPs: believedPs, expectedDelayPs: delayPs }
    return [foundAt(linkFindings.headroomForOtherLength, subject, delays)]
  })
}

/** Different longest frames at the ends of a link, or one shorter than the frames of the scenario. */
function mtuFindings({ scenario, topology, values }: Checked, { ends }: LinkEnds): Finding[] {
  const { frames } = scenario
  const longestBytes = frames.payload + frames.dataOverhead + frames.everyOverhead + frames.writeOverhead - 18
  return ends.flatMap(({ node, index, peer }) => {
    const own = values.ofPort(node, index)
    const isHost = topology.tiers[node] === 0
    const mtuBytes = isHost ? own.nic.mtu : own.switch.mtu
    if (mtuBytes === null || mtuBytes >= longestBytes) return []
    const subject = {
      device: topology.names[node]!,
      port: topology.names[peer]!,
      path: isHost ? 'nic.mtu' : 'switch.mtu',
    }
    return [foundAt(linkFindings.mtuBelowFrames, subject, { mtuBytes, longestBytes })]
  })
}

/** Frames with a tag that the other end does not take, or without one that it expects. */
function vlanFindings({ topology, values, checks }: Checked, { ends }: LinkEnds): Finding[] {
  const kindOf = (isTagged: boolean): string => (isTagged ? 'tagged' : 'untagged')
  const sends = ({ node, index, peer }: PortOf): boolean =>
    topology.tiers[node] === 0 ? checks.isTagged(node) : checks.vlanOf({ node, index, peer }).sendsTagged
  const takes = (port: PortOf, isTagged: boolean): boolean => {
    if (topology.tiers[port.node] === 0) return checks.isTagged(port.node) === isTagged
    const vlan = checks.vlanOf(port)
    return isTagged ? vlan.takesTagged : vlan.takesUntagged
  }
  return [ends, ends.toReversed() as [PortOf, PortOf]].flatMap(([from, to]) => {
    const isTagged = sends(from)
    if (takes(to, isTagged)) return []
    const [device, towards] = [topology.names[to.node]!, topology.names[from.node]!]
    const isNic = topology.tiers[to.node] === 0
    const mode = isNic ? null : values.ofPort(to.node, to.index).switch.vlan.ports
    const path = isNic ? 'nic.vlan' : 'switch.vlan.ports'
    const found = { sent: kindOf(isTagged), taken: kindOf(!isTagged), mode }
    return [foundAt(linkFindings.vlanTagNotTaken, { device, port: towards, path }, found)]
  })
}

/** A NIC and a switch that read the class from different fields. */
function trustFindings({ topology, values, checks, ports }: Checked, node: number): Finding[] {
  if (topology.tiers[node] !== 0 || !checks.isOneClass(node)) return []
  const { peer, index } = ports[node]![0]!
  const lossless = values.ofPort(node, index).pfc.classes
  const subject = { device: topology.names[node]!, port: topology.names[peer]!, path: 'nic.trust' }
  return [foundAt(linkFindings.nicTrustsMissingTag, subject, { losslessClasses: lossless })]
}

/** A switch with another class for the codepoints of data. */
function mapFindings({ scenario, topology, values }: Checked, node: number): Finding[] {
  if (topology.tiers[node] === 0) return []
  const own = values.of(node)
  if (own.classes === scenario.classes) return []
  const device = topology.names[node]!
  if (own.classes.classify !== scenario.classes.classify) {
    const [field, expected] = [own, scenario].map(({ classes }) => classes.classify.toUpperCase()) as [string, string]
    const fields = { field, expectedField: expected }
    return [foundAt(linkFindings.classMapDiffers, { device, path: 'classes.classify' }, fields)]
  }
  if (own.classes.classify === 'pcp') return []
  const table = hostTable(scenario)
  const there = dscpTable(own.classes)
  return dataClasses(scenario).flatMap((c) => {
    const dscp = table[c] === c ? c : table.indexOf(c)
    const found = there[dscp]
    if (found === undefined || found === c) return []
    const lossless = own.pfc.classes
    const subject = { device, trafficClass: c, path: 'classes.dscpMap' }
    const isLost = lossless.includes(c) && !lossless.includes(found)
    const classes = { dscp, class: found, expectedClass: c, isLost }
    return [foundAt(linkFindings.classMapDiffers, subject, classes)]
  })
}
