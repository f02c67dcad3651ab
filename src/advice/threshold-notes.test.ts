/**
 * Limits that do not go together: each mistake is said once, with its numbers and what to do; shipped scenarios have none.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { formatIssue, InputError, type Issue } from '../base/issue.ts'
import { headroomPlan, topologyOf } from '../lab/index.ts'
import { parseScenario, type Scenario } from '../scenario/index.ts'
import { thresholdNotes } from './threshold-notes.ts'

const SCENARIOS = path.resolve(import.meta.dirname, '..', '..', 'scenarios')

function notesOf(scenario: Scenario): string[] {
  const topology = topologyOf(scenario)
  return thresholdNotes(scenario, topology, headroomPlan(scenario, topology))
}

const having = (...sets: string[]): string[] =>
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
      'class 3 is marked from 600 KB (switch.ecn kmin), and one port holds up to 529 KB before XOFF (alpha 1/16 of 9.00 MB): ' +
        'its sender is paused before it is marked; set kmin below 529 KB, or a larger limit',
    ])
    expect(having(DCQCN, kmin, `switch.buffer={${SHARED}, alpha: 1/8}`)).toEqual([])
    // Without marks nothing waits for them.
    expect(having(kmin, `switch.buffer={${SHARED}, alpha: 1/16}`)).toEqual([])
  })

  test('together: eight ports with 1/64 hold an eighth of their 9 MB, and nothing is ever marked', () => {
    const [note, ...more] = having(
      DCQCN,
      'switch.ecn={kmin: 1.1MB, kmax: 2MB}',
      `switch.buffer={${SHARED}, alpha: 1/64}`,
    )
    expect(note).toMatch(
      /all ports of a switch together hold up to 1\.00 MB before XOFF .*: no queue is ever marked; set kmin below 138 KB/,
    )
    expect(more).toEqual([])
  })

  test('at one switch, whose alpha is another: it is named, and said once', () => {
    const leafSpine = parseScenario(`
name: n
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2}
congestion: dcqcn
switch: {buffer: {${SHARED}, alpha: 1/8}, ecn: {kmin: 600KB, kmax: 900KB}}
changes: [{path: switch.buffer.alpha, value: 2^-6, nodes: leaf 1}]
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]`)
    expect(notesOf(leafSpine)).toEqual([expect.stringMatching(/^leaf 1: class 3 is marked from 600 KB .*alpha 1\/64/)])
  })

  test('at a memory manager and at an input-queued switch', () => {
    const kmin = 'switch.ecn={kmin: 300KB, kmax: 400KB}'
    expect(having(DCQCN, kmin, 'switch.buffer={kind: memory-manager, staticTh: 200KB}')).toEqual([
      expect.stringContaining('one port holds up to 201 KB before XOFF (staticTh 200 KB)'),
    ])
    expect(having(DCQCN, kmin, 'switch.buffer={kind: memory-manager, ingressPool: 2MB, dynamicTh: -3}')).toEqual([
      expect.stringContaining('one port holds up to 223 KB before XOFF (alpha 1/8 of 2.00 MB)'),
    ])
    expect(having(DCQCN, kmin, 'switch.buffer={kind: input-queued}')).toEqual([
      expect.stringContaining('one port holds up to 220 KB before XOFF (xoff 220 KB)'),
    ])
  })

  test('thresholds by rate count where there are links of that rate', () => {
    const ecn = (rate: string): string => `switch.ecn={byRate: [{rate: ${rate}, kmin: 600KB, kmax: 900KB, pmax: 0.1}]}`
    const buffer = `switch.buffer={${SHARED}, alpha: 1/16}`
    expect(having(DCQCN, ecn('100Gbps'), buffer)).toHaveLength(1)
    expect(having(DCQCN, ecn('400Gbps'), buffer)).toEqual([])
  })
})

test('a lossless class without marks and congestion control, beside one that has both', () => {
  const notes = (second: string, ecn = '[3]'): string[] =>
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
  expect(notes('none')).toEqual([
    'class 4 is lossless and has neither marks (switch.ecn.classes are 3) nor a congestion control: ' +
      'nothing but pauses slows its senders; add 4 to switch.ecn.classes and give its workload one',
  ])
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
  const podset = (buffer: string, changes = ''): string[] =>
    notesOf(
      parseScenario(`
name: n
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 2, hostRate: 100Gbps, hostDelay: 5m, fabricRate: 400Gbps, fabricDelay: 300m}
switch: {buffer: {kind: shared-buffer, size: 20MB${buffer}}}
workload: [{kind: permutation, messageSize: 1KB, messages: 1}]
${changes}`),
    )

  test('is said with what each needs, and how to give each its own', () => {
    expect(podset(', headroom: 200KB')).toEqual([
      expect.stringMatching(
        /^all ports keep 200 KB of headroom, whatever their rate and cable: needed are [\d.]+ KB at 100 Gbps and 25\.0 ns and 15\d KB at 400 Gbps and 1\.50 us; leave headroom off to have it computed, or give it by changes \(ports: 100Gbps 25ns\)$/,
      ),
    ])
    expect(podset('')).toEqual([])
    expect(
      podset(', headroom: 200KB', 'changes: [{path: switch.buffer.headroom, value: 8KB, ports: 100Gbps 5m}]'),
    ).toEqual([])
    // Too little is a note of its own.
    expect(podset(', headroom: 20KB')).toEqual([])
  })
})

test('XON above XOFF at a memory manager, for all ports and in a profile', () => {
  const managed = (text: string): string[] => having(`switch.buffer={kind: memory-manager, ${text}}`)
  expect(managed('staticTh: 20KB, xon: 30KB')).toEqual([
    'switch.buffer.xon is 30.0 KB, and pauses begin at 21.2 KB: XON above XOFF, so that each pause ends with the next packet ' +
      'that leaves and every packet may send two PFC frames; set it below 21.2 KB',
  ])
  expect(managed('staticTh: 20KB, profiles: [{rate: 100Gbps, xon: 30KB}]')).toEqual([
    expect.stringContaining('switch.buffer.profiles.0.xon is 30.0 KB, and pauses begin at 21.2 KB'),
  ])
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
