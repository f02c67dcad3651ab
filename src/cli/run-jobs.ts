/**
 * Run jobs: scenarios on several threads with one progress line over all of them.
 */
import { humanCount } from '../report/index.ts'
import type { Interruption } from './interruption.ts'
import { percent, type ProgressLine, waitText } from './progress-line.ts'
import type { FromWorker, Job } from './worker-messages.ts'
import { WorkerPool } from './worker-pool.ts'

/** How a job ended. */
export type Ended = Exclude<FromWorker, { readonly type: 'progress' }>

export interface RunJobsOptions {
  readonly threads: number
  readonly progress: ProgressLine
  /** Ends the jobs under way; those that have ended stay ended. */
  readonly interruption: Interruption
  /** What a job is to the user: "points". */
  readonly noun: string
  readonly onEnded: (ended: Ended) => void
}

/** Runs all jobs, or as many as an interruption leaves time for. */
export async function runJobs(jobs: readonly Job[], options: RunJobsOptions): Promise<void> {
  const underWay = new Map<number, { readonly fraction: number; readonly packetHops: number }>()
  let ended = 0
  let endedHops = 0
  const pool = new WorkerPool({
    size: options.threads,
    onMessage(message) {
      if (message.type === 'progress') {
        underWay.set(message.id, message)
        return
      }
      underWay.delete(message.id)
      ended++
      endedHops += hopsOf(message)
      options.onEnded(message)
    },
  })
  options.interruption.onRequest(() => pool.stop())
  const text = (elapsedMs: number): string => {
    const seconds = elapsedMs / 1000
    const shares = [...underWay.values()].reduce((sum, news) => sum + news.fraction, ended)
    const hops = [...underWay.values()].reduce((sum, news) => sum + news.packetHops, endedHops)
    const fraction = shares / jobs.length
    return [
      percent(fraction),
      `${humanCount(hops / seconds)} packet-hops/s`.padStart(20),
      `${fraction > 0 ? waitText((seconds * (1 - fraction)) / fraction) : '?'} left`.padStart(11),
      `${options.noun} ${ended}/${jobs.length}`,
    ].join('  ')
  }
  const timer = setInterval(() => options.progress.update(text), 100)
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
