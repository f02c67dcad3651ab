/**
 * Device: all its files together. What a device says of itself counts for more than what was written down, and that for
 * more than a default; of two files that disagree at the same level the later one holds, and both are named.
 */
import {
  completeClasses,
  type Count,
  type Dialect,
  type Facts,
  type Neighbour,
  ownLine,
  ownText,
  readFile,
  type Reference,
} from '../dialects/index.ts'
import {
  counterNamed,
  type DeviceConfig,
  type PortConfig,
  type Reading,
  UNKNOWN,
  type Value,
  type ValueOrigin,
} from '../model/index.ts'
import { portKey } from './names.ts'
import { hostSettings, PortAssembler, switchSettings } from './assemble.ts'

export interface DeviceFile {
  /** For places. */
  readonly file: string
  readonly text: string
  /** That printed it; '': unknown, or in the file. */
  readonly command: string
  /** When it was collected, by any clock; NaN: unknown. */
  readonly timeNs: number
}

/** Two files that say different things of one setting. */
export interface Conflict {
  /** '': the device. */
  readonly port: string
  readonly field: string
  readonly values: readonly Value[]
}

/** A form that was found in a file. */
export interface FormRead {
  readonly file: string
  readonly dialect: Dialect
  readonly truncated: Facts['truncated']
  /** Lines that look as if they mattered and were not understood. */
  readonly remainder: Facts['remainder']
}

/** A reading with the line that has it. Its time is NaN where nobody knows when the file was collected. */
export interface FileReading extends Reading {
  readonly origin: ValueOrigin
  /** Name of the form of its file. */
  readonly form: string
}

export interface Device {
  readonly config: DeviceConfig
  /** Whether all its settings are known, so that an absent one has its default. */
  readonly isComplete: boolean
  readonly forms: readonly FormRead[]
  /** Files of which nothing is known. */
  readonly unread: readonly string[]
  readonly conflicts: readonly Conflict[]
  readonly references: readonly (Reference & { readonly file: string })[]
  readonly neighbours: readonly (Neighbour & { readonly file: string })[]
  readonly readings: readonly FileReading[]
}

/** @param knownPorts ports that others name: those of the list of links */
export function deviceOf(name: string, files: readonly DeviceFile[], knownPorts: readonly string[] = []): Device {
  const read = files.map((file) => ({ ...file, ...readFile(file.file, file.text, file.command) }))
  const facts = read.flatMap(({ parts, timeNs }) => parts.map((part) => ({ ...part, timeNs })))
  const resolve = portsOf(
    facts.map((one) => one.facts),
    knownPorts,
  )
  const merged = new Merged()
  const ports = new Map<string, Merged>()
  for (const { facts: one, timeNs } of facts) {
    merged.add(one.device, one.file, timeNs)
    for (const [port, { values }] of one.ports) {
      const own = resolve(port)
      let known = ports.get(own)
      if (known === undefined) ports.set(own, (known = new Merged()))
      known.add(values, one.file, timeNs)
    }
  }
  const isHost = kindOf(facts.map((one) => one.facts)) === 'host'
  const assembler = new PortAssembler()
  const config: DeviceConfig = {
    device: name,
    kind: isHost ? 'host' : 'switch',
    language: facts.find(({ dialect }) => dialect.language !== undefined)?.dialect.language ?? (isHost ? 'host' : ''),
    role: isHost ? 'host' : 'switch',
    settings: isHost ? hostSettings(merged.values) : switchSettings(merged.values),
    ports: [...ports].map(([port, { values }]): PortConfig => ({
      name: ownText(port),
      role: 'port',
      peer: UNKNOWN,
      settings: assembler.settings(isHost ? withClasses(values) : values),
    })),
  }
  return {
    config,
    isComplete: facts.some((one) => one.facts.isComplete),
    forms: facts.map(({ dialect, facts: one }) => ({
      file: one.file,
      dialect,
      truncated: one.truncated && { ...one.truncated, line: ownLine(one.truncated.line) },
      remainder: one.remainder.map(ownLine),
    })),
    unread: read.filter(({ parts }) => parts.length === 0).map(({ file }) => file),
    conflicts: [...merged.conflicts(''), ...[...ports].flatMap(([port, own]) => own.conflicts(port))],
    references: facts.flatMap(({ facts: one }) =>
      one.references.map((each) => ({
        ...each,
        name: ownText(each.name),
        port: ownText(each.port),
        line: ownLine(each.line),
        file: one.file,
      })),
    ),
    neighbours: facts.flatMap(({ facts: one }) =>
      one.neighbours.map((each) => ({
        ...each,
        port: ownText(each.port),
        peerDevice: ownText(each.peerDevice),
        peerPort: ownText(each.peerPort),
        line: ownLine(each.line),
        file: one.file,
      })),
    ),
    readings: facts.flatMap(({ facts: one, dialect, timeNs }) =>
      one.counts.map((count): FileReading => {
        const { priority, value, bits, line } = count
        const origin = one.originOf(line)
        const port = portOf(count, resolve)
        return { timeNs, device: name, port, priority, name: count.name, value, bits, origin, form: dialect.name }
      }),
    ),
  }
}

