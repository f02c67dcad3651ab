/**
 * The swarm of ports: random scenarios whose hosts have several ports, most with work requests, with whatever else the
 * swarm draws: watchdogs, tables of layer 2, changes, TCP, trimming, faults. All laws are checked, and every run ends.
 * ROCELAB_SEED is the first seed, ROCELAB_BUDGET multiplies the number of cases. A failure prints its seed and scenario.
 */
import { expect, test } from 'vitest'
import { schemeSets } from '../../src/lab/scenario/index.ts'
import { PORTS_WORLD } from './random-scenario.ts'
import { runCase } from './run-case.ts'

const BUDGET = Math.max(0.01, Number(process.env['ROCELAB_BUDGET'] ?? 1))
const FIRST = Number(process.env['ROCELAB_SEED'] ?? 1)
const CASES = Math.round(200 * BUDGET)
const TIMEOUT_MS = 120_000 * Math.max(1, BUDGET)
const REPORTED = 3

test(
  `${CASES} random scenarios of hosts with several ports keep all laws and end`,
  () => {
    const failures: string[] = []
    const seen = new Map<string, number>()
    for (let seed = FIRST; seed < FIRST + CASES; seed++) {
      try {
        const { scenario, result } = runCase(seed, PORTS_WORLD)
        const { topology, nic, workload, switch: at, faults, changes } = scenario
        const isWork = workload.some((source) => source.workRequests)
        const features = [
          ...(isWork ? [`work ${topology.kind}`, `work ${nic.portChoice}`, `work ${nic.portDown}`] : []),
          ...(isWork && at.watchdog.kind !== 'off' ? ['work with a watchdog'] : []),
          ...(isWork && at.layer2.kind !== 'off' ? ['work with layer 2'] : []),
          ...(isWork && changes.length > 0 ? ['work with changes'] : []),
          ...(isWork && schemeSets(scenario).some((set) => set.scenario.recovery.kind === 'tcp')
            ? ['work with TCP']
            : []),
          ...(isWork && result.counters.trimmed > 0 ? ['work trimmed'] : []),
          ...(isWork && faults.some(({ kind }) => kind === 'link-down') ? ['work with ports that go down'] : []),
        ]
        for (const feature of new Set(features)) seen.set(feature, (seen.get(feature) ?? 0) + 1)
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error))
      }
    }
    expect(failures.slice(0, REPORTED).join('\n\n'), `${failures.length} of ${CASES} cases failed`).toBe('')
    if (CASES < 200) return
    for (const feature of EXPECTED) expect(seen.get(feature) ?? 0, feature).toBeGreaterThan(0)
  },
  TIMEOUT_MS,
)

/** Features that a swarm of this size must have together with work requests. */
const EXPECTED = [
  ...['rails', 'planes', 'graph', 'bound', 'spray', 'least-queue', 'move', 'stay'].map((name) => `work ${name}`),
  ...['a watchdog', 'layer 2', 'changes', 'TCP', 'ports that go down'].map((what) => `work with ${what}`),
  'work trimmed',
]
