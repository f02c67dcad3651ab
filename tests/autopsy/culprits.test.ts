/**
 * Culprits: the first cause that `explain` names is the device that slows the others down, under every scheme; and the
 * origins of a part add up to it.
 */
import { describe, expect, test } from 'vitest'
import { resultFacts, scenarioFacts } from '../../src/lab/advice/reported-run.ts'
import { run } from '../../src/lab/index.ts'
import { explain } from '../../src/show/index.ts'
import { completionsOf, numbersOf, type Result } from '../../src/core/results/index.ts'
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'
import { wrongSums } from '../support/origin-sums.ts'

const FABRIC =
  'topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 100Gbps}'
const POISSON = 'workload: [{kind: poisson, load: 0.3, sizes: {kind: fixed, size: 32KB}, tag: storage}]'
const SLOW_13 = 'changes: [{path: nic.receive, nodes: host 13, value: {kind: pipeline, busRate: 7.88Gbps}}]'
const BUFFER = 'buffer: {kind: shared-buffer, size: 2MB}'
const SHARED = `switch: {${BUFFER}}`

function scenarioOf(...lines: readonly string[]): Scenario {
  return parseScenario(['name: culprit', FABRIC, 'observe: [autopsy]', ...lines].join('\n'))
}

interface Named {
  readonly result: Result
  readonly causes: readonly (string | undefined)[][]
  readonly knownShare: number
}

function namedIn(scenario: Scenario): Named {
  const result = run(scenario)
  const { causes, knownShare } = explain(result, scenarioFacts(scenario))
  const named = causes.map(({ id, subject: { device, port } }) => [id, device, ...(port === undefined ? [] : [port])])
  return { result, causes: named, knownShare }
}

describe.each([
  ['none', 'congestion: none', POISSON],
  ['DCQCN', 'congestion: dcqcn', POISSON],
  ['IRN', 'recovery: irn\ncongestion: none\npfc: {classes: []}\nqp: {ackTimeout: 320us}', POISSON],
  ['HPCC', 'congestion: hpcc\nqp: {ecnEcho: ack}', POISSON],
  ['Swift', 'congestion: swift', POISSON],
  ['TIMELY', 'congestion: timely', POISSON],
  ['LDCP', `congestion: ldcp\nqp: {ecnEcho: ack}\nswitch: {${BUFFER}, wred: {classes: [3]}}`, POISSON],
  [
    'work requests',
    'congestion: dcqcn',
    'workload: [{kind: closed-loop, pairs: ["0-7 8-15"], workRequests: true, messageSize: 64KB, outstanding: 2, messages: 12, tag: block}]',
  ],
])('a slow receiver under %s', (_, scheme, workload) => {
  const { result, causes, knownShare } = namedIn(
    scenarioOf(
      scheme,
      ...(scheme.includes('switch:') ? [] : [SHARED]),
      workload,
      SLOW_13,
      'measure: {generate: 4ms, stop: 20ms}',
    ),
  )

  test('is named first', () => {
    expect(causes[0]).toEqual(['slow-receiver', 'host 13'])
    expect(knownShare).toBeGreaterThan(0.8)
  })

  test('has origins that add up to their parts', () => {
    expect(wrongSums(result)).toEqual([])
  })
})

