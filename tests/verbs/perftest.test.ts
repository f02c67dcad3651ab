/** Perftest: every operation, in both modes, through a simulated network. */
import { describe, expect, test } from 'vitest'
import { Perftest, PERFTEST_OPERATIONS, type PerftestPlan, type PerftestResult } from '../../src/lab/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'

const OPERATIONS = PERFTEST_OPERATIONS
const BOTH = (['roce', 'irn'] as const).flatMap((mode) => OPERATIONS.map((operation) => [mode, operation] as const))

/** Four hosts, 100 Gb/s, 1 us of cable each. */
function outcome(plan: Partial<PerftestPlan>, sets: readonly string[] = []): PerftestResult {
  const text =
    'name: p\ntopology: {kind: star, hosts: 4, linkRate: 100Gbps, linkDelay: 1us}\nworkload: [{kind: incast, senders: 1}]'
  const whole: PerftestPlan = {
    mode: 'roce',
    operation: 'write',
    sizeBytes: 64_000,
    requests: 50,
    depth: 1,
    receives: 2,
    pairs: [],
    mtuBytes: 512,
    hasBackground: false,
    ...plan,
  }
  const perftest = new Perftest(parseScenario(text, { sets: [...sets] }), whole, true)
  expect(perftest.fraction).toBe(0)
  while (perftest.advance());
  expect(perftest.fraction).toBe(1)
  const result = perftest.result()
  perftest.close()
  return result
}

const LOSS = ['pfc.classes=[]', 'qp.ackTimeout=320us', 'faults=[{kind: bernoulli, probability: 0.005}]']

describe.each(BOTH)('%s, %s', (mode, operation) => {
  test('alone, each request takes the same time: to the switch, to the host, and back', () => {
    const { endings, latenciesPs, retransmissions, timeouts, rnrNaks, drops } = outcome({ mode, operation })
    expect({ endings, retransmissions, timeouts, rnrNaks, drops }).toEqual({
      endings: { finished: 50 },
      retransmissions: 0,
      timeouts: 0,
      rnrNaks: 0,
      drops: {},
    })
    // Four links of 1 us; at least 64 KB on the wire, or eight bytes for atomics.
    const wirePs = operation === 'compare-and-swap' || operation === 'fetch-and-add' ? 0 : (64_000 * 8e12) / 100e9
    const [first] = latenciesPs
    expect(first).toBeGreaterThan(4e6 + wirePs)
    expect(first).toBeLessThan(4e6 + 1.25 * wirePs + 0.3e6)
    // Less than the time of a packet apart.
    for (const each of latenciesPs) expect(Math.abs(each - first!)).toBeLessThan(0.05e6)
  })

  test('over lossy links every request completes, some later', () => {
    const plan = { mode, operation, requests: 150, depth: 8, receives: 16 }
    const lossy = outcome(plan, LOSS)
    expect(lossy.endings).toEqual({ finished: 150 })
    expect(lossy.drops['link loss']).toBeGreaterThan(0)
    expect(lossy.retransmissions + lossy.timeouts).toBeGreaterThan(0)
    expect(lossy.elapsedPs).toBeGreaterThan(outcome(plan).elapsedPs)
    expect(outcome(plan, LOSS).digest).toBe(lossy.digest)
  })
})

test('IRN sends lost packets again, go-back-N all outstanding ones', () => {
  const plan = { requests: 300, depth: 16 }
  const [roce, irn] = (['roce', 'irn'] as const).map((mode) => outcome({ ...plan, mode }, LOSS))
  expect(irn!.retransmissions).toBeLessThanOrEqual(irn!.drops['link loss']! + irn!.timeouts)
  expect(roce!.retransmissions).toBeGreaterThan(10 * roce!.drops['link loss']!)
  expect([roce!.nicState, irn!.nicState?.variableBits]).toEqual([null, 160])
})

