/**
 * Role notes: devices that are set otherwise than most others of their role: switches of one name and tier, and of these the
 * ports of one rate and cable towards one tier.
 * Source: [MS-Scale] 5.1 (configurations that drift from the desired ones), 6.2 (another alpha at one type of switch).
 */
import { powerOfTwo } from '../../base/math.ts'
import { type DeviceValues, portsByNode } from '../../lab/index.ts'
import { humanBytes, humanDuration, humanShare } from '../../report/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import type { Topology } from '../../topology/index.ts'
import { alphaText } from './alpha-text.ts'
import type { Finding, NoteId, NoteValues } from './note.ts'

/** A setting that devices of one role are expected to share. */
interface Shared {
  readonly id: NoteId
  readonly path: string
  /** Whether ports may have values of their own. */
  readonly perPort: boolean
  readonly tier: 'hosts' | 'switches'
  /** Null: the device has no such setting. */
  readonly valueOf: (own: Scenario, rateBps: number) => Readonly<Record<string, number | string | null>> | null
  readonly text: (value: NoteValues) => string
  readonly effect: (found: NoteValues, expected: NoteValues) => string
}

const SHARED: readonly Shared[] = [
  {
    id: 'alpha-differs-in-role',
    path: 'switch.buffer.alpha',
    perPort: true,
    tier: 'switches',
    valueOf: ({ switch: { buffer } }) => {
      if (buffer.kind === 'input-queued') return null
      if (buffer.kind === 'shared-buffer') return { alpha: buffer.alpha }
      if (buffer.staticTh !== null) return null
      return { alpha: buffer.alpha ?? (buffer.dynamicTh === null ? 1 / 16 : powerOfTwo(buffer.dynamicTh)) }
    },
    text: ({ alpha }) => `alpha ${alphaText(Number(alpha))}`,
    effect: (found, expected) =>
      Number(found['alpha']) < Number(expected['alpha'])
        ? 'it pauses at shorter queues than the others, and its pauses spread'
        : 'it lets queues grow longer than the others, which pauses later and takes the room of its other ports',
  },
  {
    id: 'marking-differs-in-role',
    path: 'switch.ecn',
    perPort: true,
    tier: 'switches',
    valueOf: ({ switch: { ecn } }, rateBps) => {
      const { kmin, kmax, pmax } = ecn.byRate.find(({ rate }) => rate === rateBps) ?? ecn
      return { kminBytes: kmin, kmaxBytes: kmax, pmax, classes: ecn.classes.join() }
    },
    text: ({ kminBytes, kmaxBytes, pmax, classes }) =>
      `marks of class ${classes === '' ? 'none' : String(classes)} from ${humanBytes(Number(kminBytes))} to ${humanBytes(Number(kmaxBytes))}, up to ${humanShare(Number(pmax), 2)}`,
    effect: () => 'flows through it get other signals than those beside it, and another share of the rate',
  },
  {
    id: 'watchdog-missing',
    path: 'switch.watchdog',
    perPort: false,
    tier: 'switches',
    valueOf: ({ switch: { watchdog } }) => ({ watchdog: watchdog.kind === 'off' ? 'off' : 'on' }),
    text: ({ watchdog }) => (watchdog === 'off' ? 'no PFC watchdog' : 'a PFC watchdog'),
    effect: ({ watchdog }) =>
      watchdog === 'off' ? 'a pause storm at its ports is never ended' : 'it alone takes classes out of service',
  },
  {
    id: 'watchdog-differs-in-role',
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
    text: ({ kind, action, ports, detectionPs, restorationPs, pollPs }) =>
      `watchdog ${String(kind)}, ${String(action)} at ports ${String(ports)} after ${humanDuration(Number(detectionPs))}, back after ` +
      `${restorationPs === null ? 'never' : humanDuration(Number(restorationPs))}, polls every ${humanDuration(Number(pollPs))}`,
    effect: () => 'it acts at another time, or otherwise, than the others in the same storm',
  },
  {
    id: 'watchdog-missing',
    path: 'nic.watchdog',
    perPort: false,
    tier: 'hosts',
    valueOf: ({ nic }) => ({ watchdog: nic.watchdog === null ? 'off' : 'on' }),
    text: ({ watchdog }) => (watchdog === 'off' ? 'no watchdog in the NIC' : 'a watchdog in the NIC'),
    effect: ({ watchdog }) =>
      watchdog === 'off'
        ? 'if its receive pipeline stops, it pauses its switch without end'
        : 'it alone ends its pauses',
  },
  {
    id: 'watchdog-differs-in-role',
    path: 'nic.watchdog',
    perPort: false,
    tier: 'hosts',
    valueOf: ({ nic }) => (nic.watchdog === null ? null : { detectionPs: nic.watchdog }),
    text: ({ detectionPs }) => `a watchdog in the NIC after ${humanDuration(Number(detectionPs))}`,
    effect: () => 'it acts at another time than the others in the same storm',
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
  { id, path, text, effect }: Shared,
  found: readonly Differing[],
  { names }: Topology,
  ports: readonly (readonly unknown[])[],
): Finding[] {
  const byNode = new Map<number, Differing[]>()
  for (const each of found) byNode.set(each.node, [...(byNode.get(each.node) ?? []), each])
  return [...byNode].flatMap(([node, its]) => {
    const isWhole = its.length === ports[node]!.length && its.every(({ key }) => key === its[0]!.key)
    return (isWhole ? its.slice(0, 1) : its).map(({ peer, value, expected }): Finding => {
      const where = isWhole || peer === null ? {} : { port: names[peer]! }
      const others = Object.fromEntries(
        Object.entries(expected).map(([name, each]) => [`expected${name[0]!.toUpperCase()}${name.slice(1)}`, each]),
      )
      return {
        id,
        subject: { device: names[node]!, ...where, path },
        values: { ...value, ...others },
        text: `${text(value)}, where the others of its role have ${text(expected)}: ${effect(value, expected)}`,
      }
    })
  })
}
