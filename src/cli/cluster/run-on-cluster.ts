/**
 * Run on a cluster: what sweep and reproduce do with --on: submit what is open, say where it is, wait, cancel.
 */
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { counted } from '../../core/findings/index.ts'
import { exactCount } from '../../show/index.ts'
import type { Context } from '../context.ts'
import { Failure } from '../failure.ts'
import { type Interruption, watchInterruption } from '../interruption.ts'
import { packageRoot } from '../package-root.ts'
import { leftText, percent, ProgressLine } from '../progress-line.ts'
import type { Ended } from '../workers/run-jobs.ts'
import { WorkerPool } from '../workers/worker-pool.ts'
import { createAttemptLog } from './attempt-logs.ts'
import { type ClusterFlags, processorsAsked, TASK_MINUTES, wordsOf } from './cluster-flags.ts'
import { ClusterJobs } from './cluster-jobs.ts'
import { ClusterWork, fruitless, type KnownTask, type Scheduler, type View, type Work } from './cluster-work.ts'
import { PointKeeper } from './point-keeper.ts'
import { Slurm } from './slurm.ts'
import type { TaskPoint } from './task-file.ts'

/** A point is timed for no longer; its share of progress says the rest. */
const TIMED_MS = 20_000
/** How often a command that waits reads the logs, and asks the scheduler. */
const LOOK_MS = 1000
const ASK_MS = 5000
/** Submissions in a row of which no task finished a point. */
const FRUITLESS_MAX = 3
/** Points of a task of which one takes no time that can be measured. */
const POINTS_MOST = 10_000

export interface Locations {
  /** Absolute. */
  readonly folder: string
  /** As the user named it. */
  readonly shown: string
  /** Noun of a point, in the plural. */
  readonly noun: string
  /** The command without its options of clusters, for hints. */
  readonly again: string
}

export interface ClusterEnd {
  readonly view: View
  /** Signal that ended a wait. */
  readonly interruption: Interruption | undefined
}

/** Does what the flags say. Throws InputError and Failure. */
export async function runOnCluster(
  context: Context,
  flags: ClusterFlags & { readonly quiet?: boolean },
  work: Work,
  locations: Locations,
): Promise<ClusterEnd> {
  const runner = new ClusterRunner(context, flags, work, locations)
  return runner.run()
}

/** In place of a scheduler: the task files are all that is made, and whoever has them runs them. */
const TASK_FILES: Scheduler = {
  check: () => Promise.resolve(),
  submit: () => Promise.resolve('0'),
  find: () => Promise.resolve(undefined),
  tasks: () => Promise.resolve([]),
  endedTasks: () => Promise.resolve([]),
  cancel: () => Promise.resolve(),
  limits: () => Promise.resolve({ tasksMax: Infinity }),
}

class ClusterRunner {
  readonly #context: Context
  readonly #flags: ClusterFlags & { readonly quiet?: boolean }
  readonly #work: Work
  readonly #locations: Locations
  readonly #scheduler: Scheduler
  readonly #cluster: ClusterWork
  /** Options of sbatch, in words. */
  readonly #options: readonly string[]

  constructor(context: Context, flags: ClusterFlags & { readonly quiet?: boolean }, work: Work, locations: Locations) {
    this.#context = context
    this.#flags = flags
    this.#work = work
    this.#locations = locations
    this.#options = wordsOf(flags.sbatch ?? [])
    const jobs = new ClusterJobs(locations.folder, locations.shown)
    this.#scheduler = flags.on === 'files' ? TASK_FILES : new Slurm({ environment: context.env })
    this.#cluster = new ClusterWork(work, jobs, this.#scheduler)
  }

