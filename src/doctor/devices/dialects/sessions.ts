/**
 * Sessions: which host an output is of, where a file holds those of several, or names its own. Each host gets the lines that
 * are its own, with their numbers in the file.
 */
import { commandIn, isShowing } from './commands.ts'
import { headingIn, sessionOf } from './text.ts'

/** Hosts by one form: "leaf1" of "LEAF1.example.com" and of "leaf1-re0". */
export const hostKey = (name: string): string =>
  name
    .toLowerCase()
    .split('.', 1)[0]!
    .replace(/[-_]re[01]$/, '')

/** Lines of a file that have a host, by line number from 0, and without what names it. */
type Owned = Map<number, readonly [hosts: readonly string[], text: string]>

/** "gpu1: line" of pdsh and clush. */
const PREFIXED = /^([A-Za-z\d][\w.-]{0,252}):(?: ([^\n]*))?$/
/** "gpu1 | CHANGED | rc=0 >>" of ansible. */
const ANSIBLE = /^([\w.-]{1,253}) \| (?:SUCCESS|CHANGED|FAILED|UNREACHABLE)!? ?(?:\| rc=-?\d{1,4} ?(?:>>|\|.*)|=> .*)$/
/** Names between rules of dshbak and clush -b: "gpu[1-4] (4)". */
const NAMES = /^([\w.,[\]-]{1,400})(?: \(\d{1,6}\))?$/
const RULE = /^-{5,}$/
const HOSTS_MAX = 4096

/** The lines of one host in a file. */
export interface HostText {
  readonly text: string
  /** Number in the file of each line, from 1. */
  readonly lineNumbers: readonly number[]
}

/**
 * Texts by host, '' for lines of none; undefined: nothing tells of several.
 * @param isHost whether a name is known to be one of a device
 */
export function textsByHost(
  text: string,
  isHost: (name: string) => boolean,
): ReadonlyMap<string, HostText> | undefined {
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''))
  const owned = prefixed(lines, isHost) ?? headed(lines) ?? typed(text, isHost)
  if (owned === undefined) return undefined
  const texts = new Map<string, { readonly lines: string[]; readonly lineNumbers: number[] }>()
  for (const [at, line] of lines.entries()) {
    const [hosts, rest] = owned.get(at) ?? [[''], line]
    for (const host of hosts) {
      let own = texts.get(host)
      if (own === undefined && rest.trim() === '') continue
      if (own === undefined) texts.set(host, (own = { lines: [], lineNumbers: [] }))
      own.lines.push(rest)
      own.lineNumbers.push(at + 1)
    }
  }
  return new Map([...texts].map(([host, own]) => [host, { ...own, text: own.lines.join('\n') }]))
}

/** Every line begins with its host, which is known, or has several lines, unlike keys with values. */
function prefixed(lines: readonly string[], isHost: (name: string) => boolean): Owned | undefined {
  const owned: Owned = new Map()
  const counts = new Map<string, number>()
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '' || /^(?:pdsh|clush|pssh)[@:]/.test(line)) continue
    const [, host, rest = ''] = PREFIXED.exec(line) ?? []
    if (host === undefined) return undefined
    owned.set(at, [[host], rest])
    counts.set(host, (counts.get(host) ?? 0) + 1)
  }
  const areMany = owned.size >= 3 * counts.size && [...counts.values()].every((count) => count > 1)
  return counts.size > 0 && (areMany || [...counts.keys()].every(isHost)) ? owned : undefined
}

/** Lines stand below their hosts. */
function headed(lines: readonly string[]): Owned | undefined {
  const owned: Owned = new Map()
  let hosts: readonly string[] = ['']
  for (let at = 0; at < lines.length; at++) {
    const [, ansible] = ANSIBLE.exec(lines[at]!) ?? []
    const [, names] = RULE.test(lines[at]!) && RULE.test(lines[at + 2] ?? '') ? (NAMES.exec(lines[at + 1]!) ?? []) : []
    if (ansible !== undefined || names !== undefined) {
      hosts = ansible === undefined ? namesIn(names!) : [ansible]
      for (const last = at + (ansible === undefined ? 2 : 0); at <= last; at++) owned.set(at, [hosts, ''])
      at--
    } else if (hosts[0] !== '') owned.set(at, [hosts, lines[at]!])
  }
  return owned.size === 0 ? undefined : owned
}

