/**
 * Role notes: devices that are set otherwise than most others of their role: switches of one name and tier, and of these the
 * ports of one rate and cable towards one tier. A device is named once, whatever the number of its ports.
 * Source: [MS-Scale] 5.1 (configurations that drift from the desired ones), 6.2 (another alpha at one type of switch).
 */
import type { DeviceConfigs } from '../../index.ts'
import { type Finding, type FindingKind, foundAt, linkFindings, type Subject } from '../../../core/findings/index.ts'
import { type Difference, fieldsOf, type Plain, knownOf, roleDifferences } from '../../../doctor/index.ts'
import { roleOf, type Topology } from '../../../core/topology/index.ts'

/** Values that a finding shows together, by the names of the model. */
interface Shown {
  readonly kind: FindingKind<linkFindings.RoleValues>
  readonly path: string
  /** Names in the finding, with those of the model. */
  readonly fields: Readonly<Record<string, string>>
  /** Fields whose differences are said by a rule of fabrics, and make no finding here. */
  readonly ofRules?: readonly string[]
}

const SHOWN: readonly Shown[] = [
  {
    kind: linkFindings.watchdogDiffersInRole,
    path: 'switch.watchdog',
    fields: {
      kind: 'watchdog.kind',
      action: 'watchdog.action',
      ports: 'watchdog.ports',
      detectionPs: 'watchdog.detectionPs',
      restorationPs: 'watchdog.restorationPs',
      pollPs: 'watchdog.pollPs',
    },
    ofRules: ['watchdog.detectionPs', 'watchdog.restorationPs'],
  },
  { kind: linkFindings.watchdogDiffersInRole, path: 'nic.watchdog', fields: { detectionPs: 'nic.pauseWatchdogPs' } },
  { kind: linkFindings.pfcDiffersInRole, path: 'pfc.classes', fields: { classes: 'pfcClasses' } },
  {
    kind: linkFindings.headroomDiffersInRole,
    path: 'switch.buffer.headroom',
    fields: { headroom: 'headroomBytes' },
  },
]

/** The notes at some time. */
export class RoleNotes {
  readonly #topology: Topology
  readonly #configs: DeviceConfigs
  readonly #nodesOf = new Map<string, number[]>()

  /** @param configs by the values that are in force when `at` is called */
  constructor(topology: Topology, configs: DeviceConfigs) {
    this.#topology = topology
    this.#configs = configs
    topology.names.forEach((_, node) => {
      const role = roleOf(topology, node)
      const known = this.#nodesOf.get(role)
      if (known === undefined) this.#nodesOf.set(role, [node])
      else known.push(node)
    })
  }

  /** @param nodes whose values are new; others of their roles are looked at too */
  at(nodes: readonly number[]): Finding[] {
    const roles = new Set(nodes.map((node) => roleOf(this.#topology, node)))
    const members = [...roles].flatMap((role) => this.#nodesOf.get(role)!).toSorted((a, b) => a - b)
    const differences = roleDifferences(members.map((node) => this.#configs.of(node)))
    if (differences.length === 0) return []
    const order = new Map(members.map((node, index) => [this.#topology.names[node]!, index]))
    const ofDevices = new Map<string, Difference[]>()
    for (const { config, port, found } of differences) {
      const all = ofDevices.get(config.device) ?? []
      ofDevices.set(config.device, all)
      for (const each of found) all.push({ ...each, config, port })
    }
    const sorted = [...ofDevices].toSorted(([a], [b]) => order.get(a)! - order.get(b)!)
    return SHOWN.flatMap((shown) => sorted.flatMap(([, its]) => findingsOf(shown, its)))
  }
}

/** One finding, or none, with the values of the first port that differs. */
function findingsOf({ kind, path, fields, ofRules = [] }: Shown, differences: readonly Difference[]): Finding[] {
  const names = Object.values(fields)
  const its = differences.filter((each) => {
    if (!names.includes(each.field) || ofRules.includes(each.field)) return false
    const isOff = [each.desired, each.running].some((value) => knownOf(value) === 'off')
    // Where only one has a watchdog there is nothing to compare.
    return !isOff
  })
  const [first] = its
  if (first === undefined) return []
  const { config, port } = first
  const found = valuesOf(fields, first, [])
  const expected = valuesOf(
    fields,
    first,
    its.filter((each) => each.port === port),
  )
  const ports = [...new Set(its.flatMap((each) => each.port ?? []))]
  const peers = ports.length === config.ports.length ? [] : ports.map(({ peer }) => String(knownOf(peer)))
  const subject: Subject = {
    device: config.device,
    ...(peers.length === 1 ? { port: peers[0]! } : {}),
    path,
  }
  return [foundAt(kind, subject, { found, expected, ...(peers.length > 1 ? { ports: peers } : {}) })]
}

/** Values of a device or port, with other values in place of those that differ. */
function valuesOf(
  fields: Shown['fields'],
  { config, port, slot: at }: Difference,
  instead: readonly Difference[],
): linkFindings.RoleValues['found'] {
  const all = fieldsOf(port === null ? config.settings : port.settings)
  const valueAt = (field: string, slot: number | null): Plain | undefined => {
    const other = instead.find((each) => each.field === field && each.slot === slot)
    const own = all.find((each) => each.name === field && each.slot === slot)
    return other === undefined ? own && knownOf(own.value) : knownOf(other.desired)
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const value = valueAt(field, at)
      return [name, Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? null : scalar(value)]
    }),
  )
}

const scalar = (value: Exclude<Plain, object> | undefined): number | string | null =>
  value === undefined ? null : typeof value === 'boolean' ? String(value) : value
