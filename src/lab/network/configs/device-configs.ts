/**
 * Device configurations: the values in force at each device and port of a scenario, in the neutral model that instruments
 * compare (ops/model/device-config.ts). Ports with the same values, rate and cable share one object.
 */
import { powerOfTwo } from '../../../core/base/math.ts'
import { LINK_PS_PER_METRE } from '../../../core/fabric/headroom/terms.ts'
import {
  type ClassConfig,
  type DeviceConfig,
  DSCP_COUNT,
  type HostSettings,
  type NicSettings,
  type OtherSettings,
  type Plain,
  type PortConfig,
  type PortSettings,
  type Snapshot,
  type SwitchSettings,
  UNKNOWN,
  UNKNOWN_CLASS,
  UNKNOWN_HOST,
  UNKNOWN_NIC,
  UNKNOWN_POOL,
  UNKNOWN_PORT,
  UNKNOWN_SWITCH,
  type Value,
} from '../../../core/device-model/index.ts'
import { dataClasses, dscpTable, hostTable, usesVlans } from '../../scenario/class-map.ts'
import { schemeSets } from '../../scenario/mix.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { roleOf, type Topology } from '../../../core/topology/topology.ts'
import { congestionNeeds, isNeeded } from '../definitions.ts'
import { DeviceValues } from '../device-values.ts'
import { PortChecks } from '../port-checks.ts'
import { type PortOf, portsByNode } from '../selection/node-selection.ts'

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7]

const set = <T extends Plain>(value: T): Value<T> => ({ state: 'set', value })
/** Null: there is no such setting here. */
const given = <T extends Plain>(value: T | null): Value<T> => (value === null ? UNKNOWN : set(value))

/** Paths whose values the model has names for; all others of a device are `other`. */
const NAMED: ReadonlySet<string> = new Set([
  ...['alpha', 'dynamicTh', 'staticTh', 'byClass', 'reserve', 'headroom', 'headroomFormula', 'believedDelay'].map(
    (key) => `switch.buffer.${key}`,
  ),
  ...['xoff', 'xon', 'xonOffset'].map((key) => `switch.buffer.${key}`),
  ...['classes', 'kmin', 'kmax', 'pmax', 'byRate'].map((key) => `switch.ecn.${key}`),
  ...['strictClasses', 'scheduler', 'weights', 'watchdog', 'mtu'].map((key) => `switch.${key}`),
  ...['arpSeconds', 'macSeconds'].map((key) => `switch.layer2.${key}`),
  'switch.vlan.ports',
  'nic.mtu',
  'nic.vlan',
  'nic.trust',
  'nic.watchdog',
  // Addresses differ everywhere.
  'nic.firstAddress',
  'nic.addresses',
  'pfc.classes',
  'balance.kind',
  'recovery.kind',
  'congestion.kind',
])

/** All values below a path that have no name in the model. */
function* otherOf(value: unknown, path: string): Generator<[string, Value]> {
  if (NAMED.has(path) || value === undefined) return
  if (typeof value !== 'object' || value === null) yield [path, set((value ?? 'off') as Plain)]
  else if (Array.isArray(value)) yield [path, set(JSON.stringify(value))]
  else for (const [key, inner] of Object.entries(value)) yield* otherOf(inner, `${path}.${key}`)
}

/** By group: most changes leave most groups as they are. */
const othersOf = new WeakMap<object, readonly [string, Value][]>()

function others(
  own: Scenario,
  groups: readonly ('balance' | 'congestion' | 'nic' | 'pfc' | 'qp' | 'recovery' | 'switch')[],
): OtherSettings {
  return Object.fromEntries(
    groups.flatMap((group) => kept(othersOf, own[group], (values) => [...otherOf(values, group)])),
  )
}

