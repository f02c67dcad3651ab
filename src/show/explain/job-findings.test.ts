/** Jobs with planted causes: each is named, with its rank, its place and its numbers. */
import { describe, expect, test } from 'vitest'
import { type Finding } from '../../core/findings/index.ts'
import { run } from '../../lab/index.ts'
import { jobsOf, numbersOf, type Result, tableOfKind } from '../../core/results/index.ts'
import { parseScenario } from '../../lab/scenario/index.ts'
import { jobFindings } from './job-findings.ts'
import { type JobPath, jobPaths } from './job-path.ts'

const SETS = [
  'topology={kind: star, hosts: 4, linkRate: 100Gbps, linkDelay: 500ns}',
  'frames.payload=4096B',
  'congestion=none',
  'observe=[autopsy]',
]

function ran(workload: string, ...sets: readonly string[]): Result {
  return run(parseScenario(`workload: [${workload}]`, { sets: [...SETS, ...sets] }), { check: true })
}

const RING = '{kind: collective, size: 400KB, stepTime: 1us, iterations: 3}'
const only = (result: Result, id: string): Finding[] => jobFindings(result).filter((finding) => finding.id === id)
const pathIn = (result: Result): JobPath => jobPaths(result)[0]!
const partOf = ({ parts }: JobPath, name: string): number => parts.find(({ part }) => part === name)?.spanPs ?? 0

describe('the parts of the critical path are the time of the job', () => {
  const cases = [
    ['alone', RING],
    ['in a crowd', `${RING}, {kind: incast, senders: 3, receiver: 1, sizeEach: 2MB}`],
    ['all at once', '{kind: collective, operation: all-to-all, size: 400KB}'],
    ['waiting for acknowledgements', '{kind: collective, operation: all-to-all, algorithm: shift, size: 400KB}'],
  ] as const
  test.each(cases)('%s', (_, workload) => {
    const result = ran(workload)
    const { parts, totalPs } = pathIn(result)
    const [{ stepPs, iterations }] = jobsOf(result) as [ReturnType<typeof jobsOf>[number]]
    expect(parts.reduce((sum, { spanPs }) => sum + spanPs, 0)).toBe(totalPs)
    expect(totalPs).toBe(stepPs * iterations)
    // With an autopsy no message is a whole.
    expect(parts.map(({ part }) => part)).not.toContain('message')
  })

  test('without an autopsy: ideal times and the rest', () => {
    const { parts, totalPs } = pathIn(
      ran(`${RING}, {kind: incast, senders: 3, receiver: 1, sizeEach: 2MB}`, 'observe=[]'),
    )
    expect(parts.reduce((sum, { spanPs }) => sum + spanPs, 0)).toBe(totalPs)
    expect(parts.map(({ part }) => part)).toContain('excess')
  })
})

test('alone nothing is odd', () => {
  expect(jobFindings(ran(RING))).toEqual([])
})

test('a lost packet: the path goes through its timeout, on the link that lost it', () => {
  // The last packet of its sixth and last message: no later one shows the loss.
  const ring = '{kind: collective, size: 400KB}'
  const result = ran(
    ring,
    'faults=[{kind: every-nth, links: "host 2>switch", n: 150, packets: data}]',
    'qp.ackTimeout=100us',
  )
  const path = pathIn(result)
  expect(partOf(path, 'timeoutWaitPs')).toBeGreaterThan(50e6)
  const [worst] = path.held
  expect(worst).toMatchObject({ rank: 2, origin: { kind: 'link', part: 'timeoutWaitPs' } })
  expect(only(result, 'step-held')).toMatchObject([
    { subject: { device: worst!.origin!.name, flow: worst!.flow }, values: { rank: 2, iteration: worst!.iteration } },
  ])
})

test.each([
  ['four rings', '{kind: collective, size: 4MB, channels: 4, group: ["0-3"]}'],
  ['an exchange of all with all', '{kind: collective, operation: all-to-all, size: 4MB, group: ["0-3"]}'],
  ['trees', '{kind: collective, algorithm: double-binary-tree, size: 4MB, channels: 4, group: ["0-3"]}'],
])('%s take turns at their own links as in the idle run: nothing is held', (_, workload) => {
  // The run is not its own idle run, as two more hosts exchange a message.
  const buffer = 'switch.buffer={kind: shared-buffer, size: 4GiB, alpha: 128, egressAlpha: 128}'
  const result = ran(`${workload}, {kind: trace, flows: ["4 5 1KB 0us"]}`, 'topology.hosts=6', buffer)
  expect(jobFindings(result)).toEqual([])
  expect(pathIn(result).held).toEqual([])
})

test('two rings over a lossy link: the link is the subject, not the turns that they take', () => {
  // The very last packet of its last messages: no later one shows the loss.
  const result = ran(
    '{kind: collective, size: 800KB, channels: 2}',
    'faults=[{kind: every-nth, links: "host 2>switch", n: 300, packets: data}]',
    'qp.ackTimeout=100us',
  )
  expect(only(result, 'step-held')).toMatchObject([{ subject: { device: 'host 2 port 1 to switch' } }])
})

