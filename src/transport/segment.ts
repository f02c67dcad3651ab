/**
 * Segment: one RoCEv2 packet as an endpoint sees it, decoded. Callers own it and use it again for the next.
 * PSNs are 24 bits as on the wire; an ACK carries the PSN of the last packet acknowledged, a NAK the expected PSN
 * (IBTA 9.7.5). Sizes are bytes, times picoseconds.
 */

import { DOUBLE_ZERO } from '../base/double.ts'

export const DATA = 0
export const ACK = 1
export const NAK = 2
export const RNR_NAK = 3
export const CNP = 4
export const READ_REQUEST = 5
/** How long is the way? From the data's sender, and its receiver's answer; 6 is a PFC frame (fabric/packets.ts). */
export const RTT_REQUEST = 7
export const RTT_RESPONSE = 8

export type SegmentKind =
  | typeof DATA
  | typeof ACK
  | typeof NAK
  | typeof RNR_NAK
  | typeof CNP
  | typeof READ_REQUEST
  | typeof RTT_REQUEST
  | typeof RTT_RESPONSE

/** ECN codepoints (RFC 3168). */
export const NOT_ECT = 0
export const ECT_0 = 2
export const CE = 3

/** Bits of `flags`. */
export const FIRST = 1
export const LAST = 2
export const ACK_REQUEST = 4
/** ECN echo: the packet this answers was marked. */
export const ECE = 8
/** First packet of a WRITE: carries the RETH. */
export const RETH = 16
/** Packets of a SEND, which consume a Receive WQE. */
export const SEND = 32
/** Sent before; a READ request: repeated, so that all below its PSN is there. */
export const RETRANSMITTED = 64

export class Segment {
  kind: SegmentKind = DATA
  psn = 0
  payloadBytes = 0
  flags = 0
  ecn = NOT_ECT
  /** AETH of answers: syndrome (wire/aeth.ts). READ request: packets asked for. */
  syndrome = 0
  /** Transmission start of the data packet or RTT request; answers echo that of the packet they answer. */
  sentPs = DOUBLE_ZERO
  /** Answers: how long the packet they answer was under way. */
  delayPs = DOUBLE_ZERO
  /** When its last transmission began (a live driver: now): what happens at one instant stands in the order of causes. */
  causePs = DOUBLE_ZERO
}
