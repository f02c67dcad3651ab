/**
 * Every parameter is read: for each there are two values, in some random scenario of the swarm, that make two different
 * runs (other events, counters or flows). Params that change no run are listed with their reason.
 */
import { expect, test } from 'vitest'
import { Bug } from '../../src/core/base/assert.ts'
import { InputError } from '../../src/core/base/issue.ts'
import { GBPS, KB, US } from '../../src/core/base/params.ts'
import { createSimulation, type Simulation } from '../../src/lab/index.ts'
import { checkScenario } from '../../src/lab/scenario/rules/rules.ts'
import type { Scenario } from '../../src/lab/scenario/index.ts'
import { caseOf } from '../swarm/run-case.ts'
import { DIRECTED_FABRIC } from './directed-fabric.ts'
import { DIRECTED_JOBS } from './directed-jobs.ts'
import { DIRECTED, GRAPH_LINKS } from './directed-scenarios.ts'
import { everyParam, type Location } from './every-param.ts'
import { fingerprintOf } from './fingerprint.ts'

/** Params that no run shows, and why. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  name: 'a label',
  description: 'a label',
  'workload[trace].origin': 'given back on export',
  'measure.flows': 'says which rows a result keeps: tests/cli/flow-rows.test.ts',
  'classes.dscpMap': 'hosts write what maps to the class they mean: a map moves nothing, or is refused',
  'topology[graph].names': 'what people call nodes; texts may say it: src/core/topology/topologies.test.ts',
  'topology[graph].nodes': 'says how many nodes the links and switches name; another number alone is a mistake',
}
/** Params that are not tried here, and why. */
const EXCLUDED = new RegExp(
  [
    // Observers change no run: what they record is tested with them.
    '^observe\\b',
    // A value fits one path; that of a change is tried.
    '^changes\\[\\]\\.path$',
    // Needs another port that pauses during a storm: tests/conformance/watchdog-bugs.test.ts.
    '^switch\\.watchdog\\[\\w+\\]\\.profile$',
    // Its rule asks for a state and counts no frames, and what it restores has no packets in these storms: watchdog-timing.test.ts.
    '^switch\\.watchdog\\[cisco\\]\\.(?:restorationTime|countsWithoutPfc)$',
    // Groups share limits by the tests of the memory manager, beside it.
    '^switch\\.buffer\\[memory-manager\\]\\.groups$',
    // It posts nothing, whatever the messages would be.
    '^workload\\[none\\]',
    // As of every other workload, of which it is tried.
    '^workload\\[(?:boot|pingmesh|collective|graph|pipeline|moe)\\]\\.workRequests$',
  ].join('|'),
)
const ALL_DIRECTED = [...DIRECTED, ...DIRECTED_FABRIC, ...DIRECTED_JOBS]
const SEEDS = 120
/** Values tried of one param in one scenario. */
const VALUES = 4
/** Cases of more events are passed over. */
const EVENTS_MAX = 40_000

/** Other values of a param than the one it has. */
function others({ path, param }: Location, value: unknown): unknown[] {
  const known = TEXTS[path] ?? TEXTS[path.replaceAll(/^(?:workload|faults)\[[\w-]+\]/g, '*')]
  if (known !== undefined) return [...known]
  switch (param.type) {
    case 'flag':
      return [value !== true]
    case 'choice':
      return param.choices.filter((choice) => choice !== value)
    case 'text':
      return [`${String(value)}x`]
    case 'list':
      return param.item.type === 'text' ? [[]] : [[], [3], [0, 1, 2, 3, 4, 5, 6, 7], [5, 1, 1, 0.1, 3, 1, 1, 2]]
    default: {
      const number = typeof value === 'number' ? value : TYPICAL[param.type]
      const [least, most] = [param.min ?? 0, param.max ?? Infinity]
      const numbers = [number * 2, number / 2, number + 1, number - 1, 0, 1, number * 10, number / 10]
      const whole = numbers.map((n) => (param.type === 'ratio' ? n : Math.round(n)))
      const inside = whole.filter((n) => n >= least && n <= most && n !== value)
      return [...(param.off && value !== null ? [null] : []), ...(value === null ? [number] : []), ...inside]
    }
  }
}

/** Where a param is off: some value of its kind. */
const TYPICAL = { rate: 10 * GBPS, duration: 20 * US, size: 5 * KB, count: 2, ratio: 0.5 } as const

/** Two ranks of which the second begins. */
const GOAL_BACK = ['num_ranks 2', 'rank 0 {', 'recv 900b from 1', '}', 'rank 1 {', 'send 900b to 0', '}']

