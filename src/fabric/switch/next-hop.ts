/**
 * Next-hop table of a switch: a byte for each group of hosts, so that the table stays in the cache.
 */
import type { RouteTable } from './routes.ts'

/** Entries besides local ports: each host of the group has a port of its own; the common list; the full routes. */
export const OWN_PORT = 253
export const COMMON_LIST = 254
export const LOOK_UP = 255

/** @param row where the switch's entries begin @param common the list of COMMON_LIST, or -1 */
export function nextHops(routes: RouteTable, row: number, common: number): Uint8Array<ArrayBuffer> {
  const table = new Uint8Array(routes.groupCount)
  for (let group = 0; group < table.length; group++) {
    const list = routes.listOf[row + group]!
    const port = list >= 0 && routes.listLength[list] === 1 ? routes.ports[routes.listStart[list]!]! : 0
    if (list === -2) table[group] = OWN_PORT
    else table[group] = port > 0 && port < OWN_PORT ? port : list >= 0 && list === common ? COMMON_LIST : LOOK_UP
  }
  return table
}
