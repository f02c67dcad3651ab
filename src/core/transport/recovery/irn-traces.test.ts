/** IRN as its specification traces it: 14 packets, cap 110, one transmission opportunity after each ACK or NACK. */
import { describe, expect, test } from 'vitest'
import { GBPS, NEVER_PS, US } from '../../base/params.ts'
import { IrnByHand, NO_PSN, said, variablesOf } from './irn.test-bench.ts'

test('T-IRN-1: PSN 2 and 5 of 14 are lost, and these two are sent again', () => {
  const hand = new IrnByHand(14).first(10)
  const { sender } = hand
  const state = () => [sender.una, variablesOf(sender).rec, variablesOf(sender).inRecovery]
  expect(hand.round(0)).toEqual(['ACK 1', 10])
  expect(hand.round(1)).toEqual(['ACK 2', 11])
  expect(hand.round(3)).toEqual(['NACK 2,3', 2])
  expect(state()).toEqual([2, 11, true])
  expect(hand.round(4)).toEqual(['NACK 2,4', 12])
  expect(hand.round(6)).toEqual(['NACK 2,6', 13])
  // Nothing new is left, so that the hole is next.
  expect([...state(), hand.isReady]).toEqual([2, 11, true, true])
  expect(hand.round(7)).toEqual(['NACK 2,7', 5])
  expect([...state(), hand.isReady]).toEqual([2, 13, true, false])
  for (const psn of [8, 9, 10, 11]) expect(hand.round(psn)).toEqual([`NACK 2,${psn}`, NO_PSN])
  expect(hand.round(2)).toEqual(['ACK 5', NO_PSN])
  expect([...state(), hand.isReady]).toEqual([5, 13, true, false])
  for (const psn of [12, 13]) expect(hand.round(psn)).toEqual([`NACK 5,${psn}`, NO_PSN])
  expect(hand.round(5)).toEqual(['ACK 14', NO_PSN])
  expect([variablesOf(sender).inRecovery, sender.isIdle, hand.deadlinePs]).toEqual([false, true, NEVER_PS])
  expect([hand.transmissions, hand.nacks, hand.acks]).toEqual([16, 10, 4])
})

test('recovery begins with a NACK or a timeout, and what is SACKed is remembered ([IRN] 3.1)', () => {
  const reported = new IrnByHand(8).first(8)
  reported.deliver(reported.rx(3))
  expect([reported.tx(), variablesOf(reported.sender).inRecovery]).toEqual([0, true])
  // All packets below 5 are resent except 3.
  reported.deliver(reported.rx(5))
  expect(reported.flood()).toEqual([1, 2, 4])

  const silent = new IrnByHand(3).first(3)
  expect(variablesOf(silent.sender).inRecovery).toBe(false)
  expect(silent.late(100 * US)).toBe(true)
  expect([silent.tx(), variablesOf(silent.sender).inRecovery]).toEqual([0, true])
})

test('recovery ends when more is acknowledged than the last new packet before the retransmission, and not at it ([IRN] 3.1)', () => {
  const hand = new IrnByHand(9).first(6)
  const { sender } = hand
  for (const psn of [0, 1]) hand.deliver(hand.rx(psn))
  // 2 and 5 are lost.
  expect(hand.round(3)).toEqual(['NACK 2,3', 2])
  expect(variablesOf(sender)).toEqual({ rec: 5, inRecovery: true })
  hand.deliver(hand.rx(4))
  hand.deliver(hand.rx(2))
  expect([sender.una, variablesOf(sender).inRecovery]).toEqual([5, true])
  expect(hand.flood()).toEqual([5, 6, 7, 8])
  expect(variablesOf(sender)).toEqual({ rec: 5, inRecovery: true })
  hand.deliver(hand.rx(5))
  expect([sender.una, variablesOf(sender).inRecovery]).toEqual([6, false])
})

