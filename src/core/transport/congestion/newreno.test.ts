import { describe, expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { ackEventOf } from '../../../../tests/support/control-world.ts'
import { defaultsOf, type ValuesOf } from '../../base/params.ts'
import { NewReno, newreno } from './newreno.ts'

type Values = Partial<ValuesOf<typeof newreno.params>>

const flowOf = (values: Values = {}): AckedFlow<NewReno> =>
  new AckedFlow((context) => new NewReno({ ...defaultsOf(newreno.params), ...values }, context))

/** In congestion avoidance with this window. */
function avoiding(windowPackets: number, values: Values = {}): AckedFlow<NewReno> {
  const flow = flowOf(values)
  flow.control.windowPackets = windowPackets
  flow.control.thresholdPackets = 2
  return flow
}

const both = ({ control }: AckedFlow<NewReno>): number[] => [control.windowPackets, control.thresholdPackets]

describe('growth', () => {
  test('slow start takes ten packets to twenty in a round trip', () => {
    expect(flowOf().acks('0'.repeat(10))).toBe(20)
  })

  test.each([
    [2, 12],
    [null, 11],
    [1, 11],
    [4, 14],
  ])('an ACK of four packets counts for %j in slow start (RFC 3465)', (byteCounting, window) => {
    expect(flowOf({ byteCounting }).answer({ packets: 4 })).toBe(window)
  })

  test('congestion avoidance is a packet a round trip, with delayed ACKs too', () => {
    const flow = avoiding(20)
    for (let i = 0; i < 10; i++) flow.answer({ packets: 2 })
    expect(flow.control.windowPackets).toBeCloseTo(21, 1)
  })

  test('by the letter of RFC 5681 delayed ACKs gain half as much', () => {
    const flow = avoiding(20, { byteCounting: null })
    for (let i = 0; i < 10; i++) flow.answer({ packets: 2 })
    expect(flow.control.windowPackets).toBeCloseTo(20.5, 1)
  })

  test('a window that is not used does not grow', () => {
    const flow = avoiding(20)
    flow.flight = 10
    expect(flow.acks('0'.repeat(50))).toBe(20)
  })
})

describe('a loss', () => {
  test('leaves half of what was in flight, once until all of that is acknowledged', () => {
    const flow = avoiding(20)
    flow.nak()
    expect(both(flow)).toEqual([10, 10])
    flow.nak()
    flow.acks('0'.repeat(20))
    expect(both(flow)).toEqual([10, 10])
    flow.nak()
    expect(both(flow)).toEqual([5, 5])
  })

  test('leaves two packets at least', () => {
    const flow = avoiding(3)
    flow.nak()
    expect(both(flow)).toEqual([2, 2])
  })

  test('halves what was used of the window, not the window', () => {
    const flow = avoiding(40)
    flow.flight = 12
    flow.nak()
    expect(both(flow)).toEqual([6, 6])
  })

  test('that NewReno has repaired leaves no burst: what is in flight and one more (RFC 6582)', () => {
    const flow = avoiding(20)
    flow.nak()
    flow.control.onRepaired(3)
    expect(both(flow)).toEqual([4, 10])
    flow.control.onRepaired(15)
    expect(both(flow)).toEqual([10, 10])
  })
})

describe('a timeout', () => {
  test('is one packet, and slow start to half of what was in flight', () => {
    const flow = avoiding(20)
    expect(flow.timeout()).toBe(1)
    expect(flow.control.thresholdPackets).toBe(10)
  })

  test('of the same packet again leaves the threshold (RFC 5681 3.1)', () => {
    const flow = avoiding(20)
    flow.timeout()
    flow.timeout()
    expect(both(flow)).toEqual([1, 10])
  })

  test('counts one packet for each ACK of what was in flight at it (RFC 3465: L = 1)', () => {
    const flow = avoiding(20)
    flow.timeout()
    expect(flow.answer({ packets: 4 })).toBe(2)
    flow.control.windowPackets = 2
    flow.answer({ packets: 16 })
    expect(flow.control.windowPackets).toBe(3)
    expect(flow.answer({ packets: 2 })).toBe(5)
  })

  test('an idle period reduces the window to the initial one, but never raises it (RFC 5681 4.1)', () => {
    const flow = avoiding(40)
    flow.control.onSilence()
    expect(both(flow)).toEqual([10, 2])
    flow.control.windowPackets = 4
    flow.control.onSilence()
    expect(flow.control.windowPackets).toBe(4)
  })
})

describe('marks, where ECN is on', () => {
  const marking = (windowPackets: number) => avoiding(windowPackets, { ecn: true })

  test('cut once per window of data, and ask for a CWR', () => {
    const flow = marking(20)
    expect([flow.acks('1'), flow.control.isCwrDue]).toEqual([10, true])
    flow.control.isCwrDue = false
    // Those of the same window, marked or not, neither cut nor grow.
    expect([flow.acks('1'.repeat(10) + '0'.repeat(9)), flow.control.isCwrDue]).toEqual([10, false])
    expect(flow.acks('1')).toBe(5)
  })

  test('are not read where it is off', () => {
    const flow = avoiding(20)
    flow.acks('1111')
    expect([flow.control.windowPackets > 20, flow.control.isCwrDue]).toEqual([true, false])
  })

  test('count as the cut for a loss of the same window too', () => {
    const flow = marking(20)
    flow.acks('1')
    flow.nak()
    expect(both(flow)).toEqual([10, 10])
  })

  test('a loss and a timeout ask for a CWR as well', () => {
    const flow = marking(20)
    flow.nak()
    expect(flow.control.isCwrDue).toBe(true)
    flow.control.isCwrDue = false
    flow.timeout()
    expect(flow.control.isCwrDue).toBe(true)
  })

  test('still echoed after a timeout neither hold slow start back nor cut', () => {
    const flow = marking(20)
    flow.acks('1')
    flow.timeout()
    expect(flow.acks('1111')).toBe(5)
    expect(flow.control.thresholdPackets).toBe(5)
  })

  test('do not raise a window that is below the least threshold', () => {
    const flow = marking(1)
    expect(flow.acks('1')).toBe(1)
  })

  test('a control asks for ECN and CWR only with ecn', () => {
    const values = defaultsOf(newreno.params)
    expect(newreno.needsWith!(values)).toEqual({ perPacketAck: true })
    expect(newreno.needsWith!({ ...values, ecn: true })).toEqual({ perPacketAck: true, ecn: true, cwr: true })
  })
})

test('an ACK that acknowledges nothing has no effect', () => {
  const flow = avoiding(20)
  flow.acks('0')
  const before = flow.control.windowPackets
  flow.control.onAck(0, ackEventOf({ cumulativePsn: 1, nextPsn: 21, newPackets: 0 }))
  expect(flow.control.windowPackets).toBe(before)
})
