/**
 * Mix: workloads may have schemes of their own, in place of the scenario's: a loss recovery, a congestion control, and
 * settings of their queue pairs. The functions here give the scenario as it applies to one workload.
 */
import type { Scenario } from './scenario.ts'

/** The workload has a scheme of its own. */
export function isMixed({ recovery, congestion, qp }: Scenario['workload'][number]): boolean {
  return recovery !== null || congestion !== null || qp !== null
}

/** The scenario with the schemes of that workload applied to all; the scenario itself if the workload has none. */
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

/** The scenario as it applies to each workload. */
export function byWorkload(scenario: Scenario): Scenario[] {
  return scenario.workload.map((_, i) => asWorkload(scenario, i))
}

/** A set of schemes, and the workloads that use it. */
export interface SchemeSet {
  /** The scenario with these schemes and only these workloads. */
  readonly scenario: Scenario
  /** Indexes of the workloads. */
  readonly workloads: readonly number[]
  /** The schemes are the workloads' own, not the scenario's. */
  readonly isOwn: boolean
}

/**
 * The distinct sets of schemes, in the order of the first workload that uses each.
 * @param isReadable whether the workload at an index can be read; others are skipped
 */
export function schemeSets(scenario: Scenario, isReadable: (index: number) => boolean = () => true): SchemeSet[] {
  const sets = new Map<string, number[]>()
  scenario.workload.forEach((source, i) => {
    if (!isReadable(i)) return
    const { recovery, congestion, qp } = asWorkload(scenario, i)
    const key = isMixed(source) ? JSON.stringify([recovery, congestion, qp]) : ''
    sets.set(key, [...(sets.get(key) ?? []), i])
  })
  return [...sets].map(([key, indexes]) => ({
    isOwn: key !== '',
    scenario: { ...asWorkload(scenario, indexes[0]!), workload: indexes.map((i) => scenario.workload[i]!) },
    workloads: indexes,
  }))
}
