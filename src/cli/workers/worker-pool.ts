/**
 * Worker pool: runs jobs on several threads. If a worker dies, its job is reported as failed and the worker is replaced.
 * Jobs start in order and end in any order.
 */
import { existsSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import type { FromWorker, Job } from './worker-messages.ts'

interface PoolOptions {
  /** Largest number of worker threads, at least 1. */
  readonly size: number
  /** Receives the messages of workers, and 'failed' for jobs whose worker died. */
  readonly onMessage: (message: FromWorker) => void
  /** Script of a worker; worker.ts by default. */
  readonly program?: URL
}

interface Slot {
  readonly worker: Worker
  job: Job | undefined
}

export class WorkerPool {
  readonly #options: PoolOptions
  readonly #program: URL
  readonly #slots: Slot[]
  #queue: Job[]
  #isStopped: boolean
  #settle: ((error?: unknown) => void) | undefined

  constructor(options: PoolOptions) {
    this.#options = options
    this.#program = options.program ?? workerProgram()
    this.#slots = []
    this.#queue = []
    this.#isStopped = false
  }

  /** Runs all jobs; resolves when all have ended or the pool is stopped. Rejects if onMessage throws. */
  async run(jobs: readonly Job[]): Promise<void> {
    this.#queue = [...jobs]
    try {
      await new Promise<void>((resolve, reject) => {
        this.#settle = (error) => (error === undefined ? resolve() : reject(error))
        const count = Math.min(this.#options.size, this.#queue.length)
        for (let index = 0; index < count; index++) this.#feed(this.#employ())
        if (count === 0 || this.#isStopped) resolve()
      })
    } finally {
      await this.#dismissAll()
    }
  }

  /** Stops the jobs in progress. */
  stop(): void {
    this.#isStopped = true
    this.#settle?.()
  }

  #employ(): Slot {
    const worker = new Worker(this.#program)
    const slot: Slot = { worker, job: undefined }
    this.#slots.push(slot)
    let reason = ''
    worker.on('message', (message: FromWorker) => {
      if (this.#isStopped) return
      if (message.type !== 'progress') slot.job = undefined
      this.#report(message)
      if (message.type !== 'progress') this.#feed(slot)
    })
    worker.on('error', (error: unknown) => {
      reason = error instanceof Error ? error.message : String(error)
    })
    worker.on('exit', (code) => {
      const { job } = slot
      this.#slots.splice(this.#slots.indexOf(slot), 1)
      if (job === undefined || this.#isStopped) return
      const why = reason === '' ? `exit code ${code}` : reason
      this.#report({ type: 'failed', id: job.id, isInput: false, message: `its worker died: ${why}` })
      if (this.#queue.length > 0) this.#feed(this.#employ())
      else this.#finishIfIdle()
    })
    return slot
  }

  #feed(slot: Slot): void {
    if (this.#isStopped) return
    const job = this.#queue.shift()
    const { worker } = slot
    slot.job = job
    if (job === undefined) this.#finishIfIdle()
    else worker.postMessage(job, [])
  }

  #finishIfIdle(): void {
    if (this.#queue.length === 0 && this.#slots.every((slot) => slot.job === undefined)) this.#settle?.()
  }

  #report(message: FromWorker): void {
    try {
      this.#options.onMessage(message)
    } catch (error) {
      this.#isStopped = true
      this.#settle?.(error)
    }
  }

  async #dismissAll(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#slots.map((slot) => slot.worker.terminate()))
  }
}

/** The built script, or the source if this module runs from source. */
function workerProgram(): URL {
  const built = new URL('./worker.js', import.meta.url)
  return existsSync(built) ? built : new URL('./worker.ts', import.meta.url)
}
