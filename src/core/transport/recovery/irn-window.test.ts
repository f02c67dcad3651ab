/** IRN's window and its one deadline, ACK by ACK, in a real sender. */
import { describe, expect, test } from 'vitest'
import { GBPS, NEVER_PS, US } from '../../base/params.ts'
import { NAK, NAMES_TRIMMED, RETRANSMITTED, Segment } from '../segment.ts'
import { IrnByHand, NO_PSN } from './irn.test-bench.ts'

/** At this time. */
function at(hand: IrnByHand, us: number): IrnByHand {
  hand.nowPs = us * US
  return hand
}

describe('the deadline', () => {
  test('runs from the first packet, whatever follows it', () => {
    const hand = new IrnByHand(2).first(1)
    expect([at(hand, 30).tx(), hand.deadlinePs]).toEqual([1, 100 * US])
  })

  test('restarts with progress, in an ACK or in a NACK, and not without', () => {
    const hand = new IrnByHand(6).first(6)
    at(hand, 10).ack(1)
    expect(hand.deadlinePs).toBe(110 * US)
    at(hand, 20).ack(1)
    at(hand, 30).nack(1, 3)
    expect(hand.deadlinePs).toBe(110 * US)
    at(hand, 40).nack(2, 4)
    expect(hand.deadlinePs).toBe(140 * US)
  })

  test('restarts when the oldest packet is resent, and not with another one', () => {
    const hand = new IrnByHand(8).first(8)
    at(hand, 10).nack(0, 1)
    hand.nack(0, 4)
    expect([at(hand, 20).tx(), hand.deadlinePs]).toEqual([0, 120 * US])
    expect([at(hand, 30).tx(), hand.deadlinePs]).toEqual([2, 120 * US])
  })

  test('is none with nothing in flight, and comes back with the next packet', () => {
    const hand = new IrnByHand(3).first(2)
    at(hand, 10).ack(2)
    expect(hand.deadlinePs).toBe(NEVER_PS)
    expect([at(hand, 50).tx(), hand.deadlinePs]).toEqual([2, 150 * US])
  })

  test('that has not come is no timeout; few packets time out after 100 us, more or slow ones after 320', () => {
    const few = new IrnByHand(3).first(3)
    expect([few.late(99 * US), few.late(100 * US), few.sender.timeouts]).toEqual([false, true, 1])
    const more = new IrnByHand(4).first(4)
    expect([more.late(100 * US), more.deadlinePs]).toEqual([false, 320 * US])
    const slow = new IrnByHand(1).first(1)
    slow.sender.congestion.rateBps = 8 * GBPS
    expect([slow.late(100 * US), slow.deadlinePs]).toEqual([false, 320 * US])
  })
})

describe('answers', () => {
  test('ahead of all that was sent since the receiver was not ready move the window and its end', () => {
    const hand = new IrnByHand(20).first(6)
    const { sender } = hand
    hand.rnr(2)
    expect([sender.una, sender.nxt, hand.deadlinePs]).toEqual([2, 2, NEVER_PS])
    hand.ack(5)
    expect([sender.una, sender.nxt]).toEqual([5, 5])
    hand.endRnrWait()
    expect(hand.tx()).toBe(5)
  })

  test('to what was never sent move nothing', () => {
    const hand = new IrnByHand(20).first(6)
    hand.ack(9)
    expect([hand.sender.una, hand.sender.nxt, hand.tx()]).toEqual([0, 6, 6])
  })

  test('that the receiver was not ready for what is acknowledged since change nothing', () => {
    const hand = new IrnByHand(6).first(6)
    at(hand, 10).ack(4)
    hand.rnr(3)
    expect([hand.sender.una, hand.sender.nxt, hand.deadlinePs]).toEqual([4, 6, 110 * US])
  })

  test('cancel pending retransmissions of packets that have arrived, and nothing else', () => {
    const hand = new IrnByHand(8, { fetchDelay: 2 * US }).first(8)
    at(hand, 10).nack(0, 5)
    at(hand, 11).ack(3)
    expect([at(hand, 20).tx(), hand.sender.retransmissions]).toEqual([NO_PSN, 0])
    at(hand, 21).nack(3, 6)
    expect(hand.sender.nextSendPs).toBe(23 * US)
    at(hand, 22).ack(3)
    expect([hand.tx(), at(hand, 23).tx()]).toEqual([NO_PSN, 3])
  })

  test('name packets that have arrived: these are not resent, and neither are those behind them', () => {
    const hand = new IrnByHand(8).first(8)
    hand.nack(1, 3)
    hand.nack(1, 5)
    expect(hand.flood()).toEqual([1, 2, 4])
  })
})

test('with nothing new to send it looks for holes behind each packet that goes again', () => {
  const hand = new IrnByHand(8).first(8)
  hand.nack(0, 5)
  expect(hand.flood()).toEqual([0, 1, 2, 3, 4])
})

test('the cap holds new packets back, and progress lets them go', () => {
  const hand = new IrnByHand(5, { cap: 4 }).first(4)
  expect([hand.isReady, hand.tx()]).toEqual([false, NO_PSN])
  at(hand, 10).ack(1)
  expect([hand.isReady, hand.tx()]).toEqual([true, 4])
})

test('a packet resent after a timeout may time out again, even while it waits to be resent once more', () => {
  const hand = new IrnByHand(2).first(1)
  expect(hand.late()).toBe(true)
  // Not sent again yet: the same timeout.
  expect([at(hand, 200).late(hand.nowPs), hand.sender.timeouts]).toEqual([false, 1])
  expect(hand.tx()).toBe(0)
  // That transmission is trimmed, and the next one waits for the line for longer than the timeout.
  const flags = NAMES_TRIMMED | RETRANSMITTED
  hand.deliver(Object.assign(new Segment(), { kind: NAK, psn: 0, sackPsn: 0, flags }))
  expect(hand.sender.resendPsn).toBe(0)
  expect([hand.late(), hand.sender.timeouts]).toEqual([true, 2])
})
