/**
 * Pause circle: switch ports that wait for each other. Each is paused by the next switch, whose buffer is full of what
 * came from it and has to leave by the next port of the circle, which is paused too. It is a deadlock by
 * cyclic buffer dependency, unless a queue of the circle drains another way.
 * Source: Guo et al. 2016, section 4.2 (the deadlock); the wait-for graph is that of Dally and Seitz 1987.
 */
import { findCircle } from '../../base/circle.ts'
import { mostOf } from '../../base/extremes.ts'
import type { Port } from '../../fabric/link/port.ts'
import type { PauseCircle } from '../../results/result.ts'
import type { BuiltNetwork } from '../build/network-builder.ts'

const CLASSES = 8

/** The circle of lowest class, if ports wait so now; null: none do. */
export function pauseCircleOf({ network, topology }: BuiltNetwork): PauseCircle | null {
  for (let c = 0; c < CLASSES; c++) {
    const waiting = network.ports.filter(
      (port) => port.at !== null && (port.pausedMask & (1 << c)) !== 0 && port.queue.bytesOf(c) > 0,
    )
    const circle = findCircle(waiting, (port) => nextOf(port, c))
    if (circle === null) continue
    return {
      nodes: circle.map((port) => topology.names[port.node]!),
      trafficClass: c,
      sincePs: mostOf(circle.map((port) => port.pausedSincePs(c))),
    }
  }
  return null
}

/** Paused ports of the switch behind this one that hold packets which came from it. */
function nextOf(port: Port, trafficClass: number): Port[] {
  const { peer } = port
  if (peer.at === null) return []
  return peer.at.ports.filter(
    (next): next is Port =>
      next !== undefined &&
      (next.pausedMask & (1 << trafficClass)) !== 0 &&
      next.queue.holdsFrom(trafficClass, peer.index - 1),
  )
}
