/**
 * Fabric notes: the rules of fabrics (ops/rules) on the devices of a scenario, as `doctor` judges them by their files. What
 * only a simulation knows is asked elsewhere in this folder.
 */
import { type DeviceConfigs, type PortOf, portsByNode } from '../../index.ts'
import type { Finding, Subject } from '../../../core/findings/index.ts'
import {
  causesOf,
  type DeviceConfig,
  diagnose,
  type Edge,
  type Fabric,
  fabricOfConfigs,
  type HeadroomPort,
} from '../../../doctor/index.ts'
import { LINK_PS_PER_METRE } from '../../../core/fabric/index.ts'
import { roleOf, type Topology } from '../../../core/topology/index.ts'
import { headroomNeed } from '../../../doctor/platforms/headroom-need.ts'

/**
 * Rules that are asked, with the parameters that set what they judge, of switches and of hosts where those differ; of rules
 * that judge several values those of each. Others judge what no scenario has (two-doors.test.ts has the reasons).
 */
const PATHS: Readonly<Record<string, string | readonly [ofSwitch?: string, ofHost?: string]>> = {
  pfc01: 'pfc.classes',
  pfc04: 'pfc.classes',
  map01: 'classes.dscpMap',
  map02: 'classes.dscpMap',
  map03: 'nic.trust',
  map04: 'classes.dscpMap',
  map05: 'classes.dscpMap',
  vln01: 'switch.vlan.ports',
  vln02: ['switch.vlan.ports', 'nic.vlan'],
  mtu01: ['switch.mtu', 'nic.mtu'],
  mtu02: ['switch.mtu', 'nic.mtu'],
  buf01: 'switch.buffer.headroom',
  buf03: 'switch.buffer.believedDelay',
  buf04: 'switch.buffer.alpha',
  buf05: 'switch.buffer.alpha',
  buf06: 'switch.buffer.headroom',
  buf08: 'switch.buffer.xon',
  ecn01: 'switch.ecn.kmin',
  ecn02: 'switch.ecn.kmax',
  ecn03: 'switch.ecn.classes',
  ecn04: [],
  ecn07: 'switch.ecn.classes',
  wd01: 'switch.watchdog',
  wd02: 'switch.watchdog.pollInterval',
  wd03: 'switch.watchdog.action',
  wd04: 'switch.watchdog.restorationTime',
  wd05: [],
  wd06: 'nic.watchdog',
  fld03: 'switch.layer2',
  sch01: 'switch.strictClasses',
}

/** The same of rules that judge several values. */
const FIELDS: Readonly<Record<string, string>> = {
  kminBytes: 'switch.ecn.kmin',
  kmaxBytes: 'switch.ecn.kmax',
  pmaxRatio: 'switch.ecn.pmax',
  detectionPs: 'switch.watchdog.detectionTime',
  restorationPs: 'switch.watchdog.restorationTime',
}

/** A finding, with its place by numbers: a node, and a port of it from 1 on; 0: the device. */
interface Placed {
  readonly node: number
  readonly index: number
  readonly finding: Finding
}

/** The notes at some time. */
export class FabricNotes {
  readonly #topology: Topology
  readonly #configs: DeviceConfigs
  readonly #ports: readonly (readonly PortOf[])[]
  readonly #nodeOf: ReadonlyMap<string, number>
  /** Nodes that are judged, with those that are like them, themselves first. */
  readonly #alike: ReadonlyMap<number, readonly number[]>
  readonly #said = new Set<string>()

