/**
 * Experiment: runs a plan and reports its findings. It touches neither files nor threads: the caller passes a function
 * that runs scenarios, and receives text and files.
 */
import { assert } from '../../base/assert.ts'
import type { Result } from '../../results/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import { EarlierRuns, ownRuns } from './earlier-runs.ts'
import type { Outcome, Plan, Point, Size } from './plan.ts'
import type { ExperimentReport } from './report.ts'

export interface ExperimentContext {
  readonly size: Size
  readonly seeds: readonly number[]
  /** Runs of earlier reports; only one in ten of them is run again. */
  readonly earlier?: readonly Outcome[]
  /** Runs scenarios, in parallel if it can, and returns their results in the same order. */
  readonly run: (scenarios: readonly Scenario[]) => Promise<readonly Result[]>
}

export interface Experiment {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly help: string
  readonly sizes: readonly Size[]
  readonly plan: Plan
  /** The runs of an earlier report that belong to this experiment. Throws InputError if there are none. */
  readonly ownRuns: (size: Size, outcomes: readonly Outcome[]) => readonly Outcome[]
  /** Number of runs that remain to be made. Throws InputError for earlier runs of another experiment. */
  readonly countRuns: (context: Omit<ExperimentContext, 'run'>) => number
  /** Throws InputError for earlier runs of another experiment or of another version of the program. */
  readonly run: (context: ExperimentContext) => Promise<ExperimentReport>
}

const BATCH = 16

/** Makes an experiment from a plan. experiments/index.ts lists those that `reproduce` knows. */
export function defineExperiment(plan: Plan): Experiment {
  const { name, title, source, help } = plan
  return {
    name,
    title,
    source,
    help,
    sizes: ['small', 'full'],
    plan,
    ownRuns: (size, outcomes) => ownRuns(plan.points(size, 1), outcomes),
    countRuns({ size, seeds, earlier = [] }) {
      return new EarlierRuns(pointsOf(plan, size, seeds), earlier).toRun.length
    },
    async run({ size, seeds, earlier = [], run }) {
      const points = pointsOf(plan, size, seeds)
      const known = new EarlierRuns(points, earlier)
      const made = new Map<Point, Outcome>()
      const held = plan.batch ?? BATCH
      for (let from = 0; from < known.toRun.length; from += held) {
        const batch = known.toRun.slice(from, from + held)
        const results = await run(batch.map((point) => point.scenario))
        batch.forEach((point, i) => made.set(point, outcomeOf(plan, point, results[i]!)))
        known.check(batch.flatMap((point) => made.get(point) ?? []))
      }
      const outcomes = points.flatMap((point) => made.get(point) ?? known.find(point) ?? [])
      // Reports load a plotting library, which listing the experiments does not need.
      const { reportOf } = await import('./report.ts')
      return reportOf(plan, { size, seeds, outcomes, earlier: known, findings: plan.conclude(outcomes, size) })
    },
  }
}

function pointsOf(plan: Plan, size: Size, seeds: readonly number[]): readonly Point[] {
  const points = seeds.flatMap((seed) => plan.points(size, seed))
  const keys = points.map(({ condition, seed }) => `${condition} ${seed}`)
  assert(new Set(keys).size === keys.length, 'two points of an experiment have the same condition and seed')
  return points
}

function outcomeOf(plan: Plan, point: Point, result: Result): Outcome {
  const { condition, seed } = point
  assert(result.seed === seed && !result.partial, 'a result belongs to its point and is complete')
  return { condition, seed, digest: result.digest, measures: plan.measure(result, point) }
}
