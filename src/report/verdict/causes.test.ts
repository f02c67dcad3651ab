/**
 * A run with a slow host, a link that loses packets and an incast: the report names all three, and none that is not there.
 */
import { describe, expect, test } from 'vitest'
import { reportedRun } from '../../advice/index.ts'
import { run } from '../../lab/index.ts'
import type { Finding } from '../../findings/index.ts'
import { exampleResult } from '../../results/example.test-data.ts'
import { type Column, createTable, type Result, summarize } from '../../results/index.ts'
import { formatScenario, parseScenario } from '../../scenario/index.ts'
import { causesOf } from './causes.ts'

/** Id and place of a cause, and what tells it from others of its id. */
type Cause = readonly (string | undefined)[]

const causeOf = ({ id, subject: { device, port }, values }: Finding): Cause =>
  id === 'link-lost-packets'
    ? [id, port, device, ...Object.keys(values['reasons'] as object)]
    : [id, device, ...(port === undefined ? [] : [port])]

interface Troubles {
  readonly hasSlowHost: boolean
  readonly hasLossyLink: boolean
  readonly hasIncast: boolean
}

/** Hosts 0 to 5 at leaf 0, 6 to 11 at leaf 1; each trouble has hosts of its own. */
function causesIn({ hasSlowHost, hasLossyLink, hasIncast }: Troubles, observers: string): Cause[] {
  const pipeline = '{kind: pipeline, packetTime: 3us, buffer: 64KB, missPenalty: 0ns}'
  const slow = `changes: [{path: nic.receive, value: "${pipeline}", at: 0ps, nodes: host 7}]`
  const lossy = 'faults: [{kind: bernoulli, probability: 0.1, links: "leaf 1>host 8"}]'
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
  return causesOf(reportedRun(stored, names)).map(causeOf)
}

const ALL: Troubles = { hasSlowHost: true, hasLossyLink: true, hasIncast: true }

describe.each([
  {
    from: 'an autopsy',
    observers: 'autopsy',
    slowHost: ['slow-receiver', 'host 7'],
    lossyLink: ['lossy-link', 'leaf 1', 'host 8'],
    incast: ['crowd', 'host 11'],
  },
  {
    from: 'pauses and drops alone',
    observers: 'pause-intervals, drops',
    slowHost: ['host-paused-switch', 'host 7'],
    lossyLink: ['link-lost-packets', 'leaf 1', 'host 8', 'link loss'],
    incast: ['incast', 'host 11'],
  },
])('from $from', ({ observers, slowHost, lossyLink, incast }) => {
  const every = [slowHost, lossyLink, incast]
  test('all three are named', () => {
    const causes = causesIn(ALL, observers)
    for (const cause of every) expect(causes).toContainEqual(cause)
    expect(new Set(causes.map(String)).size).toBe(causes.length)
  })

  test.each([
    ['slow host', { ...ALL, hasSlowHost: false }, slowHost],
    ['lossy link', { ...ALL, hasLossyLink: false }, lossyLink],
    ['incast', { ...ALL, hasIncast: false }, incast],
  ] as const)('without the %s the others are named, and it is not', (_name, troubles, missing) => {
    const causes = causesIn(troubles, observers)
    for (const cause of every) expect(causes.some((found) => String(found) === String(cause))).toBe(cause !== missing)
  })
})

test.each([
  ['overlap', 4_000, [['incast', 'host 11', 6]]],
  ['follow each other', 1_000, []],
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
  const causes = causesOf(reported).map(({ id, subject, values }) => [id, subject.device, values['senders']])
  expect(causes).toEqual(incast)
})

test('without any trouble nothing is named', () => {
  expect(causesIn({ hasSlowHost: false, hasLossyLink: false, hasIncast: false }, 'autopsy')).toEqual([])
})
