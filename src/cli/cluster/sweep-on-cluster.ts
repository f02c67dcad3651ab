/**
 * Sweep on a cluster: its points as tasks, and its tables from what the logs hold.
 */
import { type FinishedPoint, findPoints, mayStay } from '../../lab/advice/sweep/finished-points.ts'
import type { PointLimit } from '../../lab/advice/sweep/point-limit.ts'
import type { Plan } from '../../lab/advice/sweep/points.ts'
import { exactCount } from '../../show/index.ts'
import { AttemptLogs } from './attempt-logs.ts'
import type { ClusterFlags } from './cluster-flags.ts'
import type { Work } from './cluster-work.ts'
import { runOnCluster, statusText } from './run-on-cluster.ts'
import type { Context } from '../context.ts'
import { EXIT_BUG, EXIT_INPUT } from '../failure.ts'
import { programKey } from '../sweep/program-key.ts'
import type { SweepFlows } from '../sweep/sweep-flows.ts'
import type { FailedPoint } from '../sweep/sweep-report.ts'

interface ClusterSweep {
  readonly plan: Plan
  readonly limit: PointLimit
  /** Lines of points.jsonl. */
  readonly lines: readonly unknown[]
  /** undefined without --keep flows. */
  readonly flows: SweepFlows | undefined
  readonly folder: string
  readonly shown: string
  /** Scenario, as the command line has it. */
  readonly file: string
}

/** Does what the flags say, and reports what has finished. Throws InputError and Failure. */
export async function sweepOnCluster(
  context: Context,
  flags: ClusterFlags & { readonly quiet?: boolean; readonly json?: boolean },
  sweep: ClusterSweep,
  report: (points: readonly FinishedPoint[], failed: readonly FailedPoint[], isPartial: boolean) => void,
): Promise<void> {
  const { plan, limit, folder, shown, flows, file } = sweep
  const logs = new AttemptLogs(folder, shown)
  const lines = [...sweep.lines]
  let finished = new Map<string, FinishedPoint>()
  let different = 0
  const work: Work = {
    title: plan.name,
    points: plan.points,
    header: {
      program: programKey(),
      wants: 'summary',
      limit,
      keepsFlows: flows !== undefined,
      retries: flags.retry === true,
    },
    look() {
      for (const line of logs.next()) lines.push(line)
      const logged = findPoints(plan.points, lines)
      different = logged.different
      finished = new Map(
        plan.points.flatMap((point) => {
          const known = logged.finished.get(point.key)
          return known !== undefined && mayStay(known, limit, flows?.holds(point) !== false) ? [[point.key, known]] : []
        }),
      )
      return { finished: new Set(finished.keys()), failed: logged.failed }
    },
  }
  const locations = { folder, shown, noun: 'points', again: `rocelab sweep ${file} ...` }
  const { view, interruption } = await runOnCluster(context, flags, work, locations)
  const failed = plan.points.flatMap(({ key, values, seed }): FailedPoint[] => {
    const known = view.failed.get(key)
    return known === undefined ? [] : [{ values, seed, ...known }]
  })
  if (flags.status === true || flags.cancel === true) {
    context.process.stdout.write(statusText(view, work, 'points', flags.json))
    return
  }
  const { stderr } = context.process
  if (different > 0) {
    const points = `${exactCount(different)} ${different === 1 ? 'point' : 'points'}`
    stderr.write(
      `rocelab: bug: ${points} computed twice gave different outcomes; the logs are in ${shown}/cluster/logs\n`,
    )
  }
  const points = plan.points.flatMap(({ key }) => finished.get(key) ?? [])
  const isPartial = points.length + failed.length < plan.points.length
  if (points.length > 0) report(points, failed, isPartial)
  if (interruption !== undefined) context.process.exitCode = interruption.exitCode
  else if (failed.length > 0) context.process.exitCode = failed.every(({ isInput }) => isInput) ? EXIT_INPUT : EXIT_BUG
}
