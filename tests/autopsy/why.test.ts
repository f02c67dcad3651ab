/**
 * Remedies of causes, as command lines: the scenario takes them, and the slow flows of other hosts are faster with them.
 */
import { describe, expect, test } from 'vitest'
import { scenarioFacts } from '../../src/lab/advice/reported-run.ts'
import { causeFindings, type Finding, remedyCommand } from '../../src/core/findings/index.ts'
import { run } from '../../src/lab/index.ts'
import { explain } from '../../src/show/index.ts'
import { completionsOf, quantileOfSorted, type Result, sortedValues, textsOf } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const FABRIC =
  'topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 100Gbps}'
const SHARED = 'switch: {buffer: {kind: shared-buffer, size: 2MB}}'

interface Incident {
  readonly id: string
  readonly lines: readonly string[]
  readonly sets: readonly string[]
  /** Whose flows are to be faster. */
  readonly tag?: string
}

const poisson = (load: number, size: string): string =>
  `{kind: poisson, load: ${load}, sizes: {kind: fixed, size: ${size}}, tag: storage}`
const leaf1 = (path: string, value: string): string => `{path: ${path}, nodes: leaf 1, value: ${value}}`
const LOSSY = ['congestion: none', 'pfc: {classes: []}', 'qp: {ackTimeout: 320us}']

const BUSY = [FABRIC, SHARED, 'measure: {generate: 4ms, stop: 8ms}']
const backup = (congestion: string): string =>
  `{kind: closed-loop, pairs: ["0 6", "0 6", "1 6", "1 6"], messageSize: 2MB, outstanding: 2, congestion: ${congestion}, tag: backup}`

