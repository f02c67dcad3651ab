import { describe, expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { defaultsOf, MS, SECOND, type ValuesOf } from '../../base/params.ts'
import { Cubic, cubic } from './cubic.ts'

type Values = Partial<ValuesOf<typeof cubic.params>>

/** A window of `windowPackets` and round trips of 100 ms. */
function flowAt(windowPackets: number, values: Values = {}): AckedFlow<Cubic> {
  const flow = new AckedFlow((context) => new Cubic({ ...defaultsOf(cubic.params), ...values }, context))
  flow.control.windowPackets = windowPackets
  flow.rttPs = 100 * MS
  return flow
}

/** Acknowledges everything in flight at once, which ends a loss episode. */
function drain(flow: AckedFlow<Cubic>): void {
  flow.answer({ packets: flow.sender.highest - flow.sender.una })
}

/** Round trips, in each of which every packet of the window has its ACK. */
function roundTrips(flow: AckedFlow<Cubic>, trips: number): number {
  for (let trip = 0; trip < trips; trip++) {
    flow.nowPs += flow.rttPs
    const packets = Math.floor(flow.control.windowPackets)
    for (let i = 0; i < packets; i++) flow.answer({})
  }
  return flow.control.windowPackets
}

describe('a cut', () => {
  test('leaves 0.7, and W_max is the window at the loss', () => {
    const flow = flowAt(1000)
    flow.nak()
    const { windowPackets, thresholdPackets, maxPackets } = flow.control
    expect([windowPackets, thresholdPackets, maxPackets]).toEqual([700, 700, 1000])
  })

  test('below the last W_max aims lower: W_max = (1 + beta)/2 of the window (4.7)', () => {
    const flow = flowAt(1000)
    flow.nak()
    drain(flow)
    flow.control.windowPackets = 800
    flow.nak()
    expect(flow.control.maxPackets).toBeCloseTo(680, 9)
    expect(flow.control.windowPackets).toBeCloseTo(560, 9)
  })

  test('does so without fast convergence only to the window itself', () => {
    const flow = flowAt(1000, { fastConvergence: false })
    flow.nak()
    drain(flow)
    flow.control.windowPackets = 800
    flow.nak()
    expect(flow.control.maxPackets).toBe(800)
  })

  test('by a mark leaves as much as by a loss', () => {
    const flow = flowAt(1000, { ecn: true })
    expect(flow.acks('1')).toBe(700)
  })
})

describe('congestion avoidance', () => {
  /** From 700 packets, with W_max 1000: K is the cube root of 300 / 0.4, 9.086 s. */
  function cut(values: Values = {}): AckedFlow<Cubic> {
    const flow = flowAt(1000, values)
    flow.nak()
    drain(flow)
    return flow
  }

  test('is back at W_max after K, by the cubic function until then and beyond', () => {
    const flow = cut()
    roundTrips(flow, 1)
    expect(flow.control.kSeconds).toBeCloseTo(9.0856, 4)
    const atSeconds = (seconds: number): number => 0.4 * (seconds - 9.0856) ** 3 + 1000
    // The stage begins with its first ACK, and the window aims a round trip ahead.
    let seconds = 0.1
    for (const trips of [20, 30, 40, 20, 30]) {
      roundTrips(flow, trips)
      seconds += trips * 0.1
      expect(flow.control.windowPackets / atSeconds(seconds)).toBeCloseTo(1, 2)
    }
    expect(flow.control.windowPackets).toBeGreaterThan(1040)
  })

  test('gains half of the window in a round trip at most (4.2)', () => {
    const flow = cut({ c: 1e6, renoFriendly: false })
    const before = flow.control.windowPackets
    flow.nowPs += SECOND
    flow.answer({})
    flow.nowPs += SECOND
    flow.answer({})
    expect(flow.control.windowPackets).toBeLessThanOrEqual(before * (1 + 2 * (0.5 / before)) + 1e-9)
    expect(flow.control.windowPackets).toBeGreaterThan(before + 0.4)
  })

  test('keeps up with NewReno where that is faster: 0.53 packets a round trip, one from the last window on', () => {
    const flow = flowAt(20)
    flow.rttPs = MS
    flow.nak()
    drain(flow)
    const begin = roundTrips(flow, 1)
    expect(roundTrips(flow, 10) - begin).toBeCloseTo(10 * 0.529, 0)
    while (flow.control.estimatePackets < 20) roundTrips(flow, 1)
    const reached = flow.control.windowPackets
    expect(roundTrips(flow, 10) - reached).toBeCloseTo(10, 0)
  })

  test('without renoFriendly it is the cubic function alone', () => {
    const flow = flowAt(20, { renoFriendly: false })
    flow.rttPs = MS
    flow.nak()
    drain(flow)
    // K is 2.5 s, of which 10 ms are little.
    expect(roundTrips(flow, 11)).toBeLessThan(14.2)
  })

  test('t leaves out the time in which the window was not used (4.2)', () => {
    const [busy, idle] = [cut(), cut()]
    roundTrips(busy, 10)
    roundTrips(idle, 10)
    for (const flow of [busy, idle]) drain(flow)
    idle.flight = 5
    for (let i = 0; i < 50; i++) {
      idle.nowPs += 100 * MS
      idle.answer({})
    }
    idle.flight = null
    roundTrips(idle, 10)
    // With those five seconds the window would be 996 packets.
    expect(idle.control.windowPackets).toBeCloseTo(860, 0)
    expect(roundTrips(busy, 10)).toBeCloseTo(854, 0)
  })
})

test('after a timeout W_max is the window at which slow start ends, and K is 0 (4.8)', () => {
  const flow = flowAt(100)
  flow.timeout()
  expect([flow.control.windowPackets, flow.control.thresholdPackets]).toEqual([1, 70])
  drain(flow)
  while (flow.control.windowPackets < 70) roundTrips(flow, 1)
  roundTrips(flow, 1)
  expect(flow.control.kSeconds).toBe(0)
  expect(flow.control.maxPackets).toBeGreaterThanOrEqual(70)
  expect(flow.control.maxPackets).toBeLessThan(140)
})
