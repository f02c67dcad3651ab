import { describe, expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import { markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, GBPS, MBPS, NEVER_PS, NS, US, type ValuesOf } from '../../base/params.ts'
import { CE, DATA } from '../segment.ts'
import { FIRST_CONGESTION_TIMER, Timers } from '../timers.ts'
import { Point } from './dcqcn.test-point.ts'
import { dcqcn, Dcqcn, dcqcnConnectX4, dcqcnHpcc } from './dcqcn.ts'

type Values = ValuesOf<typeof dcqcn.params>

const paper = (values: Partial<Values> = {}, lineGbps = 40): Point => new Point(dcqcn, values, lineGbps)
/** Timer only: a byte counter that never fires. */
const noBytes = { byteCounter: 1e15 }

describe('the paper', () => {
  test('T-DCQCN-1: the first CNP halves the rate; alpha decays, each step halves the distance to the target', () => {
    const point = paper(noBytes).cnp(0)
    expect([point.targetGbps, point.rateGbps, point.dcqcn.alpha]).toEqual([40, 20, 1])
    const steps = [55, 110, 165].map((us) => {
      point.until(us * US)
      return [point.dcqcn.alphaAt(us * US), point.rateGbps]
    })
    expect(steps).toEqual([
      [0.99609375, 30],
      [0.9922027587890625, 35],
      [0.9883269667625427, 37.5],
    ])
  })

  test('T-DCQCN-2: a CNP cuts the rate by half of alpha and makes it the target', () => {
    const point = paper(noBytes)
      .cnp(0)
      .cnp(200 * US)
    expect(point.targetGbps).toBe(37.5)
    expect(point.rateGbps).toBeCloseTo(18.968869373, 9)
    expect(point.dcqcn.alpha).toBeCloseTo(0.9883725645486265, 15)
  })

  test('T-DCQCN-3: five steps of fast recovery, then additive increase', () => {
    const point = paper(noBytes).at(10).cnp(0)
    expect(point.rateGbps).toBe(5)
    const rates = [1, 2, 3, 4, 5, 6, 7].map((step) => point.until(step * 55 * US).rateGbps)
    expect(rates.slice(0, 5)).toEqual([7.5, 8.75, 9.375, 9.6875, 9.84375])
    expect(rates[5]).toBeCloseTo(9.941875, 12)
    expect(rates[6]).toBeCloseTo(10.0109375, 12)
    expect(point.targetGbps).toBeCloseTo(10.08, 12)
  })

  test.each([
    [20, 12],
    [30, 18],
  ])('T-DCQCN-4: with alpha 0.8 a cut takes %i to %i: alpha of before the CNP counts', (from, to) => {
    const point = paper({ g: 0.5 }).at(from)
    point.dcqcn.alpha = 0.8
    point.cnp(0)
    expect(point.rateGbps).toBeCloseTo(to, 12)
    expect(point.dcqcn.alpha).toBeCloseTo(0.9, 15)
  })

  test('T-DCQCN-5: hyper increase grows with the number of its stages', () => {
    const point = paper()
    point.at(10).dcqcn.rateBps = 9.8 * GBPS
    const steps = [6, 7, 8].map((stage) => {
      point.dcqcn.timerStage = point.dcqcn.byteStage = stage
      point.dcqcn.increase()
      return [point.targetGbps, point.rateGbps]
    })
    const expected = [
      [10.2, 10.0],
      [10.6, 10.3],
      [11.2, 10.75],
    ]
    steps.forEach(([target, rate], i) => {
      expect(target).toBeCloseTo(expected[i]![0]!, 9)
      expect(rate).toBeCloseTo(expected[i]![1]!, 9)
    })
  })

  test('T-DCQCN-5: through timer and byte counter in turn, every second step is additive', () => {
    const point = paper({ byteCounter: 1e6 }).cnp(0)
    point.at(10).dcqcn.rateBps = 9.8 * GBPS
    point.dcqcn.timerStage = point.dcqcn.byteStage = 5
    const expected = [
      [10.04, 9.92],
      [10.24, 10.08],
      [10.44, 10.26],
      [10.84, 10.55],
      [11.24, 10.895],
      [11.84, 11.3675],
    ]
    expected.forEach(([target, rate], i) => {
      if (i % 2 === 0) point.until((i / 2 + 1) * 55 * US)
      else point.dcqcn.onSent(0, 1e6)
      expect(point.targetGbps).toBeCloseTo(target!, 9)
      expect(point.rateGbps).toBeCloseTo(rate!, 9)
    })
  })

  test('a byte counter that is off leaves it to the timer alone, which then also drives hyper increase', () => {
    const point = paper({ byteCounter: null }).at(10).cnp(0)
    point.until(6 * 55 * US)
    expect(point.targetGbps).toBeCloseTo(10.2, 12)
  })

  test('a long packet may be several steps of the byte counter', () => {
    const point = paper({ byteCounter: 1000 }).cnp(0)
    point.dcqcn.onSent(0, 2500)
    expect([point.dcqcn.byteStage, point.rateGbps]).toEqual([2, 35])
    point.dcqcn.onSent(0, 500)
    expect(point.dcqcn.byteStage).toBe(3)
  })

  test('by bytes alone too there are five fast steps, then additive ones: hyper increase takes both', () => {
    const point = paper({ byteCounter: 1000 }).at(10).cnp(0)
    const rates = [1, 2, 3, 4, 5, 6, 7].map(() => {
      point.dcqcn.onSent(0, 1000)
      return point.rateGbps
    })
    const expected = [7.5, 8.75, 9.375, 9.6875, 9.84375, 9.941875, 10.0109375]
    expected.forEach((rate, i) => expect(rates[i]).toBeCloseTo(rate, 9))
    expect(point.targetGbps).toBeCloseTo(10.08, 9)
  })

  test('maxCut bounds what a CNP takes', () => {
    expect(paper({ maxCut: 0.2 }).cnp(0).rateGbps).toBe(32)
  })

  test('clampTarget: false keeps the target of the cut before where the timer has not fired since', () => {
    const point = paper({ ...noBytes, clampTarget: false })
      .at(30)
      .cnp(0)
      .cnp(10 * US)
    expect(point.targetGbps).toBe(30)
    point.cnp(70 * US)
    expect(point.targetGbps).toBeCloseTo(point.rateGbps * 2, 0)
    expect(point.targetGbps).toBeLessThan(25)
    const clamped = paper(noBytes)
      .at(30)
      .cnp(0)
      .cnp(10 * US)
    expect(clamped.targetGbps).toBe(15)
  })

  test('at rest bytes are not counted either', () => {
    const point = paper({ byteCounter: 1000 }).cnp(0).until(1e13)
    const { byteStage } = point.dcqcn
    point.dcqcn.onSent(1e13, 5000)
    expect(point.dcqcn.byteStage).toBe(byteStage)
  })

  test('nothing runs before the first CNP, and nothing once the line rate is reached', () => {
    const point = paper()
    expect(point.timers.nextPs).toBe(NEVER_PS)
    point.dcqcn.onSent(0, 1e9)
    expect(point.dcqcn.byteStage).toBe(0)
    point.cnp(0).until(1e13)
    expect([point.rateGbps, point.targetGbps, point.timers.nextPs]).toEqual([40, 40, NEVER_PS])
  })

  test('alpha goes on decaying while the rate rests, so that the next cut is small', () => {
    const point = paper(noBytes).cnp(0)
    point.until(1e12)
    expect(point.timers.nextPs).toBe(NEVER_PS)
    // 363 ticks of 55us in 20 ms.
    expect(point.dcqcn.alphaAt(20_000 * US)).toBeCloseTo((255 / 256) ** 363, 12)
    point.cnp(20_000 * US)
    expect(point.rateGbps).toBeCloseTo(40 * (1 - (255 / 256) ** 363 / 2), 9)
  })

  test('many ticks at once have the same result as one by one', () => {
    const g = 1e-7
    const alphas = [1, 65_537, 65_538, 65_539, 65_540, 200_000, 10_000_000].map((ticks) => {
      const { dcqcn: together } = paper({ ...noBytes, g }).cnp(0)
      const at = together.alphaAt(ticks * 55 * US + 1)
      expect(at / (1 - g) ** ticks).toBeCloseTo(1, 9)
      return at
    })
    expect(alphas).toEqual(alphas.toSorted((a, b) => b - a))
    // Evaluated in between it has decayed as far, and the next tick is an ordinary one.
    const { dcqcn: stepwise } = paper({ ...noBytes, g }).cnp(0)
    for (let ticks = 1000; ticks <= 200_000; ticks += 1000) stepwise.alphaAt(ticks * 55 * US + 1)
    expect(stepwise.alpha).toBeCloseTo(alphas[5]!, 12)
    const { alpha } = stepwise
    expect(stepwise.alphaAt(200_001 * 55 * US + 1)).toBe((1 - g) * alpha)
  })

  test('a tick of alpha at the very time of a CNP counts first if its own cause came first', () => {
    const alphaWith = (causePs: number): number => {
      const point = paper(noBytes).cnp(0)
      point.until(55 * US).dcqcn.onCnp(55 * US, causePs)
      return point.dcqcn.alpha
    }
    const ticked = (1 * 255) / 256
    expect(alphaWith(1)).toBeCloseTo((ticked * 255) / 256 + 1 / 256, 15)
    expect(alphaWith(0)).toBe(1)
  })

  test('the rate stays at or above its least', () => {
    const point = paper()
    for (let us = 0; us < 50; us++) point.cnp(us * US)
    expect(point.dcqcn.rateBps).toBe(100 * MBPS)
  })
})

describe('the notification point', () => {
  test('T-DCQCN-6: marks become CNPs, at once and at most one in 50us', () => {
    const pair = new Pair({ congestion: scheme(dcqcn) })
    ;[0, 10, 49, 51, 120].forEach((us, psn) => {
      pair.runUntil(us * US)
      pair.hand({ kind: DATA, psn, payloadBytes: 1024, ecn: CE })
    })
    expect(pair.timesOf('CNP')).toEqual([0, 51 * US, 120 * US])
    expect(pair.receiver.cnpsSent).toBe(3)
  })

  test('marks on packets out of order count like others; unmarked ones cause no CNP', () => {
    const pair = new Pair({ congestion: scheme(dcqcn) })
    pair.hand({ kind: DATA, psn: 0, payloadBytes: 1024 })
    pair.hand({ kind: DATA, psn: 7, payloadBytes: 1024, ecn: CE })
    expect(pair.answers).toEqual(['CNP', 'NAK 1'])
  })

  test('where ACKs carry the marks there are no CNPs, and a marked ACK cuts', () => {
    const pair = new Pair({ congestion: scheme(dcqcn), qp: { ecnEcho: 'ack' } })
    pair.forward.rule(markWhere(({ segment }) => segment.psn === 2))
    pair.postPackets(6)
    pair.runUntilSent(6)
    pair.calm()
    expect(pair.answers).not.toContain('CNP')
    expect(pair.sender.congestion.rateBps).toBe(20 * GBPS)
  })

  test('one marked ACK per interval counts as a CNP', () => {
    const rateAfter = (cnpInterval: number): number => {
      const pair = new Pair({ congestion: scheme(dcqcn, { cnpInterval }), qp: { ecnEcho: 'ack' } })
      for (const us of [0, 10, 49, 50]) {
        pair.runUntil(us * US)
        pair.sender.congestion.onAck(us * US, ackEventOf({ cumulativePsn: 1, marked: true }))
      }
      return pair.sender.congestion.rateBps / GBPS
    }
    expect([0, 50 * US, 51 * US].map(rateAfter)).toEqual([2.5, 10, 20])
  })
})

test("the HPCC fork's set: one fast step, one additive, then hyper steps, without a byte counter", () => {
  const point = new Point(dcqcnHpcc, {}, 100).at(50).cnp(0)
  const targets = [310, 610, 910, 1210].map((us) => Math.round(point.until(us * US).targetGbps * 1000))
  expect(targets).toEqual([50_000, 50_020, 50_220, 50_420])
})

describe('the firmware', () => {
  test('T-DCQCN-7: the first CNP cuts nothing; the check 4us later does, behind four updates of alpha', () => {
    const point = new Point(dcqcnConnectX4, { g: 1 / 256, alphaStart: 1 }).cnp(0)
    expect(point.rateGbps).toBe(40)
    point.until(4 * US)
    expect(point.rateGbps).toBe(40)
    expect(point.dcqcn.alphaAt(4 * US)).toBeCloseTo(0.9844663145486265, 15)
    point.until(4 * US + NS)
    expect(point.rateGbps).toBeCloseTo(20.310673709, 9)
    expect(point.targetGbps).toBe(40)
  })

  test('T-DCQCN-7: with the gain and the start of the firmware', () => {
    const point = new Point(dcqcnConnectX4).cnp(0).until(4001 * NS)
    expect(point.dcqcn.alpha).toBeCloseTo(0.979653707796742, 15)
    expect(point.rateGbps).toBeCloseTo(20.406925844, 9)
  })

  test('several CNPs between two checks cut once, and raise alpha at its next tick', () => {
    const point = new Point(dcqcnConnectX4)
      .cnp(0)
      .cnp(100 * NS)
      .cnp(200 * NS)
    point.until(US)
    expect(point.dcqcn.alphaAt(US)).toBeCloseTo((1023 / 1024) * (1019 / 1024) + 5 / 1024, 15)
    point.until(4001 * NS)
    const once = point.rateGbps
    expect(once).toBeGreaterThan(20)
    expect(point.until(8001 * NS).rateGbps).toBe(once)
  })

  test('a check at the very time of a tick of alpha comes first: its own cause, the check before, did', () => {
    const point = new Point(dcqcnConnectX4, { g: 1 / 256, alphaStart: 1, decreaseOffset: 0 }).cnp(0).until(4 * US)
    // Three ticks: 1, 2 and 3us.
    expect(point.rateGbps).toBeCloseTo(40 * (1 - 0.9883269667625427 / 2), 9)
  })

  test('bytes are counted from the first CNP on, before any check', () => {
    const point = new Point(dcqcnConnectX4, { byteCounter: 1000 }).cnp(0)
    point.dcqcn.onSent(0, 2500)
    expect(point.dcqcn.byteStage).toBe(2)
  })

  test('does not rest at line rate: the next CNP is one of many', () => {
    const point = new Point(dcqcnConnectX4, { rateInterval: US }).cnp(0).until(200 * US)
    expect([point.rateGbps, point.targetGbps]).toEqual([40, 40])
    expect(point.timers.nextPs).toBeLessThan(205 * US)
    // Alpha has decayed in the meantime, and the checks still come 4us apart: at 201 ns past the CNP's own multiple.
    point.cnp(202 * US).until(204 * US + NS)
    expect(point.dcqcn.alpha).toBeLessThan(0.5)
    expect(point.rateGbps).toBeLessThan(40)
  })

  test('the target follows a cut only if an increase came in between', () => {
    const point = new Point(dcqcnConnectX4)
      .cnp(0)
      .until(4001 * NS)
      .cnp(5 * US)
      .until(8001 * NS)
    expect(point.targetGbps).toBe(40)
    point.until(8001 * NS + 300 * US)
    const raisedGbps = point.rateGbps
    point.cnp(400 * US).until(405 * US)
    expect(point.targetGbps).toBe(raisedGbps)
  })

  test('with the stage tested before it is counted: fast steps, one additive, then hyper', () => {
    const point = new Point(dcqcnConnectX4, {
      stageTest: 'before',
      hyperScaling: 'constant',
      byteCounter: null,
      fastRecovery: 2,
      additiveRate: 40 * MBPS,
      hyperRate: 200 * MBPS,
      minRate: 100 * MBPS,
    })
    point
      .at(10)
      .cnp(0)
      .until(4001 * NS)
    const targets = [1, 2, 3, 4, 5].map((step) => point.until(4001 * NS + step * 300 * US).targetGbps)
    ;[10, 10, 10.04, 10.24, 10.44].forEach((target, i) => expect(targets[i]).toBeCloseTo(target, 9))
  })
})

describe('rates', () => {
  /** A cut by 15 %, then a step that halves the distance to the target, from an odd rate on an odd line. */
  const ratesOf = (wholeRates: boolean): number[] => {
    const timers = new Timers({ draw: () => 1 })
    const context = contextOf({ lineRateBps: 10e9 + 1, timers, wholeRates })
    const control = new Dcqcn({ ...defaultsOf(dcqcn.params), alphaStart: 0.3 }, context)
    control.onCnp(0, 0)
    const cutBps = control.rateBps
    control.onTimer(55 * US, FIRST_CONGESTION_TIMER)
    return [cutBps, control.rateBps]
  }
  test('are cut to bit/s at each step where they are whole', () => {
    // Both halves on their own, as in the forks.
    expect(ratesOf(true)).toEqual([8_500_000_000, 4_250_000_000 + 5_000_000_000])
  })
  test('are real numbers where they are not', () => {
    const [cutBps, rateBps] = ratesOf(false)
    expect(cutBps).toBeCloseTo(8_500_000_000.85, 5)
    expect(rateBps).toBeCloseTo((8_500_000_000.85 + 10_000_000_001) / 2, 5)
  })
})
