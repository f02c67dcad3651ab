/**
 * Device: all its files together. What a device says of itself counts for more than what was written down, and that for
 * more than a default; of two files that disagree at the same level the later one holds, and both are named.
 */
import {
  completeClasses,
  type Count,
  type Dialect,
  type Facts,
  type Mark,
  NAME_PREFIX,
  type Neighbour,
  ownLine,
  ownText,
  readFile,
  type ReadPart,
  type Reference,
  type UnknownPart,
} from '../dialects/index.ts'
import {
  counterNamed,
  type DeviceConfig,
  knownOf,
  type PortConfig,
  type Reading,
  UNKNOWN,
  type Value,
  type ValueOrigin,
} from '../../../core/device-model/index.ts'
import { expectConfig } from '../../../core/device-model/expect-config.ts'
import { hostSettings, PortAssembler, switchSettings } from './assemble.ts'
import { PortNames } from './names.ts'
import { type PartPorts, partPortsOf } from './port-names.ts'

export interface DeviceFile {
  /** For places. */
  readonly file: string
  readonly text: string
  /** Number in the file of each line of the text, from 1; absent: the text is the whole file. */
  readonly lineNumbers?: readonly number[] | undefined
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
  /** Whether half of its lines are not understood. */
  readonly isHalfRead: boolean
}

/** A reading with the line that has it. Its time is NaN where nobody knows when the file was collected. */
export interface FileReading extends Reading {
  readonly origin: ValueOrigin
  /** Name of the form of its file. */
  readonly form: string
}

/** Something in a file that nothing was made of. */
export interface Unread {
  readonly file: string
  /** Its first line, from 1, and the text of it. */
  readonly line: number
  readonly text: string
  /** form: it is of none that is known; port: it does not say of which port it is. */
  readonly why: 'form' | 'port'
  /** Outputs of that kind in the file. */
  readonly count: number
  /** Title of their form; '': none. */
  readonly form: string
  /** Name of the language that they are in, which is not read; '': not known. */
  readonly language: string
}

export interface Device {
  readonly config: DeviceConfig
  /** Whether all its settings are known, so that an absent one has its default. */
  readonly isComplete: boolean
  readonly forms: readonly FormRead[]
  /** Files and parts of them that are not read. */
  readonly unread: readonly Unread[]
  readonly conflicts: readonly Conflict[]
  readonly references: readonly (Reference & { readonly file: string })[]
  readonly neighbours: readonly (Neighbour & { readonly file: string })[]
  /** Addresses and descriptions of ports. */
  readonly marks: readonly (Mark & { readonly file: string })[]
  readonly readings: readonly FileReading[]
}

/** @param knownPorts ports that others name: those of the list of links */
export function deviceOf(name: string, files: readonly DeviceFile[], knownPorts: readonly string[] = []): Device {
  const read = files.map(({ file, text, command, timeNs, lineNumbers }) => ({
    file,
    timeNs,
    ...readFile(file, text, command, lineNumbers),
  }))
  const facts = read.flatMap(({ parts, timeNs }) => parts.map((part) => ({ ...part, timeNs })))
  const names = partPortsOf(facts, knownPorts)
  const merged = new Merged()
  const ports = new Map<string, Merged>()
  for (const part of facts) {
    const { facts: one, timeNs } = part
    merged.add(one.device, one.file, timeNs)
    for (const [port, { values }] of one.ports) {
      const own = names.nameOf(port, part)
      if (own === undefined) continue
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
      names: namesIn(values),
    })),
  }
  expectConfig(config)
  return {
    config,
    isComplete: facts.some((one) => one.facts.isComplete),
    forms: facts.map(({ dialect, facts: one, isHalfRead }) => ({
      file: one.file,
      dialect,
      truncated: one.truncated && { ...one.truncated, line: ownLine(one.truncated.line) },
      remainder: one.remainder.map(ownLine),
      isHalfRead,
    })),
    unread: [
      ...read.flatMap(({ file, unknown }) => unknown.map((part) => ofNoForm(file, part))),
      ...ofNoPort(names.nameless),
    ],
    conflicts: [...merged.conflicts(''), ...[...ports].flatMap(([port, own]) => own.conflicts(port))],
    references: facts.flatMap(({ facts: one }) =>
      one.references.map((each) => placed(one, { ...each, name: ownText(each.name) })),
    ),
    neighbours: facts.flatMap(({ facts: one }) =>
      one.neighbours.map((each) =>
        placed(one, { ...each, peerDevice: ownText(each.peerDevice), peerPort: ownText(each.peerPort) }),
      ),
    ),
    marks: facts.flatMap((part) =>
      part.facts.marks.map((each) =>
        placed(part.facts, { ...each, port: names.nameOf(each.port, part) ?? '', text: ownText(each.text) }),
      ),
    ),
    readings: facts.flatMap((part) => readingsOf(part, name, names)),
  }
}

