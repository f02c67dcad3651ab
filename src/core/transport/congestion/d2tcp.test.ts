import { describe, expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, US } from '../../base/params.ts'
import { D2tcp, d2tcp, urgencyOf } from './d2tcp.ts'
import { dctcp } from './dctcp.ts'

/**
 * Alpha 0.25, window 20, RTT 100us, 150 packets left when a marked window of data ends, with `leftPs` until the
 * deadline.
 */
function windowAfter(leftPs: number, deadline: number | null = 5000 * US): number {
  const flow = new AckedFlow((context) => new D2tcp({ ...defaultsOf(d2tcp.params), g: 0, deadline }, context))
  flow.sender.end = 155
  flow.rttPs = 100 * US
  flow.flight = 4
  flow.control.onSent(0, 1106)
  flow.acks('0')
  flow.control.alpha = 0.25
  flow.control.windowPackets = 20
  flow.nowPs = 5000 * US - leftPs
  return flow.acks('0101')
}

describe('the cut', () => {
  test.each([
    [2000, 0.5, 15],
    [1000, 1, 17.5],
    [500, 2, 19.375],
  ])('T-D2-1: with %dus left the urgency is %d and 20 becomes %d', (left, _urgency, packets) => {
    expect(windowAfter(left * US)).toBe(packets)
  })

  test('T-D2-2: 150 packets, window 20, RTT 100us and 900us left: urgency 1.111', () => {
    const rest = { remainingPackets: 150, windowPackets: 20, rttPs: 100 * US }
    expect(urgencyOf({ ...rest, leftPs: 900 * US })).toBeCloseTo(1000 / 900, 12)
    expect(windowAfter(900 * US)).toBeCloseTo(20 * (1 - 0.25 ** (1000 / 900) / 2), 12)
  })

  test('T-D2-3: after the deadline the urgency is least', () => {
    expect(windowAfter(0)).toBe(15)
    expect(windowAfter(-300 * US)).toBe(15)
  })

  test('nothing left to send is not urgent', () => {
    expect(urgencyOf({ remainingPackets: 0, windowPackets: 20, rttPs: 100 * US, leftPs: US })).toBe(0.5)
  })

  test('without a deadline it is that of DCTCP', () => {
    expect(windowAfter(500 * US, null)).toBe(17.5)
  })
})

test('a deadline counts from the first packet, whatever is sent again, and anew for the next message', () => {
  const flow = new AckedFlow(
    (context) => new D2tcp({ ...defaultsOf(d2tcp.params), g: 0, deadline: 1000 * US }, context),
  )
  const cutAt = (nowPs: number): number => {
    flow.nowPs = nowPs
    flow.control.alpha = 0.25
    flow.control.windowPackets = 20
    return flow.acks('1111')
  }
  flow.flight = 4
  flow.rttPs = 1000 * US
  flow.sender.end = 100
  flow.control.onSent(0, 1106)
  flow.acks('0')
  // Much is left for the time: maximum urgency. A retransmission at 900us has no effect.
  flow.control.onSent(900 * US, 1106)
  expect(cutAt(990 * US)).toBe(19.375)
  expect(cutAt(1000 * US)).toBe(15)
  flow.answer({ packets: 100 - flow.sender.una })
  flow.sender.end = 200
  flow.control.onSent(2000 * US, 1106)
  expect(cutAt(2100 * US)).toBe(19.375)
})

test('over a pipe: a near deadline that can be met is met, a far one takes longer, and none is DCTCP', () => {
  const finishedPs = (congestion: ReturnType<typeof scheme>): number => {
    const pair = new Pair({ congestion, qp: { ackInterval: 1, ecnEcho: 'ack' }, delayPs: 10 * US })
    pair.forward.rule(markWhere(({ count }) => count % 20 === 0))
    pair.postPackets(1000)
    expect(pair.run()).toBe('finished')
    return pair.nowPs
  }
  const none = finishedPs(scheme(d2tcp))
  expect(none).toBe(finishedPs(scheme(dctcp)))
  expect(none).toBeGreaterThan(1000 * US)
  expect(finishedPs(scheme(d2tcp, { deadline: 1000 * US }))).toBeLessThan(1000 * US)
  expect(finishedPs(scheme(d2tcp, { deadline: 100_000 * US }))).toBeGreaterThan(none)
})
