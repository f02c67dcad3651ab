/**
 * PFC pauses queues and not flows: its victims, and the cost of a network without it.
 * Source: [Survey III-A, VI-B], [Scale 7], [LDCP 1].
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import {
  mean,
  numbersOf,
  quantileOfSorted,
  type Result,
  sum,
  summarize,
  textsOf,
} from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const resultOf = (text: string): Result => run(parseScenario(`name: victims\n${text}`))
const LDCP = `congestion: ldcp
pfc: {classes: []}
qp: {ackInterval: 1, ecnEcho: ack, ackTimeout: 320us, retryLimit: off}`
const LDCP_SWITCH = ', wred: {classes: [3], threshold: 60KB}, ecn: {kmin: 5KB, kmax: 60KB, pmax: 0.2}'

/** A flow that goes on until the end. */
const persistent = (ends: string, tag: string): string =>
  `{kind: closed-loop, pairs: ["${ends}"], messageSize: 100KB, outstanding: 4, tag: ${tag}}`

/** Share of each tag in the payload of completed messages. */
function sharesOf({ flows }: Result): Record<string, number> {
  const [sizes, ends] = [numbersOf(flows, 'sizeBytes'), numbersOf(flows, 'receivedPs')]
  const bytes: Record<string, number> = {}
  textsOf(flows, 'tag').forEach((tag, row) => {
    if (!Number.isNaN(ends[row]!)) bytes[tag] = (bytes[tag] ?? 0) + sizes[row]!
  })
  const all = sum(Object.values(bytes))
  return Object.fromEntries(Object.entries(bytes).map(([tag, part]) => [tag, part / all]))
}

test('RoCE is unfair to flows that share an ingress, holds up flows that are not in the way, and can stop for good', () => {
  // Unfair: f2 and f3 share an ingress, f1 has its own, and ingresses are served round robin.
  const unfair = sharesOf(
    resultOf(`
topology: {kind: star, hosts: 4, linkRate: 40Gbps, linkDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
workload: [${persistent('0 3', 'f1')}, ${persistent('1 3', 'f2')}, ${persistent('1 3', 'f3')}]
measure: {stop: 5ms}`),
  )
  for (const shared of ['f2', 'f3']) expect(unfair['f1']!).toBeGreaterThan(1.3 * unfair[shared]!)

  // Head of line: behind switch 4 only f1 meets a slow link, and f2 shares a queue with it up to switch 3.
  const besideSlow = (pfc: string): number =>
    sharesOf(
      resultOf(`
topology: {kind: graph, nodes: 5, switches: [3, 4], links: ["0 3 40Gbps 1us", "2 3 40Gbps 1us", "3 4 40Gbps 1us", "4 1 10Gbps 1us"]}
${pfc}
switch: {buffer: {kind: shared-buffer, size: 2MB}}
workload: [${persistent('0 1', 'f1')}, ${persistent('0 2', 'f2')}]
measure: {stop: 3ms}`),
    )['f2']!
  expect(besideSlow('pfc: {classes: [3]}')).toBeLessThan(0.6)
  expect(besideSlow('pfc: {classes: []}\nqp: {ackTimeout: 320us, retryLimit: off}')).toBeGreaterThan(0.8)

  // Deadlock: in a ring of four switches each waits for the buffer of the next.
  const ring = (pfc: string): Result =>
    resultOf(`
topology:
  kind: graph
  nodes: 8
  switches: [4, 5, 6, 7]
  links: ["0 4 100Gbps 1us", "1 5 100Gbps 1us", "2 6 100Gbps 1us", "3 7 100Gbps 1us", "4 5 100Gbps 1us", "5 6 100Gbps 1us", "6 7 100Gbps 1us", "7 4 100Gbps 1us"]
  routes: ["4: 2 via 2", "5: 3 via 3", "6: 0 via 3", "7: 1 via 3"]
${pfc}
switch: {buffer: {kind: shared-buffer, size: 1MB}}
workload: [{kind: trace, flows: ["0 2 4MB 0us", "1 3 4MB 0us", "2 0 4MB 0us", "3 1 4MB 0us"]}]
measure: {stop: 20ms}`)
  const locked = ring('pfc: {classes: [3]}')
  expect(new Set(locked.pauseCircle?.nodes).size).toBe(4)
  expect(summarize(locked).flows.finished).toBe(0)
  const open = ring('pfc: {classes: []}\nrecovery: irn\nqp: {ackTimeout: 320us, retryLimit: off}')
  expect([open.pauseCircle, summarize(open).flows.finished]).toEqual([null, 4])
})

