/**
 * The swarm of jobs: random scenarios with collectives, graphs, pipelines and mixtures of experts side by side, with whatever
 * else the swarm draws: losses, trimming, TCP, several ports, changes. All laws are checked, and every run ends. A job
 * of which every message is finished has done all its operations, if it had the time.
 * ROCELAB_SEED is the first seed, ROCELAB_BUDGET multiplies the number of cases. A failure prints its seed and scenario.
 */
import { expect, test } from 'vitest'
import { numbersOf, tableOfKind, textsOf } from '../../src/core/results/index.ts'
import { formatScenario } from '../../src/lab/scenario/index.ts'
import { JOBS_WORLD } from './random-scenario.ts'
import { runCase } from './run-case.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const CASES = Math.round(200 * BUDGET)
const TIMEOUT_MS = 120_000 * Math.max(1, BUDGET)
const REPORTED = 3

test(
  `${CASES} random scenarios with jobs keep all laws and end`,
  () => {
    const failures: string[] = []
    let ended = 0
    const seen = new Map<string, number>()
    for (let seed = FIRST; seed < FIRST + CASES; seed++) {
      try {
        const { scenario, result, faults } = runCase(seed, JOBS_WORLD)
        const rounds = tableOfKind(result, 'collectives')!
        const done = numbersOf(rounds, 'donePs')
        const path = tableOfKind(result, 'critical-path')!
        const isEnded = textsOf(result.flows, 'status').every((status) => status === 'finished')
        const { generate, stop } = scenario.measure
        // A compute may reach beyond the end of what is generated, and then nothing follows it.
        if (isEnded && result.simulatedPs < Math.min(stop ?? Infinity, (generate ?? Infinity) / 2)) {
          const waiting = tableOfKind(result, 'unstarted')!
          ended++
          if (waiting.rowCount > 0)
            failures.push(`${seed}: operations wait\n${formatScenario(scenario, { compact: true })}`)
        }
        const features = [
          ...scenario.workload.map(({ kind }) => kind),
          ...(done.some((each) => !Number.isNaN(each)) ? ['rounds'] : []),
          ...(path.rowCount > 0 ? ['a critical path'] : []),
          ...(faults > 0 ? ['losses'] : []),
          ...(scenario.workload.length > 1 ? ['several'] : []),
        ]
        for (const feature of new Set(features)) seen.set(feature, (seen.get(feature) ?? 0) + 1)
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error))
      }
    }
    expect(failures.slice(0, REPORTED).join('\n\n'), `${failures.length} of ${CASES} cases failed`).toBe('')
    if (CASES < 200) return
    expect(ended).toBeGreaterThan(CASES / 10)
    for (const feature of EXPECTED) expect(seen.get(feature) ?? 0, feature).toBeGreaterThan(CASES / 10)
  },
  TIMEOUT_MS,
)

test('the parts of a message that is open at the stop do not depend on being asked for twice', () => {
  // A retransmission was pending when its sender last became ready, and is not any more.
  expect(() => runCase(1007, JOBS_WORLD)).not.toThrow()
})

/** Kinds that a swarm of this size must have often. */
const EXPECTED = ['collective', 'graph', 'pipeline', 'moe', 'rounds', 'a critical path', 'losses', 'several']
