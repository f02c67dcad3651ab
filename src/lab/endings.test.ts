import { expect, test } from 'vitest'
import { MS, SECOND } from '../core/base/params.ts'
import { unfinishedText } from './advice/unfinished-text.ts'
import { summaryText } from '../show/index.ts'
import { completionsOf, numbersOf, type Result, runJson, summarize, textsOf } from '../core/results/index.ts'
import { parseScenario } from './scenario/index.ts'
import { run } from './simulation/simulation.ts'

const resultOf = (text: string, ...sets: string[]): Result => run(parseScenario(text, { sets }), { check: true })
const statusesOf = ({ flows }: Result): readonly string[] => [...textsOf(flows, 'status')]

const SLOW = `
name: slow
topology: {kind: star, hosts: 2, linkRate: 10Kbps, linkDelay: 1us}
switch: {buffer: {size: 1GB}}
workload: [{kind: incast, senders: 1, total: 3KB}]
`

test('a run over a link of 10 Kb/s is slow and not stalled', () => {
  const result = resultOf(SLOW)
  expect(statusesOf(result)).toEqual(['finished'])
  expect(result.simulatedPs).toBeGreaterThan(3 * SECOND)
  expect(result.digest).toBe(resultOf(SLOW, 'measure.stop=10s').digest)
})

test('a run that nothing ends is ended by the stall watch', () => {
  const result = resultOf(SLOW, 'topology.linkRate=1Gbps', 'faults=[{kind: bernoulli, probability: 1, links: all}]')
  expect(statusesOf(result)[0]).toMatch(/^stalled/)
  expect(result.simulatedPs).toBe(200 * MS)
})

const FAILING = `
name: failing
topology: {kind: star, hosts: 4, linkRate: 100Gbps, linkDelay: 1us}
workload: [{kind: incast, senders: 3, total: 30KB}, {kind: incast, senders: 1, total: 3KB, start: 2ms}]
qp: {ackTimeout: 100us, retryLimit: 7}
faults: [{kind: link-down, links: 0-4, down: 1us}]
`

test('a run ends when queue pairs have given up on all that is left, and no earlier', () => {
  const result = resultOf(FAILING)
  expect(new Set(statusesOf(result))).toEqual(new Set(['retry limit reached']))
  expect(Math.max(...numbersOf(result.flows, 'startPs'))).toBe(2 * MS)
  expect(result.simulatedPs).toBeGreaterThan(2 * MS)
  expect(result.simulatedPs).toBeLessThan(3 * MS)
})

/** Data arrive and all ACKs are lost: the sender retransmits until it gives up. */
const UNANSWERED = `
name: no-acks
topology: {kind: star, hosts: 3, linkRate: 100Gbps, linkDelay: 1us}
qp: {ackTimeout: 100us, retryLimit: 3}
workload: [{kind: incast, senders: 2, total: 100KB}]
faults: [{kind: bernoulli, probability: 1, packets: control, links: all}]
`
const LOOP = 'workload=[{kind: closed-loop, pairs: ["0 1", "2 1"], messageSize: 10KB, outstanding: 3, messages: 50}]'

test('a flow whose data arrived and whose sender gave up has a status of its own and counts as finished', () => {
  const result = resultOf(UNANSWERED)
  const summary = summarize(result)
  expect(summary.flows).toMatchObject({ total: 2, finished: 2, unfinished: 0, unacknowledged: 2, unposted: 0 })
  expect(summary.unacknowledgedReasons).toEqual({ 'retry limit reached': 2 })
  const text = summaryText(result, summary)
  expect(text).toMatch(/^flows finished +2 of 2$/m)
  expect(text).toMatch(/^unacknowledged +2 of those finished: retry limit reached 2$/m)
  expect(unfinishedText(result, {})).toMatch(
    /^unacknowledged .*\n.*\n +flow 0 +host 1 +host 0 .* retry limit reached$/m,
  )
  expect(runJson(result, summary)).toMatchObject({
    flows: { finished: 2, unfinished: 0, unacknowledged: 2 },
    unacknowledgedReasons: { 'retry limit reached': 2 },
  })
})

test('so does a flow whose sender never gives up, whether the run is stopped or stalls', () => {
  const stopped = summarize(resultOf(UNANSWERED, 'qp.retryLimit=off', 'measure.stop=1ms'))
  expect(stopped.unacknowledgedReasons).toEqual({ 'livelock: sending without progress': 2 })
  const stalled = summarize(resultOf(UNANSWERED, 'qp.retryLimit=off'))
  expect(stalled.unacknowledgedReasons).toEqual({ 'livelock: sending without progress': 2 })
})

test('with completion at the sender the same flows are unfinished, and counted once', () => {
  const { flows, unfinishedReasons } = summarize(resultOf(UNANSWERED, 'measure.completion=sender'))
  expect(flows).toMatchObject({ finished: 0, unfinished: 2, unacknowledged: 0 })
  expect(unfinishedReasons).toEqual({ 'retry limit reached': 2 })
})

test('messages that a closed loop did not post are counted by the status of the message that they waited for', () => {
  const result = resultOf(UNANSWERED, LOOP)
  const summary = summarize(result)
  expect(summary.flows).toMatchObject({ total: 6, finished: 6, unacknowledged: 6, unposted: 94 })
  expect(summary.unpostedReasons).toEqual({ 'retry limit reached': 94 })
  expect(summaryText(result, summary)).toMatch(/^never posted +94 that wait for others: retry limit reached 94$/m)
  expect(runJson(result, summary)).toMatchObject({ flows: { unposted: 94 }, unpostedReasons: summary.unpostedReasons })
  expect(summarize(resultOf(UNANSWERED, LOOP, 'qp.retryLimit=off')).unpostedReasons).toEqual({
    'livelock: sending without progress': 94,
  })
})

