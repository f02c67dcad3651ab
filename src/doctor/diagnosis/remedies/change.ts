/**
 * Change: another value of one setting of a device, and the fabric that would be there with it.
 */
import { type Device, type Fabric, fabricOfDevices, portKey } from '../../devices/joins/index.ts'
import type { DeviceConfig, Edge, Plain, PortConfig, Value } from '../../../core/device-model/index.ts'
import { UNKNOWN, UNKNOWN_NIC } from '../../../core/device-model/index.ts'

export interface Change {
  readonly device: string
  /** '': the device. */
  readonly port: string
  /** Path in its settings: "pfcClasses", "classes.3.alpha", "dscpToClass.26", "watchdog.pollPs", "nic.cnpDscp". */
  readonly field: string
  /** Null: nobody knows it. */
  readonly value: Plain | null
}

/** The same fabric with other values. Names that lead nowhere are no longer used at devices and ports that change. */
export function changed(fabric: Fabric, changes: readonly Change[]): Fabric {
  const byDevice = new Map<string, Change[]>()
  for (const change of changes) byDevice.set(change.device, [...(byDevice.get(change.device) ?? []), change])
  const devices = new Map(
    [...fabric.devices].map(([name, device]) => {
      const own = byDevice.get(name)
      return [name, own === undefined ? device : changedDevice(device, own)]
    }),
  )
  return fabricOfDevices(devices, edgeListOf(fabric))
}

/** Links of a fabric as a list. */
export function edgeListOf({ links }: Pick<Fabric, 'links'>): Edge[] {
  return links.map(({ ends: [a, b], cableM }) => ({
    deviceA: a.device,
    portA: a.port,
    deviceB: b.device,
    portB: b.port,
    cableM,
  }))
}

/** Field of a change that takes a reference back: "reference.NAME". */
export const REFERENCE = 'reference.'

function changedDevice(device: Device, changes: readonly Change[]): Device {
  const gone = new Set(
    changes.flatMap(({ field }) => (field.startsWith(REFERENCE) ? [field.slice(REFERENCE.length)] : [])),
  )
  const settings = changes.filter(({ field }) => !field.startsWith(REFERENCE))
  return {
    ...device,
    config: changedConfig(device.config, settings),
    references: device.references.filter(({ name }) => !gone.has(name)),
  }
}

/** A device with other values. Changes of other devices must not be among them. */
export function changedConfig(config: DeviceConfig, changes: readonly Change[]): DeviceConfig {
  const byPort = new Map<string, Change[]>()
  for (const change of changes) {
    const key = portKey(change.port)
    byPort.set(key, [...(byPort.get(key) ?? []), change])
  }
  return {
    ...config,
    settings: withChanges(config.settings, byPort.get('') ?? []),
    ports: config.ports.map((port): PortConfig => {
      const own = byPort.get(portKey(port.name))
      if (own === undefined) return port
      const isNic = own.some(({ field }) => field.startsWith('nic.')) && port.settings.nic === undefined
      const settings = isNic ? { ...port.settings, nic: UNKNOWN_NIC } : port.settings
      return { ...port, settings: withChanges(settings, own) }
    }),
  }
}

const withChanges = <T extends object>(settings: T, changes: readonly Change[]): T =>
  changes.reduce((now, { field, value }) => withField(now, field.split('.'), value), settings)

/** A copy with another value at a path. Objects that the path does not touch are shared. */
function withField<T extends object>(settings: T, path: readonly string[], value: Plain | null): T {
  const [first = '', ...rest] = path
  const old = (settings as Record<string, unknown>)[first]
  // Settings without a name in the model may have dots in theirs.
  if (first === 'other') return { ...settings, other: { ...(old as object), [rest.join('.')]: valueOf(value) } }
  const inner = rest.length === 0 ? valueOf(value) : withField((old ?? {}) as object, rest, value)
  if (!Array.isArray(settings)) return { ...settings, [first]: inner }
  // A list of classes, DSCPs or pools.
  return settings.with(Number(first), inner) as unknown as T
}

const valueOf = (value: Plain | null): Value => (value === null ? UNKNOWN : { state: 'set', value })
