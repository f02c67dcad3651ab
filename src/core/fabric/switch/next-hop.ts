/**
 * Next hops of all switches: a byte for each group of hosts. Rows are in one table, equal ones once, as those of all core
 * switches of a tree are, so that a large fabric's stay in the cache.
 */
import { commonList, type RouteTable } from './routes.ts'

/** Entries besides local ports: each host of the group has a port of its own; the common list; the full routes. */
export const OWN_PORT = 253
export const COMMON_LIST = 254
export const LOOK_UP = 255

export interface NextHops {
  readonly table: Uint8Array
  /** Where the row of each node begins; -1 at hosts. */
  readonly rowOf: Int32Array
  /** By node: the list of several ports by which it reaches most groups (COMMON_LIST); -1: none. */
  readonly commonOf: Int32Array
}

export function nextHopsOf(routes: RouteTable): NextHops {
  const { groupCount } = routes
  const rows: Uint8Array[] = []
  const known = new Map<number, number[]>()
  const commonOf = routes.rowOf.map((row) => (row < 0 ? -1 : commonList(routes, row)))
  const rowOf = routes.rowOf.map((from, node) => {
    if (from < 0) return -1
    const row = new Uint8Array(groupCount)
    let hash = 0
    for (let group = 0; group < groupCount; group++) {
      row[group] = entryOf(routes, from, group, commonOf[node]!)
      hash = (Math.imul(hash, 31) + row[group]!) | 0
    }
    const alike = known.get(hash) ?? []
    known.set(hash, alike)
    const equal = alike.find((other) => rows[other]!.every((entry, group) => entry === row[group]))
    if (equal !== undefined) return equal * groupCount
    alike.push(rows.length)
    return (rows.push(row) - 1) * groupCount
  })
  const table = new Uint8Array(rows.length * groupCount)
  rows.forEach((row, i) => table.set(row, i * groupCount))
  return { table, rowOf, commonOf }
}

/** @param row where the switch's entries begin in the routes @param common its list of COMMON_LIST, or -1 */
function entryOf({ listOf, listLength, listStart, ports }: RouteTable, row: number, group: number, common: number) {
  const list = listOf[row + group]!
  if (list === -2) return OWN_PORT
  const port = list >= 0 && listLength[list] === 1 ? ports[listStart[list]!]! : 0
  if (port > 0 && port < OWN_PORT) return port
  return list >= 0 && list === common ? COMMON_LIST : LOOK_UP
}