test('repetitions of an incast that wait for the one before are a closed loop too', () => {
  const { flows } = summarize(resultOf(UNANSWERED, 'workload.0.repetitions=5'))
  expect(flows).toMatchObject({ total: 2, finished: 2, unposted: 8 })
  const { flows: timed } = summarize(resultOf(UNANSWERED, 'workload.0.repetitions=5', 'workload.0.interval=1us'))
  expect(timed).toMatchObject({ total: 10, finished: 10, unacknowledged: 10, unposted: 0 })
})

test('a loop that ends by itself, by measure.generate, or never, has no unposted messages; one that is stopped has', () => {
  const sound = (...sets: string[]) => summarize(resultOf(UNANSWERED, LOOP, 'faults=[]', ...sets)).flows
  expect(sound()).toMatchObject({ total: 100, finished: 100, unfinished: 0, unacknowledged: 0, unposted: 0 })
  expect(sound('measure.generate=20us')).toMatchObject({ unacknowledged: 0, unposted: 0 })
  expect(sound('workload.0.messages=off', 'measure.stop=20us')).toMatchObject({ unposted: 0 })
  expect(sound('workload.0.start=1ms', 'measure.stop=20us')).toMatchObject({ total: 0, unposted: 0 })
  const stopped = sound('measure.stop=20us')
  expect(stopped.total).toBeGreaterThan(6)
  expect(stopped.total + stopped.unposted).toBe(100)
})

test('a READ ends at its requester, also where completion is at the sender, and beside WRITEs', () => {
  const workload = (operation: string) =>
    `{kind: closed-loop, pairs: ["0 1"], messageSize: 100KB, messages: 10, operation: ${operation}}`
  const text = `
name: reads
topology: {kind: star, hosts: 2, linkRate: 100Gbps, linkDelay: 1us}
workload: [${workload('read')}]
`
  const atRequester = summarize(resultOf(text))
  const atSender = summarize(resultOf(text, 'measure.completion=sender'))
  expect(atRequester.flows).toMatchObject({ finished: 10, unfinished: 0 })
  expect(atSender).toEqual({ ...atRequester, completion: 'sender' })
  expect(atSender.meanSlowdown).toBeGreaterThanOrEqual(1)
  for (const sets of [[], ['recovery=irn', 'pfc.classes=[]']]) {
    const both = resultOf(text, 'measure.completion=sender', `workload.1=${workload('write')}`, ...sets)
    const { completionPs } = completionsOf(both)
    const rows = [...completionPs.keys()]
    const column = (name: string): Float64Array => numbersOf(both.flows, name)
    const ends = rows.map((row) => column('startPs')[row]! + completionPs[row]!)
    const operation = textsOf(both.flows, 'operation')
    expect(ends).toEqual(rows.map((row) => column(operation[row] === 'read' ? 'receivedPs' : 'acknowledgedPs')[row]!))
    expect(summarize(both).flows).toMatchObject({ finished: 20, unfinished: 0, unacknowledged: 0 })
  }
})

test('goodput of a stalled run is measured up to its last byte', () => {
  const stalling = `
name: stalling
topology: {kind: star, hosts: 5, linkRate: 100Gbps, linkDelay: 1500ns}
pfc: {classes: []}
switch: {buffer: {kind: shared-buffer, size: 200KB}}
workload: [{kind: incast, senders: 4, receiver: 4, total: 4MB}]
observe: [{kind: goodput, interval: 10us}]
`
  const result = resultOf(stalling)
  const summary = summarize(result)
  expect(summary.flows.unfinished).toBeGreaterThan(0)
  expect(result.simulatedPs).toBeGreaterThanOrEqual(100 * MS)
  // The observer's last interval with a byte in it.
  const [series] = result.series
  const fromPs = numbersOf(series!, 'fromPs')
  const busy = numbersOf(series!, 'payloadBytes').map((bytes, row) => (bytes > 0 ? row : -1))
  const last = Math.max(...busy)
  expect(result.stalledFromPs).toBeGreaterThanOrEqual(fromPs[last]!)
  expect(result.stalledFromPs).toBeLessThanOrEqual(numbersOf(series!, 'toPs')[last]!)
  expect(summary.goodputOverPs).toBe(result.stalledFromPs)
  expect(summary.goodputBps).toBeCloseTo((result.counters.payloadBytesDelivered / result.stalledFromPs!) * 8e12, 0)
  expect(summaryText(result, summary)).toMatch(/^simulated time .* ms, given up: last byte delivered at .*s$/m)
  expect(runJson(result, summary).stalledFromPs).toBe(result.stalledFromPs)
})

test('where nothing was ever delivered goodput is 0, and a run that ends otherwise has no stall', () => {
  const dead = resultOf(SLOW, 'topology.linkRate=1Gbps', 'faults=[{kind: bernoulli, probability: 1, links: all}]')
  expect([dead.stalledFromPs, summarize(dead).goodputBps]).toEqual([0, 0])
  expect(summaryText(dead, summarize(dead))).toContain('given up: no byte delivered')
  for (const ended of [
    resultOf(UNANSWERED),
    resultOf(UNANSWERED, 'qp.retryLimit=off', 'measure.stop=1ms'),
    resultOf(FAILING),
  ]) {
    expect(ended.stalledFromPs).toBeNull()
  }
})
