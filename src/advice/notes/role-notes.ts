/**
 * Role notes: devices that are set otherwise than most others of their role: switches of one name and tier, and of these the
 * ports of one rate and cable towards one tier.
 * Source: [MS-Scale] 5.1 (configurations that drift from the desired ones), 6.2 (another alpha at one type of switch).
 */
import { powerOfTwo } from '../../base/math.ts'
import { type DeviceValues, portsByNode } from '../../lab/index.ts'
import { type Finding, type FindingKind, foundAt, linkFindings } from '../../findings/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import type { Topology } from '../../topology/index.ts'

/** A setting that devices of one role are expected to share. */
interface Shared {
  readonly kind: FindingKind
  readonly path: string
  /** Whether ports may have values of their own. */
  readonly perPort: boolean
  readonly tier: 'hosts' | 'switches'
  /** Null: the device has no such setting. */
  readonly valueOf: (own: Scenario, rateBps: number) => Readonly<Record<string, number | string | null>> | null
}

const SHARED: readonly Shared[] = [
  {
    kind: linkFindings.alphaDiffersInRole,
    path: 'switch.buffer.alpha',
    perPort: true,
    tier: 'switches',
    valueOf: ({ switch: { buffer } }) => {
      if (buffer.kind === 'input-queued') return null
      if (buffer.kind === 'shared-buffer') return { alpha: buffer.alpha }
      if (buffer.staticTh !== null) return null
      return { alpha: buffer.alpha ?? (buffer.dynamicTh === null ? 1 / 16 : powerOfTwo(buffer.dynamicTh)) }
    },
  },
  {
    kind: linkFindings.markingDiffersInRole,
    path: 'switch.ecn',
    perPort: true,
    tier: 'switches',
    valueOf: ({ switch: { ecn } }, rateBps) => {
      const { kmin, kmax, pmax } = ecn.byRate.find(({ rate }) => rate === rateBps) ?? ecn
      return { kminBytes: kmin, kmaxBytes: kmax, pmax, classes: ecn.classes.join() }
    },
  },
  {
    kind: linkFindings.watchdogMissing,
    path: 'switch.watchdog',
    perPort: false,
    tier: 'switches',
    valueOf: ({ switch: { watchdog } }) => ({ watchdog: watchdog.kind === 'off' ? 'off' : 'on' }),
  },
  {
    kind: linkFindings.watchdogDiffersInRole,
    path: 'switch.watchdog',
    perPort: false,
    tier: 'switches',
    valueOf: ({ switch: { watchdog: w } }) =>
      w.kind === 'off'
        ? null
        : {
            kind: w.kind,
            action: w.action,
            ports: w.ports,
            detectionPs: w.detectionTime,
            restorationPs: w.restorationTime,
            pollPs: w.pollInterval,
          },
  },
  {
    kind: linkFindings.watchdogMissing,
    path: 'nic.watchdog',
    perPort: false,
    tier: 'hosts',
    valueOf: ({ nic }) => ({ watchdog: nic.watchdog === null ? 'off' : 'on' }),
  },
  {
    kind: linkFindings.watchdogDiffersInRole,
    path: 'nic.watchdog',
    perPort: false,
    tier: 'hosts',
    valueOf: ({ nic }) => (nic.watchdog === null ? null : { detectionPs: nic.watchdog }),
  },
]

/** Something with the setting: a device, or one of its ports. */
interface Holder {
  readonly node: number
  /** Node at the other end; null: the device itself. */
  readonly peer: number | null
  readonly value: Readonly<Record<string, number | string | null>>
  readonly key: string
}

/** @param nodes whose values are new; others of their roles are looked at too */
export function roleNotes(topology: Topology, values: DeviceValues, nodes: readonly number[]): Finding[] {
  const roleOf = (node: number): string => `${topology.tiers[node]} ${topology.names[node]!.replace(/\s[\d.]+.*$/, '')}`
  const concerned = new Set(nodes.map(roleOf))
  const members = topology.names.flatMap((_, node) => (concerned.has(roleOf(node)) ? [node] : []))
  const ports = portsByNode(topology)
  return SHARED.flatMap((shared) => {
    const groups = new Map<string, Holder[]>()
    const add = (role: string, node: number, peer: number | null, own: Scenario, rateBps: number): void => {
      const value = shared.valueOf(own, rateBps)
      if (value === null) return
      const holder = { node, peer, value, key: JSON.stringify(value) }
      const known = groups.get(role)
      if (known === undefined) groups.set(role, [holder])
      else known.push(holder)
    }
    for (const node of members) {
      if ((topology.tiers[node] === 0) !== (shared.tier === 'hosts')) continue
      if (!shared.perPort) add(roleOf(node), node, null, values.of(node), 0)
      else
        for (const { peer, index, rateBps, delayPs } of ports[node]!)
          add(
            `${roleOf(node)} ${topology.tiers[peer]} ${rateBps} ${delayPs}`,
            node,
            peer,
            values.ofPort(node, index),
            rateBps,
          )
    }
    const everywhere = JSON.stringify(shared.valueOf(values.ofPairs(), 0))
    const found = [...groups.values()].flatMap((group) => differing(group, everywhere))
    return findingsOf(shared, found, topology, ports)
  })
}

interface Differing extends Holder {
  readonly expected: Holder['value']
}

/** Those that do not have what more than half have; of two halves, what the scenario gives to all is expected. */
function differing(group: readonly Holder[], everywhere: string): Differing[] {
  const counts = new Map<string, number>()
  for (const { key } of group) counts.set(key, (counts.get(key) ?? 0) + 1)
  if (counts.size < 2) return []
  const most = [...counts].find(([, count]) => count * 2 > group.length)?.[0] ?? everywhere
  const expected = group.find(({ key }) => key === most)
  return expected === undefined
    ? []
    : group.filter(({ key }) => key !== most).map((each) => ({ ...each, expected: expected.value }))
}

/** One finding for a device whose ports all differ in the same way, otherwise one for each port. */
function findingsOf(
  { kind, path }: Shared,
  found: readonly Differing[],
  { names }: Topology,
  ports: readonly (readonly unknown[])[],
): Finding[] {
  const byNode = new Map<number, Differing[]>()
  for (const each of found) byNode.set(each.node, [...(byNode.get(each.node) ?? []), each])
  return [...byNode].flatMap(([node, its]) => {
    const isWhole = its.length === ports[node]!.length && its.every(({ key }) => key === its[0]!.key)
    return (isWhole ? its.slice(0, 1) : its).map(({ peer, value, expected }) => {
      const where = isWhole || peer === null ? {} : { port: names[peer]! }
      return foundAt(kind, { device: names[node]!, ...where, path }, { found: value, expected })
    })
  })
}
