/**
 * Segment: one RoCEv2 packet as an endpoint sees it, decoded. Callers own it and use it again for the next.
 * PSNs are 24 bits as on the wire; an ACK carries the PSN of the last packet acknowledged, a NAK the expected PSN
 * (IBTA 9.7.5). Sizes are bytes, times picoseconds.
 */

import { DOUBLE_ZERO } from '../base/double.ts'
import { NO_HOPS } from './hops.ts'

export const DATA = 0
export const ACK = 1
export const NAK = 2
export const RNR_NAK = 3
export const CNP = 4
export const READ_REQUEST = 5
/** Congestion notification message of a switch (802.1Qau); 6 is the fabric's. */
export const CNM = 7
/**
 * RTT probes: how long is the way? From the data's sender, and its receiver's answer.
 * The digest of events has three bits for the kind and a fourth for a mark (fabric/network.ts), so 8 and up stand for a
 * marked packet of the kind less 8. These two are what a marked ACK and a marked NAK would be, which there are not:
 * answers are never ECN-capable.
 */
export const RTT_REQUEST = 9
export const RTT_RESPONSE = 10
/**
 * The header of a data packet whose payload a switch has cut off: the packet is lost, and this says so. It has the fields of
 * its data packet. In the digest it stands for a marked RNR NAK, which there is not; one that is marked itself stands for an
 * RNR NAK, which goes the other way and so is of another flow.
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
/** ECN echo: the packet this answers was marked. */
export const ECE = 8
/** First packet of a WRITE: carries the RETH. */
export const RETH = 16
/** Packets of a SEND, which consume a Receive WQE. */
export const SEND = 32
/**
 * Sent before; an answer tells it of the packet that it answers. A READ request: the first that is repeated, so that all
 * below its PSN is there.
 */
export const RETRANSMITTED = 64
/** An ACK that also names a packet that came out of order, in `sackPsn` (TCP: a duplicate ACK with a SACK option). */
export const SACK = 128
/** Data: the sender has slowed down for a mark (RFC 3168); the bit that ECE has in answers. */
export const CWR = 8
/** Not to be taken before everything that was sent before it (MP-RDMA). */
export const SYNCHRONISE = 256
/**
 * Six bits: by how many 64ths the payload is less than a full packet's, at least one; 0: it is full. An answer tells it of
 * the packet that it answers, where a sender would look up what it sent: delays of packets of different sizes differ.
 */
const SHORT_SHIFT = 9
export const SHORT_MASK = 0x7e00

/** Those bits of a packet. */
export function shortBits(payloadBytes: number, fullBytes: number): number {
  return payloadBytes === fullBytes ? 0 : (63 - Math.floor((63 * payloadBytes) / fullBytes)) << SHORT_SHIFT
}

/**
 * From this bit up 15 bits of `flags`: the virtual path of a packet that names one, which is its UDP source port less
 * PATH_PORT. Its answer goes back on the same. 0: it names none, and goes by the QP's own port.
 */
export const PATH_SHIFT = 15
export const PATH_PORT = 49_151
export const PATH_MASK = 0x3fff_8000

/** A NAK whose `sackPsn` has been trimmed and so is missing, where other NAKs name a packet that arrived. */
export const NAMES_TRIMMED = 0x4000_0000

export class Segment {
  kind: SegmentKind = DATA
  psn = 0
  payloadBytes = 0
  flags = 0
  ecn = NOT_ECT
  /** Answers: AETH syndrome (wire/aeth.ts). Data: number of SENDs posted before, which is that of a SEND's Receive WQE. CNM: quantized feedback, 0..63. */
  syndrome = 0
  /** NAK of a recovery that takes packets out of order, or ACK with SACK: the one that arrived ([IRN] 3.1), or was trimmed (NAMES_TRIMMED). Other NAKs: the PSN expected. */
  sackPsn = 0
  /** Transmission start of the data packet or RTT request; answers echo that of the packet they answer. */
  sentPs = DOUBLE_ZERO
  /** Answers: how long the packet they answer was under way. */
  delayPs = DOUBLE_ZERO
  /** What switches wrote into the data packet it is, or answers; the caller's, to be copied. */
  hops = NO_HOPS
  /** What a sender hears: when its last transmission began (a live driver: now), since one instant has an order of causes. */
  causePs = DOUBLE_ZERO
}
