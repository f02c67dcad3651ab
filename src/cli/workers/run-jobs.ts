/**
 * Run jobs: scenarios on several threads with one progress line over all of them.
 */
import { humanCount } from '../../report/index.ts'
import type { Interruption } from '../interruption.ts'
import { leftText, percent, type ProgressLine } from '../progress-line.ts'
import type { FromWorker, Job } from './worker-messages.ts'
import { WorkerPool } from './worker-pool.ts'

/** How a job ended. */
export type Ended = Exclude<FromWorker, { readonly type: 'progress' }>

/** How far jobs are that are run in one go or in several. */
export class Tally {
  readonly #noun: string
  readonly #total: number
  readonly #running: Map<number, { readonly fraction: number; readonly packetHops: number }>
  #ended: number
  #endedHops: number

  /** `noun` is what a job is to the user: "points". `total` may be exceeded; it then was a guess. */
  constructor(noun: string, total: number) {
    this.#noun = noun
    this.#total = total
    this.#running = new Map()
    this.#ended = 0
    this.#endedHops = 0
  }

  /** Takes in what a worker says. */
  add(message: FromWorker): void {
    if (message.type === 'progress') {
      this.#running.set(message.id, message)
      return
    }
    this.#running.delete(message.id)
    this.#ended++
    this.#endedHops += hopsOf(message)
  }

  /** The progress line. */
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
  /** Ends the jobs under way; those that have ended stay ended. */
  readonly interruption: Interruption
  readonly onEnded: (ended: Ended) => void
}

/** Runs all jobs, or as many as an interruption leaves time for. */
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
