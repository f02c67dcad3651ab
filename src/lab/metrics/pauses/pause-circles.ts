/**
 * Pause circles: pauses that wait for each other, PFC's deadlock by cyclic buffer dependency. Each is asked for by the
 * next switch, whose buffer holds packets from it that have to leave by the next port of the circle, which is paused too.
 * A circle may still resolve while a switch of it can send enough of these packets another way; one in which no queue
 * can send has none to resolve it but expiry, a watchdog or a link that goes down.
 * Source: Guo et al. 2016, section 4.2; [MS-Scale 4.2].
 */
import { circularParts, findCircle } from '../../../core/base/circle.ts'
import { mostOf } from '../../../core/base/extremes.ts'
import type { Network } from '../../../core/fabric/network.ts'
import { heldUpBy, hostsAmong, type PauseGraph } from './pause-graph.ts'

export interface PauseCircleFound {
  /** Indices in the graph of one circle, in the order of waiting: each waits for the next, the last for the first. */
  readonly circle: readonly number[]
  /** All pauses that wait for each other in this and other circles; ascending. */
  readonly members: readonly number[]
  readonly trafficClass: number
  /** Start of the last pause of the circle: it closed then. */
  readonly sincePs: number
  /** Pauses that wait for the members and are none; ascending. */
  readonly victims: readonly number[]
  /** Hosts that may not send for that reason; ascending. */
  readonly hosts: readonly number[]
}

/** All sets of pauses that wait for each other, by class and then by their first ports. */
export function pauseCirclesOf(network: Network, graph: PauseGraph): PauseCircleFound[] {
  const { pauses } = graph
  const nextOf = (index: number): number[] => pauses[index]!.waitsFor.map(({ pause }) => pause)
  return circularParts(pauses.length, nextOf)
    .map((members): PauseCircleFound => {
      const inside = new Set(members)
      const circle = findCircle(members, (index) => nextOf(index).filter((next) => inside.has(next)))!
      const reached = heldUpBy(graph, members)
      return {
        circle,
        members,
        trafficClass: pauses[circle[0]!]!.trafficClass,
        sincePs: mostOf(circle.map((index) => pauses[index]!.sincePs)),
        victims: reached.filter((index) => !inside.has(index)),
        hosts: hostsAmong(network, graph, reached),
      }
    })
    .sort((a, b) => a.trafficClass - b.trafficClass || a.members[0]! - b.members[0]!)
}

/**
 * Queue pairs that cannot end while a circle holds, by number: those with a packet in a queue of a member or victim, and
 * those whose host may not send what they have to.
 */
export function pairsHeldBy(network: Network, graph: PauseGraph, { members, victims }: PauseCircleFound): number[] {
  const held = new Set<number>()
  /** By endpoint: bit per class that may not send. */
  const stopped = new Map<number, number>()
  for (const index of [...members, ...victims]) {
    const { port, trafficClass } = graph.pauses[index]!
    port.queue.visit(trafficClass, (_input, _sizeBytes, direction) => held.add(direction >> 1))
    if (port.nic !== null) stopped.set(port.nic.position, (stopped.get(port.nic.position) ?? 0) | (1 << trafficClass))
  }
  for (const pair of network.pairs) {
    const isStopped = ((stopped.get(pair.source) ?? 0) & (1 << pair.trafficClass)) !== 0
    if (isStopped && !pair.sender.isIdle && !pair.sender.isFailed) held.add(pair.id)
  }
  return [...held].filter((id) => id >= 0 && id < network.pairs.count).sort((a, b) => a - b)
}
