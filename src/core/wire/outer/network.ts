/**
 * IP headers of captured packets, with options of IPv4 and extension headers of IPv6, as far as they say where their content
 * begins. Fragments have no content of their own.
 * Source: RFC 791, RFC 8200 4, RFC 8754 (SRv6), RFC 4302 (AH).
 */
import type { Damaged, Unread } from '../dissected.ts'
import { IPV4 } from '../ethernet.ts'
import { type IpHeader, IPV4_BYTES, IPV6_BYTES, readIp } from '../ip.ts'
import { SHORT } from './reached.ts'
import { IN_IP } from './tunnels.ts'

export interface Network {
  /** Its protocol is that of the content. */
  readonly ip: IpHeader
  /** With options and extension headers. */
  readonly headerBytes: number
  /** Length of what follows, as the header gives it. */
  readonly contentBytes: number
}

const [HOP_BY_HOP, ROUTING, FRAGMENT, AUTHENTICATION] = [0, 43, 44, 51]
/** Headers with their length in the second byte, in units of 8 bytes after the first (IANA: IPv6 Extension Header Types). */
const EXTENSIONS: readonly number[] = [HOP_BY_HOP, ROUTING, 60, 135, 139, 140]
const EXTENSIONS_MAX = 8
const SEGMENT_ROUTING = 4

/** @param packet from the IP header to the end of what was captured */
export function readNetworkHeader(packet: Uint8Array, etherType: number): Network | Damaged | Unread {
  if (packet.length === 0) return SHORT
  const version = packet[0]! >> 4
  if (version !== (etherType === IPV4 ? 4 : 6)) return { kind: 'damaged', reason: 'version' }
  const headerBytes = version === 6 ? IPV6_BYTES : 4 * (packet[0]! & 15)
  if (headerBytes < IPV4_BYTES) return { kind: 'damaged', reason: 'length' }
  if (packet.length < headerBytes) return SHORT
  // All but the bit that forbids fragments.
  if (version === 4 && ((packet[6]! & 0xbf) !== 0 || packet[7] !== 0)) return { kind: 'damaged', reason: 'fragment' }
  const { ip, contentBytes } = readIp(packet, true, true)!
  if (contentBytes < 0) return { kind: 'damaged', reason: 'length' }
  if (version === 4 || !isExtension(ip.protocol)) return { ip, headerBytes, contentBytes }
  return behindExtensions(packet, ip, contentBytes)
}

const isExtension = (protocol: number): boolean =>
  protocol === FRAGMENT || protocol === AUTHENTICATION || EXTENSIONS.includes(protocol)

function behindExtensions(packet: Uint8Array, ip: IpHeader, contentBytes: number): Network | Damaged | Unread {
  let { protocol } = ip
  let at = IPV6_BYTES
  let routing: number | null = null
  for (let headers = 0; isExtension(protocol); headers++) {
    if (headers === EXTENSIONS_MAX) return { kind: 'damaged', reason: 'options' }
    if (packet.length < at + 8) return SHORT
    if (protocol === FRAGMENT) {
      // The first and last fragment at once is a whole packet (RFC 6946).
      if (packet[at + 2] !== 0 || (packet[at + 3]! & 0xf9) !== 0) return { kind: 'damaged', reason: 'fragment' }
    } else if (protocol === ROUTING && packet[at + 3]! > 0) routing = packet[at + 2]!
    const length = packet[at + 1]!
    const [unit, before] = protocol === AUTHENTICATION ? [4, 2] : [8, protocol === FRAGMENT ? 1 - length : 1]
    protocol = packet[at]!
    at += unit * (length + before)
  }
  const leftBytes = contentBytes - (at - IPV6_BYTES)
  if (leftBytes < 0) return { kind: 'damaged', reason: 'length' }
  // With segments left, the destination is not the one that the content is for; a packet in the packet has its own.
  if (routing !== null && !IN_IP.has(protocol))
    return { kind: 'unread', what: routing === SEGMENT_ROUTING ? 'SRv6' : `IPv6 routing header ${routing}` }
  return { ip: { ...ip, protocol }, headerBytes: at, contentBytes: leftBytes }
}
