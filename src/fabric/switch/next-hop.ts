/**
 * Next-hop table of a switch: a byte for each host, so that the table stays in the cache; in large fabrics also a byte for
 * each block of adjacent hosts, mostly those of one switch.
 */
import type { RouteTable } from './routes.ts'

/** Log2 of the number of hosts of a block. */
const BLOCK_BITS = 3
const LARGE_HOSTS = 256
/** Entries besides local ports: each host of the block has its own entry; the common list; the full routes. */
export const PARTED = 253
export const COMMON_LIST = 254
export const LOOK_UP = 255

export interface NextHops {
  /** Entries of the blocks, then those of the hosts. */
  readonly table: Uint8Array<ArrayBuffer>
  /** 0: there are no blocks. */
  readonly blockBits: number
  /** Index of the first host. */
  readonly hostsFrom: number
}

/** @param base index of the switch's entries in `routes.listOf` @param common the list of COMMON_LIST, or -1 */
export function nextHops(routes: RouteTable, base: number, hostCount: number, common: number): NextHops {
  const blockBits = hostCount < LARGE_HOSTS ? 0 : BLOCK_BITS
  const hostsFrom = blockBits === 0 ? 0 : Math.ceil(hostCount / 2 ** BLOCK_BITS)
  const table = new Uint8Array(hostsFrom + hostCount)
  const hosts = table.subarray(hostsFrom)
  for (let host = 0; host < hostCount; host++) {
    const list = routes.listOf[base + host]!
    const port = list >= 0 && routes.listLength[list] === 1 ? routes.ports[routes.listStart[list]!]! : 0
    hosts[host] = port > 0 && port < PARTED ? port : list >= 0 && list === common ? COMMON_LIST : LOOK_UP
  }
  for (let block = 0; block < hostsFrom; block++) {
    const hops = hosts.subarray(block << BLOCK_BITS, (block + 1) << BLOCK_BITS)
    table[block] = hops.every((hop) => hop === hops[0]) ? hops[0]! : PARTED
  }
  return { table, blockBits, hostsFrom }
}