  /** @param configs by the values that are in force when `now` is called @param isUniform no device has values of its own */
  constructor(topology: Topology, configs: DeviceConfigs, isUniform: boolean) {
    this.#topology = topology
    this.#configs = configs
    this.#ports = portsByNode(topology)
    this.#nodeOf = new Map(topology.names.map((name, node) => [name, node]))
    this.#alike = new Map(
      isUniform ? this.#classes().map((nodes) => [nodes[0]!, nodes]) : topology.names.map((_, node) => [node, [node]]),
    )
  }

  /** Nodes of a role whose ports are of the same kinds, in the same order. */
  #classes(): number[][] {
    const roles = this.#topology.names.map((_, node) => roleOf(this.#topology, node))
    const classes = new Map<string, number[]>()
    this.#ports.forEach((ports, node) => {
      const kinds = ports.map(({ peer, rateBps, delayPs }) => `${roles[peer]} ${rateBps} ${delayPs}`)
      const key = [roles[node], ...kinds].join('\n')
      const known = classes.get(key)
      if (known === undefined) classes.set(key, [node])
      else known.push(node)
    })
    return [...classes.values()]
  }

  /** @returns what was not said before */
  now(): Finding[] {
    const fabric = this.#fabric()
    const { findings } = diagnose({ fabric, headroomNeed: needOf }, isOfScenarios)
    const causes = causesOf(findings, fabric)
    const found = findings.flatMap((finding) => {
      const cause = causes.get(finding)
      return this.#placed(cause === undefined ? finding : { ...finding, follows: cause.id })
    })
    return this.#joined(found).filter((each) => {
      const key = JSON.stringify([each.id, each.subject, each.values])
      return !this.#said.has(key) && this.#said.add(key)
    })
  }

  /** Devices that are judged, whole, and what others have at the other ends of their links. */
  #fabric(): Fabric {
    const { names, links } = this.#topology
    const configs = new Map<number, DeviceConfig>()
    const configOf = (node: number): DeviceConfig => {
      let config = configs.get(node)
      if (config === undefined) configs.set(node, (config = this.#configs.of(node)))
      return config
    }
    const linked = new Map<number, Set<string>>()
    const next = names.map(() => 0)
    const edges: Edge[] = []
    for (const { a, b, delayPs } of links) {
      const [at, to] = [next[a]!++, next[b]!++]
      if (!this.#alike.has(a) && !this.#alike.has(b)) continue
      const ends = [
        [a, configOf(a).ports[at]!.name],
        [b, configOf(b).ports[to]!.name],
      ] as const
      for (const [node, port] of ends) linked.set(node, (linked.get(node) ?? new Set()).add(port))
      const [[, portA], [, portB]] = ends
      const cableM = delayPs / LINK_PS_PER_METRE
      edges.push({ deviceA: names[a]!, portA, deviceB: names[b]!, portB, cableM })
    }
    const devices = [...configs].map(([node, config]) =>
      this.#alike.has(node)
        ? config
        : { ...config, ports: config.ports.filter(({ name }) => linked.get(node)!.has(name)) },
    )
    return fabricOfConfigs(devices, edges)
  }

  /** A finding at each of its places, with the names of scenarios. */
  #placed(finding: Finding): Placed[] {
    return [finding, ...finding.also].flatMap(({ subject: { device = '', interface: port }, values }): Placed[] => {
      const node = this.#nodeOf.get(device)
      if (node === undefined || !this.#alike.has(node)) return []
      const { cited: _cited, priority, field } = values
      const ofField = typeof field === 'string' ? FIELDS[field] : undefined
      const [ofSwitch = ofField, ofHost = ofSwitch] = [PATHS[finding.id]!].flat()
      const path = this.#topology.tiers[node] === 0 ? ofHost : ofSwitch
      const subject: Subject = {
        ...(typeof priority === 'number' ? { trafficClass: priority } : {}),
        ...(path === undefined ? {} : { path }),
      }
      const index = port === undefined ? 0 : Number(port)
      return [{ node, index, finding: { ...finding, subject, values: { ...values, cited: [] }, also: [] } }]
    })
  }

  /**
   * Findings that are the same at all switches or hosts are said without a place, and at all ports of a device without a
   * port; other findings at each device that is like theirs.
   */
  #joined(found: readonly Placed[]): Finding[] {
    const { names, tiers } = this.#topology
    const groups = new Map<string, Placed[]>()
    for (const each of found) {
      const { id, severity, values, subject } = each.finding
      const key = JSON.stringify([id, severity, subject, { ...values, peer: '' }])
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [each])
      else group.push(each)
    }
    return [...groups.values()].flatMap((group) => {
      const spots = new Map<number, number>()
      for (const { node } of group) spots.set(node, (spots.get(node) ?? 0) + 1)
      const isPort = group[0]!.index > 0
      const isEverywhere = [true, false].some(
        (isHost) =>
          group.some(({ node }) => (tiers[node] === 0) === isHost) &&
          [...this.#alike.keys()].every(
            (node) => (tiers[node] === 0) !== isHost || spots.get(node) === (isPort ? this.#ports[node]!.length : 1),
          ),
      )
      const at = (node: number, { index, finding }: Placed): Finding => {
        if (index === 0) return { ...finding, subject: { ...finding.subject, device: names[node]! } }
        const port = names[this.#ports[node]![index - 1]!.peer]!
        const values = 'peer' in finding.values ? { ...finding.values, peer: port } : finding.values
        return { ...finding, subject: { ...finding.subject, device: names[node]!, port }, values }
      }
      if (isEverywhere) return [{ ...at(group[0]!.node, group[0]!), subject: group[0]!.finding.subject }]
      const isWhole = ({ node, finding }: Placed): boolean =>
        isPort && !('peer' in finding.values) && spots.get(node) === this.#ports[node]!.length
      const ofDevice = new Set<number>()
      return group.flatMap((each) => {
        if (!isWhole(each)) return this.#alike.get(each.node)!.map((node) => at(node, each))
        if (ofDevice.has(each.node)) return []
        ofDevice.add(each.node)
        return this.#alike.get(each.node)!.map((node) => at(node, { ...each, index: 0 }))
      })
    })
  }
}

/** Whether a scenario has what a rule judges. @param id of its findings */
export const isOfScenarios = (id: string): boolean => PATHS[id] !== undefined

/** Without a family nobody knows more than the simulation itself (headroom-notes.ts). */
const needOf = (port: HeadroomPort): ReturnType<typeof headroomNeed> =>
  port.platform === '' ? { leastBytes: 0, mostBytes: Infinity, basis: '', isSure: false } : headroomNeed(port)
