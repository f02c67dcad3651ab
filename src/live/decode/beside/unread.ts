/** Headers around RoCEv2 packets, and frames that are none: by name, so that a file without any can say why. */
import type { Dissected } from '../../../core/wire/index.ts'

type Tcp = Extract<Dissected, { kind: 'tcp' }>
type Other = Extract<Dissected, { kind: 'ip' | 'other' | 'unread' }>

/** Names that are counted; frames of more are counted together. */
const NAMES_MAX = 64
const MORE = 'more'

const ETHER_TYPES: Readonly<Record<number, string>> = {
  0x8906: 'FCoE',
  0x8914: 'FIP',
  0x88cc: 'LLDP',
  0x88e5: 'MACsec',
  0x894f: 'NSH',
}
const IP_PROTOCOLS: Readonly<Record<number, string>> = {
  1: 'ICMP',
  2: 'IGMP',
  50: 'ESP',
  58: 'ICMPv6',
  89: 'OSPF',
  112: 'VRRP',
  115: 'L2TP',
  132: 'SCTP',
}
/** RFC 5044 7.1. */
const MPA_KEYS: readonly string[] = ['MPA ID Req Frame', 'MPA ID Rep Frame']
const MPA_KEY_BYTES = 16

export class NamedCounts {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    const known = this.#counts.has(name) || this.#counts.size < NAMES_MAX ? name : MORE
    this.#counts.set(known, (this.#counts.get(known) ?? 0) + 1)
  }

  /** The most frequent first. */
  list(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#counts].toSorted(([, a], [, b]) => b - a))
  }
}

export function nameOf(frame: Other): string {
  if (frame.kind === 'unread') return frame.what
  if (frame.kind === 'other')
    return withName('EtherType', frame.etherType.toString(16).padStart(4, '0'), ETHER_TYPES[frame.etherType])
  if (frame.destinationPort !== null) return `UDP port ${frame.destinationPort}`
  return withName('IP protocol', String(frame.ip.protocol), IP_PROTOCOLS[frame.ip.protocol])
}

const withName = (what: string, number: string, name: string | undefined): string =>
  name === undefined ? `${what} ${number}` : `${what} ${number} (${name})`

/** The port of a server of iWARP, in a segment that begins or accepts a connection; null: it is another segment. */
export function iwarpPort({ payload, sourcePort, destinationPort }: Tcp): number | null {
  if (payload.length < MPA_KEY_BYTES || payload[0] !== 0x4d) return null
  const key = MPA_KEYS.indexOf(String.fromCharCode(...payload.subarray(0, MPA_KEY_BYTES)))
  return key < 0 ? null : key === 0 ? destinationPort : sourcePort
}