describe('in a fabric with a burst to one host', () => {
  /** Slowdowns of messages between other hosts, and the ports where packets wait. */
  function bystanders(seed: number, scheme: string, more: string): { tail: number; full: string[] } {
    const { flows, series } = resultOf(`
seed: ${seed}
topology: {kind: leaf-spine, leaves: 4, spines: 4, hostsPerLeaf: 8, hostRate: 40Gbps, fabricRate: 40Gbps}
${scheme}
switch: {buffer: {kind: shared-buffer, size: 2MB}${more}}
workload:
  - {kind: incast, senders: 24, receiver: 0, sizeEach: 300KB, interval: 2ms, tag: burst}
  - {kind: poisson, load: 0.05, sizes: {kind: fixed, size: 10KB}, tag: other}
measure: {generate: 1ms, end: drain}
observe: [{kind: queue-depth, ports: all, interval: 20us}]`)
    const [starts, ends, ideals] = ['startPs', 'receivedPs', 'idealPs'].map((column) => numbersOf(flows, column))
    const destinations = numbersOf(flows, 'destination')
    const slowdowns = textsOf(flows, 'tag').flatMap((tag, row) =>
      tag === 'other' && destinations[row] !== 0 ? [(ends![row]! - starts![row]!) / ideals![row]!] : [],
    )
    expect(slowdowns.length).toBeGreaterThan(400)
    const [depths] = series
    const bytes = numbersOf(depths!, 'queueBytes')
    const full = textsOf(depths!, 'nodeName').filter((_, row) => bytes[row]! > 100_000)
    return { tail: quantileOfSorted(Float64Array.from(slowdowns).sort(), 0.99), full: [...new Set(full)] }
  }

  test('PFC spreads queues and creates victims, LDCP does neither', () => {
    for (const seed of SEEDS) {
      const paused = bystanders(seed, 'pfc: {classes: [3]}', '')
      expect(paused.tail, `seed ${seed}`).toBeGreaterThan(20)
      // Not only at the leaf of the one host: at spines, and at other leaves.
      expect(paused.full.some((name) => name.startsWith('spine'))).toBe(true)
      expect(paused.full.filter((name) => name.startsWith('leaf')).length).toBeGreaterThan(1)
      const free = bystanders(seed, LDCP, LDCP_SWITCH)
      expect(free.tail, `seed ${seed}`).toBeLessThan(3)
      expect(free.full, `seed ${seed}`).toEqual([])
    }
  })
})

test('iWARP without PFC has a longer tail than RoCE with it, by drops and the timeouts behind them', () => {
  const ratios: number[] = []
  let timeouts = 0
  for (const seed of SEEDS) {
    const responses = (scheme: string): Result =>
      resultOf(`
seed: ${seed}
topology: {kind: leaf-spine, leaves: 4, spines: 4, hostsPerLeaf: 16, hostRate: 40Gbps, fabricRate: 40Gbps}
${scheme}
switch: {buffer: {kind: shared-buffer, size: 2MB}}
workload: [{kind: incast, senders: 40, receiver: off, total: 1MB, interval: 1ms}]
measure: {generate: 8ms, end: drain}`)
    const roce = responses('pfc: {classes: [3]}')
    const iwarp = responses('recovery: iwarp\npfc: {classes: []}\nqp: {ackInterval: 1, retryLimit: off}')
    expect(roce.counters.drops).toEqual({})
    expect(iwarp.counters.drops['buffer full'], `seed ${seed}`).toBeGreaterThan(0)
    const [short, long] = [roce, iwarp].map((result) => summarize(result).maxCompletionPs)
    expect(long!, `seed ${seed}`).toBeGreaterThan(short!)
    ratios.push(long! / short!)
    timeouts += summarize(iwarp).timeouts
  }
  expect(mean(ratios)).toBeGreaterThan(1.3)
  expect(timeouts).toBeGreaterThan(0)
})
