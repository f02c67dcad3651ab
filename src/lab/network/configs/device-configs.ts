/**
 * Device configurations: the values in force at each device and port of a scenario, in the neutral model that instruments
 * compare (ops/model/device-config.ts). Ports with the same values, rate and cable share one object.
 */
import { powerOfTwo } from '../../../base/math.ts'
import {
  type ClassConfig,
  type DeviceConfig,
  type HostSettings,
  type OtherSettings,
  type Plain,
  type PortConfig,
  type PortSettings,
  type Snapshot,
  type SwitchSettings,
  UNKNOWN,
  UNKNOWN_CLASS,
  UNKNOWN_HOST,
  UNKNOWN_PORT,
  UNKNOWN_SWITCH,
  type Value,
} from '../../../ops/model/index.ts'
import { dscpTable } from '../../../scenario/class-map.ts'
import type { Scenario } from '../../../scenario/scenario.ts'
import type { Topology } from '../../../topology/topology.ts'
import { DeviceValues } from '../device-values.ts'
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
  const xonOffsetBytes = set(buffer.xonOffset)
  switch (buffer.kind) {
    case 'input-queued':
      return { xoffBytes: set(buffer.xoff), xonOffsetBytes }
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
      const alpha = buffer.alpha ?? (buffer.dynamicTh === null ? 1 / 16 : powerOfTwo(buffer.dynamicTh))
      return {
        alpha: buffer.staticTh === null ? set(alpha) : UNKNOWN,
        staticBytes: given(buffer.staticTh),
        reserveBytes: set(buffer.reserve),
        headroomBytes: set(buffer.headroom ?? 'strict'),
        xonBytes: set(buffer.xon),
        xonOffsetBytes,
      }
    }
  }
}

function classConfigOf(own: Scenario, trafficClass: number, rateBps: number): ClassConfig {
  const { ecn, strictClasses, scheduler, weights } = own.switch
  const marks = ecn.classes.includes(trafficClass)
  const { kmin, kmax, pmax } = ecn.byRate.find(({ rate }) => rate === rateBps) ?? ecn
  return {
    ...UNKNOWN_CLASS,
    ...bufferFields(own, trafficClass),
    marks: set(marks),
    kminBytes: marks ? set(kmin) : UNKNOWN,
    kmaxBytes: marks ? set(kmax) : UNKNOWN,
    pmaxRatio: marks ? set(pmax) : UNKNOWN,
    schedule: set(
      strictClasses.includes(trafficClass) ? 'strict' : scheduler === 'dwrr' ? weights[trafficClass]! : 'round-robin',
    ),
  }
}

/** NICs have no thresholds for a class. */
const NIC_CLASSES: readonly ClassConfig[] = []
/** NICs of scenarios take the class from the sender. */
const NO_MAP: readonly Value<number>[] = []

/** Maps of DSCPs are shared: each has 64 values. */
const mapOf = new WeakMap<Scenario['classes'], readonly Value<number>[]>()

function portSettingsOf(own: Scenario, isHost: boolean, rateBps: number, delayPs: number): PortSettings {
  const { nic, pfc, classes, switch: at } = own
  const shared = { ...UNKNOWN_PORT, rateBps: set(rateBps), pfcClasses: set(pfc.classes.toSorted((a, b) => a - b)) }
  if (isHost)
    return {
      ...shared,
      mtuBytes: set(nic.mtu ?? 'any'),
      trust: set(nic.trust),
      vlanMode: set(nic.vlan),
      dscpToClass: NO_MAP,
      classes: NIC_CLASSES,
      other: others(own, ['pfc']),
    }
  const believed = at.buffer.kind === 'shared-buffer' ? set(at.buffer.believedDelay ?? delayPs) : UNKNOWN
  return {
    ...shared,
    mtuBytes: set(at.mtu ?? 'any'),
    trust: set(classes.classify),
    vlanMode: set(at.vlan.ports),
    dscpToClass: kept(mapOf, classes, (of) => [...dscpTable(of)].map((trafficClass) => set(trafficClass))),
    // A headroom that is given is for no cable.
    believedDelayPs: at.buffer.kind === 'shared-buffer' && at.buffer.headroom === null ? believed : UNKNOWN,
    classes: CLASSES.map((trafficClass) => classConfigOf(own, trafficClass, rateBps)),
    other: others(own, ['pfc', 'switch']),
  }
}

function switchSettingsOf(own: Scenario): SwitchSettings {
  const { classes, balance, switch: at } = own
  const { layer2, watchdog: w } = at
  const isOff = w.kind === 'off'
  return {
    ...UNKNOWN_SWITCH,
    watchdog: {
      kind: set(w.kind),
      action: isOff ? UNKNOWN : set(w.action),
      ports: isOff ? UNKNOWN : set(w.ports),
      detectionPs: isOff ? UNKNOWN : set(w.detectionTime),
      restorationPs: isOff ? UNKNOWN : set(w.restorationTime ?? 'never'),
      pollPs: isOff ? UNKNOWN : set(w.pollInterval),
    },
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
  const { classes, congestion, nic, recovery } = own
  return {
    ...UNKNOWN_HOST,
    dataClass: set(classes.data),
    cnpClass: set(classes.cnpAtHost),
    rateControl: set(congestion.kind),
    recovery: set(recovery.kind),
    pauseWatchdogPs: set(nic.watchdog ?? 'off'),
    other: others(own, ['nic', 'qp', 'congestion', 'recovery']),
  }
}

/** Configurations of all devices, by values in force. */
export class DeviceConfigs {
  readonly #topology: Topology
  readonly #values: DeviceValues
  readonly #ports: readonly (readonly PortOf[])[]
  readonly #ofHost = new Map<Scenario, HostSettings>()
  readonly #ofSwitch = new Map<Scenario, SwitchSettings>()
  readonly #ofPort = new Map<Scenario, Map<string, PortSettings>>()

  /** @param values that are in force when a configuration is asked for */
  constructor(topology: Topology, values: DeviceValues) {
    this.#topology = topology
    this.#values = values
    this.#ports = portsByNode(topology)
  }

  /** Devices of one role are those of one tier and name: "leaf". */
  roleOf(node: number): string {
    const { names, tiers } = this.#topology
    return `${tiers[node]} ${names[node]!.replace(/\s[\d.]+.*$/, '')}`
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
      role: this.roleOf(node),
      settings: isHost ? kept(this.#ofHost, own, hostSettingsOf) : kept(this.#ofSwitch, own, switchSettingsOf),
      ports: this.#ports[node]!.map(({ index, peer, rateBps, delayPs }): PortConfig => {
        const role = `${isHost ? 'host' : 'switch'} to ${tiers[peer]}, ${rateBps}, ${delayPs}`
        const values = atPort(index)
        const byLink = kept(this.#ofPort, values, () => new Map<string, PortSettings>())
        const settings = kept(byLink, role, () => portSettingsOf(values, isHost, rateBps, delayPs))
        return { name: `${index}`, role, peer: set(names[peer]!), settings }
      }),
    }
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
