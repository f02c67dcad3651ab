import { describe, expect, test } from 'vitest'
import { defaultsOf, GBPS, MS } from '../base/params.ts'
import { createRandomStreams } from '../base/random.ts'
import { incast, poisson, type Message } from './index.ts'
import { context, drain, issuesOf } from './workloads.test-bench.ts'

const poissonDefaults = { ...defaultsOf(poisson.params), sizes: { kind: 'heavy-tailed' } as const }

describe('poisson', () => {
  test('offers the load of [IRN]: 20,779 flows per second and host at 70 % of 40 Gb/s, within 4 standard errors', () => {
    const expected = ((0.7 * 40 * GBPS) / 8 / 168_439) * 54 * 0.05
    const flows = drain(poisson.create(poissonDefaults, context(18, 3, { generateUntilPs: 50 * MS })))
    expect(Math.round(expected / 54 / 0.05)).toBe(20_779)
    expect(Math.abs(flows.length - expected)).toBeLessThan(4 * Math.sqrt(expected))
  })
  test.each(['payload', 'wire'] as const)('counts its load in %s bytes', (loadBasis) => {
    const sizes = { kind: 'uniform', min: 100, max: 3000 } as const
    const flows = drain(
      poisson.create({ ...poissonDefaults, loadBasis, sizes }, context(4, 4, { generateUntilPs: 4 * MS })),
    )
    const bytesOf = ({ sizeBytes }: Message): number =>
      sizeBytes + (loadBasis === 'wire' ? 16 + 82 * Math.ceil(sizeBytes / 1024) : 0)
    const bits = flows.reduce((sum, flow) => sum + 8 * bytesOf(flow), 0)
    const squares = flows.reduce((sum, flow) => sum + (8 * bytesOf(flow)) ** 2, 0)
    // Variance of a compound Poisson sum: rate times the second moment.
    const capacity = 16 * 40 * GBPS * 0.004
    expect(Math.abs(bits - 0.7 * capacity)).toBeLessThan(4 * Math.sqrt(squares))
  })
  test.each([
    ['write', 162],
    ['send', 146],
    ['read', 146],
  ] as const)('counts what a message of 64 bytes takes on the wire as a %s: %i bytes', (operation, wireBytes) => {
    const sizes = { kind: 'fixed', size: 64 } as const
    const values = { ...poissonDefaults, loadBasis: 'wire', load: 0.4, sizes, operation } as const
    const flows = drain(poisson.create(values, context(1, 10, { generateUntilPs: 1 * MS })))
    const expected = ((0.4 * 40 * GBPS) / 8 / wireBytes) * 10 * 0.001
    expect(Math.abs(flows.length - expected)).toBeLessThan(4 * Math.sqrt(expected))
  })
  test('has exponential gaps at each host: mean and spread equal', () => {
    const sizes = { kind: 'fixed', size: 1000 } as const
    const flows = drain(poisson.create({ ...poissonDefaults, sizes, flows: 40_000 }, context(1, 2)))
    const times = flows.filter((flow) => flow.source === 0).map((flow) => flow.startPs)
    const gaps = times.map((time, index) => time - (times[index - 1] ?? 0))
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
    const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
    expect(mean / ((1000 * 8e12) / (0.7 * 40 * GBPS))).toBeCloseTo(1, 1)
    expect(deviation / mean).toBeCloseTo(1, 1)
  })
  test('scales with the rate of each host', () => {
    const hostRateBps = [10 * GBPS, 90 * GBPS]
    const flows = drain(poisson.create({ ...poissonDefaults, flows: 10_000 }, context(1, 2, { hostRateBps })))
    const share = flows.filter((flow) => flow.source === 1).length / flows.length
    expect(Math.abs(share - 0.9)).toBeLessThan(4 * Math.sqrt(0.09 / 10_000))
  })
  test('posts in order of time, in whole picoseconds, from its start until generation ends', () => {
    const flows = drain(
      poisson.create({ ...poissonDefaults, start: 3 * MS }, context(2, 4, { generateUntilPs: 5 * MS })),
    )
    expect(flows.length).toBeGreaterThan(100)
    flows.reduce((before, flow) => {
      expect(Number.isSafeInteger(flow.startPs) && flow.startPs >= before).toBe(true)
      return flow.startPs
    }, 3 * MS)
    expect(flows.at(-1)!.startPs).toBeLessThan(5 * MS)
  })
  test('posts the given number of flows and no more', () => {
    expect(drain(poisson.create({ ...poissonDefaults, flows: 77 }, context(2, 4)))).toHaveLength(77)
  })
  test('sends uniformly to the other hosts', () => {
    const flows = drain(poisson.create({ ...poissonDefaults, flows: 56_000 }, context(2, 4)))
    const counts = new Map<string, number>()
    for (const { source, destination } of flows) {
      expect(source).not.toBe(destination)
      counts.set(`${source} ${destination}`, (counts.get(`${source} ${destination}`) ?? 0) + 1)
    }
    expect(counts.size).toBe(56)
    for (const n of counts.values()) expect(Math.abs(n - 1000)).toBeLessThan(5 * Math.sqrt(1000))
  })
  test('draws destinations in the same rack or in other racks, whatever the order of hosts in racks', () => {
    const racks = [
      [5, 0],
      [3, 1, 6],
      [2, 4, 7],
    ]
    const rackOf = (host: number): number => racks.findIndex((rack) => rack.includes(host))
    for (const destinations of ['other-rack', 'same-rack'] as const) {
      const flows = drain(poisson.create({ ...poissonDefaults, destinations, flows: 2000 }, context(2, 4, { racks })))
      const pairs = new Set<string>()
      for (const { source, destination } of flows) {
        expect(source).not.toBe(destination)
        expect(rackOf(source) === rackOf(destination)).toBe(destinations === 'same-rack')
        pairs.add(`${source} ${destination}`)
      }
      expect(pairs.size).toBe(destinations === 'same-rack' ? 2 + 6 + 6 : 56 - 14)
    }
  })
  test('draws the same whatever other workloads there are, and something else for another tag, instance or seed', () => {
    const alone = drain(poisson.create({ ...poissonDefaults, flows: 200 }, context(2, 4)))
    const random = createRandomStreams(1)
    const other = poisson.create({ ...poissonDefaults, tag: 'other', flows: 200 }, context(2, 4, { random }))
    const second = poisson.create({ ...poissonDefaults, flows: 200 }, context(2, 4, { random, instance: 1 }))
    const crowd = drain(incast.create({ ...defaultsOf(incast.params), senders: 3 }, context(2, 4, { random })))
    const among = drain(poisson.create({ ...poissonDefaults, flows: 200 }, context(2, 4, { random })))
    expect(crowd).toHaveLength(3)
    expect(among).toEqual(alone)
    const times = (messages: Message[]): number[] => messages.map((message) => message.startPs)
    expect(times(drain(other))).not.toEqual(times(alone))
    expect(times(drain(second))).not.toEqual(times(alone))
    expect(
      times(
        drain(poisson.create({ ...poissonDefaults, flows: 200 }, context(2, 4, { random: createRandomStreams(2) }))),
      ),
    ).not.toEqual(times(alone))
  })
  test('has known first flows', () => {
    const flows = drain(poisson.create({ ...poissonDefaults, flows: 3 }, context(18, 3)))
    expect(flows.map((f) => `${f.source} ${f.destination} ${f.sizeBytes} ${f.startPs}`)).toMatchInlineSnapshot(`
      [
        "3 27 230 155632",
        "6 10 168726 557299",
        "14 12 111 2790630",
      ]
    `)
  })
  test('labels its messages', () => {
    const values = {
      ...poissonDefaults,
      operation: 'read',
      trafficClass: 5,
      destinationPort: 100,
      tag: 'bg',
      flows: 1,
    } as const
    const [flow] = drain(poisson.create(values, context(1, 2)))
    expect(flow).toMatchObject({ operation: 'read', trafficClass: 5, destinationPort: 100, tag: 'bg', connection: -1 })
  })
  test('says what it cannot do', () => {
    expect(issuesOf(() => poisson.create(poissonDefaults, context(1, 1)))).toEqual([
      'destinations: a topology with two hosts or more, 1',
    ])
    expect(issuesOf(() => poisson.create({ ...poissonDefaults, destinations: 'other-rack' }, context(1, 4)))).toEqual([
      'destinations: two racks or more for other-rack, 1',
    ])
    expect(issuesOf(() => poisson.create({ ...poissonDefaults, destinations: 'same-rack' }, context(4, 1)))).toEqual([
      'destinations: two hosts or more in every rack for same-rack, a rack of 1',
    ])
  })
})
