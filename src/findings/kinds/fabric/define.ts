/**
 * Rules of a fabric: findings on the files of real devices. Each has what follows from it, and its remedy as a line for each
 * dialect.
 */
import { shownName } from '../../../base/control-characters.ts'
import { isPlainName } from '../../shell.ts'
import {
  defineFinding,
  type Finding,
  type FindingKind,
  type Severity,
  type Spot,
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
}

type Commands = Readonly<Record<string, string>>

interface RuleFinding<V extends Values> {
  /** As people know it: "PFC01". */
  readonly rule: string
  readonly formerIds?: readonly string[]
  readonly severity: Severity
  readonly meaning: string
  /** The consequence, after a colon. */
  readonly consequence: string
  readonly remedy: string
  /** By language. IF is the port of the place, the only word that is as files have it; CLASS, ROW (a flag for each class), DSCP and METRES are `terms`. */
  readonly commands?: Commands | ((values: V) => Commands)
  /** Classes, DSCP and length that its commands name. */
  readonly terms?: (values: V) => Terms
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
  /** The remedy as a line of the device's language; '': none is known. */
  line(values: FabricValues, subject: Subject): string
}

/** A finding of a rule in its parts, for pages. */
export interface FabricWords {
  readonly rule: string
  readonly fact: string
  readonly consequence: string
  readonly cited: readonly Cited[]
  /** The line to type at one of its spots; '': none is known. */
  readonly lineAt: (spot: Spot) => string
}

function isFabricKind(kind: FindingKind): kind is FabricKind {
  return 'rule' in kind && 'fact' in kind
}

/** Undefined: the finding is of no rule of a fabric. */
export function fabricWords({ kind, values }: Finding): FabricWords | undefined {
  if (!isFabricKind(kind)) return undefined
  const { rule, consequence } = kind
  // Rules give all their findings a language and evidence (src/ops/rules/saying.ts).
  const own = values as Values & FabricValues
  return {
    rule,
    fact: kind.fact(own),
    consequence,
    cited: own.cited,
    lineAt: (spot) => kind.line({ ...own, ...spot.values }, spot.subject),
  }
}

/** A NIC gives a DSCP the class that its switch has for it. */
export const MAPPED: Commands = {
  mlnx_qos: 'mlnx_qos -i IF --dscp2prio set,DSCP,CLASS',
  host: 'dcb app replace dev IF dscp-prio DSCP:CLASS',
}

/** Rules that this project has in common with others keep their names. */
const SOURCE = '[MS-Scale] section 5.1'

export function defineRuleFinding<V extends Values = Values>(definition: RuleFinding<V>): FabricKind<V> {
  const { rule, consequence, commands = {}, terms, text, source = SOURCE, ...rest } = definition
  // Casts: all findings of the kind have its values.
  const commandFor = (values: FabricValues): string =>
    (typeof commands === 'function' ? commands(values as V & FabricValues) : commands)[values.dialect] ?? ''
  const lineFor = (values: FabricValues, { interface: port = 'IF' }: Subject): string => {
    const command = commandFor(values)
    if (command.includes('IF') && !isPlainName(port)) return ''
    const line = command.replaceAll('IF', port)
    return terms === undefined ? line : withTerms(line, terms(values as V & FabricValues))
  }
  return {
    rule,
    consequence,
    fact: text,
    line: lineFor,
    ...defineFinding<V & FabricValues>({
      ...rest,
      source,
      id: rule.toLowerCase(),
      text: (values, { file, line }) =>
        `${rule}: ${text(values)}${citedText(values.cited, `${file}:${line}`)}: ${consequence}`,
      advice: (values, subject) =>
        lineFor(values, subject) ||
        remedyText(rest.remedy, commandFor(values), subject) + (subject.path === undefined ? '' : ` (${subject.path})`),
    }),
  }
}

/** The remedy in words; no command has a name that a shell would obey. */
function remedyText(remedy: string, command: string, { interface: port = 'IF' }: Subject): string {
  if (isPlainName(port)) return remedy.replaceAll('IF', port)
  if (!remedy.includes('IF') && !command.includes('IF')) return remedy
  const name = shownName(JSON.stringify(port))
  return `${remedy} (the name ${name} is not one that a command line takes safely: no command has it)`
}

/** Values that a command needs; what is absent stays a word, to be filled in. */
interface Terms {
  readonly classes?: readonly number[] | undefined
  readonly dscp?: number | null
  readonly metres?: number | null
}

const CLASSES = [0, 1, 2, 3, 4, 5, 6, 7]

function withTerms(line: string, { classes = [], dscp, metres }: Terms): string {
  const [first] = classes
  const words: readonly (readonly [string, string | number | null | undefined])[] = [
    ['CLASS', first],
    ['ROW', first === undefined ? undefined : CLASSES.map((c) => (classes.includes(c) ? 1 : 0)).join(',')],
    ['DSCP', dscp],
    ['METRES', metres],
  ]
  return words.reduce((now, [word, value]) => (value == null ? now : now.replaceAll(word, String(value))), line)
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
