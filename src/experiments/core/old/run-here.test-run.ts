/**
 * Runs an experiment in the test's own thread.
 */
import { run } from '../../../lab/index.ts'
import type { Experiment, Outcome, Size } from './plan.ts'
import type { Findings } from '../findings.ts'

export { reportHere } from '../run-here.test-run.ts'

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
