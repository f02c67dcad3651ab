/**
 * Sources: makes the message sources of a scenario's workloads, the same for a run and for its forecast.
 */
import { NEVER_PS } from '../../base/params.ts'
import type { RandomStreams } from '../../base/random.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { FrameSizes } from '../../transport/endpoint.ts'
import { workloads } from '../../workload/index.ts'
import type { Source, WorkloadContext, WorkloadDefinition } from '../../workload/workload.ts'
import { definitionOf, withPath } from '../network/definitions.ts'
import type { Mistakes } from '../network/mistakes.ts'
import type { BuiltNetwork } from '../network/network-builder.ts'

/** In place of a source that could not be made. */
const ABSENT: Source = { nextStartPs: NEVER_PS, take() {}, onComplete() {} }

/** One source for each workload, in their order. */
export function createSources(
  scenario: Scenario,
  built: BuiltNetwork,
  random: RandomStreams,
  mistakes: Mistakes,
): Source[] {
  const context = workloadContext(scenario, built, random)
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
        instance,
      })
    return mistakes.attempt(() => withPath(`workload.${i}`, make)) ?? ABSENT
  })
}

/** The view of the network that workloads get. */
function workloadContext(scenario: Scenario, built: BuiltNetwork, random: RandomStreams): WorkloadContext {
  const { topology, network, frames } = built
  const racks = new Map<number, number[]>()
  topology.hostPorts.forEach(([first], position) => {
    const above = network.nics[first!]!.port.peer.node
    const rack = racks.get(above)
    if (rack === undefined) racks.set(above, [position])
    else rack.push(position)
  })
  return {
    hostCount: topology.hostPorts.length,
    hostRateBps: topology.hostPorts.map((_ports, host) => built.hostPorts.hostRateBps(host)),
    racks: [...racks.entries()].sort((a, b) => a[0] - b[0]).map(([, hosts]) => hosts),
    ...frameFacts(frames),
    generateUntilPs: scenario.measure.generate ?? NEVER_PS,
    random,
  }
}

function frameFacts(frames: FrameSizes) {
  return {
    payloadBytes: frames.payloadBytes,
    overheadBytes: frames.dataOverheadBytes + frames.gapBytes,
    writeOverheadBytes: frames.writeOverheadBytes,
  }
}
