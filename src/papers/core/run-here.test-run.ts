/**
 * Runs an experiment in the test's own thread.
 */
import { run } from '../../lab/index.ts'
import { formatScenario, parseScenario } from '../../lab/scenario/index.ts'
import type { Experiment } from './experiment.ts'
import { type At, keyOf, type Measures, type Outcome, type Plan, type Size } from './plan.ts'
import type { ExperimentReport } from './pages/report.ts'
import type { Findings } from './findings.ts'

export async function reportHere(
  experiment: Experiment,
  size: Size,
  seeds: readonly number[],
): Promise<ExperimentReport> {
  return experiment.run({ size, seeds, run: async (scenarios) => scenarios.map((scenario) => run(scenario)) })
}

export function outcomesHere(experiment: Experiment<Plan>, size: Size, seeds: readonly number[]): Outcome[] {
  const { plan } = experiment
  return seeds
    .flatMap((seed) => plan.points(size, seed))
    .map((point): Outcome => {
      const result = run(point.scenario)
      return { at: point.at, seed: point.seed, digest: result.digest, measures: plan.measure(result, point) }
    })
}

export function findingsHere(
  experiment: Experiment<Plan>,
  size: Size,
  seeds: readonly number[],
): { readonly outcomes: readonly Outcome[]; readonly findings: Findings } {
  const outcomes = outcomesHere(experiment, size, seeds)
  return { outcomes, findings: experiment.findings(size, outcomes) }
}

/** Runs of the full size in which every measure of a point is one number. */
export function outcomesWith<A extends At>(
  { points }: Pick<Plan<A>, 'points'>,
  seeds: readonly number[],
  valueOf: (at: A, seed: number) => number,
): Outcome[] {
  return seeds
    .flatMap((seed) => points('full', seed))
    .map(({ at, seed }) => {
      const value = valueOf(at, seed)
      return { at, seed, digest: '', measures: new Proxy({}, { get: () => value }) }
    })
}

/** The measures of one point, with changes to its scenario as "path=value". */
export function measuresAt<A extends At>(plan: Plan<A>, size: Size, at: A, sets: readonly string[] = []): Measures {
  const point = plan.points(size, 1).find((each) => keyOf(each.at) === keyOf(at))!
  const scenario = parseScenario(formatScenario(point.scenario), { sets })
  return plan.measure(run(scenario), { ...point, scenario })
}
