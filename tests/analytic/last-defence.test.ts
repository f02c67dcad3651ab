/**
 * PFC as the last defence against full buffers: the headroom it needs, how congestion control reduces pauses, and its
 * limits regarding latency. Source: [Scale 2, 5.2, 8.1], [Survey V-B, VI-A].
 */
import { describe, expect, test } from 'vitest'
import { headroomPlan, run, topologyOf } from '../../src/lab/index.ts'
import { numbersOf, quantileOfSorted, type Result, sum, textsOf } from '../../src/core/results/index.ts'
import { parseScenario, type Scenario } from '../../src/lab/scenario/index.ts'

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const dropsOf = ({ counters }: Result): number => sum(Object.values(counters.drops))

describe('headroom', () => {
  /** Two incasts that cross each other at one switch, with this cable length. */
  function crossing(metres: number, more: string): Scenario {
    return parseScenario(`
name: headroom
topology: {kind: star, hosts: 9, linkRate: 40Gbps, linkDelay: ${metres * 5}ns}
pfc: {reactionTime: 200ns}
qp: {ackTimeout: 1ms, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 2MB${more}}}
workload:
  - {kind: incast, senders: 8, receiver: 8, sizeEach: 300KB}
  - {kind: incast, senders: 8, receiver: 7, sizeEach: 300KB}
`)
  }

  test.each([2, 20, 100, 300])(
    'for %i m of cable holds everything that arrives after a pause; half of it does not',
    (metres) => {
      const enough = crossing(metres, '')
      const built = topologyOf(enough)
      const [link] = headroomPlan(enough, built)!.kinds
      // Twice the cable delay, 200 ns to react and two full frames, at 5 bytes a nanosecond.
      const leastBytes = 5 * (2 * metres * 5 + 200) + 2 * 1086
      expect(link!.givenBytes).toBeGreaterThan(leastBytes)
      expect(link!.givenBytes).toBeLessThan(leastBytes + 5 * 1086)
      const { counters } = run(enough)
      expect([counters.drops, counters.pauseFrames > 100]).toEqual([{}, true])
      expect(dropsOf(run(crossing(metres, `, headroom: ${Math.floor(leastBytes / 2)}B`)))).toBeGreaterThan(100)
    },
  )
})

describe('a fabric with bursts', () => {
  const bursts = (seed: number, isPfc: boolean, congestion: string): Result =>
    run(
      parseScenario(`
name: bursts
seed: ${seed}
topology: {kind: leaf-spine, leaves: 4, spines: 2, hostsPerLeaf: 8, hostRate: 40Gbps, fabricRate: 40Gbps}
congestion: ${congestion}
pfc: {classes: ${isPfc ? '[3]' : '[]'}}
qp: {ackTimeout: 1ms, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 2MB}}
workload:
  - {kind: poisson, load: 0.2, sizes: {kind: fixed, size: 100KB}}
  - {kind: incast, senders: 16, receiver: off, total: 4MB, interval: 300us}
measure: {generate: 400us, end: drain}
`),
    )

  test('drops nothing of a lossless class, and the same traffic thousands of packets without PFC', () => {
    for (const seed of SEEDS) {
      const lossless = bursts(seed, true, 'none')
      expect([lossless.counters.drops, lossless.counters.pauseFrames > 0], `seed ${seed}`).toEqual([{}, true])
      expect(dropsOf(bursts(seed, false, 'none')), `seed ${seed}`).toBeGreaterThan(1000)
    }
  })

  test('sends fewer pause frames with DCQCN than without', () => {
    for (const seed of SEEDS) {
      const [without, having] = ['none', 'dcqcn'].map((control) => bursts(seed, true, control).counters.pauseFrames)
      expect(having!, `seed ${seed}`).toBeLessThan(without!)
    }
  })
})

