import { describe, expect, test } from 'vitest'
import { defaultsOf, US } from '../../base/params.ts'
import { createRandomStreams } from '../../base/random.ts'
import { adaptive } from './adaptive.ts'
import { BalanceBench, tuple } from './balance.test-bench.ts'
import { flowlet } from './flowlet.ts'
import { NaiveChoice, type NaiveOptions, type Slip } from './naive-choice.test-twin.ts'

const DEFAULTS = defaultsOf(adaptive.params)

/** A switch, node 1, with four equal-cost ports, and its path choice. */
function fourPaths(values: Partial<typeof DEFAULTS> = {}) {
  const bench = new BalanceBench()
  const balance = bench.route(adaptive.create({ ...DEFAULTS, ...values }, bench.context))
  for (let flow = 0; flow < 8; flow++) balance.addFlow(flow, tuple(50_000 + flow))
  const queues = (...bytes: readonly number[]): void => bytes.forEach((each, i) => bench.queue(1, i + 1, each))
  /** Port of the next packet, from 1. */
  const port = (flow = 0, trafficClass = 3): number => balance.choose(1, bench.packet(flow, { trafficClass }), 4, 0) + 1
  const ports = (count: number, flow = 0): Set<number> => new Set(Array.from({ length: count }, () => port(flow)))
  return { bench, queues, port, ports }
}

describe('each packet', () => {
  test('takes the port with the fewest bytes queued', () => {
    const { queues, port } = fourPaths()
    queues(5000, 3000, 9000, 4000)
    expect(port()).toBe(2)
    queues(5000, 6000, 9000, 4000)
    expect(port()).toBe(4)
  })

  test("compares the queues of the packet's own class", () => {
    const { bench, queues, port } = fourPaths()
    queues(100, 200, 300, 400)
    for (let at = 1; at <= 4; at++) bench.queue(1, at, 1000 - at * 100, 5)
    expect([port(0, 3), port(0, 5)]).toEqual([1, 4])
  })

  test('breaks ties evenly within four standard deviations, and takes no other port', () => {
    const { queues, port } = fourPaths()
    queues(700, 0, 0, 0)
    const counts = [0, 0, 0, 0]
    for (let i = 0; i < 9000; i++) counts[port() - 1]!++
    expect(counts[0]).toBe(0)
    for (const count of counts.slice(1)) expect(Math.abs(count - 3000)).toBeLessThan(4 * Math.sqrt((9000 * 2) / 9))
  })

  test('treats queues within a step as equal', () => {
    const { queues, ports } = fourPaths({ step: 4000 })
    queues(3999, 4000, 0, 8000)
    expect(ports(100)).toEqual(new Set([1, 3]))
  })

  test('uses the queue as read last until the next interval begins', () => {
    const { bench, queues, port } = fourPaths({ refresh: 10 * US })
    queues(5000, 0, 5000, 5000)
    bench.clock.nowPs = 3 * US
    expect(port()).toBe(2)
    queues(5000, 90_000, 0, 5000)
    bench.clock.nowPs = 10 * US - 1
    expect(port()).toBe(2)
    bench.clock.nowPs = 10 * US
    expect(port()).toBe(3)
  })
})

describe('a port whose link is down', () => {
  test('is passed over, though its queue is empty', () => {
    const { bench, queues, port, ports } = fourPaths()
    queues(5000, 0, 6000, 7000)
    bench.cut(1, 2)
    expect(ports(50)).toEqual(new Set([1]))
    bench.restore(1, 2)
    expect(port()).toBe(2)
  })

  test('is taken where all links are down', () => {
    const { bench, ports } = fourPaths()
    for (let at = 1; at <= 4; at++) bench.cut(1, at)
    expect(ports(100)).toEqual(new Set([1, 2, 3, 4]))
  })
})

