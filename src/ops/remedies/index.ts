/**
 * Remedies: the change of the model that cures a finding, and a fabric with such changes.
 */
import type { Finding } from '../../findings/index.ts'
import type { Device, End, Fabric, Link } from '../devices/index.ts'
import { portKey } from '../devices/index.ts'
import { type DeviceConfig, type Plain, type PortConfig, UNKNOWN, type Value } from '../model/index.ts'
import type { RuleContext } from '../rules/index.ts'

/** Another value of a field, by the name that readers note it under: "pfcClasses", "classes.3.alpha", "watchdog.pollPs". */
export interface Change {
  readonly device: string
  /** '': the device. */
  readonly port: string
  readonly field: string
  /** Null: unknown. */
  readonly value: Plain | null
}

/** Null: nothing in the model cures it. */
export function remedyFor(_context: RuleContext, finding: Finding): readonly Change[] | null {
  const { subject, values, id } = finding
  const { device = '', interface: port = '' } = subject
  const change = (field: string, value: Plain): Change[] => [{ device, port, field, value }]
  switch (id) {
    case 'pfc01':
      return change('pfcClasses', values['there'] as readonly number[])
    case 'buf05':
      return change(`classes.${values['priority'] as number}.alpha`, 1 / 8)
    case 'mtu01':
      return change('mtuBytes', 9216)
    default:
      return null
  }
}

export function changed(fabric: Fabric, changes: readonly Change[]): Fabric {
  const devices = new Map<string, Device>()
  for (const [name, device] of fabric.devices) {
    const own = changes.filter((change) => change.device === name)
    devices.set(name, own.length === 0 ? device : { ...device, config: configWith(device.config, own) })
  }
  const ends = new Map<End, End>()
  const endOf = (end: End): End => {
    let known = ends.get(end)
    if (known === undefined) {
      const at = devices.get(end.device) ?? null
      const config = at?.config.ports.find(({ name }) => portKey(name) === portKey(end.port)) ?? null
      ends.set(end, (known = { ...end, at, config }))
    }
    return known
  }
  const links = fabric.links.map((link): Link => ({ ...link, ends: [endOf(link.ends[0]), endOf(link.ends[1])] }))
  return {
    ...fabric,
    devices,
    links,
    linksOf: (device) => links.filter((link) => link.ends.some((end) => end.device === device)),
  }
}

function configWith(config: DeviceConfig, changes: readonly Change[]): DeviceConfig {
  const ports = config.ports.map((port): PortConfig => {
    const own = changes.filter((change) => change.port !== '' && portKey(change.port) === portKey(port.name))
    return own.length === 0 ? port : { ...port, settings: own.reduce(withField, port.settings) }
  })
  return { ...config, ports, settings: changes.filter(({ port }) => port === '').reduce(withField, config.settings) }
}

function withField<T extends object>(settings: T, { field, value }: Change): T {
  const set: Value = value === null ? UNKNOWN : { state: 'set', value }
  const put = (at: unknown, steps: readonly string[]): unknown => {
    const [step, ...rest] = steps
    if (step === undefined) return set
    if (Array.isArray(at)) return at.map((each: unknown, i) => (i === Number(step) ? put(each, rest) : each))
    const object = at as Readonly<Record<string, unknown>>
    return { ...object, [step]: put(object[step], rest) }
  }
  // Cast: one of its fields has another value.
  return put(settings, field.split('.')) as T
}