describe('T-IRN-2: which timeout', () => {
  test('with many in flight the timer is only extended at 100 us, and fires 320 us after arming', () => {
    const hand = new IrnByHand(8).first(8)
    const { sender } = hand
    let armedPs = 0
    for (const psn of [0, 1, 3, 4, 5, 6, 7]) {
      const [, again] = hand.round(psn)
      if (again === 2) armedPs = hand.nowPs
    }
    expect([sender.una, sender.retransmissions, hand.deadlinePs]).toEqual([2, 1, armedPs + 100 * US])
    expect(hand.late()).toBe(false)
    expect([hand.deadlinePs, hand.isReady]).toEqual([armedPs + 320 * US, false])
    expect(hand.late()).toBe(true)
    expect(hand.flood()).toEqual([2])
    expect(variablesOf(sender).rec).toBe(7)
    hand.deliver(hand.rx(2))
    expect([sender.una, variablesOf(sender).inRecovery]).toEqual([8, false])
  })

  test('the last of four: 100 us after the last ACK', () => {
    const hand = new IrnByHand(4).first(4)
    for (const psn of [0, 1, 2]) {
      hand.nowPs = (psn + 1) * 5 * US
      hand.deliver(hand.rx(psn))
    }
    expect([hand.deadlinePs, hand.late()]).toEqual([115 * US, true])
    expect(hand.flood()).toEqual([3])
  })
})

test.each([
  [3, 1, true],
  [4, 1, false],
  [1, 4, true],
  [1, 5, false],
])('T-IRN-3: %i in flight, at the line rate over %i: the low timeout fires %s', (inFlight, slowdown, fires) => {
  const hand = new IrnByHand(inFlight).first(inFlight)
  hand.sender.congestion.rateBps = (40 * GBPS) / slowdown
  expect(hand.late(100 * US)).toBe(fires)
  expect(hand.deadlinePs).toBe((fires ? 200 : 320) * US)
  expect(hand.late()).toBe(!fires)
})

test('a packet that waits to be resent is not late: its timeout begins when it is sent', () => {
  const hand = new IrnByHand(1).first(1)
  expect([hand.late(100 * US), hand.late(200 * US)]).toEqual([true, false])
  expect([hand.sender.timeouts, hand.deadlinePs]).toEqual([1, NEVER_PS])
  hand.nowPs = 900 * US
  expect([hand.tx(), hand.late(1000 * US)]).toEqual([0, true])
})

test('N packets in flight time out after RTO_low; with one more that only extends to RTO_high ([IRN] 3.1, 6.2.1)', () => {
  const [few, many] = [3, 4].map((packets) => new IrnByHand(packets).first(packets))
  expect([few!.late(100 * US), few!.sender.timeouts, few!.isReady]).toEqual([true, 1, true])
  expect([many!.late(100 * US), many!.sender.timeouts, many!.isReady]).toEqual([false, 0, false])
  expect([many!.deadlinePs, many!.late(320 * US), many!.isReady]).toEqual([320 * US, true, true])
})

test('T-IRN-4: 110 in flight and not one more', () => {
  const hand = new IrnByHand(1000).first(109)
  expect([hand.isReady, hand.tx()]).toEqual([true, 109])
  expect([hand.isReady, hand.tx(), hand.sender.nextSendPs]).toEqual([false, NO_PSN, NEVER_PS])
})

test('T-IRN-5: a duplicate is acknowledged, never refused', () => {
  const hand = new IrnByHand(8).first(8)
  for (const psn of [0, 1, 2]) hand.rx(psn)
  expect(said(hand.rx(2))).toBe('ACK 3')
})

test('T-IRN-6: the only packet of a message is lost: again after 100 us', () => {
  const hand = new IrnByHand(1)
  expect(hand.flood()).toEqual([0])
  expect([hand.deadlinePs, hand.late()]).toEqual([100 * US, true])
  expect(hand.flood()).toEqual([0])
  hand.deliver(hand.rx(0))
  expect([hand.sender.una, hand.deadlinePs]).toEqual([1, NEVER_PS])
})

