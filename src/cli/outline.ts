/**
 * Outline: what a scenario amounts to before anything is run.
 */
import { leastOf, mostOf } from '../base/extremes.ts'
import {
  type ExpectedTraffic,
  type HeadroomPlan,
  headroomPlan,
  type IrnState,
  irnStateOf,
  type Simulation,
} from '../lab/index.ts'
import type { Scenario } from '../scenario/index.ts'
import { topologies, type Topology } from '../topology/index.ts'
import { type Cost, costOf } from './run-cost.ts'
import { scenarioNotes } from './scenario-notes.ts'

/** Nodes of one tier, as faults and observers number them. */
export interface TierNodes {
  /** 0: hosts. */
  readonly tier: number
  /** What the topology calls them: "leaf"; null where each has a name of its own. */
  readonly name: string | null
  /** Whole names of the first and the last, as links of faults may be chosen by: "leaf 0", "leaf 3". */
  readonly firstName: string
  readonly lastName: string
  /** First and last of each run of ids, ascending. */
  readonly ids: readonly (readonly [first: number, last: number])[]
}

export interface Outline {
  readonly hosts: number
  readonly switches: number
  readonly links: number
  /** Hosts first, then switches tier by tier. */
  readonly nodes: readonly TierNodes[]
  /** Of host links, lowest and highest. */
  readonly hostRateMinBps: number
  readonly hostRateMaxBps: number
  readonly workloads: readonly ExpectedTraffic[]
  /** What a run would take, if nothing is lost. */
  readonly cost: Cost
  /** What switches keep for what arrives after XOFF; null: nothing is paused. */
  readonly headroom: HeadroomPlan | null
  /** What IRN adds to a NIC; null: there is no IRN, or without bounds. */
  readonly irnState: IrnState | null
  /** What is allowed, and is perhaps not meant. */
  readonly notes: readonly string[]
}

/** Throws InputError where a run could not end in simulated time. `simulation` is the scenario's own, not yet run. */
export function outlineOf(
  scenario: Scenario,
  simulation: Pick<Simulation, 'longestRttPs' | 'bufferCircle' | 'forecast'>,
): Outline {
  const topology = definitionOf(topologies, scenario.topology.kind).build(scenario.topology as never)
  const longestRttPs = simulation.longestRttPs()
  const forecast = simulation.forecast()
  const hostRatesBps = hostRatesOf(topology)
  const headroom = headroomPlan(scenario, topology)
  return {
    hosts: topology.hosts.length,
    switches: topology.nodeCount - topology.hosts.length,
    links: topology.links.length,
    nodes: tiersOf(topology),
    hostRateMinBps: leastOf(hostRatesBps),
    hostRateMaxBps: mostOf(hostRatesBps),
    workloads: forecast.workloads,
    cost: costOf(forecast, topology.links.length),
    headroom,
    irnState: irnStateOf(scenario, topology, longestRttPs),
    notes: scenarioNotes(scenario, { topology, longestRttPs, circle: simulation.bufferCircle(), headroom }),
  }
}

/** Of the links of hosts. */
function hostRatesOf({ links, tiers }: Topology): number[] {
  return links.filter(({ a, b }) => tiers[a] === 0 || tiers[b] === 0).map(({ rateBps }) => rateBps)
}

/** A dumbbell has two: left and right. */
const WORDS_MAX = 2

function tiersOf({ tiers, names }: Topology): TierNodes[] {
  const byTier = new Map<number, [first: number, last: number][]>()
  const words = new Map<number, Set<string>>()
  tiers.forEach((tier, node) => {
    const ids = byTier.get(tier) ?? []
    byTier.set(tier, ids)
    const run = ids.at(-1)
    if (run?.[1] === node - 1) run[1] = node
    else ids.push([node, node])
    const word = (names[node] ?? '').replace(/\s[\d.]+$/, '')
    words.set(tier, (words.get(tier) ?? new Set()).add(word))
  })
  return [...byTier]
    .toSorted(([a], [b]) => a - b)
    .map(([tier, ids]) => {
      const known = [...(words.get(tier) ?? [])]
      const [firstName, lastName] = [names[ids[0]![0]]!, names[ids.at(-1)![1]]!]
      return { tier, name: known.length <= WORDS_MAX ? known.join(', ') : null, firstName, lastName, ids }
    })
}

function definitionOf<D extends { readonly name: string }>(definitions: readonly D[], kind: string): D {
  const found = definitions.find(({ name }) => name === kind)
  if (found === undefined) throw new Error(`no definition ${kind}`)
  return found
}
