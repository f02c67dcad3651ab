/**
 * Segment: one decoded RoCEv2 packet as seen by an endpoint. The caller owns and reuses it.
 * PSNs are 24 bits as on the wire; an ACK carries the PSN of the last packet acknowledged, a NAK the expected PSN (IBTA
 * 9.7.5). Sizes are bytes, times picoseconds.
 */

import { DOUBLE_ZERO } from '../base/double.ts'
import { NO_HOPS } from './hops.ts'

export const DATA = 0
export const ACK = 1
export const NAK = 2
export const RNR_NAK = 3
export const CNP = 4
export const READ_REQUEST = 5
/** Congestion notification message of a switch (802.1Qau); 6 is reserved for the fabric. */
export const CNM = 7
/**
 * RTT probes: the request of the data's sender and the response of its receiver.
 * The event digest has three bits for the kind and a fourth for a mark (fabric/network.ts), so kinds from 8 up coincide
 * with marked packets of the kind less 8. These two coincide with a marked ACK and a marked NAK, which do not exist:
 * ACKs and NAKs are never ECN-capable.
 */
export const RTT_REQUEST = 9
export const RTT_RESPONSE = 10
/**
 * The header of a data packet whose payload a switch has trimmed: it reports the loss of that packet and has its
 * fields. In the digest it coincides with a marked RNR NAK, which does not exist; if marked itself, with an RNR NAK,
 * which belongs to another flow as it travels in the opposite direction.
 */
export const TRIMMED = 11

export type SegmentKind =
  | typeof DATA
  | typeof ACK
  | typeof NAK
  | typeof RNR_NAK
  | typeof CNP
  | typeof READ_REQUEST
  | typeof CNM
  | typeof RTT_REQUEST
  | typeof RTT_RESPONSE
  | typeof TRIMMED

/** ECN codepoints (RFC 3168). */
export const NOT_ECT = 0
export const ECT_0 = 2
export const CE = 3

/** Bits of `flags`. */
export const FIRST = 1
export const LAST = 2
export const ACK_REQUEST = 4
/** ACK, NAK: ECN echo, the packet acknowledged was marked. */
export const ECE = 8
/** First packet of a WRITE: carries the RETH. */
export const RETH = 16
/** Packets of a SEND, which consume a Receive WQE. */
export const SEND = 32
/**
 * Sent before; an ACK or NAK copies it from its packet. READ request: the first one repeated, so everything below its
 * PSN has arrived.
 */
export const RETRANSMITTED = 64
/** An ACK that also names, in `sackPsn`, a packet received out of order (TCP: a duplicate ACK with a SACK option). */
export const SACK = 128
/** Data: the sender has reduced its window for a mark (RFC 3168). Shares its bit with ECE of ACKs. */
export const CWR = 8
/** Not to be accepted before everything sent earlier (MP-RDMA). */
export const SYNCHRONISE = 256
/**
 * Six bits: by how many 64ths, at least one, the payload is smaller than a full packet's; 0: it is full. ACKs and NAKs
 * copy it from their packet, where a real sender would look up what it sent: delays of packets of different sizes
 * differ.
 */
const SHORT_SHIFT = 9
export const SHORT_MASK = 0x7e00

/** These bits for a payload. */
export function shortBits(payloadBytes: number, fullBytes: number): number {
  return payloadBytes === fullBytes ? 0 : (63 - Math.floor((63 * payloadBytes) / fullBytes)) << SHORT_SHIFT
}

/**
 * 15 bits of `flags` from this one up: the virtual path of the packet, its UDP source port less PATH_PORT. Its ACK
 * returns on the same path. 0: the packet names none and uses the QP's own port.
 */
export const PATH_SHIFT = 15
export const PATH_PORT = 49_151
export const PATH_MASK = 0x3fff_8000

/** A NAK whose `sackPsn` was trimmed and is missing; other NAKs name a packet that arrived. */
export const NAMES_TRIMMED = 0x4000_0000

/** Operation of a message: WRITE, SEND or READ. */
export type MessageOperation = 'write' | 'send' | 'read'

export class Segment {
  kind: SegmentKind = DATA
  psn = 0
  payloadBytes = 0
  flags = 0
  ecn = NOT_ECT
  /**
   * ACK, NAK: AETH syndrome (wire/aeth.ts). Data: number of SENDs posted before, which selects the Receive WQE of a
   * SEND. CNM: quantized feedback, 0..63.
   */
  syndrome = 0
  /**
   * NAK of a reordering recovery, or ACK with SACK: the packet that arrived ([IRN] 3.1) or was trimmed (NAMES_TRIMMED).
   * Other NAKs: the expected PSN.
   */
  sackPsn = 0
  /** Transmission start of the data packet or RTT request; ACKs, NAKs and RTT responses copy it from their packet. */
  sentPs = DOUBLE_ZERO
  /** ACK, NAK: network delay of the packet acknowledged. */
  delayPs = DOUBLE_ZERO
  /** Telemetry of this data packet, or of the packet acknowledged; owned by the caller, to be copied. */
  hops = NO_HOPS
  /**
   * Packets received by a sender: start of their last transmission (a live driver: now), to order events at one instant
   * by their causes.
   */
  causePs = DOUBLE_ZERO
  /** Number of the packet record that it was read from, for observers. */
  ordinal = 0
}
