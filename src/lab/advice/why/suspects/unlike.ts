/**
 * Devices unlike their equals: settings of switches, hosts and ports that are not those of most others of their role, from the
 * values that are in force, at the start and after each change; and devices that are unlike what they were at first. The values of
 * the equals, or the first ones, are the cure.
 */
import { DeviceValues, portsByNode } from '../../../index.ts'
import { roleOf, type Topology } from '../../../../core/topology/index.ts'
import { printScenario, type Scenario } from '../../../scenario/index.ts'
import { differences } from '../differences.ts'
import { flowText, kindOfPath, type Suspect } from '../suspect.ts'

/** Groups of which devices and ports have values of their own. */
const GROUPS = ['classes', 'nic', 'switch', 'pfc'] as const
type Fields = Readonly<Record<string, unknown>>

interface Odd {
  readonly node: number
  /** Local index; 0: the device. */
  readonly port: number
  readonly path: string
  readonly now: unknown
  readonly usual: unknown
}

export function unlikeDevices(scenario: Scenario, topology: Topology): Suspect[] {
  if (scenario.changes.length === 0) return []
  const search = new Search(scenario, topology)
  return search.suspects()
}

class Search {
  readonly #scenario: Scenario
  readonly #topology: Topology
  readonly #parts = new Map<Scenario, ReadonlyMap<string, unknown>>()
  readonly #roles: readonly string[]
  /** By device or port and path: the first time at which it is unlike its equals. */
  readonly #odd = new Map<string, Odd>()

  constructor(scenario: Scenario, topology: Topology) {
    this.#scenario = scenario
    this.#topology = topology
    this.#roles = topology.names.map((_, node) => roleOf(topology, node))
  }

