/**
 * Echo requests and replies of ICMP and ICMPv6, as bytes after the IP header: ping.
 * Source: RFC 792, RFC 4443 4.1 and 4.2.
 */
import { contentChecksum, type IpHeader, plainChecksum } from '../ip.ts'

export const PROTOCOL_ICMP = 1
const HEADER_BYTES = 4
/** Types of request and reply by version of IP. */
const TYPES = { 4: [8, 0], 6: [128, 129] } as const

export interface EchoMessage {
  readonly isReply: boolean
  /** Identifier, sequence number and data: a reply repeats them. */
  readonly rest: Uint8Array
}

/** @param ip header that it is sent with. */
export function writeEcho(ip: IpHeader, { isReply, rest }: EchoMessage): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + rest.length)
  bytes[0] = TYPES[ip.version][isReply ? 1 : 0]
  bytes.set(rest, HEADER_BYTES)
  new DataView(bytes.buffer).setUint16(2, checksumOf(ip, bytes))
  return bytes
}

/** null: another message, too short, or a wrong checksum. */
export function readEcho(ip: IpHeader, bytes: Uint8Array): EchoMessage | null {
  const [request, reply] = TYPES[ip.version]
  const [type, code] = bytes
  if (bytes.length < HEADER_BYTES + 4 || code !== 0 || (type !== request && type !== reply)) return null
  if (checksumOf(ip, bytes) !== 0) return null
  return { isReply: type === reply, rest: bytes.slice(HEADER_BYTES) }
}

function checksumOf(ip: IpHeader, bytes: Uint8Array): number {
  return ip.version === 4 ? plainChecksum(bytes) : contentChecksum(ip, bytes)
}
