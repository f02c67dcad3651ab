/**
 * Point keeper: keeps what becomes of points, first what the log speaks of, then its line.
 */
import { InputError } from '../../core/base/issue.ts'
import type { Result } from '../../core/results/index.ts'
import type { LineFile } from '../files/line-file.ts'
import { RunCache } from '../files/run-cache.ts'
import { SweepFlows } from '../sweep/sweep-flows.ts'
import type { Ended } from '../workers/run-jobs.ts'
import type { Job } from '../workers/worker-messages.ts'
import type { TaskHeader, TaskPoint } from './task-file.ts'

/** Folder of results, in the folder of a reproduction. */
const RUNS = 'runs'

export class PointKeeper {
  readonly cache: RunCache
  readonly flows: SweepFlows
  readonly #folder: string
  readonly #header: Pick<TaskHeader, 'wants' | 'limit' | 'keepsFlows'>

  /** @param folder of a sweep or reproduction */
  constructor(folder: string, header: Pick<TaskHeader, 'wants' | 'limit' | 'keepsFlows'>) {
    this.#folder = folder
    this.cache = new RunCache(`${folder}/${RUNS}`, `${folder}/${RUNS}`)
    this.flows = new SweepFlows(folder, folder)
    this.#header = header
  }

  jobOf({ key, scenarioText }: TaskPoint, id: number): Job {
    const { wants, limit, keepsFlows } = this.#header
    if (wants === 'result') return { id, scenarioText, wants }
    return { id, scenarioText, wants, limit, folder: this.#folder, ...(keepsFlows ? { flowsKey: key } : {}) }
  }

  /** Throws a Failure for a full disk. */
  keep(point: TaskPoint, ended: Ended, log: LineFile): void {
    const { key, values, seed } = point
    if (ended.type === 'failed') {
      log.add({ key, failed: { isInput: ended.isInput, message: ended.message } })
    } else if (ended.type === 'result') {
      this.#store(key, point.scenarioText, ended.result)
      log.add({ key, isStored: true })
    } else {
      if (ended.flows !== undefined) this.flows.write(point, ended.flows)
      const stopped = ended.stopped === undefined ? {} : { stopped: ended.stopped }
      log.add({ key, values, seed, summary: ended.summary, ...stopped })
    }
  }

  /** A task that runs twice at the same time may store the same result twice; the first is kept. */
  #store(key: string, scenarioText: string, result: Result): void {
    if (this.cache.holds(key)) return
    try {
      this.cache.add(key, scenarioText, result)
    } catch (error) {
      if (!(error instanceof InputError) || !this.cache.holds(key)) throw error
    }
  }
}
