/**
 * Run jobs: runs scenarios on several threads, with one progress line for all of them.
 */
import { humanCount } from '../../show/index.ts'
import type { Interruption } from '../interruption.ts'
import { leftText, percent, type ProgressLine } from '../progress-line.ts'
import type { FromWorker, Job } from './worker-messages.ts'
import { WorkerPool } from './worker-pool.ts'

/** Last message of a job. */
export type Ended = Exclude<FromWorker, { readonly type: 'progress' }>

/** Progress over all jobs, which may run in several batches. */
export class Tally {
  readonly #noun: string
  readonly #total: number
  readonly #running: Map<number, { readonly fraction: number; readonly packetHops: number }>
  #ended: number
  #endedHops: number

  /** @param noun plural of a job for the user, such as "points". @param total expected number of jobs, may be exceeded. */
  constructor(noun: string, total: number) {
    this.#noun = noun
    this.#total = total
    this.#running = new Map()
    this.#ended = 0
    this.#endedHops = 0
  }

  /** Adds a message of a worker. */
  add(message: FromWorker): void {
    if (message.type === 'progress') {
      this.#running.set(message.id, message)
      return
    }
    this.#running.delete(message.id)
    this.#ended++
    this.#endedHops += hopsOf(message)
  }

  /** Text of the progress line. */
  text(elapsedMs: number): string {
    const seconds = elapsedMs / 1000
    const shares = [...this.#running.values()].reduce((sum, event) => sum + event.fraction, this.#ended)
    const hops = [...this.#running.values()].reduce((sum, event) => sum + event.packetHops, this.#endedHops)
    const fraction = shares / Math.max(this.#total, this.#ended)
    return [
      percent(fraction),
      `${humanCount(hops / seconds)} packet-hops/s`.padStart(20),
      leftText(fraction, seconds).padStart(11),
      `${this.#noun} ${this.#ended}/${Math.max(this.#total, this.#ended)}`,
    ].join('  ')
  }
}

interface RunJobsOptions {
  readonly threads: number
  readonly progress: ProgressLine
  readonly tally: Tally
  /** Stops the jobs in progress; ended jobs keep their results. */
  readonly interruption: Interruption
  readonly onEnded: (ended: Ended) => void
}

/** Runs all jobs, or those that end before an interruption. */
export async function runJobs(jobs: readonly Job[], options: RunJobsOptions): Promise<void> {
  const { progress, tally, interruption } = options
  if (interruption.signal !== undefined) return
  const pool = new WorkerPool({
    size: options.threads,
    onMessage(message) {
      tally.add(message)
      if (message.type !== 'progress') options.onEnded(message)
    },
  })
  interruption.onRequest(() => pool.stop())
  const timer = setInterval(() => progress.update((elapsedMs) => tally.text(elapsedMs)), 100)
  try {
    await pool.run(jobs)
  } finally {
    clearInterval(timer)
  }
}

function hopsOf(ended: Ended): number {
  if (ended.type === 'summary') return ended.summary.packetHops
  return ended.type === 'result' ? ended.result.counters.packetHops : 0
}
