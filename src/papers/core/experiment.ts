/**
 * Experiment: runs a plan and reports its findings. It touches neither files nor threads: the caller passes a function
 * that runs scenarios, and receives text and files.
 */
import { assert } from '../../core/base/assert.ts'
import type { Result } from '../../core/results/index.ts'
import type { Scenario } from '../../lab/scenario/index.ts'
import { EarlierRuns, ownRuns } from './earlier-runs.ts'
import { type Findings, withInputs } from './findings.ts'
import { keyOf, type Outcome, type Plan, type PlanHead, type Point, type Size } from './plan.ts'
import type { ExperimentReport } from './pages/report.ts'
import { Runs } from './runs.ts'
import { seedsText } from './pages/stored-info.ts'

export interface ExperimentContext {
  readonly size: Size
  readonly seeds: readonly number[]
  /** Runs of earlier reports; only one in ten of them is run again. */
  readonly earlier?: readonly Outcome[]
  /** Runs scenarios, in parallel if it can, and returns their results in the same order. */
  readonly run: (scenarios: readonly Scenario[]) => Promise<readonly Result[]>
}

export interface Experiment<P extends PlanHead = PlanHead> {
  readonly name: string
  readonly title: string
  readonly source: string
  readonly help: string
  readonly sizes: readonly Size[]
  readonly plan: P
  readonly points: (size: Size, seed: number) => readonly Point[]
  readonly findings: (size: Size, outcomes: readonly Outcome[]) => Findings
  /** The runs of an earlier report that belong to this experiment. Throws InputError if there are none. */
  readonly ownRuns: (size: Size, outcomes: readonly Outcome[]) => readonly Outcome[]
  /** Number of runs that remain to be made. Throws InputError for earlier runs of another experiment. */
  readonly countRuns: (context: Omit<ExperimentContext, 'run'>) => number
  /** Throws InputError for earlier runs of another experiment or of another version of the program. */
  readonly run: (context: ExperimentContext) => Promise<ExperimentReport>
}

const BATCH = 16

/** Makes an experiment from a plan. experiments/index.ts lists those that `reproduce` knows. */
export function defineExperiment<P extends Plan>(plan: P): Experiment<P> {
  const { name, title, source, help } = plan
  const findings = (size: Size, outcomes: readonly Outcome[]): Findings =>
    withInputs({ tables: [], figures: [], claims: [], remarks: [], ...plan.conclude(new Runs(outcomes), size) })
  return {
    name,
    title,
    source,
    help,
    sizes: ['small', 'full'],
    plan,
    points: (size, seed) => plan.points(size, seed),
    findings,
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
      const { reportOf } = await import('./pages/report.ts')
      return reportOf(plan, { size, seeds, note: earlierText(known) }, outcomes, findings(size, outcomes))
    },
  }
}

function pointsOf(plan: Plan, size: Size, seeds: readonly number[]): readonly Point[] {
  const points = seeds.flatMap((seed) => plan.points(size, seed))
  const keys = points.map(({ at, seed }) => `${keyOf(at)} ${seed}`)
  assert(new Set(keys).size === keys.length, 'two points of an experiment have the same axes and seed')
  return points
}

function outcomeOf(plan: Plan, point: Point, result: Result): Outcome {
  const { at, seed } = point
  assert(result.seed === seed && !result.partial, 'a result belongs to its point and is complete')
  return { at, seed, digest: result.digest, measures: plan.measure(result, point) }
}

/** A note on runs taken over from an earlier report. */
function earlierText({ count, checkedCount, seeds }: EarlierRuns): string {
  if (count === 0) return ''
  const made = checkedCount === 1 ? 'one was' : `${checkedCount} were`
  return `${count} runs (${seedsText(seeds)}) are taken from an earlier report; ${made} run again and had the same events.`
}
