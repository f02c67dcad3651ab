import { describe, expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, SECOND, US, type ValuesOf } from '../../base/params.ts'
import { Timers } from '../timers.ts'
import { swift, Swift } from './swift.ts'

const TARGET_50: Partial<ValuesOf<typeof swift.params>> = { baseTarget: 50 * US, scalingRange: 0 }

class Flow {
  readonly control: Swift
  readonly timers = new Timers({ draw: () => 1 })
  #psn = 0
  constructor(windowPackets: number, values: Partial<ValuesOf<typeof swift.params>> = TARGET_50) {
    this.control = new Swift({ ...defaultsOf(swift.params), ...values }, contextOf({ timers: this.timers }))
    this.control.windowPackets = windowPackets
  }
  /** An ACK of one packet at a time, after a round trip, with a full window behind it; returns the window then. */
  ack(atUs: number, rttUs: number, newPackets = 1, inFlight = Math.ceil(this.control.windowPackets)): number {
    const cumulativePsn = ++this.#psn
    this.control.onAck(
      atUs * US,
      ackEventOf({ cumulativePsn, nextPsn: cumulativePsn + inFlight, newPackets, rttPs: rttUs * US }),
    )
    return this.control.windowPackets
  }
}

describe('the target', () => {
  test('T-SW-1: a small window adds to it, between 0 and the range', () => {
    const { control } = new Flow(16, { baseTarget: 20 * US })
    const scaledUs = (windowPackets: number) => (control.targetPs(windowPackets) - 20 * US) / US
    expect(scaledUs(0.1)).toBeCloseTo(100, 9)
    expect(scaledUs(1)).toBeCloseTo(29.38989, 5)
    expect(scaledUs(4)).toBeCloseTo(13.062173, 5)
    expect(scaledUs(16)).toBeCloseTo(4.898315, 5)
    expect(scaledUs(100)).toBeCloseTo(0, 9)
    expect(scaledUs(0.01)).toBeCloseTo(100, 9)
    expect(scaledUs(1000)).toBe(0)
    // fa is the step from one packet to infinitely many, fb the remainder there.
    expect(scaledUs(1) - -3.265543).toBeCloseTo(32.65543, 4)
  })

  test('each hop adds a share of the base target, or a given value', () => {
    const targetUs = (values: Partial<ValuesOf<typeof swift.params>>) =>
      new Flow(1000, { baseTarget: 20 * US, ...values }).control.targetPs(1000) / US
    expect(targetUs({ hops: 0 })).toBe(20)
    expect(targetUs({ hops: 2 })).toBeCloseTo(20 + (2 * 20) / 6.55, 9)
    expect(targetUs({ hops: 2, hopDelay: US })).toBe(22)
  })
})

describe('an ACK', () => {
  test('T-SW-2: below the target the window rises by a packet per round trip', () => {
    expect(new Flow(16).ack(100, 40)).toBe(16.0625)
  })
  test('raises a window only if it limited the sender within the round trip', () => {
    const flow = new Flow(16)
    expect(flow.ack(100, 40, 1, 10)).toBe(16)
    expect(flow.ack(101, 40, 1, 15)).toBe(16.0625)
    // 13 packets of those that were sent next then.
    expect(flow.ack(102, 40, 1, 10)).toBeGreaterThan(16.12)
    for (let i = 0; i < 13; i++) flow.ack(103 + i, 40, 1, 10)
    const last = flow.ack(120, 40, 1, 10)
    expect(flow.ack(121, 40, 1, 10)).toBe(last)
    expect(flow.ack(122, 60, 1, 10)).toBeLessThan(last)
  })
  test('alone on its line a flow keeps the BDP', () => {
    const pair = new Pair({ congestion: scheme(swift), qp: { ackInterval: 1 }, delayPs: 10 * US })
    pair.postPackets(20_000)
    pair.run()
    // 20us and the packet itself hold 91 packets of 1106 bytes.
    expect(pair.sender.congestion.windowPackets).toBeLessThan(95)
  })
  test('T-SW-2: above the target it is cut by the distance', () => {
    expect(new Flow(16).ack(100, 60)).toBeCloseTo(13.866667, 6)
  })
  test('T-SW-2: no cut takes more than half', () => {
    expect(new Flow(16).ack(100, 400)).toBe(8)
  })
  test('at the target itself nothing happens', () => {
    const flow = new Flow(16)
    expect(flow.ack(100, 50)).toBe(16)
    expect(new Flow(0.5).ack(100, 50)).toBe(0.5)
  })
  test('of several packets counts for each of them', () => {
    expect(new Flow(16).ack(100, 40, 2)).toBe(16.125)
    expect(new Flow(0.25).ack(100, 40, 2)).toBe(2.25)
  })
  test('T-SW-3: two high delays within a round trip are one cut', () => {
    const flow = new Flow(16)
    const cut = flow.ack(100, 60)
    expect(flow.ack(159, 60)).toBe(cut)
    expect(flow.ack(160, 60)).toBeLessThan(cut)
  })
  test('below one packet the window rises by whole packets', () => {
    expect(new Flow(0.5).ack(100, 40)).toBe(1.5)
  })
  test('the window has a least size', () => {
    const flow = new Flow(16)
    for (let i = 1; i < 100; i++) flow.ack(i * 500, 400)
    expect(flow.control.windowPackets).toBe(0.01)
  })
})

