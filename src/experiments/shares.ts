/**
 * Shares: what connections get of a network's links when rates are dealt out by a rule instead of packet by packet.
 * Connections are in groups; all of a group have one rate. Rates rise together, and where a link is full the groups that
 * run over it stop: max-min fairness among groups. Each connection a group of its own: max-min fairness as usual.
 * All of them one group: equal rates, as much as the most loaded link of all allows.
 * Units: bits per second on the wire, as the links' rates are. Only the connections' own data counts, no ACKs.
 * Source: Bertsekas and Gallager, Data Networks, section 6.5.2 (filling).
 */
import { assert } from '../base/assert.ts'
import type { ConnectionPath, ConnectionPaths } from '../lab/index.ts'

/** How many connections run over each link. */
export function loadsOf({ links, connections }: ConnectionPaths): Int32Array {
  const loads = new Int32Array(links.length)
  for (const connection of connections) for (const link of connection.links) loads[link]!++
  return loads
}

/** The rate of each connection. @param groupOf any number; connections with the same one are a group. */
export function sharedRatesBps(
  paths: ConnectionPaths,
  groupOf: (connection: ConnectionPath, index: number) => number,
): Float64Array {
  const { links, connections } = paths
  const group = connections.map(groupOf)
  const membersOf = new Map<number, number[]>()
  group.forEach((g, c) => membersOf.set(g, [...(membersOf.get(g) ?? []), c]))
  const groupsOn = links.map(() => new Set<number>())
  connections.forEach(({ links: path }, c) => {
    for (const link of path) groupsOn[link]!.add(group[c]!)
  })
  const open = loadsOf(paths)
  const leftBps = Float64Array.from(links, (link) => link.rateBps)
  const rates = new Float64Array(connections.length)
  while (membersOf.size > 0) {
    let full = -1
    for (let link = 0; link < links.length; link++) {
      if (open[link]! === 0) continue
      if (full < 0 || leftBps[link]! / open[link]! < leftBps[full]! / open[full]!) full = link
    }
    assert(full >= 0, 'a connection without a link has no share')
    const rateBps = leftBps[full]! / open[full]!
    for (const g of groupsOn[full]!) {
      for (const c of membersOf.get(g) ?? []) {
        rates[c] = rateBps
        for (const link of connections[c]!.links) {
          leftBps[link]! -= rateBps
          open[link]!--
        }
      }
      membersOf.delete(g)
    }
  }
  return rates
}
