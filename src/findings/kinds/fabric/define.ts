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
  readonly lines: readonly string[]
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
  // Rules give all their findings a language and evidence (src/ops/rules/saying.ts).
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

/** By device, and the same lines once. */
function together(all: readonly Typed[]): Typed[] {
  const byDevice = new Map<string, Map<string, readonly string[]>>()
  for (const { device, lines } of all)
    byDevice.set(device, (byDevice.get(device) ?? new Map<string, readonly string[]>()).set(lines.join('\n'), lines))
  return [...byDevice].map(([device, parts]) => ({ device, lines: [...parts.values()].flat() }))
}

/** Rules that this project has in common with others keep their names. */
const SOURCE = '[MS-Scale] section 5.1'

export function defineRuleFinding<V extends Values = Values>(definition: RuleFinding<V>): FabricKind<V> {
  const { rule, consequence, text, source = SOURCE, ...rest } = definition
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
      advice: (values, subject) => typedText(values, subject) || remedyText(rest.remedy, values, subject),
    }),
  }
}

/** "mlnx_qos -i eth1 --trust dscp; at leaf1: interface Ethernet1; mtu 9216" */
function typedText({ typed = [] }: FabricValues, subject: Subject): string {
  return typed
    .map(
      ({ device, lines }) =>
        `${device === subject.device ? '' : `at ${device}: `}${lines.map((line) => line.trim()).join('; ')}`,
    )
    .join('; ')
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
