/**
 * Facts: what one file says of a device, value by value, each with its line. Several files of a device are joined later
 * (devices/), so that a reader of files knows its form and nothing else.
 */
import {
  type ClassConfig,
  type HostSettings,
  type JobSettings,
  type NicSettings,
  type Plain,
  type PoolConfig,
  type PortSettings,
  type SwitchSettings,
  UNKNOWN,
  type Value,
  type ValueOrigin,
} from '../../../core/device-model/index.ts'
import { type Line, ownText } from './text.ts'

type Watchdog = SwitchSettings['watchdog']
type PlainOf<V> = V extends Value<infer T> ? T : never
/** Names of the fields that hold one value. */
export type FieldOf<T> = { [K in keyof T]-?: T[K] extends Value<never> | Value ? K : never }[keyof T] & string

/** Those of them that may be a number. */
export type NumberFieldOf<T> = {
  [K in keyof T]-?: T[K] extends Value<never> | Value ? (number extends PlainOf<T[K]> ? K : never) : never
}[keyof T] &
  string

/** How a value is known: somebody wrote it, nobody did and the device has one, or the device says that it is in force. */
export type Known = 'set' | 'default' | 'operational'

type Problem = 'undefined' | 'unapplied'

/** A name that is used and not defined, or defined and used nowhere. */
export interface Reference {
  readonly problem: Problem
  /** Kind of thing, in the words of the device: "policy-map". */
  readonly what: string
  readonly name: string
  /** Port that uses it; '': the device. */
  readonly port: string
  /** Whether it decides about PFC or ECN. */
  readonly isForPfc: boolean
  readonly line: Line
}

/** lldp: received; table: written down by somebody. */
type PeerSource = 'lldp' | 'table'

/** Another device that a port says is at its other end. */
export interface Neighbour {
  readonly port: string
  readonly peerDevice: string
  /** '': unknown. */
  readonly peerPort: string
  readonly source: PeerSource
  readonly line: Line
}

/** Address or description of a port, by which it may be known what it leads to. */
export interface Mark {
  readonly port: string
  readonly kind: 'address' | 'description'
  /** "10.0.0.4/31", or as somebody wrote it. */
  readonly text: string
  readonly line: Line
}

/** One number that the device has counted. */
export interface Count {
  /** '': the device. */
  readonly port: string
  /** ALL_PRIORITIES: of all together. */
  readonly priority: number
  /** As in COUNTERS (model/counters.ts). */
  readonly name: string
  readonly value: number
  /** Width; it starts again at 0 beyond it. */
  readonly bits: number
  readonly line: Line
}

/** Writes values under one name. Of two for one field the later one holds, as on the device. */
export class Recorder<T> {
  readonly #facts: Facts
  readonly #values: Map<string, Value>
  readonly #prefix: string

  constructor(facts: Facts, values: Map<string, Value>, prefix: string) {
    this.#facts = facts
    this.#values = values
    this.#prefix = prefix
  }

  put<K extends FieldOf<T>>(field: K, value: PlainOf<T[K]>, line: Line, known: Known = 'set'): void {
    this.#values.set(this.#prefix + field, this.#facts.value(value as Plain, line, known))
  }

  /** A number that is there. @param value undefined: it cannot be read */
  number(field: NumberFieldOf<T>, value: number | undefined, line: Line, known: Known = 'set'): void {
    this.#values.set(this.#prefix + field, value === undefined ? UNKNOWN : this.#facts.value(value, line, known))
  }

  /** A value that is there and cannot be read: it must not be taken for one that is absent. */
  forget(field: FieldOf<T>): void {
    this.#values.set(this.#prefix + field, UNKNOWN)
  }

  /** A value that is there. @param value undefined: it cannot be read */
  note<K extends FieldOf<T>>(field: K, value: PlainOf<T[K]> | undefined, line: Line, known: Known = 'set'): void {
    if (value === undefined) this.forget(field)
    else this.put(field, value, line, known)
  }

  /** The value of a statement that may be absent. @param read undefined: it cannot be read */
  take<K extends FieldOf<T>, S extends { readonly line: Line }>(
    field: K,
    from: S | undefined,
    read: (from: S) => PlainOf<T[K]> | undefined,
    known: Known = 'set',
  ): void {
    if (from !== undefined) this.note(field, read(from), from.line, known)
  }

  /** A value that the device has by itself, if all that is written is in the file. */
  putDefault<K extends FieldOf<T>>(field: K, value: PlainOf<T[K]>, line: Line): void {
    if (this.#facts.isComplete) this.put(field, value, line, 'default')
  }

  /** Whether this file has a value for it. */
  has(field: FieldOf<T>): boolean {
    return this.#values.has(this.#prefix + field)
  }
}

/** Begins the names under which names of things are noted among values. */
export const NAME_PREFIX = 'names.'

/** A port of the device. */
export class PortFacts {
  readonly values = new Map<string, Value>()
  readonly settings: Recorder<PortSettings>
  readonly nic: Recorder<NicSettings>
  readonly #facts: Facts

  constructor(facts: Facts) {
    this.#facts = facts
    this.settings = new Recorder(facts, this.values, '')
    this.nic = new Recorder(facts, this.values, 'nic.')
  }

