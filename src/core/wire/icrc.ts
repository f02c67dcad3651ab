/**
 * ICRC of RoCEv2: CRC-32 over the fields of a packet that no router changes.
 * It covers 8 bytes of ones, which stand for the link header that RoCEv2 has not, then the packet from its IP header to the
 * last pad byte. Fields that routers or marking change count as ones: IPv4 TOS, TTL and header checksum; IPv6 traffic
 * class, flow label and hop limit; the UDP checksum; byte 4 of the BTH (FECN, BECN, reserved).
 * Source: IBTA annex A17.3.3; the lengths in the IP and UDP headers already count the 4 bytes of the ICRC.
 */
import { crc32, crc32Before } from './crc32.ts'
import { PROTOCOL_UDP } from './ip.ts'

export const ICRC_BYTES = 4
const UDP_BYTES = 8
/** Offset in the header of IPv4. */
const IDENTIFICATION_AT = 4
const LINK_ONES = new Uint8Array(8).fill(0xff)
const LINK_CRC = crc32(LINK_ONES)
/** IP and UDP header and the first bytes of the BTH: filled anew for each packet. */
const MASKED = new Uint8Array(40 + UDP_BYTES + 5)

/**
 * ICRC of an IP packet, 32 bits; it is written with the low byte first.
 * @param packet from the IP header to the last pad byte
 * @param ipBytes length of the IP header: 20 for IPv4, 40 for IPv6
 * @param end where the last pad byte ends, if more follows
 */
export function icrcOf(packet: Uint8Array, ipBytes: 20 | 40, end: number = packet.length): number {
  const maskedBytes = maskHeaders(packet, ipBytes)
  return crc32(packet, crc32(MASKED, LINK_CRC, 0, maskedBytes), maskedBytes, end)
}

/**
 * ICRCs that an IP packet with options or extension headers may have, as no source says what becomes of them: that of the
 * packet without them, that without them but with the header as it is, and that with them.
 * @param packet from the IP header to the last pad byte
 * @param headerBytes length of the IP header with them
 */
export function icrcsWithOptions(packet: Uint8Array, headerBytes: number): readonly number[] {
  const isIp4 = packet[0]! >> 4 === 4
  const baseBytes = isIp4 ? 20 : 40
  const options = packet.subarray(baseBytes, headerBytes)
  const bare = new Uint8Array(packet.length - options.length)
  bare.set(packet.subarray(0, baseBytes))
  bare.set(packet.subarray(headerBytes), baseBytes)
  const asItIs = icrcOf(bare, baseBytes)
  const maskedBytes = maskHeaders(bare, baseBytes)
  const around = crc32(options, crc32(MASKED, LINK_CRC, 0, baseBytes))
  const withOptions = crc32(bare, crc32(MASKED, around, baseBytes, maskedBytes), maskedBytes)
  const view = new DataView(bare.buffer)
  const lengthAt = isIp4 ? 2 : 4
  view.setUint16(lengthAt, view.getUint16(lengthAt) - options.length)
  if (isIp4) bare[0] = 0x45
  else bare[6] = PROTOCOL_UDP
  return [icrcOf(bare, baseBytes), asItIs, withOptions]
}

/**
 * The identification of IPv4 with which an ICRC is right; null: there is none. A sender that cannot know the identification,
 * as one with UDP sockets, or a translator that changes it, is found so; of other wrong ICRCs one in 65,536 has a solution.
 * @param packet from the IP header to the last pad byte
 */
export function identificationFor(packet: Uint8Array, icrc: number): number | null {
  const maskedBytes = maskHeaders(packet, 20)
  const before = crc32(MASKED, LINK_CRC, 0, IDENTIFICATION_AT)
  const behind = MASKED.subarray(IDENTIFICATION_AT + 2, maskedBytes)
  const after = crc32Before(behind, crc32Before(packet.subarray(maskedBytes), icrc))
  // Two bytes differ from zeros by what the CRC before them differs from that of zeros: one equation for each bit.
  const difference = (before ^ crc32Before(Uint8Array.of(0, 0), after)) >>> 0
  return difference > 0xffff ? null : ((difference & 0xff) << 8) | (difference >> 8)
}

/** Fills MASKED: IP and UDP header and the BTH up to its reserved byte, with ones for what changes on the way. The result is its length. */
function maskHeaders(packet: Uint8Array, ipBytes: 20 | 40): number {
  const masked = MASKED
  const headerBytes = ipBytes + UDP_BYTES + 5
  for (let i = 0; i < headerBytes; i++) masked[i] = packet[i]!
  if (ipBytes === 20) {
    masked[1] = masked[8] = masked[10] = masked[11] = 0xff
  } else {
    masked[0]! |= 0x0f
    masked[1] = masked[2] = masked[3] = masked[7] = 0xff
  }
  masked[ipBytes + 6] = masked[ipBytes + 7] = 0xff
  masked[ipBytes + UDP_BYTES + 4] = 0xff
  return headerBytes
}