  async run(): Promise<ClusterEnd> {
    const { cancel, status, wait } = this.#flags
    if (cancel === true) {
      const count = await this.#cluster.cancel()
      this.#say(`cancelled ${counted(count, 'task')}; what has finished is kept`)
      return { view: await this.#cluster.view(), interruption: undefined }
    }
    if (status === true) return { view: await this.#cluster.view(), interruption: undefined }
    const view = await this.#cluster.view()
    if (view.open.length > 0) await this.#submit(view.open, this.#work.header.retries)
    else this.#say(standingText(view, this.#work, this.#locations.noun))
    if (wait !== true) return { view: await this.#cluster.view(), interruption: undefined }
    return this.#wait()
  }

  async #submit(open: readonly TaskPoint[], retries: boolean): Promise<void> {
    await this.#scheduler.check(this.#options)
    const pointsPerTask = this.#flags.taskPoints ?? (await this.#pointsPerTask(open[0]!))
    const submitted = await this.#cluster.submit({
      pointsPerTask,
      retries,
      options: this.#options,
      directory: this.#context.directory,
      command: [process.execPath, path.join(packageRoot, 'dist', 'cli', 'main.js'), 'task'],
    })
    const { noun, again, shown } = this.#locations
    for (const { name, jobId, tasks, points } of submitted) {
      const sizes = `${exactCount(points)} ${noun} in ${counted(tasks, 'task')}`
      if (this.#flags.on === 'files') this.#say(`${sizes}: ${path.join(shown, 'cluster', name, 'task-*.jsonl')}`)
      else this.#say(`job ${jobId} (${name}): ${sizes}`)
    }
    if (this.#flags.wait === true || submitted.length === 0) return
    if (this.#flags.on === 'files') {
      this.#say('run each with: rocelab task FILE; then repeat the command to gather')
      return
    }
    this.#say(`repeat the command to gather; ${again} --on slurm --status says where they are, --cancel ends them`)
  }

  /** As many points as take the time of a task, from the time of one. */
  async #pointsPerTask(point: TaskPoint): Promise<number> {
    const seconds = await this.#secondsOf(point)
    const threads = processorsAsked(this.#options)
    const taskSeconds = (this.#flags.taskMinutes ?? TASK_MINUTES) * 60
    return Math.max(1, Math.min(POINTS_MOST, Math.floor((taskSeconds * threads) / seconds)))
  }

  /** Runs a point here for a while, and keeps it if it ends. */
  async #secondsOf(point: TaskPoint): Promise<number> {
    const { folder, shown } = this.#locations
    const keeper = new PointKeeper(folder, this.#work.header)
    const progress = this.#progress()
    let fraction = 0
    let ended: Ended | undefined
    const startMs = performance.now()
    const pool = new WorkerPool({
      size: 1,
      onMessage(message) {
        if (message.type === 'progress') ({ fraction } = message)
        else ended = message
        progress.update((elapsedMs) => `timing a point  ${percent(fraction)}  ${(elapsedMs / 1000).toFixed(0)} s`)
      },
    })
    const timer = setTimeout(() => pool.stop(), TIMED_MS)
    try {
      await pool.run([keeper.jobOf(point, 0)])
    } finally {
      clearTimeout(timer)
      progress.clear()
    }
    const seconds = (performance.now() - startMs) / 1000
    if (ended === undefined) return fraction > 0 ? seconds / fraction : Infinity
    const log = createAttemptLog(folder, shown, 'timed')
    try {
      keeper.keep(point, ended, log)
    } finally {
      log.close()
    }
    return seconds
  }

  /** Waits until no task is left, and submits again what tasks have left undone. */
  async #wait(): Promise<ClusterEnd> {
    const progress = this.#progress()
    const interruption = watchInterruption(() => {
      progress.clear()
      this.#say('no longer waiting; the tasks go on, and the same command waits again')
    })
    const total = this.#work.points.length
    // A point that fails again is not tried a third time.
    let view = await this.#cluster.view(false)
    const endedAtFirst = endedIn(view)
    let endedAtSubmission = endedAtFirst
    let fruitlessCount = 0
    let askedMs = performance.now()
    try {
      while (interruption.signal === undefined && (view.tasks.length > 0 || view.open.length > 0)) {
        if (view.tasks.length === 0) {
          fruitlessCount = endedIn(view) > endedAtSubmission ? 0 : fruitlessCount + 1
          if (fruitlessCount >= FRUITLESS_MAX) throw await this.#fruitless()
          endedAtSubmission = endedIn(view)
          progress.clear()
          await this.#submit(view.open, false)
          view = await this.#patient(view)
          askedMs = performance.now()
        }
        await delay(LOOK_MS)
        view = { ...view, ...this.#work.look() }
        const now = performance.now()
        if (endedIn(view) >= total || now - askedMs >= ASK_MS) {
          view = await this.#patient(view)
          askedMs = now
        }
        const { tasks } = view
        progress.update((elapsedMs) => {
          const share = endedIn(view) / total
          const gained = (endedIn(view) - endedAtFirst) / Math.max(1, total - endedAtFirst)
          const points = `${this.#locations.noun} ${endedIn(view)}/${total}`
          return [percent(share), leftText(gained, elapsedMs / 1000).padStart(14), points, countsText(tasks)].join('  ')
        })
      }
    } finally {
      progress.clear()
      interruption.release()
    }
    return { view, interruption: interruption.signal === undefined ? undefined : interruption }
  }

  /** The view, or what was known before where the scheduler does not answer: it may be away for a while. */
  async #patient(before: View): Promise<View> {
    try {
      return await this.#cluster.view(false)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { ...before, ...this.#work.look() }
    }
  }

  async #fruitless(): Promise<Failure> {
    return fruitless(path.join(this.#locations.shown, 'cluster'), await this.#cluster.endings())
  }

  #progress(): ProgressLine {
    return new ProgressLine(this.#flags.quiet === true ? undefined : this.#context.terminal)
  }

  #say(text: string): void {
    if (this.#flags.quiet !== true) this.#context.process.stderr.write(`rocelab: ${text}\n`)
  }
}

function endedIn({ finished, failed }: View): number {
  const both = [...failed.keys()].filter((key) => finished.has(key)).length
  return finished.size + failed.size - both
}

/** "8 running, 2 waiting". */
function countsText(tasks: readonly KnownTask[]): string {
  const states = (['running', 'waiting', 'held'] as const).flatMap((state) => {
    const count = tasks.filter((task) => task.state === state).length
    return count === 0 ? [] : [`${exactCount(count)} ${state}`]
  })
  return `tasks ${states.length === 0 ? 'none' : states.join(', ')}`
}

/** How many points have ended and how many are with tasks, in one line. */
export function standingText(view: View, { points }: Work, noun: string): string {
  const parts = [
    `${exactCount(view.finished.size)} of ${exactCount(points.length)} ${noun} finished`,
    ...(view.failed.size === 0 ? [] : [`${exactCount(view.failed.size)} failed`]),
    ...(view.queued.size === 0 ? [] : [`${exactCount(view.queued.size)} are with tasks`]),
    ...(view.open.length === 0 ? [] : [`${exactCount(view.open.length)} are not submitted`]),
  ]
  return parts.join(', ')
}

/** The same with the tasks, why they wait, and why points failed; as one line of JSON if asked for. */
export function statusText(view: View, work: Work, noun: string, isJson = false): string {
  const whys = new Map<string, { readonly state: string; readonly why: string; tasks: number }>()
  for (const { state, why } of view.tasks) {
    const known = whys.get(`${state} ${why}`)
    if (known === undefined) whys.set(`${state} ${why}`, { state, why, tasks: 1 })
    else known.tasks++
  }
  const reasons = new Map<string, number>()
  for (const { message } of view.failed.values()) reasons.set(message, (reasons.get(message) ?? 0) + 1)
  if (isJson) {
    const counts = {
      finished: view.finished.size,
      failed: view.failed.size,
      queued: view.queued.size,
      open: view.open.length,
    }
    const failures = [...reasons].map(([message, count]) => ({ message, [noun]: count }))
    const jobs = view.jobs.map(({ name, jobId = null, isCancelled }) => ({ name, jobId, isCancelled }))
    return `${JSON.stringify({ [noun]: work.points.length, ...counts, tasks: [...whys.values()], failures, jobs })}\n`
  }
  const lines = [
    standingText(view, work, noun),
    countsText(view.tasks),
    ...[...whys.values()].map(
      ({ state, why, tasks }) => `  ${exactCount(tasks)} ${state === 'running' ? 'running ' : ''}${why}`,
    ),
    ...[...reasons].map(
      ([message, count]) => `failed, ${exactCount(count)} of the ${noun}:\n  ${message.replaceAll('\n', '\n  ')}`,
    ),
  ]
  return `${lines.join('\n')}\n`
}