/** Limits of one class in the buffer of a port. */
function bufferFields({ switch: { buffer } }: Scenario, trafficClass: number): Partial<ClassConfig> {
  // Without an offset, which is what buffers begin with, nobody has said when pauses end.
  const xonOffsetBytes = buffer.xonOffset === 0 ? UNKNOWN : set(buffer.xonOffset)
  switch (buffer.kind) {
    case 'input-queued':
      return { staticBytes: set(buffer.xoff), xonOffsetBytes }
    case 'shared-buffer': {
      const own = buffer.byClass.find((each) => each.class === trafficClass)?.alpha
      return {
        alpha: set(own ?? buffer.alpha),
        reserveBytes: set(buffer.reserve),
        headroomBytes: set(buffer.headroom ?? buffer.headroomFormula),
        xonOffsetBytes,
      }
    }
    default: {
      const alpha = buffer.alpha ?? (buffer.dynamicTh === null ? null : powerOfTwo(buffer.dynamicTh))
      return {
        alpha: buffer.staticTh === null ? given(alpha) : UNKNOWN,
        staticBytes: given(buffer.staticTh),
        reserveBytes: set(buffer.reserve),
        headroomBytes: set(buffer.headroom ?? 'strict'),
        xonBytes: set(buffer.xon),
        xonOffsetBytes,
      }
    }
  }
}

/** Classes in which all who send slow down at other signals than marks, so that nobody misses any. */
function classesWithOtherSignals(own: Scenario): ReadonlySet<number> {
  const [other, rest] = [new Set<number>(), new Set<number>()]
  for (const { scenario } of schemeSets(own)) {
    const isOther = scenario.congestion.kind !== 'none' && congestionNeeds(scenario).ecn !== true
    for (const trafficClass of dataClasses(scenario)) (isOther ? other : rest).add(trafficClass)
  }
  return new Set([...other].filter((trafficClass) => !rest.has(trafficClass)))
}

const otherSignals = new WeakMap<Scenario, ReadonlySet<number>>()

function classConfigOf(own: Scenario, trafficClass: number, rateBps: number): ClassConfig {
  const { ecn, strictClasses, scheduler, weights } = own.switch
  const marks = ecn.classes.includes(trafficClass)
  const { kmin, kmax, pmax } = ecn.byRate.find(({ rate }) => rate === rateBps) ?? ecn
  return {
    ...UNKNOWN_CLASS,
    ...bufferFields(own, trafficClass),
    marks: marks || !kept(otherSignals, own, classesWithOtherSignals).has(trafficClass) ? set(marks) : UNKNOWN,
    kminBytes: marks ? set(kmin) : UNKNOWN,
    kmaxBytes: marks ? set(kmax) : UNKNOWN,
    pmaxRatio: marks ? set(pmax) : UNKNOWN,
    schedule: set(
      strictClasses.includes(trafficClass) ? 'strict' : scheduler === 'dwrr' ? weights[trafficClass]! : 'round-robin',
    ),
  }
}

/** Maps of DSCPs are shared: each has 64 values. */
const mapOf = new WeakMap<Scenario['classes'], readonly Value<number>[]>()

/** DSCPs of data, with the class that NICs give them; none where the VLAN tag decides. */
function dataDscps(own: Scenario): ReadonlyMap<number, number> {
  if (!usesVlans(own) && own.classes.classify === 'pcp') return new Map()
  const table = hostTable(own)
  return new Map(dataClasses(own).map((c) => [table[c] === c ? c : table.indexOf(c), c]))
}

function nicSettingsOf(own: Scenario): NicSettings {
  return {
    ...UNKNOWN_NIC,
    activeMtuBytes: set(own.frames.payload),
    dataDscps: set([...dataDscps(own).keys()]),
    pauseWatchdogPs: own.nic.watchdog === null ? hasChange(own, 'nic.watchdog', 'off') : set(own.nic.watchdog),
  }
}

/** A value that is how scenarios begin, and so nobody's choice unless devices have others: unknown. */
const hasChange = <T extends Plain>({ changes }: Scenario, group: string, value: T): Value<T> =>
  changes.some(({ path }) => path === group || path.startsWith(`${group}.`)) ? set(value) : UNKNOWN

/** Settings of NICs are shared. */
const nicOf = new WeakMap<Scenario, Pick<PortSettings, 'nic' | 'dscpToClass'>>()

function ofNic(own: Scenario): Pick<PortSettings, 'nic' | 'dscpToClass'> {
  return kept(nicOf, own, () => {
    const classOf = dataDscps(own)
    const dscpToClass = Array.from({ length: DSCP_COUNT }, (_, dscp) => given(classOf.get(dscp) ?? null))
    return { nic: nicSettingsOf(own), dscpToClass }
  })
}

