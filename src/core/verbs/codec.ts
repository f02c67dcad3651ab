/** Codec of verbs packets and CNPs: bytes from the BTH to the end of the padding, without the ICRC. */
import { ACK, ACK_REQUEST, CNP, DATA, FIRST, LAST, NAK, RNR_NAK, SEND, type SegmentKind } from '../transport/segment.ts'
import { SYNDROME_PSN_ERROR, SYNDROME_RNR } from '../wire/aeth.ts'
import { type BthBits, CNP_BYTES, CNP_OPCODE, PLAIN_BITS, readBth, writeCnp } from '../wire/bth.ts'
import {
  ACKNOWLEDGE,
  ATOMIC_ACKNOWLEDGE,
  isAtomic,
  isFirst,
  isLast,
  isSend,
  mayHavePayload,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_ONLY,
  WRITE_LAST_IMMEDIATE,
  WRITE_ONLY_IMMEDIATE,
} from '../wire/opcodes.ts'
import { headerBytes, readHeaders, writeHeaders } from '../wire/rc-headers.ts'
import type { VerbsPacket } from './packet.ts'

/** Segment kind for the transport: an ACK or NAK, or a packet of a packet space (request or READ response). */
function kindOf(opcode: number, syndrome: number): SegmentKind {
  if (opcode === READ_ACK) return ACK
  if (opcode === READ_NACK) return NAK
  if (opcode !== ACKNOWLEDGE) return DATA
  if (syndrome < SYNDROME_RNR) return ACK
  return syndrome < SYNDROME_PSN_ERROR ? RNR_NAK : NAK
}

/** Packets that need a Receive WQE: all of a SEND, the last of a WRITE with immediate. */
export function takesReceive(opcode: number): boolean {
  return isSend(opcode) || opcode === WRITE_LAST_IMMEDIATE || opcode === WRITE_ONLY_IMMEDIATE
}

/** Flags of transport/segment.ts for a received packet. */
function flagsOf({ opcode, isAckRequested }: Readonly<VerbsPacket>): number {
  const isWhole = opcode === READ_REQUEST_OPCODE || isAtomic(opcode) || opcode === ATOMIC_ACKNOWLEDGE
  const isResponseEnd = opcode === READ_RESPONSE_LAST || opcode === READ_RESPONSE_ONLY
  return (
    (isWhole || isFirst(opcode) || opcode === READ_RESPONSE_FIRST || opcode === READ_RESPONSE_ONLY ? FIRST : 0) |
    (isWhole || isLast(opcode) || isResponseEnd ? LAST : 0) |
    (takesReceive(opcode) ? SEND : 0) |
    (isAckRequested ? ACK_REQUEST : 0)
  )
}

/** Bytes from the BTH to the end of the padding. */
export function packetBytes(packet: Readonly<VerbsPacket>, format: number): number {
  if (packet.kind === CNP) return CNP_BYTES
  return headerBytes(packet.opcode, format) + ((packet.payloadBytes + 3) & ~3)
}

/**
 * Writes a packet at the start of `bytes` and returns its length. Payload without bytes is written as zeros.
 * @param bits of the BTH that queue pairs do not decide
 * @throws RangeError where `bytes` is shorter than packetBytes().
 */
export function encodePacket(
  packet: VerbsPacket,
  format: number,
  bytes: Uint8Array,
  bits: BthBits = PLAIN_BITS,
): number {
  const { payloadBytes } = packet
  const wholeBytes = packetBytes(packet, format)
  if (wholeBytes > bytes.length) throw new RangeError(`a packet of ${wholeBytes} bytes in ${bytes.length}`)
  if (packet.kind === CNP) {
    bytes.set(writeCnp(packet.destinationQp, bits))
    return wholeBytes
  }
  packet.padBytes = -payloadBytes & 3
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const at = writeHeaders(view, 0, format, packet, bits)
  if (packet.hasPayload) bytes.set(packet.payload.subarray(0, payloadBytes), at)
  else bytes.fill(0, at, at + payloadBytes)
  const end = at + payloadBytes + packet.padBytes
  bytes.fill(0, at + payloadBytes, end)
  return end
}

/**
 * Reads `length` bytes into `packet`. False: they are not a valid packet of this format, have more payload than
 * `packet` can hold, or payload where the opcode allows none.
 */
export function decodePacket(bytes: Uint8Array, length: number, format: number, packet: VerbsPacket): boolean {
  if (!(length >= 0 && length <= bytes.length)) return false
  const view = new DataView(bytes.buffer, bytes.byteOffset, length)
  // No header carries the time at which the packet, or the one that it acknowledges, left.
  packet.sentPs = NaN
  packet.delayPs = 0
  if (length === CNP_BYTES && bytes[0] === CNP_OPCODE) return decodeCnp(view, packet)
  const at = readHeaders(view, 0, format, packet)
  const payloadBytes = length - at - packet.padBytes
  // The length with padding is a multiple of 4 (IBTA 9.2.3).
  if (at < 0 || ((length - at) & 3) !== 0) return false
  if (payloadBytes < 0 || payloadBytes > packet.payload.length) return false
  if (payloadBytes + packet.padBytes > 0 && !mayHavePayload(packet.opcode)) return false
  packet.kind = kindOf(packet.opcode, packet.syndrome)
  packet.flags = flagsOf(packet)
  packet.payloadBytes = payloadBytes
  packet.payload.set(bytes.subarray(at, at + payloadBytes))
  packet.hasPayload = true
  return true
}

function decodeCnp(view: DataView, packet: VerbsPacket): boolean {
  const bth = readBth(view, 0)
  // A packet of another partition (IBTA 9.6.1.1).
  if (bth === null || bth.version !== 0 || (bth.partition & 0x7fff) !== 0x7fff) return false
  packet.kind = CNP
  packet.opcode = CNP_OPCODE
  packet.destinationQp = bth.destinationQp
  packet.psn = packet.flags = packet.payloadBytes = 0
  packet.hasPayload = false
  return true
}
