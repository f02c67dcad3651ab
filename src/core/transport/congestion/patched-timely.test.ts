import { describe, expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import { defaultsOf, GBPS, MBPS, US, type ValuesOf } from '../../base/params.ts'
import { PatchedTimely, patchedTimely } from './patched-timely.ts'

/** A control at 10 Gb/s that has seen one RTT of 100us and updates at every ACK. */
class Flow {
  readonly control: PatchedTimely
  #psn = 1
  constructor(values: Partial<ValuesOf<typeof patchedTimely.params>> = {}, wholeRates = false) {
    this.control = new PatchedTimely(
      { ...defaultsOf(patchedTimely.params), segment: 1, ...values },
      contextOf({ wholeRates }),
    )
    this.control.rateBps = 10 * GBPS
    this.rtt(100)
  }
  /** An ACK with this RTT; returns the rate then, Mb/s. */
  rtt(us: number): number {
    const cumulativePsn = this.#psn++
    this.control.onAck(0, ackEventOf({ cumulativePsn, rttPs: us * US }))
    return this.control.rateBps / MBPS
  }
}

describe('the rate', () => {
  test('T-TMLY-2: the gradient weights the cut against the step; the outer bands are those of TIMELY', () => {
    const flow = new Flow()
    expect(flow.rtt(110)).toBeCloseTo(9904, 6)
    expect(flow.rtt(105)).toBeCloseTo(9897.30145, 5)
    expect(flow.rtt(600)).toBeCloseTo(9884.105048067, 6)
    expect(flow.rtt(40)).toBeCloseTo(9894.105048067, 6)
  })

  test('a steady RTT at the reference rises by half a step', () => {
    const flow = new Flow({ referenceRtt: 100 * US })
    expect(flow.rtt(100)).toBeCloseTo(10_005, 9)
  })

  test('a gradient of a quarter or less, downwards, is a whole step, whatever the RTT', () => {
    expect(new Flow().rtt(90)).toBeCloseTo(10_010, 9)
  })

  test('there is no hyper step', () => {
    const flow = new Flow()
    for (const us of [90, 80, 70, 60, 50, 40, 30]) flow.rtt(us)
    expect(flow.control.rateBps / MBPS).toBeCloseTo(10_070, 9)
  })

  test('is updated per segment acknowledged, however much is in flight', () => {
    const control = new PatchedTimely(defaultsOf(patchedTimely.params), contextOf())
    control.rateBps = 10 * GBPS
    const changed = Array.from({ length: 64 }, (_, psn) => {
      const before = control.rateBps
      control.onAck(0, ackEventOf({ cumulativePsn: psn + 1, nextPsn: psn + 200, rttPs: 10 * US }))
      return control.rateBps === before ? [] : [psn + 1]
    })
    expect(changed.flat()).toEqual([32, 48, 64])
  })

  test('sees a round trip without the time that a packet takes on the line', () => {
    const flow = new Flow({ tLow: 99.9 * US })
    flow.control.onSent(0, 1106)
    expect(flow.rtt(100)).toBe(10_010)
  })

  test('stays between the least rate and the line', () => {
    const flow = new Flow({ beta: 1 })
    for (let i = 0; i < 100; i++) flow.rtt(1000 + i)
    expect(flow.control.rateBps).toBe(100 * MBPS)
    for (let i = 0; i < 5000; i++) flow.rtt(10)
    expect(flow.control.rateBps).toBe(40 * GBPS)
  })

  test('the least rate bounds the sum of cut and step, not the cut alone', () => {
    const values = { ...defaultsOf(patchedTimely.params), segment: 1 }
    const control = new PatchedTimely(values, contextOf())
    control.onAck(0, ackEventOf({ cumulativePsn: 1, rttPs: 400 * US }))
    control.rateBps = 100 * MBPS
    control.onAck(0, ackEventOf({ cumulativePsn: 2, rttPs: 400 * US }))
    // A gradient of 0 weighs one half: 100 (1 - 0.008 * 0.5 * 7) + 10 * 0.5.
    expect(control.rateBps / MBPS).toBeCloseTo(102.2, 9)
  })

  test('a step of a part is whole too where rates are whole', () => {
    // A gradient of 0.0875 weighs 0.675: a cut by 0, as the RTT is the reference, and 0.325 of the step.
    const rateOf = (wholeRates: boolean): number => {
      const flow = new Flow({ referenceRtt: 102 * US, additiveRate: 10 * MBPS + 1 }, wholeRates)
      flow.rtt(102)
      return flow.control.rateBps
    }
    expect(rateOf(false)).toBeCloseTo(10 * GBPS + 0.325 * (10 * MBPS + 1), 3)
    expect(rateOf(true)).toBe(10 * GBPS + 3_250_000)
  })

  test('a cut is to whole bit/s where rates are whole', () => {
    const flow = new Flow({}, true)
    flow.rtt(110)
    expect(flow.rtt(600) % 1e-6).toBeCloseTo(0, 9)
    expect(Number.isInteger(flow.control.rateBps)).toBe(true)
  })
})