function portSettingsOf(own: Scenario, isHost: boolean, { rateBps, delayPs }: PortOf, vlanMode: string): PortSettings {
  const { nic, pfc, classes, switch: at } = own
  const shared = {
    ...UNKNOWN_PORT,
    rateBps: set(rateBps),
    pfcClasses: set(pfc.classes.toSorted((a, b) => a - b)),
    vlanMode: set(vlanMode),
  }
  if (isHost)
    return {
      ...shared,
      ...ofNic(own),
      mtuBytes: set(nic.mtu ?? 'any'),
      trust: set(nic.trust),
      other: others(own, ['pfc']),
    }
  return {
    ...shared,
    mtuBytes: set(at.mtu ?? 'any'),
    trust: set(classes.classify),
    dscpToClass: kept(mapOf, classes, (of) => [...dscpTable(of)].map((trafficClass) => set(trafficClass))),
    cableM: believedLength(at.buffer, delayPs),
    classes: CLASSES.map((trafficClass) => classConfigOf(own, trafficClass, rateBps)),
    other: others(own, ['pfc', 'switch']),
  }
}

/** The cable that headroom is computed for; a headroom that is given is for none. */
function believedLength(buffer: Scenario['switch']['buffer'], delayPs: number): Value<number> {
  if (buffer.kind !== 'shared-buffer' || buffer.headroom !== null) return UNKNOWN
  return set((buffer.believedDelay ?? delayPs) / LINK_PS_PER_METRE)
}

/** Limits of single ports, by rate, or none: what a port may hold is then no share of the pool. */
const hasOwnLimits = (buffer: Scenario['switch']['buffer']): boolean =>
  (buffer.kind === 'memory-manager' && buffer.profiles.length > 0) ||
  (buffer.kind === 'shared-buffer' && (buffer.alphaScaling !== 'none' || buffer.ingressLimit === 'total'))

function switchSettingsOf(own: Scenario, poolBytes: number | null): SwitchSettings {
  const { classes, balance, switch: at } = own
  const { layer2, watchdog: w } = at
  const isOff = w.kind === 'off'
  return {
    ...UNKNOWN_SWITCH,
    platform: at.family === 'off' ? UNKNOWN : set(at.family),
    watchdog: {
      kind: isOff ? hasChange(own, 'switch.watchdog', w.kind) : set(w.kind),
      action: isOff ? UNKNOWN : set(w.action),
      ports: isOff ? UNKNOWN : set(w.ports),
      detectionPs: isOff ? UNKNOWN : set(w.detectionTime),
      restorationPs: isOff ? UNKNOWN : set(w.restorationTime ?? 'never'),
      pollPs: isOff ? UNKNOWN : set(w.pollInterval),
    },
    pools:
      poolBytes === null || hasOwnLimits(at.buffer)
        ? []
        : [{ ...UNKNOWN_POOL, side: set('both'), sizeBytes: set(poolBytes) }],
    arpSeconds: layer2.kind === 'off' ? UNKNOWN : set(layer2.arpSeconds),
    macAgeSeconds: layer2.kind === 'off' ? UNKNOWN : set(layer2.macSeconds),
    balance: set(balance.kind),
    other: {
      ...others(own, ['balance']),
      ...(isOff ? {} : Object.fromEntries(otherOf(w.countsWithoutPfc, 'switch.watchdog.countsWithoutPfc'))),
      'classes.cnpAtSwitch': set(classes.cnpAtSwitch),
    },
  }
}

function hostSettingsOf(own: Scenario): HostSettings {
  const { classes, congestion, recovery } = own
  return {
    ...UNKNOWN_HOST,
    dataClass: set(classes.data),
    cnpClass: set(classes.cnpAtHost),
    rateControl: set(congestion.kind),
    recovery: set(recovery.kind),
    other: others(own, ['nic', 'qp', 'congestion', 'recovery']),
  }
}

/** Whether senders need marks. */
const usesMarks = new WeakMap<Scenario, boolean>()

