/**
 * Collectives on an idle switch: their times against formulas, which know of no simulator. Notation: n hosts, S bytes, T1(s)
 * the time of a message of s bytes alone, tau(s) its time on one link, h the host's step time.
 */
import { describe, expect, test } from 'vitest'
import { numbersOf, type Result, tableOfKind, textsOf } from '../core/results/index.ts'
import { ackRoom, alone, type Case, MIB, runCollective as collective, sentOf, tau, times } from './idle.test-bench.ts'

type Formula = (n: number, s: number, h: number, ack: (bytes: number) => number) => number

/** Collectives whose positions do the same at the same time. */
const FORMULAS: Readonly<Record<string, Formula>> = {
  'all-reduce/ring': (n, s, h, ack) => 2 * (n - 1) * (alone(s / n) + ack(s / n) + h),
  'reduce-scatter/ring': (n, s, h, ack) => (n - 1) * (alone(s / n) + ack(s / n) + h),
  'all-gather/ring': (n, s, h, ack) => (n - 1) * (alone(s / n) + ack(s / n) + h),
  'all-reduce/halving-doubling': (n, s, h, ack) => {
    const steps = Array.from({ length: Math.log2(n) }, (_, j) => s / 2 ** (j + 1))
    return 2 * steps.reduce((sum, part) => sum + alone(part) + ack(part) + h, 0)
  },
  'all-reduce/recursive-doubling': (n, s, h, ack) => Math.log2(n) * (alone(s) + ack(s) + h),
  'all-to-all/full': (n, s, h, ack) => (n - 1) * (tau(s / n) + ack(s / n)) + alone(s / n) - tau(s / n) + h,
  'reduce/binomial': (n, s, h) => Math.log2(n) * (alone(s) + h),
  'gather/direct': (n, s, h) => (n - 1) * tau(s / n) + alone(s / n) - tau(s / n) + h,
  'scatter/direct': (n, s, h) => (n - 1) * tau(s / n) + alone(s / n) - tau(s / n) + h,
}

describe('on an idle switch a collective takes what its formula says', () => {
  const cases = Object.keys(FORMULAS).flatMap((name) =>
    [4, 8, 16].flatMap((n) =>
      [MIB, 16 * MIB].flatMap((sizeBytes) => [0, 10e6].map((h) => ({ name, n, sizeBytes, h }))),
    ),
  )
  test.each(cases)('$name, $n hosts, $sizeBytes bytes, $h ps a step', ({ name, n, sizeBytes, h }) => {
    const [takenPs] = times(collective(name, { n, sizeBytes, h }))
    const expectedPs = FORMULAS[name]!(n, sizeBytes, h, () => 0)
    expect(Math.abs(takenPs! / expectedPs - 1)).toBeLessThan(1e-4)
  })

  test.each(['all-reduce/ring', 'all-reduce/halving-doubling', 'all-to-all/full'])(
    '%s: ACKs of the opposite direction take their room',
    (name) => {
      const sizeBytes = 16 * MIB
      const [takenPs] = times(collective(name, { sizeBytes, acks: 1 }))
      const expectedPs = FORMULAS[name]!(8, sizeBytes, 0, (bytes) => ackRoom(bytes, 1))
      expect(Math.abs(takenPs! / expectedPs - 1)).toBeLessThan(0.005)
    },
  )
})

describe('numbers of another packet model', () => {
  const US = 1e6
  test.each([
    ['all-reduce/ring', { sizeBytes: MIB }, 52.614],
    ['all-reduce/ring', { sizeBytes: 16 * MIB }, 614.137],
    ['all-reduce/ring', { sizeBytes: 16 * MIB, more: 'slices: 4' }, 600.06],
    ['all-reduce/ring', { sizeBytes: 16 * MIB, h: 10e6, more: 'slices: 4' }, 610.06],
    ['all-reduce/halving-doubling', { sizeBytes: 16 * MIB }, 605.463],
    ['all-to-all/shift', { sizeBytes: 16 * MIB, h: 10e6 }, 377.068],
    ['all-to-all/full', { sizeBytes: 16 * MIB, more: 'order: ascending' }, 301.152],
    // Each host posts to the same one first, and sends a message whole before the next.
    ['all-to-all/full', { sizeBytes: 16 * MIB, more: 'order: ascending', set: ['nic.packetsPerTurn=100000'] }, 557.263],
    ['broadcast/chain', { sizeBytes: 16 * MIB, h: 10e6, more: 'slices: 32' }, 484.035],
    ['broadcast/binomial', { sizeBytes: MIB, h: 10e6 }, 97.427],
    ['all-reduce/double-binary-tree', { sizeBytes: 16 * MIB, more: 'slices: 64' }, 696.3],
    ['all-reduce/double-binary-tree', { sizeBytes: 16 * MIB, more: 'slices: 16' }, 720.886],
  ] satisfies [string, Case, number][])('%s %o: %f us', (name, how, expectedUs) => {
    expect(Math.abs(times(collective(name, how))[0]! / (expectedUs * US) - 1)).toBeLessThan(0.002)
  })
})