describe('choosing less often', () => {
  test('a flow keeps the port of its first packet', () => {
    const { bench, queues, port } = fourPaths({ per: 'flow' })
    queues(1, 0, 1, 1)
    expect(port()).toBe(2)
    queues(0, 90_000, 0, 0)
    bench.clock.nowPs = 1e15
    expect(port()).toBe(2)
    queues(1, 1, 1, 0)
    expect(port(1)).toBe(4)
  })

  test('a flowlet keeps its port until a gap', () => {
    const { bench, queues, port } = fourPaths({ per: 'flowlet', gap: 5 * US })
    queues(1, 0, 1, 1)
    expect(port()).toBe(2)
    queues(1, 1, 0, 1)
    bench.clock.nowPs = 5 * US
    expect(port()).toBe(2)
    bench.clock.nowPs = 10 * US + 1
    expect(port()).toBe(3)
  })
})

/** Random packets, queues, outages and gaps for a path choice and its twin; counts the packets on which they differ. */
function differences(options: NaiveOptions, slip: Slip, seed: number): number {
  // Two of everything, so that each has random streams of its own.
  const [mine, twins] = [new BalanceBench({ seed }), new BalanceBench({ seed })]
  const { per, pick, gap, entries, step, refresh } = options
  const definition = options.stream === 'flowlet' ? flowlet : adaptive
  const lists = [1, 2, 3, 4, 7, 9, 2, 3, 5]
  const balance = mine.route(definition.create({ per, pick, gap, entries, step, refresh }, mine.context), lists)
  const twin = new NaiveChoice(options, twins, slip)
  const dice = createRandomStreams(seed).stream('steps')
  for (let flow = 0; flow < 12; flow++) balance.addFlow(flow, tuple(50_000 + flow))
  let different = 0
  for (let i = 0; i < 3000; i++) {
    const node = 1 + dice.below(2)
    const port = 1 + dice.below(9)
    const event = dice.below(10)
    const [bytes, trafficClass] = [dice.below(6) * 1000, dice.below(3)]
    for (const bench of [mine, twins]) {
      if (event < 4) bench.queue(node, port, bytes, trafficClass)
      else if (event === 4) bench.cut(node, port)
      else if (event === 5) bench.restore(node, port)
    }
    // Multiples of a microsecond, so that gaps and intervals are met exactly too.
    mine.clock.nowPs += dice.below(4) * US
    twins.clock.nowPs = mine.clock.nowPs
    const [first, count] = dice.below(2) === 0 ? [0, 6] : [6, 3]
    const flow = dice.below(12)
    const chosen = lists[first + balance.choose(node, mine.packet(flow, { trafficClass }), count, first)]
    if (chosen !== twin.choose(node, flow, tuple(50_000 + flow), trafficClass, lists.slice(first, first + count)))
      different++
  }
  return different
}

const EXACT: NaiveOptions = {
  per: 'packet',
  pick: 'least-queue',
  gap: 6 * US,
  entries: 65_536,
  step: 0,
  refresh: 0,
  stream: 'adaptive',
}
const FLOWLETS: NaiveOptions = { ...EXACT, per: 'flowlet', stream: 'flowlet' }

test.each([
  ['adaptive', EXACT],
  ['adaptive in steps', { ...EXACT, step: 2000 }],
  ['adaptive with sampled queues', { ...EXACT, refresh: 5 * US, step: 2000 }],
  ['adaptive per flow', { ...EXACT, per: 'flow' }],
  ['adaptive per flowlet, three entries', { ...EXACT, per: 'flowlet', entries: 3, refresh: 2 * US }],
  ['flowlets', FLOWLETS],
  ['flowlets at random', { ...FLOWLETS, pick: 'random' }],
  ['flowlets in five entries', { ...FLOWLETS, pick: 'random', entries: 5 }],
] as const)('%s: equals a naive twin', (_, options) => {
  for (let seed = 1; seed <= 4; seed++) expect(differences(options, 'none', seed)).toBe(0)
})

test.each([
  ['gap reached', FLOWLETS],
  ['wrong class', EXACT],
  ['dead port', EXACT],
  ['first of ties', EXACT],
  ['no step', { ...EXACT, step: 2000 }],
  ['fresh view', { ...EXACT, refresh: 5 * US }],
  ['own entry', { ...EXACT, per: 'flow', entries: 3 }],
] as const)('the comparison finds a twin with the slip "%s"', (slip, options) => {
  expect(differences(options, slip, 1)).toBeGreaterThan(10)
})
