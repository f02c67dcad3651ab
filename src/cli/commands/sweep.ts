/**
 * sweep FILE: runs a scenario at many points on several threads, and keeps finished points.
 */
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import path from 'node:path'
import { inputError } from '../../core/base/issue.ts'
import { exactCount } from '../../show/index.ts'
import { AttemptLogs } from '../cluster/attempt-logs.ts'
import { clusterFlags, expectClusterFlags } from '../cluster/cluster-flags.ts'
import { command, type FlagsOf } from '../command.ts'
import { choiceFlag, givenFlag, jobsFlag, outFlag, repeatedFlag, seedsFlag, setFlag, valueFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { EXIT_BUG, EXIT_INPUT } from '../failure.ts'
import { type FinishedPoint, findPoints, type LoggedPoints, mayStay } from '../../lab/advice/sweep/finished-points.ts'
import { type Interruption } from '../interruption.ts'
import { watchRun } from '../workers/watch-run.ts'
import { anyText, fileText } from '../parsers.ts'
import { joinedLimit, parsePointLimit, type PointLimit } from '../../lab/advice/sweep/point-limit.ts'
import { PointLog } from '../sweep/point-log.ts'
import { proposeAxis, proposeSetting } from '../proposals.ts'
import { leftText, percent, ProgressLine } from '../progress-line.ts'
import { expectWritable } from '../files/folders.ts'
import { fileName } from '../files/result-folder.ts'
import { runJobs, Tally } from '../workers/run-jobs.ts'
import { openScenario, type ScenarioFile } from '../files/scenario-file.ts'
import { expectFileNames, SweepFlows } from '../sweep/sweep-flows.ts'
import { parseAxis, planSweep, type SweepAsked } from '../sweep/sweep-plan.ts'
import type { Plan, Point } from '../../lab/advice/sweep/points.ts'
import { sweepOnCluster } from '../cluster/sweep-on-cluster.ts'
import { type FailedPoint, type Outcome, reportSweep, TABLES } from '../sweep/sweep-report.ts'
import { baselineOf } from '../../lab/advice/sweep/sweep-table.ts'
import { parseColumns } from '../../lab/advice/sweep/sweep-text.ts'
import type { Job } from '../workers/worker-messages.ts'

const FLAGS = {
  param: {
    ...repeatedFlag('PATH=V1,V2', parseAxis, 'A parameter and its values; may be repeated'),
    proposeCompletions: proposeAxis,
  },
  set: setFlag('Change a parameter at every point; may be repeated'),
  seeds: seedsFlag("the scenario's"),
  jobs: jobsFlag,
  out: outFlag('results/sweep-NAME-KEY'),
  keep: choiceFlag(['flows'], 'Keep the flows of every point, as partitioned Parquet'),
  baseline: {
    ...repeatedFlag('PATH=VALUE', anyText, 'Show ratios to the points with this value, seed by seed; may be repeated'),
    proposeCompletions: proposeSetting,
  },
  columns: valueFlag(
    'NAMES',
    parseColumns,
    'Metrics in the table, by column name of sweep.csv, such as slowdownP99,pausedPs, or all',
  ),
  pointLimit: repeatedFlag(
    'LIMIT',
    parsePointLimit,
    'Stop a point that exceeds this simulated time (10ms) or number of packet-hops (20Mhops)',
  ),
  json: givenFlag('Print JSON instead of the table'),
  csv: givenFlag('Print sweep.csv instead of the table'),
  ...clusterFlags,
  force: givenFlag('Replace tables and flows of another sweep; its points stay in points.jsonl'),
  quiet: givenFlag('Show no progress'),
}
type SweepFlags = FlagsOf<typeof FLAGS>

export const sweep = command({
  brief: 'Run a scenario at many points, with confidence intervals over seeds',
  about: [
    'Runs every combination of the values given with --param, each with every seed, and prints means with their',
    '95 % confidence intervals. Writes sweep.csv, sweep.json and points.jsonl into the folder. Finished points are kept:',
    'after an interruption the same command resumes. Tables of a different sweep (another scenario, other values or',
    'seeds, or another version of the program) are replaced only with --force. Tables of an interrupted sweep never',
    'replace complete ones: they are written to sweep-partial.csv and sweep-partial.json.',
    '',
    '--keep flows writes every flow of every finished point as Parquet into flows/PATH=VALUE/seed=N/, which pandas and',
    'DuckDB read as one table. --baseline congestion=none adds to each mean its ratio, seed by seed, to the row that has',
    'this value and is otherwise equal. --point-limit stops each point that exceeds the limit: it is counted as stopped',
    'and excluded from all means. Points that finished before count, whatever the limit.',
    '',
    'With --on slurm points run as tasks on a cluster (docs/guides/cluster.md): the command submits them and returns.',
    'Repeated, it gathers, writes tables of the finished points, and submits those that are neither finished nor with a task.',
    '',
    'Exit codes: 0 done, 1 a point failed, 2 bad input, 130 interrupted.',
    '',
    'Examples:',
    '  rocelab sweep fat-tree.yaml --param workload.0.load=0.3,0.5,0.7 --seeds 5',
    '  rocelab sweep fat-tree.yaml --param congestion=none,dcqcn --param balance=ecmp,spray --seeds 1,2,7 --jobs 8',
    '  rocelab sweep fat-tree.yaml --param congestion=none,dcqcn --seeds 5 --baseline congestion=none --keep flows',
    '  rocelab sweep fat-tree.yaml --param workload.0.load=0.3,0.5,0.7 --seeds 50 --on slurm --sbatch "--partition=long"',
    '  rocelab plot results/sweep-fat-tree-0123abcd',
  ],
  args: [{ brief: 'Scenario; - reads standard input', placeholder: 'FILE', parse: fileText }],
  flags: FLAGS,
  run: runSweep,
})

async function runSweep(this: Context, flags: SweepFlags, file: string): Promise<void> {
  expectClusterFlags(flags)
  const axes = flags.param ?? []
  const asked = { axes, sets: flags.set ?? [], seeds: flags.seeds }
  const baseline = baselineOf(flags.baseline ?? [], axes)
  const limit = joinedLimit(flags.pointLimit ?? [])
  const plan = checkedPlan(
    openScenario(this.directory, file),
    asked,
    new ProgressLine(flags.quiet === true ? undefined : this.terminal),
  )
  if (flags.keep !== undefined) expectFileNames(plan)
  const shown = flags.out ?? path.join('results', `sweep-${fileName(plan.name)}-${plan.key.slice(0, 8)}`)
  const folder = path.resolve(this.directory, shown)
  expectWritable(folder, shown)
  const log = new PointLog(folder, shown)
  const logged = findPoints(plan.points, [...log.lines, ...new AttemptLogs(folder, shown).next()])
  const flows = new SweepFlows(folder, shown)
  const isForced = flags.force === true
  if (!isForced) expectOwn(log, logged, folder, shown)
  settleFlows(log, flows, plan, isForced)
  const keepsFlows = flags.keep !== undefined
  if (flags.on !== undefined) {
    log.close()
    const planned = { plan, limit, lines: log.lines, flows: keepsFlows ? flows : undefined, folder, shown, file }
    return sweepOnCluster(this, flags, planned, (points, failed, isPartial) => {
      const outcome = { scenario: { file, sets: asked.sets }, plan, baseline, limit, points, failed, isPartial }
      reportSweep(this, flags, outcome, { folder, shown, flowsShown: keepsFlows ? flows.shown : undefined })
    })
  }
  const kept = plan.points.flatMap((point) => {
    const known = logged.finished.get(point.key)
    return known !== undefined && mayStay(known, limit, !keepsFlows || flows.holds(point)) ? [known] : []
  })
  const ended = new Map(kept.map((point) => [point.key, point]))
  const { stderr } = this.process
  if (kept.length < plan.points.length && logged.damaged > 0) {
    stderr.write(`rocelab: ${damagedText(logged.damaged, shown)}\n`)
  }
  if (kept.length > 0 && flags.quiet !== true) {
    stderr.write(
      `rocelab: ${exactCount(kept.length)} of ${exactCount(plan.points.length)} points have finished already\n`,
    )
  }
  const run = { plan, limit, ended, log, flows: keepsFlows ? flows : undefined, folder }
  const { failed, interruption } = await runPoints(this, flags, run)
  const outcome: Outcome = {
    scenario: { file, sets: asked.sets },
    plan,
    baseline,
    limit,
    points: plan.points.flatMap(({ key }) => ended.get(key) ?? []),
    failed,
    isPartial: interruption.signal !== undefined,
  }
  try {
    reportSweep(this, flags, outcome, { folder, shown, flowsShown: keepsFlows ? flows.shown : undefined })
  } finally {
    log.close()
  }
  if (outcome.isPartial) this.process.exitCode = interruption.exitCode
  else if (failed.length > 0) {
    this.process.exitCode = failed.every((point) => point.isInput) ? EXIT_INPUT : EXIT_BUG
  }
}

interface PointsRun {
  readonly plan: Plan
  readonly limit: PointLimit
  /** Points that need not run, by key; those that end are added. */
  readonly ended: Map<string, FinishedPoint>
  readonly log: PointLog
  /** Where to write the flows of each point; undefined without --keep flows. */
  readonly flows: SweepFlows | undefined
  /** The folder of the sweep. */
  readonly folder: string
}

/** Runs the points that have not ended and logs each as it ends. Closes the log when it throws. */
async function runPoints(
  context: Context,
  flags: SweepFlags,
  { plan, limit, ended, log, flows, folder }: PointsRun,
): Promise<{ readonly failed: readonly FailedPoint[]; readonly interruption: Interruption }> {
  const { progress, interruption, end } = watchRun(context, flags.quiet)
  const failed: FailedPoint[] = []
  const open = plan.points.filter((point) => !ended.has(point.key))
  const jobs = open.map((point) => jobOf(point, limit, flows !== undefined, folder))
  try {
    await runJobs(jobs, {
      threads: flags.jobs ?? availableParallelism(),
      progress,
      tally: new Tally('points', jobs.length),
      interruption,
      onEnded(event) {
        const point = plan.points[event.id]
        if (point === undefined) return
        const { key, values, seed } = point
        if (event.type === 'failed') failed.push({ values, seed, isInput: event.isInput, message: event.message })
        if (event.type !== 'summary') return
        const { summary, stopped } = event
        const finished = { key, values, seed, summary, ...(stopped === undefined ? {} : { stopped }) }
        // Flows before the log: a point in the log has its flows on the disk.
        if (event.flows !== undefined) flows?.write(point, event.flows)
        log.add(finished)
        ended.set(key, finished)
      },
    })
  } catch (error) {
    log.close()
    throw error
  } finally {
    end()
  }
  return { failed, interruption }
}

function jobOf({ id, key, scenarioText }: Point, limit: PointLimit, keepsFlows: boolean, folder: string): Job {
  return { id, scenarioText, wants: 'summary', limit, folder, ...(keepsFlows ? { flowsKey: key } : {}) }
}

/** Removes flows of points that are not in the plan if `isForced`; otherwise closes the log and throws InputError. */
function settleFlows(log: PointLog, flows: SweepFlows, plan: Plan, isForced: boolean): void {
  const foreign = flows.foreign(plan)
  if (foreign.length === 0 || isForced) {
    flows.remove(foreign)
    return
  }
  log.close()
  throw inputError(
    '--out',
    'a new folder, or that of this sweep',
    `flows of another sweep in ${flows.shown}, with ${exactCount(foreign.length)} files that do not belong to this one`,
    'name another folder; --force removes them',
  )
}

/** Closes the log and throws InputError if there are tables and the log has points that are not in the plan. */
function expectOwn(log: PointLog, { others }: LoggedPoints, folder: string, shown: string): void {
  const tables = TABLES.filter((name) => existsSync(path.join(folder, name)))
  if (others === 0 || tables.length === 0) return
  log.close()
  throw inputError(
    '--out',
    'a new folder, or that of this sweep',
    `${tables.join(' and ')} of another sweep in ${shown}, with ${exactCount(others)} points that do not belong to this one`,
    'name another folder; --force replaces them and keeps the points',
  )
}

function damagedText(lines: number, shown: string): string {
  const file = path.join(shown, 'points.jsonl')
  return lines === 1
    ? `a line of ${file} is damaged; it is ignored and its point runs again`
    : `${exactCount(lines)} lines of ${file} are damaged; they are ignored and their points run again`
}

/** Plans a sweep, showing progress while its combinations are checked. */
function checkedPlan(file: ScenarioFile, asked: SweepAsked, progress: ProgressLine): Plan {
  try {
    return planSweep(file, asked, (checked, total) => {
      progress.update((elapsedMs) => {
        const seconds = elapsedMs / 1000
        const rate = `${(checked / seconds).toFixed(1)} combinations/s`
        return [percent(checked / total), rate, leftText(checked / total, seconds), `checked ${checked}/${total}`].join(
          '  ',
        )
      })
    })
  } finally {
    progress.clear()
  }
}
