/**
 * Experiment: a claim of a paper as runs, measures and conclusions. It sees neither files nor threads: whoever runs it
 * gives it a function that runs scenarios, and gets a text and files back.
 * A plan has three parts that can be tried on their own: which runs there are, what one run amounts to in a few
 * numbers (so that no more than a handful of whole results are ever held), and what all of them together say.
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
  /** What an earlier report has of these runs; they are not made again but for one in ten. */
  readonly earlier?: readonly Outcome[]
  /** Runs scenarios, on as many threads as there are, and gives their results in the order asked. */
  readonly run: (scenarios: readonly Scenario[]) => Promise<readonly Result[]>
}

export interface Experiment {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly help: string
  readonly sizes: readonly Size[]
  readonly plan: Plan
  /** Those of an earlier report's runs that are this experiment's. Throws InputError where none is. */
  readonly ownRuns: (size: Size, outcomes: readonly Outcome[]) => readonly Outcome[]
  /** How many runs it takes. Throws InputError for earlier runs that are not this experiment's. */
  readonly countRuns: (context: Omit<ExperimentContext, 'run'>) => number
  /** Throws InputError for earlier runs that are not this experiment's, or not this program's. */
  readonly run: (context: ExperimentContext) => Promise<ExperimentReport>
}

const BATCH = 16

/** Registers nothing: gives the plan its way to run. List it in experiments/index.ts. */
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
      // Drawing loads a plotting library, which a list of experiments does not need.
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
  assert(result.seed === seed && !result.partial, 'a result belongs to its point and is whole')
  return { condition, seed, digest: result.digest, measures: plan.measure(result, point) }
}