/** One of each way to a remedy. */
const INCIDENTS: readonly Incident[] = [
  {
    id: 'slow-receiver',
    lines: [
      FABRIC,
      SHARED,
      `workload: [${poisson(0.3, '32KB')}]`,
      'measure: {generate: 2ms}',
      'changes: [{path: nic.receive, nodes: host 13, value: {kind: pipeline, busRate: 7.88Gbps}}]',
    ],
    sets: ['changes.0.value=unlimited'],
  },
  {
    id: 'slow-receiver',
    lines: [
      FABRIC,
      SHARED,
      'nic: {receive: {kind: pipeline, busRate: 7.88Gbps}}',
      'measure: {generate: 2ms}',
      'workload: [{kind: closed-loop, pairs: ["0 13", "1 13", "4 13"], messageSize: 64KB, messages: 20, tag: storage}]',
    ],
    sets: ['changes.0={path: nic.receive, nodes: host 13, value: unlimited}'],
  },
  {
    id: 'slow-receiver',
    lines: [
      'topology: {kind: star, hosts: 2, linkRate: 25Gbps}',
      'verbs: {receives: 1}',
      'qp: {receiveRepost: 20us}',
      'workload: [{kind: closed-loop, pairs: ["0 1"], workRequests: true, operation: send, messageSize: 4KB, outstanding: 8, messages: 40, tag: storage}]',
    ],
    sets: ['verbs.receives=4'],
  },
  {
    id: 'pause-storm',
    lines: [
      'topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3, hostRate: 10Gbps, fabricRate: 10Gbps}',
      'switch: {buffer: {size: 200KB}}',
      'qp: {ackTimeout: 1ms, retryLimit: off}',
      'measure: {stop: 12ms}',
      'faults: [{kind: pause-storm, hosts: host 5, from: 10us}]',
      'workload: [{kind: trace, tag: storage, flows: ["1 4 1MB 0us", "0 5 1MB 0us tag=lost"]}]',
    ],
    sets: ['nic.watchdog=100us'],
  },
  {
    id: 'lossy-link',
    lines: [
      FABRIC,
      ...LOSSY,
      `workload: [${poisson(0.3, '128KB')}]`,
      'measure: {generate: 2ms}',
      'faults: [{kind: bernoulli, probability: 0.02, links: "spine 1>leaf 3"}, {kind: bernoulli, probability: 0.0001, links: "host 0>leaf 0", from: 1us}]',
    ],
    sets: ['faults=[{kind: bernoulli, probability: 0.0001, links: "host 0>leaf 0", from: 1us}]'],
  },
  {
    id: 'lossy-link',
    lines: [
      ...LOSSY,
      'topology: {kind: graph, nodes: 4, switches: [3], links: ["0 3 10Gbps 1us", "1 3 10Gbps 1us loss=0.01", "2 3 10Gbps 1us"]}',
      `workload: [${poisson(0.3, '128KB')}]`,
      'measure: {generate: 4ms}',
    ],
    sets: ['recovery=irn'],
  },
  {
    id: 'link-was-down',
    lines: [
      FABRIC,
      `workload: [${poisson(0.3, '32KB')}]`,
      'measure: {generate: 2ms}',
      'qp: {ackTimeout: 320us}',
      'faults: [{kind: link-down, links: "host 3", down: 500us, up: 900us}]',
    ],
    sets: ['faults=[]'],
  },
  {
    id: 'marks-unlike-others',
    lines: [
      FABRIC,
      'congestion: dcqcn',
      `workload: [${poisson(0.4, '256KB')}]`,
      'measure: {generate: 6ms}',
      `changes: [${leaf1('switch.ecn.kmin', '1KB')}, ${leaf1('switch.ecn.kmax', '5KB')}, ${leaf1('switch.ecn.pmax', '1')}]`,
    ],
    sets: ['changes.0.value=5KB', 'changes.1.value=200KB', 'changes.2.value=0.01'],
  },
  {
    id: 'thresholds-unlike-others',
    lines: [
      FABRIC,
      SHARED,
      'recovery: irn',
      'pfc: {classes: []}',
      'qp: {ackTimeout: 320us}',
      `workload: [${poisson(0.4, '64KB')}]`,
      'measure: {generate: 2ms}',
      `changes: [${leaf1('switch.buffer.egressAlpha', '1/512')}]`,
    ],
    sets: ['changes.0.value=1'],
  },
  {
    id: 'incast',
    lines: [
      FABRIC,
      SHARED,
      'measure: {generate: 2ms}',
      `workload: [${poisson(0.3, '32KB')}, {kind: incast, senders: 8, receiver: 6, total: 2MB, start: 500us, tag: backup}]`,
    ],
    sets: ['pfc.classes=[3,4]', 'switch.ecn.classes=[3,4]', 'workload.1.trafficClass=4'],
  },
  {
    id: 'incast',
    lines: [
      'topology: {kind: star, hosts: 12, linkRate: 10Gbps, linkDelay: 1us}',
      'switch: {buffer: {size: 400KB}}',
      `workload: [{kind: trace, tag: storage, flows: [${[1, 2, 3, 4, 5, 6, 7, 8].map((from) => `"${from} 0 1MB 1us"`).join(', ')}, ${[1, 2, 3, 4].map((from) => `"${from} ${from + 7} 1MB 0us"`).join(', ')}]}]`,
    ],
    sets: ['congestion=dcqcn'],
  },
  {
    id: 'busy-port',
    lines: [...BUSY, 'congestion: dcqcn', `workload: [${poisson(0.3, '32KB')}, ${backup('none')}]`],
    sets: ['workload.1.congestion=dcqcn'],
  },
  {
    id: 'busy-port',
    lines: [...BUSY, 'congestion: dcqcn', `workload: [${poisson(0.3, '32KB')}, ${backup('dcqcn')}]`],
    sets: ['pfc.classes=[3,4]', 'switch.ecn.classes=[3,4]', 'workload.1.trafficClass=4'],
  },
  {
    id: 'busy-port',
    lines: [...BUSY, `workload: [${poisson(0.3, '32KB')}, ${backup('none')}]`],
    sets: ['congestion=dcqcn'],
  },
  {
    id: 'oversubscribed',
    lines: [
      'topology: {kind: leaf-spine, leaves: 4, spines: 1, hostsPerLeaf: 8, hostRate: 25Gbps, fabricRate: 50Gbps}',
      'congestion: dcqcn',
      'workload: [{kind: permutation, messageSize: 1MB, messages: 2, tag: storage}]',
    ],
    sets: ['topology.fabricRate=200Gbps'],
  },
  {
    id: 'oversubscribed',
    lines: [
      'topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 4, hostRate: 25Gbps, fabricRate: 100Gbps, rates: ["leaf 2-spine 0: 10Gbps", "leaf 2-spine 1: 10Gbps"]}',
      `workload: [${poisson(0.3, '128KB')}]`,
      'measure: {generate: 2ms}',
    ],
    sets: ['topology.rates.2=leaf 2-spine 0: 100Gbps', 'topology.rates.3=leaf 2-spine 1: 100Gbps'],
  },
]

