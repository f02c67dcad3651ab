/**
 * Round trips: how long a full packet and its ACK take, each pair of hosts alone in the network.
 * Units: picoseconds. Hosts below one switch on links of the same rate and delay are alike, so that two of them stand for
 * all; few pairs are left even where there are thousands of hosts.
 */
import { mostOf } from '../../base/extremes.ts'
import type { FrameSizes } from '../../transport/endpoint.ts'
import { firstPath, idealBackPs, idealPs } from './ideal.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'

/** The longest of all pairs of hosts, on the first path and over the frames of all workloads; NaN: no two are connected. */
export function longestRoundTripPs(built: BuiltNetwork): number {
  return mostOf([...new Set([built.frames, ...built.framesOf])].map((frames) => largestRoundTripPs(built, frames)))
}

/** The same of queue pairs with these frames. */
export function largestRoundTripPs(built: BuiltNetwork, frames: FrameSizes): number {
  const { network, topology, routes, headerBytes } = built
  const hosts = topology.endpoints.length
  const ackBytes = Math.max(frames.ackBytes, frames.minimumBytes)
  const alike = new Map<string, number[]>()
  network.nics.forEach(({ port }, position) => {
    const key = `${port.peer.node}/${port.rateBps}/${port.delayPs}`
    const group = alike.get(key)
    if (group === undefined) alike.set(key, [position])
    // Two of each, since they send to each other too.
    else if (group.length < 2) group.push(position)
  })
  const some = [...alike.values()].flat()
  let largestPs = NaN
  for (const source of some) {
    for (const destination of some) {
      if (source === destination || !built.hostPorts.isUsed(source, destination)) continue
      const path = firstPath(
        network.nics[source]!.port,
        destination,
        hosts,
        routes,
        (node, index) => network.switches[node]!.ports[index]!,
      )
      if (path === null) continue
      const roundTripPs =
        idealPs(path, frames.payloadBytes, 'read', frames, headerBytes) + idealBackPs(path, ackBytes, headerBytes)
      if (!(roundTripPs <= largestPs)) largestPs = roundTripPs
    }
  }
  return largestPs
}
