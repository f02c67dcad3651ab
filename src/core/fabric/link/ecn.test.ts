import { describe, expect, test } from 'vitest'
import { createRandomStreams, type RandomStream } from '../../base/random.ts'
import { ACK, CE, DATA, ECT_0, NOT_ECT } from '../../transport/segment.ts'
import { DROP_BUFFER, DROP_WRED } from '../counters.ts'
import { Marker } from './ecn.ts'
import { Bench, type Given } from '../../../../tests/support/switch-bench.ts'

const BUDGET = Math.max(1, Number(process.env['ROCELAB_BUDGET'] ?? 1))

function markerWith(random: RandomStream, fields: object = {}): Marker {
  const rule = { classes: 0b1000, kminBytes: 5000, kmaxBytes: 200_000, pmax: 0.01, atLeast: true, ...fields }
  return new Marker(rule, () => random)
}

describe('the share of marked packets', () => {
  test.each([
    [5001, 0.01],
    [50_000, 0.01],
    [102_500, 0.01],
    [199_999, 0.01],
    [102_500, 0.5],
    [150_000, 1],
  ])('at %i bytes with pmax %f lies within four standard deviations', (queueBytes, pmax) => {
    const marker = markerWith(createRandomStreams(3).stream(`ecn/${queueBytes}/${pmax}`), { pmax })
    const count = 100_000 * BUDGET
    let marked = 0
    for (let i = 0; i < count; i++) if (marker.isMarked(3, queueBytes)) marked++
    const expected = (pmax * (queueBytes - 5000)) / 195_000
    const deviation = Math.sqrt((expected * (1 - expected)) / count)
    expect(Math.abs(marked / count - expected)).toBeLessThan(4 * deviation + 1e-12)
  })
})

describe('the random stream', () => {
  /** A random stream that fails when it is used. */
  const silent: RandomStream = {
    uniform() {
      throw new Error('drawn')
    },
    uint32: () => 0,
    below: () => 0,
    exponential: () => 0,
  }
  test.each([
    [0, false],
    [4999, false],
    [5000, false],
    [200_000, true],
    [1e6, true],
  ])('is not used where the probability is 0 or 1: at %i bytes', (queueBytes, isMarked) => {
    expect(markerWith(silent).isMarked(3, queueBytes)).toBe(isMarked)
  })
  test('is used in between', () => {
    expect(() => markerWith(silent).isMarked(3, 5001)).toThrow('drawn')
  })
})

test('no queue below fromBytes is marked: Kmin, or 2^30 where no class is marked', () => {
  const random = createRandomStreams(1).stream('ecn')
  expect(markerWith(random).fromBytes).toBe(5000)
  expect(markerWith(random, { kminBytes: 2 ** 40 }).fromBytes).toBe(2 ** 30)
  expect(markerWith(random, { classes: 0 }).fromBytes).toBe(2 ** 30)
})

test('other classes are not marked', () => {
  const marker = markerWith(createRandomStreams(1).stream('ecn'))
  expect([0, 3, 4].map((trafficClass) => marker.isMarked(trafficClass, 1e6))).toEqual([false, true, false])
})

test('a marker without classes marks nothing', () => {
  const marker = markerWith(createRandomStreams(1).stream('ecn'), { classes: 0 })
  expect(marker.isMarked(3, 2 ** 31)).toBe(false)
})

test('T-RED-3: a step marks from its threshold on, and never before', () => {
  const marker = markerWith(createRandomStreams(1).stream('ecn'), { kminBytes: 60_000, kmaxBytes: 60_000 })
  expect([59_999, 60_000, 60_001].map((queueBytes) => marker.isMarked(3, queueBytes))).toEqual([false, true, true])
})

