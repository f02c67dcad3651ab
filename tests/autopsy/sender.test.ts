/**
 * Completion at the sender: parts go on from the receiver through the way of the ACK, waits of the ACK have an origin, and
 * all of an explanation is about that end.
 */
import { describe, expect, test } from 'vitest'
import { scenarioFacts } from '../../src/lab/advice/reported-run.ts'
import { MS, US } from '../../src/core/base/params.ts'
import { run } from '../../src/lab/index.ts'
import { explain } from '../../src/show/index.ts'
import {
  ACK_PARTS,
  completionsOf,
  numbersOf,
  partsOf,
  type Result,
  spansOf,
  summarize,
  tableOfKind,
  textsOf,
} from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { wrongSums } from '../support/origin-sums.ts'

const resultOf = (text: string): Result => run(parseScenario(`name: story\nobserve: [autopsy]\n${text}`))

/** Flows whose parts are not their completion time. */
function unlikeCompletion(result: Result): number[] {
  const { completionPs } = completionsOf(result)
  const parts = partsOf(result.completion).map((part) => spansOf(result, part))
  return [...completionPs.keys()].filter(
    (row) => !Number.isNaN(completionPs[row]) && parts.reduce((sum, of) => sum + of[row]!, 0) !== completionPs[row],
  )
}

/** Origins of a part of a flow that is alone on its queue pair, in microseconds. */
function originsOf({ flows, series }: Result, flow: number, part: string): [string, number][] {
  const table = tableOfKind({ series }, 'autopsy/origins')!
  const pair = numbersOf(flows, 'pair')[flow]
  const [kinds, names, parts] = ['kind', 'origin', 'part'].map((name) => textsOf(table, name))
  return [...numbersOf(table, 'pair').keys()]
    .filter((row) => numbersOf(table, 'pair')[row] === pair && parts![row] === part)
    .map((row) => [`${kinds![row]!} ${names![row]!}`, numbersOf(table, 'spanPs')[row]! / US])
}

describe('a link that loses ACKs', () => {
  const story = (faults: string): string => `
topology: {kind: star, hosts: 4, linkRate: 25Gbps, linkDelay: 1us}
congestion: none
qp: {ackTimeout: 1ms}
workload:
  - {kind: poisson, load: 0.2, sizes: {kind: fixed, size: 8KB}, tag: rpc}
measure: {generate: 1ms, completion: sender}
${faults}`
  const lossy = resultOf(story('faults: [{kind: bernoulli, probability: 0.2, packets: control, links: "1>4"}]'))

  test('is the cause, and is it: without the loss the p99 is a hundredth', () => {
    const [cause] = explain(lossy, scenarioFacts(parseScenario(JSON.stringify(lossy.scenario)))).causes
    expect(cause).toMatchObject({ id: 'lossy-link', subject: { device: 'host 1', port: 'switch' } })
    expect((cause!.values['parts'] as { part: string }[])[0]!.part).toBe('ackHeldPs')
    expect(cause!.values['share']).toBeGreaterThan(0.99)
    const healthy = resultOf(story(''))
    expect(summarize(healthy).maxCompletionPs).toBeLessThan(summarize(lossy).maxCompletionPs / 50)
    expect(explain(healthy).causes).toEqual([])
  })

  test('has times at the sender, which the parts add up to', () => {
    expect(unlikeCompletion(lossy)).toEqual([])
    expect(wrongSums(lossy)).toEqual([])
    const { all, bySlowdown } = explain(lossy)
    const { meanCompletionPs, meanSlowdown } = summarize(lossy)
    expect(all).toMatchObject({ meanCompletionPs, meanSlowdown })
    const held = partsOf('sender').findIndex(({ column }) => column === 'ackHeldPs')
    expect(bySlowdown.at(-1)!.shares[held]).toBeGreaterThan(0.99)
    expect(bySlowdown.at(-1)!.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1)
  })
})

