/**
 * The tables of a configuration of SONiC while it is read: keys of ports and ranges, references by name, numbers.
 * Source: sonic-yang-models; SONiC Configuration ("Configuration tables").
 */
import { type Facts, type NumberFieldOf, PortFacts, type Recorder } from '../facts.ts'
import type { Line } from '../text.ts'
import { numbersIn } from '../words.ts'
import type { Entry, JsonTables } from './json-tables.ts'

/** Largest number of a queue or priority group in a key; beyond 7 no class has one. */
const INDEX_MAX = 15
/** "10 m" of cable are written so. */
const INTEGER = /^-?\d+$/

/** Entries of a table by port and by number of queue or group. */
export type Slots = ReadonlyMap<string, ReadonlyMap<number, Entry>>

export class Config {
  readonly facts: Facts
  readonly tables: JsonTables
  /** By table. */
  readonly #used = new Map<string, Set<string>>()
  readonly #byPort = new Map<string, Map<string, Entry>>()
  /** Those that are noted. */
  readonly #references = new Set<string>()
  readonly #templates = new Map<string, PortFacts>()

  constructor(facts: Facts, tables: JsonTables) {
    this.facts = facts
    this.tables = tables
  }

  entry(table: string, key: string): Entry | undefined {
    return this.tables.table(table).get(key)
  }

  line(entry: Entry, field?: string): Line {
    return this.tables.line(entry, field)
  }

  /** Entries by port; keys of old files may list several: "Ethernet0,Ethernet4". */
  byPort(table: string): ReadonlyMap<string, Entry> {
    let found = this.#byPort.get(table)
    if (found !== undefined) return found
    this.#byPort.set(table, (found = new Map()))
    for (const entry of this.tables.table(table).values())
      for (const port of entry.key.split(',')) found.set(port.trim(), entry)
    return found
  }

  /**
   * Entries by port and number: "Ethernet0|3-4". Where ranges overlap the narrower one holds, so that their order does not
   * matter; of two that are as wide, the later one.
   */
  byPortAndNumber(table: string): Slots {
    const rows: { ports: string; numbers: readonly number[]; entry: Entry }[] = []
    for (const entry of this.tables.table(table).values()) {
      const parts = entry.key.split('|')
      // Keys of a chassis begin with host and ASIC: those of other hosts are not of this device.
      if (parts.length === 4 && parts[0] !== this.facts.hostname) continue
      const numbers = numbersIn(parts.at(-1)!, INDEX_MAX)
      if (parts.length < 2 || numbers === undefined) this.facts.remainder.push(this.line(entry))
      else rows.push({ ports: parts.at(-2)!, numbers, entry })
    }
    rows.sort((a, b) => b.numbers.length - a.numbers.length)
    const slots = new Map<string, Map<number, Entry>>()
    for (const { ports, numbers, entry } of rows)
      for (const port of ports.split(',')) {
        let at = slots.get(port.trim())
        if (at === undefined) slots.set(port.trim(), (at = new Map()))
        for (const number of numbers) at.set(number, entry)
      }
    return slots
  }

  /** The entry that a field names; undefined: the field is empty, or nothing has that name, which is noted. */
  named(from: Entry, field: string, table: string, port: string, isForPfc: boolean): Entry | undefined {
    const name = nameIn(from.fields.get(field) ?? '')
    return name === '' ? undefined : this.byName(name, from, field, table, port, isForPfc)
  }

  byName(name: string, from: Entry, field: string, table: string, port: string, isForPfc: boolean): Entry | undefined {
    let names = this.#used.get(table)
    if (names === undefined) this.#used.set(table, (names = new Set()))
    names.add(name)
    const found = this.entry(table, name)
    // Another file may define it, where this one has no such table and is not the whole configuration.
    if (found === undefined && (this.facts.isComplete || this.tables.has(table)))
      this.#addReference(table, name, port, isForPfc, this.line(from, field))
    return found
  }

  #addReference(what: string, name: string, port: string, isForPfc: boolean, line: Line): void {
    const key = `${what} ${name} ${port}`
    if (this.#references.has(key)) return
    this.#references.add(key)
    this.facts.refer('undefined', what, name, line, port, isForPfc)
  }

  isUsed(table: string, name: string): boolean {
    return this.#used.get(table)?.has(name) ?? false
  }

  /**
   * Notes a whole number that an entry may have. One that is there and is no number is unknown, and a remainder.
   * @param valueOf the value that it stands for
   */
  number<T>(
    entry: Entry,
    field: string,
    into: Recorder<T>,
    name: NumberFieldOf<T>,
    valueOf: (number: number) => number = (number) => number,
  ): void {
    if (!entry.fields.has(field)) return
    const line = this.line(entry, field)
    const number = integerIn(entry, field)
    into.number(name, number === undefined ? undefined : valueOf(number), line)
    if (number === undefined) this.facts.remainder.push(line)
  }

  /** Values that all ports share which have the same `name`; they are made once. */
  template(name: string, make: (template: PortFacts) => void): PortFacts {
    let template = this.#templates.get(name)
    if (template === undefined) {
      template = new PortFacts(this.facts)
      make(template)
      this.#templates.set(name, template)
    }
    return template
  }
}

/** Older releases write references as "[BUFFER_PROFILE|name]". */
export function nameIn(text: string): string {
  return /^\[[^|\]]*\|(.*)\]$/s.exec(text)?.[1] ?? text
}

/** An integer of a field; undefined: there is none. */
export function integerIn(entry: Entry | undefined, field: string): number | undefined {
  const text = entry?.fields.get(field)
  return text !== undefined && INTEGER.test(text) ? Number(text) : undefined
}
