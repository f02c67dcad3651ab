/**
 * Warm: short points of a sweep on one thread, one after the other, as a sweep runs them, and each on a thread of its own.
 * V8 compiles the hot functions anew in each thread, which takes longer than such a point.
 */
import { WorkerPool } from '../src/cli/workers/worker-pool.ts'
import type { Job } from '../src/cli/workers/worker-messages.ts'

/** Some 200,000 packet-hops. */
const POINT =
  '{name: point, topology: {kind: star, hosts: 9}, pfc: {classes: [3]}, congestion: dcqcn, workload: [{kind: incast, senders: 8, total: 64MB}]}'
const POINTS = 12

export interface Warmth {
  /** Seconds of each point on one thread. */
  readonly onOne: readonly number[]
  /** Seconds of each point on a fresh thread. */
  readonly onOwn: readonly number[]
}

export async function warmth(): Promise<Warmth> {
  const jobs = Array.from({ length: POINTS }, (_, id): Job => ({ id, scenarioText: POINT, wants: 'summary' }))
  const onOwn: number[] = []
  for (const job of jobs) onOwn.push(...(await secondsOf([job])))
  return { onOne: await secondsOf(jobs), onOwn }
}

/** Seconds from the end of one job to that of the next, on one thread; the first from the start of the thread. */
async function secondsOf(jobs: readonly Job[]): Promise<number[]> {
  const ends = [performance.now()]
  const pool = new WorkerPool({
    size: 1,
    program: new URL('../../dist/cli/worker.js', import.meta.url),
    onMessage(message) {
      if (message.type === 'failed') throw new Error(message.message)
      if (message.type === 'summary') ends.push(performance.now())
    },
  })
  await pool.run(jobs)
  return ends.slice(1).map((end, i) => (end - ends[i]!) / 1000)
}

export const WARM_COLUMNS = ['', 'first point, s', 'later points, s (median)'] as const

export function warmRows({ onOne, onOwn }: Warmth): string[][] {
  const row = (name: string, [first = NaN, ...later]: readonly number[]): string[] => {
    const sorted = later.toSorted((a, b) => a - b)
    return [name, first.toFixed(2), (sorted[sorted.length >> 1] ?? NaN).toFixed(2)]
  }
  return [row('all on one thread, as in a sweep', onOne), row('each on a fresh thread', onOwn)]
}