/** With sets of classes that come from a file for each class (sysfs). */
function withClasses(values: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  const joined = new Map(values)
  completeClasses(joined)
  return joined
}

/** A counter of a port that its file does not name is of the only one that there is. */
function portOf({ port, name }: Count, resolve: (port: string) => string): string {
  return port === '' && counterNamed(name)?.scope === 'device' ? '' : resolve(port)
}

/** Switches that run Linux have forms of hosts, too; hosts have none of switches. */
const kindOf = (facts: readonly Facts[]): 'host' | 'switch' => {
  const has = (sought: Facts['kind']): boolean => facts.some(({ kind }) => kind === sought)
  return has('host') && !has('switch') ? 'host' : 'switch'
}

/** Beginnings of names that are none of ports, and the field that says which port has them. */
const PREFIXES: Readonly<Record<string, string>> = { 'rdma:': 'nic.rdmaDevice', 'pci:': 'nic.pciName' }

/** "rdma:" of "rdma:mlx5_1"; undefined: the name of a port. */
const prefixOf = (name: string): string | undefined => Object.keys(PREFIXES).find((prefix) => name.startsWith(prefix))

/**
 * Names for ports that a file does not name: the port of an RDMA device or at a PCI address, and the only port that there
 * is. The list of links decides what there is, else what files name.
 */
function portsOf(facts: readonly Facts[], knownPorts: readonly string[]): (name: string) => string {
  const named = new Set<string>()
  const aliases = new Map<string, string>()
  const unnamed = new Map<string, Set<string>>()
  for (const { ports } of facts)
    for (const [name, { values }] of ports) {
      const prefix = prefixOf(name)
      if (prefix !== undefined) unnamed.set(prefix, (unnamed.get(prefix) ?? new Set()).add(name))
      if (name === '' || prefix !== undefined) continue
      named.add(name)
      for (const [start, field] of Object.entries(PREFIXES)) {
        const alias = values.get(field)
        if (alias !== undefined && 'value' in alias && typeof alias.value === 'string')
          aliases.set(`${start}${alias.value}`, name)
      }
    }
  const known = knownPorts.length > 0 ? knownPorts : [...named]
  const only = known.length === 1 ? known[0]! : ''
  const spelled = new Map([...named, ...knownPorts].map((name) => [portKey(name), name]))
  return (name) => {
    if (name === '') return only
    const prefix = prefixOf(name)
    if (prefix === undefined) return spelled.get(portKey(name)) ?? name
    const isAlone =
      only !== '' && unnamed.get(prefix)?.size === 1 && ![...aliases.keys()].some((alias) => alias.startsWith(prefix))
    return aliases.get(name) ?? (isAlone ? only : name.slice(prefix.length))
  }
}

const RANKS = { unknown: -1, default: 0, set: 1, operational: 2 } as const

interface Source {
  readonly file: string
  readonly timeNs: number
}

/** Values of several files. Most ports are in one file alone, whose values are taken as they are. */
class Merged {
  #values: ReadonlyMap<string, Value> = new Map()
  /** Sources of values that are not from the first file. */
  readonly #sources = new Map<string, Source>()
  readonly #conflicts = new Map<string, Value[]>()
  #first: Source | undefined
  #merged: Map<string, Value> | undefined

  get values(): ReadonlyMap<string, Value> {
    return this.#merged ?? this.#values
  }

  add(values: ReadonlyMap<string, Value>, file: string, timeNs: number): void {
    const source = { file, timeNs }
    if (this.#first === undefined) {
      this.#first = source
      this.#values = values
      return
    }
    const merged = (this.#merged ??= new Map(this.#values))
    for (const [name, value] of values) {
      const known = merged.get(name)
      const order = known === undefined ? 1 : RANKS[value.state] - RANKS[known.state]
      if (order < 0) continue
      if (known !== undefined && order === 0 && isOther(known, value)) {
        const { file: knownFile, timeNs: knownNs } = this.#sources.get(name) ?? this.#first
        const isTimed = !Number.isNaN(timeNs - knownNs) && timeNs !== knownNs
        if (!isTimed && knownFile !== file)
          this.#conflicts.set(name, [...(this.#conflicts.get(name) ?? [known]), value])
        if (timeNs < knownNs) continue
      }
      merged.set(name, value)
      this.#sources.set(name, source)
    }
  }

  conflicts(port: string): Conflict[] {
    return [...this.#conflicts].map(([field, values]) => ({ port, field, values }))
  }
}

function isOther(a: Value, b: Value): boolean {
  return 'value' in a && 'value' in b && JSON.stringify(a.value) !== JSON.stringify(b.value)
}
