/**
 * Devices that are set otherwise than most of their role, field by field.
 * Source: [MS-Scale] 6.2 (one type of switch with another alpha than the others).
 */
import {
  knownOf,
  type DeviceConfig,
  type Field,
  type PortConfig,
  type Value,
} from '../../../core/device-model/index.ts'
import type { DifferingAt } from './compare.ts'
import { differingFrom, keyOf, type Settings, settingsIn } from './meaning.ts'

/** A device or a port of it, with what it would have if nothing were set for it alone. */
interface Holder {
  readonly config: DeviceConfig
  readonly port: PortConfig | null
  readonly settings: Settings
  readonly usual: Settings | undefined
}

/** Differences of devices from those of their role, and of ports from those of theirs. */
export function roleDifferences(configs: Iterable<DeviceConfig>): DifferingAt[] {
  const groups = new Map<string, Holder[]>()
  const add = (role: string, holder: Holder): void => {
    const known = groups.get(role)
    if (known === undefined) groups.set(role, [holder])
    else known.push(holder)
  }
  for (const config of configs) {
    add(config.role, { config, port: null, settings: config.settings, usual: config.usual?.settings })
    config.ports.forEach((port, index) =>
      add(`${config.role}: ${port.role}`, {
        config,
        port,
        settings: port.settings,
        usual: config.usual?.ports[index]?.settings,
      }),
    )
  }
  return [...groups.values()].flatMap(differingIn)
}

function differingIn(holders: readonly Holder[]): DifferingAt[] {
  const alike = new Map<Settings, number>()
  for (const { settings } of holders) alike.set(settings, (alike.get(settings) ?? 0) + 1)
  if (alike.size < 2) return []
  const usual = new Map((holders[0]!.usual === undefined ? [] : settingsIn(holders[0]!.usual)).map(entryOf))
  const expected = new Map<string, Value>()
  for (const [key, values] of valuesByField(alike)) {
    const value = expectedOf(values, usual.get(key))
    if (value !== undefined) expected.set(key, value)
  }
  const splits = usual.size > 0 ? new Map<string, Split>() : splitsIn(holders, expected)
  for (const [key, { value }] of splits) expected.set(key, value)
  const found = new Map(
    [...alike.keys()].map((settings) => [
      settings,
      differingFrom(settingsIn(settings), expected).map((each) => {
        const besides = splits.get(each.key)?.device
        return besides === undefined ? each : { ...each, besides }
      }),
    ]),
  )
  return holders.flatMap(({ config, port, settings }) => {
    const differing = found.get(settings)!
    return differing.length === 0 ? [] : [{ config, port, found: differing }]
  })
}

/** A value that is as good as another one, and the first device that has it. */
interface Split {
  readonly value: Value
  readonly device: string
}

/** Devices with a value each, of which none has to be the same as another. */
const FEW_DEVICES = 3

/**
 * Fields of which no value is that of most, by the first value. Each device has one value for all of its ports: where they
 * differ among themselves, that is how the role is.
 */
function splitsIn(holders: readonly Holder[], expected: ReadonlyMap<string, Value>): Map<string, Split> {
  const found = new Map<string, Map<string, Set<string>>>()
  const first = new Map<string, Split>()
  for (const { config, settings } of holders)
    for (const field of settingsIn(settings)) {
      const key = keyOf(field)
      if (field.value.state === 'unknown' || expected.has(key)) continue
      if (!first.has(key)) first.set(key, { value: field.value, device: config.device })
      const devices = found.get(key) ?? new Map<string, Set<string>>()
      found.set(key, devices)
      devices.set(config.device, (devices.get(config.device) ?? new Set()).add(textOf(field.value)))
    }
  const isSplit = (key: string): boolean => {
    const devices = [...found.get(key)!.values()]
    const values = new Set(devices.flatMap((own) => [...own]))
    return (
      values.size > 1 && devices.every(({ size }) => size === 1) && (values.size === 2 || devices.length <= FEW_DEVICES)
    )
  }
  return new Map([...first].filter(([key]) => isSplit(key)))
}

const entryOf = (field: Field): [string, Value] => [keyOf(field), field.value]
const textOf = (value: Value): string => JSON.stringify(knownOf(value))

/** A value and how many have it. */
interface Count {
  readonly value: Value
  count: number
}

/** The known values of each field, by their text. */
function valuesByField(alike: ReadonlyMap<Settings, number>): Map<string, Map<string, Count>> {
  const found = new Map<string, Map<string, Count>>()
  for (const [settings, count] of alike) {
    for (const field of settingsIn(settings)) {
      if (field.value.state === 'unknown') continue
      const key = keyOf(field)
      let values = found.get(key)
      if (values === undefined) found.set(key, (values = new Map()))
      const text = textOf(field.value)
      const known = values.get(text)
      if (known === undefined) values.set(text, { value: field.value, count })
      else known.count += count
    }
  }
  return found
}

/** The value that more than half have; of two halves, the usual one. Undefined: all have the same, or nobody can say. */
function expectedOf(values: ReadonlyMap<string, Count>, usual: Value | undefined): Value | undefined {
  if (values.size < 2) return undefined
  const counts = [...values.values()]
  const total = counts.reduce((sum, { count }) => sum + count, 0)
  const most = counts.find(({ count }) => count * 2 > total)
  if (most !== undefined) return most.value
  return usual === undefined ? undefined : values.get(textOf(usual))?.value
}
