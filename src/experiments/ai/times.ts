/**
 * Times of collectives in an idle network, by formula; nothing here knows the simulator. A message of s bytes takes tau(s) on
 * one link, and T1(s) alone over a path of store-and-forward switches; the ACKs of the opposite direction take the room a(s).
 * Source: arithmetic on the sizes of RoCEv2 frames, and the steps of each algorithm (Thakur et al. 2005).
 */

/** Headers, preamble and gap of a data packet, what the first of a WRITE has more, and an ACK; bytes on the wire. */
const OVERHEAD = 82
const FIRST = 16
const ACK = 86

/** The links of a path, all of one rate. */
export interface Line {
  readonly rateBps: number
  readonly payloadBytes: number
  readonly links: number
  /** Propagation over all of them, ps. */
  readonly delayPs: number
}

const packetsOf = (sizeBytes: number, { payloadBytes }: Line): number =>
  Math.max(1, Math.ceil(sizeBytes / payloadBytes))
const bitsPs = (bytes: number, { rateBps }: Line): number => (bytes * 8e12) / rateBps

/** Bytes of a message on the wire. */
export const wireBytes = (sizeBytes: number, line: Line): number =>
  sizeBytes + packetsOf(sizeBytes, line) * OVERHEAD + FIRST

/** tau: a message on one link, ps. */
export const onLinkPs = (sizeBytes: number, line: Line): number => bitsPs(wireBytes(sizeBytes, line), line)

/** T1: a message alone, from its post to its last byte, ps. */
export function alonePs(sizeBytes: number, line: Line): number {
  const packet = Math.min(sizeBytes, line.payloadBytes) + OVERHEAD
  return onLinkPs(sizeBytes, line) + (line.links - 1) * bitsPs(packet, line) + line.delayPs
}

/** a: the room of the opposite direction's ACKs, one for each packet, ps. */
export const ackRoomPs = (sizeBytes: number, line: Line): number => bitsPs(ACK * packetsOf(sizeBytes, line), line)

/** The return of one ACK, ps. */
export const ackPs = (line: Line): number => bitsPs(ACK * line.links, line) + line.delayPs

/** A step whose parts have this size. */
export const stepPs = (sizeBytes: number, line: Line): number => alonePs(sizeBytes, line) + ackRoomPs(sizeBytes, line)

/** Steps of a ring all-reduce. */
export const ringSteps = (ranks: number): number => 2 * (ranks - 1)

/** Exchanges of halving and doubling, each way: size of the parts and the bit in which partners differ. */
export function exchangesOf(sizeBytes: number, ranks: number): { readonly bytes: number; readonly bit: number }[] {
  const bits = Math.log2(ranks)
  return Array.from({ length: bits }, (_, j) => ({ bytes: sizeBytes / 2 ** (j + 1), bit: bits - 1 - j }))
}
