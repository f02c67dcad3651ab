/**
 * Topologies and transports that the pictures share, as text of scenarios; and times of collectives in an idle network, by
 * formula, which knows nothing of the simulator. A message of s bytes takes tau(s) on one link, and T1(s) alone over a path
 * of store-and-forward switches; the ACKs of the opposite direction take the room a(s).
 * Source: arithmetic on the sizes of RoCEv2 frames, and the steps of each algorithm (Thakur et al. 2005).
 */
import { GBPS } from '../../core/base/index.ts'

export const LINK_GBPS = 100
export const RATE_BPS = LINK_GBPS * GBPS
export const PAYLOAD = 4096
export const MIB = 2 ** 20

/** A path over this many links of 1 us each. */
export const lineOf = (links: number, rateBps = RATE_BPS): Line => {
  return { rateBps, payloadBytes: PAYLOAD, links, delayPs: links * 1e6 }
}

/** As many spines as hosts on a leaf: each leaf can send up all that its hosts send. */
export const leafSpine = (leaves: number, hostsPerLeaf: number): string =>
  `topology: {kind: leaf-spine, leaves: ${leaves}, spines: ${hostsPerLeaf}, hostsPerLeaf: ${hostsPerLeaf}, hostRate: ${LINK_GBPS}Gbps, fabricRate: ${LINK_GBPS}Gbps}`

export const starOf = (hosts: number, rates = ''): string =>
  `topology: {kind: star, hosts: ${hosts}, linkRate: ${LINK_GBPS}Gbps, linkDelay: 1us${rates}}`

/**
 * IRN without a NACK for each late packet: its window is two bandwidth-delay products of the longest path, some 8 us, and a
 * packet counts as lost when as many have overtaken it. Buffers never fill.
 */
const IRN = `
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, size: 64MB, alpha: 8}, ecn: {classes: []}}
recovery: {kind: irn, cap: 64, nackThreshold: 64}
congestion: none`

/** Marking thresholds of [HPCC] 5.1: 100 and 400 KB for each 25 Gb/s. */
const ROCE = 'switch: {ecn: {kmin: 400KB, kmax: 1600KB, pmax: 0.2}}'

export const TRANSPORTS = {
  'ecmp, PFC and DCQCN': `balance: {kind: ecmp, seed: random}\n${ROCE}\ncongestion: dcqcn-connectx4`,
  'ecmp, PFC alone': `balance: {kind: ecmp, seed: random}\n${ROCE}\ncongestion: none`,
  'ecmp, IRN': `balance: {kind: ecmp, seed: random}${IRN}`,
  'spray, IRN': `balance: spray${IRN}`,
} as const
export type Transport = keyof typeof TRANSPORTS

/** Hosts in the order of the racks, or each in another rack than the one before. */
const ORDERS = ['rack by rack', 'across racks'] as const
export type Order = (typeof ORDERS)[number]

export function hostsIn(order: Order, leaves: number, hostsPerLeaf: number): number[] {
  const hostAt = (p: number): number => (p % leaves) * hostsPerLeaf + Math.floor(p / leaves)
  return Array.from({ length: leaves * hostsPerLeaf }, (_, p) => (order === 'rack by rack' ? p : hostAt(p)))
}

export const groupText = (hosts: readonly number[]): string => `[${hosts.map((host) => `"${host}"`).join(', ')}]`

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
