/**
 * Limits that do not go together: each mistake is said once, with its numbers; shipped scenarios have none.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatIssue, InputError, type Issue } from '../../../core/base/issue.ts'
import { createSimulation } from '../../index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import { outlineOf } from '../outline.ts'

const SCENARIOS = path.resolve(import.meta.dirname, '..', '..', '..', '..', 'scenarios')

const IDS: readonly string[] = ['ecn01', 'buf08', 'ecn03', 'one-headroom-for-all-links']

/** Values from which the others follow, or that tell where they come from. */
const DERIVED: readonly string[] = [
  'priority',
  'dialect',
  'cited',
  'leastRateBps',
  'leastDelayPs',
  'mostRateBps',
  'mostDelayPs',
]

/** The device of each of these notes, if there is one, its id and values. */
function notesOf(scenario: Scenario): unknown[] {
  const simulation = createSimulation(scenario)
  const { findings: notes } = outlineOf(scenario, simulation)
  simulation.close()
  return notes
    .filter(({ id }) => IDS.includes(id))
    .map(({ id, subject: { device }, values }) => [
      ...(device === undefined ? [] : [device]),
      id,
      Object.fromEntries(Object.entries(values).filter(([name]) => !DERIVED.includes(name))),
    ])
}

const having = (...sets: string[]): unknown[] =>
  notesOf(
    parseScenario(
      'name: n\ntopology: {kind: star, hosts: 9, linkRate: 100Gbps, linkDelay: 40m}\nworkload: [{kind: incast, senders: 8}]\n',
      { sets },
    ),
  )

const SHARED = 'kind: shared-buffer, size: 9MB, pool: whole, reserve: 0B'
const DCQCN = 'congestion=dcqcn'

describe('kmin above what alpha lets a queue reach', () => {
  test('alone: one port is paused at 1/17 of the pool, before it is marked', () => {
    const kmin = 'switch.ecn={kmin: 600KB, kmax: 900KB}'
    expect(having(DCQCN, kmin, `switch.buffer={${SHARED}, alpha: 1/16}`)).toEqual([
      ['ecn01', { kminBytes: 600_000, xoffBytes: 9e6 / 17, togetherBytes: null }],
    ])
    expect(having(DCQCN, kmin, `switch.buffer={${SHARED}, alpha: 1/8}`)).toEqual([])
    // Without marks nothing waits for them.
    expect(having(kmin, `switch.buffer={${SHARED}, alpha: 1/16}`)).toEqual([])
  })

  test('together: eight ports with 1/64 hold an eighth of their 9 MB, and nothing is ever marked', () => {
    expect(having(DCQCN, 'switch.ecn={kmin: 1.1MB, kmax: 2MB}', `switch.buffer={${SHARED}, alpha: 1/64}`)).toEqual([
      ['ecn01', { kminBytes: 1_100_000, xoffBytes: 9e6 / 65, togetherBytes: 1e6 }],
    ])
  })

  test('at one switch, whose alpha is another: it is named, and said once', () => {
    const leafSpine = parseScenario(`
name: n
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}
congestion: dcqcn
switch: {buffer: {${SHARED}, alpha: 1/8}, ecn: {kmin: 600KB, kmax: 900KB}}
changes: [{path: switch.buffer.alpha, value: 2^-6, nodes: leaf 1}]
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]`)
    expect(notesOf(leafSpine)).toEqual([['leaf 1', 'ecn01', expect.objectContaining({ kminBytes: 600_000 })]])
  })

  test('at a memory manager and at an input-queued switch', () => {
    const kmin = 'switch.ecn={kmin: 300KB, kmax: 400KB}'
    const xoffOf = (buffer: string): unknown => {
      const [note] = having(DCQCN, kmin, `switch.buffer={kind: ${buffer}}`) as [string, { xoffBytes: number }][]
      return Math.round(note![1].xoffBytes)
    }
    // A reserve of 1,248 bytes and the limit; an eighth of the free pool with one port is a ninth of the pool.
    expect(xoffOf('memory-manager, staticTh: 200KB')).toBe(201_248)
    expect(xoffOf('memory-manager, ingressPool: 2MB, dynamicTh: -3')).toBe(1248 + Math.round(2e6 / 9))
    expect(xoffOf('input-queued')).toBe(220_000)
  })

  test('thresholds by rate count where there are links of that rate', () => {
    const ecn = (rate: string): string => `switch.ecn={byRate: [{rate: ${rate}, kmin: 600KB, kmax: 900KB, pmax: 0.1}]}`
    const buffer = `switch.buffer={${SHARED}, alpha: 1/16}`
    expect(having(DCQCN, ecn('100Gbps'), buffer)).toHaveLength(1)
    expect(having(DCQCN, ecn('400Gbps'), buffer)).toEqual([])
  })
})

