/**
 * Differences between two configurations of a device, field by field. A value that is unknown on either side differs from
 * nothing. Ports are the same if their cables go to the same device; those without a known cable, if their names are equal.
 */
import {
  type DeviceConfig,
  type Field,
  fieldsOf,
  type Plain,
  type PortConfig,
  type PortSettings,
  type Value,
} from '../model/index.ts'

/** One value that differs, at a device or at one of its ports. */
export interface Difference {
  readonly config: DeviceConfig
  /** Null: the device. */
  readonly port: PortConfig | null
  readonly field: string
  /** Class or DSCP; null: neither. */
  readonly slot: number | null
  readonly desired: Value
  readonly running: Value
}

type Settings = DeviceConfig['settings'] | PortSettings
type Differing = Pick<Difference, 'field' | 'slot' | 'desired' | 'running'>

/** The value; undefined: unknown. */
export function plainOf(value: Value): Plain | undefined {
  return value.state === 'unknown' ? undefined : value.value
}

export const keyOf = ({ name, slot }: Pick<Field, 'name' | 'slot'>): string => `${name} ${slot}`

/** Compares pairs of configurations. Pairs of settings that are shared by many devices are compared once. */
export class Comparing {
  readonly #known = new WeakMap<Settings, WeakMap<Settings, readonly Differing[]>>()

  /** @param isCompared whether a device is in both sets: cables to others are no difference of this one */
  differences(desired: DeviceConfig, running: DeviceConfig, isCompared: (device: string) => boolean): Difference[] {
    const ofDevice = this.#settings(desired.settings, running.settings).map((each) => ({
      ...each,
      config: running,
      port: null,
    }))
    const { pairs, alone } = matched(desired.ports, running.ports)
    const ofPorts = pairs.flatMap(([wanted, port]) => {
      const peers: readonly Differing[] = isOther(wanted.peer, port.peer)
        ? [{ field: 'peer', slot: null, desired: wanted.peer, running: port.peer }]
        : []
      return [...peers, ...this.#settings(wanted.settings, port.settings)].map((each) => ({
        ...each,
        config: running,
        port,
      }))
    })
    const none: Value = { state: 'operational', value: 'none' }
    const cables = alone.flatMap(({ port, isDesired }): Difference[] => {
      const peer = plainOf(port.peer)
      if (typeof peer !== 'string' || !isCompared(peer)) return []
      const values = isDesired ? { desired: port.peer, running: none } : { desired: none, running: port.peer }
      return [{ config: running, port, field: 'peer', slot: null, ...values }]
    })
    return [...ofDevice, ...ofPorts, ...cables]
  }

  #settings(desired: Settings, running: Settings): readonly Differing[] {
    if (desired === running) return []
    let known = this.#known.get(desired)
    if (known === undefined) this.#known.set(desired, (known = new WeakMap()))
    let found = known.get(running)
    if (found === undefined) known.set(running, (found = differing(desired, running)))
    return found
  }
}

function differing(desired: Settings, running: Settings): Differing[] {
  const wanted = new Map(fieldsOf(desired).map((field) => [keyOf(field), field.value]))
  return fieldsOf(running).flatMap((field) => {
    const value = wanted.get(keyOf(field))
    return value !== undefined && isOther(value, field.value)
      ? [{ field: field.name, slot: field.slot, desired: value, running: field.value }]
      : []
  })
}

function isOther(a: Value, b: Value): boolean {
  if (a.state === 'unknown' || b.state === 'unknown') return false
  return JSON.stringify(a.value) !== JSON.stringify(b.value)
}

interface Matched {
  readonly pairs: readonly (readonly [desired: PortConfig, running: PortConfig])[]
  readonly alone: readonly { readonly port: PortConfig; readonly isDesired: boolean }[]
}

/** Ports of a device on both sides: by name where the cable is the same or unknown, else by cable, else by name. */
function matched(desired: readonly PortConfig[], running: readonly PortConfig[]): Matched {
  const pairs: [PortConfig, PortConfig][] = []
  const left = new Set(running)
  const pair = (rest: readonly PortConfig[], keyOfPort: (port: PortConfig) => Plain | undefined, byCable: boolean) => {
    const byKey = new Map<Plain, PortConfig[]>()
    for (const port of left) {
      const key = keyOfPort(port)
      if (key !== undefined) byKey.set(key, [...(byKey.get(key) ?? []), port])
    }
    return rest.filter((port) => {
      const key = keyOfPort(port)
      const candidates = key === undefined ? undefined : byKey.get(key)
      const at = candidates?.findIndex((each) => !byCable || !isOther(each.peer, port.peer)) ?? -1
      if (at < 0) return true
      const [found] = candidates!.splice(at, 1)
      left.delete(found!)
      pairs.push([port, found!])
      return false
    })
  }
  const nameOf = ({ name }: PortConfig): Plain => name
  let rest = pair(desired, nameOf, true)
  rest = pair(rest, ({ peer }) => plainOf(peer), true)
  rest = pair(rest, nameOf, false)
  return {
    pairs,
    alone: [
      ...rest.map((port) => ({ port, isDesired: true })),
      ...[...left].map((port) => ({ port, isDesired: false })),
    ],
  }
}
