import { describe, expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import { holdWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, GBPS, MBPS, US, type ValuesOf } from '../../base/params.ts'
import { Timely, timely } from './timely.ts'

/** A control at 10 Gb/s that has seen one RTT of 100us and updates at every ACK. */
class Flow {
  readonly control: Timely
  #psn = 1
  constructor(
    values: Partial<ValuesOf<typeof timely.params>> = {},
    rateMbps = 10_000,
    firstUs = 100,
    wholeRates = false,
  ) {
    this.control = new Timely({ ...defaultsOf(timely.params), segment: 1, ...values }, contextOf({ wholeRates }))
    this.control.rateBps = rateMbps * MBPS
    this.rtt(firstUs)
  }
  /** An ACK with this RTT; returns the rate then, Mb/s. */
  rtt(us: number): number {
    const cumulativePsn = this.#psn++
    this.control.onAck(0, ackEventOf({ cumulativePsn, rttPs: us * US }))
    return this.control.rateBps / MBPS
  }
}

describe('the gradient', () => {
  test('T-TMLY-1: a rising RTT cuts by its gradient, a falling one adds a step', () => {
    const flow = new Flow()
    expect(flow.rtt(110)).toBeCloseTo(6500, 6)
    expect(flow.rtt(105)).toBeCloseTo(6510, 6)
  })

  test('T-TMLY-1: above tHigh the RTT itself cuts, whatever its gradient', () => {
    const flow = new Flow()
    flow.rtt(110)
    flow.rtt(105)
    expect(flow.rtt(600)).toBeCloseTo(5642, 6)
  })

  test('T-TMLY-1: below tLow the rate rises', () => {
    const flow = new Flow()
    for (const us of [110, 105, 600]) flow.rtt(us)
    expect(flow.rtt(40)).toBeCloseTo(5652, 6)
  })

  test('T-TMLY-3: the fifth consecutive rise is a hyper step', () => {
    const flow = new Flow({}, 1000)
    const rates = [99, 98, 97, 96, 95, 94, 93].map((us) => Math.round(flow.rtt(us)))
    expect(rates).toEqual([1010, 1020, 1030, 1040, 1090, 1140, 1190])
  })

  test('where five rises come before the hyper step, as in the HPCC fork, any fall resets the count', () => {
    const flow = new Flow({ hyperAfter: 5 }, 1000)
    const rates = [99, 98, 97, 96, 95, 94].map((us) => Math.round(flow.rtt(us)))
    expect(rates).toEqual([1010, 1020, 1030, 1040, 1050, 1100])
    const cut = flow.rtt(120)
    expect(cut).toBeLessThan(1100)
    expect(flow.rtt(60) - cut).toBeCloseTo(10, 6)
  })

  test('rises below tLow are single steps and do not count; where hyperLow is set they do', () => {
    const below = [49, 48, 47, 46, 45, 44, 60, 59, 58]
    const rates = (hyperLow: boolean) => {
      const flow = new Flow({ hyperLow, gain: 0 }, 1000)
      return below.map((us) => Math.round(flow.rtt(us)))
    }
    expect(rates(false)).toEqual([1010, 1020, 1030, 1040, 1050, 1060, 1070, 1080, 1090])
    expect(rates(true)).toEqual([1010, 1020, 1030, 1040, 1090, 1140, 1190, 1240, 1290])
  })

  test('T-TMLY-5: a gradient that would cut by more than the rate leaves the least rate', () => {
    const flow = new Flow()
    expect(flow.rtt(100 + (1.3 * 20) / 0.875)).toBe(100)
  })

  test('the bands begin beside their bounds: at tLow and at tHigh the gradient decides', () => {
    expect(new Flow({}, 10_000, 40).rtt(50)).toBeLessThan(10_000)
    expect(new Flow({}, 10_000, 49).rtt(49)).toBe(10_010)
    expect(new Flow({}, 10_000, 500).rtt(500)).toBe(10_010)
    expect(new Flow({}, 10_000, 501).rtt(501)).toBeLessThan(10_000)
  })

  test('an RTT above tHigh resets the count of rises', () => {
    const flow = new Flow({}, 1000)
    for (const us of [99, 98, 97, 96]) flow.rtt(us)
    const cut = flow.rtt(600)
    expect(cut).toBeLessThan(1040)
    flow.rtt(60)
    expect(flow.rtt(59) - flow.rtt(58)).toBeCloseTo(-10, 6)
  })

  test('an RTT of zero is a valid first sample', () => {
    expect(new Flow({ tLow: 20 * US }, 10_000, 0).rtt(30)).toBeLessThan(10_000)
  })

  test('a cut is to whole bit/s where rates are whole', () => {
    const cutBps = (wholeRates: boolean) => new Flow({}, 9_999.999_999, 100, wholeRates).rtt(107) * MBPS
    // A gradient of 0.875 * 7 / 20: times 0.755.
    expect(cutBps(false)).toBeCloseTo(7_549_999_999.245, 2)
    expect(cutBps(true)).toBe(7_549_999_999)
  })

  test('the serialization time subtracted from the RTT is that of the largest packet, whichever was last', () => {
    const flow = new Flow({ tLow: 99.9 * US }, 10_000, 100)
    flow.control.onSent(0, 1106)
    flow.control.onSent(0, 84)
    // 221.2 ns of 100 us: below tLow.
    expect(flow.rtt(100)).toBe(10_010)
    expect(flow.rtt(100.1)).toBe(10_020)
  })

  test('the line rate is never passed', () => {
    const flow = new Flow({}, 39_995)
    expect(flow.rtt(90)).toBe(40_000)
    expect(flow.rtt(80)).toBe(40_000)
  })
})

describe('when the rate is updated', () => {
  /** PSNs whose ACK changed the rate, of 100 packets that are always 30 in flight. */
  const updates = (values: Partial<ValuesOf<typeof timely.params>>): number[] => {
    const control = new Timely({ ...defaultsOf(timely.params), ...values }, contextOf())
    control.rateBps = GBPS
    const changed: number[] = []
    for (let psn = 0; psn < 100; psn++) {
      const before = control.rateBps
      const nextPsn = Math.min(100, psn + 31)
      control.onAck(0, ackEventOf({ cumulativePsn: psn + 1, nextPsn, rttPs: 10 * US }))
      if (control.rateBps !== before) changed.push(psn)
    }
    return changed
  }
  test('once per segment that is acknowledged; the first only gives the RTT to compare with', () => {
    expect(updates({ segment: 16_384 })).toEqual([31, 47, 63, 79, 95])
  })
  test('once per window: at the first ACK above all that was sent at the last update', () => {
    expect(updates({ update: 'window' })).toEqual([31, 62, 93])
  })
})

test('the RTT is that of the acknowledged packet, from its transmission start', () => {
  const pair = new Pair({ congestion: scheme(timely, { segment: 1 }), delayPs: 30 * US })
  const seen: number[] = []
  const control = pair.sender.congestion
  const onAck = control.onAck.bind(control)
  control.onAck = (nowPs, ack) => {
    seen.push(ack.rttPs)
    onAck(nowPs, ack)
  }
  pair.forward.rule(holdWhere(7 * US, ({ segment }) => segment.psn === 2))
  pair.postPackets(3)
  pair.run()
  expect(seen).toEqual([60 * US, 60 * US, 67 * US])
})

test("T-TMLY-4: the RTT of a segment sent at once is from its first packet's start to its ACK, less 3539.2 ns", () => {
  const samples = (serialization: 'subtracted' | 'counted') => {
    const pair = new Pair({ congestion: scheme(timely, { serialization, gain: 1 }), delayPs: 300 * US })
    const control = pair.sender.congestion as Timely
    const seen: number[] = []
    // Above tHigh the cut reveals the sample: factor = 1 - beta (1 - tHigh / rtt).
    const onAck = control.onAck.bind(control)
    let ackPs = 0
    control.onAck = (nowPs, ack) => {
      const before = control.rateBps
      onAck(nowPs, ack)
      if (control.rateBps === before) return
      seen.push((500 * US) / (1 - (1 - control.rateBps / before) / 0.8))
      ackPs = nowPs
    }
    pair.postPackets(32, 'send')
    pair.run()
    const firstPs = pair.timesOf('data 16')[0]!
    expect(seen.length).toBe(1)
    return { samplePs: seen[0]!, fromFirstPs: ackPs - firstPs }
  }
  const { samplePs, fromFirstPs } = samples('subtracted')
  expect(fromFirstPs - samplePs).toBeCloseTo((16 * 1106 * 8e3) / 40, 0)
  expect(fromFirstPs - samplePs).toBeCloseTo(3_539_200, 0)
  expect(samples('counted').samplePs - samplePs).toBeCloseTo(221_200, 0)
})

test('the next packet leaves by the size of the last one, the rate, and when the last one left', () => {
  // The round trip of 20 us lies above tHigh: the rate falls to its least, 5 Gb/s, and stays.
  const slow = scheme(timely, { tLow: 1, tHigh: 2, minRate: 5 * GBPS, segment: 1024 })
  const pair = new Pair({ congestion: slow, delayPs: 10 * US, qp: { ackInterval: 1 } })
  pair.postPackets(300, 'send')
  pair.post(100, 'send')
  pair.postPackets(2, 'send')
  expect(pair.run()).toBe('finished')
  expect(pair.sender.congestion.rateBps).toBe(5 * GBPS)
  const at = (psn: number): number => pair.timesOf(`data ${psn}`)[0]!
  // A byte lasts 1600 ps: 1106 bytes of a full packet, 182 of the short one, with their gaps.
  expect([298, 299, 300, 301].map((psn) => at(psn + 1) - at(psn))).toEqual(
    [1106, 1106, 182, 1106].map((bytes) => bytes * 1600),
  )
  // At line rate before that.
  expect(at(1) - at(0)).toBe(1106 * 200)
})