test('IRN has as many packets in flight as fill the link, or as its recovery allows', () => {
  const goodput = (sets: readonly string[]): number => {
    const { payloadBytes, elapsedPs } = outcome({ mode: 'irn', requests: 400, depth: 32 }, sets)
    return (payloadBytes * 8) / (elapsedPs / 1e12) / 100e9
  }
  // 512 of 618 bytes are payload.
  expect(goodput([])).toBeGreaterThan(0.8)
  expect(goodput(['topology.linkDelay=20us'])).toBeGreaterThan(0.75)
  expect(goodput(['recovery={kind: irn, cap: 20}'])).toBeLessThan(0.25)
})

test('requests without a Receive WQE are refused and sent again', () => {
  const plan = { operation: 'send', depth: 4, receives: 0, requests: 8 } as const
  const { endings, rnrNaks } = outcome(plan)
  expect(endings).toEqual({ 'livelock: sending without progress': 4 })
  expect(rnrNaks).toBeGreaterThan(10)
})

test('a test that stands still has little goodput: its time is that of the run, not of its last success', () => {
  const plan = {
    sizeBytes: 65_536,
    mtuBytes: 1024,
    depth: 128,
    requests: 200,
    pairs: [[0, 3] as const, [1, 3] as const],
  }
  const stuck = outcome(plan, [
    'topology.linkRate=25Gbps',
    'topology.linkDelay=500ns',
    'pfc.classes=[]',
    'switch.buffer.alpha=1/64',
    'qp.ackTimeout=67ms',
  ])
  expect(stuck.endings['livelock: sending without progress']).toBeGreaterThan(200)
  expect(stuck.latenciesPs.length).toBeGreaterThan(0)
  // The run is given up after some seconds of timeouts.
  expect(stuck.elapsedPs).toBeGreaterThan(0.5e12)
  expect((stuck.payloadBytes * 8e12) / stuck.elapsedPs).toBeLessThan(25e9 / 1000)
  const refused = outcome({ operation: 'send', receives: 0, requests: 8 })
  expect(refused.payloadBytes).toBe(0)
  expect(refused.elapsedPs).toBeGreaterThan(0)
})

test('without pairs the first host of several ports posts to the last one', () => {
  const sets = ['topology={kind: rails, rails: 2, groups: 1, hostsPerGroup: 3, spines: 0}']
  expect(outcome({}, sets).pairs).toEqual([[0, 2]])
})

test('several queue pairs share a receiver, which pauses them and loses nothing', () => {
  const pairs = [
    [0, 3],
    [1, 3],
    [2, 3],
  ] as const
  const { endings, drops, pauseFrames, elapsedPs } = outcome({ pairs, depth: 16 }, [
    'switch.buffer={kind: shared-buffer, size: 1MB}',
  ])
  expect([endings, drops]).toEqual([{ finished: 150 }, {}])
  expect(pauseFrames).toBeGreaterThan(0)
  expect(elapsedPs).toBeGreaterThan((150 * 64_000 * 8e12) / 100e9)
})

test.each(['roce', 'irn'] as const)('%s: without losses there are no timeouts, however late packets are', (mode) => {
  const pairs = [0, 1, 2].flatMap((host) => Array.from({ length: 8 }, () => [host, 3] as const))
  const plan = { mode, depth: 4, requests: 240, pairs }
  const { timeouts, retransmissions, drops } = outcome(plan, ['switch.buffer.size=64MB'])
  expect({ timeouts, retransmissions, drops }).toEqual({ timeouts: 0, retransmissions: 0, drops: {} })
  // One microsecond below IRN's low timeout: both timeouts are this long.
  expect(outcome({ mode, requests: 5 }, ['qp.ackTimeout=50us']).endings).toEqual({ finished: 5 })
})

test('a queue pair whose peer is unreachable gives up, and the others are reported', () => {
  const { endings, posted, asked, timeouts } = outcome({ depth: 4 }, [
    'faults=[{kind: link-down, links: 3-4, down: 50us}]',
    'qp.ackTimeout=320us',
  ])
  expect(endings['retry limit reached']).toBe(4)
  expect(posted).toBe(endings['finished']! + 4)
  expect(asked).toBe(50)
  expect(timeouts).toBe(8)
})

