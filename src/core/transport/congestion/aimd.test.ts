import { describe, expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { lose } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, US, type ValuesOf } from '../../base/params.ts'
import { irn } from '../recovery/irn.ts'
import { DATA } from '../segment.ts'
import { Aimd, aimd } from './aimd.ts'

const flowWith = (values: Partial<ValuesOf<typeof aimd.params>> = {}): AckedFlow<Aimd> =>
  new AckedFlow((context) => new Aimd({ ...defaultsOf(aimd.params), ...values }, context))

describe('the window', () => {
  test('T-AIMD-1: a NAK halves it, and a round trip of single ACKs adds about a packet', () => {
    const flow = flowWith()
    expect(flow.control.windowPackets).toBe(110)
    expect(flow.nak()).toBe(55)
    // The 110 packets that were in flight belong to the episode.
    expect(flow.acks('0'.repeat(110))).toBe(55)
    expect(flow.acks('0'.repeat(55))).toBeCloseTo(55.99, 2)
  })

  test('T-AIMD-2: three NAKs in one recovery halve once', () => {
    const flow = flowWith()
    flow.acks('0'.repeat(20))
    expect([flow.nak(), flow.acks('0000000000'), flow.nak(), flow.acks('0'), flow.nak()]).toEqual(Array(5).fill(55))
  })

  test('a loss of what was sent after the episode began halves again', () => {
    const flow = flowWith()
    flow.nak()
    flow.acks('0'.repeat(110))
    expect(flow.nak()).toBe(27.5)
  })

  test('one ACK that ends an episode adds nothing, however much it acknowledges', () => {
    const flow = flowWith()
    flow.nak()
    expect(flow.answer({ packets: 110 })).toBe(55)
    expect(flow.acks('0')).toBeGreaterThan(55)
  })

  test('a timeout halves, each one', () => {
    const flow = flowWith()
    expect([flow.timeout(), flow.timeout(), flow.nak()]).toEqual([55, 27.5, 27.5])
  })

  test('T-AIMD-3: stays between one packet and the BDP', () => {
    const flow = flowWith()
    for (let i = 0; i < 10; i++) flow.timeout()
    expect(flow.control.windowPackets).toBe(1)
    flow.acks('0'.repeat(20_000))
    expect(flow.control.windowPackets).toBe(110)
  })

  test('starts at initialWindow, and may then grow up to it', () => {
    const flow = flowWith({ initialWindow: 200, minWindow: 150 })
    expect(flow.control.windowPackets).toBe(200)
    expect(flow.nak()).toBe(150)
    flow.acks('0'.repeat(20_000))
    expect(flow.control.windowPackets).toBe(200)
    expect(flowWith({ initialWindow: 4 }).control.windowPackets).toBe(4)
  })
})

test("over IRN it starts at the cap, which is the network's and not the pair's, and grows no further", () => {
  const windowOf = (values: { readonly cap?: number | null; readonly bdpFlowControl?: boolean }) =>
    new Pair({ congestion: scheme(aimd), recovery: scheme(irn, values), qp: { ackInterval: 1 }, delayPs: 10 * US })
      .sender.congestion.windowPackets
  // 92 packets fill the line for 20us.
  expect([windowOf({ cap: 110 }), windowOf({ cap: 40 }), windowOf({}), windowOf({ bdpFlowControl: false })]).toEqual([
    110, 40, 92, 92,
  ])
})

test('over a pipe with go-back-N: two losses of one round trip are one halving', () => {
  const pair = new Pair({ congestion: scheme(aimd), qp: { ackInterval: 1 }, delayPs: 10 * US })
  pair.forward.rule(lose(DATA, 50, 1))
  pair.forward.rule(lose(DATA, 60, 1))
  pair.postPackets(130)
  expect(pair.run()).toBe('finished')
  // 92 packets fill the line for 20us; those sent behind the recovery point add less than one.
  expect(pair.sender.congestion.windowPackets).toBeGreaterThanOrEqual(46)
  expect(pair.sender.congestion.windowPackets).toBeLessThan(47)
  expect(pair.sender.retransmissions).toBeGreaterThan(0)
})

test('unacknowledged READ responses have no window', () => {
  const pair = new Pair({ congestion: scheme(aimd, { initialWindow: 2 }), isRead: true })
  pair.read(100_000)
  expect(pair.run()).toBe('finished')
})