/** "gpu1", "gpu2" and "leaf1" of "gpu[1-2],leaf1". */
function namesIn(list: string): string[] {
  const names: string[] = []
  for (const [, head = '', ranges, tail = ''] of list.matchAll(/([^,[\]]*)(?:\[([\d,-]+)\])?([^,[\]]*)(?:,|$)/g)) {
    if (ranges === undefined) {
      if (head !== '') names.push(head)
      continue
    }
    for (const range of ranges.split(',')) {
      const [first = '', last = first] = range.split('-')
      for (let i = Number(first); i <= Number(last) && names.length < HOSTS_MAX; i++)
        names.push(`${head}${String(i).padStart(first.length, '0')}${tail}`)
    }
  }
  return names
}

/** Lines stand below commands, whose prompt or `ssh` names the host, or below headings with a device. */
function typed(text: string, isHost: (name: string) => boolean): Owned | undefined {
  const owned: Owned = new Map()
  const seen = new Set<string>()
  let isFar = false
  let host = ''
  const { lines, typedAt } = sessionOf(text)
  for (const line of lines) {
    const command = typedAt(line)
    if (command !== undefined) {
      const { host: remote, text: asked } = commandIn(command.text)
      const at = remote === '' ? command.host : remote
      if (at !== '' || command.prompt !== '') host = at
      if (host !== '' && isShowing(asked)) {
        seen.add(hostKey(host))
        isFar ||= remote !== ''
      }
    } else {
      const named = headingIn(line)?.split(/\s+/).find(isHost)
      if (named !== undefined) {
        host = named
        seen.add(hostKey(host))
      }
    }
    if (host !== '') owned.set(line.number - 1, [[host], line.text])
  }
  return seen.size > 1 || isFar ? owned : undefined
}

/** Statements by which devices name themselves. */
const NAMED: readonly RegExp[] = [
  /^(?:hostname|switchname|sysname)[ \t]+"?([\w.-]{1,253})"?[ \t]*$/m,
  /^set (?:groups \S+ )?system host-name "?([\w.-]{1,253})"?[ \t]*$/m,
  /^[ \t]*host-name "?([\w.-]{1,253})"?;/m,
  /^nv set system hostname "?([\w.-]{1,253})"?[ \t]*$/m,
  /"DEVICE_METADATA"\s*:\s*\{[^{}]*"localhost"\s*:\s*\{[^{}]*"hostname"\s*:\s*"([\w.-]{1,253})"/,
  /^[ \t]+system:[ \t]*\n(?:[ \t]+\w.*\n){0,40}?[ \t]+hostname:[ \t]*"?([\w.-]{1,253})/m,
]
const NAME_FILE = /(?:^|\/)(?:etc\/hostname|hostname|uname_-n)$/

/** Host that a file says it is of: by its configuration, by the only prompt in it, or as /etc/hostname; '': none. */
export function hostnameIn(file: string, text: string): string {
  if (NAME_FILE.test(file)) return /^\s*([\w.-]{1,253})\s*$/.exec(text)?.[1] ?? ''
  for (const each of NAMED) {
    const [, name] = each.exec(text) ?? []
    if (name !== undefined) return name
  }
  const hosts = new Map<string, string>()
  const { lines, typedAt } = sessionOf(text)
  for (const command of lines.map(typedAt))
    if (command !== undefined && command.host !== '' && isShowing(commandIn(command.text).text))
      hosts.set(hostKey(command.host), command.host)
  return hosts.size === 1 ? [...hosts.values()][0]! : ''
}