test('a probe of 512 bytes measures the round trip to a server of its ToR, its podset and its data center, or reports an error', () => {
  const clos = 'topology={kind: clos-podset, leaves: 2, tors: 2, serversPerTor: 2, spines: 4}'
  const probe = (target: number, sets: readonly string[] = []): PerftestResult =>
    outcome({ operation: 'write', sizeBytes: 512, requests: 20, pairs: [[0, target]] }, [clos, ...sets])
  // Servers 0 and 1 share a ToR, 2 and 3 are of the same podset, 4 to 7 of the other.
  const roundTripsPs = [1, 2, 4].map((target) => {
    const { endings, latenciesPs } = probe(target)
    expect(endings).toEqual({ finished: 20 })
    return latenciesPs[0]!
  })
  // Links twice: 10 ns to a ToR, 100 ns to a leaf, 1.5 us to a spine. Frames of 590 and 66 bytes, with their gaps.
  const due = [
    [20, 2],
    [220, 4],
    [3220, 6],
  ].map(([linksNs, hops]) => 2 * linksNs! * 1000 + hops! * (610 + 86) * 200)
  expect(roundTripsPs).toEqual(due)
  const dead = probe(4, ['faults=[{kind: link-down, links: "host 4", down: 0us}]', 'qp.ackTimeout=100us'])
  expect(dead.endings['retry limit reached']).toBe(1)
  expect(dead.endings['finished']).toBeUndefined()
})

test('a queue pair without a retry limit is stopped, as its link is down', () => {
  const sets = ['faults=[{kind: link-down, links: 3-4, down: 50us}]', 'qp.retryLimit=off']
  expect(outcome({ depth: 4 }, [...sets, 'qp.ackTimeout=320us']).endings).toMatchObject({
    'link down': 4,
  })
})

describe('beside the workload of the scenario', () => {
  /** Two senders keep the receiver's link full from 100 us on; the requests go to it from a third host. */
  const LOADED = ['workload=[{kind: trace, flows: [1 3 5MB 100us, 2 3 5MB 100us]}]']
  const plan = { hasBackground: true, pairs: [[0, 3]], sizeBytes: 8, requests: 300 } as const

  test('requests wait like all packets, and the workload completes too', () => {
    const alone = outcome({ ...plan, hasBackground: false }, LOADED)
    const loaded = outcome(plan, LOADED)
    expect(alone.background).toBeNull()
    expect(loaded.endings).toEqual({ finished: 300 })
    expect(Math.max(...loaded.latenciesPs)).toBeGreaterThan(2 * Math.max(...alone.latenciesPs))
    // Before the workload begins nothing delays them.
    expect(Math.min(...loaded.latenciesPs)).toBe(Math.min(...alone.latenciesPs))
    expect(loaded.background).toMatchObject({ posted: 2, finished: 2 })
    expect(outcome(plan, LOADED).digest).toBe(loaded.digest)
    // 10 MB over 100 Gb/s, and the requests go on.
    expect(loaded.background!.drainedPs).toBeGreaterThan(100e6 + 800e6)
    expect(loaded.background!.drainedPs).toBeLessThan(loaded.startPs + loaded.elapsedPs)
  })

  test('they begin at the end of its warm-up', () => {
    const { startPs, elapsedPs, latenciesPs, endings } = outcome({ ...plan, requests: 20 }, [
      ...LOADED,
      'measure.warmUp=300us',
    ])
    expect([startPs, endings]).toEqual([300e6, { finished: 20 }])
    expect(elapsedPs).toBeGreaterThanOrEqual(latenciesPs.reduce((sum, each) => sum + each, 0) * 0.999)
    expect(Math.min(...latenciesPs)).toBeGreaterThan(4e6)
  })

  test('PFC holds packets to an idle host behind those to a busy one', () => {
    const longest = (size: string): readonly [pauseFrames: number, latencyPs: number] => {
      const sets = [...LOADED, `switch.buffer={kind: shared-buffer, size: ${size}}`, 'measure.warmUp=400us']
      const { pauseFrames, latenciesPs } = outcome({ ...plan, pairs: [[1, 0]], requests: 50 }, sets)
      return [pauseFrames, Math.max(...latenciesPs)]
    }
    const [small, large] = [longest('1MB'), longest('64MB')]
    expect(small[0]).toBeGreaterThan(0)
    expect(large[0]).toBe(0)
    expect(small[1]).toBeGreaterThan(large[1] + 0.5e6)
  })

  test.each([
    ['qcn', []],
    ['hpcc', ['qp.readAcks=true']],
    ['dcqcn', []],
    ['ldcp', ['qp.readAcks=true', 'qp.ecnEcho=ack', 'switch.wred.classes=[3]', 'pfc.classes=[]']],
    ['mp-rdma', ['recovery=mp-rdma', 'qp.ecnEcho=ack', 'qp.ackTimeout=1ms']],
  ] as const)('%s steers the workload, and no host takes messages of another', (congestion, sets) => {
    // MP-RDMA accepts packets in any order, and has no READs.
    const own =
      congestion === 'mp-rdma' ? ({ mode: 'irn', operation: 'write' } as const) : ({ operation: 'read' } as const)
    const result = outcome({ ...plan, ...own, sizeBytes: 20_000, requests: 60 }, [
      ...LOADED,
      `congestion=${congestion}`,
      ...sets,
    ])
    expect(result.endings).toEqual({ finished: 60 })
    expect(result.background).toMatchObject({ posted: 2 })
  })
})

