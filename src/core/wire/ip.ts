/**
 * IP and UDP headers as bytes, without options and extension headers.
 * Addresses are bytes in network order, 4 for IPv4 and 16 for IPv6. Sums are the Internet checksum.
 * Source: RFC 791, RFC 8200, RFC 768, RFC 1071; DSCP and ECN RFC 2474 and 3168.
 */

export const PROTOCOL_TCP = 6
export const PROTOCOL_UDP = 17
export const IPV4_BYTES = 20
export const IPV6_BYTES = 40
export const UDP_BYTES = 8
const DONT_FRAGMENT = 0x4000

interface IpFields {
  readonly source: Uint8Array
  readonly destination: Uint8Array
  /** 0..63. */
  readonly dscp: number
  /** Codepoint of RFC 3168, 0..3. */
  readonly ecn: number
  /** TTL of IPv4, hop limit of IPv6. */
  readonly hopLimit: number
  /** Protocol of the content. */
  readonly protocol: number
}

export interface Ipv4Header extends IpFields {
  readonly version: 4
  /** 16 bits. */
  readonly identification: number
  readonly isUnfragmented: boolean
}

export interface Ipv6Header extends IpFields {
  readonly version: 6
  /** 20 bits. */
  readonly flowLabel: number
}

export type IpHeader = Ipv4Header | Ipv6Header

/** Length of the header. */
export function ipBytes({ version }: Pick<IpHeader, 'version'>): 20 | 40 {
  return version === 4 ? IPV4_BYTES : IPV6_BYTES
}

/** Writes a header at the start of `packet`. @param contentBytes length of what follows, as the header is to give it */
export function writeIp(packet: Uint8Array, ip: IpHeader, contentBytes: number): void {
  const view = viewOf(packet)
  const traffic = (ip.dscp << 2) | ip.ecn
  if (ip.version === 6) {
    view.setUint32(0, 0x60000000 | (traffic << 20) | ip.flowLabel)
    view.setUint16(4, contentBytes)
    packet[6] = ip.protocol
    packet[7] = ip.hopLimit
    packet.set(ip.source, 8)
    packet.set(ip.destination, 24)
    return
  }
  packet[0] = 0x45
  packet[1] = traffic
  view.setUint16(2, IPV4_BYTES + contentBytes)
  view.setUint16(4, ip.identification)
  view.setUint16(6, ip.isUnfragmented ? DONT_FRAGMENT : 0)
  packet[8] = ip.hopLimit
  packet[9] = ip.protocol
  view.setUint16(10, 0)
  packet.set(ip.source, 12)
  packet.set(ip.destination, 16)
  view.setUint16(10, checksumOf(sumOf(packet.subarray(0, IPV4_BYTES))))
}

/** A header that was read, and the length of what follows it, as the header gives it. */
export interface ReadIp {
  readonly ip: IpHeader
  readonly contentBytes: number
  /** The header checksum fits; IPv6 has none. */
  readonly isSumRight: boolean
}

/**
 * null: the bytes are too short, fragments, or have options.
 * @param isLending addresses are the packet's memory, not copies
 * @param mayHaveOptions options of IPv4 are part of the header
 */
export function readIp(packet: Uint8Array, isLending = false, mayHaveOptions = false): ReadIp | null {
  if (packet.length < IPV4_BYTES) return null
  if (packet[0]! >> 4 === 6) {
    if (packet.length < IPV6_BYTES) return null
    const first = shortAt(packet, 0) * 2 ** 16 + shortAt(packet, 2)
    const ip = {
      version: 6 as const,
      source: isLending ? packet.subarray(8, 24) : packet.slice(8, 24),
      destination: isLending ? packet.subarray(24, 40) : packet.slice(24, 40),
      dscp: (first >> 22) & 0x3f,
      ecn: (first >> 20) & 3,
      hopLimit: packet[7]!,
      protocol: packet[6]!,
      flowLabel: first & 0xfffff,
    }
    return { ip, contentBytes: shortAt(packet, 4), isSumRight: true }
  }
  const fragment = shortAt(packet, 6)
  const headerBytes = 4 * (packet[0]! & 15)
  const isRight = packet[0]! >> 4 === 4 && (headerBytes === IPV4_BYTES || (mayHaveOptions && headerBytes > IPV4_BYTES))
  if (!isRight || packet.length < headerBytes || (fragment & 0xbfff) !== 0) return null
  const ip = {
    version: 4 as const,
    source: isLending ? packet.subarray(12, 16) : packet.slice(12, 16),
    destination: isLending ? packet.subarray(16, 20) : packet.slice(16, 20),
    dscp: packet[1]! >> 2,
    ecn: packet[1]! & 3,
    hopLimit: packet[8]!,
    protocol: packet[9]!,
    identification: shortAt(packet, 4),
    isUnfragmented: fragment === DONT_FRAGMENT,
  }
  const isSumRight = checksumOf(sumOf(packet, 0, headerBytes)) === 0
  return { ip, contentBytes: shortAt(packet, 2) - headerBytes, isSumRight }
}

/** Checksum of a TCP segment or UDP datagram whose own checksum field is 0, with the pseudo header. */
export function contentChecksum(ip: IpHeader, content: Uint8Array): number {
  const ends = sumOf(ip.destination, sumOf(ip.source))
  return checksumOf(sumOf(content, ends + ip.protocol + content.length))
}

/** An IPv4 address of 32 bits as bytes. */
export function ipv4Bytes(address: number): Uint8Array {
  return Uint8Array.of(address >>> 24, (address >>> 16) & 0xff, (address >>> 8) & 0xff, address & 0xff)
}

function shortAt(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!
}

function sumOf(bytes: Uint8Array, before = 0, length: number = bytes.length): number {
  let sum = before
  for (let i = 0; i < length; i += 2) sum += (bytes[i]! << 8) | (bytes[i + 1] ?? 0)
  return sum
}

/** The sum folded to 16 bits, and its complement. */
function checksumOf(sum: number): number {
  let folded = sum
  while (folded > 0xffff) folded = (folded % 0x10000) + Math.floor(folded / 0x10000)
  return ~folded & 0xffff
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Internet checksum of bytes alone, whose own checksum field is 0; 0 where it is right and included. */
export function plainChecksum(bytes: Uint8Array): number {
  return checksumOf(sumOf(bytes))
}

/** An address of 4 or 16 bytes as text: IPv4 dotted, IPv6 by RFC 5952. */
export function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, i) => (bytes[2 * i]! << 8) | bytes[2 * i + 1]!)
  let [bestAt, bestLength] = [-1, 1]
  for (let i = 0; i < 8; i++) {
    let length = 0
    while (groups[i + length] === 0) length++
    if (length > bestLength) [bestAt, bestLength] = [i, length]
  }
  const hex = groups.map((group) => group.toString(16))
  if (bestAt < 0) return hex.join(':')
  return `${hex.slice(0, bestAt).join(':')}::${hex.slice(bestAt + bestLength).join(':')}`
}
