import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../base/random.ts'
import { ACK, CNM, DATA } from '../../transport/segment.ts'
import { CongestionPoint, type CongestionPointOptions } from './congestion-point.ts'
import { Bench } from '../../../../tests/support/switch-bench.ts'

const KB = 1000

function pointWith(fields: Partial<CongestionPointOptions> = {}): CongestionPoint {
  return new CongestionPoint({
    classes: 0b1000,
    setPointBytes: 33 * KB,
    weight: 2,
    sampleBaseBytes: 150 * KB,
    jitter: 0.15,
    frameBytes: 64,
    codepoint: 48,
    randoms: [null, createRandomStreams(1).stream('qcn/0/1')],
    ...fields,
  })
}

describe('feedback', () => {
  test.each([
    ['T-QCN-1: 50 KB after 40 KB', 50, 40, 14],
    ['T-QCN-2: 40 KB after 60 KB, none', 40, 60, 0],
    ['T-QCN-3: 120 KB after 60 KB, the most', 120, 60, 63],
    ['the set point, at rest', 33, 33, 0],
    ['a little over it, too little for feedback', 35, 35, 0],
    ['below it but rising fast', 30, 10, 14],
  ])('%s', (_what, queue, before, feedback) => {
    expect(pointWith().feedbackOf(queue * KB, before * KB)).toBe(feedback)
  })
})

describe('samples', () => {
  test('the first is due after 150 KB, to the byte', () => {
    const point = pointWith()
    expect(point.onFrame(1, 3, 149_999, 100 * KB)).toBe(0)
    expect(point.onFrame(1, 3, 1, 50 * KB)).toBe(44)
  })

  test('T-QCN-4: the next is due 75 KB later, 15 % up or down, after feedback 14', () => {
    const point = pointWith()
    expect([0, 0.5, 1].map((draw) => point.nextSampleBytes(14, draw))).toEqual([63_750, 75_000, 86_250])
    const shares = [0, 8, 16, 24, 32, 40, 48, 56, 63].map((feedback) => point.nextSampleBytes(feedback, 0.5))
    const expected = [150, 75, 50, 37.5, 30, 25, 21.5, 18.5, 18.5]
    shares.forEach((bytes, i) => expect(bytes).toBeCloseTo(expected[i]! * KB, 6))
  })

  test('come at random distances, whose mean is that of the table', () => {
    const point = pointWith({ weight: 0, jitter: 0.5 })
    const distances: number[] = []
    let last = 0
    // 11 KB over 33 give feedback 21 without the weight, and 21 is followed by a third of 150 KB.
    for (let bytes = 0; distances.length < 400; bytes += 100) {
      if (point.onFrame(1, 3, 100, 44 * KB) === 0) continue
      distances.push(bytes - last)
      last = bytes
    }
    const rest = distances.slice(1)
    expect(Math.min(...rest)).toBeGreaterThanOrEqual(25 * KB)
    expect(Math.max(...rest)).toBeLessThanOrEqual(75 * KB + 100)
    const mean = rest.reduce((sum, bytes) => sum + bytes, 0) / rest.length
    expect(Math.abs(mean / (50 * KB) - 1)).toBeLessThan(0.05)
  })

  test('are separate for each port and class', () => {
    const streams = createRandomStreams(1)
    const randoms = [null, streams.stream('qcn/0/1'), streams.stream('qcn/0/2')]
    const point = pointWith({ classes: 0b11000, randoms })
    expect(point.onFrame(1, 3, 149 * KB, 0)).toBe(0)
    expect(point.onFrame(2, 3, 149 * KB, 100 * KB)).toBe(0)
    expect(point.onFrame(1, 4, 149 * KB, 100 * KB)).toBe(0)
    expect(point.onFrame(1, 3, 1 * KB, 50 * KB)).toBe(44)
  })

  test('are not taken of other classes', () => {
    expect(pointWith().onFrame(1, 4, 1000 * KB, 1000 * KB)).toBe(0)
  })
})

describe('at a switch', () => {
  const TEXT = `
congestion: qcn
switch: {qcn: {setPoint: 10KB, sampleBase: 1086B, jitter: 0}}`

  /** Host 0 sends 12 packets, 13 KB, to host 2, whose port is paused. */
  function congested(text: string, kind: number = DATA): Bench {
    const bench = new Bench(3, text)
    // The congestion point reads the hosts of a queue pair only; its packets are counted.
    bench.built.network.pairs.add({ id: 0, source: 0, destination: 2, inNetwork: 12 } as never)
    bench.pauseArrives(bench.portTo(2), 0b1000, 65_535)
    for (let i = 0; i < 12; i++) bench.arriveFrom(0, { to: 2, kind })
    return bench.run(20_000_000)
  }

  test('the source of a sampled frame is sent a message, in the class of CNPs, padded to the shortest frame', () => {
    const bench = congested(TEXT)
    const reported = bench.arrivals.filter(({ kind }) => kind === CNM)
    // From 3258 bytes on the queue's rise outweighs its distance from the set point.
    expect(reported.length).toBeGreaterThan(0)
    expect(reported.every(({ host, codepoint, ecn }) => host === 0 && codepoint === 48 && ecn === 0)).toBe(true)
    expect(bench.counters.cnms).toBe(reported.length)
    const { transmitPs, delayPs } = bench.portTo(0)
    expect(reported[0]!.ps).toBe(transmitPs[64]! + delayPs)
  })

  test('control frames are counted, but cause no message', () => {
    expect(congested(TEXT, ACK).counters.cnms).toBe(0)
  })

  test('a congestion control without reaction points receives no messages', () => {
    expect(congested('switch: {qcn: {setPoint: 10KB, sampleBase: 1086B}}').counters.cnms).toBe(0)
  })

  test.each(['0ps', '500ns'])('every packet is freed and every byte released; latency %s', (latency) => {
    const bench = congested(TEXT.replace('{qcn', `{latency: ${latency}, qcn`))
    expect(bench.counters.cnms).toBeGreaterThan(0)
    bench.pauseArrives(bench.portTo(2), 0b1000, 0)
    bench.run()
    expect(bench.built.network.fabric.packets.alive).toBe(0)
    expect(bench.hub.buffer.usedBytes).toBe(0)
  })
})
