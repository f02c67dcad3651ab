/**
 * Drift: running configurations that are not as desired, or not as those of their role. Each difference is one finding,
 * whether it is at one port or at all ports of a device, and at one device or at all of a role.
 * Source: [MS-Scale] 5.1 (a service compares the running configurations with the desired ones).
 */
import { leastOf } from '../../../core/base/extremes.ts'
import {
  driftFindings,
  type DriftValues,
  type Finding,
  foundAt,
  type Spot,
  type Subject,
} from '../../../core/findings/index.ts'
import {
  knownOf,
  type DeviceConfig,
  type Snapshot,
  type Value,
  type ValueOrigin,
} from '../../../core/device-model/index.ts'
import { Comparing, type Difference, type DifferingAt } from './compare.ts'
import { peerOf } from './meaning.ts'
import { roleDifferences } from './roles.ts'
import { ruleOf } from './rules.ts'

type DriftKind = typeof driftFindings.configDrift

const CLASSES = 8

/** Findings on running configurations beside desired ones, in the order of the times at which they begin. */
export function driftOf(desired: Iterable<Snapshot>, running: Iterable<Snapshot>): Finding[] {
  const comparing = new Comparing()
  const wanted = new Map<string, DeviceConfig>()
  const found = new Map<string, DeviceConfig>()
  const collected = new Collected(driftFindings.configDrift)
  const oneSided: Finding[] = []
  for (const { atPs, desired: before, running: now } of inTime(desired, running)) {
    for (const config of before) wanted.set(config.device, config)
    for (const config of now) found.set(config.device, config)
    if (atPs === 0) oneSided.push(...onOneSide(wanted, found))
    const both = (device: string): boolean => wanted.has(device) && found.has(device)
    const concerned = new Set([...before, ...now].map(({ device }) => device))
    const differences = [...concerned]
      .filter(both)
      .flatMap((device) => comparing.differences(wanted.get(device)!, found.get(device)!, both))
    collected.add(atPs, differences)
  }
  return [...oneSided, ...collected.findings()]
}

/** Findings on devices that are not as most of their role. */
export function roleDriftOf(running: Iterable<Snapshot>): Finding[] {
  const configs = new Map<string, DeviceConfig>()
  const collected = new Collected(driftFindings.roleDrift)
  for (const { atPs, devices } of running) {
    for (const config of devices) configs.set(config.device, config)
    const roles = new Set(devices.map(({ role }) => role))
    collected.add(atPs, roleDifferences([...configs.values()].filter(({ role }) => roles.has(role))))
  }
  return collected.findings()
}

interface Both {
  readonly atPs: number
  readonly desired: readonly DeviceConfig[]
  readonly running: readonly DeviceConfig[]
}

/** Both sides in the order of time. No more than a snapshot of each is held, since there may be thousands. */
function* inTime(desired: Iterable<Snapshot>, running: Iterable<Snapshot>): Generator<Both> {
  const sides = [desired[Symbol.iterator](), running[Symbol.iterator]()] as const
  const next = sides.map((side) => side.next())
  for (;;) {
    const atPs = leastOf(next.map((one) => (one.done === true ? Infinity : one.value.atPs)))
    if (atPs === Infinity) return
    const [before, now] = next.map((one) => (one.done !== true && one.value.atPs === atPs ? one.value.devices : []))
    yield { atPs, desired: before!, running: now! }
    next.forEach((one, side) => {
      if (one.done !== true && one.value.atPs === atPs) next[side] = sides[side]!.next()
    })
  }
}

/** One finding for all devices that only one side has. */
function onOneSide(desired: ReadonlyMap<string, unknown>, running: ReadonlyMap<string, unknown>): Finding[] {
  const only = (side: ReadonlyMap<string, unknown>, other: ReadonlyMap<string, unknown>): Spot[] =>
    [...side.keys()].flatMap((device) => (other.has(device) ? [] : [{ subject: { device }, values: {} }]))
  return [
    { side: 'desired', spots: only(desired, running) },
    { side: 'running', spots: only(running, desired) },
  ].flatMap(({ side, spots: [first, ...also] }) =>
    first === undefined
      ? []
      : [{ ...foundAt(driftFindings.deviceOnOneSide, first.subject, { side, devices: also.length + 1 }), also }],
  )
}

/** One difference wherever it is: by device and line, port ("" for the device) and class or DSCP. */
interface Everywhere {
  readonly first: Difference
  readonly atPs: number
  readonly devices: Map<string, { readonly config: DeviceConfig; readonly ports: Map<string, Difference[]> }>
}