describe('at a switch', () => {
  /** A blocked port whose queue holds `queueBytes`; a packet of class 3 then arrives. */
  function arriving(queueBytes: number, given: Partial<Given>, text: string): Bench {
    const bench = new Bench(3, text)
    bench.at(1e6, () => {
      bench.pauseArrives(bench.portTo(1), 0xff, 65_535)
      let left = queueBytes
      while (left > 0) {
        // Control packets, so that none is dropped early or marked.
        const sizeBytes = left > 1100 ? 1000 : left
        bench.arriveFrom(2, { to: 1, sizeBytes, kind: ACK })
        left -= sizeBytes
      }
      expect(bench.portTo(1).queue.bytesOf(3)).toBe(queueBytes)
      bench.arriveFrom(0, { to: 1, ...given })
    })
    bench.at(2e6, () => bench.pauseArrives(bench.portTo(1), 0xff, 0))
    return bench.run(1e9)
  }
  const last = (bench: Bench) => bench.arrivals.filter(({ kind }) => kind === DATA).map(({ ecn }) => ecn)
  const wred =
    'switch: {buffer: {kind: input-queued, portBuffer: 4MB, xoff: 3MB}, wred: {classes: [3], threshold: 60KB}, ecn: {kmin: 60KB, kmax: 60KB}}\npfc: {classes: []}'

  test('T-WRED-1: a packet that cannot be marked is dropped from the threshold on', () => {
    expect(last(arriving(59_999, { ecn: NOT_ECT }, wred))).toEqual([NOT_ECT])
    const over = arriving(60_000, { ecn: NOT_ECT }, wred)
    expect([last(over), over.counters.drops[1]]).toEqual([[], 1])
  })

  test('T-WRED-1: an ECN-capable packet is marked from the threshold on, and kept', () => {
    expect(last(arriving(59_999, { ecn: ECT_0 }, wred))).toEqual([ECT_0])
    const over = arriving(60_000, { ecn: ECT_0 }, wred)
    expect([last(over), over.counters.ecnMarks, over.counters.drops[1]]).toEqual([[CE], 1, 0])
  })

  test('both ECN-capable codepoints are marked and only 00 is dropped ([LDCP] 2.3)', () => {
    const outcome = (ecn: number): number[] => last(arriving(60_000, { ecn }, wred))
    expect([outcome(0b00), outcome(0b01), outcome(0b10)]).toEqual([[], [CE], [CE]])
  })

  test('ECN-capable packets are dropped when the buffer is full, and not before ([LDCP] 2.3)', () => {
    const bench = new Bench(3, wred.replace('4MB, xoff: 3MB', '200KB, xoff: 190KB'))
    const dropped: number[] = []
    bench.at(1e6, () => {
      bench.pauseArrives(bench.portTo(1), 0xff, 65_535)
      for (let packet = 1; packet <= 202; packet++) {
        bench.arriveFrom(0, { to: 1, sizeBytes: 1000, ecn: ECT_0 })
        dropped.push(bench.counters.drops[DROP_BUFFER]!)
      }
    })
    bench.run(1.5e6)
    expect([dropped[60], dropped[199], dropped[200], dropped[201]]).toEqual([0, 0, 1, 2])
    expect(bench.counters.drops[DROP_WRED]).toBe(0)
  })

  test('one queue has two policies: 00 is dropped from a threshold of its own, 01 and 10 are marked from another ([LDCP] 2)', () => {
    const text = wred.replace('ecn: {kmin: 60KB, kmax: 60KB}', 'ecn: {kmin: 80KB, kmax: 80KB}')
    const outcome = (queueBytes: number, ecn: number): number[] => last(arriving(queueBytes, { ecn }, text))
    expect([59_999, 60_000, 80_000].map((bytes) => outcome(bytes, NOT_ECT))).toEqual([[NOT_ECT], [], []])
    expect([60_000, 79_999, 80_000].map((bytes) => outcome(bytes, ECT_0))).toEqual([[ECT_0], [ECT_0], [CE]])
  })

  test('marking follows the instantaneous queue, not a mean: a queue that jumps marks at once, one that has emptied no longer ([LDCP] 2.1)', () => {
    const bench = new Bench(3, wred)
    const marks: number[] = []
    const look = (): void => {
      bench.arriveFrom(0, { to: 1, sizeBytes: 100, ecn: ECT_0 })
      marks.push(bench.counters.ecnMarks)
    }
    bench.at(1e6, () => {
      bench.pauseArrives(bench.portTo(1), 0xff, 65_535)
      for (let i = 0; i < 50; i++) look()
      for (let i = 0; i < 60; i++) bench.arriveFrom(2, { to: 1, sizeBytes: 1000, kind: ACK })
      look()
    })
    bench.at(2e6, () => bench.pauseArrives(bench.portTo(1), 0xff, 0))
    // 65 KB take 13 us.
    bench.at(20e6, look)
    bench.run(1e9)
    expect(marks).toEqual([...Array.from({ length: 50 }, () => 0), 1, 1])
  })

  test('T-WRED-2: control packets of the class are exempt', () => {
    const bench = arriving(1_000_000, { kind: ACK, ecn: NOT_ECT }, wred)
    expect([bench.counters.drops[1], bench.arrivals.length]).toEqual([0, 1001])
  })

  const red = 'switch: {ecn: {kmin: 5KB, kmax: 200KB, pmax: 0.01}}\npfc: {classes: []}'
  test('T-RED-2: a marked packet stays marked, an ECN-incapable one is never marked', () => {
    expect(last(arriving(0, { ecn: CE }, red))).toEqual([CE])
    expect(last(arriving(300_000, { ecn: NOT_ECT }, red))).toEqual([NOT_ECT])
    expect(last(arriving(300_000, { ecn: ECT_0 }, red))).toEqual([CE])
  })

  test('the queue is compared without the packet itself, at enqueue or at dequeue', () => {
    const step = (at: string, kmin: string): number[] =>
      last(
        arriving(
          10_000,
          { ecn: ECT_0 },
          `switch: {ecn: {kmin: ${kmin}, kmax: ${kmin}, at: ${at}}}\npfc: {classes: []}`,
        ),
      )
    expect([step('enqueue', '10000B'), step('enqueue', '10001B')]).toEqual([[CE], [ECT_0]])
    // It leaves last, with no packet behind it.
    expect(step('dequeue', '1B')).toEqual([ECT_0])
  })
})
