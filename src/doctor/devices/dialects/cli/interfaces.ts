/**
 * Interfaces: names, ranges, members of port-channels, and the settings of ports that NX-OS, EOS and OS10 write alike.
 */
import type { PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { type Entry, type Form, settingIn, type Settings, settingsOf } from './entries.ts'

/** Settings of a port that the dialects share. */
export const PORT_FORMS: readonly Form[] = [
  { kind: 'description', is: /^description (.+)$/ },
  { kind: 'address', is: /^ip(?:v6)? address ([\d.:a-f]+)(?:\/(\d+)| ([\d.]+))$/i },
  { kind: 'shutdown', is: /^(no )?shutdown$/ },
  { kind: 'mtu', is: /^mtu (\d+)$/ },
  { kind: 'speed', is: /^speed (?:forced )?(\d+)(g\S*)?$/ },
  { kind: 'switched', is: /^(no )?switchport$/ },
  { kind: 'vlan mode', is: /^switchport mode (\S+)/ },
  { kind: 'access', is: /^switchport access vlan / },
  { kind: 'tagged', is: /^encapsulation dot1q / },
  { kind: 'channel', is: /^channel-group (\d+)\b/ },
  { kind: 'take pause', is: /^(no )?flowcontrol receive (\S+)$/ },
  { kind: 'send pause', is: /^(no )?flowcontrol (?:send|transmit) (\S+)$/ },
]

export interface Port {
  readonly name: string
  /** That names it first. */
  readonly line: Line
  /** Its own settings, and then those of its port-channel: nearest and latest first. */
  readonly scopes: readonly Settings[]
  /** Whether it has parts of one VLAN each. */
  readonly hasVlans: boolean
}

/** Ports that one file may name by ranges: more than any switch has. */
const MOST_PORTS = 4096

const RANGE = /^([A-Za-z-]*) ?(\d[\d/:.]*)(?: ?- ?[A-Za-z]* ?(\d[\d/:]*))?$/

/** Long name of a kind of interface: "Eth" and "ethernet" are the dialect's word for Ethernet ports. */
function kindOf(word: string, ethernet: string): string {
  if (/^(?:e|et|eth|ethernet)$/i.test(word)) return ethernet
  return /^po(?:rt-?channel)?$/i.test(word) ? 'port-channel' : word.toLowerCase()
}

/** A name as configurations write it: "Et1/1" as "Ethernet1/1". @param ethernet word of the dialect for Ethernet ports */
export function longName(name: string, ethernet: string): string {
  const [, word = '', number = ''] = /^([A-Za-z-]+) ?(\d.*)$/.exec(name) ?? []
  return word === '' ? name : kindOf(word, ethernet) + number
}

/** Whether it is a port with a cable, and not a part of one. */
export function isPort(name: string, ethernet: string): boolean {
  return name.startsWith(ethernet) && /^[\d/:]+$/.test(name.slice(ethernet.length))
}

/**
 * Names of "Ethernet1/1-1/4,Ethernet1/9": each number counts from its first to its last value. Undefined: it cannot be read,
 * or has more names than `most`.
 */
export function interfacesIn(text: string, ethernet: string, most: number): string[] | undefined {
  const names: string[] = []
  let word = ''
  for (const each of text.replace(/^range /, '').split(',')) {
    const [, kind, first, last] = RANGE.exec(each.trim()) ?? []
    if (first === undefined) return undefined
    if (kind !== '') word = kindOf(kind!, ethernet)
    const tail = last === undefined ? [] : last.split(/[/:]/).map(Number)
    let found: string[] = [word]
    const numbers = first.split(/([/:.])/)
    if (tail.length > (numbers.length + 1) / 2) return undefined
    for (const [i, piece] of numbers.entries()) {
      if (i % 2 === 1) found = found.map((name) => name + piece)
      else {
        const at = tail.length - (numbers.length - i + 1) / 2
        const from = Number(piece)
        const to = tail[at] ?? from
        if (to < from || found.length * (to - from + 1) > most - names.length) return undefined
        found = found.flatMap((name) => Array.from({ length: to - from + 1 }, (_, n) => `${name}${from + n}`))
      }
    }
    names.push(...found)
  }
  return names
}

/** Ports of the blocks of interfaces. @param remainder gets names that cannot be read */
export function portsOf(interfaces: readonly Entry[], ethernet: string, remainder: Line[]): Port[] {
  const scopesOf = new Map<string, Settings[]>()
  const lineOf = new Map<string, Line>()
  const withVlans = new Set<string>()
  let left = MOST_PORTS
  for (const { args, line, entries } of interfaces) {
    const names = interfacesIn(args[0]!, ethernet, left)
    if (names === undefined) {
      if (/^(?:range )?e/i.test(args[0]!)) remainder.push(line)
      continue
    }
    left -= names.length
    const settings = settingsOf(entries)
    for (const name of names) {
      if (name.includes('.')) {
        if (settings.has('tagged')) withVlans.add(name.slice(0, name.indexOf('.')))
      } else {
        if (!lineOf.has(name)) lineOf.set(name, line)
        const scopes = scopesOf.get(name)
        if (scopes === undefined) scopesOf.set(name, [settings])
        else scopes.push(settings)
      }
    }
  }
  for (const scopes of scopesOf.values()) scopes.reverse()
  return [...scopesOf]
    .filter(([name]) => isPort(name, ethernet))
    .map(([name, own]) => {
      const channel = `port-channel${settingIn(own, 'channel')?.args[0] ?? ''}`
      return {
        name,
        line: lineOf.get(name)!,
        scopes: [...own, ...(scopesOf.get(channel) ?? [])],
        hasVlans: withVlans.has(name) || withVlans.has(channel),
      }
    })
}

/** "10.0.0.0/31", also of an address with a mask. */
function networkText([address = '', length = '', mask = '']: readonly string[]): string {
  if (mask === '') return `${address}/${length}`
  const bits = mask.split('.').map((part) => Number(part).toString(2).padStart(8, '0'))
  return `${address}/${bits.join('').replace(/0+$/, '').length}`
}

/** Settings of a port that the dialects share. */
export function putPort({ name, scopes, hasVlans }: Port, into: PortFacts): void {
  const { settings } = into
  const at = (key: string): Entry | undefined => settingIn(scopes, key)
  const [description, address] = [at('description'), at('address')]
  if (description !== undefined) into.mark(name, 'description', description.args[0]!, description.line)
  if (address !== undefined) into.mark(name, 'address', networkText(address.args), address.line)
  settings.take('isUp', at('shutdown'), ({ args }) => args[0] !== '')
  settings.take('mtuBytes', at('mtu'), ({ args }) => Number(args[0]))
  settings.take('rateBps', at('speed'), ({ args }) => Number(args[0]) * (args[1] === '' ? 1e6 : 1e9))
  putVlanMode(at, hasVlans, settings)
  for (const [key, field] of [
    ['take pause', 'takesGlobalPause'],
    ['send pause', 'sendsGlobalPause'],
  ] as const)
    settings.take(field, at(key), ({ args: [no, value] }) =>
      value === 'on' || value === 'off' ? value === 'on' && no === '' : undefined,
    )
}

function putVlanMode(at: (key: string) => Entry | undefined, hasVlans: boolean, settings: PortFacts['settings']): void {
  const routed = at('switched')
  const mode = at('vlan mode')
  if (routed?.args[0] === 'no ') settings.put('vlanMode', hasVlans ? 'both' : 'untagged', routed.line)
  else if (mode?.args[0] === 'trunk') settings.put('vlanMode', 'both', mode.line)
  else if (mode?.args[0] === 'access') settings.put('vlanMode', 'untagged', mode.line)
  else if (mode !== undefined) settings.forget('vlanMode')
  else if (at('access') !== undefined) settings.put('vlanMode', 'untagged', at('access')!.line)
}
