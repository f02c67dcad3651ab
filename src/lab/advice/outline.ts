/**
 * Outline: size of a scenario's network and traffic, expected cost of a run, and notes, computed without running it.
 */
import { leastOf, mostOf } from '../../core/base/extremes.ts'
import {
  type ExpectedTraffic,
  type HeadroomPlan,
  headroomPlan,
  type IrnState,
  irnStateOf,
  type Simulation,
  topologyOf,
} from '../index.ts'
import { type Scenario, schemeSets } from '../scenario/index.ts'
import type { Topology } from '../../core/topology/index.ts'
import { type Cost, costOf } from './run-cost.ts'
import type { Finding } from '../../core/findings/index.ts'
import { scenarioFindings } from './notes/notes.ts'

/** Nodes of one tier, as faults and observers number them. */
export interface TierNodes {
  /** 0: hosts. */
  readonly tier: number
  /** Name that the topology gives them, such as "leaf"; null if they have more than two different names. */
  readonly name: string | null
  /** Full names of the first and last node, usable in the link selectors of faults: "leaf 0", "leaf 3". */
  readonly firstName: string
  readonly lastName: string
  /** First and last of each run of ids, ascending. */
  readonly ids: readonly (readonly [first: number, last: number])[]
}

/** The links between two tiers. */
export interface LinkStage {
  /** 0: hosts. */
  readonly lowerTier: number
  readonly upperTier: number
  readonly links: number
  readonly rateMinBps: number
  readonly rateMaxBps: number
  /**
   * Oversubscription of the lower tier's switches: sum of downlink rates over sum of uplink rates, the largest of any
   * switch; null for hosts and for links within a tier.
   */
  readonly downOverUp: number | null
}

export interface Outline {
  readonly hosts: number
  /** Most ports of any host. */
  readonly hostPorts: number
  readonly switches: number
  readonly links: number
  /** Links grouped by the tiers that they connect, ascending. */
  readonly stages: readonly LinkStage[]
  /** Hosts first, then switches tier by tier. */
  readonly nodes: readonly TierNodes[]
  /** Lowest and highest rate of the host links. */
  readonly hostRateMinBps: number
  readonly hostRateMaxBps: number
  readonly workloads: readonly ExpectedTraffic[]
  /** Expected cost of a run without losses. */
  readonly cost: Cost
  /** Headroom for packets that arrive after XOFF; null without PFC. */
  readonly headroom: HeadroomPlan | null
  /** NIC state that IRN adds; null without IRN, or if its packets in flight are unbounded. */
  readonly irnState: IrnState | null
  /** Settings that are valid but perhaps not intended. */
  readonly findings: readonly Finding[]
}

/**
 * @param simulation built from the scenario and not yet run.
 * @throws InputError where a run could not end in simulated time.
 */
export function outlineOf(
  scenario: Scenario,
  simulation: Pick<Simulation, 'longestRttPs' | 'bufferCircle' | 'forecast'>,
): Outline {
  const topology = topologyOf(scenario)
  const longestRttPs = simulation.longestRttPs()
  const forecast = simulation.forecast()
  const hostRatesBps = hostRatesOf(topology)
  const headroom = headroomPlan(scenario, topology)
  return {
    hosts: topology.hostPorts.length,
    hostPorts: mostOf(topology.hostPorts.map((ports) => ports.length)),
    switches: topology.nodeCount - topology.endpoints.length,
    links: topology.links.length,
    stages: stagesOf(topology),
    nodes: tiersOf(topology),
    hostRateMinBps: leastOf(hostRatesBps),
    hostRateMaxBps: mostOf(hostRatesBps),
    workloads: forecast.workloads,
    cost: costOf(forecast, topology.links.length),
    headroom,
    irnState:
      schemeSets(scenario)
        .map((set) => irnStateOf(set.scenario, topology, longestRttPs))
        .find((state) => state !== null) ?? null,
    findings: scenarioFindings(scenario, {
      topology,
      longestRttPs,
      circle: simulation.bufferCircle(),
      headroom,
      lost: forecast.lost,
      receivingOnly: forecast.receivingOnly,
    }),
  }
}

function hostRatesOf({ links, tiers }: Topology): number[] {
  return links.filter(({ a, b }) => tiers[a] === 0 || tiers[b] === 0).map(({ rateBps }) => rateBps)
}

function stagesOf(topology: Topology): LinkStage[] {
  const { links, tiers, nodeCount } = topology
  const downBps = new Float64Array(nodeCount)
  const upBps = new Float64Array(nodeCount)
  const ratesBps = new Map<string, number[]>()
  for (const { a, b, rateBps } of links) {
    const [lower, upper] = tiers[a]! <= tiers[b]! ? [a, b] : [b, a]
    const key = `${tiers[lower]} ${tiers[upper]}`
    const known = ratesBps.get(key) ?? []
    known.push(rateBps)
    ratesBps.set(key, known)
    if (tiers[lower] === tiers[upper]) continue
    upBps[lower]! += rateBps
    downBps[upper]! += rateBps
  }
  const mostDownOverUp = (tier: number): number =>
    mostOf(tiers.flatMap((t, node) => (t === tier && upBps[node]! > 0 ? [downBps[node]! / upBps[node]!] : [])))
  return [...ratesBps]
    .map(([key, rates]) => {
      const [lowerTier, upperTier] = key.split(' ').map(Number) as [number, number]
      return {
        lowerTier,
        upperTier,
        links: rates.length,
        rateMinBps: leastOf(rates),
        rateMaxBps: mostOf(rates),
        downOverUp: lowerTier === 0 || lowerTier === upperTier ? null : mostDownOverUp(lowerTier),
      }
    })
    .toSorted((a, b) => a.lowerTier - b.lowerTier || a.upperTier - b.upperTier)
}

/** Different names in a tier that are still listed. A dumbbell has two: left and right. */
const WORDS_MAX = 2

function tiersOf({ tiers, kinds, names }: Topology): TierNodes[] {
  const byTier = new Map<number, [first: number, last: number][]>()
  const words = new Map<number, Set<string>>()
  tiers.forEach((tier, node) => {
    const ids = byTier.get(tier) ?? []
    byTier.set(tier, ids)
    const run = ids.at(-1)
    if (run?.[1] === node - 1) run[1] = node
    else ids.push([node, node])
    words.set(tier, (words.get(tier) ?? new Set()).add(kinds[node]!))
  })
  return [...byTier]
    .toSorted(([a], [b]) => a - b)
    .map(([tier, ids]) => {
      const known = [...(words.get(tier) ?? [])]
      const [firstName, lastName] = [names[ids[0]![0]]!, names[ids.at(-1)![1]]!]
      return { tier, name: known.length <= WORDS_MAX ? known.join(', ') : null, firstName, lastName, ids }
    })
}
