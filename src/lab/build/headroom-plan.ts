/**
 * Headroom plan: bytes that can still arrive at a switch after it has sent XOFF, for each kind of link, and the headroom
 * that its buffer keeps for them; computed before a run. With too little headroom a paused class still loses frames.
 * Units: bytes, bit/s, picoseconds.
 */
import { leastOf } from '../../base/extremes.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import type { Topology } from '../../topology/topology.ts'
import { classBits } from './device-options.ts'
import { frameLimitsOf } from './frames.ts'
import { headroomOf, type PortPlan, setAsideBytes, strictHeadroomOf } from './switch-buffers.ts'

/** Links of one rate and delay. */
export interface LinkHeadroom {
  readonly rateBps: number
  readonly delayPs: number
  readonly links: number
  /** All that can arrive of a class after XOFF, with the frame that crosses the threshold. Source: 802.1Qbb annex O, [MS-Scale] section 2. */
  readonly neededBytes: number
  /** Headroom of a class at a port; for input-queued buffers, the bytes above XOFF of a port, for all classes. */
  readonly givenBytes: number
}

export interface HeadroomPlan {
  readonly links: readonly LinkHeadroom[]
  /** The smallest shared pool of a switch; null: ports share nothing. */
  readonly poolBytes: number | null
}

/** null: no class has PFC, or there is no switch. */
export function headroomPlan(scenario: Scenario, topology: Topology): HeadroomPlan | null {
  if (classBits(scenario.pfc.classes) === 0) return null
  const limits = frameLimitsOf(scenario)
  const b = scenario.switch.buffer
  const kinds = new Map<string, LinkHeadroom>()
  const portsOf = new Map<number, PortPlan[]>()
  for (const link of topology.links) {
    const { rateBps, delayPs } = link
    const plan = { rateBps, delayPs }
    for (const node of [link.a, link.b])
      if (topology.tiers[node] !== 0) portsOf.set(node, [...(portsOf.get(node) ?? []), { ...plan, values: scenario }])
    const key = `${rateBps}/${delayPs}`
    const known = kinds.get(key)
    kinds.set(key, {
      ...plan,
      links: (known?.links ?? 0) + 1,
      neededBytes: strictHeadroomOf(scenario, plan, limits) + limits.dataBytes,
      givenBytes: b.kind === 'input-queued' ? b.portBuffer - b.xoff : headroomOf(scenario, plan, limits),
    })
  }
  if (portsOf.size === 0) return null
  const pools = [...portsOf.values()].map((ports) => {
    if (b.kind === 'input-queued') return Infinity
    if (b.kind === 'memory-manager') return b.ingressPool ?? b.size - setAsideBytes(scenario, ports, limits)
    return b.pool === 'whole' ? b.size : b.size - setAsideBytes(scenario, ports, limits)
  })
  return { links: [...kinds.values()], poolBytes: b.kind === 'input-queued' ? null : leastOf(pools) }
}
