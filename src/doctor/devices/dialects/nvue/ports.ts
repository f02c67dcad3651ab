/**
 * Ports of an NVUE configuration: link, VLANs, pauses of the whole link.
 * Source: NVIDIA Cumulus Linux User Guide, "Switch Port Attributes", "VLAN-aware Bridge Mode", "Link Pause".
 */
import type { Facts, PortFacts } from '../facts.ts'
import type { Line } from '../text.ts'
import { type Branch, countOf } from '../tree.ts'
import { fecIn } from '../words.ts'
import { isOn, isPort, PORTS_MAX, speedOf } from './names.ts'

const DEFAULT_MTU_BYTES = 9216
const CHANNELS_MAX = 8

export interface NvuePort {
  readonly name: string
  readonly line: Line
  /** Its own settings, then those of the bond that it is a member of; the port that it is a channel of stands last. */
  readonly settings: readonly Branch[]
}

const firstOf = (branches: readonly Branch[], ...words: string[]): Branch | undefined =>
  branches.map((branch) => branch.value(...words)).find((value) => value !== undefined)

/** Ports that are named, and channels of ports that are split. */
export function portsOf(root: Branch): NvuePort[] {
  const interfaces = root.all('interface')
  const bonds = new Map<string, Branch>()
  for (const bond of interfaces) for (const { word } of bond.all('bond', 'member')) bonds.set(word, bond)
  const ports = new Map<string, NvuePort>()
  for (const branch of interfaces) {
    if (!isPort(branch.word)) continue
    const [, count] = /^(\d)x/.exec(branch.value('link', 'breakout')?.word ?? '') ?? []
    if (count !== undefined)
      for (let i = 0; i < Math.min(Number(count), CHANNELS_MAX); i++) {
        const name = `${branch.word}s${i}`
        const own = root.at('interface', name)
        ports.set(name, { name, line: (own ?? branch).line, settings: own === undefined ? [] : [own] })
      }
    else if (!ports.has(branch.word)) {
      const bond = bonds.get(branch.word)
      const settings = [branch, ...(bond === undefined ? [] : [bond])]
      ports.set(branch.word, { name: branch.word, line: branch.line, settings })
    }
  }
  return [...ports.values()].slice(0, PORTS_MAX)
}

/** Notes what is known of a port apart from its classes. */
export function notePort(root: Branch, { name, line, settings: branches }: NvuePort, facts: Facts): PortFacts {
  const noted = facts.port(name)
  const { settings } = noted
  const mtu = firstOf(branches, 'link', 'mtu')
  if (mtu === undefined) settings.putDefault('mtuBytes', DEFAULT_MTU_BYTES, line)
  settings.take('mtuBytes', mtu, countOf)
  const parent = root.at('interface', name.slice(0, name.indexOf('s', 3)))
  const speed = firstOf(branches, 'link', 'speed') ?? parent?.value('link', 'breakout')
  settings.take('rateBps', speed, ({ word }) => speedOf(word.replace(/^\dx/, '')))
  const [description] = branches.flatMap((branch) => branch.value('description') ?? [])
  if (description !== undefined) noted.mark(name, 'description', description.word, description.line)
  for (const version of ['ip', 'ipv4', 'ipv6'])
    for (const address of branches.flatMap((branch) => branch.at(version)?.all('address') ?? []))
      noted.mark(name, 'address', address.word, address.line)
  settings.take('isUp', firstOf(branches, 'link', 'state'), ({ word }) => isOn(word))
  settings.take('fec', firstOf(branches, 'link', 'fec'), ({ word }) => fecIn(word))
  settings.take('autoNegotiates', firstOf(branches, 'link', 'auto-negotiate'), ({ word }) => isOn(word))
  notePauses(root, branches, { facts, name, noted })
  noteVlans(branches, noted)
  return noted
}

/** A profile of link pauses takes and sends them unless it says otherwise. */
function notePauses(
  root: Branch,
  branches: readonly Branch[],
  { facts, name: port, noted: { settings } }: { facts: Facts; name: string; noted: PortFacts },
): void {
  const name = firstOf(branches, 'qos', 'link-pause', 'profile')
  if (name === undefined) return
  const profile = root.at('qos', 'link-pause', name.word)
  if (profile === undefined && !name.word.startsWith('default-')) {
    facts.refer('undefined', 'qos link-pause', name.word, name.line, port, false)
    return
  }
  for (const [word, field] of [
    ['rx', 'takesGlobalPause'],
    ['tx', 'sendsGlobalPause'],
  ] as const) {
    const own = profile?.value(word)
    settings.put(field, isOn(own?.word ?? 'on') ?? true, (own ?? name).line)
  }
}

function noteVlans(branches: readonly Branch[], { settings }: PortFacts): void {
  const domain = firstOf(branches, 'bridge', 'domain')
  const access = domain?.value('access')
  const untagged = domain?.value('untagged')
  const address =
    firstOf(branches, 'ip', 'address') ?? firstOf(branches, 'ipv4', 'address') ?? firstOf(branches, 'ipv6', 'address')
  if (access !== undefined) settings.put('vlanMode', 'untagged', access.line)
  else if (untagged?.word === 'none') settings.put('vlanMode', 'tagged', untagged.line)
  else if (domain !== undefined) settings.put('vlanMode', 'both', domain.line)
  else if (address !== undefined) settings.put('vlanMode', 'untagged', address.line)
}