/** Texts that models read. */
const TEXTS: Readonly<Record<string, readonly unknown[]>> = {
  '*.links': ['all', 'hosts', 'fabric', '0-3', '0-2', '1-3', '0-6'],
  '*.tag': ['another'],
  '*.switches': ['spine 1', 'leaf 0'],
  '*.hosts': ['host 0', 'host 1', 'host 3'],
  'workload[boot].hosts': [[1], [1, 3], [3]],
  'workload[boot].server': [3],
  'switch.layer2[tables].macMissing': ['none', 'host 1', 'host 3'],
  'switch.buffer[memory-manager].groups': [[0, 1, 2, 3, 4, 5, 6, 7]],
  'qp.hostDelay[quantiles].points': [['0 2us', '100 9us']],
  'workload[pingmesh].hostLatency[quantiles].points': [['0 2us', '100 9us']],
  'workload[pingmesh].sourcePorts': [1, 2],
  'workload[pingmesh].scopes': [['tor'], ['podset', 'fabric']],
  '*.group': [['0', '2', '1', '3'], ['1', '2'], ['0-2']],
  'workload[graph].goal': [GOAL_BACK],
  'workload[collective].matrix': [['0 4 4 4', '0 0 0 0', '4 0 0 0', '0 8 0 0']],
  'nic.trafficClasses': [['0-9999: 1'], ['4791: 2']],
  'changes[].path': ['pfc.classes', 'pfc.quanta'],
  'changes[].value': ['1/4', '8'],
  'changes[].nodes': ['leaf 0', 'leaf 1', 'hosts', 'spine'],
  'changes[].ports': ['all', 'fabric', 'up'],
  '*.pairs': [['0 1'], ['1 0']],
  '*.flows': [['0 1 10KB 0us'], 5, 9],
  ...Object.fromEntries(
    ['star', 'dumbbell', 'leaf-spine', 'fat-tree', 'clos-podset'].map((kind) => [
      `topology[${kind}].rates`,
      [['0: 5Gbps']],
    ]),
  ),
  'topology[graph].links': [GRAPH_LINKS.toReversed()],
  'topology[graph].switches': [[3, 4]],
  'topology[graph].routes': [['3: 2 via 3'], ['3: 2 via 4']],
  'nic.firstAddress': ['11.0.0.1', '10.9.8.7'],
  'classes.dscpMap': [['3: 5', '8: 3'], []],
  'nic.addresses': [['0: 11.0.0.1'], ['1: 10.9.8.7', '0: 10.9.8.6'], ['0: 1.2.3.4', '2: 1.2.3.5']],
  'balance[ecmp].seeds': [['3: 12'], ['3: 7', '4: 1'], ['3: 4294967295'], ['4: 99', '3: 98']],
  '*.sizes[cdf].points': [
    ['0 0', '900 100'],
    ['0 0', '9000 100'],
  ],
}

/** Observable results of a run; undefined if the scenario is not valid or takes too long. */
function seen(scenario: Scenario): string | undefined {
  if (checkScenario(scenario).length > 0) return undefined
  let simulation: Simulation | undefined
  try {
    simulation = createSimulation(scenario)
    if (simulation.advance(EVENTS_MAX)) return undefined
    const { scenario: _printed, name: _name, ...result } = simulation.result(false)
    return fingerprintOf({ ...result, scenario: '', name: '', seed: 0 })
  } catch (error) {
    if (error instanceof InputError) return undefined
    if (error instanceof Bug) throw new Error(`${scenario.name}: ${error.message}`, { cause: error })
    throw error
  } finally {
    simulation?.close()
  }
}

/** The scenario with one value in another's place. */
function changed(scenario: Scenario, location: Location, value: unknown): Scenario {
  const copy = structuredClone(scenario)
  const found = location.find(copy)
  if (found !== undefined) found.holder[found.key] = value
  return copy
}

/** Scenarios and other values of a param to try: first scenarios whose own value is unusual, as they are about it. */
function* tries(location: Location, scenarios: readonly Scenario[]): Generator<readonly [Scenario, unknown]> {
  const having = scenarios.flatMap((scenario) => {
    const found = location.find(scenario)
    if (found === undefined) return []
    const own = found.holder[found.key]
    return [{ scenario, text: JSON.stringify(own), values: others(location, own).slice(0, VALUES) }]
  })
  const counts = new Map<string, number>()
  for (const { text } of having) counts.set(text, (counts.get(text) ?? 0) + 1)
  const isUnusual = ({ text }: { readonly text: string }): boolean => counts.get(text)! < having.length / 4
  for (const { scenario, values } of having.filter(isUnusual)) for (const value of values) yield [scenario, value]
  const usual = having.filter((each) => !isUnusual(each))
  for (let i = 0; i < VALUES; i++)
    for (const { scenario, values } of usual) if (i < values.length) yield [scenario, values[i]]
}

test('every parameter changes some run', () => {
  const locations = everyParam().filter(({ path }) => !EXCLUDED.test(path))
  expect(locations.length).toBeGreaterThan(150)
  const scenarios = [...ALL_DIRECTED, ...Array.from({ length: SEEDS }, (_, i) => caseOf(1 + i).scenario)]
  const bases = new Map<Scenario, string | undefined>()
  const baseOf = (scenario: Scenario): string | undefined => {
    if (!bases.has(scenario)) bases.set(scenario, seen(scenario))
    return bases.get(scenario)
  }
  let runs = 0
  const changesSome = (location: Location): boolean => {
    for (const [scenario, value] of tries(
      location,
      location.path in WITHOUT_EFFECT ? scenarios.slice(0, 20) : scenarios,
    )) {
      const base = baseOf(scenario)
      if (base === undefined) continue
      runs++
      const other = seen(changed(scenario, location, value))
      if (other !== undefined && other !== base) return true
    }
    return false
  }
  const silent = locations.filter((location) => !changesSome(location)).map(({ path }) => path)

  console.log(
    `parameters: ${locations.length} changed one by one in ${runs} runs; without effect: ${silent.join(', ')}`,
  )
  expect(silent.toSorted()).toEqual(Object.keys(WITHOUT_EFFECT).toSorted())
}, 300_000)

test('a parameter that nothing reads is found', () => {
  const location = everyParam().find(({ path }) => path === 'description')!
  const { scenario } = caseOf(1)
  expect(location.find(scenario)).toEqual({ holder: scenario, key: 'description' })
  expect(seen(changed(scenario, location, 'other'))).toBe(seen(scenario))
})