describe('a congestion control', () => {
  const pairs = [
    [0, 3],
    [1, 3],
    [2, 3],
  ] as const
  const plan = { pairs, depth: 8, requests: 150 } as const
  const small = ['switch.buffer={kind: shared-buffer, size: 1MB}']
  const under = (mode: PerftestPlan['mode'], congestion: string) =>
    outcome({ ...plan, mode }, [...small, `congestion=${congestion}`])

  test.each(['roce', 'irn'] as const)('applies to the queue pairs: %s', (mode) => {
    const [none, dcqcn, qcn, hpcc] = ['none', 'dcqcn', 'qcn', 'hpcc'].map((name) => under(mode, name))
    for (const each of [none, dcqcn, qcn, hpcc]) expect(each!.endings).toEqual({ finished: 450 })
    expect([none, dcqcn, qcn, hpcc].map((each) => each!.congestion)).toEqual(['none', 'dcqcn', 'qcn', 'hpcc'])
    expect(dcqcn!.cnps).toBeGreaterThan(5)
    expect([none!.cnps, qcn!.cnps]).toEqual([0, 0])
    // It reads what switches write into data packets, which ACKs return.
    expect(hpcc!.digest).not.toBe(none!.digest)
    if (mode === 'irn') return
    expect(hpcc!.pauseFrames).toBe(0)
    expect(none!.pauseFrames).toBeGreaterThan(20)
    expect(dcqcn!.pauseFrames).toBeLessThan(none!.pauseFrames / 2)
    expect(qcn!.pauseFrames).toBeLessThan(none!.pauseFrames / 2)
  })

  test('applies to READ responses: two responders, one requester', () => {
    const reads = {
      operation: 'read',
      pairs: [
        [3, 0],
        [3, 1],
      ],
      depth: 8,
      requests: 150,
    } as const
    const [none, dcqcn] = ['none', 'dcqcn'].map((name) => outcome(reads, [...small, `congestion=${name}`]))
    expect([none!.endings, dcqcn!.endings]).toEqual([{ finished: 300 }, { finished: 300 }])
    expect(dcqcn!.cnps).toBeGreaterThan(5)
    expect(dcqcn!.pauseFrames).toBeLessThan(none!.pauseFrames / 2)
  })
})

test('nonexistent pairs are refused at once', () => {
  const pairs = [
    [0, 4],
    [1, 2],
    [2, 2],
  ] as const
  expect(() => outcome({ pairs })).toThrow(
    'pairs: expected two different hosts 0 to 3, received "0 4"\npairs: expected two different hosts 0 to 3, received "2 2"',
  )
  expect(() => outcome({ mtuBytes: 70_000 })).toThrow(/^frames.payload: expected a size from /)
})
