/**
 * Headroom plan: bytes that can still arrive at a switch after it has sent XOFF, for each kind of port, and the headroom that
 * its buffer keeps for them; computed before a run. With too little headroom a paused class still loses frames.
 * Units: bytes, bit/s, picoseconds.
 */
import { leastOf } from '../../core/base/extremes.ts'
import { OPEN_SIZES } from '../../core/fabric/params.ts'
import { familyOf, type FamilyName } from '../../core/fabric/headroom/families.ts'
import type { ShippedRow } from '../../core/fabric/headroom/shipped.ts'
import type { HeadroomSum } from '../../core/fabric/headroom/terms.ts'
import type { Scenario } from '../scenario/scenario.ts'
import type { Topology } from '../../core/topology/topology.ts'
import { classBits } from './device-options.ts'
import { DeviceValues } from './device-values.ts'
import { type FrameLimits, frameLimitsOf } from './frames.ts'
import { asicHeadroomOf, shippedRowsOf, strictSumOf } from './headroom-sums.ts'
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
  /** Need of hardware of that family, by its formula or as an estimate (SwitchFamily.isFormula). */
  readonly asic: HeadroomSum | null
  /** Shipped headroom of switches of that family for this rate and length, least first; empty: nothing is known. */
  readonly shipped: readonly ShippedRow[]
  /** Whether what is kept is enough for hardware of that family; null: none is named. */
  readonly verdict: HeadroomVerdict | null
  /** Headroom of a class at a port; for input-queued buffers, the bytes above XOFF of a port, for all classes. */
  readonly givenBytes: number
  /** Cell of its buffer; 0: it counts bytes. */
  readonly cellBytes: number
}

/**
 * Where tables are shipped: enough at or above the largest row, too little below the smallest; between them it depends on
 * the model of the switch. Without formula and table nothing is known.
 */
export type HeadroomVerdict = 'enough' | 'too-little' | 'model-decides' | 'unknown'

export interface HeadroomPlan {
  readonly kinds: readonly PortHeadroom[]
  /** The smallest shared pool of a switch; null: ports share nothing. */
  readonly poolBytes: number | null
}

/** null: no switch has PFC. @param values in force; those at the start if they are left out */
export function headroomPlan(
  scenario: Scenario,
  topology: Topology,
  values: DeviceValues = new DeviceValues(scenario, topology),
): HeadroomPlan | null {
  const limits = frameLimitsOf(scenario)
  const portsOf = new Map<number, PortPlan[]>()
  const kinds = portKinds(values, topology, limits, portsOf)
  if (kinds.length === 0) return null
  const pools = [...portsOf].map(([node, ports]) => {
    const own = values.of(node)
    const b = own.switch.buffer
    if (b.kind === 'input-queued') return Infinity
    const sizeBytes = bufferSizeBytes(own, ports, limits)
    if (b.kind === 'memory-manager') return b.ingressPool ?? sizeBytes - setAsideBytes(own, ports, limits)
    return b.pool === 'whole' ? sizeBytes : sizeBytes - setAsideBytes(own, ports, limits)
  })
  return { kinds, poolBytes: scenario.switch.buffer.kind === 'input-queued' ? null : leastOf(pools) }
}

/** The largest buffer that was chosen because the first size has no room for what is set aside. */
export interface GrownBuffer {
  /** Name of the first such switch. */
  readonly node: string
  readonly sizeBytes: number
  readonly setAsideBytes: number
}

/** null: the scenario gives sizes, or the first one fits everywhere. */
export function grownBuffer(scenario: Scenario, topology: Topology): GrownBuffer | null {
  const limits = frameLimitsOf(scenario)
  const values = new DeviceValues(scenario, topology)
  const portsOf = new Map<number, PortPlan[]>()
  portKinds(values, topology, limits, portsOf)
  let grown: GrownBuffer | null = null
  for (const [node, ports] of portsOf) {
    const own = values.of(node)
    const { buffer } = own.switch
    if (buffer.kind === 'input-queued' || buffer.size !== null) continue
    const sizeBytes = bufferSizeBytes(own, ports, limits)
    if (sizeBytes <= (grown?.sizeBytes ?? OPEN_SIZES[buffer.kind].firstBytes)) continue
    grown = { node: topology.names[node]!, sizeBytes, setAsideBytes: setAsideBytes(own, ports, limits) }
  }
  return grown
}

/** @param portsOf receives the ports of each switch */
function portKinds(
  values: DeviceValues,
  topology: Topology,
  limits: FrameLimits,
  portsOf: Map<number, PortPlan[]>,
): PortHeadroom[] {
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
  const asic = asicHeadroomOf(own, link, limits)
  const shipped = shippedRowsOf(own, link)
  const givenBytes = buffer.kind === 'input-queued' ? buffer.portBuffer - buffer.xoff : headroomOf(own, link, limits)
  const cellBytes = buffer.kind === 'memory-manager' && buffer.cell > 1 ? buffer.cell : 0
  return {
    ...link,
    ports: 1,
    strict: strictSumOf(toPause, link, limits, cellBytes),
    roundedBytes: roundedStrictOf(toPause, link, limits),
    family: family === 'off' ? null : family,
    asic,
    shipped,
    verdict: family === 'off' || asic === null ? null : verdictOf(givenBytes, family, asic.bytes, shipped),
    givenBytes,
    cellBytes,
  }
}

function verdictOf(
  givenBytes: number,
  family: FamilyName,
  neededBytes: number,
  shipped: readonly ShippedRow[],
): HeadroomVerdict {
  if (familyOf(family).isFormula) return givenBytes < neededBytes ? 'too-little' : 'enough'
  const [least, most] = [shipped[0], shipped.at(-1)]
  if (least === undefined || most === undefined) return 'unknown'
  if (givenBytes < least.bytes) return 'too-little'
  return givenBytes < most.bytes ? 'model-decides' : 'enough'
}