/** Configurations of all devices, by values in force. */
export class DeviceConfigs {
  readonly #topology: Topology
  readonly #values: DeviceValues
  readonly #checks: PortChecks
  readonly #hasVlans: boolean
  readonly #ports: readonly (readonly PortOf[])[]
  readonly #ofHost = new Map<Scenario, HostSettings>()
  readonly #ofSwitch = new Map<Scenario, SwitchSettings>()
  readonly #ofPort = new Map<Scenario, Map<string, PortSettings>>()
  /** Bytes that the ports of a switch share, as the size of its pool; null: not known. */
  poolBytes: number | null = null

  /** @param values that are in force when a configuration is asked for */
  constructor(topology: Topology, values: DeviceValues) {
    this.#topology = topology
    this.#values = values
    this.#checks = new PortChecks(values.ofPairs(), topology, values)
    this.#hasVlans = usesVlans(values.ofPairs())
    this.#ports = portsByNode(topology)
  }

  /** As it is, with what it would be if nothing were set for single devices or ports. */
  of(node: number): DeviceConfig {
    const everywhere = this.#values.ofPairs()
    return {
      ...this.#configOf(node, (port) => this.#values.ofPort(node, port), this.#values.of(node)),
      usual: this.#configOf(node, () => everywhere, everywhere),
    }
  }

  #configOf(node: number, atPort: (index: number) => Scenario, own: Scenario): DeviceConfig {
    const { names, tiers } = this.#topology
    const isHost = tiers[node] === 0
    return {
      device: names[node]!,
      kind: isHost ? 'host' : 'switch',
      language: '',
      role: roleOf(this.#topology, node),
      settings: isHost
        ? kept(this.#ofHost, own, hostSettingsOf)
        : kept(this.#ofSwitch, own, () => switchSettingsOf(own, this.poolBytes)),
      ...(isHost ? { usesMarks: kept(usesMarks, own, () => isNeeded(own, 'ecn')) } : {}),
      ports: this.#ports[node]!.map((port): PortConfig => {
        const { index, peer, rateBps, delayPs } = port
        const role = `${isHost ? 'host' : 'switch'} to ${tiers[peer]}, ${rateBps}, ${delayPs}`
        const values = atPort(index)
        const vlanMode = this.#vlanModeOf(port, values)
        const byLink = kept(this.#ofPort, values, () => new Map<string, PortSettings>())
        const settings = kept(byLink, `${role}, ${vlanMode}`, () => portSettingsOf(values, isHost, port, vlanMode))
        return { name: `${index}`, role, peer: set(names[peer]!), settings }
      }),
    }
  }

  /** The frames that a port takes. */
  #vlanModeOf(port: PortOf, { classes }: Scenario): string {
    if (!this.#hasVlans) return classes.classify === 'pcp' ? 'tagged' : 'untagged'
    if (this.#topology.tiers[port.node] === 0) return this.#checks.isTagged(port.node) ? 'tagged' : 'untagged'
    const { takesTagged, takesUntagged } = this.#checks.vlanOf(port)
    return takesTagged && takesUntagged ? 'both' : takesTagged ? 'tagged' : 'untagged'
  }
}

function kept<K, V>(
  known: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: (key: K) => V,
): V {
  let value = known.get(key)
  if (value === undefined) known.set(key, (value = make(key)))
  return value
}

/** Configurations of a scenario from the start on, and at each time at which some change. */
export function* configSnapshots(scenario: Scenario, topology: Topology): Generator<Snapshot> {
  const values = new DeviceValues(scenario, topology)
  const configs = new DeviceConfigs(topology, values)
  const snapshot = (atPs: number, nodes: readonly number[]): Snapshot => ({
    atPs,
    devices: nodes.map((node) => configs.of(node)),
  })
  yield snapshot(
    0,
    topology.names.map((_, node) => node),
  )
  const { later } = values
  for (let i = 0; i < later.length;) {
    const atPs = scenario.changes[later[i]!]!.at
    const concerned = new Set<number>()
    for (; i < later.length && scenario.changes[later[i]!]!.at === atPs; i++)
      for (const node of values.begin(later[i]!)) concerned.add(node)
    yield snapshot(
      atPs,
      [...concerned].toSorted((a, b) => a - b),
    )
  }
}