test('a wait for earlier messages is divided as their time was: the rate that a control sets', () => {
  // Sixteen messages of each queue pair at once: the last of them waits for the others, and all for the rate.
  const result = ran(
    '{kind: collective, operation: gather, size: 8MB, slices: 16}',
    'congestion=dcqcn',
    'switch.ecn={kmin: 20KB, kmax: 100KB, pmax: 1}',
  )
  const path = pathIn(result)
  const last = numbersOf(result.flows, 'behindPs')
  expect(Math.max(...last)).toBeGreaterThan(0.5 * path.totalPs)
  expect(partOf(path, 'ratePs')).toBeGreaterThan(0.3 * path.totalPs)
  expect(partOf(path, 'behindPs')).toBeLessThan(partOf(path, 'ratePs'))
})

test('background traffic on the way to a rank: its tag and a flow of it are named', () => {
  const ring = '{kind: collective, size: 400KB, iterations: 3, group: ["0-3"]}'
  // From the two hosts that have no rank: packets meet in the switch.
  const backup = [4, 5].map((host) => `{kind: trace, flows: ["${host} 2 4MB 0ns"], tag: backup}`)
  const result = ran([ring, ...backup].join(', '), 'topology.hosts=6')
  expect(only(result, 'step-held')).toMatchObject([
    { values: { culpritTag: 'backup', cause: 'queues', origin: 'switch port 3 to host 2' } },
  ])
  const own = ran(`${ring}, {kind: trace, flows: ["1 5 4MB 0ns"], tag: backup}`, 'topology.hosts=6')
  expect(only(own, 'step-held')).toMatchObject([{ values: { rank: 1, culpritTag: 'backup' } }])
})

test('a link at half rate: its rank, its port and how much longer steps take', () => {
  const ring = '{kind: collective, size: 8MB}'
  const result = ran(ring, 'topology.rates=["host 1: 50Gbps"]')
  const [slow] = only(result, 'slow-link')
  expect(slow).toMatchObject({
    subject: { device: 'host 1', port: 'switch', workload: 'collective' },
    values: { rank: 1, rateBps: 50e9, usualBps: 100e9 },
  })
  const ratio = jobsOf(result)[0]!.stepPs / jobsOf(ran(ring))[0]!.stepPs
  expect((slow!.values as { ratio: number }).ratio / ratio).toBeCloseTo(1, 1.5)
  expect(ratio).toBeGreaterThan(1.8)
})

/** Each rank computes, then tells the next one; rank 2 takes longer than the others. */
function computing(longerNs: number): string {
  const ranks = Array.from({ length: 4 }, (_, rank) => [
    `rank ${rank} {`,
    `a: calc ${100_000 + (rank === 2 ? longerNs : 0)}`,
    `b: send 1000b to ${(rank + 1) % 4}`,
    `c: recv 1000b from ${(rank + 3) % 4}`,
    'b requires a',
    '}',
  ])
  return `{kind: graph, goal: ${JSON.stringify(['num_ranks 4', ...ranks.flat()])}}`
}

test('a rank that computes longer: late by its compute, not by the network', () => {
  const result = ran(computing(20_000))
  expect(only(result, 'straggler')).toMatchObject([
    { subject: { device: 'host 2' }, values: { rank: 2, by: 'compute', latePs: 20e6 } },
  ])
  expect(only(result, 'step-held')).toEqual([])
  expect(jobFindings(ran(computing(0)))).toEqual([])
})

test('a run that stops: what never began, and what it waits for', () => {
  const result = ran(computing(20_000), 'measure.stop=110us')
  expect(only(result, 'operations-unstarted')).toMatchObject([
    { subject: { device: 'host 2' }, values: { ranks: 1, rank: 2, operation: 'send b', waitsFor: 'compute a' } },
  ])
})

test('operations of a result: when they could begin, began and were done, and after which other', () => {
  const table = tableOfKind(ran(computing(0)), 'operations')!
  const of = (name: string): number[] => [...numbersOf(table, name)]
  expect(table.rowCount).toBe(12)
  const [ids, after, sendIds, flows] = [of('id'), of('after'), of('sendId'), of('flow')]
  ids.forEach((id, row) => {
    const kind = id % 3
    expect(after[row]).toBe(kind === 1 ? id - 1 : -1)
    expect(sendIds[row]).toBe(kind === 2 ? (id + 12 - 4) % 12 : -1)
    expect(Number.isNaN(flows[row]!)).toBe(kind !== 1)
  })
  for (const name of ['beginPs', 'donePs']) expect(of(name).every((ps) => ps >= 0)).toBe(true)
})

test('where rows of flows are not kept there are no rows of operations, and jobs have their times all the same', () => {
  const result = ran(RING, 'measure.flows=off', 'observe=[]')
  expect(tableOfKind(result, 'operations')).toBeUndefined()
  expect(jobPaths(result)).toEqual([])
  expect(jobsOf(result)).toEqual(jobsOf(ran(RING)))
})