describe('the parameters', () => {
  test('with a threshold of three, the third NACK starts recovery', () => {
    const hand = new IrnByHand(8, { nackThreshold: 3 }).first(8)
    const starts = [1, 2, 3].map((psn) => {
      hand.deliver(hand.rx(psn))
      return hand.flood()
    })
    expect(starts).toEqual([[], [], [0]])
  })

  test('a retransmission waits until the packet is fetched, and new packets go meanwhile', () => {
    const hand = new IrnByHand(6, { fetchDelay: 2 * US }).first(4)
    hand.nowPs = 10 * US
    hand.deliver(hand.rx(1))
    expect(hand.flood()).toEqual([4, 5])
    hand.nowPs = 11 * US
    hand.deliver(hand.rx(2))
    expect([hand.sender.nextSendPs, hand.tx()]).toEqual([12 * US, NO_PSN])
    hand.nowPs = 12 * US
    expect(hand.flood()).toEqual([0])
  })

  test('a NACK that moves una does not start recovery, the next one does', () => {
    const hand = new IrnByHand(7).first(7)
    hand.rx(0)
    hand.rx(1)
    // The ACKs are lost.
    hand.deliver(hand.rx(3))
    expect([hand.sender.una, hand.flood()]).toEqual([2, []])
    hand.deliver(hand.rx(4))
    expect(hand.flood()).toEqual([2])
  })

  test('without timeouts nothing is armed, by a packet or by an ACK', () => {
    const hand = new IrnByHand(3, {}, { ackTimeout: null }).first(3)
    expect(hand.deadlinePs).toBe(NEVER_PS)
    hand.ack(1)
    expect(hand.deadlinePs).toBe(NEVER_PS)
  })
})

test('a stale NACK has no effect', () => {
  const hand = new IrnByHand(8).first(8)
  const stale = hand.rx(2)
  for (const psn of [0, 1]) hand.deliver(hand.rx(psn))
  expect(hand.sender.una).toBe(3)
  hand.deliver(stale)
  expect([hand.sender.una, hand.flood()]).toEqual([3, []])

  const sending = new IrnByHand(20).first(10)
  sending.ack(6)
  sending.nack(1, 3)
  expect([sending.tx(), variablesOf(sending.sender).inRecovery]).toEqual([10, false])
})

describe('a receiver that was not ready ([IRN] B.4)', () => {
  test('is sent everything from there on again, after the wait', () => {
    const hand = new IrnByHand(8).first(8)
    const { sender } = hand
    for (const psn of [0, 1, 4, 6]) hand.deliver(hand.rx(psn))
    hand.rnr(1)
    expect([sender.una, sender.nxt, hand.isReady]).toEqual([2, 8, true])
    hand.rnr(2)
    expect([sender.una, sender.nxt, hand.isReady, hand.deadlinePs]).toEqual([2, 2, false, NEVER_PS])
    // A NACK from before the wait: has no effect now.
    hand.nack(2, 6)
    expect(hand.flood()).toEqual([])
    hand.endRnrWait()
    expect(hand.flood()).toEqual([2, 3, 4, 5, 6, 7])
  })

  test('is a clean start: what was SACKed before is forgotten', () => {
    const hand = new IrnByHand(8).first(8)
    for (const psn of [0, 1, 4, 6]) hand.deliver(hand.rx(psn))
    hand.rnr(2)
    hand.endRnrWait()
    expect(hand.flood()).toEqual([2, 3, 4, 5, 6, 7])
    // With 6 remembered, 5 would be a hole too.
    hand.nack(2, 4)
    expect(hand.flood()).toEqual([2, 3])
  })
})

describe('the receiver', () => {
  test('answers a duplicate with the same NACK and does not count it again', () => {
    const hand = new IrnByHand(4).first(4)
    expect([said(hand.rx(2)), said(hand.rx(2))]).toEqual(['NACK 0,2', 'NACK 0,2'])
    expect(hand.pair.receiver.delivered.bytes).toBe(1024)
  })

  test('drops packets beyond the bitmap without a reply', () => {
    const hand = new IrnByHand(4).first(4)
    expect([said(hand.rx(127)), said(hand.rx(128))]).toEqual(['NACK 0,127', 'nothing'])
  })
})
