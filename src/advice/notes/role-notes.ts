/**
 * Role notes: devices that are set otherwise than most others of their role: switches of one name and tier, and of these the
 * ports of one rate and cable towards one tier. A device is named once, whatever the number of its ports.
 * Source: [MS-Scale] 5.1 (configurations that drift from the desired ones), 6.2 (another alpha at one type of switch).
 */
import { DeviceConfigs, type DeviceValues } from '../../lab/index.ts'
import { type Finding, type FindingKind, foundAt, linkFindings, type Subject } from '../../findings/index.ts'
import { type Difference, fieldsOf, type Plain, knownOf, roleDifferences } from '../../ops/index.ts'
import type { Topology } from '../../topology/index.ts'

/** Values that a finding shows together, by the names of the model. */
interface Shown {
  readonly kind: FindingKind<linkFindings.RoleValues>
  readonly path: string
  /** Names in the finding, with those of the model. */
  readonly fields: Readonly<Record<string, string>>
  /** Whether only one side has it, so that nothing else can be compared. */
  readonly isOnOff?: boolean
}

const WATCHDOG = 'switch.watchdog'

const SHOWN: readonly Shown[] = [
  { kind: linkFindings.alphaDiffersInRole, path: 'switch.buffer.alpha', fields: { alpha: 'alpha' } },
  {
    kind: linkFindings.markingDiffersInRole,
    path: 'switch.ecn',
    fields: { kminBytes: 'kminBytes', kmaxBytes: 'kmaxBytes', pmax: 'pmaxRatio', classes: 'marks' },
  },
  { kind: linkFindings.watchdogMissing, path: WATCHDOG, fields: { watchdog: 'watchdog.kind' }, isOnOff: true },
  {
    kind: linkFindings.watchdogDiffersInRole,
    path: WATCHDOG,
    fields: {
      kind: 'watchdog.kind',
      action: 'watchdog.action',
      ports: 'watchdog.ports',
      detectionPs: 'watchdog.detectionPs',
      restorationPs: 'watchdog.restorationPs',
      pollPs: 'watchdog.pollPs',
    },
  },
  { kind: linkFindings.watchdogMissing, path: 'nic.watchdog', fields: { watchdog: 'pauseWatchdogPs' }, isOnOff: true },
  { kind: linkFindings.watchdogDiffersInRole, path: 'nic.watchdog', fields: { detectionPs: 'pauseWatchdogPs' } },
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

  /** @param values that are in force when `at` is called */
  constructor(topology: Topology, values: DeviceValues) {
    this.#topology = topology
    this.#configs = new DeviceConfigs(topology, values)
    topology.names.forEach((_, node) => {
      const role = this.#configs.roleOf(node)
      const known = this.#nodesOf.get(role)
      if (known === undefined) this.#nodesOf.set(role, [node])
      else known.push(node)
    })
  }

  /** @param nodes whose values are new; others of their roles are looked at too */
  at(nodes: readonly number[]): Finding[] {
    const roles = new Set(nodes.map((node) => this.#configs.roleOf(node)))
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
function findingsOf({ kind, path, fields, isOnOff = false }: Shown, differences: readonly Difference[]): Finding[] {
  const names = Object.values(fields)
  const its = differences.filter((each) => {
    if (!names.includes(each.field)) return false
    const isOff = [each.desired, each.running].some((value) => knownOf(value) === 'off')
    // Settings are compared where there is a watchdog, and otherwise whether there is one.
    return each.field.toLowerCase().includes('watchdog') ? isOff === isOnOff : true
  })
  const [first] = its
  if (first === undefined) return []
  const { config, port } = first
  const found = valuesOf(fields, first, [], isOnOff)
  const expected = valuesOf(
    fields,
    first,
    its.filter((each) => each.port === port),
    isOnOff,
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
  isOnOff: boolean,
): linkFindings.RoleValues['found'] {
  const all = fieldsOf(port === null ? config.settings : port.settings)
  const valueAt = (field: string, slot: number | null): Plain | undefined => {
    const other = instead.find((each) => each.field === field && each.slot === slot)
    const own = all.find((each) => each.name === field && each.slot === slot)
    return other === undefined ? own && knownOf(own.value) : knownOf(other.desired)
  }
  return Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      const slots = all.flatMap((each) => (each.name === field ? [each.slot] : []))
      // Classes are shown as the list of those for which it is so.
      if (field === 'marks') return [name, slots.filter((slot) => valueAt(field, slot) === true).join(', ')]
      const value = valueAt(field, at)
      if (isOnOff) return [name, value === 'off' ? 'off' : 'on']
      return [name, Array.isArray(value) ? value.join(', ') : typeof value === 'object' ? null : scalar(value)]
    }),
  )
}

const scalar = (value: Exclude<Plain, object> | undefined): number | string | null =>
  value === undefined ? null : typeof value === 'boolean' ? String(value) : value
