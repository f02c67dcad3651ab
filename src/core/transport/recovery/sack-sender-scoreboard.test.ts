/** The scoreboard of a SACK sender if ACKs or packets arrive late, twice, in another order, or are invalid. */
import { describe, expect, test } from 'vitest'
import { ACK, RNR_NAK, SACK } from '../segment.ts'
import { midway, pipeOf, TcpByHand } from './tcp.test-bench.ts'

describe('a duplicate ACK has new information (RFC 6675 2)', () => {
  test.each([
    ['9, which is acknowledged', 9],
    ['10, the oldest, which is what it asks for', 10],
    ['11, which was named before', 11],
    ['21, which was never sent', 21],
  ])('an ACK that names %s, is no duplicate: recovery waits for the third', (_what, sackPsn) => {
    const hand = midway(40)
    expect(hand.steps(11)).toEqual(['11: ACK 10/11 -> 20'])
    hand.deliver({ kind: ACK, psn: 9, flags: SACK, sackPsn })
    // 10 and 12 to 20.
    expect([hand.tx(), pipeOf(hand)]).toEqual(['', 10])
    expect(hand.steps(12, 13)).toEqual(['12: ACK 10/12 -> 21', '13: ACK 10/13 -> 10*'])
  })

  test('the SACK field of an ACK without the option is ignored', () => {
    const hand = midway(40)
    hand.deliver({ kind: ACK, psn: 10, flags: 0, sackPsn: 14 })
    expect(hand.tx()).toBe('20')
    // 11 to 20.
    expect(pipeOf(hand)).toBe(10)
  })
})

describe('packets that change places', () => {
  test('three that come in the wrong order make the one below them lost, all the same', () => {
    const hand = midway(40)
    expect(hand.steps(13, 12, 11)).toEqual(['13: ACK 10/13 -> 20', '12: ACK 10/12 -> 21', '11: ACK 10/11 -> 10*'])
    // 14 to 21, and the new 10.
    expect(pipeOf(hand)).toBe(9)
  })

  test('a lost packet that comes while it waits for the line does not go again; a new one takes its place', () => {
    const hand = midway(40)
    expect(hand.steps(11, 13, 14).at(-1)).toBe('14: ACK 10/14 -> 10*')
    expect(hand.steps(15, 16, 17).join()).not.toMatch(/-> \d/)
    hand.rx(18)
    // 19 to 21 and the new 10; 12 is lost, and there is room in a window of 5.
    expect([pipeOf(hand), hand.tcp.windowPackets, hand.pair.sender.resendPsn]).toEqual([4, 5, 12])
    expect(hand.rx(12)).toBe('ACK 10/12')
    expect([pipeOf(hand), hand.pair.sender.resendPsn]).toEqual([4, -1])
    expect(hand.tx()).toBe('22')
  })

  test('if the oldest arrives before it is resent, the next is resent instead', () => {
    const hand = midway(40)
    // The line is busy all the time.
    for (const psn of [12, 13, 14, 15, 16, 17, 18, 19]) hand.rx(psn)
    expect([hand.tcp.inRecovery, hand.pair.sender.resendPsn, pipeOf(hand)]).toEqual([1, 10, 0])
    expect(hand.rx(10)).toBe('ACK 11')
    // 11 has not been resent yet: it is lost, and next.
    expect([hand.pair.sender.resendPsn, pipeOf(hand)]).toEqual([11, 0])
    expect(hand.tx()).toBe('11* 20 21 22 23')
    expect(pipeOf(hand)).toBe(5)
  })
})

/** No iWARP receiver sends it; the sender's reaction is every recovery's rule. */
describe('a receiver that was not ready', () => {
  const wait = (hand: TcpByHand, psn: number): void => {
    hand.deliver({ kind: RNR_NAK, psn })
    hand.timeout()
  }

  test('has kept nothing: packets known to have arrived are resent as well', () => {
    const hand = midway(40)
    hand.steps(13, 16)
    wait(hand, 10)
    expect(pipeOf(hand)).toBe(0)
    expect(hand.tx()).toBe('10* 11* 12* 13* 14* 15* 16* 17* 18* 19*')
    expect(pipeOf(hand)).toBe(10)
  })

  test('makes nothing lost: after it a single packet behind a hole starts no recovery', () => {
    const hand = new TcpByHand(20, { initialWindow: 1 })
    expect(hand.tx()).toBe('0')
    wait(hand, 0)
    expect(hand.tx()).toBe('0*')
    expect(hand.steps(0, 2)).toEqual(['0: ACK 1 -> 1 2', '2: ACK 1/2 -> 3'])
    expect(hand.tcp.inRecovery).toBe(0)
  })
})
