/**
 * Paths: the links that each queue pair's data takes, without running anything but the workload's first instant.
 * Built exactly as a run of the scenario (same random source ports, same hash seeds), so that computations on these paths
 * and the simulation can be compared connection by connection.
 * A link here is one direction, numbered by the port that sends into it.
 */
import { inputError } from '../core/base/issue.ts'
import { Memory } from '../core/base/memory.ts'
import { createRandomStreams } from '../core/base/random.ts'
import type { Port } from '../core/fabric/link/port.ts'
import type { QueuePair } from '../core/fabric/pairs/queue-pair.ts'
import type { Scenario } from './scenario/scenario.ts'
import { DATA } from '../core/transport/segment.ts'
import { hasPaths, pathVarietyOf } from './network/definitions.ts'
import { Mistakes } from './network/mistakes.ts'
import { buildNetwork, type BuiltNetwork } from './network/network-builder.ts'
import { Traffic } from './run/traffic.ts'

/** One direction of a link. */
export interface PathLink {
  readonly rateBps: number
  /** Nodes at its ends, by name, and their tiers: 0 host, 1 the switch above a host, ... */
  readonly from: string
  readonly to: string
  readonly fromTier: number
  readonly toTier: number
}

/** The path of one queue pair. */
export interface ConnectionPath {
  /** Hosts, by index. */
  readonly source: number
  readonly destination: number
  /** Indexes into `links`, from the source on. */
  readonly links: readonly number[]
  /** The same for ACKs, from the destination on. */
  readonly answerLinks: readonly number[]
}

export interface ConnectionPaths {
  readonly links: readonly PathLink[]
  /** Queue pairs in the order in which they were opened. */
  readonly connections: readonly ConnectionPath[]
}

/**
 * Paths of all queue pairs that the workload opens up to `untilPs`, by default at time 0.
 * Throws InputError for a path choice that gives a queue pair no path of its own.
 */
export function connectionPaths(scenario: Scenario, untilPs = 0): ConnectionPaths {
  if (pathVarietyOf(scenario) !== 'known')
    throw inputError('balance', 'ecmp, as only there a queue pair keeps its path', scenario.balance.kind)
  if (scenario.nic.portChoice !== 'bound')
    throw inputError('nic.portChoice', 'bound, as only there a queue pair keeps its path', scenario.nic.portChoice)
  if (hasPaths(scenario)) throw inputError('recovery', 'one whose queue pairs keep to one path', scenario.recovery.kind)
  const random = createRandomStreams(scenario.seed)
  const traffic = new Traffic(scenario)
  const memory = new Memory()
  try {
    return pathsOf(buildNetwork(scenario, random, traffic, { memory }))
  } finally {
    memory.release()
  }

  function pathsOf(built: BuiltNetwork): ConnectionPaths {
    const mistakes = new Mistakes()
    traffic.start(built, random, mistakes)
    mistakes.settle()
    while (built.network.advance(65_536, untilPs));
    const { network, topology } = built
    const links = network.ports.map((port): PathLink => {
      const from = network.nodeOf(port.id)
      const to = network.nodeOf(port.peer.id)
      return {
        rateBps: port.rateBps,
        from: topology.names[from]!,
        to: topology.names[to]!,
        fromTier: topology.tiers[from]!,
        toTier: topology.tiers[to]!,
      }
    })
    return {
      links,
      connections: [...network.pairs].map((pair) => ({
        source: network.hostOf[pair.source]!,
        destination: network.hostOf[pair.destination]!,
        links: portsOf(built, pair, false).map((port) => port.id),
        answerLinks: portsOf(built, pair, true).map((port) => port.id),
      })),
    }
  }
}

/** The egress ports of a pair's data, or of its ACKs, from the NIC's to the last switch's. */
function portsOf(built: BuiltNetwork, pair: QueuePair, isAnswer: boolean): Port[] {
  const { network, routes, balance, topology } = built
  const { packets } = network.fabric
  const [source, destination] = isAnswer ? [pair.destination, pair.source] : [pair.source, pair.destination]
  const probe = packets.make(DATA, pair.id * 2 + (isAnswer ? 1 : 0), destination, 0, pair.codepoint)
  const ports = [network.nics[source]!.port]
  for (let node = ports[0]!.peer.node; routes.hostIndexOf[node]! < 0; node = ports.at(-1)!.peer.node) {
    const list = routes.listAt(node, destination)
    if (list < 0) {
      const [from, to] = [topology.names[node]!, topology.names[topology.endpoints[destination]!]!]
      throw inputError('topology', `a route from ${from} to ${to}`, 'none')
    }
    const count = routes.listLength[list]!
    const first = routes.listStart[list]!
    const index = count === 1 ? 0 : balance.choose(node, probe, count, first)
    ports.push(network.switches[node]!.ports[routes.ports[first + index]!]!)
  }
  packets.free(probe)
  return ports
}