test('a run that ends before the ACK comes holds the message until then, by the link that lost it', () => {
  const result = resultOf(`
topology: {kind: star, hosts: 2, linkRate: 8Gbps, linkDelay: 1us}
congestion: none
qp: {ackTimeout: 100us}
faults: [{kind: bernoulli, probability: 1, packets: control, links: "1>2"}]
workload: [{kind: trace, flows: ["0 1 1000B 0us"]}]
measure: {completion: sender, stop: 250us}`)
  const received = numbersOf(result.flows, 'receivedPs')[0]!
  expect(numbersOf(result.flows, 'ackHeldPs')[0]).toBe(250 * US - received)
  expect(wrongSums(result)).toEqual([])
  // The first ACK leaves at once.
  expect(originsOf(result, 0, 'ackHeldPs')).toEqual([['link host 1 port 1 to switch', 250 - received / US]])
  expect(explain(result)).toMatchObject({ flows: 0, unfinished: 1 })
  expect(explain(result, scenarioFacts(parseScenario(JSON.stringify(result.scenario)))).causes[0]).toMatchObject({
    id: 'lossy-link',
    subject: { device: 'host 1', port: 'switch' },
  })
})

test('an ACK in a class that is paused waits for the origin of the pause, at its NIC and in the network', () => {
  // Host 5 stops taking packets; host 2 is in its rack, and its ACKs go up the way that is full of data for host 5.
  const result = resultOf(`
topology: {kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 3, hostRate: 10Gbps, fabricRate: 10Gbps}
congestion: none
classes: {ackAtHost: 3, ackAtSwitch: 3}
switch: {buffer: {size: 200KB}}
qp: {ackTimeout: 20ms}
faults: [{kind: pause-storm, hosts: host 5, from: 10us, until: 2ms}]
workload: [{kind: trace, flows: ["0 5 1MB 0us", "1 5 1MB 0us", "4 1 1000B 1ms", "3 0 1000B 1ms"]}]
measure: {stop: 8ms, completion: sender}`)
  expect(wrongSums(result)).toEqual([])
  expect(unlikeCompletion(result)).toEqual([])
  const of = (column: string, flow: number): number => numbersOf(result.flows, column)[flow]!
  for (const flow of [2, 3]) {
    expect(of('ackHeldPs', flow)).toBeGreaterThan(0.9 * MS)
    const [origin, us] = originsOf(result, flow, 'ackHeldPs').toSorted((a, b) => b[1] - a[1])[0]!
    expect(origin).toBe('storm host 5')
    expect(us).toBeGreaterThan(900)
    expect(textsOf(result.flows, 'heldBy')[flow]).toBe('host 5')
  }
})

test('a work request without a signal waits for the one after it, at its own host', () => {
  const result = resultOf(`
topology: {kind: star, hosts: 2, linkRate: 8Gbps, linkDelay: 1us}
congestion: none
verbs: {signalEvery: 2}
workload: [{kind: trace, workRequests: true, flows: ["0 1 1000B 0us connection=1", "0 1 100KB 0us connection=1"]}]
measure: {completion: sender}`)
  expect(wrongSums(result)).toEqual([])
  expect(unlikeCompletion(result)).toEqual([])
  const held = originsOf(result, 0, 'ackHeldPs')
  expect(held[0]![0]).toBe('nic host 0')
  expect(held[0]![1]).toBeGreaterThan(90)
})

test('a READ is complete at its requester, and has no parts of an ACK', () => {
  const result = resultOf(`
topology: {kind: star, hosts: 2, linkRate: 8Gbps, linkDelay: 1us}
congestion: none
workload: [{kind: trace, flows: ["0 1 3KB 0us op=read"]}]
measure: {completion: sender}`)
  expect(unlikeCompletion(result)).toEqual([])
  expect(ACK_PARTS.every(({ column }) => Number.isNaN(numbersOf(result.flows, column)[0]))).toBe(true)
  expect(explain(result).all.meanCompletionPs).toBe(completionsOf(result).completionPs[0])
})