/** Collects differences. Of a field that changes often the first time counts. */
class Collected {
  readonly #kind: DriftKind
  /** By device and port: fields with their classes. */
  readonly #seen = new Map<string, Map<string, Set<string>>>()
  /** Links, from the device that comes first. */
  readonly #links = new Set<string>()
  readonly #found = new Map<string, Everywhere>()

  constructor(kind: DriftKind) {
    this.#kind = kind
  }

  add(atPs: number, differing: readonly DifferingAt[]): void {
    for (const { config, port, found } of differing) {
      const name = port?.name ?? ''
      const seen = this.#seenAt(config.device, name)
      for (const each of found) {
        if (seen.has(each.key)) continue
        seen.add(each.key)
        const difference = { ...each, config, port }
        if (each.field === 'peer' && isSaidByPeer(difference, this.#links)) continue
        const key = JSON.stringify([each.field, knownOf(each.desired), knownOf(each.running), each.besides, atPs])
        let all = this.#found.get(key)
        if (all === undefined) this.#found.set(key, (all = { first: difference, atPs, devices: new Map() }))
        const spot = spotKeyOf(difference)
        let at = all.devices.get(spot)
        if (at === undefined) all.devices.set(spot, (at = { config, ports: new Map() }))
        at.ports.set(name, [...(at.ports.get(name) ?? []), difference])
      }
    }
  }

  #seenAt(device: string, port: string): Set<string> {
    let ports = this.#seen.get(device)
    if (ports === undefined) this.#seen.set(device, (ports = new Map()))
    let seen = ports.get(port)
    if (seen === undefined) ports.set(port, (seen = new Set()))
    return seen
  }

  findings(): Finding[] {
    return [...this.#found.values()].map((each) => findingOf(this.#kind, each))
  }
}

const originOf = (value: Value): ValueOrigin | undefined => (value.state === 'unknown' ? undefined : value.origin)

/** The device, and the line of the running value where a file has it. */
function spotKeyOf({ config, running }: Difference): string {
  const origin = originOf(running)
  return origin === undefined ? config.device : JSON.stringify([config.device, origin.file, origin.line])
}

/** A cable is said at one of its ends: that of the device that comes first. */
function isSaidByPeer({ config: { device }, desired, running }: Difference, links: Set<string>): boolean {
  const peers = [knownOf(desired), knownOf(running)]
  for (const peer of peers) links.add(JSON.stringify([device, peer]))
  return peers.some((peer) => links.has(JSON.stringify([peer, device])))
}

function findingOf(usual: DriftKind, { first, atPs, devices }: Everywhere): Finding {
  const { field, desired, running, besides } = first
  const kind = besides === undefined ? usual : driftFindings.roleSplit
  const [wanted, found] = [knownOf(desired)!, knownOf(running)!]
  const shared: DriftValues = {
    field,
    desired: wanted,
    running: found,
    rule: ruleOf(field, wanted, found),
    ...(besides === undefined ? {} : { besides }),
  }
  const spots = [...devices.values()].map(({ config, ports }) => {
    const names = [...ports.keys()]
    const all = [...ports.values()].flat()
    const isWhole = names[0] === '' || names.length === config.ports.length
    const origin = originOf(all[0]!.running)
    const isOfFiles = config.language !== ''
    const isOnePort = names.length === 1 && names[0] !== '' && (!isWhole || isOfFiles)
    const peer = isOnePort ? peerOf(all[0]!.port!) : undefined
    const subject: Subject = {
      device: config.device,
      ...(peer === undefined ? {} : { port: peer }),
      ...(isOnePort && isOfFiles ? { interface: names[0]! } : {}),
      ...(atPs === 0 ? {} : { atPs }),
      ...(origin === undefined ? {} : { file: origin.file, line: origin.line }),
    }
    return { subject, values: { ...shared, ...(isWhole ? {} : { ports: names }), ...slotValues(field, all) } }
  })
  const [at, ...also] = spots
  return { ...foundAt(kind, at!.subject, at!.values), also }
}

/** Classes or DSCPs at which a field differs; none where it is in all classes. */
function slotValues(field: string, all: readonly Difference[]): Pick<DriftValues, 'classes' | 'dscps'> {
  const slots = [...new Set(all.flatMap(({ slot }) => slot ?? []))].toSorted((a, b) => a - b)
  if (field === 'dscpToClass') return { dscps: slots }
  return slots.length === 0 || slots.length === CLASSES ? {} : { classes: slots }
}
