/**
 * Lines: commands that change the settings of devices. A language is one file, and one line here.
 */
import type { Typed } from '../../../../core/findings/index.ts'
import type { Device, Fabric } from '../../../devices/joins/index.ts'
import { portKey } from '../../../devices/joins/index.ts'
import type { Plain } from '../../../../core/device-model/index.ts'
import type { Change } from '../change.ts'
import { EOS } from './eos.ts'
import { HOSTS } from './hosts.ts'
import { JUNOS } from './junos.ts'
import { NVUE } from './nvue.ts'
import { NXOS } from './nx-os.ts'
import { OS10 } from './os10.ts'
import { type Path, Target, type Row, type Said, type Speech, UnsafeName } from './target.ts'
import { SONIC } from './sonic.ts'
import { SONIC_CLI } from './sonic-cli.ts'

const SPEECHES: Readonly<Record<string, Speech>> = {
  ...HOSTS,
  sonic: SONIC,
  'sonic-cli': SONIC_CLI,
  nvue: NVUE,
  'nx-os': NXOS,
  eos: EOS,
  os10: OS10,
  junos: JUNOS,
}

export interface Spoken {
  readonly typed: readonly Typed[]
  /** All that the lines change: what is wanted, and what depends on the same map, policy or profile. */
  readonly changes: readonly Change[]
}

/**
 * Lines for changes.
 * @returns why there are none: the language of a device has no words, or a name is one that no command line takes
 */
export function spoken(fabric: Fabric, changes: readonly Change[]): Spoken | { readonly unsafe: string } | null {
  const typed: Typed[] = []
  const unsaid: Change[] = []
  const all: Change[] = [...changes]
  for (const [name, own] of grouped(changes, ({ device }) => device)) {
    const device = fabric.devices.get(name)
    const speech = device === undefined ? undefined : SPEECHES[device.config.language]
    if (device === undefined || speech === undefined) return null
    const paths: Path[] = []
    try {
      for (const [key, ofPort] of grouped(own, ({ port }) => portKey(port))) {
        const said = saidOf(device, key, ofPort, speech.rows)
        if (said === null) return null
        paths.push(...said.paths)
        all.push(...said.also)
        unsaid.push(...said.unsaid)
      }
    } catch (error) {
      // A port without a name is in no command, and that is no danger.
      if (error instanceof UnsafeName) return error.message === '' ? null : { unsafe: error.message }
      throw error
    }
    typed.push({ device: name, lines: speech.print(paths) })
  }
  return { typed, changes: [...unsaid, ...all] }
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}

/** Null: some field has no words. */
function saidOf(device: Device, key: string, changes: readonly Change[], rows: readonly Row[]): Required<Said> | null {
  const port = key === '' ? undefined : device.config.ports.find(({ name }) => portKey(name) === key)
  const wanted = new Map<string, Plain>()
  for (const { field, value } of changes) if (value !== null) wanted.set(field, value)
  const target = new Target(device, port, wanted)
  const left = new Set(changes.map(({ field }) => field))
  const paths: Path[] = []
  const also: Change[] = []
  const unsaid: Change[] = []
  for (const row of rows)
    for (const [slot, own] of slotsOf([...left], row.fields, port === undefined)) {
      const said = row.say(target, slot)
      if (said === null) continue
      for (const field of own) left.delete(field)
      paths.push(...said.paths)
      also.push(...(said.also ?? []))
      unsaid.push(...(said.unsaid ?? []))
    }
  return left.size > 0 ? null : { paths, also, unsaid }
}

/** Those of the fields that a row has, by their class or DSCP. */
function slotsOf(fields: readonly string[], patterns: readonly string[], isDevice: boolean): Map<number, string[]> {
  const slots = new Map<number, string[]>()
  for (const field of fields) {
    const [, slot = '-1'] = /\.(\d+)(?:\.|$)/.exec(field) ?? []
    const general = `${isDevice ? 'device.' : ''}${field.replace(/\.\d+(?=\.|$)/, '.*')}`
    if (patterns.includes(general)) slots.set(Number(slot), [...(slots.get(Number(slot)) ?? []), field])
  }
  return slots
}
