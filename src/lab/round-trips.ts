/**
 * Round trips: how long a full packet and its ACK take, each pair of hosts alone in the network.
 * Units: picoseconds. Hosts below one switch at cables of the same rate and delay are alike, so that one of them stands
 * for all; what is left is small even where there are thousands of hosts.
 */
import { firstPath, idealBackPs, idealPs } from './ideal.ts'
import type { BuiltNetwork } from './network-builder.ts'

/** The longest of all pairs that have a way, its first one; NaN where there is none. */
export function largestRoundTripPs(built: BuiltNetwork): number {
  const { network, topology, routes, frames } = built
  const hosts = topology.hosts.length
  const ackBytes = Math.max(frames.ackBytes, frames.minimumBytes)
  const alike = new Map<string, number[]>()
  network.nics.forEach(({ port }, position) => {
    const key = `${port.peer.node}/${port.rateBps}/${port.delayPs}`
    const group = alike.get(key)
    if (group === undefined) alike.set(key, [position])
    // Two of a kind, since they send to each other too.
    else if (group.length < 2) group.push(position)
  })
  const some = [...alike.values()].flat()
  let largestPs = NaN
  for (const source of some) {
    for (const destination of some) {
      if (source === destination) continue
      const path = firstPath(
        network.nics[source]!.port,
        destination,
        hosts,
        routes,
        (node, index) => network.switches[node]!.ports[index]!,
      )
      if (path === null) continue
      const roundTripPs = idealPs(path, frames.payloadBytes, 'read', frames) + idealBackPs(path, ackBytes)
      if (!(roundTripPs <= largestPs)) largestPs = roundTripPs
    }
  }
  return largestPs
}
