/**
 * Rules of a fabric: findings on the files of real devices. Each has what follows from it, and its remedy in general;
 * commands come with the finding.
 */
import { shownName } from '../../../base/control-characters.ts'
import {
  defineFinding,
  type Finding,
  type FindingKind,
  type Severity,
  type Subject,
  type Value,
  type Values,
} from '../../finding.ts'

/** A value at a port, with the line from which it is known. */
export type Cited = {
  readonly device: string
  /** '': the device. */
  readonly port: string
  readonly value: Value
  /** '': nobody wrote it. */
  readonly file: string
  readonly line: number
}

/** All findings on files have these. */
export type FabricValues = {
  /** Dialect of the device at which something is to be done; '': unknown. */
  readonly dialect: string
  readonly cited: readonly Cited[]
  /** Commands by device after which the finding is gone; absent: no lines are known that were shown to do that. */
  readonly typed?: readonly Typed[]
  /** A name that no command line takes safely: for want of another there is nothing to type. */
  readonly unsafe?: string
}

/** Commands in the language of a device, in their order. */
export type Typed = {
  readonly device: string
  /** Empty: none are known for it. */
  readonly lines: readonly string[]
  /** Where files do not tell which end is right: number of the choice, from 1, of which one is to be taken. */
  readonly choice?: number
}

interface RuleFinding<V extends Values> {
  /** As people know it: "PFC01". */
  readonly rule: string
  readonly formerIds?: readonly string[]
  readonly severity: Severity
  readonly meaning: string
  /** The consequence, after a colon. */
  readonly consequence: string
  readonly remedy: string
  /** Another way, which no command of its device takes: "or ...". */
  readonly otherwise?: string
  readonly formula?: string
  readonly source?: string
  /** As FindingKind.weight. */
  readonly weight?: (values: V) => number
  readonly text: (values: V) => string
}

/** @typeParam V the values that only this kind has */
export interface FabricKind<V extends Values = Values> extends FindingKind<V & FabricValues> {
  readonly rule: string
  readonly consequence: string
  /** The fact alone, without place, rule and consequence. */
  fact(values: V & FabricValues): string
}

/** A finding of a rule in its parts, for pages. */
export interface FabricWords {
  readonly rule: string
  readonly fact: string
  readonly consequence: string
  readonly cited: readonly Cited[]
  /** Commands for all its places, by device. */
  readonly typed: readonly Typed[]
}

function isFabricKind(kind: FindingKind): kind is FabricKind {
  return 'rule' in kind && 'fact' in kind
}

/** Undefined: the finding is of no rule of a fabric. */
export function fabricWords({ kind, values, also }: Finding): FabricWords | undefined {
  if (!isFabricKind(kind)) return undefined
  const { rule, consequence } = kind
  // Rules give all their findings a language and evidence (src/doctor/diagnosis/rules/saying.ts).
  const own = values as Values & FabricValues
  return {
    rule,
    fact: kind.fact(own),
    consequence,
    cited: own.cited,
    typed: together(
      [own, ...also.map((spot) => spot.values as Values & FabricValues)].flatMap(({ typed = [] }) => typed),
    ),
  }
}

/** By device and choice, and the same lines once. */
function together(all: readonly Typed[]): Typed[] {
  const groups = new Map<string, { readonly first: Typed; readonly parts: Map<string, readonly string[]> }>()
  for (const typed of all) {
    const key = JSON.stringify([typed.device, typed.choice])
    const { first, parts } = groups.get(key) ?? { first: typed, parts: new Map<string, readonly string[]>() }
    groups.set(key, { first, parts: parts.set(typed.lines.join('\n'), typed.lines) })
  }
  return [...groups.values()].map(({ first, parts }) => ({ ...first, lines: [...parts.values()].flat() }))
}

/** Rules that this project has in common with others keep their names. */
const SOURCE = '[MS-Scale] section 5.1'

export function defineRuleFinding<V extends Values = Values>(definition: RuleFinding<V>): FabricKind<V> {
  const { rule, consequence, text, otherwise = '', source = SOURCE, ...rest } = definition
  return {
    rule,
    consequence,
    fact: text,
    ...defineFinding<V & FabricValues>({
      ...rest,
      source,
      id: rule.toLowerCase(),
      text: (values, { file, line }) =>
        `${rule}: ${text(values)}${citedText(values.cited, `${file}:${line}`)}: ${consequence}`,
      advice: (values, subject) => {
        const typed = typedText(values, subject)
        return typed === '' ? remedyText(rest.remedy + otherwise, values, subject) : typed + otherwise
      },
    }),
  }
}

/** "mlnx_qos -i eth1 --trust dscp; at leaf1: interface Ethernet1; mtu 9216" */
function typedText({ typed = [] }: FabricValues, subject: Subject): string {
  const texts = typed.map(({ device, lines, choice = 0 }) => {
    const at = device === subject.device && choice === 0 ? '' : `at ${device}: `
    const line = lines.map((each) => each.trim()).join('; ') || 'the same as at the other end'
    return `${choice === 0 ? '' : choice === 1 ? 'either ' : 'or '}${at}${line}`
  })
  return texts.join('; ')
}

function remedyText(remedy: string, { unsafe }: FabricValues, { path }: Subject): string {
  const why =
    unsafe === undefined
      ? ''
      : ` (the name ${shownName(JSON.stringify(unsafe))} is not one that a command line takes safely: no command has it)`
  return remedy + why + (path === undefined ? '' : ` (${path})`)
}

/** Lines beside the one that stands before the sentence. */
function citedText(cited: readonly Cited[], first: string): string {
  const lines = cited.filter(({ file }) => file !== '').map(({ file, line }) => `${file}:${line}`)
  const others = [...new Set(lines)].filter((one) => one !== first)
  return others.length === 0 ? '' : ` (${others.join(', ')})`
}

/** "none", "3", "3, 4". */
export function classesText(classes: readonly number[]): string {
  return classes.length === 0 ? 'none' : classes.join(', ')
}
