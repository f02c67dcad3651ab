import { describe, expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import { holdWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, NS, US, type ValuesOf } from '../../base/params.ts'
import { shortBits } from '../segment.ts'
import { Dx, dx } from './dx.ts'

/** A control with R = 20us and a path of 10us without queues; a window ends with each ACK. */
class Flow {
  readonly control: Dx
  #psn = 0
  #nextPsn = 0
  constructor(windowPackets: number, values: Partial<ValuesOf<typeof dx.params>> = {}) {
    this.control = new Dx({ ...defaultsOf(dx.params), ...values }, contextOf())
    this.ack(0)
    this.ack(0)
    this.control.windowPackets = windowPackets
  }
  /**
   * An ACK of a packet that queued for `queueingUs`: within the current window, which is full, or ending it; returns
   * the window then.
   */
  ack(queueingUs: number, endsWindow = true, inFlight = Math.ceil(this.control.windowPackets)): number {
    if (endsWindow) this.#psn = this.#nextPsn + 1
    const cumulativePsn = this.#psn
    if (endsWindow) this.#nextPsn = cumulativePsn + inFlight
    const nextPsn = cumulativePsn + inFlight
    this.control.onAck(0, ackEventOf({ cumulativePsn, nextPsn, delayPs: (10 + queueingUs) * US, rttPs: 0 }))
    return this.control.windowPackets
  }
}

describe('once per window', () => {
  test('T-DX-1: a queueing delay cuts by Q / V, V = R W / (W - 1)', () => {
    expect(new Flow(10).ack(5)).toBeCloseTo(7.75, 12)
  })
  test('T-DX-2: no queueing delay adds a packet', () => {
    expect(new Flow(10).ack(0)).toBe(11)
  })
  test('T-DX-3: a window of two', () => {
    expect(new Flow(2).ack(5)).toBeCloseTo(1.75, 12)
  })
  test('T-DX-4: a cut by more than the window leaves one packet', () => {
    expect(new Flow(10).ack(30)).toBe(1)
  })
  test('T-DX-5: a window of one is not cut', () => {
    expect(new Flow(1).ack(5)).toBe(1)
  })
  test('a window that did not limit the sender does not grow, but is cut', () => {
    const flow = new Flow(10)
    expect(flow.ack(0, true, 5)).toBe(10)
    expect(flow.ack(0, true, 5)).toBe(10)
    flow.ack(0, false, 10)
    expect(flow.ack(0, true, 5)).toBe(11)
    expect(flow.ack(5, true, 5)).toBeLessThan(10)
  })
  test('the mean of all ACKs of the window counts, and the next window starts anew', () => {
    const flow = new Flow(10)
    flow.ack(0, false)
    expect(flow.ack(10)).toBeCloseTo(7.75, 12)
    expect(flow.ack(0)).toBeCloseTo(8.75, 12)
  })
  test('the first ACK begins the first window and ends none', () => {
    const control = new Dx(defaultsOf(dx.params), contextOf())
    const ack = (psn: number) => {
      control.onAck(0, ackEventOf({ cumulativePsn: psn, nextPsn: psn + 90, delayPs: 10 * US }))
      return control.windowPackets
    }
    // 91 with the acknowledged one: the 92nd ACK is above everything sent by the first.
    expect([1, 2, 91, 92, 93].map(ack)).toEqual([90, 90, 90, 91, 91])
  })
  test('delays count from the least seen so far', () => {
    const flow = new Flow(10)
    flow.ack(-5, false)
    expect(flow.ack(-5)).toBe(11)
    // Now 10us is a queueing delay of five.
    expect(flow.ack(0)).toBeCloseTo(11 * (1 - 5 / (20 * (11 / 10))), 12)
  })
})

describe('packets of several sizes', () => {
  const SHORT = shortBits(64, 1024)
  /** An ACK that ends a window; returns the window then. */
  const heard = (control: Dx, psn: number, delayUs: number, bits = 0) => {
    const cumulativePsn = 100 * psn
    control.onAck(0, ackEventOf({ cumulativePsn, nextPsn: cumulativePsn + 90, delayPs: delayUs * US, shortBits: bits }))
    return control.windowPackets
  }
  const flowOf = () => {
    const control = new Dx({ ...defaultsOf(dx.params), initialWindow: 10, threshold: 0 }, contextOf())
    heard(control, 1, 9, SHORT)
    return control
  }

  test('a short packet that arrives first is disregarded later: its delay is not that of a full one', () => {
    const control = flowOf()
    expect(heard(control, 2, 10)).toBe(11)
    expect(heard(control, 3, 10)).toBe(12)
  })
  test('a short one after them does not become the least, and its extra delay counts', () => {
    const control = flowOf()
    heard(control, 2, 10)
    expect(heard(control, 3, 9, SHORT)).toBe(12)
    expect(heard(control, 4, 10)).toBe(13)
    expect(heard(control, 5, 15, SHORT)).toBeCloseTo(13 * (1 - 5 / (20 * (13 / 12))), 12)
  })
  test('if all are short the least delay of the largest counts', () => {
    const control = flowOf()
    expect(heard(control, 2, 9, SHORT)).toBe(11)
    expect(heard(control, 3, 10, SHORT)).toBeLessThan(11)
    expect(heard(control, 4, 10, shortBits(512, 1024))).toBeGreaterThan(11)
  })
  test('a first message of one byte does not affect the window of later ones', () => {
    const pair = new Pair({ congestion: scheme(dx, { initialWindow: 4 }), qp: { ackInterval: 1 }, delayPs: 10 * US })
    // As over several hops that store and forward.
    pair.forward.rule(holdWhere(US, ({ segment }) => segment.payloadBytes === 1024))
    pair.post(1)
    pair.run()
    pair.postPackets(100)
    pair.run()
    expect(pair.sender.congestion.windowPackets).toBeGreaterThan(8)
  })
})

describe('the threshold', () => {
  test('off is one full packet at line rate', () => {
    const queued = (us: number) => {
      const flow = new Flow(10)
      flow.control.onSent(0, 1106)
      flow.control.onSent(0, 84)
      return flow.ack(us)
    }
    expect(queued(0.2212)).toBe(11)
    expect(queued(0.2213)).toBeLessThan(10)
  })
  test('a given one holds whatever is sent', () => {
    const flow = new Flow(10, { threshold: 100 * NS })
    flow.control.onSent(0, 1106)
    expect(flow.ack(0.1)).toBe(11)
    expect(flow.ack(0.11)).toBeLessThan(11)
  })
})

test('the window starts at the BDP, or as given', () => {
  const windowOf = (initialWindow: number | null) =>
    new Pair({ congestion: scheme(dx, { initialWindow }), qp: { ackInterval: 1 }, delayPs: 10 * US }).sender.congestion
      .windowPackets
  // 20us at 40 Gb/s are 100,000 bytes in frames of 1086.
  expect(windowOf(null)).toBe(92)
  expect(windowOf(4)).toBe(4)
})

test('over a pipe: whole packets of the window are in flight, and a delay on the way there shrinks it', () => {
  const pair = new Pair({ congestion: scheme(dx, { initialWindow: 4 }), qp: { ackInterval: 1 }, delayPs: 10 * US })
  pair.postPackets(600)
  pair.runUntil(19 * US)
  expect(pair.dataSent).toEqual([0, 1, 2, 3])
  pair.runUntil(200 * US)
  const grown = pair.sender.congestion.windowPackets
  expect(grown).toBeGreaterThanOrEqual(12)
  pair.forward.rule(holdWhere(15 * US, () => true))
  pair.run()
  expect(pair.sender.congestion.windowPackets).toBeLessThan(grown / 2)
})

test('a NAK that ends a window does not make the next ACK end one: what was sent before it belongs to the same', () => {
  const windowBehind = (nextPsn: number): number => {
    const control = new Dx(defaultsOf(dx.params), contextOf())
    const ack = (cumulativePsn: number, nxt: number, queueingUs: number): void =>
      control.onAck(0, ackEventOf({ cumulativePsn, nextPsn: nxt, unsentPsn: 181, delayPs: (10 + queueingUs) * US }))
    ack(1, 91, 0)
    for (let psn = 2; psn <= 181; psn++) ack(psn, 181, 0)
    ack(182, nextPsn, 5)
    const before = control.windowPackets
    ack(183, nextPsn + 1, 5)
    return control.windowPackets - before
  }
  expect([windowBehind(271), windowBehind(182)]).toEqual([windowBehind(271), windowBehind(271)])
})
