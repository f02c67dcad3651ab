/**
 * NVUE: "nv set" and "nv unset" on the document or the list of commands that describe a device.
 * Source: NVIDIA Cumulus Linux User Guide, "NVUE CLI", "Quality of Service".
 */
import { dump, load } from 'js-yaml'
import { fileOf, Refused, type Texts } from './texts.test-data.ts'

interface Tree {
  [key: string]: Tree | string | number
}

/** Statements that may be set; NAME is a profile, an interface or a number. */
const KNOWN = [
  'interface NAME link mtu VALUE',
  'interface NAME qos link-pause',
  'interface NAME qos mapping profile NAME',
  'interface NAME qos pfc-watchdog state (?:enable|disable)',
  'qos mapping NAME trust (?:l2|l3|both|port)',
  'qos mapping NAME dscp NAME switch-priority VALUE',
  'qos pfc NAME switch-priority VALUE',
  'qos pfc NAME (?:tx|rx) (?:enable|disable)',
  'qos pfc NAME cable-length VALUE',
  'qos congestion-control NAME traffic-class NAME ecn enable',
  'qos congestion-control NAME traffic-class NAME (?:min-threshold|max-threshold|probability) VALUE',
  'qos egress-queue-mapping NAME switch-priority NAME traffic-class VALUE',
  'router adaptive-routing enable (?:on|off)',
].map((form) => new RegExp(`^${form.replaceAll('NAME', String.raw`[\w.-]+`).replaceAll('VALUE', String.raw`[\d,]+`)}$`))

/** Keys of these hold a subtree for each member of a list or range. */
const isSplit = (path: readonly string[]): boolean =>
  path.join(' ') === 'interface' ||
  /^qos (?:mapping|egress-queue-mapping|congestion-control|egress-scheduler) \S+ (?:dscp|pcp|switch-priority|traffic-class)$/.test(
    path.join(' '),
  )
/** A leaf that holds a list of numbers, to which "set" adds. */
const isList = (path: readonly string[]): boolean => /^qos pfc \S+ switch-priority$/.test(path.join(' '))

/** "swp1-3,swp5" or "swp1,3" or "0-7,9" as single members. */
function membersOf(key: string): string[] {
  let stem = ''
  return key.split(',').flatMap((part) => {
    const [, prefix = '', first = '', last = first] = /^([A-Za-z]*)(\d+)(?:-[A-Za-z]*(\d+))?$/.exec(part) ?? []
    if (first === '') return [part]
    if (prefix !== '') stem = prefix
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => `${stem}${Number(first) + i}`)
  })
}

const isTree = (value: Tree | string | number | undefined): value is Tree => typeof value === 'object'

/** A tree with one key for each member. */
function split(tree: Tree, path: readonly string[] = []): Tree {
  const made: Tree = {}
  for (const [key, value] of Object.entries(tree)) {
    const keys = isSplit(path) ? membersOf(key) : [key]
    for (const one of keys) {
      const own = isTree(value) ? split(value, [...path, one]) : value
      const old = made[one]
      made[one] = isTree(old) && isTree(own) ? merged(old, own) : own
    }
  }
  return made
}

function merged(a: Tree, b: Tree): Tree {
  const made: Tree = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const old = made[key]
    made[key] = isTree(old) && isTree(value) ? merged(old, value) : value
  }
  return made
}

const listed = (value: Tree | string | number | undefined): string[] =>
  value === undefined || isTree(value) ? [] : membersOf(String(value))

function set(tree: Tree, words: readonly string[]): Tree {
  const [path, value = ''] = [words.slice(0, -1), words.at(-1)]
  const at = (node: Tree, rest: readonly string[], done: readonly string[]): Tree => {
    const [first = '', ...more] = rest
    const old = node[first]
    if (more.length > 0) return { ...node, [first]: at(isTree(old) ? old : {}, more, [...done, first]) }
    if (!isList(path)) return { ...node, [first]: value }
    return { ...node, [first]: [...new Set([...listed(old), ...membersOf(value)])].join(',') }
  }
  return at(tree, path, [])
}

function unset(tree: Tree, words: readonly string[], line: string): Tree {
  const [first = '', ...rest] = words
  const old = tree[first]
  if (old === undefined) throw new Refused(line, `${first} is not there`)
  if (rest.length === 0) return Object.fromEntries(Object.entries(tree).filter(([key]) => key !== first))
  if (isTree(old)) return { ...tree, [first]: unset(old, rest, line) }
  return {
    ...tree,
    [first]: listed(old)
      .filter((one) => one !== rest[0])
      .join(','),
  }
}

/** The commands of a tree. */
const commandsOf = (tree: Tree, path: readonly string[] = []): string[] =>
  Object.entries(tree).flatMap(([key, value]) =>
    isTree(value) && Object.keys(value).length > 0
      ? commandsOf(value, [...path, key])
      : [`nv set ${[...path, key, ...(isTree(value) ? [] : [value])].join(' ')}`],
  )

/** A tree of commands; the last word of each is a value. */
function ofCommands(text: string): Tree {
  let tree: Tree = {}
  for (const line of text.split('\n')) {
    const [, verb, ...words] = line.trim().split(/\s+/)
    if (verb !== 'set') continue
    tree = isList(words.slice(0, -1)) ? set(tree, words) : merged(tree, split(nested(words)))
  }
  return tree
}

function nested([first = '', ...rest]: readonly string[]): Tree {
  if (rest.length === 1) return { [first]: rest[0]! }
  return { [first]: nested(rest) }
}

/** A profile that applies must be there. */
function typed(tree: Tree, line: string): Tree {
  const [nv, verb, ...words] = line.split(' ')
  const path = words.join(' ')
  if (nv !== 'nv' || !['set', 'unset'].includes(verb!)) throw new Refused(line, 'unknown')
  const isKnown =
    KNOWN.some((form) => form.test(path)) || (verb === 'unset' && /^qos pfc [\w.-]+ switch-priority \d$/.test(path))
  if (!isKnown) throw new Refused(line, 'unknown')
  if (words[0] === 'interface' && (tree['interface'] as Tree | undefined)?.[words[1]!] === undefined)
    throw new Refused(line, 'no such port')
  const [, , , kind = '', word, name = ''] = words
  const profiles = (tree['qos'] as Tree | undefined)?.[kind] as Tree | undefined
  if (word === 'profile' && profiles?.[name] === undefined) throw new Refused(line, 'no such profile')
  return verb === 'set' ? set(tree, words) : unset(tree, words, line)
}

/** @throws Refused */
export function typeNvue(texts: Texts, lines: readonly string[]): void {
  const file = fileOf(texts, /^nvue/)!
  const text = texts.get(file)!
  if (!file.endsWith('.yaml')) {
    const tree = lines.reduce(typed, split(ofCommands(text)))
    texts.set(file, `${commandsOf(tree).join('\n')}\n`)
    return
  }
  const document = load(text) as { set?: Tree }[]
  const made = document.map((part) =>
    part.set === undefined ? part : { ...part, set: lines.reduce(typed, split(part.set)) },
  )
  texts.set(file, dump(made, { lineWidth: -1 }))
}