function namesIn(values: ReadonlyMap<string, Value>): Readonly<Record<string, string>> {
  const names: Record<string, string> = {}
  for (const [name, value] of values)
    if (name.startsWith(NAME_PREFIX) && value.state !== 'unknown' && typeof value.value === 'string')
      names[name.slice(NAME_PREFIX.length)] = value.value
  return names
}

/** With its file, and in texts of its own. */
function placed<T extends { readonly port: string; readonly line: Reference['line'] }>(
  { file }: Facts,
  each: T,
): T & { readonly file: string } {
  return { ...each, port: ownText(each.port), line: ownLine(each.line), file }
}

function readingsOf(part: ReadPart & { readonly timeNs: number }, device: string, names: PartPorts): FileReading[] {
  const { facts, dialect, timeNs } = part
  return facts.counts.flatMap((count): FileReading[] => {
    const { priority, name, value, bits, line } = count
    const port = portOf(count, part, names)
    if (port === undefined) return []
    return [{ timeNs, device, port, priority, name, value, bits, origin: facts.originOf(line), form: dialect.name }]
  })
}

/** With sets of classes that come from a file for each class (sysfs). */
function withClasses(values: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  const joined = new Map(values)
  completeClasses(joined)
  return joined
}

/** A counter of a port that its file does not name is of the only one that there is. */
function portOf({ port, name }: Count, part: ReadPart, names: PartPorts): string | undefined {
  return port === '' && counterNamed(name)?.scope === 'device' ? '' : names.nameOf(port, part)
}

const ofNoForm = (file: string, { first: { number, text }, language }: UnknownPart): Unread => ({
  file,
  line: number,
  text,
  why: 'form',
  count: 1,
  form: '',
  language,
})

/** One entry for all outputs of a form in a file. */
function ofNoPort(parts: readonly ReadPart[]): Unread[] {
  const groups = new Map<string, ReadPart[]>()
  for (const part of parts) {
    const key = JSON.stringify([part.facts.file, part.dialect.name])
    groups.set(key, [...(groups.get(key) ?? []), part])
  }
  return [...groups.values()].map((group): Unread => {
    const { first, dialect, facts } = group[0]!
    const { number, text } = first
    return { file: facts.file, line: number, text, why: 'port', count: group.length, form: dialect.title, language: '' }
  })
}

/** Ports of a device, also by their RDMA devices. SONiC counts lanes: its Eth4 is no Ethernet4. */
export function portNamesOf({ config: { ports, language } }: Device): PortNames {
  const named = ports.filter(({ name }) => name !== '')
  const aliases = named.flatMap(({ name, settings: { nic } }): (readonly [string, string])[] => {
    const alias = knownOf(nic?.rdmaDevice)
    return alias === undefined ? [] : [[alias, name]]
  })
  return new PortNames(
    named.map(({ name }) => name),
    aliases,
    language !== 'sonic',
  )
}

/** Switches that run Linux have forms of hosts, too; hosts have none of switches. */
const kindOf = (facts: readonly Facts[]): 'host' | 'switch' => {
  const has = (sought: Facts['kind']): boolean => facts.some(({ kind }) => kind === sought)
  return has('host') && !has('switch') ? 'host' : 'switch'
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
    return [...this.#conflicts]
      .filter(([field]) => !field.startsWith(NAME_PREFIX))
      .map(([field, values]) => ({ port, field, values }))
  }
}

function isOther(a: Value, b: Value): boolean {
  return 'value' in a && 'value' in b && JSON.stringify(a.value) !== JSON.stringify(b.value)
}