describe('bytes', () => {
  const partOf = (sizeBytes: number, n: number, part: number): number => {
    const elements = sizeBytes / 4
    return 4 * (Math.floor(elements / n) + (part % n < elements % n ? 1 : 0))
  }

  test.each([3, 5, 6, 8])('a ring of %i: all but two parts twice, where parts are not equal', (n) => {
    const sizeBytes = 40_004
    const result = collective('all-reduce/ring', { n, sizeBytes })
    const expected = Array.from(
      { length: n },
      (_, r) => 2 * sizeBytes - partOf(sizeBytes, n, r) - partOf(sizeBytes, n, r + 1),
    )
    expect(sentOf(result, n)).toEqual(expected)
  })

  test.each([5, 6, 7, 11])(
    'halving-doubling of %i: those beyond the power of two send and get the whole buffer',
    (n) => {
      const sizeBytes = 64_000
      const core = 2 ** Math.floor(Math.log2(n))
      const expected = Array.from({ length: n }, (_, r) => {
        if (r >= core) return sizeBytes
        return 2 * (sizeBytes - partOf(sizeBytes, core, r)) + (r < n - core ? sizeBytes : 0)
      })
      expect(sentOf(collective('all-reduce/halving-doubling', { n, sizeBytes }), n)).toEqual(expected)
    },
  )

  test('channels and slices share the buffer without a rest', () => {
    const one = sentOf(collective('all-reduce/ring', { sizeBytes: 100_000 }), 8)
    const many = sentOf(collective('all-reduce/ring', { sizeBytes: 100_000, more: 'channels: 3, slices: 5' }), 8)
    const sum = (of: readonly number[]): number => of.reduce((total, bytes) => total + bytes, 0)
    expect(sum(many)).toBe(sum(one))
  })

  test('a buffer smaller than the group leaves positions without a part, and ends', () => {
    const result = collective('all-reduce/ring', { n: 8, sizeBytes: 12 })
    expect(sentOf(result, 8).reduce((total, bytes) => total + bytes, 0)).toBe(2 * 7 * 12)
    expect(times(result)).toHaveLength(1)
  })

  test.each([3, 4, 7, 12])('a double tree of %i: every host gets both halves', (n) => {
    const { flows } = collective('all-reduce/double-binary-tree', { n, sizeBytes: 4000 })
    const [destination, size] = [numbersOf(flows, 'destination'), numbersOf(flows, 'sizeBytes')]
    const received = Array.from({ length: n }, () => 0)
    for (let row = 0; row < flows.rowCount; row++) received[destination[row]!]! += size[row]!
    expect(received.every((bytes) => bytes >= 4000)).toBe(true)
    expect(received.reduce((sum, bytes) => sum + bytes, 0)).toBe(2 * 2 * (n - 1) * 2000)
  })
})

test('iterations follow each other as in a stream', () => {
  const taken = times(collective('all-reduce/ring', { sizeBytes: MIB, more: 'iterations: 3' }))
  expect(new Set(taken).size).toBe(1)
  expect(taken).toHaveLength(3)
})

test('a group of one host has nothing to do', () => {
  const result = collective('all-reduce/ring', { sizeBytes: MIB, more: 'group: ["3"]' })
  expect([times(result), result.flows.rowCount]).toEqual([[0], 0])
})

test('ranks in the opposite order take the same time', () => {
  const [up, down] = ['"0-7"', '"7-0"'].map((group) =>
    times(collective('all-reduce/ring', { sizeBytes: MIB, more: `group: [${group}]` })),
  )
  expect(down).toEqual(up)
})

