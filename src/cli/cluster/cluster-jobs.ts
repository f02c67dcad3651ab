/**
 * Cluster jobs: which arrays of tasks were submitted for a folder, and the points of each task.
 * Shapes: FOLDER/cluster/jobs.jsonl has a line for each step of a job: planned, submitted, cancelled. FOLDER/cluster/JOB/
 * holds its task files, complete before the first line is written.
 * Invariant: a job that was submitted has its first line, so that its number can be asked for by its name.
 */
import { renameSync, rmSync } from 'node:fs'
import path from 'node:path'
import { countShape, flagShape, hasShape, objectOf, optional, type Shape, textOf } from '../../core/base/shape.ts'
import { writeFiles } from '../files/exchange.ts'
import { writeFailure } from '../files/files.ts'
import { type FolderLock, lockFolder } from '../files/folder-lock.ts'
import { makeFolder } from '../files/folders.ts'
import { inside } from '../files/inside.ts'
import { LineFile, readLines } from '../files/line-file.ts'
import { temporaryName } from '../files/temporary.ts'
import { CLUSTER } from './attempt-logs.ts'
import { readTask, type TaskHeader, type TaskPoint, taskText } from './task-file.ts'

const FILE = 'jobs.jsonl'

export interface ClusterJob {
  /** Unique among the jobs of a user. */
  readonly name: string
  readonly tasks: number
  /** The scheduler's number; undefined: it may not have been submitted. */
  readonly jobId?: string
  readonly isCancelled: boolean
}

interface JobLine {
  readonly job: string
  readonly tasks?: number | undefined
  readonly jobId?: string | undefined
  readonly isCancelled?: boolean | undefined
}

export class ClusterJobs {
  readonly #folder: string
  readonly #shown: string
  readonly #keys = new Map<string, readonly string[]>()

  /** @param folder of a sweep or reproduction @param shown the folder as the user named it */
  constructor(folder: string, shown: string) {
    this.#folder = inside(folder, shown, CLUSTER)
    this.#shown = path.join(shown, CLUSTER)
  }

  /** Jobs in the order in which they were planned. */
  all(): ClusterJob[] {
    const jobs = new Map<string, ClusterJob>()
    for (const line of readLines(this.#folder, this.#shown, FILE).lines) {
      if (!hasShape(jobLineShape, line)) continue
      const { job: name, tasks = 0, jobId, isCancelled = false } = line
      const known = jobs.get(name) ?? { name, tasks, isCancelled: false }
      jobs.set(name, {
        ...known,
        ...(jobId === undefined ? {} : { jobId }),
        isCancelled: known.isCancelled || isCancelled,
      })
    }
    return [...jobs.values()]
  }

  /** Keeps other programs from submitting. Throws InputError if one is about to. */
  lock(): FolderLock {
    try {
      makeFolder(this.#folder)
      return lockFolder(this.#folder, this.#shown, 'submission')
    } catch (error) {
      throw writeFailure(error, this.#shown, 'a folder that can be written')
    }
  }

  /** Writes the tasks of a new job, each with its points, and notes it as planned. */
  plan(
    name: string,
    header: Omit<TaskHeader, 'schemaVersion' | 'points'>,
    tasks: readonly (readonly TaskPoint[])[],
  ): void {
    const fresh = path.join(this.#folder, temporaryName(name))
    try {
      writeFiles(
        fresh,
        tasks.map((points, index) => ({ path: taskName(index), data: Buffer.from(taskText(header, points)) })),
      )
      renameSync(fresh, path.join(this.#folder, name))
    } catch (error) {
      rmSync(fresh, { recursive: true, force: true })
      throw writeFailure(error, this.#shown, 'a folder that can be written')
    }
    this.#note({ job: name, tasks: tasks.length })
  }

  submitted(name: string, jobId: string): void {
    this.#note({ job: name, jobId })
  }

  cancelled(name: string): void {
    this.#note({ job: name, isCancelled: true })
  }

  /** Absolute folder of a job's tasks. */
  folderOf(name: string): string {
    return path.join(this.#folder, name)
  }

  /** Keys of the points of a task. Throws InputError for a damaged task. */
  keysOf(name: string, index: number): readonly string[] {
    const file = `${name}/${taskName(index)}`
    let keys = this.#keys.get(file)
    if (keys === undefined) {
      keys = readTask(this.#folder, this.#shown, file).points.map(({ key }) => key)
      this.#keys.set(file, keys)
    }
    return keys
  }

  #note(line: JobLine): void {
    let log: LineFile | undefined
    try {
      log = LineFile.open(this.#folder, this.#shown, FILE, readLines(this.#folder, this.#shown, FILE).length)
      log.add(line)
    } catch (error) {
      throw writeFailure(error, path.join(this.#shown, FILE), 'a file that can be written')
    } finally {
      log?.close()
    }
  }
}

function taskName(index: number): string {
  return `task-${index}.jsonl`
}

/** A name is part of paths and of the scheduler's command line. */
const jobLineShape: Shape<JobLine> = objectOf<JobLine>({
  job: textOf(/^rocelab-[A-Za-z0-9._-]{1,100}$/, 'the name of a job'),
  tasks: optional(countShape),
  jobId: optional(textOf(/^\d{1,20}$/, 'the number of a job')),
  isCancelled: optional(flagShape),
})
