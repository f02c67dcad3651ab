/**
 * Runs an experiment in the test's own thread.
 */
import { run } from '../../lab/index.ts'
import type { Experiment } from './experiment.ts'
import type { Outcome, Size } from './plan.ts'
import type { ExperimentReport } from './report.ts'
import type { Findings } from './findings.ts'

export async function reportHere(
  experiment: Experiment,
  size: Size,
  seeds: readonly number[],
): Promise<ExperimentReport> {
  return experiment.run({ size, seeds, run: async (scenarios) => scenarios.map((scenario) => run(scenario)) })
}

export function findingsHere(
  experiment: Experiment,
  size: Size,
  seeds: readonly number[],
): { readonly outcomes: readonly Outcome[]; readonly findings: Findings } {
  const { plan } = experiment
  const outcomes = seeds
    .flatMap((seed) => plan.points(size, seed))
    .map((point): Outcome => {
      const result = run(point.scenario)
      return { ...point, digest: result.digest, measures: plan.measure(result, point) }
    })
  return { outcomes, findings: plan.conclude(outcomes, size) }
}
