/**
 * Mix: workloads may have schemes of their own, in place of the scenario's: a loss recovery, a congestion control, and
 * how their queue pairs work. Whoever asks what holds for a workload gets the scenario as that workload has it.
 */
import { groupLike, variantLike } from '../base/params.ts'
import { congestions } from '../transport/congestion/index.ts'
import { endpointParams } from '../transport/params.ts'
import { recoveries } from '../transport/recovery/index.ts'
import { workloads } from '../workload/index.ts'
import type { Scenario } from './scenario.ts'

const schemeParams = {
  recovery: variantLike(recoveries, 'recovery', { help: "loss recovery of its queue pairs; left out: the scenario's" }),
  congestion: variantLike(congestions, 'congestion', {
    help: "congestion control of its queue pairs; left out: the scenario's",
  }),
  qp: groupLike(endpointParams.fields, 'qp', {
    help: "how its queue pairs work; keys that are left out are the scenario's",
  }),
} as const

type Plain = (typeof workloads)[number]
/** A workload with what it may have in place of the scenario's. */
type Mixed<D> = D extends Plain ? Omit<D, 'params'> & { readonly params: D['params'] & typeof schemeParams } : never

/** Every workload that a scenario can name. */
export const mixedWorkloads: readonly Mixed<Plain>[] = workloads.map((definition) => ({
  ...definition,
  params: { ...definition.params, ...schemeParams },
  // `map` over a union gives every element the params of all.
})) as unknown as readonly Mixed<Plain>[]

/** The workload has a scheme of its own. */
export function isMixed({ recovery, congestion, qp }: Scenario['workload'][number]): boolean {
  return recovery !== null || congestion !== null || qp !== null
}

/** The scenario with the schemes of that workload for all; itself where the workload has none of its own. */
export function asWorkload(scenario: Scenario, index: number): Scenario {
  const source = scenario.workload[index]!
  if (!isMixed(source)) return scenario
  return {
    ...scenario,
    recovery: source.recovery ?? scenario.recovery,
    congestion: source.congestion ?? scenario.congestion,
    qp: source.qp ?? scenario.qp,
  }
}

/** The scenario as each workload has it. */
export function byWorkload(scenario: Scenario): Scenario[] {
  return scenario.workload.map((_, i) => asWorkload(scenario, i))
}

/** Workloads that have the same schemes. */
export interface SchemeSet {
  /** The scenario with these schemes for all, and with these workloads alone. */
  readonly scenario: Scenario
  /** Positions of the workloads. */
  readonly workloads: readonly number[]
  /** They are the workloads' own, not the scenario's. */
  readonly isOwn: boolean
}

/**
 * The sets of schemes that workloads have, in the order of the workloads.
 * @param isReadable of a workload's position; others are passed over.
 */
export function schemeSets(scenario: Scenario, isReadable: (index: number) => boolean = () => true): SchemeSet[] {
  const sets = new Map<string, number[]>()
  scenario.workload.forEach((source, i) => {
    if (!isReadable(i)) return
    const { recovery, congestion, qp } = asWorkload(scenario, i)
    const key = isMixed(source) ? JSON.stringify([recovery, congestion, qp]) : ''
    sets.set(key, [...(sets.get(key) ?? []), i])
  })
  return [...sets].map(([key, of]) => ({
    isOwn: key !== '',
    scenario: { ...asWorkload(scenario, of[0]!), workload: of.map((i) => scenario.workload[i]!) },
    workloads: of,
  }))
}
