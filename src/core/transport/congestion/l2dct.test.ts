import { expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { ackEventOf } from '../../../../tests/support/control-world.ts'
import { markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, KB, US } from '../../base/params.ts'
import { L2dct, l2dct, weightOf } from './l2dct.ts'

/** Alpha 0.25, window 20, after `sentPackets` of 1000 bytes. */
function flowAfter(sentPackets: number): AckedFlow<L2dct> {
  const flow = new AckedFlow((context) => new L2dct({ ...defaultsOf(l2dct.params), g: 0 }, context))
  flow.flight = 4
  flow.acks('0')
  flow.control.alpha = 0.25
  flow.control.windowPackets = 20
  flow.sender.highest = sentPackets
  return flow
}

test.each([
  [100, 2.5, 1, 19.6875],
  [600, 1.3125, 0.525, 18.37895056],
  [1000, 0.125, 0.05, 11.59103585],
])('T-L2-1: after %d KB the weight is %d, the step %d, and 20 is cut to %d', (sentKb, weight, step, packets) => {
  expect(weightOf(sentKb * KB)).toBe(weight)
  expect(flowAfter(sentKb).acks('0011')).toBeCloseTo(packets, 8)
  const growing = flowAfter(sentKb)
  growing.flight = 20
  expect(growing.acks('0')).toBeCloseTo(20 + step / 20, 12)
})

test('T-L2-2: up to 200 KB the weight is the maximum, from 1 MB on the minimum', () => {
  expect([0, 200 * KB, 200 * KB + 1, 1000 * KB, 5000 * KB].map(weightOf)).toEqual([
    2.5,
    2.5,
    2.5 - 2.375 / 800_000,
    0.125,
    0.125,
  ])
})

test('a message posted when everything is acknowledged is a new flow, one behind another is not', () => {
  const pair = new Pair({ congestion: scheme(l2dct), qp: { ackInterval: 1, ecnEcho: 'ack' } })
  const gain = (): number => {
    const { congestion } = pair.sender
    const before = congestion.windowPackets
    const { una, nxt } = pair.sender
    congestion.onAck(pair.nowPs, ackEventOf({ cumulativePsn: una + 1, nextPsn: nxt + 1000 }))
    return (congestion.windowPackets - before) * before
  }
  pair.postPackets(10)
  pair.runUntilSent(1)
  expect(gain()).toBeCloseTo(1, 9)
  // Behind another: 2 MB in all.
  pair.postPackets(2000)
  pair.runUntilSent(2010)
  expect(gain()).toBeCloseTo(0.05, 9)
  pair.run()
  pair.postPackets(10)
  expect(gain()).toBeCloseTo(1, 9)
})

test('over a pipe: under equal marks the window of a flow that has sent much is smaller', () => {
  const pair = new Pair({ congestion: scheme(l2dct), qp: { ackInterval: 1, ecnEcho: 'ack' }, delayPs: 10 * US })
  pair.forward.rule(markWhere(({ count }) => count % 20 === 0))
  pair.postPackets(6000)
  const mean = (packets: number): number => {
    let sum = 0
    for (let i = 0; i < 100; i++) {
      pair.runUntilSent(pair.forward.sent + packets / 100)
      sum += pair.sender.congestion.windowPackets / 100
    }
    return sum
  }
  pair.runUntilSent(100)
  const young = mean(100)
  pair.runUntilSent(4000)
  expect(mean(1000)).toBeLessThan(young)
  expect(pair.run()).toBe('finished')
})
