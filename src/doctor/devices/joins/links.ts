/**
 * Links as devices tell them, beside a list: LLDP of either end, tables of neighbours, two addresses of one small network,
 * and descriptions of ports. Each port has one link, that of the strongest source that names it.
 */
import { knownOf, type Edge, type PortConfig } from '../../../core/device-model/index.ts'
import type { Device } from './device.ts'
import { type DeviceNames, portKey, type PortNames } from './names.ts'

/** From the strongest on. */
export const LINK_SOURCES = ['list', 'lldp', 'table', 'address', 'description'] as const
export type LinkSource = (typeof LINK_SOURCES)[number]

export interface SourcedEdge extends Edge {
  readonly source: LinkSource
}

/** One source about one port. */
export interface Claim {
  readonly device: string
  readonly port: string
  readonly peerDevice: string
  /** '': unknown. */
  readonly peerPort: string
  readonly source: LinkSource
  readonly file: string
  readonly line: number
}

/** Whether files say of a port how it treats classes of packets, and not only that it is there. */
export function carriesRoce({ settings: { pfcClasses, pfcWritten, trust, dscpToClass, nic } }: PortConfig): boolean {
  if ([pfcClasses, pfcWritten].some((value) => (knownOf(value)?.length ?? 0) > 0)) return true
  // A switch tells it of all its ports.
  return nic !== undefined && [pfcClasses, trust, ...dscpToClass].some(({ state }) => state !== 'unknown')
}

/** All that devices say of their neighbours. Names of devices that are not known are left out. */
export function claimsOf(
  devices: ReadonlyMap<string, Device>,
  names: DeviceNames,
  portNames: ReadonlyMap<string, PortNames>,
): Claim[] {
  const heard = [...devices].flatMap(([device, { neighbours }]) =>
    neighbours.flatMap(({ port, peerDevice, peerPort, source, file, line }): Claim[] => {
      const peer = names.find(peerDevice)
      if (peer === undefined || peer === device) return []
      const own = portNames.get(device)?.find(port) ?? port
      const far = portNames.get(peer)?.find(peerPort) ?? peerPort
      return [{ device, port: own, peerDevice: peer, peerPort: far, source, file, line: line.number }]
    }),
  )
  return [...heard, ...addressed(devices), ...described(devices, names, portNames)]
}

/** The list, and links at ports that it does not name. */
export function linksOf(listed: readonly Edge[], claims: readonly Claim[]): SourcedEdge[] {
  const links = listed.map((edge): SourcedEdge => ({ ...edge, source: 'list' }))
  const keyOf = (device: string, port: string): string => `${device} ${portKey(port)}`
  const taken = new Set(
    links.flatMap(({ deviceA, portA, deviceB, portB }) => [keyOf(deviceA, portA), keyOf(deviceB, portB)]),
  )
  for (const source of LINK_SOURCES)
    for (const { device, port, peerDevice, peerPort, ...claim } of claims) {
      if (claim.source !== source || peerPort === '') continue
      const [a, b] = [keyOf(device, port), keyOf(peerDevice, peerPort)]
      if (taken.has(a) || taken.has(b)) continue
      taken.add(a).add(b)
      links.push({ deviceA: device, portA: port, deviceB: peerDevice, portB: peerPort, cableM: NaN, source })
    }
  return links
}

/** Lengths of the prefix of a network that has room for two ports, by the version of IP. */
const PAIRS: Readonly<Record<string, readonly number[]>> = { v4: [30, 31], v6: [126, 127] }

/** Ports that are alone with another one in a network of two. */
function addressed(devices: ReadonlyMap<string, Device>): Claim[] {
  const networks = new Map<string, { device: string; port: string; file: string; line: number }[]>()
  for (const [device, { marks }] of devices)
    for (const { kind, port, text, file, line } of marks) {
      if (kind !== 'address') continue
      const network = networkOf(text)
      if (network === undefined) continue
      const known = networks.get(network)
      const own = { device, port, file, line: line.number }
      if (known === undefined) networks.set(network, [own])
      else if (!known.some((each) => each.device === device && each.port === port)) known.push(own)
    }
  return [...networks.values()].flatMap(([a, b, ...more]): Claim[] =>
    a === undefined || b === undefined || more.length > 0 || a.device === b.device
      ? []
      : [{ ...a, peerDevice: b.device, peerPort: b.port, source: 'address' }],
  )
}

