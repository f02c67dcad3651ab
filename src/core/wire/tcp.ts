/**
 * TCP segments as bytes: header, the options for timestamps and one SACK block, payload.
 * Source: RFC 9293 3.1, RFC 7323 appendix A (timestamps with their padding), RFC 2018 3 (SACK).
 */
import { contentChecksum, ipBytes, type IpHeader, writeIp } from './ip.ts'

const HEADER_BYTES = 20
const NO_OPERATION = 1
const SACK_KIND = 5
const TIMESTAMPS_KIND = 8
const CHECKSUM_AT = 16

/** Flags of the header. */
export const TCP_PSH = 8
export const TCP_ACK = 16
export const TCP_ECE = 64
export const TCP_CWR = 128

export interface TcpSegment {
  readonly sourcePort: number
  readonly destinationPort: number
  /** Bytes of the stream, modulo 2^32. */
  readonly sequence: number
  readonly acknowledgement: number
  readonly flags: number
  /** 16 bits, as in the header. */
  readonly window: number
  /** Value and echo; null: no timestamps. */
  readonly timestamps: readonly [number, number] | null
  /** First byte of a block that arrived, and one past its last; null: no SACK option. */
  readonly sack: readonly [number, number] | null
  readonly payload: Uint8Array
}

/** Length of the header with its options. */
export function tcpHeaderBytes({ timestamps, sack }: Pick<TcpSegment, 'timestamps' | 'sack'>): number {
  return HEADER_BYTES + (timestamps === null ? 0 : 12) + (sack === null ? 0 : 12)
}

/** An IP packet with a segment. */
export function writeTcpPacket(ip: IpHeader, segment: TcpSegment): Uint8Array {
  const { timestamps, sack, payload } = segment
  const start = ipBytes(ip)
  const headerBytes = tcpHeaderBytes(segment)
  const bytes = new Uint8Array(start + headerBytes + payload.length)
  const view = new DataView(bytes.buffer)
  writeIp(bytes, ip, headerBytes + payload.length)
  view.setUint16(start, segment.sourcePort)
  view.setUint16(start + 2, segment.destinationPort)
  view.setUint32(start + 4, segment.sequence)
  view.setUint32(start + 8, segment.acknowledgement)
  view.setUint8(start + 12, (headerBytes / 4) << 4)
  view.setUint8(start + 13, segment.flags)
  view.setUint16(start + 14, segment.window)
  let at = start + HEADER_BYTES
  for (const [kind, values] of [
    [TIMESTAMPS_KIND, timestamps],
    [SACK_KIND, sack],
  ] as const) {
    if (values === null) continue
    bytes.set([NO_OPERATION, NO_OPERATION, kind, 10], at)
    view.setUint32(at + 4, values[0])
    view.setUint32(at + 8, values[1])
    at += 12
  }
  bytes.set(payload, at)
  view.setUint16(start + CHECKSUM_AT, contentChecksum(ip, bytes.subarray(start)))
  return bytes
}
