/**
 * Sharing of a switch's buffer and the effect of alpha: bursts of responses at the servers of one ToR, the same bursts
 * for every buffer. Source: [Scale 4.4, 6.2].
 */
import { describe, expect, test } from 'vitest'
import { run } from '../../src/lab/index.ts'
import { numbersOf, quantileOfSorted, type Result, summarize, textsOf, sum } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const PORTS = 33
const SHARED = 'kind: shared-buffer, size: 9MB'

/** Bursts of 16 responses of 62 to 250 KB at servers drawn at random, some of them at the same time. */
function bursts(seed: number, buffer: string): Result {
  return run(
    parseScenario(`
name: bursts
seed: ${seed}
topology: {kind: star, hosts: ${PORTS}, linkRate: 40Gbps, linkDelay: 100ns}
switch: {buffer: {${buffer}}}
workload:
  - {kind: incast, senders: 16, receiver: off, total: 1MB, interval: 400us, tag: small}
  - {kind: incast, senders: 16, receiver: off, total: 2MB, interval: 700us, tag: medium}
  - {kind: incast, senders: 16, receiver: off, total: 4MB, interval: 1500us, tag: large}
measure: {generate: 3ms, end: drain}
`),
  )
}
const pausedPs = ({ counters }: Result): number => counters.pausedPs['host'] ?? 0

describe('alpha', () => {
  test('the larger it is, the fewer pause frames the same bursts cost', () => {
    for (const seed of SEEDS) {
      const results = ['1/128', '1/64', '1/32', '1/16', '1/8', '1/4'].map((alpha) =>
        bursts(seed, `${SHARED}, alpha: ${alpha}`),
      )
      const frames = results.map(({ counters }) => counters.pauseFrames)
      expect(frames, `seed ${seed}`).toEqual(frames.toSorted((a, b) => b - a))
      expect(new Set(frames.slice(0, 5)).size).toBe(5)
      expect(results.map(({ counters }) => counters.drops)).toEqual(results.map(() => ({})))
    }
  })

  test('1/64 sends about three times the pause frames of 1/16, and holds servers back for longer still', () => {
    // Limit of one congested queue: 1/17 of the pool against 1/65.
    const share = 65 / 17
    for (const seed of SEEDS) {
      const [small, large] = ['1/64', '1/16'].map((alpha) => bursts(seed, `${SHARED}, alpha: ${alpha}`))
      const ratio = small!.counters.pauseFrames / large!.counters.pauseFrames
      expect(ratio, `seed ${seed}`).toBeGreaterThan(share / 3)
      expect(ratio, `seed ${seed}`).toBeLessThan(share * 3)
      expect(pausedPs(small!) / pausedPs(large!)).toBeGreaterThan(ratio)
    }
  })
})

describe('bursts of responses at servers of two ToRs', () => {
  /** 99th percentile in microseconds of messages between other servers, and how far pauses spread. */
  function reach(seed: number, alpha: string): { tailUs: number; tiers: string[] } {
    const { flows, counters } = run(
      parseScenario(`
name: two-tors
seed: ${seed}
topology: {kind: leaf-spine, leaves: 6, spines: 4, hostsPerLeaf: 8, hostRate: 40Gbps, fabricRate: 40Gbps}
switch: {buffer: {kind: shared-buffer, size: 9MB, alpha: ${alpha}}}
workload:
  - {kind: incast, senders: 32, receiver: 0, sizeEach: 60KB, interval: 900us, tag: responses}
  - {kind: incast, senders: 32, receiver: 8, sizeEach: 60KB, interval: 900us, start: 450us, tag: responses}
  - {kind: poisson, load: 0.05, sizes: {kind: fixed, size: 10KB}, tag: other}
measure: {generate: 1500us, end: drain}
`),
    )
    expect(counters.drops).toEqual({})
    const [starts, ends] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'receivedPs')]
    const destinations = numbersOf(flows, 'destination')
    const others = textsOf(flows, 'tag').flatMap((tag, row) =>
      tag === 'other' && destinations[row] !== 0 && destinations[row] !== 8 ? [(ends[row]! - starts[row]!) / 1e6] : [],
    )
    expect(others.length).toBeGreaterThan(1000)
    return { tailUs: quantileOfSorted(Float64Array.from(others).sort(), 0.99), tiers: Object.keys(counters.pausedPs) }
  }

  test('pause the spines and other ToRs with alpha 1/64, and double the latency of others at least', () => {
    for (const seed of SEEDS.slice(0, 5)) {
      const [large, small] = ['1/16', '1/64'].map((alpha) => reach(seed, alpha))
      expect(small!.tailUs / large!.tailUs, `seed ${seed}`).toBeGreaterThan(2)
      expect(small!.tiers, `seed ${seed}`).toEqual(expect.arrayContaining(['tier 1', 'tier 2']))
      expect(large!.tiers, `seed ${seed}`).not.toContain('tier 1')
    }
  })
})

/** Equal parts of what 9 MB leave beside headroom are 252 KB for each of 33 ports. */
const MANAGED = 'kind: memory-manager, size: 9MB, cell: 1B, reserve: 0B, headroom: 20KB'

test('a shared pool that lets a busy port have more than an equal part pauses nobody, and delivers sooner on average than equal parts', () => {
  const meansPs = SEEDS.map((seed) => {
    const shared = bursts(seed, `${MANAGED}, alpha: 1/4`)
    const apart = bursts(seed, `${MANAGED}, staticTh: 252KB`)
    expect([shared.counters.pauseFrames, pausedPs(shared)], `seed ${seed}`).toEqual([0, 0])
    expect(apart.counters.pauseFrames).toBeGreaterThan(100)
    expect([shared.counters.drops, apart.counters.drops]).toEqual([{}, {}])
    return [shared, apart].map((result) => summarize(result).meanCompletionPs!)
  })
  // By a third of a percent, and in single seeds the other way: which flow is paused decides little beside which flows meet.
  expect(sum(meansPs.map(([soon]) => soon!))).toBeLessThan(sum(meansPs.map(([, late]) => late!)))
})

test('responses of more than a thousand servers to one of them are paused at its ToR, and all arrive', () => {
  const { counters, flows } = run(
    parseScenario(`
name: chatty
topology: {kind: star, hosts: 1002, linkRate: 40Gbps, linkDelay: 100ns}
switch: {buffer: {kind: shared-buffer, size: 40MB, alpha: 1/64}}
workload: [{kind: incast, senders: 1001, receiver: 0, sizeEach: 50KB}]
`),
  )
  expect(new Set(textsOf(flows, 'status'))).toEqual(new Set(['finished']))
  expect([flows.rowCount, counters.drops, counters.pauseFrames > 1000]).toEqual([1001, {}, true])
})