/** "v4 10.0.0.4/31" for one of two addresses in a network; undefined: it has room for more, or is no address. */
function networkOf(text: string): string | undefined {
  const [address = '', prefix = ''] = text.split('/')
  const length = /^\d{1,3}$/.test(prefix) ? Number(prefix) : NaN
  const parts = /^\d{1,3}(?:\.\d{1,3}){3}$/.test(address) ? address.split('.').map(Number) : groupsOf(address)
  const isV4 = parts?.length === 4
  if (parts === undefined || !PAIRS[isV4 ? 'v4' : 'v6']!.includes(length)) return undefined
  const hostBits = (isV4 ? 32 : 128) - length
  const last = parts.at(-1)!
  return `${[...parts.slice(0, -1), last - (last % 2 ** hostBits)].join(':')}/${length}`
}

/** The eight groups of an IPv6 address that is no link-local one. */
function groupsOf(address: string): number[] | undefined {
  if (!/^[0-9a-f:]{2,39}$/i.test(address) || /^fe80/i.test(address)) return undefined
  const [head = '', tail, ...more] = address.split('::')
  const of = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const [before, after] = [of(head), of(tail ?? '')]
  const gap = 8 - before.length - after.length
  if (more.length > 0 || gap < 0 || (tail === undefined && gap > 0)) return undefined
  return [...before, ...Array.from({ length: gap }, () => '0'), ...after].map((group) => Number.parseInt(group, 16))
}

/** Ports whose description names one device and one port of it, and nothing else that is one. */
function described(
  devices: ReadonlyMap<string, Device>,
  names: DeviceNames,
  portNames: ReadonlyMap<string, PortNames>,
): Claim[] {
  return [...devices].flatMap(([device, { marks }]) =>
    marks.flatMap(({ kind, port, text, file, line }): Claim[] => {
      if (kind !== 'description') return []
      const peers = namedIn(text, names).filter((name) => name !== device)
      const [peerDevice] = peers
      if (peerDevice === undefined || peers.length > 1) return []
      const ports = portsIn(text, peerDevice, portNames)
      const [peerPort] = ports
      if (peerPort === undefined || ports.length > 1) return []
      return [{ device, port, peerDevice, peerPort, source: 'description', file, line: line.number }]
    }),
  )
}

const WORDS_MOST = 32

/** Pieces of a description, whole and parted where people join names: "facing_leaf2:et-0/0/0", "leaf1-Ethernet1/3". */
function piecesOf(text: string): string[] {
  const words = text.split(/[\s,;()[\]{}"'|<>=]+/, WORDS_MOST).filter((word) => word !== '')
  return words.flatMap((word) => {
    const parts = word.split(/[_:@]+/)
    const joined = parts.flatMap((part) => {
      const dash = /-(?=[A-Za-z]*-?\d[\d/:]*$)/.exec(part)
      return dash === null ? [] : [part.slice(0, dash.index), part.slice(dash.index + 1)]
    })
    return [word, ...parts, ...joined]
  })
}

function namedIn(text: string, names: DeviceNames): string[] {
  return [...new Set(piecesOf(text).flatMap((piece) => names.find(piece) ?? []))]
}

/** A bare number is no name of a port here. */
function portsIn(text: string, device: string, portNames: ReadonlyMap<string, PortNames>): string[] {
  const pieces = piecesOf(text).filter((piece) => /^(?:[A-Za-z].*\d|\d+\/\d)/.test(piece))
  return [...new Set(pieces.flatMap((piece) => portNames.get(device)?.find(piece) ?? []))]
}