test('a lossless class without marks and congestion control, beside one that has both', () => {
  const notes = (second: string, ecn = '[3]'): unknown[] =>
    notesOf(
      parseScenario(`
name: n
topology: {kind: star, hosts: 9}
pfc: {classes: [3, 4]}
switch: {ecn: {classes: ${ecn}}}
workload:
  - {kind: incast, senders: 4, tag: a, congestion: dcqcn}
  - {kind: incast, senders: 4, tag: b, trafficClass: 4, congestion: ${second}}
`),
    )
  expect(notes('none')).toEqual([['ecn03', {}]])
  expect(notes('dcqcn', '[3, 4]')).toEqual([])
  // It measures round trips.
  expect(notes('timely')).toEqual([])
  // Pauses alone are meant where no workload has congestion control.
  expect(having('pfc.classes=[3, 4]', 'workload.0.trafficClass=4')).toEqual([])
  expect(() => having('pfc.classes=[3, 4]', 'workload.0.trafficClass=4', DCQCN)).toThrow(
    /a class of data such as 4, as dcqcn needs ECN/,
  )
})

describe('one headroom for links of different rate or length', () => {
  const podset = (buffer: string, changes = ''): unknown[] =>
    notesOf(
      parseScenario(`
name: n
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, hostDelay: 5m, fabricRate: 400Gbps, fabricDelay: 300m}
switch: {buffer: {kind: shared-buffer, size: 20MB${buffer}}}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
${changes}`),
    )

  test('is said with what each needs, and how to give each its own', () => {
    const [note, ...more] = podset(', headroom: 200KB') as [string, Record<string, number>][]
    expect([note?.[0], note?.[1]['givenBytes'], more]).toEqual(['one-headroom-for-all-links', 200_000, []])
    expect(note![1]['mostBytes']! / note![1]['leastBytes']!).toBeGreaterThan(10)
    expect(podset('')).toEqual([])
    expect(
      podset(', headroom: 200KB', 'changes: [{path: switch.buffer.headroom, value: 8KB, ports: 100Gbps 5m}]'),
    ).toEqual([])
    // Too little is a note of its own.
    expect(podset(', headroom: 20KB')).toEqual([])
  })
})

test('XON above XOFF at a memory manager, for all ports and in a profile', () => {
  const managed = (text: string): unknown[] => having(`switch.buffer={kind: memory-manager, ${text}}`)
  const note = ['buf08', { xonBytes: 30_000, xoffBytes: 21_248 }]
  expect(managed('staticTh: 20KB, xon: 30KB')).toEqual([note])
  expect(managed('staticTh: 20KB, profiles: [{rate: 100Gbps, xon: 30KB}]')).toEqual([note])
  expect(managed('staticTh: 20KB, xon: 10KB')).toEqual([])
})

/** Watchdog times below the poll are refused where a scenario is read, so there is no note on them. */
test.each([
  ['switch: {watchdog: {kind: broadcom, pollInterval: 200ms, detectionTime: 100ms}}', 'switch.watchdog.detectionTime'],
  [
    'switch: {watchdog: {kind: nvidia, pollInterval: 200ms, restorationTime: 100ms}}',
    'switch.watchdog.restorationTime',
  ],
  [
    'switch: {watchdog: {kind: nvidia, pollInterval: 200ms}}\nchanges: [{path: switch.watchdog.detectionTime, value: 100ms}]',
    'changes.0.value',
  ],
])('a watchdog time below the poll is refused: %s', (text, at) => {
  const source = `name: n\ntopology: {kind: star, hosts: 2}\n${text}\nworkload: [{kind: permutation, messageSize: 1KB, messages: 1}]\n`
  let issues: readonly Issue[] = []
  try {
    parseScenario(source)
  } catch (error) {
    if (error instanceof InputError) issues = error.issues
  }
  expect(issues.map(formatIssue)).toEqual([expect.stringMatching(`${at}.*at least pollInterval, 200ms.*100ms`)])
})

test.each(readdirSync(SCENARIOS).filter((name) => name.endsWith('.yaml')))('%s has no such note', (name) => {
  expect(notesOf(parseScenario(readFileSync(path.join(SCENARIOS, name), 'utf8'), { file: name }))).toEqual([])
})
