/**
 * Junos: "set" and "delete" on a configuration in braces or in set lines, which is written back in set lines.
 * Source: Juniper, CLI User Guide, "Configuration mode"; CLI reference of [edit class-of-service] and [edit interfaces].
 */
import { fileOf, Refused, type Texts } from './texts.test-data.ts'

type Statement = readonly string[]

/** Statements that hold one value, by the words before it; * is a name. All others hold several, or none. */
const SINGLE = [
  'interfaces * mtu',
  'class-of-service interfaces * congestion-notification-profile',
  'class-of-service interfaces * scheduler-map',
  'class-of-service interfaces * unit * classifiers dscp',
  'class-of-service interfaces * unit * classifiers ieee-802.1',
  'class-of-service forwarding-classes class * queue-num',
  'class-of-service forwarding-classes class * pfc-priority',
  'class-of-service congestion-notification-profile * input cable-length',
  'class-of-service congestion-notification-profile * output ieee-802.1 code-point * flow-control-queue',
  'class-of-service schedulers * drop-profile-map loss-priority * protocol * drop-profile',
  'class-of-service shared-buffer ingress buffer-partition lossless-headroom percent',
].map((path) => path.split(' '))
const LISTS = [
  'class-of-service classifiers dscp * forwarding-class * loss-priority * code-points',
  'class-of-service drop-profiles * interpolate fill-level',
  'class-of-service drop-profiles * interpolate drop-probability',
].map((path) => path.split(' '))
const FLAGS = [
  'interfaces * ether-options no-flow-control',
  'forwarding-options enhanced-hash-key ecmp-dlb assigned-flow',
  'class-of-service forwarding-classes class * no-loss',
  'class-of-service schedulers * explicit-congestion-notification',
  'class-of-service congestion-notification-profile * pfc-watchdog',
  'class-of-service congestion-notification-profile * input dscp code-point * pfc',
].map((path) => path.split(' '))
/** One of them at most. */
const CHOICES = [
  ['flow-control', 'no-flow-control'],
  ['configured-flow-control', 'no-flow-control'],
]
/** Where a value is the name of a thing that must be defined, or the commit fails. */
const DEFINED: readonly (readonly [words: readonly string[], defined: readonly string[]])[] = [
  [['class-of-service', 'interfaces', '*', 'congestion-notification-profile'], ['congestion-notification-profile']],
  [
    ['class-of-service', 'interfaces', '*', 'unit', '*', 'classifiers', 'dscp'],
    ['classifiers', 'dscp'],
  ],
  [
    ['class-of-service', 'schedulers', '*', 'drop-profile-map', 'loss-priority', '*', 'protocol', '*', 'drop-profile'],
    ['drop-profiles'],
  ],
]
/** Statements of a line that stand for themselves after its first two words: "class NAME queue-num 3 no-loss pfc-priority 3". */
const ATTRIBUTES: Readonly<Record<string, number>> = { 'queue-num': 2, 'no-loss': 1, 'pfc-priority': 2 }

const begins = (statement: Statement, start: Statement): boolean =>
  start.every((word, i) => word === '*' || word === statement[i])
const tokensOf = (text: string): string[] => text.match(/"[^"]*"|[[\]{};]|[^\s[\]{};]+/g) ?? []

/** Words of one statement, with a list in brackets, as statements of one value each. */
function single(words: readonly string[]): Statement[] {
  const open = words.indexOf('[')
  if (open >= 0) return words.slice(open + 1, words.indexOf(']')).map((value) => [...words.slice(0, open), value])
  const at = words.indexOf('class')
  const rest = at < 0 ? [] : words.slice(at + 2)
  if (words[at - 1] !== 'forwarding-classes' || rest.length === 0) return [words]
  const made: Statement[] = []
  for (let i = 0; i < rest.length;) {
    const length = ATTRIBUTES[rest[i]!] ?? rest.length
    made.push([...words.slice(0, at + 2), ...rest.slice(i, i + length)])
    i += length
  }
  return made
}

function ofBraces(text: string): Statement[] {
  const statements: Statement[] = []
  const open: string[][] = []
  let words: string[] = []
  for (const token of tokensOf(text.replaceAll(/^#.*$|\/\*[^]*?\*\//gm, ''))) {
    if (token === '{') {
      open.push(words)
      words = []
    } else if (token === '}') {
      const [closed, size] = [open.flat(), open.pop()!.length]
      const isEmpty = !statements.some((one) => one.length > closed.length && begins(one, closed))
      if (isEmpty && size > 0) statements.push(closed)
    } else if (token === ';') {
      statements.push(...single([...open.flat(), ...words]))
      words = []
    } else words.push(token)
  }
  return statements
}

const ofSetLines = (text: string): Statement[] =>
  text
    .split('\n')
    .filter((line) => line.startsWith('set '))
    .flatMap((line) => single(tokensOf(line).slice(1)))

function set(statements: Statement[], words: Statement, line: string): Statement[] {
  const is = (forms: readonly Statement[], more: number): boolean =>
    forms.some((form) => form.length + more === words.length && begins(words, form))
  const [isSingle, isKnown] = [is(SINGLE, 1), is(SINGLE, 1) || is(LISTS, 1) || is(FLAGS, 0)]
  if (!isKnown) throw new Refused(line, 'unknown')
  const [path, value = ''] = [words.slice(0, -1), words.at(-1)]
  for (const [form, defined] of DEFINED)
    if (form.length === path.length && begins(path, form)) {
      const needed = ['class-of-service', ...defined, value]
      if (!statements.some((one) => begins(one, needed))) throw new Refused(line, `${value} is not defined`)
    }
  if (words[0] === 'interfaces' && !statements.some((one) => begins(one, words.slice(0, 2))))
    throw new Refused(line, 'no such port')
  const others = CHOICES.filter(([, own]) => own === value).map(([other]) => [...path, other!])
  const left = statements.filter((one) => !others.some((other) => begins(one, other)))
  const isThere = left.some((one) => begins(one, words))
  if (!isSingle) return isThere ? left : [...left, words]
  const at = left.findIndex((one) => one.length === words.length && begins(one, path))
  return at < 0 ? [...left, words] : left.with(at, words)
}

/** A classifier gives a code point to one class, or the commit fails. */
function checkClassifiers(statements: readonly Statement[], line: string): void {
  const seen = new Map<string, string>()
  for (const one of statements) {
    if (!begins(one, LISTS[0]!)) continue
    const [key, to] = [`${one[3]} ${one.at(-1)}`, one[5]!]
    if ((seen.get(key) ?? to) !== to) throw new Refused(line, `code point in ${seen.get(key)} and ${to}`)
    seen.set(key, to)
  }
}

/** All lines of one commit. @throws Refused */
export function typeJunos(texts: Texts, lines: readonly string[]): void {
  const file = fileOf(texts, /^running\.(?:set|conf)$/)!
  const text = texts.get(file)!
  let statements = /^set /m.test(text) ? ofSetLines(text) : ofBraces(text)
  for (const line of lines) {
    const [verb, ...words] = tokensOf(line)
    if (verb === 'set') for (const one of single(words)) statements = set(statements, one, line)
    else if (verb === 'delete') statements = statements.filter((one) => !begins(one, words))
    else throw new Refused(line, 'unknown')
  }
  checkClassifiers(statements, lines.join('; '))
  texts.set(file, statements.map((words) => `set ${words.join(' ')}\n`).join(''))
}
