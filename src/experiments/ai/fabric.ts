/**
 * Fabric: topologies and transports that the pictures share, as text of scenarios.
 */
import { GBPS } from '../../base/index.ts'
import type { Line } from './times.ts'

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
export const ORDERS = ['rack by rack', 'across racks'] as const
export type Order = (typeof ORDERS)[number]

export function hostsIn(order: Order, leaves: number, hostsPerLeaf: number): number[] {
  const hostAt = (p: number): number => (p % leaves) * hostsPerLeaf + Math.floor(p / leaves)
  return Array.from({ length: leaves * hostsPerLeaf }, (_, p) => (order === 'rack by rack' ? p : hostAt(p)))
}

export const groupText = (hosts: readonly number[]): string => `[${hosts.map((host) => `"${host}"`).join(', ')}]`
