/**
 * Fabric: the ports that an edge list names, which devices are hosts, and how far above the hosts a switch stands.
 */
import { assert } from '../../../core/base/assert.ts'
import { COUNTERS, type Edge } from '../../../core/device-model/index.ts'
import type { Series } from '../../devices/series/index.ts'

export interface Port {
  readonly id: number
  readonly device: string
  readonly port: string
  /** Id of the port at the other end of its link. */
  readonly peer: number
}

export interface Device {
  readonly name: string
  readonly isHost: boolean
  /** Links to the nearest host; 0: it is one. Infinity: there is none. */
  readonly tier: number
  /** Ids. */
  readonly ports: readonly number[]
}

export interface Fabric {
  readonly ports: readonly Port[]
  readonly devices: ReadonlyMap<string, Device>
}

/** Counters that one kind of device has and the other has not. */
const namesOf = (devices: 'hosts' | 'switches'): readonly string[] =>
  COUNTERS.filter((each) => each.devices === devices).map(({ name }) => name)
const HOST_NAMES = namesOf('hosts')
const SWITCH_NAMES = namesOf('switches')

/** Whether devices are hosts, where that is known without their counters. */
export type Kinds = ReadonlyMap<string, 'host' | 'switch'>

/** Ports of a fabric in the order of their names, whatever that of the edges. A port with two edges keeps the first. */
export function fabricOf(edges: readonly Edge[], series: Series, kinds: Kinds = new Map()): Fabric {
  const keyOf = (device: string, port: string): string => JSON.stringify([device, port])
  const ends = new Map<string, { device: string; port: string; peer: string }>()
  const sorted = edges
    .map(({ deviceA, portA, deviceB, portB }) => {
      const [a, b] = [keyOf(deviceA, portA), keyOf(deviceB, portB)]
      return { a, b, deviceA, portA, deviceB, portB }
    })
    .sort((x, y) => compare(x.a < x.b ? x.a : x.b, y.a < y.b ? y.a : y.b) || compare(x.a + x.b, y.a + y.b))
  for (const { a, b, deviceA, portA, deviceB, portB } of sorted) {
    if (a === b || ends.has(a) || ends.has(b)) continue
    ends.set(a, { device: deviceA, port: portA, peer: b })
    ends.set(b, { device: deviceB, port: portB, peer: a })
  }
  const keys = [...ends.keys()].sort(compare)
  const ids = new Map(keys.map((key, id) => [key, id]))
  const ports = keys.map((key, id): Port => {
    const { device, port, peer } = ends.get(key)!
    return { id, device, port, peer: ids.get(peer)! }
  })
  assert(
    ports.every(({ id, peer }) => peer !== id && ports[peer]?.peer === id),
    'localiser: a link does not lead back',
  )
  return { ports, devices: devicesOf(ports, series, kinds) }
}

function devicesOf(ports: readonly Port[], series: Series, kinds: Kinds): Map<string, Device> {
  const idsOf = new Map<string, number[]>()
  for (const { id, device } of ports) {
    const known = idsOf.get(device)
    if (known === undefined) idsOf.set(device, [id])
    else known.push(id)
  }
  const peersOf = (name: string): string[] => idsOf.get(name)!.map((id) => ports[ports[id]!.peer]!.device)
  const hosts = hostsAmong([...idsOf.keys()], peersOf, series, kinds)
  const tiers = new Map([...hosts].map((name) => [name, 0]))
  // A map's iteration goes on with what is added to it.
  for (const [name, tier] of tiers) for (const peer of peersOf(name)) if (!tiers.has(peer)) tiers.set(peer, tier + 1)
  return new Map(
    [...idsOf].map(([name, ids]) => [
      name,
      { name, isHost: hosts.has(name), tier: tiers.get(name) ?? Infinity, ports: ids },
    ]),
  )
}

/** A device shows by its counters what it is; without any it is like others with the same peers, or a host if it has one. */
function hostsAmong(
  names: readonly string[],
  peersOf: (name: string) => readonly string[],
  series: Series,
  kinds: Kinds,
): ReadonlySet<string> {
  const known = new Map<string, boolean>()
  const alike = new Map<string, boolean>()
  const likeness = (name: string): string => JSON.stringify([...new Set(peersOf(name))].sort(compare))
  for (const name of names) {
    const has = series.names(name)
    const kind = kinds.get(name)
    const isHost = kind === undefined ? HOST_NAMES.some((each) => has.has(each)) : kind === 'host'
    if (kind === undefined && !isHost && !SWITCH_NAMES.some((each) => has.has(each))) continue
    known.set(name, isHost)
    if (!alike.has(likeness(name))) alike.set(likeness(name), isHost)
  }
  const isHost = (name: string): boolean =>
    known.get(name) ?? alike.get(likeness(name)) ?? new Set(peersOf(name)).size === 1
  return new Set(names.filter(isHost))
}

/** In the order of code units, which no locale changes. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
