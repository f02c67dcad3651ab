/**
 * Headroom plan: bytes that can still arrive at a switch after it has sent XOFF, for each kind of port, and the headroom that
 * its buffer keeps for them; computed before a run. With too little headroom a paused class still loses frames.
 * Units: bytes, bit/s, picoseconds.
 */
import { leastOf } from '../../base/extremes.ts'
import { OPEN_SIZES } from '../../fabric/params.ts'
import type { HeadroomSum } from '../../fabric/headroom/terms.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { Topology } from '../../topology/topology.ts'
import { classBits } from './device-options.ts'
import { DeviceValues } from './device-values.ts'
import { type FrameLimits, frameLimitsOf } from './frames.ts'
import { asicHeadroomOf, strictSumOf } from './headroom-sums.ts'
import { bufferSizeBytes, headroomOf, type PortPlan, roundedStrictOf, setAsideBytes } from './switch-buffers.ts'

/** Ports of switches with one rate, cable and set of values. */
export interface PortHeadroom {
  readonly rateBps: number
  readonly delayPs: number
  readonly ports: number
  /** Names of the first such switch and of its neighbour. */
  readonly node: string
  readonly peer: string
  /** The most bytes of a class that can arrive after XOFF in the simulation, with the frame that crosses the threshold. */
  readonly strict: HeadroomSum
  /** Headroom of a scenario that gives none: the strict sum in whole frames. */
  readonly roundedBytes: number
  /** `switch.family` there; null: none is named. */
  readonly family: Exclude<Scenario['switch']['family'], 'off'> | null
  /** What hardware of that family needs. */
  readonly asic: HeadroomSum | null
  /** Headroom of a class at a port; for input-queued buffers, the bytes above XOFF of a port, for all classes. */
  readonly givenBytes: number
  /** Cell of its buffer; 0: it counts bytes. */
  readonly cellBytes: number
}

export interface HeadroomPlan {
  readonly kinds: readonly PortHeadroom[]
  /** The smallest shared pool of a switch; null: ports share nothing. */
  readonly poolBytes: number | null
}

/** null: no switch has PFC. */
export function headroomPlan(scenario: Scenario, topology: Topology): HeadroomPlan | null {
  const limits = frameLimitsOf(scenario)
  const portsOf = new Map<number, PortPlan[]>()
  const kinds = portKinds(scenario, topology, limits, portsOf)
  if (kinds.length === 0) return null
  const b = scenario.switch.buffer
  const pools = [...portsOf.values()].map((ports) => {
    if (b.kind === 'input-queued') return Infinity
    const sizeBytes = bufferSizeBytes(scenario, ports, limits)
    if (b.kind === 'memory-manager') return b.ingressPool ?? sizeBytes - setAsideBytes(scenario, ports, limits)
    return b.pool === 'whole' ? sizeBytes : sizeBytes - setAsideBytes(scenario, ports, limits)
  })
  return { kinds, poolBytes: b.kind === 'input-queued' ? null : leastOf(pools) }
}

/** The largest buffer that was chosen because the first size has no room for what is set aside. */
export interface GrownBuffer {
  /** Name of the first such switch. */
  readonly node: string
  readonly sizeBytes: number
  readonly setAsideBytes: number
}

/** null: the scenario gives a size, or the first one fits everywhere. */
export function grownBuffer(scenario: Scenario, topology: Topology): GrownBuffer | null {
  const { buffer } = scenario.switch
  if (buffer.kind === 'input-queued' || buffer.size !== null) return null
  const limits = frameLimitsOf(scenario)
  const portsOf = new Map<number, PortPlan[]>()
  portKinds(scenario, topology, limits, portsOf)
  let grown: GrownBuffer | null = null
  for (const [node, ports] of portsOf) {
    const sizeBytes = bufferSizeBytes(scenario, ports, limits)
    if (sizeBytes <= (grown?.sizeBytes ?? OPEN_SIZES[buffer.kind].firstBytes)) continue
    grown = { node: topology.names[node]!, sizeBytes, setAsideBytes: setAsideBytes(scenario, ports, limits) }
  }
  return grown
}

/** @param portsOf receives the ports of each switch */
function portKinds(
  scenario: Scenario,
  topology: Topology,
  limits: FrameLimits,
  portsOf: Map<number, PortPlan[]>,
): PortHeadroom[] {
  const values = new DeviceValues(scenario, topology)
  const numbers = new Map<Scenario, number>()
  const numberOf = (own: Scenario): number => {
    if (!numbers.has(own)) numbers.set(own, numbers.size)
    return numbers.get(own)!
  }
  const kinds = new Map<string, PortHeadroom>()
  const next = topology.names.map(() => 0)
  for (const { a, b, rateBps, delayPs } of topology.links) {
    const indexes = new Map([a, b].map((node) => [node, ++next[node]!]))
    for (const [node, peer] of [
      [a, b],
      [b, a],
    ] as const) {
      if (topology.tiers[node] === 0) continue
      const own = values.ofPort(node, indexes.get(node)!)
      const ports = portsOf.get(node) ?? []
      ports.push({ rateBps, delayPs, values: own })
      portsOf.set(node, ports)
      if (classBits(own.pfc.classes) === 0) continue
      const across = values.ofPort(peer, indexes.get(peer)!)
      const key = `${rateBps}/${delayPs}/${numberOf(own)}/${across.pfc.reactionTime}`
      const known = kinds.get(key)
      if (known !== undefined) kinds.set(key, { ...known, ports: known.ports + 1 })
      else {
        const toPause = { ...own, pfc: { ...own.pfc, reactionTime: across.pfc.reactionTime } }
        const names = { node: topology.names[node]!, peer: topology.names[peer]! }
        kinds.set(key, { ...names, ...portHeadroom(own, toPause, { rateBps, delayPs }, limits) })
      }
    }
  }
  return [...kinds.values()]
}

/** @param own values of the port @param toPause the same with the reaction time of its peer */
function portHeadroom(
  own: Scenario,
  toPause: Scenario,
  link: { readonly rateBps: number; readonly delayPs: number },
  limits: FrameLimits,
): Omit<PortHeadroom, 'node' | 'peer'> {
  const { buffer, family } = own.switch
  const cellBytes = buffer.kind === 'memory-manager' && buffer.cell > 1 ? buffer.cell : 0
  return {
    ...link,
    ports: 1,
    strict: strictSumOf(toPause, link, limits, cellBytes),
    roundedBytes: roundedStrictOf(toPause, link, limits),
    family: family === 'off' ? null : family,
    asic: asicHeadroomOf(own, link, limits),
    givenBytes: buffer.kind === 'input-queued' ? buffer.portBuffer - buffer.xoff : headroomOf(own, link, limits),
    cellBytes,
  }
}