  suspects(): Suspect[] {
    const values = new DeviceValues(this.#scenario, this.#topology)
    this.#look(values)
    const { later } = values
    const begun = this.#topology.names.map((_, node) => values.of(node))
    later.forEach((change, i) => {
      values.begin(change)
      const atPs = this.#scenario.changes[change]!.at
      if (later[i + 1] === undefined || this.#scenario.changes[later[i + 1]!]!.at > atPs) this.#look(values)
    })
    begun.forEach((own, node) => this.#rolledOut(node, own, values.of(node)))
    const groups = new Map<string, Odd[]>()
    for (const odd of this.#odd.values()) {
      const [first, second] = odd.path.split('.') as [string, string]
      const kind = kindOfPath(odd.path)
      const key = `${kind} ${first}.${second} ${odd.node}`
      groups.set(key, [...(groups.get(key) ?? []), odd])
    }
    return this.#joined([...groups.values()])
  }

  #look(values: DeviceValues): void {
    const byRole = new Map<string, number[]>()
    this.#roles.forEach((role, node) => byRole.set(role, [...(byRole.get(role) ?? []), node]))
    for (const nodes of byRole.values()) {
      this.#compare(nodes.map((node) => ({ node, port: 0, own: values.of(node) })))
    }
    const ports = portsByNode(this.#topology)
    if (ports.every((_, node) => values.portsOf(node).length === 0)) return
    const byKind = new Map<string, { node: number; port: number; own: Scenario }[]>()
    ports.forEach((own, node) => {
      for (const { index, peer } of own) {
        const key = `${this.#roles[node]!}>${this.#roles[peer]!}`
        const known = byKind.get(key) ?? []
        byKind.set(key, known)
        known.push({ node, port: index, own: values.ofPort(node, index) })
      }
    })
    for (const equals of byKind.values()) this.#compare(equals)
  }

  /** Those whose values more than half of the equals do not have, part by part. */
  #compare(equals: readonly { readonly node: number; readonly port: number; readonly own: Scenario }[]): void {
    const counts = new Map<Scenario, number>()
    for (const { own } of equals) counts.set(own, (counts.get(own) ?? 0) + 1)
    if (counts.size === 1) return
    for (const path of this.#partsOf(this.#scenario).keys()) {
      const byText = new Map<string, { count: number; part: unknown }>()
      for (const [own, count] of counts) {
        const part = this.#partsOf(own).get(path)
        const text = JSON.stringify(part)
        byText.set(text, { count: (byText.get(text)?.count ?? 0) + count, part })
      }
      if (byText.size === 1) continue
      const most = [...byText.values()].find(({ count }) => 2 * count > equals.length)
      // Where two differ, the one is unlike that has been changed.
      const usualPart = most === undefined ? this.#partsOf(this.#scenario).get(path) : most.part
      for (const { node, port, own } of equals) {
        for (const { path: at, now, faster: other } of differences(path, this.#partsOf(own).get(path), usualPart)) {
          const key = `${node} ${port} ${at}`
          if (!this.#odd.has(`${node} 0 ${at}`) && !this.#odd.has(key))
            this.#odd.set(key, { node, port, path: at, now, usual: other })
        }
      }
    }
  }

  /** Values that changes during the run have altered at this device and at all its equals. */
  #rolledOut(node: number, first: Scenario, last: Scenario): void {
    if (first === last) return
    for (const [path, part] of this.#partsOf(first))
      for (const { path: at, now, faster: usual } of differences(path, this.#partsOf(last).get(path), part))
        if (!this.#odd.has(`${node} 0 ${at}`)) this.#odd.set(`${node} 0 ${at}`, { node, port: 0, path: at, now, usual })
  }

  /** Printed values by group and key. */
  #partsOf(own: Scenario): ReadonlyMap<string, unknown> {
    const known = this.#parts.get(own)
    if (known !== undefined) return known
    const tree = printScenario(own) as Readonly<Record<string, Fields>>
    const parts = new Map(
      GROUPS.flatMap((group) => Object.entries(tree[group]!).map(([key, part]) => [`${group}.${key}`, part] as const)),
    )
    this.#parts.set(own, parts)
    return parts
  }

  /** One suspect for all devices that are odd in the same values. */
  #joined(groups: readonly (readonly Odd[])[]): Suspect[] {
    const alike = new Map<string, Odd[][]>()
    for (const group of groups) {
      const key = JSON.stringify(group.map(({ path, now, port }) => [path, now, port]))
      alike.set(key, [...(alike.get(key) ?? []), [...group]])
    }
    return [...alike.values()].map((same) => this.#suspect(same))
  }

  #suspect(groups: readonly (readonly Odd[])[]): Suspect {
    const { names } = this.#topology
    const all = groups.flat()
    const first = groups[0]!
    const [device, ...others] = [...new Set(all.map(({ node }) => names[node]!))] as [string, ...string[]]
    const paths = [...new Set(first.map(({ path }) => path))]
    const kind = kindOfPath(first[0]!.path)
    const ports = portsByNode(this.#topology)
    const peers = [...new Set(first.filter(({ port }) => port > 0).map(({ node, port }) => peerAt(ports, node, port)))]
    const isOnePort = peers.length === 1 && groups.length === 1
    const texts = (of: (odd: Odd) => unknown): string =>
      paths.map((path) => flowText(of(first.find((odd) => odd.path === path)!))).join(', ')
    return {
      kind,
      subject: {
        device,
        ...(isOnePort && { port: names[peers[0]!]! }),
        path: paths.length === 1 ? paths[0]! : commonPath(paths),
      },
      others,
      stage: 'odd',
      sides: new Set(['unlike']),
      now: texts(({ now }) => now),
      usual: texts(({ usual }) => usual),
      sets: (free) => this.#sets(all, free),
      nodes: [...new Set(all.map(({ node }) => node))],
      ...(isOnePort && { peer: peers[0]! }),
      weight: kind === 'setting' ? 0.5 : 1,
      isSlight: all.every(({ now, usual }) => isSlight(now, usual)),
    }
  }

  /** The values of the equals, after every change of these values. */
  #sets(odds: readonly Odd[], free: { changes: number }): string[] {
    const { changes } = this.#scenario
    const ports = portsByNode(this.#topology)
    const { names } = this.#topology
    const byValue = new Map<
      string,
      { path: string; value: string; nodes: Set<string>; ports: string; times: Set<number> }
    >()
    for (const { node, port, path, usual } of odds) {
      const peer = port === 0 ? 'all' : names[peerAt(ports, node, port)]!
      const value = flowText(usual)
      // Nodes of one port are written with its peer; those of several with each.
      const key = `${path} ${value} ${peer} ${port === 0 ? '' : node}`
      const known = byValue.get(key) ?? { path, value, nodes: new Set(), ports: peer, times: new Set([0]) }
      byValue.set(key, known)
      known.nodes.add(names[node]!)
      for (const { path: changed, at } of changes)
        if (at > 0 && (changed === path || changed.startsWith(`${path}.`) || path.startsWith(`${changed}.`)))
          known.times.add(at)
    }
    return [...byValue.values()].flatMap(({ path, value, nodes, ports: at, times }) =>
      [...times].map(
        (timePs) =>
          `changes.${free.changes++}={path: ${path}, nodes: ${flowText([...nodes].join(', '))}, ` +
          `${at === 'all' ? '' : `ports: ${at}, `}value: ${value}${timePs === 0 ? '' : `, at: ${timePs}ps`}}`,
      ),
    )
  }
}

/** Numbers that differ by less than this factor are nearly the same. */
const TWICE = 2

function isSlight(...values: readonly [unknown, unknown]): boolean {
  const [a, b] = values.map((value) => /^(\d[\d.]*)([A-Za-z]*)$/.exec(String(value)))
  if (!a || !b || a[2] !== b[2]) return false
  const ratio = Number(a[1]) / Number(b[1])
  return ratio >= 1 / TWICE && ratio <= TWICE
}

function peerAt(ports: ReturnType<typeof portsByNode>, node: number, port: number): number {
  return ports[node]!.find(({ index }) => index === port)!.peer
}

/** The longest path that all of these are in. */
function commonPath(paths: readonly string[]): string {
  const [first = '', ...rest] = paths
  const steps = first.split('.')
  let count = steps.length
  for (const path of rest) {
    const others = path.split('.')
    while (count > 0 && steps.slice(0, count).some((step, i) => step !== others[i])) count--
  }
  return steps.slice(0, count).join('.')
}