describe('what else holds flows', () => {
  test('flows that never end do not bury the slow ones', () => {
    const { causes, result } = namedIn(
      scenarioOf(
        'congestion: dcqcn',
        SHARED,
        POISSON,
        SLOW_13,
        'faults: [{kind: server-down, hosts: host 2, down: 1ms}]',
        'measure: {generate: 4ms, stop: 60ms}',
      ),
    )
    expect(completionsOf(result).completionPs.filter((spanPs) => Number.isNaN(spanPs)).length).toBeGreaterThan(20)
    expect(causes).toContainEqual(['slow-receiver', 'host 13'])
  })

  test('a link that loses a packet, and the same packet again while later ones are sent again', () => {
    const { causes, knownShare } = namedIn(
      scenarioOf(
        'recovery: go-back-n',
        'congestion: dcqcn',
        'qp: {ackTimeout: 1ms}',
        'switch: {buffer: {kind: shared-buffer, size: 2MB, xonOffset: 3KiB}}',
        POISSON,
        'faults: [{kind: bernoulli, probability: 0.005, links: "leaf 2>spine 0"}]',
        'measure: {generate: 4ms}',
      ),
    )
    expect(causes[0]).toEqual(['lossy-link', 'leaf 2', 'spine 0'])
    expect(knownShare).toBeGreaterThan(0.99)
  })

  test('a link that loses packets, beside a slow host', () => {
    const faults = 'faults: [{kind: bernoulli, probability: 0.01, links: "spine 1>leaf 3"}]'
    const alone = namedIn(
      scenarioOf(
        'recovery: irn',
        'congestion: dcqcn',
        'pfc: {classes: []}',
        'qp: {ackTimeout: 320us}',
        POISSON,
        faults,
        'measure: {generate: 4ms}',
      ),
    )
    expect(alone.causes[0]).toEqual(['lossy-link', 'spine 1', 'leaf 3'])
  })

  test('two slow hosts, both', () => {
    const { causes, result } = namedIn(
      parseScenario(`
name: two-slow
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 25Gbps}
congestion: none
switch: {buffer: {kind: shared-buffer, size: 600KB}}
workload:
  - {kind: closed-loop, pairs: ["0 4", "1 5"], messageSize: 1MB, messages: 4, tag: own}
  - {kind: closed-loop, pairs: ["2 6"], messageSize: 200KB, messages: 8, tag: victim}
changes:
  - {path: nic.receive, nodes: host 4, value: {kind: pipeline, busRate: 3Gbps}}
  - {path: nic.receive, nodes: host 5, value: {kind: pipeline, busRate: 2.5Gbps}}
observe: [autopsy]
`),
    )
    expect(causes).toEqual([
      ['slow-receiver', 'host 5'],
      ['slow-receiver', 'host 4'],
    ])
    expect(wrongSums(result)).toEqual([])
  })

  test('too few links between the tiers', () => {
    const { causes } = namedIn(
      parseScenario(`
name: oversubscribed
topology: {kind: leaf-spine, leaves: 4, spines: 1, hostsPerLeaf: 8, hostRate: 25Gbps, fabricRate: 50Gbps}
congestion: dcqcn
workload: [{kind: permutation, messageSize: 1MB, messages: 2, tag: shuffle}]
observe: [autopsy]
`),
    )
    expect(causes[0]![0]).toBe('oversubscribed')
  })

  test('an even load: nothing is accused', () => {
    const { causes } = namedIn(scenarioOf('congestion: dcqcn', SHARED, POISSON, 'measure: {generate: 4ms}'))
    expect(causes).toEqual([])
  })
})

test('a result whose scenario this version cannot read still names the host', () => {
  const { result } = namedIn(scenarioOf('congestion: none', SHARED, POISSON, SLOW_13, 'measure: {generate: 1ms}'))
  expect(resultFacts(result)?.graph.names).toContain('host 13')
  const facts = resultFacts({ ...result, scenario: { name: 'of a later version', topology: { kind: 'torus' } } })
  expect(facts).toBeNull()
  expect(explain(result, facts).causes[0]?.subject.device).toBe('host 13')
})

describe('a copy that is ready to be sent again', () => {
  test('and waits for a pause is paused, by its origin', () => {
    const scenario = parseScenario(`
name: paused-copy
seed: 12
topology: {kind: star, hosts: 4, linkRate: 8Gbps, linkDelay: 1us}
frames: {payload: 1000B, dataOverhead: 80B, writeOverhead: 0B, ack: 80B, gap: 20B, readRequest: 80B, pfc: 80B, cnp: 80B}
congestion: none
switch: {buffer: {size: 200KB}}
qp: {ackTimeout: 20ms}
changes: [{path: nic.receive, nodes: host 2, value: {kind: pipeline, packetTime: 4us, buffer: 32KB}}]
faults: [{kind: bernoulli, probability: 0.05, links: "0>4", from: 900us}]
workload: [{kind: trace, flows: ["0 2 2MB 0us", "3 2 2MB 0us", "0 1 20000B 1000us", "0 1 20000B 1500us", "0 1 20000B 2000us"]}]
observe: [autopsy]
`)
    const { result } = namedIn(scenario)
    expect(numbersOf(result.flows, 'answerPs')[3]).toBe(0)
    expect(numbersOf(result.flows, 'nicPausedPs')[3]).toBe(175_400_000)
    expect(wrongSums(result)).toEqual([])
  })

  test('and waits for another queue pair waits for that', () => {
    const scenario = parseScenario(`
name: second-copy
topology: {kind: star, hosts: 3, linkRate: 8Gbps, linkDelay: 1us}
frames: {payload: 1000B, dataOverhead: 80B, writeOverhead: 0B, ack: 80B, gap: 20B}
pfc: {classes: []}
qp: {ackTimeout: 500us}
congestion: none
recovery: send-twice
faults: [{kind: bernoulli, probability: 1, links: "0>3", until: 2.2us}]
workload: [{kind: trace, flows: ["0 1 1000B 0us", "0 2 100KB 0.1us"]}]
observe: [autopsy]
`)
    const { result } = namedIn(scenario)
    expect([numbersOf(result.flows, 'answerPs')[0], numbersOf(result.flows, 'othersPs')[0]]).toEqual([0, 1_100_000])
  })
})
