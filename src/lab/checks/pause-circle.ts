/**
 * Pause circle at the end of a run, for its result: the circle of lowest class among those of the pause graph.
 */
import { pairsHeldBy, pauseCirclesOf } from '../../metrics/pauses/pause-circles.ts'
import { pauseGraphOf } from '../../metrics/pauses/pause-graph.ts'
import type { PauseCircle } from '../../results/result.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/** The circle of lowest class, if ports wait so now; null: none do. */
export function pauseCircleOf({ network, topology }: BuiltNetwork): PauseCircle | null {
  const graph = pauseGraphOf(network)
  const [first] = pauseCirclesOf(network, graph)
  if (first === undefined) return null
  const ports = first.circle.map((index) => graph.pauses[index]!.port)
  return {
    nodes: ports.map((port) => topology.names[port.node]!),
    ports: ports.map((port) => port.index),
    trafficClass: first.trafficClass,
    sincePs: first.sincePs,
    members: first.members.length,
    victims: first.victims.length,
    hosts: first.hosts.length,
    pairs: pairsHeldBy(network, graph, first).length,
  }
}
