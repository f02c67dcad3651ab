/**
 * Cluster work: the points of a sweep or a reproduction as tasks of a scheduler. Logs of attempts say what has finished; the
 * scheduler only says where the rest is. A point is submitted if it has neither finished nor failed, and no task that the
 * scheduler still knows has it.
 */
import { randomBytes } from 'node:crypto'
import type { FailedLine } from '../../lab/advice/sweep/finished-points.ts'
import { EXIT_BUG, Failure } from '../failure.ts'
import { fileName } from '../files/result-folder.ts'
import type { ClusterJob, ClusterJobs } from './cluster-jobs.ts'
import type { ArrayJob } from './slurm.ts'
import type { ClusterTask } from './slurm-answers.ts'
import type { TaskHeader, TaskPoint } from './task-file.ts'

/** A scheduler that runs arrays of tasks. Methods are those of Slurm's client. */
export interface Scheduler {
  check(options: readonly string[]): Promise<void>
  submit(job: ArrayJob): Promise<string>
  find(name: string): Promise<string | undefined>
  tasks(jobId: string, name: string): Promise<readonly ClusterTask[]>
  endedTasks(jobId: string, name: string): Promise<readonly ClusterTask[]>
  cancel(jobId: string, name: string): Promise<void>
  limits(): Promise<{ readonly tasksMax: number }>
}

/** What has become of points, by key. */
export interface Standing {
  readonly finished: ReadonlySet<string>
  readonly failed: ReadonlyMap<string, FailedLine['failed']>
}

/** Points to run, and how. */
export interface Work {
  /** Part of the names of jobs. */
  readonly title: string
  readonly points: readonly TaskPoint[]
  readonly header: Omit<TaskHeader, 'schemaVersion' | 'points'>
  /** Reads what the logs say now. */
  look(): Standing
}

/** A task that has not ended, and the job that it is of. */
export interface KnownTask extends ClusterTask {
  readonly job: string
  readonly jobId: string
}

export interface View extends Standing {
  /** Tasks that have not ended. */
  readonly tasks: readonly KnownTask[]
  /** Points that these have and that are to be done. */
  readonly queued: ReadonlySet<string>
  /** Points that neither finished, failed nor are queued. */
  readonly open: readonly TaskPoint[]
  /** Jobs of which the scheduler knows a number. */
  readonly jobs: readonly ClusterJob[]
}

/** Size of tasks and the user's wishes. */
export interface SubmitOptions {
  /** Points of a task. */
  readonly pointsPerTask: number
  /** Points that failed are submitted too. */
  readonly retries: boolean
  /** Options of sbatch, in words. */
  readonly options: readonly string[]
  /** Folder in which tasks run. */
  readonly directory: string
  /** Command that runs a task, before the name of its file. */
  readonly command: readonly string[]
}

export interface Submitted {
  readonly name: string
  readonly jobId: string
  readonly tasks: number
  readonly points: number
}

export class ClusterWork {
  readonly #work: Work
  readonly #jobs: ClusterJobs
  readonly #scheduler: Scheduler

  constructor(work: Work, jobs: ClusterJobs, scheduler: Scheduler) {
    this.#work = work
    this.#jobs = jobs
    this.#scheduler = scheduler
  }

