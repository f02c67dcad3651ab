/**
 * A run with a slow host, a link that loses packets and an incast: the report names all three, and none that is not there.
 */
import { describe, expect, test } from 'vitest'
import { reportedRun } from '../../advice.ts'
import { run } from '../../lab/index.ts'
import type { Finding } from '../../core/findings/index.ts'
import { exampleResult } from '../../core/results/example.test-data.ts'
import { type Column, createTable, type Result, summarize } from '../../core/results/index.ts'
import { formatScenario, parseScenario } from '../../lab/scenario/index.ts'
import type { ReportedRun } from '../reported-run.ts'
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
    incast: ['incast', 'host 11'],
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

/** A run of flows of 1 us that take 4 us: of hosts 0 to 5 to host 11, and of hosts 6 and 7 to themselves. */
function slowFlows(startPs: (row: number) => number, destination: (row: number) => number): ReportedRun {
  const column = (name: string, valueOf: (row: number) => number): Column => ({
    name,
    type: 'number',
    data: Float64Array.from({ length: 8 }, (_value, row) => valueOf(row)),
  })
  const endPs = (row: number): number => startPs(row) + 4e6
  const flows = createTable('flows', [
    column('source', (row) => row),
    column('destination', destination),
    column('startPs', startPs),
    column('receivedPs', endPs),
    column('acknowledgedPs', endPs),
    column('idealPs', () => 1e6),
    column('idealAcknowledgedPs', () => 1e6),
    column('measured', () => 1),
    { name: 'status', type: 'text', data: Array.from({ length: 8 }, () => 'finished') },
  ])
  const result: Result = { ...exampleResult(), flows, series: [] }
  return { label: 'a', folder: 'a', result, summary: summarize(exampleResult()), scenarioText: '', facts: null }
}

const toOne = (row: number): number => (row < 6 ? 11 : row)

test.each([
  ['begin within the time of one', (row: number) => 1e5 * row, toOne, [['incast', 'host 11', 6]]],
  ['begin one after the other', (row: number) => 1e6 * row, toOne, []],
  // Four to each of two: uniform load, however slow.
  ['are of two that get as much', () => 0, (row: number) => 10 + (row % 2), []],
] as const)('slow flows to one host that %s are an incast, or are none', (_, startPs, destination, incast) => {
  const causes = causesOf(slowFlows(startPs, destination))
  expect(causes.map(({ id, subject, values }) => [id, subject.device, values['senders']])).toEqual(incast)
})

test('without any trouble nothing is named', () => {
  expect(causesIn({ hasSlowHost: false, hasLossyLink: false, hasIncast: false }, 'autopsy')).toEqual([])
})

test('a link that lost packets and made no flow slow is named beside an autopsy, too', () => {
  const scenario = parseScenario(`
name: lost
topology: {kind: star, hosts: 2, linkRate: 10Gbps}
congestion: none
recovery: irn
pfc: {classes: []}
workload: [{kind: trace, flows: [0 1 2MB 0us]}]
faults: [{kind: bernoulli, probability: 0.002, links: "switch>host 1"}]
observe: [autopsy, drops]
`)
  const stored = { result: run(scenario), scenarioText: formatScenario(scenario), scenarioList: () => undefined }
  const reported = reportedRun(stored, { label: 'lost', folder: 'lost' })
  expect(reported.summary.maxSlowdown).toBeLessThan(2)
  expect(causesOf(reported).map(causeOf)).toEqual([['link-lost-packets', 'switch', 'host 1', 'link loss']])
})
