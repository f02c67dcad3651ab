import { describe, expect, test } from 'vitest'
import { contextOf } from '../../../../tests/support/control-world.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, GBPS, KB, MBPS, MS, NEVER_PS, type ValuesOf } from '../../base/params.ts'
import { CNM } from '../segment.ts'
import { FIRST_CONGESTION_TIMER, Timers } from '../timers.ts'
import { qcn, Qcn } from './qcn.ts'

type Values = ValuesOf<typeof qcn.params>

/** A reaction point on 10 Gb/s, with its timer. */
class Point {
  readonly timers = new Timers({ draw: () => 1 })
  readonly qcn: Qcn
  constructor(values: Partial<Values> = {}, wholeRates = false) {
    this.qcn = new Qcn(
      { ...defaultsOf(qcn.params), ...values },
      contextOf({ lineRateBps: 10 * GBPS, timers: this.timers, wholeRates }),
    )
  }
  until(timePs: number): this {
    while (this.timers.nextPs <= timePs) {
      const { nextPs, nextSlot } = this.timers
      this.timers.clear(nextSlot)
      this.qcn.onTimer(nextPs)
    }
    return this
  }
  reported(feedback: number, timePs = 0): this {
    this.until(timePs).qcn.onCnm(timePs, feedback)
    return this
  }
  /** Sends this many byte cycles of 150 KB. */
  sent(cycles: number): this {
    for (let i = 0; i < cycles; i++) this.qcn.onSent(0, 150 * KB)
    return this
  }
  get rateGbps(): number {
    return this.qcn.rateBps / GBPS
  }
  get targetGbps(): number {
    return this.qcn.targetBps / GBPS
  }
}

const TIMER_ONLY = { byteCounter: null }

describe('a message cuts', () => {
  test.each([
    ['T-QCN-1: feedback 14', 14, 8.90625],
    ['T-QCN-3: feedback 63, nearly a half', 63, 5.078125],
    ['the least there is', 1, 9.921875],
  ])('%s', (_what, feedback, gbps) => {
    const point = new Point().reported(feedback)
    expect([point.rateGbps, point.targetGbps]).toEqual([gbps, 10])
  })

  test('and the target follows, once a step has been taken: of bytes, or of the timer where bytes are not counted', () => {
    expect(new Point().reported(14).reported(14).targetGbps).toBe(10)
    expect(new Point().reported(14).sent(1).reported(14).targetGbps).toBeLessThan(9.5)
    expect(new Point().reported(14).reported(14, 15 * MS).targetGbps).toBe(10)
    expect(new Point(TIMER_ONLY).reported(14).reported(14).targetGbps).toBe(10)
    expect(new Point(TIMER_ONLY).reported(14).reported(14, 15 * MS).targetGbps).toBeLessThan(9.5)
  })

  test('no more than maxCut, and not below minRate', () => {
    expect(new Point({ gd: 1 / 32 }).reported(63).rateGbps).toBe(5)
    const point = new Point({ minRate: 3 * GBPS })
    expect([point.reported(63).rateGbps, point.reported(63).rateGbps, point.reported(63).rateGbps]).toEqual([
      5.078125, 3, 3,
    ])
  })

  test('in a row, and the target stays that of the first', () => {
    const point = new Point().reported(63).reported(63)
    expect(point.rateGbps).toBe(5.078125 * (1 - 63 / 128))
    expect(point.targetGbps).toBe(10)
  })

  test('after a byte cycle, and the target is the rate before the cut', () => {
    const point = new Point().reported(63).sent(1)
    const { rateGbps } = point
    expect(rateGbps).toBe((10 + 5.078125) / 2)
    expect(point.reported(63).targetGbps).toBe(rateGbps)
  })

  test('and both drivers start anew', () => {
    const point = new Point().reported(63)
    point.qcn.onSent(0, 149 * KB)
    point.reported(1, 14 * MS)
    point.qcn.onSent(0, 149 * KB)
    point.until(28 * MS)
    expect([point.qcn.byteStage, point.qcn.timerStage]).toEqual([0, 0])
    point.until(29 * MS).qcn.onSent(0, KB)
    expect([point.qcn.byteStage, point.qcn.timerStage]).toEqual([1, 1])
  })
})

