import { describe, expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { ackEventOf } from '../../../../tests/support/control-world.ts'
import { markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, US, type ValuesOf } from '../../base/params.ts'
import type { CongestionContext } from './congestion.ts'
import { D2tcp, d2tcp } from './d2tcp.ts'
import { Dctcp, dctcp } from './dctcp.ts'
import { L2dct, l2dct } from './l2dct.ts'

/** A window of data has just ended; if `flight` is below the window, nothing grows. */
function flowWith(
  windowPackets: number,
  alpha: number,
  flight: number | null,
  values: Partial<ValuesOf<typeof dctcp.params>> = {},
): AckedFlow<Dctcp> {
  const flow = new AckedFlow((context) => new Dctcp({ ...defaultsOf(dctcp.params), ...values }, context))
  flow.flight = flight ?? windowPackets
  flow.acks('0')
  flow.flight = flight
  flow.control.windowPackets = windowPackets
  flow.control.alpha = alpha
  return flow
}

describe('marks', () => {
  test('T-DCTCP-1: alpha moves first, then half of it is cut', () => {
    const first = flowWith(20, 0.8, 5, { g: 0.5 })
    expect(first.acks('0001')).toBe(20)
    expect(first.acks('1')).toBeCloseTo(14, 12)
    expect(first.control.alpha).toBeCloseTo(0.6, 12)
    const second = flowWith(30, 0.8, 3, { g: 0.5 })
    expect(second.acks('011')).toBeCloseTo(19, 12)
    expect(second.control.alpha).toBeCloseTo(0.73333, 5)
  })

  test('T-DCTCP-2: four windows, growth by hand', () => {
    const flow = flowWith(100, 1, 10)
    const seen: number[][] = []
    for (const marks of ['0000000000', '0000000000', '0101010101', '1111111111']) {
      flow.acks(marks)
      if (!marks.includes('1')) flow.control.windowPackets++
      seen.push([flow.control.alpha, flow.control.windowPackets])
    }
    const expected = [
      [0.9375, 101],
      [0.87890625, 102],
      [0.855224609, 58.383545],
      [0.864273071, 33.153882],
    ]
    expected.forEach(([alpha, packets], i) => {
      expect(seen[i]![0]).toBeCloseTo(alpha!, 9)
      expect(seen[i]![1]).toBeCloseTo(packets!, 6)
    })
  })

  test('T-DCTCP-3: several of one window cut once', () => {
    const flow = flowWith(40, 1, 10, { g: 0 })
    expect(flow.acks('0110100101')).toBe(20)
    expect(flow.acks('0000000000')).toBe(20)
  })

  test('cutOnFirstEce: the first of a window cuts at once with the alpha of the last full one', () => {
    const flow = flowWith(40, 0.5, 10, { cutOnFirstEce: true })
    expect(flow.acks('01')).toBe(30)
    // Up to the last packet sent before the cut.
    expect(flow.acks('111111111')).toBe(30)
    expect(flow.control.alpha).toBeGreaterThan(0.5)
    expect(flow.acks('1')).toBeLessThan(30)
  })

  test('cutOnFirstEce: the window rests for a round trip behind the cut', () => {
    const flow = flowWith(40, 0.5, null, { cutOnFirstEce: true })
    flow.acks('1')
    expect(flow.control.windowPackets).toBe(30)
    expect(flow.acks('0'.repeat(39))).toBe(30)
    expect(flow.acks('0'.repeat(2))).toBeGreaterThan(30)
  })

  test('the first ACK ends a window of its own, and alpha starts at 1', () => {
    const flow = new AckedFlow((context) => new Dctcp(defaultsOf(dctcp.params), context))
    expect(flow.acks('1')).toBe(55)
    expect(flow.control.alpha).toBe(1)
  })
})

/** RFC 3168 6.1.2: "only once in response to a series of dropped and/or CE packets from a single window of data". */
describe.each([
  [
    'dctcp',
    (values: object, context: CongestionContext) => new Dctcp({ ...defaultsOf(dctcp.params), ...values }, context),
  ],
  [
    'd2tcp',
    (values: object, context: CongestionContext) => new D2tcp({ ...defaultsOf(d2tcp.params), ...values }, context),
  ],
  [
    'l2dct',
    (values: object, context: CongestionContext) => new L2dct({ ...defaultsOf(l2dct.params), ...values }, context),
  ],
])('%s: packets sent before a cut', (_name, create) => {
  const begin = (cutOnFirstEce: boolean): AckedFlow<Dctcp> => {
    const flow = new AckedFlow((context) => create({ cutOnFirstEce }, context))
    flow.flight = 10
    flow.acks('0')
    flow.control.windowPackets = 40
    return flow
  }

  test.each([false, true])('their marks count in alpha and cut nothing more; cutOnFirstEce: %s', (cutOnFirstEce) => {
    const flow = begin(cutOnFirstEce)
    // The last one ends a window of data.
    const once = flow.acks('0000000001')
    const { alpha } = flow.control
    expect(once).toBeLessThan(40)
    // Ten in flight: nine of them were sent before the cut, and the next is the first that was not.
    expect(flow.acks('111111111')).toBe(once)
    expect(flow.acks('0')).toBe(once)
    expect(flow.control.alpha).toBeGreaterThan(alpha)
    // Packets sent after the cut.
    expect(flow.acks('1111111111')).toBeLessThan(once)
  })

  test.each([false, true])('their loss halves nothing, a loss behind them does; cutOnFirstEce: %s', (cutOnFirstEce) => {
    const flow = begin(cutOnFirstEce)
    const once = flow.acks('0000000001')
    expect(flow.nak()).toBe(once)
    flow.answer({ packets: 10 })
    expect(flow.nak()).toBe(once / 2)
  })
})

describe('growth', () => {
  test('a round trip of ACKs adds one packet to a window that is used', () => {
    expect(flowWith(100, 1, null).acks('0'.repeat(100))).toBeCloseTo(100.995, 3)
  })

  test('none if the window does not limit the sender', () => {
    expect(flowWith(100, 1, 99).acks('0'.repeat(500))).toBe(100)
  })

  test('marked ACKs add nothing', () => {
    expect(flowWith(100, 0, null, { g: 0 }).acks('1'.repeat(50))).toBe(100)
  })

  test('slow start doubles per round trip up to the first cut', () => {
    const flow = new AckedFlow(
      (context) => new Dctcp({ ...defaultsOf(dctcp.params), slowStart: true, initialWindow: 4 }, context),
    )
    expect([flow.acks('0000'), flow.acks('00000000')]).toEqual([8, 16])
    const cut = flow.nak()
    expect(cut).toBe(8)
    flow.acks('0'.repeat(16))
    expect(flow.acks('0'.repeat(8))).toBeLessThan(9.01)
  })
})

describe('losses', () => {
  test('halve once per episode, and marks in it cut nothing more', () => {
    const flow = flowWith(64, 1, 64)
    expect([flow.nak(), flow.nak(), flow.acks('1'.repeat(64))]).toEqual([32, 32, 32])
    expect(flow.nak()).toBe(16)
  })

  test('a timeout halves without slow start, and starts again from the least with it', () => {
    expect(flowWith(64, 1, 64).timeout()).toBe(32)
    const flow = flowWith(64, 1, 64, { slowStart: true })
    expect(flow.timeout()).toBe(1)
    flow.answer({ packets: 64 })
    flow.flight = null
    flow.acks('0'.repeat(31))
    expect(flow.control.windowPackets).toBe(32)
    expect(flow.acks('0')).toBeCloseTo(32.03, 2)
  })

  test('after a timeout without slow start the window rises by one packet a round trip', () => {
    const flow = flowWith(64, 0.5, 64)
    flow.acks('1'.repeat(64))
    const before = flow.timeout()
    flow.flight = null
    flow.answer({ packets: flow.sender.nxt - flow.sender.una })
    flow.acks('0'.repeat(Math.floor(before)))
    expect(flow.control.windowPackets).toBeLessThan(before + 1.01)
  })

  test('and marks cut to the least window', () => {
    const flow = flowWith(20, 1, 3, { minWindow: 2 })
    expect(flow.acks('1'.repeat(60))).toBe(2)
    expect(flow.nak()).toBe(2)
  })
})

test('an ACK that acknowledges nothing ends no window', () => {
  const flow = flowWith(20, 0.5, 3)
  flow.sender.una += 10
  flow.answer({ packets: 0, marked: true })
  expect(flow.control.alpha).toBe(0.5)
})

test('over a pipe: marks come back in ACKs, the window falls and grows again', () => {
  const pair = new Pair({ congestion: scheme(dctcp), qp: { ackInterval: 1, ecnEcho: 'ack' }, delayPs: 10 * US })
  pair.forward.rule(markWhere(({ count }) => count >= 100 && count < 300))
  pair.postPackets(400)
  pair.runUntilSent(400)
  const low = pair.sender.congestion.windowPackets
  expect(low).toBeLessThan(60)
  pair.postPackets(2000)
  expect(pair.run()).toBe('finished')
  expect(pair.sender.congestion.windowPackets).toBeGreaterThan(low + 10)
  expect(pair.forward.faults.marked).toBe(200)
})

test('a NAK that ends a window does not make the next ACK end one: what was sent before it belongs to the same', () => {
  const alphaBehind = (nextPsn: number): number => {
    const flow = flowWith(100, 1, 10)
    const answer = (cumulativePsn: number, isNak: boolean, nxt: number): void =>
      flow.control.onAck(0, ackEventOf({ cumulativePsn, nextPsn: nxt, unsentPsn: 181, isNak }))
    answer(92, true, nextPsn)
    const { alpha } = flow.control
    answer(93, false, nextPsn + 1)
    return flow.control.alpha / alpha
  }
  expect([alphaBehind(181), alphaBehind(92)]).toEqual([1, 1])
})