describe('32 flows that start at line rate to one host', () => {
  const incast = (congestion: string, isPfc: boolean, stop = ''): Result =>
    run(
      parseScenario(`
name: incast
topology: {kind: star, hosts: 33, linkRate: 40Gbps, linkDelay: 1us}
congestion: ${congestion}
pfc: {classes: ${isPfc ? '[3]' : '[]'}}
qp: {ackTimeout: 1ms, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
workload: [{kind: incast, senders: 32, receiver: 32, sizeEach: 500KB}]
${stop}
`),
    )

  test('overrun the buffer under DCQCN alone; PFC keeps every packet', () => {
    const alone = incast('dcqcn', false)
    expect([dropsOf(alone) > 1000, alone.counters.cnps > 0]).toEqual([true, true])
    const defended = incast('dcqcn', true)
    expect([defended.counters.drops, defended.counters.pauseFrames > 0]).toEqual([{}, true])
  })

  test('are marked before they are paused; where the queue grows slowly, marks make pauses needless', () => {
    const signalsUntil = (us: number): boolean[] => {
      const { counters } = incast('dcqcn', true, `measure: {stop: ${us}us}`)
      return [counters.ecnMarks > 0, counters.pauseFrames > 0]
    }
    expect([1, 10, 60].map(signalsUntil)).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ])
    const slowly = run(
      parseScenario(`
name: slowly
topology: {kind: star, hosts: 3, linkRate: 40Gbps, linkDelay: 1us}
congestion: dcqcn
switch: {buffer: {kind: shared-buffer, size: 9MB}}
workload: [{kind: trace, flows: ["0 2 8MB 0us", "1 2 8MB 0us"]}]
`),
    )
    expect([slowly.counters.ecnMarks > 0, slowly.counters.pauseFrames]).toEqual([true, 0])
  })
})

test('with DCQCN the pause frames of an incast go from none to hundreds by the thresholds and the size of the switch', () => {
  const pausesWith = (buffer: string, ecn: string): number => {
    const { counters } = run(
      parseScenario(`
name: thresholds
topology: {kind: star, hosts: 9, linkRate: 40Gbps, linkDelay: 1us}
congestion: dcqcn
switch: {buffer: {kind: shared-buffer, ${buffer}}, ecn: {${ecn}}}
workload: [{kind: incast, senders: 8, receiver: 8, sizeEach: 2MB}]
`),
    )
    expect(counters.drops).toEqual({})
    return counters.pauseFrames
  }
  const [low, high] = ['kmin: 5KB, kmax: 200KB, pmax: 0.01', 'kmin: 400KB, kmax: 1600KB, pmax: 0.2']
  // Settings that keep one switch free of pauses fail with another alpha, ECN threshold or buffer size.
  expect(pausesWith('size: 9MB, alpha: 1/16', low!)).toBe(0)
  expect(pausesWith('size: 9MB, alpha: 1/64', low!)).toBeGreaterThan(20)
  expect(pausesWith('size: 9MB, alpha: 1/16', high!)).toBeGreaterThan(50)
  expect(pausesWith('size: 2MB, alpha: 1/16', low!)).toBeGreaterThan(20)
  expect(pausesWith('size: 2MB, alpha: 1/64', high!)).toBeGreaterThan(400)
})

test('where nothing is lost, messages of 512 bytes take longer the higher the load', () => {
  /** The 99th percentile, microseconds. */
  const tailUs = (seed: number, load: number): number => {
    const { flows, counters } = run(
      parseScenario(`
name: latency
seed: ${seed}
topology: {kind: leaf-spine, leaves: 2, spines: 2, hostsPerLeaf: 4, hostRate: 40Gbps, fabricRate: 40Gbps}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
workload:
  - {kind: poisson, load: 0.02, sizes: {kind: fixed, size: 512B}, tag: probe}
  - {kind: poisson, load: ${load}, sizes: {kind: fixed, size: 100KB}, tag: load}
measure: {generate: 500us, end: drain}
`),
    )
    expect(counters.drops).toEqual({})
    const [starts, ends] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'receivedPs')]
    const probes = textsOf(flows, 'tag').flatMap((tag, row) =>
      tag === 'probe' ? [(ends[row]! - starts[row]!) / 1e6] : [],
    )
    expect(probes.length).toBeGreaterThan(500)
    return quantileOfSorted(Float64Array.from(probes).sort(), 0.99)
  }
  for (const seed of SEEDS) {
    const tails = [0.0001, 0.3, 0.6, 0.9].map((load) => tailUs(seed, load))
    expect(tails, `seed ${seed}`).toEqual(tails.toSorted((a, b) => a - b))
    expect(tails[3]! / tails[0]!, `seed ${seed}`).toBeGreaterThan(20)
  }
})
