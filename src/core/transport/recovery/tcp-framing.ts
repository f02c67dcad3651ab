/**
 * TCP framing: bytes of a segment's frame besides its payload, from the Ethernet header to the FCS, without a VLAN tag
 * and before padding to the minimum frame.
 * Source: RFC 7323 appendix A (timestamps with their padding), RFC 2018 3 (one block of 8, 2 for kind and length, 2 to
 * pad).
 */
import type { Framing } from './recovery.ts'

/** Ethernet header 14 and FCS 4, IPv4 20, TCP 20. */
const SEGMENT_OVERHEAD = 58
const TIMESTAMPS = 12
const SACK_OPTION = 12

/** Headers around the payload of a segment. */
export function tcpOverheadBytes(hasTimestamps: boolean): number {
  return SEGMENT_OVERHEAD + (hasTimestamps ? TIMESTAMPS : 0)
}

/** ACKs without data. */
export function tcpAckBytes(hasTimestamps: boolean): Pick<Framing, 'ackBytes' | 'sackAckBytes'> {
  const ackBytes = tcpOverheadBytes(hasTimestamps)
  return { ackBytes, sackAckBytes: ackBytes + SACK_OPTION }
}
