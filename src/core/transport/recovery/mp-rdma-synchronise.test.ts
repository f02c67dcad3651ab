import { describe, expect, test } from 'vitest'
import { holdWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import type { Pair } from '../../../../tests/support/pair.ts'
import { US } from '../../base/params.ts'
import { DATA, ECE, SYNCHRONISE } from '../segment.ts'
import { ByHand, pairOf, psnsOf } from './mp-rdma.test-bench.ts'

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
})

describe('a synchronise message waits behind the packet before it for alpha delta RTT / window', () => {
  /** At 40 Gb/s a packet takes 200 ps for each of its 1106 bytes; the first of a WRITE has 16 more. */
  const packetPs = 221_200
  const firstPs = 224_400
  /** 0.5 times 8 packets: a quarter of the round trip of 24 us where the window is 16. */
  const values = { synchroniseDelay: 0.5, delta: 8 }
  const holdPs = 6 * US
  /** From the start of each packet to that of the next, as they went the first time. */
  const gapsOf = (pair: Pair, packets: number): number[] => {
    const starts = Array.from({ length: packets }, (_, psn) => pair.timesOf(`data ${psn}`)[0]!)
    return starts.slice(1).map((ps, i) => ps - starts[i]!)
  }

  test('a SEND does where SENDs are, and neither what is before nor what is behind', () => {
    const pair = pairOf({ ...values, synchronise: 'sends' }, { initialWindow: 16 })
    pair.postPackets(4)
    pair.postPackets(2, 'send')
    pair.postPackets(2)
    pair.run()
    expect(gapsOf(pair, 8)).toEqual([firstPs, packetPs, packetPs, holdPs, packetPs, packetPs, firstPs])
  })

  test('a WRITE too where all are; the first message of all has nothing to wait for', () => {
    const pair = pairOf({ ...values, synchronise: 'all' }, { initialWindow: 16 })
    pair.postPackets(2)
    pair.postPackets(2)
    pair.postPackets(1, 'send')
    pair.run()
    expect(pair.timesOf('data 0')[0]).toBe(0)
    expect(gapsOf(pair, 5)).toEqual([firstPs, holdPs, firstPs, holdPs])
  })

  test('one that is posted when everything before it is under way waits for what is left of that', () => {
    const pair = pairOf({ ...values, synchronise: 'sends' }, { initialWindow: 16 })
    pair.postPackets(4)
    pair.runUntil(2 * US)
    expect(pair.dataSent).toEqual([0, 1, 2, 3])
    pair.postPackets(1, 'send')
    pair.run()
    expect(gapsOf(pair, 5)).toEqual([firstPs, packetPs, packetPs, holdPs])
  })

  test('the window is that of when the packet before it left, whatever marks say later', () => {
    const pair = pairOf({ synchroniseDelay: 1, delta: 32, synchronise: 'sends' }, { initialWindow: 16 })
    pair.forward.rule(markWhere(({ segment }) => segment.kind === DATA))
    pair.postPackets(4)
    pair.postPackets(1, 'send')
    pair.runUntil(40 * US)
    expect(pair.sender.congestion.windowPackets).toBe(14)
    pair.run()
    expect(gapsOf(pair, 5)).toEqual([firstPs, packetPs, packetPs, (32 * 24 * US) / 16])
  })

  test('its time may come while the burst timer runs, which lets go no earlier for it', () => {
    // 1 * 24 us / 6 behind the last packet of the first message.
    const hand = new ByHand(6, { synchronise: 'all', delta: 1, burstTimer: 10 * US }, { initialWindow: 6 })
    hand.posts(100)
    expect(psnsOf(hand.sends())).toEqual([0, 1, 2, 3, 4, 5])
    const sixthPs = 1.5 * US
    // Only the last of six ACKs arrives: room for six, of which two are released, and are held.
    hand.expected = 6
    const ackPs = hand.nowPs
    expect(hand.ack(5, 9)).toEqual([])
    expect(hand.waits(sixthPs + 4 * US - 1 - hand.nowPs)).toEqual([])
    expect(psnsOf(hand.waits(1))).toEqual([6, 7])
    expect(psnsOf(hand.waits(ackPs + 10 * US - hand.nowPs))).toEqual([8, 9])
  })

  test('while it waits nothing else is let go by the last ACK when that came over a slow path', () => {
    // It waits for 3 ms, behind the timeout.
    const hand = new ByHand(6, { synchronise: 'all', synchroniseDelay: 1000, delta: 1 }, { initialWindow: 8 })
    hand.posts(2)
    expect(psnsOf(hand.sends())).toEqual([0, 1, 2, 3, 4, 5])
    expect(hand.ack(5, 1, ECE)).toEqual([])
    expect(psnsOf(hand.waits(321 * US))).toEqual([0])
    // Nothing else is due: but the two packets of the message will cause ACKs.
    expect(hand.ack(3, 2)).toEqual([])
  })
})

describe('a NACK of a synchronise message', () => {
  /** Six packets in flight; the receiver has those below `expected`, as an ACK reported. */
  const sixWith = (expected: number): ByHand => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    hand.expected = expected
    if (expected > 0) hand.ack(expected - 1, 1)
    return hand
  }

  test('has it sent again on the path of the NACK, and then what was sent behind it', () => {
    const hand = sixWith(0)
    expect(hand.nack(2, 4)).toEqual([{ psn: 2, path: 4, isAgain: true }])
    expect(hand.ack(0, 5)).toEqual([{ psn: 3, path: 5, isAgain: true }])
  })

  test('counts even if stale, when by now the message is the oldest', () => {
    const hand = sixWith(2)
    hand.expected = 0
    expect(hand.nack(2, 4)).toEqual([{ psn: 2, path: 4, isAgain: true }])
  })

  test('has no effect when the message has arrived by now', () => {
    const hand = sixWith(3)
    hand.expected = 1
    expect(hand.nack(2, 4)).toEqual([])
  })

  test('lets the walk go on where that has not come to it, and begins it anew at the oldest where it has', () => {
    const hand = sixWith(0)
    expect(psnsOf(hand.nack(0, 4))).toEqual([0])
    expect(hand.nack(3, 5)).toEqual([{ psn: 1, path: 5, isAgain: true }])
    expect(hand.nack(2, 6)).toEqual([{ psn: 2, path: 6, isAgain: true }])
    // The one with PSN 2 was resent and refused again: something before it is missing.
    expect(hand.nack(2, 7)).toEqual([{ psn: 0, path: 7, isAgain: true }])
    expect(psnsOf(hand.ack(5, 1))).toEqual([1])
  })
})
