/**
 * Lines: blocks of lines as NX-OS, EOS and OS10 write them, lists of numbers and of ports, names by content, and the lines of
 * a port that the three have in common.
 */
import { knownOf, type Plain, type PortSettings, type Value } from '../../../../core/device-model/index.ts'
import type { WriteOptions } from '../writer.ts'

/** A line, or a line and the lines inside it. */
export type Block = string | { readonly head: string; readonly inside: readonly Block[] }

export const block = (head: string, inside: readonly Block[]): Block => ({ head, inside })

/** @param indent spaces of one level @param hasMarks whether "!" stands before each block that is inside another one */
export function linesOf(blocks: readonly Block[], indent: number, hasMarks: boolean, depth = 0): string[] {
  const margin = ' '.repeat(indent * depth)
  return blocks.flatMap((each) => {
    if (typeof each === 'string') return [margin + each]
    const mark = hasMarks && depth > 0 ? [`${margin}!`] : []
    return [...mark, margin + each.head, ...linesOf(each.inside, indent, hasMarks, depth + 1)]
  })
}

/** Whether the value is known and more than a default of the device. */
export const isWritten = (value: Value): boolean => value.state === 'set' || value.state === 'operational'

/** The first value that is known. */
export function firstKnown<T extends Plain>(values: readonly Value<T>[]): T | undefined {
  for (const value of values) if (value.state !== 'unknown') return value.value
  return undefined
}

/** Numbers of an ascending list: "24-31,48". */
export function rangesText(numbers: readonly number[]): string {
  const runs: [number, number][] = []
  for (const number of numbers) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] === number - 1) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(',')
}

/** Names of things by their content: one name for equal ones, the second other one of a purpose is "PURPOSE 2". */
export class Names {
  readonly #nameOf: WriteOptions['nameOf']
  readonly #contents = new Map<string, Map<string, string>>()

  constructor(nameOf: WriteOptions['nameOf']) {
    this.#nameOf = nameOf
  }

  /** @param define called where the content is new */
  of(purpose: string, content: unknown, define: (name: string) => void): string {
    let known = this.#contents.get(purpose)
    if (known === undefined) this.#contents.set(purpose, (known = new Map()))
    const key = JSON.stringify(content)
    let name = known.get(key)
    if (name === undefined) {
      name = this.#nameOf(known.size === 0 ? purpose : `${purpose} ${known.size + 1}`)
      known.set(key, name)
      define(name)
    }
    return name
  }
}

/** Names that differ in their last number alone, one after the other, as "Ethernet1/1-1/16". */
function portsText(names: readonly string[]): string {
  const runs: { readonly start: string; readonly first: number; last: number; readonly name: string }[] = []
  for (const name of names) {
    const [, start = '', number = ''] = /^(.*\D)(\d+)$/.exec(name) ?? [null, name, '']
    const run = runs.at(-1)
    if (run !== undefined && number !== '' && run.start === start && run.last + 1 === Number(number)) run.last++
    else runs.push({ start, first: Number(number), last: Number(number), name })
  }
  return runs
    .map(({ start, first, last, name }) => (first === last ? name : `${name}-${start.replace(/^\D+/, '')}${last}`))
    .join(',')
}

export interface PortLines {
  readonly name: string
  readonly lines: readonly Block[]
}

/** Blocks of interfaces. @param rangeWord words before several ports in one block; undefined: each port has its own block */
export function interfaceBlocks(ports: readonly PortLines[], rangeWord: string | undefined): Block[] {
  if (rangeWord === undefined) return ports.map(({ name, lines }) => block(`interface ${name}`, lines))
  return alike(ports, ({ lines }) => lines).map((group) => {
    const text = portsText(group.map(({ name }) => name))
    return block(`interface ${group.length > 1 ? rangeWord : ''}${text}`, group[0]!.lines)
  })
}

/** Words of a language for settings of a port. */
export interface PortWords {
  /** "send" or "transmit". */
  readonly sendPause: string
  readonly speed: (megabits: number) => string
}

/** MTU, VLANs and pauses of the whole link. A port that takes frames without a tag is a routed one. */
export function portLines(settings: PortSettings, words: PortWords): string[] {
  const [vlans, mtu, rate] = [knownOf(settings.vlanMode), knownOf(settings.mtuBytes), knownOf(settings.rateBps)]
  const lines: string[] = []
  if (vlans !== undefined) lines.push(vlans === 'untagged' ? 'no switchport' : 'switchport mode trunk')
  if (typeof mtu === 'number') lines.push(`mtu ${mtu}`)
  if (rate !== undefined) lines.push(`speed ${words.speed(Math.round(rate / 1e6))}`)
  for (const [value, word] of [
    [settings.takesGlobalPause, 'receive'],
    [settings.sendsGlobalPause, words.sendPause],
  ] as const) {
    const isOn = knownOf(value)
    if (isOn !== undefined) lines.push(`flowcontrol ${word} ${isOn ? 'on' : 'off'}`)
  }
  return lines
}

export function shutdownLines({ isUp }: PortSettings): string[] {
  const value = knownOf(isUp)
  return value === undefined ? [] : [value ? 'no shutdown' : 'shutdown']
}

export interface Pfc {
  /** Classes that are written as lossless; undefined: not known. */
  readonly lossless: readonly number[] | undefined
  readonly mode: 'on' | 'off' | 'auto' | undefined
}

/** PFC of a port. The classes in force count for more than the mode, which all these languages have for the whole port. */
export function pfcOf({ pfcMode, pfcWritten, pfcClasses }: PortSettings): Pfc {
  const [mode, classes] = [knownOf(pfcMode), knownOf(pfcClasses)]
  const lossless = knownOf(pfcWritten) ?? classes
  if (mode === 'auto' || classes === undefined || (classes.length === 0 && lossless?.length === 0))
    return { lossless, mode: mode === 'on' || mode === 'off' || mode === 'auto' ? mode : undefined }
  return { lossless, mode: classes.length > 0 ? 'on' : 'off' }
}

/** Group of each lossless class: the known one, else its own number, else one that is left. */
export function losslessGroups(
  lossless: readonly number[],
  known: (index: number) => number | undefined,
): { readonly group: number; readonly priorities: readonly [number] }[] {
  const groups = new Map<number, number>()
  const taken = new Set<number>()
  const take = (index: number, group: number | undefined): void => {
    if (groups.has(index) || group === undefined || taken.has(group)) return
    groups.set(index, group)
    taken.add(group)
  }
  for (const index of lossless) take(index, known(index))
  for (const index of lossless) take(index, index)
  for (const index of lossless) for (let group = 0; group < 8; group++) take(index, group)
  return lossless.map((index) => ({ group: groups.get(index)!, priorities: [index] }))
}

/** Percent of a ratio from 0 to 1. */
export const percentOf = (ratio: number): number => Math.round(ratio * 100)

/** "150 kbytes", or "1500 bytes" where it is no multiple of 1000. */
export const bytesText = (bytes: number): string => (bytes % 1000 === 0 ? `${bytes / 1000} kbytes` : `${bytes} bytes`)

/**
 * Thresholds of drops where nobody knows those that a port has: the commands of early drops do not go without.
 */
export const SOME_DROPS = { kminBytes: 150_000, kmaxBytes: 1_500_000 }

/** Items with the same content together; the groups and their items in the order of the items. */
export function alike<T>(items: readonly T[], content: (item: T) => unknown): T[][] {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const key = JSON.stringify(content(item))
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return [...groups.values()]
}
