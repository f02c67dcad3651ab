import { describe, expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import { markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, GBPS, MBPS, US, type ValuesOf } from '../../base/params.ts'
import { DctcpRate, dctcpRate } from './dctcp-rate.ts'

/** A control with windows of ten packets: the sender is always nine packets ahead of the last ACK. */
class Flow {
  readonly control: DctcpRate
  #acknowledged = 0
  constructor(values: Partial<ValuesOf<typeof dctcpRate.params>> = {}) {
    this.control = new DctcpRate({ ...defaultsOf(dctcpRate.params), ...values }, contextOf())
  }
  ack(marked: boolean): number {
    const cumulativePsn = ++this.#acknowledged
    this.control.onAck(0, ackEventOf({ cumulativePsn, nextPsn: cumulativePsn + 9, marked, rttPs: 0 }))
    return this.control.rateBps / GBPS
  }
  acks(count: number, marked: boolean): number {
    for (let i = 0; i < count; i++) this.ack(marked)
    return this.control.rateBps / GBPS
  }
}

describe('a window', () => {
  test('T-DCTCP-3: marks in several ACKs of one window cut once', () => {
    const flow = new Flow()
    expect(flow.ack(true)).toBe(20)
    expect(flow.acks(9, true)).toBe(20)
    // The eleventh ACK is above all that was sent when the cut was made.
    expect(flow.ack(true)).toBeLessThan(20)
  })

  test('cuts by half of alpha as it is when the first mark of the window comes', () => {
    const flow = new Flow({ g: 0.5 })
    flow.control.alpha = 0.8
    expect(flow.ack(true)).toBeCloseTo(24, 12)
  })

  test('alpha moves by the share of marked ACKs, once per window', () => {
    const flow = new Flow({ g: 1 / 16 })
    flow.ack(false)
    flow.acks(9, false)
    expect(flow.control.alpha).toBe(1)
    flow.ack(false)
    expect(flow.control.alpha).toBe(0.9375)
    flow.acks(9, false)
    flow.ack(false)
    expect(flow.control.alpha).toBe(0.87890625)
    // Five marks in a window that counts ten packets.
    flow.acks(5, true)
    flow.acks(4, false)
    flow.ack(false)
    expect(flow.control.alpha).toBeCloseTo(0.87890625 * (15 / 16) + 0.5 / 16, 12)
  })

  test('the first window counts what is in flight when the first ACK comes, and the packet behind', () => {
    const flow = new Flow({ g: 0.5 })
    flow.ack(false)
    flow.acks(4, true)
    flow.acks(6, false)
    // Eleven packets: nextPsn 10, and one.
    expect(flow.control.alpha).toBeCloseTo(0.5 + (0.5 * 4) / 11, 12)
  })

  test('the first ACK may cut, even one that acknowledges nothing', () => {
    const flow = new Flow()
    flow.control.onAck(0, ackEventOf({ cumulativePsn: 0, nextPsn: 0, newPackets: 0, isNak: true, marked: true }))
    expect(flow.control.rateBps / GBPS).toBe(20)
  })

  test('without marks adds one step, up to the line rate', () => {
    const flow = new Flow({ additiveRate: 615 * MBPS })
    flow.ack(true)
    expect(flow.acks(10, false)).toBeCloseTo(20.615, 12)
    expect(flow.acks(10, false)).toBeCloseTo(21.23, 12)
    expect(flow.acks(1000, false)).toBe(40)
  })

  test('never cuts below the least rate', () => {
    const flow = new Flow()
    expect(flow.acks(10_000, true)).toBe(0.1)
  })
})

test('over a pipe: marks come back in ACKs, the rate falls and recovers', () => {
  const pair = new Pair({ congestion: scheme(dctcpRate), qp: { ecnEcho: 'ack' }, delayPs: 5 * US })
  pair.forward.rule(markWhere(({ count }) => count >= 100 && count < 300))
  pair.postPackets(400)
  pair.runUntilSent(400)
  const lowBps = pair.sender.congestion.rateBps
  expect(lowBps).toBeLessThan(10 * GBPS)
  pair.postPackets(2000)
  expect(pair.run()).toBe('finished')
  expect(pair.sender.congestion.rateBps).toBeGreaterThan(lowBps)
  expect(pair.forward.faults.marked).toBe(200)
})