describe('increase', () => {
  test('[Survey] Fig. 10: each of five intervals halves what is missing of the rate before the cut', () => {
    const point = new Point(TIMER_ONLY).reported(63)
    const missing = 10 - point.rateGbps
    const gains: number[] = []
    for (let n = 1; n <= 5; n++) {
      const before = point.rateGbps
      gains.push(point.until(n * 15 * MS).rateGbps - before)
    }
    gains.forEach((gain, i) => expect(gain).toBeCloseTo(missing / 2 ** (i + 1), 9))
  })

  test('then the target rises, by the additive step while one driver is behind', () => {
    const point = new Point().reported(63).reported(63)
    point.sent(1).reported(63).sent(5)
    const { targetGbps, rateGbps } = point
    point.sent(1)
    expect(point.targetGbps - targetGbps).toBeCloseTo(0.005, 9)
    expect(point.rateGbps).toBeCloseTo((rateGbps + targetGbps + 0.005) / 2, 9)
  })

  test('by hyper steps when both are beyond it, and the drivers run twice as fast', () => {
    const point = new Point({ fastRecovery: 1 }).reported(63).reported(63).sent(1).reported(63)
    const start = point.targetGbps
    // Timer 1 is fast, timer 2 and bytes 1 are additive, bytes 2 is hyper.
    point.until(30 * MS).sent(2)
    expect(point.targetGbps - start).toBeCloseTo(0.005 + 0.005 + 0.05, 9)
    // The current byte cycle is half as long; the timer's was started before.
    point.qcn.onSent(0, 75 * KB)
    expect(point.qcn.byteStage).toBe(3)
    expect(point.targetGbps - start).toBeCloseTo(0.11, 9)
    expect(point.timers.nextPs).toBe(45 * MS)
    point.until(45 * MS)
    expect(point.timers.nextPs).toBe(52.5 * MS)
    // min(timer 3, bytes 3) - 1 = 2 hyper steps.
    expect(point.targetGbps - start).toBeCloseTo(0.21, 9)
  })

  test('without a byte counter the timer alone comes to hyper steps', () => {
    const point = new Point({ ...TIMER_ONLY, fastRecovery: 1 }).reported(63).reported(63)
    point.qcn.targetBps = 4 * GBPS
    point.until(30 * MS)
    expect(point.targetGbps).toBeCloseTo(4.05, 9)
    expect(point.timers.nextPs).toBe(37.5 * MS)
  })

  test('a target more than ten times the rate is reduced at the first step', () => {
    const point = new Point()
    for (let i = 0; i < 4; i++) point.reported(63)
    expect(point.targetGbps / point.rateGbps).toBeGreaterThan(10)
    const { rateGbps } = point
    point.sent(1)
    expect(point.targetGbps).toBe(10 / 8)
    expect(point.rateGbps).toBe((rateGbps + 10 / 8) / 2)
    expect(point.sent(1).targetGbps).toBe(10 / 8)
  })

  test('so it is where the timer comes first, and its second step adds again', () => {
    const point = new Point({ ...TIMER_ONLY, fastRecovery: 0 })
    for (let i = 0; i < 4; i++) point.reported(63)
    point.until(15 * MS)
    expect(point.targetGbps).toBe(10 / 8)
    point.qcn.targetBps = 10 * GBPS
    point.qcn.rateBps = 0.1 * GBPS
    point.until(15 * MS + 7.5 * MS)
    expect(point.targetGbps).toBeGreaterThan(9.9)
  })

  test('one of exactly ten times the rate is not', () => {
    const point = new Point().reported(63)
    point.qcn.rateBps = GBPS
    expect(point.sent(1).targetGbps).toBe(10)
    expect(point.rateGbps).toBe(5.5)
  })

  test('at line rate both drivers stop until the next message', () => {
    const point = new Point().reported(1)
    point.sent(100)
    expect([point.rateGbps, point.targetGbps, point.timers.nextPs]).toEqual([10, 10, NEVER_PS])
    point.reported(14)
    expect(point.rateGbps).toBe(8.90625)
    expect(point.timers.isSet(FIRST_CONGESTION_TIMER)).toBe(true)
  })
})

test('rates are whole bit/s if configured', () => {
  const point = new Point({ additiveRate: 7 * MBPS + 1 }, true)
  for (let i = 0; i < 30; i++) {
    point.reported(1 + (i % 63)).sent(i % 9)
    expect(point.qcn.rateBps % 1).toBe(0)
    expect(point.qcn.targetBps % 1).toBe(0)
  }
})

test.each([10 * GBPS, 10 * GBPS + 1])(
  'rates in whole bit/s come back to a line of %d and rest there',
  (lineRateBps) => {
    const pair = new Pair({ congestion: scheme(qcn), lineRateBps, qp: { rateRounding: 'bps' } })
    pair.postPackets(10)
    pair.answer({ kind: CNM, syndrome: 20 })
    pair.run()
    pair.runUntil(10e12)
    expect(pair.sender.congestion.rateBps).toBe(lineRateBps)
    expect(pair.sender.nextTimeoutPs).toBe(NEVER_PS)
  },
)

test('a message that arrives slows the sender down at once', () => {
  const pair = new Pair({ congestion: scheme(qcn), lineRateBps: 10 * GBPS })
  pair.postPackets(100, 'send')
  pair.runUntilSent(10)
  pair.answer({ kind: CNM, syndrome: 63 })
  pair.runUntilSent(12)
  const [tenth, next] = [pair.timesOf('data 10')[0]!, pair.timesOf('data 11')[0]!]
  expect(next - tenth).toBeCloseTo((1106 * 8e12) / (5.078125 * GBPS), -1)
  expect(pair.sender.cnms).toBe(1)
  expect(pair.run()).toBe('finished')
})
