/**
 * Conformance of ECN marking: which packet of a queue is marked, how often, and only those that can be.
 * Source of the cases and their pass criteria: sonic-mgmt, tests/snappi_tests/ecn. Link rates scaled down.
 */
import { describe, expect, test } from 'vitest'
import { KB, MS } from '../../src/core/base/params.ts'
import { ECT_0, NOT_ECT } from '../../src/core/transport/segment.ts'
import { INTS } from '../../src/core/base/memory.ts'
import { Marker } from '../../src/core/fabric/link/ecn.ts'
import { ECN } from '../../src/core/fabric/packets.ts'
import { Switch } from '../../src/core/fabric/switch/switch.ts'
import { type Stream, Tester } from './bench-watchdog.ts'
import { failsWith, type Fault, passes, wrong } from '../support/planted.ts'

/** ECT(1), which the segments of the simulated transports do not use. */
const ECT_1 = 1
const KILOBYTE = 1000

/** A switch that pauses nobody before its buffer is nearly full, and marks by these thresholds when packets leave. */
const marking = (kmin: number, kmax: number, pmax: number, more = ''): string => `
pfc: {classes: [3, 4]}
switch:
  ecn: {classes: [3, 4], kmin: ${kmin}B, kmax: ${kmax}B, pmax: ${pmax}, at: dequeue}
  buffer: {kind: shared-buffer, size: 64MB, alpha: 8}
${more}`

/** Frames of 1 KB that all wait behind a pause and then leave. */
function stored(text: string, frames: number, seed = 1, trafficClass = 3): Stream {
  const tester = new Tester({ text, seed })
  const bytesPs = tester.hostPort(0).transmitPs[KILOBYTE]!
  const stream = tester.stream({ from: 0, to: 1, trafficClass, load: 1, frames, startPs: 10 * MS, ecn: ECT_0 })
  const filledPs = 11 * MS + frames * bytesPs
  tester.storm({ host: 1, fromPs: 1 * MS, toPs: filledPs, classes: 1 << trafficClass })
  tester.run(2 * filledPs + 10 * MS)
  return stream
}

/** Marks by another rule. */
const byRule = (rule: (right: () => boolean, isLess: (bytes: number) => boolean) => boolean): Fault =>
  wrong(Marker.prototype, 'isMarked', (_self, right, c, bytes) =>
    rule(
      () => Boolean(right(c, bytes)),
      (fewer) => Boolean(right(c, bytes - fewer)),
    ),
  )

function e1(n: number, trafficClass: number): void {
  const { received, marks, lostFrames } = stored(marking(n * KB, n * KB, 1), 2 * n, 1, trafficClass)
  expect([received, lostFrames]).toEqual([2 * n, 0])
  expect([marks[0], marks.at(-1)]).toEqual([true, false])
  // A frame that leaves sees those behind it: N of the 2N see N KB or more.
  expect(marks.lastIndexOf(true)).toBe(n - 1)
  expect(marks.filter(Boolean)).toHaveLength(n)
}

describe('E1 dequeue marking: 2N frames of 1 KB stored behind a pause, Kmin = Kmax = N KB', () => {
  test.each([
    [10, 3],
    [100, 3],
    [500, 4],
  ])('N = %i in class %i: all arrive, the first is marked and the last is not', e1)
  failsWith(
    'E1',
    'a queue one frame longer is asked for',
    byRule((_right, isLess) => isLess(KILOBYTE)),
    () => e1(10, 3),
  )
})

