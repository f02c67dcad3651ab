/**
 * Neighbour solicitations and advertisements of IPv6, as bytes after the IPv6 header.
 * Source: RFC 4861 4.3, 4.4, 4.6.1; solicited-node addresses RFC 4291 2.7.1.
 */
import { readAddress, writeAddress } from '../ethernet.ts'
import { contentChecksum, type IpHeader } from '../ip.ts'

export const PROTOCOL_ICMPV6 = 58
/** In every such packet, so that none has come through a router (RFC 4861 7.1). */
export const NEIGHBOUR_HOP_LIMIT = 255
const SOLICITATION = 135
const ADVERTISEMENT = 136
const HEADER_BYTES = 24
const OPTION_BYTES = 8
/** Solicited, override. */
const FLAGS = 0x60000000
const SOLICITED = 0x40000000

export interface NeighbourMessage {
  readonly kind: 'solicitation' | 'advertisement'
  /** The address that is asked for or answered, 16 bytes. */
  readonly target: Uint8Array
  /** Hardware address of the asker or of the target; null: it is not there. */
  readonly mac: number | null
  /** An advertisement that answers a solicitation; false in solicitations. */
  readonly isSolicited: boolean
}

/** @param ip header that it is sent with, for the checksum. */
export function writeNeighbour(ip: IpHeader, message: NeighbourMessage): Uint8Array {
  const isQuestion = message.kind === 'solicitation'
  const bytes = new Uint8Array(HEADER_BYTES + (message.mac === null ? 0 : OPTION_BYTES))
  const view = new DataView(bytes.buffer)
  view.setUint8(0, isQuestion ? SOLICITATION : ADVERTISEMENT)
  view.setUint32(4, message.isSolicited ? FLAGS : 0)
  bytes.set(message.target, 8)
  if (message.mac !== null) {
    // Source or target link-layer address, in units of eight bytes.
    view.setUint16(HEADER_BYTES, isQuestion ? 0x0101 : 0x0201)
    writeAddress(view, HEADER_BYTES + 2, message.mac)
  }
  view.setUint16(2, contentChecksum(ip, bytes))
  return bytes
}

/** null: another message, a wrong checksum, came through a router, or has a broken option. */
export function readNeighbour(ip: IpHeader, bytes: Uint8Array): NeighbourMessage | null {
  const type = bytes[0]
  if (bytes.length < HEADER_BYTES || (type !== SOLICITATION && type !== ADVERTISEMENT) || bytes[1] !== 0) return null
  if (ip.version !== 6 || ip.hopLimit !== NEIGHBOUR_HOP_LIMIT || contentChecksum(ip, bytes) !== 0) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const wanted = type === SOLICITATION ? 1 : 2
  let mac: number | null = null
  for (let at = HEADER_BYTES; at < bytes.length;) {
    const optionBytes = 8 * (bytes[at + 1] ?? 0)
    if (optionBytes === 0 || at + optionBytes > bytes.length) return null
    if (bytes[at] === wanted && optionBytes === OPTION_BYTES) mac = readAddress(view, at + 2)
    at += optionBytes
  }
  return {
    kind: type === SOLICITATION ? 'solicitation' : 'advertisement',
    target: bytes.slice(8, HEADER_BYTES),
    mac,
    isSolicited: type === ADVERTISEMENT && (view.getUint32(4) & SOLICITED) !== 0,
  }
}

/** Multicast address at which a solicitation for `target` is sent, 16 bytes. */
export function solicitedNode(target: Uint8Array): Uint8Array {
  const address = Uint8Array.of(0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0, 0, 0)
  address.set(target.subarray(13), 13)
  return address
}

/** Hardware address of a multicast address of IPv6 (RFC 2464 7). */
export function multicastMac(address: Uint8Array): number {
  return 0x3333 * 2 ** 32 + new DataView(address.buffer, address.byteOffset).getUint32(12)
}
