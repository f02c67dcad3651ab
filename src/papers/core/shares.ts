/**
 * Max-min fair rates of connections on a network's links, without simulating packets.
 * Connections form groups; all of a group have the same rate. All rates rise together, and groups on a link that is full
 * stop: max-min fairness among groups. With one connection per group this is the usual max-min fairness; with a single
 * group all connections get the rate that the most loaded link allows.
 * Units: bits per second on the wire, like the rates of links. ACKs count if `answerShare` is given.
 * Source: Bertsekas and Gallager, Data Networks, section 6.5.2 (filling).
 */
import { assert } from '../../core/base/assert.ts'
import type { ConnectionPath, ConnectionPaths } from '../../lab/index.ts'

/** How many connections run over each link. */
export function loadsOf({ links, connections }: ConnectionPaths): Int32Array {
  const loads = new Int32Array(links.length)
  for (const connection of connections) for (const link of connection.links) loads[link]!++
  return loads
}

/**
 * The rate of each connection.
 * @param groupOf number of the group that a connection belongs to.
 * @param answerShare bits of ACKs on the reverse path for each bit of data.
 */
export function sharedRatesBps(
  paths: ConnectionPaths,
  groupOf: (connection: ConnectionPath, index: number) => number,
  answerShare = 0,
): Float64Array {
  const { links, connections } = paths
  const group = connections.map(groupOf)
  const membersOf = new Map<number, number[]>()
  group.forEach((g, c) => membersOf.set(g, [...(membersOf.get(g) ?? []), c]))
  const groupsOn = links.map(() => new Set<number>())
  /** Per link: connections whose rate still rises, and the sum of their weights. */
  const open = new Int32Array(links.length)
  const weights = new Float64Array(links.length)
  const put = (path: readonly number[], weight: number, g: number): void => {
    for (const link of path) {
      groupsOn[link]!.add(g)
      open[link]!++
      weights[link]! += weight
    }
  }
  connections.forEach((connection, c) => {
    put(connection.links, 1, group[c]!)
    if (answerShare > 0) put(connection.answerLinks, answerShare, group[c]!)
  })
  const leftBps = Float64Array.from(links, (link) => link.rateBps)
  const take = (path: readonly number[], weight: number, rateBps: number): void => {
    for (const link of path) {
      leftBps[link]! -= rateBps * weight
      weights[link]! -= weight
      open[link]!--
    }
  }
  const rates = new Float64Array(connections.length)
  while (membersOf.size > 0) {
    let full = -1
    for (let link = 0; link < links.length; link++) {
      if (open[link]! === 0) continue
      if (full < 0 || leftBps[link]! / weights[link]! < leftBps[full]! / weights[full]!) full = link
    }
    assert(full >= 0, 'a connection without a link has no share')
    const rateBps = leftBps[full]! / weights[full]!
    for (const g of groupsOn[full]!) {
      for (const c of membersOf.get(g) ?? []) {
        rates[c] = rateBps
        take(connections[c]!.links, 1, rateBps)
        if (answerShare > 0) take(connections[c]!.answerLinks, answerShare, rateBps)
      }
      membersOf.delete(g)
    }
  }
  return rates
}
