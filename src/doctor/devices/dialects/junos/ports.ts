/**
 * Ports of a Junos configuration: what stands under interfaces and chassis. Interface ranges and aggregated interfaces
 * give their settings to their members.
 * Source: Junos Interfaces User Guide.
 */
import type { Facts, PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { type Branch, countOf } from '../tree.ts'
import { fecIn } from '../words.ts'
import { isPort, isWildcard, matches, namesBetween, speedOf } from './names.ts'

/** More ports than any device has. */
const PORTS_MAX = 2048
/** Ethernet header without FCS, which Junos counts as part of the MTU. */
export const HEADER_BYTES = 14
const DEFAULT_MTU_BYTES = 1500

export interface JunosPort {
  readonly name: string
  readonly line: Line
  /** Its own settings, then those that it inherits. */
  readonly settings: readonly Branch[]
  /** Aggregated interface that it is a member of; '': none. */
  readonly aggregate: string
}

/** First value behind words in several branches. */
export function firstOf(branches: readonly Branch[], ...words: readonly string[]): Branch | undefined {
  for (const branch of branches) {
    const value = branch.value(...words)
    if (value !== undefined) return value
  }
  return undefined
}

const anyOf = (branches: readonly Branch[], ...words: readonly string[]): Branch | undefined =>
  branches.flatMap((branch) => branch.at(...words) ?? [])[0]

/** Members of interface ranges, to the settings of the ranges. */
function rangesOf(interfaces: Branch, known: readonly string[]): Map<string, Branch[]> {
  const ranges = new Map<string, Branch[]>()
  let left = PORTS_MAX * 4
  const give = (name: string, range: Branch): void => {
    if (left-- > 0) ranges.set(name, [...(ranges.get(name) ?? []), range])
  }
  for (const range of interfaces.all('interface-range')) {
    if (left <= 0) break
    for (const { word } of range.all('member'))
      if (!isWildcard(word)) give(word, range)
      else for (const name of known) if (matches(word, name)) give(name, range)
    for (const first of range.all('member-range')) {
      const last = first.value('to')
      if (last !== undefined) for (const name of namesBetween(first.word, last.word, PORTS_MAX)) give(name, range)
    }
  }
  return ranges
}

const AGGREGATES: readonly (readonly string[])[] = [
  ['ether-options', '802.3ad'],
  ['gigether-options', '802.3ad'],
]

/** Ports that the configuration names. @param more those that stand elsewhere, with their lines */
export function portsOf(root: Branch, more: ReadonlyMap<string, Line>): JunosPort[] {
  const interfaces = root.at('interfaces')
  const written = interfaces?.all().filter(({ word }) => isPort(word)) ?? []
  const lines = new Map([...more, ...written.map((one) => [one.word, one.line] as const)])
  const ranges = interfaces === undefined ? new Map<string, Branch[]>() : rangesOf(interfaces, [...lines.keys()])
  for (const [name, [range]] of ranges) if (isPort(name) && !lines.has(name)) lines.set(name, range!.line)
  const channelised = new Set([...lines.keys()].filter((name) => name.includes(':')).map(parentOf))
  const names = [...lines.keys()].filter((name) => !channelised.has(name))
  return names.slice(0, PORTS_MAX).map((name) => {
    const branch = interfaces?.at(name)
    const own = [...(branch === undefined ? [] : [branch]), ...(ranges.get(name) ?? [])]
    const aggregate = AGGREGATES.map((words) => firstOf(own, ...words)).find((one) => one !== undefined)?.word ?? ''
    const bundle = aggregate === '' ? undefined : interfaces?.at(aggregate)
    return { name, line: lines.get(name)!, settings: [...own, ...(bundle === undefined ? [] : [bundle])], aggregate }
  })
}

const parentOf = (name: string): string => name.slice(0, name.indexOf(':'))

/** Speed of a port: its own, or that of the port that it is a channel of. */
function speedBranch(root: Branch, { name, settings }: JunosPort): Branch | undefined {
  const parent = name.includes(':') ? root.at('interfaces', parentOf(name)) : undefined
  const branches = parent === undefined ? settings : [...settings, parent]
  const own =
    firstOf(branches, 'speed') ??
    firstOf(branches, 'ether-options', 'speed') ??
    firstOf(branches, 'gigether-options', 'speed')
  if (own !== undefined) return own
  const [, slot, card, number] = /^\w+-(\d+)\/(\d+)\/(\d+)/.exec(name) ?? []
  const port = root.at('chassis', 'fpc', slot!, 'pic', card!, 'port', number!)
  return port?.value('channel-speed') ?? port?.value('speed')
}

/** Notes what is known of a port apart from its classes. */
export function notePort(root: Branch, port: JunosPort, facts: Facts): PortFacts {
  const noted = facts.port(port.name)
  const { settings } = noted
  const speed = speedBranch(root, port)
  if (speed?.word !== 'auto') settings.take('rateBps', speed, ({ word }) => speedOf(word))
  noteMtu(port, noted)
  const description = firstOf(port.settings, 'description')
  if (description !== undefined) noted.mark(port.name, 'description', description.word, description.line)
  for (const unit of port.settings.flatMap((branch) => branch.all('unit')))
    for (const family of ['inet', 'inet6'])
      for (const address of unit.at('family', family)?.all('address') ?? [])
        noted.mark(port.name, 'address', address.word, address.line)
  const disable = anyOf(port.settings, 'disable')
  if (disable !== undefined) settings.put('isUp', false, disable.line)
  else if (port.settings.length > 0) settings.putDefault('isUp', true, port.line)
  for (const options of ['ether-options', 'gigether-options']) {
    settings.take('fec', firstOf(port.settings, options, 'fec'), ({ word }) => fecIn(word))
    noteOptions(port, noted, options)
  }
  noteVlans(port, noted)
  return noted
}

function noteOptions(port: JunosPort, { settings }: PortFacts, options: string): void {
  const on = (...words: string[]): Branch | undefined => anyOf(port.settings, options, ...words)
  for (const [word, field] of [
    ['auto-negotiation', 'autoNegotiates'],
    ['flow-control', 'takesGlobalPause'],
    ['flow-control', 'sendsGlobalPause'],
  ] as const) {
    settings.take(field, on(word), () => true)
    settings.take(field, on(`no-${word}`), () => false)
  }
  for (const [word, field] of [
    ['rx-buffers', 'takesGlobalPause'],
    ['tx-buffers', 'sendsGlobalPause'],
  ] as const)
    settings.take(
      field,
      firstOf(port.settings, options, 'configured-flow-control', word),
      ({ word: value }) => value === 'on',
    )
}

function noteMtu({ settings: branches, line }: JunosPort, { settings }: PortFacts): void {
  const physical = firstOf(branches, 'mtu')
  const families = (branches[0]?.all('unit') ?? []).flatMap((unit) =>
    ['inet', 'inet6'].flatMap((family) => unit.value('family', family, 'mtu') ?? []),
  )
  const sizeOf = (one: Branch, headerBytes: number): { bytes: number; line: Line } => ({
    bytes: (countOf(one) ?? Number.NaN) - headerBytes,
    line: one.line,
  })
  const sizes = families.map((one) => sizeOf(one, 0))
  if (physical !== undefined) sizes.unshift(sizeOf(physical, HEADER_BYTES))
  if (sizes.some(({ bytes }) => !(bytes > 0))) settings.forget('mtuBytes')
  else if (sizes.length > 0) {
    const least = sizes.reduce((one, other) => (other.bytes < one.bytes ? other : one))
    settings.put('mtuBytes', least.bytes, least.line)
  } else settings.putDefault('mtuBytes', DEFAULT_MTU_BYTES, line)
}

function noteVlans({ settings: branches }: JunosPort, { settings }: PortFacts): void {
  const native = anyOf(branches, 'native-vlan-id') ?? anyOf(branches, 'flexible-vlan-tagging')
  const tagging = anyOf(branches, 'vlan-tagging')
  const units = branches.flatMap((branch) => branch.all('unit'))
  const mode =
    firstOf(units, 'family', 'ethernet-switching', 'interface-mode') ??
    firstOf(units, 'family', 'ethernet-switching', 'port-mode')
  const routed = anyOf(units, 'family', 'inet') ?? anyOf(units, 'family', 'inet6')
  if (mode?.word === 'access') settings.put('vlanMode', 'untagged', mode.line)
  else if (native !== undefined) settings.put('vlanMode', 'both', native.line)
  else if (mode?.word === 'trunk') settings.put('vlanMode', 'tagged', mode.line)
  else if (tagging !== undefined) settings.put('vlanMode', 'tagged', tagging.line)
  else if (routed !== undefined) settings.putDefault('vlanMode', 'untagged', routed.line)
}