function observed(
  lines: readonly string[],
  sets: readonly string[] = [],
): { result: Result; causes: readonly Finding[] } {
  const scenario = parseScenario(['name: incident', 'observe: [autopsy]', ...lines].join('\n'), { sets: [...sets] })
  const result = run(scenario)
  return { result, causes: explain(result, scenarioFacts(scenario)).causes }
}

/** Flows of a tag, in the order in which they were posted. */
function rowsOf({ flows }: Result, tag: string): number[] {
  const tags = textsOf(flows, 'tag')
  return [...tags.keys()].filter((row) => tags[row] === tag)
}

/** Of these flows those, by number, that the device or link of a cause held longest. */
function victimsOf(result: Result, tag: string, { subject: { device, port } }: Finding): number[] {
  const named = new RegExp(`\\b${port === undefined ? device! : `${device!} port \\d+ to ${port}`}\\b`)
  const heldBy = textsOf(result.flows, 'heldBy')
  return rowsOf(result, tag).flatMap((row, i) => (named.test(heldBy[row]!) ? [i] : []))
}

/** p99 slowdown of some of the flows; one that did not finish is slower than any. */
function p99Of(result: Result, tag: string, victims: readonly number[]): number {
  const rows = rowsOf(result, tag)
  const { slowdown } = completionsOf(result)
  const of = victims.map((i) => slowdown[rows[i]!]!).map((value) => (Number.isNaN(value) ? Infinity : value))
  return quantileOfSorted(sortedValues(of), 0.99)
}

describe.each(INCIDENTS)('$id: $sets', ({ id, lines, sets, tag = 'storage' }) => {
  const before = observed(lines)
  const cause = before.causes.find((one) => one.id === id)!

  test('has this remedy', () => {
    expect(cause.sets).toEqual(sets)
  })

  test('is better with it', () => {
    const victims = victimsOf(before.result, tag, cause)
    const after = observed(lines, cause.sets)
    expect(victims).not.toEqual([])
    expect(p99Of(after.result, tag, victims)).toBeLessThan(p99Of(before.result, tag, victims))
  })
})

test('an incast whose flows wait for nothing but the link of their receiver has none', () => {
  const { causes } = observed([
    'topology: {kind: star, hosts: 9, linkRate: 100Gbps, linkDelay: 1us}',
    'workload: [{kind: incast, senders: 8, receiver: 8, total: 8MB}]',
  ])
  expect(causes.map(({ id, sets }) => ({ id, sets }))).toEqual([{ id: 'incast', sets: undefined }])
})

test('each kind of cause has an incident here', () => {
  const kinds = Object.values(causeFindings).map(({ id }) => id)
  expect([...new Set(INCIDENTS.map(({ id }) => id))].toSorted()).toEqual(kinds.toSorted())
})

test('a command is one that a shell takes apart as it was meant', () => {
  const { causes } = observed(INCIDENTS.find(({ id }) => id === 'incast')!.lines)
  expect(remedyCommand(causes[0]!, "it's here/scenario.yaml")).toBe(
    "rocelab run 'it'\\''s here/scenario.yaml' --autopsy --set 'pfc.classes=[3,4]' --set 'switch.ecn.classes=[3,4]' --set workload.1.trafficClass=4",
  )
  expect(remedyCommand({ ...causes[0]!, sets: [] }, 'scenario.yaml')).toBeUndefined()
})
