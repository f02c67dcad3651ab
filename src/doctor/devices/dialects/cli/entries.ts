/**
 * Entries: blocks of a configuration read by a table of forms, so that a dialect says what it knows as data. Lines of no form
 * that look as if they decided about QoS are the remainder.
 */
import type { Block, Command } from '../blocks.ts'
import type { Line } from '../text.ts'

/** A command as it is written, and the commands that are written inside it. */
export interface Form extends Command {
  readonly kind: string
  readonly inside?: readonly Form[]
  /** The argument, from 0, that tells apart commands that stand side by side for different things. */
  readonly key?: number
}

/** A line of a known form. */
export interface Entry {
  readonly kind: string
  /** Groups of the expression of its form; '': absent. */
  readonly args: readonly string[]
  /** A later entry with the same key replaces it. */
  readonly key: string
  readonly line: Line
  readonly entries: readonly Entry[]
}

const MATTERS =
  /\b(?:pfc|priority-flow-control|pause|ecn|random-detect|wred|qos|queue|queuing|queue-limit|buffer|service-policy|service-profile|trust|flowcontrol|traffic-class|no-drop)\b/
const IS_TEXT = /^(?:description|remark|name|alias|snmp-server|logging|username|event) /

/** Entries of known forms, in the order of the text. */
export function entriesOf(blocks: readonly Block[], forms: readonly Form[], remainder: Line[]): Entry[] {
  const entries: Entry[] = []
  for (const { line, text, blocks: inner } of blocks) {
    const entry = entryOf(forms, text, line, inner, remainder)
    if (entry !== null) entries.push(entry)
    else if (MATTERS.test(text) && !IS_TEXT.test(text)) remainder.push(line)
  }
  return entries
}

function entryOf(
  forms: readonly Form[],
  text: string,
  line: Line,
  inner: readonly Block[],
  remainder: Line[],
): Entry | null {
  for (const { kind, is, inside, key } of forms) {
    const found = is.exec(text)
    if (found === null) continue
    const args = found.slice(1).map((group: string | undefined) => group ?? '')
    const entries = inside === undefined ? [] : entriesOf(inner, inside, remainder)
    return { kind, args, key: key === undefined ? kind : `${kind} ${args[key]}`, line, entries }
  }
  return null
}

/** Entries whose lines look as if they decided about QoS. */
export function countMattering(entries: readonly Entry[]): number {
  return entries.reduce(
    (sum, { line, entries: inner }) => sum + (MATTERS.test(line.text) ? 1 : 0) + countMattering(inner),
    0,
  )
}

/** The last of a kind. */
export function lastOf(entries: readonly Entry[], kind: string): Entry | undefined {
  return entries.findLast((entry) => entry.kind === kind)
}

export function allOf(entries: readonly Entry[], kind: string): Entry[] {
  return entries.filter((entry) => entry.kind === kind)
}

/** Entries by the name that is their first argument; of two with one name the inner lines together. */
export function namedOf(entries: readonly Entry[], kind: string): Map<string, Entry> {
  const named = new Map<string, Entry & { readonly entries: Entry[] }>()
  for (const entry of allOf(entries, kind)) {
    const earlier = named.get(entry.args[0]!)
    if (earlier === undefined) named.set(entry.args[0]!, { ...entry, entries: [...entry.entries] })
    else for (const inner of entry.entries) earlier.entries.push(inner)
  }
  return named
}

/** A number, and the line that gives it. */
export interface Mapped {
  readonly to: number
  readonly line: Line
}
export type Mapping = ReadonlyMap<number, Mapped>

/**
 * Numbers of lists, each to the number of its line. A list that cannot be read is a remainder.
 * @param list the argument that is the list, from 0; the other one is the number
 */
export function mappingOf(
  entries: readonly Entry[],
  list: 0 | 1,
  listIn: (text: string) => number[] | undefined,
  remainder: Line[],
): Mapping {
  const map = new Map<number, Mapped>()
  for (const { args, line } of entries) {
    const numbers = listIn(args[list]!)
    if (numbers === undefined) remainder.push(line)
    for (const each of numbers ?? []) map.set(each, { to: Number(args[1 - list]), line })
  }
  return map
}

/** Mappings of one kind, by name. */
export function mappingsOf(
  entries: readonly Entry[],
  kind: string,
  ...how: [list: 0 | 1, listIn: (text: string) => number[] | undefined, remainder: Line[]]
): Map<string, Mapping> {
  return new Map([...namedOf(entries, kind)].map(([name, { entries: inner }]) => [name, mappingOf(inner, ...how)]))
}

/** The last of each key; entries inside others have both keys: "queue 3 ecn". */
export type Settings = ReadonlyMap<string, Entry>

export function settingsOf(entries: readonly Entry[]): Settings {
  const settings = new Map<string, Entry>()
  const note = (inner: readonly Entry[], prefix: string): void => {
    for (const entry of inner) {
      settings.set(prefix + entry.key, entry)
      note(entry.entries, `${prefix}${entry.key} `)
    }
  }
  note(entries, '')
  return settings
}

/** The nearest setting of a key. @param scopes nearest first */
export function settingIn(scopes: readonly Settings[], key: string): Entry | undefined {
  for (const scope of scopes) {
    const entry = scope.get(key)
    if (entry !== undefined) return entry
  }
  return undefined
}
