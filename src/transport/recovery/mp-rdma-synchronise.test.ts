import { describe, expect, test } from 'vitest'
import { holdWhere } from '../../../tests/support/pair-pipe.ts'
import type { Pair } from '../../../tests/support/pair.ts'
import { US } from '../../base/params.ts'
import { SYNCHRONISE } from '../segment.ts'
import { ByHand, pairOf } from './mp-rdma.test-bench.ts'

describe('synchronise messages', () => {
  const flagsOf = (pair: Pair): Map<number, number> => {
    const flags = new Map<number, number>()
    pair.forward.rule(({ segment }) => void flags.set(segment.psn, segment.flags & SYNCHRONISE))
    return flags
  }

  test.each([
    ['none', []],
    ['sends', [6]],
    ['all', [0, 4, 6]],
  ] as const)('%s of them', (synchronise, expected) => {
    const pair = pairOf({ synchronise })
    const flags = flagsOf(pair)
    pair.postPackets(4)
    pair.postPackets(2)
    pair.postPackets(3, 'send')
    expect(pair.run()).toBe('finished')
    expect([...flags].filter(([, flag]) => flag !== 0).map(([psn]) => psn)).toEqual(expected)
  })

  test('wait behind the packet before them for what delta packets take: alpha delta RTT / window', () => {
    const pair = pairOf({ synchronise: 'sends', synchroniseDelay: 0.5, delta: 8 }, { initialWindow: 16 })
    pair.postPackets(4)
    pair.postPackets(2, 'send')
    pair.postPackets(2)
    pair.run()
    const [before] = pair.timesOf('data 3')
    expect(pair.timesOf('data 4')[0]).toBe(before! + (0.5 * 8 * 24 * US) / 16)
    expect(pair.dataSent.slice(0, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test('and are sent again when they came too early all the same', () => {
    const pair = pairOf({ synchronise: 'sends', synchroniseDelay: 0 })
    pair.forward.rule(holdWhere(5 * US, ({ segment, nth }) => segment.psn === 1 && nth === 1))
    pair.postPackets(3)
    pair.postPackets(1, 'send')
    pair.postPackets(1)
    expect(pair.run()).toBe('finished')
    expect(pair.receiver.naksSent).toBe(1)
    expect(pair.timesOf('data 3').length).toBeGreaterThan(1)
    expect(pair.sender.timeouts).toBe(0)
  })

  test('an old NACK of a synchronise message says nothing', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    hand.expected = 3
    hand.ack(2, 1)
    hand.expected = 1
    expect(hand.nack(2, 4)).toEqual([])
  })
})
