/**
 * Assembling: settings from single values, by the names under which readers note them: "mtuBytes", "classes.3.alpha",
 * "dscpToClass.26", "nic.cnpDscp", "watchdog.action", "pools.0.sizeBytes", "other.NAME". What has no value is unknown.
 * Ports with the same values share what holds them, so that a device costs no more than its different values.
 */
import {
  type ClassConfig,
  type HostSettings,
  type PoolConfig,
  type PortSettings,
  type SwitchSettings,
  UNKNOWN_CLASS,
  UNKNOWN_HOST,
  UNKNOWN_JOB,
  UNKNOWN_NIC,
  UNKNOWN_POOL,
  UNKNOWN_PORT,
  UNKNOWN_SWITCH,
  type Value,
} from '../../../core/device-model/index.ts'

export type Values = ReadonlyMap<string, Value>

/** Values under the first part of their names; those without a second part under ''. */
function grouped(values: Values): Map<string, Map<string, Value>> {
  const groups = new Map<string, Map<string, Value>>()
  for (const [name, value] of values) {
    const dot = name.indexOf('.')
    const group = dot < 0 ? '' : name.slice(0, dot)
    let own = groups.get(group)
    if (own === undefined) groups.set(group, (own = new Map()))
    own.set(dot < 0 ? name : name.slice(dot + 1), value)
  }
  return groups
}

const NONE: Values = new Map()

/** Values over a template. Names were checked when they were noted (dialects/facts.ts). */
function over<T extends object>(template: T, values: Values): T {
  return { ...template, ...Object.fromEntries(values) }
}

function list<T extends object>(template: readonly T[], fallback: T, values: Values): readonly T[] {
  if (values.size === 0) return template
  const items = [...template]
  for (const [index, own] of grouped(values)) {
    for (let i = items.length; i <= Number(index); i++) items.push(fallback)
    items[Number(index)] = over(fallback, own)
  }
  return items
}

/** Keeps one of several lists or objects with the same values. */
class Shared {
  readonly #ids = new Map<Value, number>()
  readonly #known = new Map<string, unknown>()

  /** Made once for the same Value objects under the same names. */
  of<T>(kind: string, values: Values, make: () => T): T {
    let key = kind
    for (const [name, value] of values) {
      let id = this.#ids.get(value)
      if (id === undefined) this.#ids.set(value, (id = this.#ids.size))
      key += ` ${name}=${id}`
    }
    let known = this.#known.get(key) as T | undefined
    if (known === undefined) this.#known.set(key, (known = make()))
    return known
  }
}

/** Settings of the ports of one device. */
export class PortAssembler {
  readonly #shared = new Shared()

  settings(values: Values): PortSettings {
    const groups = grouped(values)
    const of = (name: string): Values => groups.get(name) ?? NONE
    const classes = grouped(of('classes'))
    return {
      ...over(UNKNOWN_PORT, of('')),
      dscpToClass: this.#shared.of('map', of('dscpToClass'), () => this.#map(of('dscpToClass'))),
      classes: UNKNOWN_PORT.classes.map((fallback, index): ClassConfig => {
        const own = classes.get(String(index))
        return own === undefined ? fallback : this.#shared.of('class', own, () => over(UNKNOWN_CLASS, own))
      }),
      ...(of('nic').size === 0 ? {} : { nic: over(UNKNOWN_NIC, of('nic')) }),
      other: Object.fromEntries(of('other')),
    }
  }

  #map(values: Values): PortSettings['dscpToClass'] {
    return UNKNOWN_PORT.dscpToClass.map((fallback, dscp) => {
      const own = values.get(String(dscp))
      return own !== undefined && 'value' in own && typeof own.value === 'number'
        ? { ...own, value: own.value }
        : fallback
    })
  }
}

export function switchSettings(values: Values): SwitchSettings {
  const groups = grouped(values)
  const of = (name: string): Values => groups.get(name) ?? NONE
  return {
    ...over(UNKNOWN_SWITCH, of('')),
    watchdog: over(UNKNOWN_SWITCH.watchdog, of('watchdog')),
    pools: list<PoolConfig>([], UNKNOWN_POOL, of('pools')),
    other: Object.fromEntries(of('other')),
  }
}

export function hostSettings(values: Values): HostSettings {
  const groups = grouped(values)
  const job = groups.get('job')
  return {
    ...over(UNKNOWN_HOST, groups.get('') ?? NONE),
    ...(job === undefined ? {} : { job: over(UNKNOWN_JOB, job) }),
    other: Object.fromEntries(groups.get('other') ?? NONE),
  }
}