describe('a loss', () => {
  test('halves the window once per round trip', () => {
    const flow = new Flow(16)
    flow.ack(100, 40)
    flow.control.onLoss(110 * US)
    flow.control.onLoss(149 * US)
    expect(flow.control.windowPackets).toBe(8.03125)
    flow.control.onLoss(150 * US)
    expect(flow.control.windowPackets).toBe(4.015625)
  })
  test('timeouts halve it, the fifth consecutive one sets the minimum; an ACK resets the count', () => {
    const flow = new Flow(64)
    const timeouts = (count: number, fromUs: number) => {
      for (let i = 0; i < count; i++) flow.control.onTimeout((fromUs + 100 * i) * US)
      return flow.control.windowPackets
    }
    expect(timeouts(4, 0)).toBe(4)
    flow.ack(450, 50)
    expect(timeouts(4, 1000)).toBeGreaterThan(0.1)
    expect(timeouts(1, 2000)).toBe(0.01)
  })
})

describe('a window below one packet', () => {
  const still = { additive: 0, baseTarget: SECOND }
  const slow = () =>
    new Pair({ congestion: scheme(swift, still), qp: { ackInterval: 1, ackTimeout: null }, delayPs: 12.5 * US })

  test('T-SW-4: at half a packet and 25us one packet goes every 50us', () => {
    const pair = slow()
    pair.sender.congestion.windowPackets = 0.5
    pair.sender.congestion.releases = 1
    pair.postPackets(5)
    expect(pair.run()).toBe('finished')
    expect([0, 1, 2, 3, 4].map((psn) => pair.timesOf(`data ${psn}`)[0])).toEqual(
      [0, 50, 100, 150, 200].map((us) => us * US),
    )
  })

  test('one that grows to a packet sends at once', () => {
    const pair = slow()
    pair.sender.congestion.windowPackets = 0.5
    pair.sender.congestion.releases = 1
    pair.postPackets(3)
    pair.runUntil(20 * US)
    pair.sender.congestion.windowPackets = 2
    pair.run()
    expect([1, 2].map((psn) => pair.timesOf(`data ${psn}`)[0])).toEqual([25 * US, 25 * US + 221_200])
  })

  test('after a long idle period a flow sends its next packet at once, and only one', () => {
    const pair = slow()
    pair.sender.congestion.windowPackets = 0.5
    pair.sender.congestion.releases = 1
    pair.postPackets(1)
    pair.runUntil(500 * US)
    pair.postPackets(2)
    pair.run()
    expect([1, 2].map((psn) => pair.timesOf(`data ${psn}`)[0])).toEqual([500 * US, 550 * US])
  })

  describe('is released by a timer', () => {
    /** A control that sent its last packet at 100us, with half a packet of window and round trips of 20us. */
    const halfAPacket = () => {
      const flow = new Flow(0.5, { ...TARGET_50, additive: 0 })
      flow.ack(90, 20)
      flow.timers.clearAll()
      flow.control.releases = 0
      flow.control.onSent(100 * US)
      return flow
    }
    const dueUs = ({ timers }: Flow) => timers.nextPs / US

    test('that a packet sets, whether it is answered or not', () => {
      expect(dueUs(halfAPacket())).toBe(140)
    })

    test('and that stays where it is when the round trip changes', () => {
      const flow = halfAPacket()
      flow.ack(110, 45)
      expect([dueUs(flow), flow.control.releases]).toEqual([140, 0])
    })

    test('not while a release waits to be used', () => {
      const flow = halfAPacket()
      flow.timers.clearAll()
      flow.control.onTimer()
      flow.ack(150, 45)
      expect([dueUs(flow), flow.control.releases]).toEqual([Infinity, 1])
    })

    test('and at once where the time has passed', () => {
      const flow = halfAPacket()
      flow.timers.clearAll()
      flow.ack(141, 20)
      expect([dueUs(flow), flow.control.releases]).toEqual([Infinity, 1])
    })

    test.each([1, 2])('and not at all with a window of %i', (windowPackets) => {
      const flow = halfAPacket()
      flow.control.windowPackets = windowPackets
      flow.ack(110, 50)
      expect([flow.control.windowPackets, dueUs(flow), flow.control.releases]).toEqual([windowPackets, Infinity, 0])
      flow.control.onSent(120 * US)
      expect(dueUs(flow)).toBe(Infinity)
    })
  })
})
