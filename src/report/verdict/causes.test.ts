/**
 * A run with a slow host, a link that loses packets and an incast: the report names all three, and none that is not there.
 */
import { describe, expect, test } from 'vitest'
import { reportedRun } from '../../advice/index.ts'
import { run } from '../../lab/index.ts'
import { exampleResult } from '../../results/example.test-data.ts'
import { type Column, createTable, type Result, summarize } from '../../results/index.ts'
import { formatScenario, parseScenario } from '../../scenario/index.ts'
import { causesOf } from './causes.ts'

interface Troubles {
  readonly hasSlowHost: boolean
  readonly hasLossyLink: boolean
  readonly hasIncast: boolean
}

/** Hosts 0 to 5 at leaf 0, 6 to 11 at leaf 1; each trouble has hosts of its own. */
function sentencesOf({ hasSlowHost, hasLossyLink, hasIncast }: Troubles, observers: string): string[] {
  const pipeline = '{kind: pipeline, packetTime: 3us, buffer: 64KB, missPenalty: 0ns}'
  const slow = `changes: [{path: nic.receive, value: "${pipeline}", at: 0ps, nodes: host 7}]`
  const lossy = 'faults: [{kind: bernoulli, probability: 0.02, links: "leaf 1>host 8"}]'
  const flows = [
    '0 7 1MB 0us',
    '1 8 1MB 0us',
    '2 9 300KB 0us',
    ...(hasIncast ? [3, 4, 5, 6, 9, 10].map((host) => `${host} 11 200KB 0us`) : []),
  ]
  const scenario = parseScenario(`
name: troubles
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 6, hostRate: 10Gbps, fabricRate: 100Gbps}
congestion: none
qp: {ackTimeout: 1ms}
switch: {buffer: {kind: shared-buffer, size: 800KB, alpha: 1/8}}
workload: [{kind: trace, flows: [${flows.map((flow) => `"${flow}"`).join(', ')}]}]
${hasSlowHost ? slow : ''}
${hasLossyLink ? lossy : ''}
observe: [${observers}]
`)
  const names = { label: 'troubles', folder: 'troubles' }
  const stored = { result: run(scenario), scenarioText: formatScenario(scenario), scenarioList: () => undefined }
  return causesOf(reportedRun(stored, names)).map(({ text }) => text)
}

const ALL: Troubles = { hasSlowHost: true, hasLossyLink: true, hasIncast: true }
const SLOW_HOST = /(began at host 7, which takes less than its link brings|^host 7 paused its switch)/
const LOSSY_LINK = /^The link from leaf 1 to host 8 lost \d+ packets: link loss \d+\.$/
const INCAST = /^Incast: up to 6 hosts sent to host 11 at a time through leaf 1 port 6; its flows took [\d.]+ times/

describe.each([
  ['with an autopsy', 'autopsy, drops'],
  ['from pauses and drops alone', 'pause-intervals, drops'],
])('%s', (_, observers) => {
  test('all three are named', () => {
    const sentences = sentencesOf(ALL, observers)
    for (const cause of [SLOW_HOST, LOSSY_LINK, INCAST])
      expect(sentences.filter((text) => cause.test(text))).toHaveLength(1)
  })

  test.each([
    ['slow host', { ...ALL, hasSlowHost: false }, SLOW_HOST],
    ['lossy link', { ...ALL, hasLossyLink: false }, LOSSY_LINK],
    ['incast', { ...ALL, hasIncast: false }, INCAST],
  ] as const)('without the %s the others are named, and it is not', (_name, troubles, missing) => {
    const sentences = sentencesOf(troubles, observers)
    for (const cause of [SLOW_HOST, LOSSY_LINK, INCAST])
      expect(sentences.some((text) => cause.test(text))).toBe(cause !== missing)
  })
})

test.each([
  ['overlap', 4_000, /^Incast: up to 6 hosts sent to host 11 at a time/],
  ['follow each other', 1_000, undefined],
])('slow flows of six hosts to one that %s are an incast, or are none', (_, completionNs, incast) => {
  const column = (name: string, valueOf: (row: number) => number): Column => ({
    name,
    type: 'number',
    data: Float64Array.from({ length: 8 }, (_value, row) => valueOf(row)),
  })
  // Three begin at the instant in which three others end.
  const startPs = (row: number): number => (row < 3 ? 0 : 1e6)
  const endPs = (row: number): number => startPs(row) + completionNs * 1e3
  const flows = createTable('flows', [
    column('source', (row) => row),
    column('destination', (row) => (row < 6 ? 11 : row)),
    column('startPs', startPs),
    column('receivedPs', endPs),
    column('acknowledgedPs', endPs),
    column('idealPs', () => 2e5),
    column('idealAcknowledgedPs', () => 2e5),
    column('measured', () => 1),
    { name: 'status', type: 'text', data: Array.from({ length: 8 }, () => 'finished') },
  ])
  const result: Result = { ...exampleResult(), flows, series: [] }
  const reported = {
    label: 'a',
    folder: 'a',
    result,
    summary: summarize(exampleResult()),
    scenarioText: '',
    facts: null,
  }
  expect(causesOf(reported).map(({ text }) => incast?.test(text))).toEqual(incast === undefined ? [] : [true])
})

test('without any trouble nothing is named', () => {
  expect(sentencesOf({ hasSlowHost: false, hasLossyLink: false, hasIncast: false }, 'autopsy, drops')).toEqual([])
})
