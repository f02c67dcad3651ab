/**
 * task FILE: runs the points of one task, as a scheduler calls it on a node of a cluster.
 */
import { hostname, availableParallelism } from 'node:os'
import path from 'node:path'
import { findPoints, mayStay } from '../../lab/advice/sweep/finished-points.ts'
import { exactCount } from '../../show/index.ts'
import { type AttemptNote, AttemptLogs, createAttemptLog } from '../cluster/attempt-logs.ts'
import { PointKeeper } from '../cluster/point-keeper.ts'
import { readTask, type Task, type TaskPoint } from '../cluster/task-file.ts'
import { command, type FlagsOf } from '../command.ts'
import { givenFlag, jobsFlag } from '../flags.ts'
import type { Context } from '../context.ts'
import { EXIT_INPUT, Failure } from '../failure.ts'
import { readLines } from '../files/line-file.ts'
import { watchRun } from '../workers/watch-run.ts'
import { fileText } from '../parsers.ts'
import { programKey } from '../sweep/program-key.ts'
import { POINTS_FILE } from '../sweep/point-log.ts'
import { runJobs, Tally } from '../workers/run-jobs.ts'

const FLAGS = {
  jobs: { ...jobsFlag, brief: 'Threads [default = processors that the scheduler has given, or all]' },
  quiet: givenFlag('Show no progress'),
}
type TaskFlags = FlagsOf<typeof FLAGS>

export const task = command({
  brief: 'Run the points of one task on a node of a cluster',
  about: [
    'Runs the points of a task that sweep or reproduce wrote with --on, except those that a log of the folder already',
    'holds. Each finished point is kept at once, in a log that this process alone writes, so that a task may be ended at',
    'any time, and may run twice at the same time, on any machines that share the folder. A scheduler calls this command.',
    'sweep or reproduce, repeated with the same options, gathers.',
    '',
    'Exit codes: 0 every point has finished or failed, and its log says so; 1 a disk is full or the like; 2 no task, or that of',
    'another program; 143 ended by SIGTERM.',
    '',
    'Examples:',
    '  rocelab task results/sweep-fat-tree-0123abcd/cluster/rocelab-fat-tree-5f3a9c/task-0.jsonl',
    '  rocelab task tasks/task-0.jsonl --jobs 4',
  ],
  args: [{ brief: 'Task', placeholder: 'FILE', parse: fileText }],
  flags: FLAGS,
  run: runTask,
})

async function runTask(this: Context, flags: TaskFlags, file: string): Promise<void> {
  const planned = readTask(path.resolve(this.directory, path.dirname(file)), path.dirname(file), path.basename(file))
  if (planned.header.program !== programKey()) {
    const what = `the points of ${file} were planned by another build of rocelab`
    throw new Failure(`${what}; repeat the command that planned them with this one`, EXIT_INPUT)
  }
  const job = path.dirname(path.resolve(this.directory, file))
  const folder = path.dirname(path.dirname(job))
  const name = `${path.basename(job)}-${path.basename(file, '.jsonl')}`
  const threads = flags.jobs ?? processorsGiven(this.env) ?? availableParallelism()
  const shown = path.relative(this.directory, folder)
  const open = openPoints(planned, folder, shown)
  const log = createAttemptLog(folder, shown, name)
  const { progress, interruption, end } = watchRun(this, flags.quiet)
  const counts = { finished: 0, failed: 0 }
  const keeper = new PointKeeper(folder, planned.header)
  try {
    log.add({
      attempt: { host: hostname(), pid: process.pid, at: new Date().toISOString(), threads },
    } satisfies AttemptNote)
    await runJobs(
      open.map((point, id) => keeper.jobOf(point, id)),
      {
        threads,
        progress,
        tally: new Tally('points', open.length),
        interruption,
        onEnded(ended) {
          keeper.keep(open[ended.id]!, ended, log)
          counts[ended.type === 'failed' ? 'failed' : 'finished']++
        },
      },
    )
  } finally {
    end()
    log.close()
  }
  const known = planned.points.length - open.length
  const before = known === 0 ? '' : `, ${exactCount(known)} had ended before`
  const failed = counts.failed === 0 ? '' : `, ${exactCount(counts.failed)} failed`
  const text = `${exactCount(counts.finished)} of ${exactCount(planned.points.length)} points finished${failed}${before}`
  this.process.stderr.write(`rocelab: ${text}\n`)
  if (interruption.signal !== undefined) this.process.exitCode = interruption.exitCode
}

/** Points that neither finished nor failed in any attempt. */
function openPoints({ header, points }: Task, folder: string, shown: string): readonly TaskPoint[] {
  const { cache, flows } = new PointKeeper(folder, header)
  const lines = [...readLines(folder, shown, POINTS_FILE).lines, ...new AttemptLogs(folder, shown).next()]
  const logged = findPoints(points, lines)
  return points.filter((point) => {
    if (!header.retries && logged.failed.has(point.key)) return false
    if (header.wants === 'result') return !cache.holds(point.key)
    const known = logged.finished.get(point.key)
    return known === undefined || !mayStay(known, header.limit, !header.keepsFlows || flows.holds(point))
  })
}

/** Processors that Slurm has given to this task; undefined where it has not said. */
function processorsGiven(env: Context['env']): number | undefined {
  const given = Number(env['SLURM_CPUS_ON_NODE'] ?? env['SLURM_CPUS_PER_TASK'])
  return Number.isInteger(given) && given > 0 ? given : undefined
}