function e2(): void {
  const [kmin, kmax, pmax, runs] = [500, 2000, 0.05, 200]
  const frames = kmax + 10
  const marked = new Float64Array(frames)
  for (let seed = 1; seed <= runs; seed++) {
    const { marks } = stored(marking(kmin * KB, kmax * KB, pmax), frames, seed)
    expect(marks).toHaveLength(frames)
    marks.forEach((isMarked, at) => (marked[frames - 1 - at]! += isMarked ? 1 : 0))
  }
  const probability = (depth: number): number =>
    depth < kmin ? 0 : depth >= kmax ? 1 : (pmax * (depth - kmin)) / (kmax - kmin)
  for (let depth = 0; depth < kmin; depth++) expect(marked[depth]).toBe(0)
  for (let depth = kmax; depth < frames; depth++) expect(marked[depth]).toBe(runs)
  // Bins of 50 KB hold 10,000 frames each; four and a half standard deviations in all of 30 bins.
  for (let from = kmin; from < kmax; from += 50) {
    let [sum, expected, variance] = [0, 0, 0]
    for (let depth = from; depth < from + 50; depth++) {
      const p = probability(depth)
      sum += marked[depth]!
      expected += p * runs
      variance += p * (1 - p) * runs
    }
    expect(Math.abs(sum - expected)).toBeLessThan(4.5 * Math.sqrt(variance))
  }
}
test(
  'E2 RED accuracy: Kmin 500 KB, Kmax 2000 KB, Pmax 5 %, Kmax + 10 frames, 200 runs: the share of marks at each depth is that of the formula',
  e2,
)
failsWith(
  'E2',
  'two draws in the place of one',
  byRule((right) => right() || right()),
  e2,
)

describe('E3 lossless classes with equal DWRR weights, two senders to one port', () => {
  const e3 = (_name: string, faults: string): void => {
    const more = `${faults}\nclasses: {data: 3}`
    const tester = new Tester({
      text: marking(20 * KB, 100 * KB, 0.5, more).replace('  ecn:', '  scheduler: dwrr\n  ecn:'),
    })
    const streams = [
      { from: 0, trafficClass: 3, ecn: ECT_0 },
      { from: 0, trafficClass: 4, ecn: ECT_1 },
      { from: 1, trafficClass: 3, ecn: NOT_ECT },
      { from: 1, trafficClass: 4, ecn: ECT_0 },
    ].map((text) => tester.stream({ ...text, to: 2, load: 0.4 }))
    tester.run(1000 * MS)
    const isMarked = streams.map(({ marked }) => marked > 0)
    expect(isMarked).toEqual([true, true, false, true])
    const [three, four] = [3, 4].map((c) =>
      streams
        .filter(({ text }) => text.trafficClass === c)
        .reduce((sum, s) => sum + s.receivedIn(500 * MS, 1000 * MS), 0),
    )
    expect(Math.abs(three! / four! - 1)).toBeLessThan(0.01)
  }
  const rows = [
    ['from the start', ''],
    ['after the port has been down', 'faults: [{kind: link-down, links: host 2, down: 100ms, up: 200ms}]'],
  ] as const
  passes.each(rows)(
    '%s: ECT(0) and ECT(1) frames of both classes are marked, others never, and the classes share equally',
    e3,
  )
  failsWith(
    'E3',
    'every packet is taken for ECN-capable',
    wrong(Switch.prototype, 'stamp', (_self, right, port, packet, ...rest) => {
      if (INTS[packet | ECN] === NOT_ECT) INTS[packet | ECN] = ECT_0
      right(port, packet, ...rest)
    }),
    () => e3(...rows[0]),
  )
})

function e4(): void {
  const shareMarked = (quanta: number): number => {
    const tester = new Tester({ text: marking(20 * KB, 200 * KB, 0.5) })
    const stream = tester.stream({ from: 0, to: 1, load: 0.5, ecn: ECT_0 })
    if (quanta > 0) tester.storm({ host: 1, fromPs: 20 * MS, toPs: 480 * MS, intervalPs: 20 * MS, quanta })
    tester.run(500 * MS)
    expect(stream.lostFrames).toBe(0)
    return stream.marked / stream.received
  }
  // At 50 Mb/s a pause of 400 quanta (2 ms) stores 13 KB, one of 1500 (7.7 ms) 48 KB.
  const shares = [0, 400, 1000, 1500, 1900].map(shareMarked)
  expect(shares.slice(0, 2)).toEqual([0, 0])
  expect(shares[2]).toBeGreaterThan(0)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  expect(new Set(shares.slice(1)).size).toBe(4)
}
test(
  'E4 variance of pause quanta: the longer the pauses that a port receives, the more is marked; none where its queue stays below Kmin',
  e4,
)
failsWith(
  'E4',
  'nothing is marked',
  byRule(() => false),
  e4,
)