  /**
   * Where the points are now. Throws a Failure if the scheduler does not answer.
   * @param retries points that failed are open again
   */
  async view(retries: boolean = this.#work.header.retries): Promise<View> {
    const jobs = await this.#known()
    const tasks: KnownTask[] = []
    for (const { name, jobId } of jobs) {
      if (jobId === undefined) continue
      for (const task of await this.#scheduler.tasks(jobId, name)) tasks.push({ ...task, job: name, jobId })
    }
    // After the scheduler: a task that ended in the meantime has its points in the logs.
    const { finished, failed } = this.#work.look()
    const isDone = (key: string): boolean => finished.has(key) || (failed.has(key) && !retries)
    const keys = tasks.flatMap(({ job, index }) => this.#jobs.keysOf(job, index))
    const queued = new Set(keys.filter((key) => !isDone(key)))
    const open = this.#work.points.filter(({ key }) => !isDone(key) && !queued.has(key))
    return { finished, failed, tasks, queued, open, jobs }
  }

  /**
   * Submits what is open, in arrays of no more tasks than the site allows. Nothing is submitted twice, also by two programs
   * at once. Throws InputError if another program is submitting, a Failure if the scheduler refuses or does not answer.
   */
  async submit({ pointsPerTask, retries, ...options }: SubmitOptions): Promise<readonly Submitted[]> {
    const lock = this.#jobs.lock()
    try {
      await this.#settle()
      const { open } = await this.view(retries)
      if (open.length === 0) return []
      const { tasksMax } = await this.#scheduler.limits()
      const tasks = dealt(open, Math.ceil(open.length / pointsPerTask))
      const submitted: Submitted[] = []
      for (let from = 0; from < tasks.length; from += tasksMax) {
        lock.expectHeld()
        const some = tasks.slice(from, from + tasksMax)
        const name = `rocelab-${fileName(this.#work.title).slice(0, 40)}-${randomBytes(4).toString('hex')}`
        this.#jobs.plan(name, this.#work.header, some)
        const jobId = await this.#submit(name, some.length, options)
        const points = some.reduce((sum, each) => sum + each.length, 0)
        submitted.push({ name, jobId, tasks: some.length, points })
      }
      return submitted
    } finally {
      lock.release()
    }
  }

  /** Cancels all that has not ended. Returns the number of tasks. */
  async cancel(): Promise<number> {
    const lock = this.#jobs.lock()
    try {
      const { tasks, jobs } = await this.view()
      for (const { name, jobId, isCancelled } of jobs) {
        if (isCancelled) continue
        if (jobId !== undefined) await this.#scheduler.cancel(jobId, name)
        this.#jobs.cancelled(name)
      }
      return tasks.length
    } finally {
      lock.release()
    }
  }

  /** How tasks of the last job ended that the scheduler still remembers, in words, each once with its number. */
  async endings(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>()
    const last = (await this.#known()).at(-1)
    if (last?.jobId === undefined) return counts
    for (const { why } of await this.#scheduler.endedTasks(last.jobId, last.name)) {
      counts.set(why, (counts.get(why) ?? 0) + 1)
    }
    return counts
  }

  async #submit(
    name: string,
    tasks: number,
    options: Omit<SubmitOptions, 'pointsPerTask' | 'retries'>,
  ): Promise<string> {
    const folder = this.#jobs.folderOf(name)
    const words = options.command.map(quoted).join(' ')
    const jobId = await this.#scheduler.submit({
      name,
      tasks,
      script: `#!/bin/sh\nexec ${words} ${quoted(`${folder}/task-`)}"$SLURM_ARRAY_TASK_ID".jsonl --quiet\n`,
      output: `${folder.replaceAll('%', '%%')}/output-%a.txt`,
      options: options.options,
      directory: options.directory,
    })
    this.#jobs.submitted(name, jobId)
    return jobId
  }

  /** Notes the numbers of jobs whose submitter was killed before it could. */
  async #settle(): Promise<void> {
    for (const { name, jobId, isCancelled } of this.#jobs.all()) {
      if (jobId !== undefined || isCancelled) continue
      const found = await this.#scheduler.find(name)
      if (found !== undefined) this.#jobs.submitted(name, found)
    }
  }

  /** Jobs with their numbers, also those that nobody could note. */
  async #known(): Promise<readonly ClusterJob[]> {
    const jobs: ClusterJob[] = []
    for (const job of this.#jobs.all()) {
      const jobId = job.jobId ?? (job.isCancelled ? undefined : await this.#scheduler.find(job.name))
      jobs.push(jobId === undefined ? job : { ...job, jobId })
    }
    return jobs
  }
}

/** Deals points to tasks in rotation, so that costly points, which are neighbours, are spread. */
function dealt(points: readonly TaskPoint[], count: number): TaskPoint[][] {
  const tasks: TaskPoint[][] = Array.from({ length: count }, () => [])
  points.forEach((point, i) => tasks[i % count]!.push(point))
  return tasks
}

/** A word as a shell takes it literally. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_./=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Why nothing has come of the tasks, for a command that waits. */
export function fruitless(shown: string, endings: ReadonlyMap<string, number>): Failure {
  const words = [...endings].map(([why, count]) => `${count} ${count === 1 ? 'task' : 'tasks'} ${why}`)
  const how = words.length === 0 ? 'the scheduler no longer knows how they ended' : words.join('; ')
  return new Failure(`tasks end without finishing a point: ${how}; their output is in ${shown}`, EXIT_BUG)
}
