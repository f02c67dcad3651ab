/** IRN: losses that need a timeout, the bounds of its cap, and its start ([IRN] 3.2, 4.1, 4.3, 5.3). */
import { expect, test } from 'vitest'
import { holdWhere, lose, loseWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { GBPS, US, type ValuesOf } from '../../base/params.ts'
import { dcqcn } from '../congestion/dcqcn.ts'
import { none } from '../congestion/none.ts'
import { timely } from '../congestion/timely.ts'
import { DATA } from '../segment.ts'
import { goBackN } from './go-back-n.ts'
import { irn } from './irn.ts'

const DELAY_PS = 12 * US
/** A full frame and the gap at 40 Gb/s. */
const PACKET_PS = ((1024 + 62 + 20) * 8e12) / (40 * GBPS)

const pairOf = (values: Partial<ValuesOf<typeof irn.params>> = {}): Pair =>
  new Pair({
    recovery: scheme(irn, { cap: 110, ...values }),
    qp: { ackTimeout: 320 * US, retryLimit: null },
    delayPs: DELAY_PS,
  })

test('a lost last packet, and a packet that is lost twice, are recovered only by a timeout', () => {
  const timeouts = (...lost: readonly (readonly [psn: number, nth: number])[]): number => {
    const pair = pairOf()
    for (const [psn, nth] of lost) pair.forward.rule(lose(DATA, psn, nth))
    pair.postPackets(60)
    expect(pair.run()).toBe('finished')
    return pair.sender.timeouts
  }
  expect([timeouts([59, 1]), timeouts([20, 1], [20, 2])]).toEqual([1, 1])
  // One loss in the middle needs none.
  expect(timeouts([20, 1])).toBe(0)
})

test('while a loss is not recovered no more than the cap is sent, and without flow control all the rest (4.3)', () => {
  const sentMeanwhile = (bdpFlowControl: boolean): number => {
    const pair = pairOf({ bdpFlowControl })
    pair.forward.rule(loseWhere(({ segment, nth }) => segment.psn === 50 && nth <= 3))
    pair.postPackets(2000)
    // Lost three times, recovered by the second timeout.
    pair.runUntil(600 * US)
    expect([pair.sender.una, pair.timesOf('data 50').length]).toEqual([50, 3])
    return pair.sender.nxt - 50
  }
  expect([sentMeanwhile(true), sentMeanwhile(false)]).toEqual([110, 1950])
})

test('at most the cap waits out of order: 110 packets of 1 KB, some 110 MB for a thousand flows (5.3)', () => {
  const pair = pairOf({ cap: null })
  const early = new Set<number>()
  pair.forward.rule(loseWhere(({ segment, nth }) => segment.psn === 0 && nth === 1))
  pair.forward.rule(({ segment }) => {
    if (segment.psn > 0) early.add(segment.psn)
  })
  pair.forward.rule(holdWhere(200 * US, ({ segment, nth }) => segment.psn === 0 && nth > 1))
  pair.postPackets(1000)
  pair.runUntil(200 * US)
  expect(pair.receiver.expectedPsn).toBe(0)
  // The oldest is missing, all others of the cap have arrived.
  expect(early.size).toBe(109)
  expect(Math.abs((1000 * (early.size + 1) * 1024) / 110e6 - 1)).toBeLessThan(0.05)
})

test.each([none, timely, dcqcn] as const)(
  'under $name a flow begins at line rate, over IRN and over go-back-N (4.1)',
  (control) => {
    for (const recovery of [scheme(irn, { cap: 110 }), scheme(goBackN)]) {
      const pair = new Pair({
        recovery,
        congestion: scheme(control),
        qp: { ackInterval: 1, ecnEcho: 'cnp' },
        delayPs: DELAY_PS,
      })
      pair.postPackets(200)
      pair.runUntil(2 * DELAY_PS)
      const times = pair.log.filter(({ text }) => text.startsWith('data')).map(({ ps }) => ps)
      expect(times.length).toBeGreaterThan(100)
      expect(times.slice(1, 100).map((ps, i) => ps - times[i]!)).toEqual(Array(99).fill(expect.closeTo(PACKET_PS, -4)))
    }
  },
)