test('one slow link holds every step of a ring', () => {
  const slow = 'topology.rates=["0: 200Gbps"]'
  const [fastPs, slowPs] = [[], [slow]].map(
    (set) => times(collective('all-reduce/ring', { sizeBytes: 16 * MIB, set }))[0]!,
  )
  const part = 2 * MIB
  expect(slowPs! / (fastPs! + 14 * tau(part))).toBeCloseTo(1, 1)
})

describe('the critical path', () => {
  test.each(['all-reduce/ring', 'all-to-all/shift', 'all-reduce/double-binary-tree', 'broadcast/binomial'])(
    '%s: its pieces follow each other from the begin to the last end, on an oversubscribed fabric too',
    (name) => {
      const set = [
        'topology={kind: leaf-spine, leaves: 2, spines: 1, hostsPerLeaf: 4, hostRate: 100Gbps, fabricRate: 100Gbps}',
      ]
      const result = collective(name, {
        sizeBytes: MIB,
        h: 2e6,
        acks: 1,
        set,
        more: 'iterations: 3, group: ["0", "4", "1", "5", "2", "6", "3", "7"]',
      })
      const path = tableOfKind(result, 'critical-path')!
      const [from, to] = [numbersOf(path, 'fromPs'), numbersOf(path, 'toPs')]
      for (let row = 1; row < path.rowCount; row++) expect(from[row]).toBe(to[row - 1])
      expect(from[0]).toBe(0)
      expect(to[path.rowCount - 1]).toBe(Math.max(...numbersOfAll(result)))
      const [flow, ideal] = [numbersOf(path, 'flow'), numbersOf(path, 'idealPs')]
      const pieces = textsOf(path, 'piece')
      for (let row = 0; row < path.rowCount; row++) {
        if (pieces[row] !== 'message') continue
        expect(numbersOf(result.flows, 'startPs')[flow[row]!]).toBe(from[row])
        expect(to[row]! - from[row]!).toBeGreaterThanOrEqual(ideal[row]!)
      }
    },
  )

  const numbersOfAll = (result: Result): number[] => {
    const acked = [...Float64Array.from(numbersOf(result.flows, 'acknowledgedPs'))]
    return [...Float64Array.from(numbersOf(tableOfKind(result, 'collectives')!, 'donePs')), ...acked]
  }
})

test('a tuner file chooses algorithm, channels, step latency and the bytes on the wire, and bandwidths stay those of the buffer', () => {
  const tuner = 'tuner: ["allreduce,0,65536,tree,simple,2,-1,-1", "allreduce,65537,-1,ring,ll,4,-1,8"]'
  const large = collective('all-reduce/default', { sizeBytes: MIB, more: tuner })
  const same = collective('all-reduce/ring', { sizeBytes: 2 * MIB, more: 'channels: 4, stepLatency: 1us' })
  expect(times(large)).toEqual(times(same))
  const of = (result: Result): ArrayLike<number> => numbersOf(tableOfKind(result, 'collectives')!, 'sizeBytes')
  expect([of(large)[0], of(same)[0]]).toEqual([MIB, 2 * MIB])
  const small = collective('all-reduce/default', { sizeBytes: 65536, more: tuner })
  expect(times(small)).toEqual(
    times(collective('all-reduce/double-binary-tree', { sizeBytes: 65536, more: 'channels: 2, stepLatency: 11us' })),
  )
  // A step time that is given stays alone, and where no row fits the collective is as written.
  const given = collective('all-reduce/ring', {
    sizeBytes: 65536,
    h: 5e6,
    more: 'tuner: ["allreduce,0,1,tree,ll,2,-1,-1"]',
  })
  expect(times(given)).toEqual(times(collective('all-reduce/ring', { sizeBytes: 65536, h: 5e6 })))
  const busy = { sizeBytes: 65536, h: 5e6 }
  expect(times(collective('all-reduce/default', { ...busy, more: tuner }))).toEqual(
    times(collective('all-reduce/double-binary-tree', { ...busy, more: 'channels: 2' })),
  )
})

test('mistakes in a tuner file are those of its rows', () => {
  const more = 'tuner: ["# all", "allreduce,0,-1,nvls,simple,1,-1,-1", "allreduce,0,-1,ring"]'
  expect(() => collective('all-reduce/ring', { sizeBytes: MIB, more })).toThrow(/tuner\.1.*nvls[^]*tuner\.2/)
})
