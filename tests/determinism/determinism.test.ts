/** The same scenario and seed give the same run: in any company, on any Node, watched or not, in any slices. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSimulation, run, type Simulation } from '../../src/lab/index.ts'
import { metrics } from '../../src/lab/metrics/index.ts'
import { formatScenario, parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'
import { Dice } from '../swarm/dice.ts'
import { caseOf } from '../swarm/run-case.ts'
import { SECOND_NODE } from '../second-node/second-node.ts'
import { fingerprintOf } from './fingerprint.ts'

/** Random numbers of every kind: arrivals, sizes, marks, losses, source ports, hash seeds. */
const BUSY = parseScenario(`
name: busy
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4}
workload:
  - {kind: poisson, load: 0.6, flows: 200}
  - {kind: incast, senders: 6, total: 600KB, repetitions: 3}
congestion: dcqcn
qp: {ackTimeout: 320us}
faults: [{kind: bernoulli, probability: 0.0005}, {kind: corruption, bitErrorRatio: 0.00000001}]
measure: {stop: 3ms}
`)
const SEEDS = Array.from({ length: 60 }, (_, i) => 7000 + i)
const scenarios: Scenario[] = [BUSY, ...SEEDS.map((seed) => caseOf(seed).scenario)]
const results = scenarios.map((scenario) => run(scenario, { check: false }))
const alone = results.map((result) => fingerprintOf(result))

function finished(simulation: Simulation, slice: () => number): string {
  while (simulation.advance(slice()));
  return fingerprintOf(simulation.result(false))
}

test('another seed gives another run, and another scenario too', () => {
  expect(fingerprintOf(run({ ...BUSY, seed: 2 }))).not.toBe(alone[0])
  expect(new Set(alone.map((text) => text.slice(0, 16))).size).toBeGreaterThan(scenarios.length * 0.95)
})

test('a run repeats itself, with other networks built and run between its events', () => {
  scenarios.forEach((scenario, i) => {
    const simulation = createSimulation(scenario)
    simulation.advance(500)
    const other = createSimulation(scenarios[(i + 1) % scenarios.length]!)
    other.advance(300)
    simulation.advance(1000)
    createSimulation(BUSY)
    other.advance(1000)
    expect(
      finished(simulation, () => 5000),
      scenario.name,
    ).toBe(alone[i])
  })
})

test('a run repeats itself at any place in memory, and a closed one cannot be used', () => {
  const others = scenarios.slice(1, 6).map((scenario) => createSimulation(scenario))
  for (const other of others) other.advance(400)
  const between = createSimulation(BUSY)
  between.advance(1000)
  // Later simulations reuse their memory, with the values left in it.
  for (const i of [1, 3]) others[i]!.close()
  const simulation = createSimulation(BUSY)
  expect(finished(simulation, () => 777)).toBe(alone[0])
  expect(finished(between, () => 1e9)).toBe(alone[0])
  simulation.close()
  simulation.close()
  const questions = [
    () => simulation.advance(1),
    () => simulation.progress(),
    () => simulation.result(false),
    () => simulation.longestRttPs(),
  ]
  for (const ask of questions) expect(ask).toThrow('closed')
  for (const open of [between, ...others]) open.close()
})

test('slices of one event, of some, and of all give the same', () => {
  scenarios.forEach((scenario, i) => {
    const dice = new Dice(i)
    expect(
      finished(createSimulation(scenario), () => dice.log(1, 3000)),
      scenario.name,
    ).toBe(alone[i])
    expect(
      finished(createSimulation(scenario), () => 1e9),
      scenario.name,
    ).toBe(alone[i])
  })
  expect(finished(createSimulation(scenarios[1]!, { check: false }), () => 1)).toBe(alone[1])
})

test('checking laws, and reading progress and results on the way, change nothing', () => {
  scenarios.forEach((scenario, i) => {
    expect(fingerprintOf(run(scenario, { check: true })), scenario.name).toBe(alone[i])
    const simulation = createSimulation(scenario)
    const asking = (): number => {
      simulation.progress()
      simulation.result(true)
      return 4000
    }
    expect(finished(simulation, asking), scenario.name).toBe(alone[i])
  })
})

test('with every observer, the run is the same as without', () => {
  const observe = metrics.map(({ name }) => name).join(', ')
  const [first] = metrics
  const all = parseScenario(`{name: x, topology: star, workload: [permutation], observe: [${observe}]}`).observe
  expect(all.length).toBeGreaterThan(5)
  expect(all[0]?.kind).toBe(first.name)
  // A capture of everything takes ten times as long as the run.
  const withoutCapture = all.filter(({ kind }) => kind !== 'capture')
  expect(withoutCapture).toHaveLength(all.length - 1)
  let rows = 0
  scenarios.forEach((scenario, i) => {
    const bare = results[i]!
    const watched = run({ ...scenario, observe: i % 5 === 0 ? all : withoutCapture })
    expect(watched.digest, scenario.name).toBe(bare.digest)
    // An observer adds columns at the end of the flow table, and changes none.
    const { columns } = watched.flows
    expect({ ...watched.flows, columns: columns.slice(0, bare.flows.columns.length) }).toEqual(bare.flows)
    expect(columns.length).toBeGreaterThan(bare.flows.columns.length)
    expect({ ...watched.counters, events: 0 }).toEqual({ ...bare.counters, events: 0 })
    rows += watched.series.reduce((sum, table) => sum + table.rowCount, 0)
  })
  expect(rows).toBeGreaterThan(10_000)
})

if (SECOND_NODE === undefined) console.warn('determinism between versions of Node: skipped, there is no second Node')

describe.skipIf(SECOND_NODE === undefined)('another Node', () => {
  test('gives the same events, times and counters, to the last bit', () => {
    const program = path.join(import.meta.dirname, 'fingerprint.ts')
    const there = execFileSync(SECOND_NODE!, ['--no-warnings', program], {
      input: JSON.stringify(scenarios.map((scenario) => formatScenario(scenario))),
      encoding: 'utf8',
    })
    expect(there.trim().split('\n')).toEqual(alone)
  })
})
