/**
 * Sources: makes the message sources of a scenario's workloads, the same for a run and for its forecast.
 */
import { mostOf } from '../../core/base/extremes.ts'
import { NEVER_PS } from '../../core/base/params.ts'
import type { RandomStreams } from '../../core/base/random.ts'
import { byWorkload } from '../scenario/mix.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { FrameSizes } from '../../core/transport/endpoint.ts'
import type { Topology } from '../../core/topology/topology.ts'
import { SILENT, workloads } from '../../core/workload/index.ts'
import type { Source, WorkloadContext, WorkloadDefinition } from '../../core/workload/workload.ts'
import { definitionOf, holdsAcks, withPath } from '../network/definitions.ts'
import type { Mistakes } from '../network/mistakes.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/** One source for each workload, in their order. */
export function createSources(
  scenario: Scenario,
  built: BuiltNetwork,
  random: RandomStreams,
  mistakes: Mistakes,
): Source[] {
  const context = workloadContext(scenario, built, random)
  const schemes = byWorkload(scenario)
  const known = new Map<string, number>()
  return scenario.workload.map((values, i) => {
    // Workloads of one kind and tag are numbered, so that their random streams differ.
    const key = `${values.kind}/${'tag' in values ? values.tag : ''}`
    const instance = known.get(key) ?? 0
    known.set(key, instance + 1)
    const make = (): Source =>
      definitionOf<WorkloadDefinition>(workloads, values).create(values, {
        ...context,
        ...frameFacts(built.framesOf[i]!),
        areAcksLate: holdsAcks(schemes[i]!),
        instance,
      })
    return mistakes.attempt(() => withPath(`workload.${i}`, make)) ?? SILENT
  })
}

/** The view of the network that workloads get. */
function workloadContext(scenario: Scenario, built: BuiltNetwork, random: RandomStreams): WorkloadContext {
  const { topology, network, frames } = built
  const above = topology.hostPorts.map(([first]) => network.nics[first!]!.port.peer.node)
  const groups = hostGroups(topology, above)
  return {
    hostCount: topology.hostPorts.length,
    portCounts: topology.hostPorts.map((ports) => ports.length),
    hostRateBps: topology.hostPorts.map((_ports, host) => built.hostPorts.hostRateBps(host)),
    racks: groups[0]!,
    groups,
    ...frameFacts(frames),
    generateUntilPs: scenario.measure.generate ?? NEVER_PS,
    random,
    isLogged: scenario.measure.flows === 'all',
  }
}

/**
 * Hosts by the switch they hang on, and for each higher tier by which reach each other over switches up to it.
 * @param above by host: that switch; of a host with several ports the switch of the first
 */
function hostGroups({ tiers, links, nodeCount }: Topology, above: readonly number[]): number[][][] {
  // Each node points towards the node of lowest number that it is known to reach.
  const first = Array.from({ length: nodeCount }, (_, node) => node)
  const find = (node: number): number => {
    let at = node
    while (first[at] !== at) at = first[at] = first[first[at]!]!
    return at
  }
  const grouped = (): number[][] => {
    const hosts = new Map<number, number[]>()
    above.forEach((node, host) => {
      const known = hosts.get(find(node))
      if (known === undefined) hosts.set(find(node), [host])
      else known.push(host)
    })
    return [...hosts].sort((a, b) => a[0] - b[0]).map(([, those]) => those)
  }
  const groups = [grouped()]
  for (let tier = 2; tier <= mostOf(tiers); tier++) {
    for (const { a, b } of links) {
      const [near, far] = [Math.min(tiers[a]!, tiers[b]!), Math.max(tiers[a]!, tiers[b]!)]
      if (near > 0 && far <= tier) first[Math.max(find(a), find(b))] = Math.min(find(a), find(b))
    }
    groups.push(grouped())
  }
  return groups
}

function frameFacts(frames: FrameSizes) {
  return {
    payloadBytes: frames.payloadBytes,
    overheadBytes: frames.dataOverheadBytes + frames.gapBytes,
    writeOverheadBytes: frames.writeOverheadBytes,
  }
}
