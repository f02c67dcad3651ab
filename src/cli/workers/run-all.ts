/**
 * Run all: whole results of scenarios, on several threads, for answers that take several runs.
 */
import { availableParallelism } from 'node:os'
import type { RunAll } from '../../advice.ts'
import type { Result } from '../../core/results/index.ts'
import { printScenario } from '../../lab/scenario/index.ts'
import { EXIT_BUG, EXIT_INPUT, Failure } from '../failure.ts'
import { runJobs, Tally } from './run-jobs.ts'
import type { RunWatch } from './watch-run.ts'

/** Runs that an answer takes most often, for the progress line. */
const USUAL_RUNS = 4

/** @throws Failure where a run fails; null in place of results that an interruption has prevented */
export function runAllOn(threads: number | undefined, { progress, interruption }: RunWatch): RunAll {
  const tally = new Tally('runs', USUAL_RUNS)
  let next = 0
  return async (scenarios) => {
    const first = next
    next += scenarios.length
    const results: (Result | null)[] = scenarios.map(() => null)
    const failures: Failure[] = []
    const jobs = scenarios.map((scenario, i) => ({
      id: first + i,
      scenarioText: JSON.stringify(printScenario(scenario)),
      wants: 'result' as const,
    }))
    await runJobs(jobs, {
      threads: threads ?? availableParallelism(),
      progress,
      tally,
      interruption,
      onEnded(event) {
        if (event.type === 'failed')
          failures.push(new Failure('a run failed', event.isInput ? EXIT_INPUT : EXIT_BUG, event.message))
        if (event.type === 'result') results[event.id - first] = event.result
      },
    })
    const [failure] = failures
    if (failure !== undefined) throw failure
    return results
  }
}
