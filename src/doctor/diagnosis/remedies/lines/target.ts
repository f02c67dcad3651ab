/**
 * Target: a port with the settings that it is to have, as rows of a language ask for them, and what a row says.
 */
import { isPlainName } from '../../../../core/findings/index.ts'
import type { Device } from '../../../devices/joins/index.ts'
import { DSCPS, type Plain, plainText, type PortConfig } from '../../../../core/device-model/index.ts'
import type { Change } from '../change.ts'
import { valueAt } from '../spot.ts'

/** A name that a command line would not take as one word, or as more than a name. */
export class UnsafeName extends Error {}

/** A line, behind the lines of the blocks that it stands in. */
export type Path = readonly string[]

export class Target {
  readonly device: Device
  /** Undefined: the device. */
  readonly port: PortConfig | undefined
  readonly #wanted: ReadonlyMap<string, Plain>

  constructor(device: Device, port: PortConfig | undefined, wanted: ReadonlyMap<string, Plain>) {
    this.device = device
    this.port = port
    this.#wanted = wanted
  }

  wants(field: string): Plain | undefined {
    return this.#wanted.get(field)
  }

  /** Whether some DSCP is to have a class. */
  get mapsDscps(): boolean {
    return [...this.#wanted.keys()].some((field) => field.startsWith('dscpToClass.'))
  }

  /** The value that it is to have, or has. */
  at(field: string): Plain | undefined {
    return this.#wanted.get(field) ?? this.now(field)
  }

  /** The same in a command. */
  text(field: string): string {
    const value = this.at(field)
    return value === undefined ? '' : plainText(value)
  }

  /** The value that it has. */
  now(field: string): Plain | undefined {
    return this.port === undefined ? undefined : valueAt(this.port, field)
  }

  list(field: string): readonly number[] {
    return (this.at(field) ?? []) as readonly number[]
  }

  /** Name of the port. @throws UnsafeName */
  get name(): string {
    return safe(this.port?.name ?? '')
  }

  /** Name of a thing that decides about the port, '' where there is none. @throws UnsafeName */
  named(purpose: string): string {
    const name = this.raw(purpose)
    return name === '' ? '' : safe(name)
  }

  /** The same without a check. */
  raw(purpose: string): string {
    return this.port?.names?.[purpose] ?? ''
  }

  /** Ports of the device that have the same thing, this one too. */
  sharing(purpose: string): readonly PortConfig[] {
    const name = this.port?.names?.[purpose]
    return this.device.config.ports.filter((port) => port === this.port || port.names?.[purpose] === name)
  }

  /** Another port that has such a thing, preferably one with a name that most have. */
  donor(purpose: string, isGood: (port: PortConfig) => boolean = () => true): PortConfig | undefined {
    const counts = new Map<string, PortConfig[]>()
    for (const port of this.device.config.ports) {
      const name = port.names?.[purpose]
      if (name !== undefined && port !== this.port && isGood(port))
        counts.set(name, [...(counts.get(name) ?? []), port])
    }
    return [...counts.values()].toSorted((a, b) => b.length - a.length)[0]?.[0]
  }

  /** Changes of the fields that are wanted here at other ports, too. */
  alike(ports: readonly PortConfig[], fields: readonly string[]): Change[] {
    return ports.flatMap(({ name }) =>
      fields.flatMap((field) => {
        const value = this.wants(field)
        return value === undefined ? [] : [{ device: this.device.config.device, port: name, field, value }]
      }),
    )
  }

  /** A class that becomes lossless at ports is not watched by that alone. */
  unwatched(ports: readonly PortConfig[], classes: readonly number[]): Change[] {
    return ports.flatMap((port) =>
      classes
        .map((c) => `classes.${c}.isWatched`)
        .filter((field) => valueAt(port, field) === undefined)
        .map((field) => ({ device: this.device.config.device, port: port.name, field, value: false })),
    )
  }

  /** All fields here that another port has a value for, as it has them. */
  asAt(donor: PortConfig, fields: readonly string[]): Change[] {
    return fields.flatMap((field) => {
      const value = valueAt(donor, field)
      return value === undefined || this.wants(field) !== undefined
        ? []
        : [{ device: this.device.config.device, port: this.port!.name, field, value }]
    })
  }
}

/** Answer of a row: lines, and what they change beyond what is wanted. */
export interface Said {
  readonly paths: readonly Path[]
  readonly also?: readonly Change[]
  /** Values that ports have then, as long as nothing else is wanted. */
  readonly unsaid?: readonly Change[]
}

/** Settings that one language sets together. */
export interface Row {
  /** Fields, with * in place of a class or a DSCP; "device.FIELD" of the device. */
  readonly fields: readonly string[]
  /** @returns null: the language has no words for it, or the files do not tell what to name @throws UnsafeName */
  say(target: Target, slot: number): Said | null
}

export interface Speech {
  readonly rows: readonly Row[]
  print(paths: readonly Path[]): string[]
}

/** @throws UnsafeName */
export function safe(name: string): string {
  if (!isPlainName(name)) throw new UnsafeName(name)
  return name
}

export const NOTHING: Said = { paths: [] }

/** Prints lines that stand in no block, each once. */
export const plain = (paths: readonly Path[]): string[] => [...new Set(paths.map((path) => path.join(' ')))]

export const DSCP_FIELDS = DSCPS.map((d) => `dscpToClass.${d}`)
export const PFC_FIELDS = ['pfcClasses', 'pfcWritten', 'pfcMode']

/** Lines that stand in no block. */
export const lines = (...each: readonly string[]): Said => ({ paths: each.map((line) => [line]) })

/** Each path once; one whose block is not open begins at the top. */
export function blocks(paths: readonly Path[]): string[] {
  let open: Path = []
  const seen = new Set<string>()
  return paths.flatMap((path) => {
    const key = JSON.stringify(path)
    if (seen.has(key)) return []
    seen.add(key)
    const isInside = open.length < path.length && open.every((line, i) => line === path[i])
    const from = isInside ? open.length : 0
    open = path.slice(0, -1)
    return path.slice(from).map((line, i) => `${'  '.repeat(from + i)}${line}`)
  })
}

/** A flag for each of eight classes: "0,0,0,1,0,0,0,0". */
export const flags = (classes: readonly number[]): string =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((c) => (classes.includes(c) ? 1 : 0)).join(',')