  class(index: number): Recorder<ClassConfig> {
    return new Recorder(this.#facts, this.values, `classes.${index}.`)
  }

  /** A value by the whole name of its field, "nic.cnpDscp". @param value undefined: it cannot be read */
  noteAny(field: string, value: Plain | undefined, line: Line, known: Known): void {
    this.values.set(field, value === undefined ? UNKNOWN : this.#facts.value(value, line, known))
  }

  /** Class of the packets that come with a DSCP. */
  dscp(dscp: number, trafficClass: number, line: Line, known: Known = 'set'): void {
    this.values.set(`dscpToClass.${dscp}`, this.#facts.value(trafficClass, line, known))
  }

  /** All that is noted of another port, in the same objects: what many ports have from one profile is kept once. */
  take(other: PortFacts): void {
    for (const [name, value] of other.values) this.values.set(name, value)
  }

  /** Notes the name of a thing that decides about the port. @param purpose what for: "input policy", "profile 3" */
  name(purpose: string, name: string, line: Line): void {
    this.values.set(NAME_PREFIX + purpose, this.#facts.value(name, line, 'set'))
  }

  /** Address or description, by which it may be known what the port leads to. */
  mark(port: string, kind: Mark['kind'], text: string, line: Line): void {
    this.#facts.marks.push({ port, kind, text, line })
  }

  /** A setting that the model has no name for. */
  other(name: string, value: number | string | boolean, line: Line): void {
    this.values.set(`other.${name}`, this.#facts.value(value, line, 'set'))
  }
}

/** A port of an RDMA device. The device stands for its first port, since nearly all have one: "mlx5_1", "mlx4_0/2". */
export const rdmaName = (device: string, port: string | number): string =>
  String(port) === '1' ? device : `${device}/${port}`

export class Facts {
  readonly file: string
  /** Null: the file does not tell. */
  kind: 'host' | 'switch' | null = null
  /** Host name that the file gives; '': none. */
  hostname = ''
  /** Whether all settings of the device are in it, so that an absent one has its default. */
  isComplete = false
  /** Where the file ends before its form does, and what was still to come; null: it is whole. */
  truncated: { readonly line: Line; readonly expected: string } | null = null
  readonly device = new Map<string, Value>()
  readonly switch: Recorder<SwitchSettings>
  readonly watchdog: Recorder<Watchdog>
  readonly host: Recorder<HostSettings>
  readonly job: Recorder<JobSettings>
  /**
   * By name. '': the one port that the file is about, whose name it does not have. "rdma:mlx5_1": of an RDMA device.
   * "pci:0000:09:00.0": at a PCI address.
   */
  readonly ports = new Map<string, PortFacts>()
  readonly references: Reference[] = []
  readonly neighbours: Neighbour[] = []
  readonly marks: Mark[] = []
  readonly counts: Count[] = []
  /** Lines that the reader does not know, though they may matter. */
  readonly remainder: Line[] = []
  /** Lines that look as if they mattered and are understood; null: all that are no remainder. */
  understood: number | null = null
  readonly #origins = new Map<number, ValueOrigin>()

  constructor(file: string) {
    this.file = file
    this.switch = new Recorder(this, this.device, '')
    this.watchdog = new Recorder(this, this.device, 'watchdog.')
    this.host = new Recorder(this, this.device, '')
    this.job = new Recorder(this, this.device, 'job.')
  }

  port(name: string): PortFacts {
    let port = this.ports.get(name)
    if (port === undefined) this.ports.set(name, (port = new PortFacts(this)))
    return port
  }

  /** Port of an RDMA device, which other files join with a name. */
  rdmaPort(device: string, port: string | number = 1): PortFacts {
    return this.port(`rdma:${rdmaName(device, port)}`)
  }

  pool(index: number): Recorder<PoolConfig> {
    return new Recorder(this, this.device, `pools.${index}.`)
  }

  /** A setting that the model has no name for. */
  other(name: string, value: number | string | boolean, line: Line): void {
    this.device.set(`other.${name}`, this.value(value, line, 'set'))
  }

  /** A counter of 64 bits. @param value undefined: it cannot be read */
  count(port: string, priority: number, name: string, value: number | undefined, line: Line): void {
    if (value === undefined) this.remainder.push(line)
    else this.counts.push({ port, priority, name, value, bits: 64, line })
  }

  /** A device at the other end of a port. */
  neighbour(port: string, peerDevice: string, peerPort: string, line: Line, source: PeerSource = 'lldp'): void {
    this.neighbours.push({ port, peerDevice, peerPort, source, line })
  }

  /** A name of one side only, which decides about PFC or ECN. */
  refer(problem: Problem, what: string, name: string, line: Line, port = '', isForPfc = true): void {
    this.references.push({ problem, what, name, port, isForPfc, line })
  }

  /** The file ends before its form does; of two ends the first holds. */
  cut(line: Line, expected: string): void {
    this.truncated ??= { line, expected }
  }

  value(value: Plain, line: Line, state: Known): Value {
    return { state, value: typeof value === 'string' ? ownText(value) : value, origin: this.originOf(line) }
  }

  /** Values of one line share it. */
  originOf({ number }: Line): ValueOrigin {
    let origin = this.#origins.get(number)
    if (origin === undefined) this.#origins.set(number, (origin = { file: this.file, line: number }))
    return origin
  }
}
