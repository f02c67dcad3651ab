/**
 * ARP for IPv4 over Ethernet, as bytes after the Ethernet header.
 * Hardware addresses are numbers of 48 bits.
 * Source: RFC 826.
 */
import { readAddress, writeAddress } from '../ethernet.ts'

/** Ethertype. */
export const ARP = 0x0806
const ARP_BYTES = 28
/** Ethernet and IPv4, with addresses of 6 and 4 bytes. */
const KINDS = [0x0001, 0x0800, 0x0604] as const

export interface ArpMessage {
  readonly operation: 'request' | 'reply'
  readonly senderMac: number
  /** 4 bytes, as `targetIp`. */
  readonly senderIp: Uint8Array
  /** 0 in a request. */
  readonly targetMac: number
  readonly targetIp: Uint8Array
}

export function writeArp(message: ArpMessage): Uint8Array {
  const bytes = new Uint8Array(ARP_BYTES)
  const view = new DataView(bytes.buffer)
  KINDS.forEach((kind, at) => view.setUint16(2 * at, kind))
  view.setUint16(6, message.operation === 'request' ? 1 : 2)
  writeAddress(view, 8, message.senderMac)
  bytes.set(message.senderIp, 14)
  writeAddress(view, 18, message.targetMac)
  bytes.set(message.targetIp, 24)
  return bytes
}

/** null: too short, another kind of address, or another operation. */
export function readArp(bytes: Uint8Array): ArpMessage | null {
  if (bytes.length < ARP_BYTES) return null
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const operation = view.getUint16(6)
  if (KINDS.some((kind, at) => view.getUint16(2 * at) !== kind) || operation < 1 || operation > 2) return null
  return {
    operation: operation === 1 ? 'request' : 'reply',
    senderMac: readAddress(view, 8),
    senderIp: bytes.slice(14, 18),
    targetMac: readAddress(view, 18),
    targetIp: bytes.slice(24, 28),
  }
}
