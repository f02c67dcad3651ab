import { describe, expect, test } from 'vitest'
import { lose, loseWhere } from '../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../tests/support/pair.ts'
import { US } from '../../base/params.ts'
import { mpRdma as mpRdmaWindow } from '../congestion/mp-rdma.ts'
import { ACK, DATA, RETRANSMITTED } from '../segment.ts'
import { mpRdma } from './mp-rdma.ts'
import { ByHand, pairOf, pathOf, psnsOf } from './mp-rdma.test-bench.ts'

describe('what is lost', () => {
  test('a NACK has its packet sent again on its path, and each ACK then one of those behind', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    expect(hand.nack(0, 4)).toEqual([{ psn: 0, path: 4, isAgain: true }])
    expect(hand.ack(1, 5)).toEqual([{ psn: 1, path: 5, isAgain: true }])
    expect(psnsOf(hand.ack(2, 5))).toEqual([2])
    // Everything up to the fifth is there, and the sixth: the walk goes on behind, and comes to its end.
    hand.expected = 5
    expect(hand.ack(0, 4, RETRANSMITTED)).toEqual([{ psn: 5, path: 4, isAgain: true }])
    expect(hand.ack(1, 4, RETRANSMITTED).every(({ isAgain }) => !isAgain)).toBe(true)
  })

  test('a NACK says nothing of the window', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    hand.nack(0, 4)
    expect(hand.window).toBe(6)
  })

  test('an old NACK of a packet that was too far has what is oldest now sent again', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    hand.expected = 3
    hand.ack(2, 1)
    hand.expected = 1
    expect(psnsOf(hand.nack(1, 4))).toEqual([3])
    hand.expected = 3
    expect(psnsOf(hand.ack(3, 1))).toEqual([4])
  })

  test('with nothing left to send an ACK sends the oldest packet again, and takes a packet from the window (T-MPR-6)', () => {
    const hand = new ByHand(8, {}, { initialWindow: 8 })
    expect(hand.sends()).toHaveLength(8)
    expect(hand.ack(3, 2)).toEqual([{ psn: 0, path: 2, isAgain: true }])
    expect(hand.window).toBe(7.125)
  })

  test('that mends a loss at once where it was the oldest packet that was lost', () => {
    const pair = pairOf({}, { initialWindow: 8 })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(4)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 0, 0, 0])
    expect(pair.sender.timeouts).toBe(0)
  })

  test('where it was another the oldest goes again and again, until the timeout', () => {
    const pair = pairOf({}, { initialWindow: 8 })
    pair.forward.rule(lose(DATA, 3, 1))
    pair.postPackets(4)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent.filter((psn) => psn === 0).length).toBeGreaterThan(20)
    expect(pair.sender.timeouts).toBe(1)
    expect(pair.nowPs).toBeLessThan(320 * US + 5 * 24 * US)
  })

  test('a lost packet in the middle is reported when the bitmap is full', () => {
    const pair = pairOf({}, { initialWindow: 100 })
    pair.forward.rule(lose(DATA, 5, 1))
    pair.postPackets(400)
    expect(pair.run()).toBe('finished')
    const naks = pair.answers.filter((text) => text.startsWith('NAK'))
    expect(naks.length).toBeGreaterThan(0)
    expect(new Set(naks)).toEqual(new Set(['NAK 0']))
    expect(pair.sender.timeouts).toBe(0)
  })

  test('a timeout halves the window and begins the walk; the next one does not begin it anew', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 8 })
    hand.sends()
    expect(psnsOf(hand.waits(321 * US))).toEqual([0])
    expect(hand.window).toBe(4)
    expect(psnsOf(hand.ack(0, 7, RETRANSMITTED))).toEqual([1])
    // The second is lost.
    expect(psnsOf(hand.waits(321 * US))).toEqual([0])
    expect(hand.window).toBeLessThan(4)
    expect(psnsOf(hand.ack(0, 7, RETRANSMITTED))).toEqual([2])
  })

  test('behind a timeout nothing is taken for in flight, so that ACKs that were lost do not shut the window for ever', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 4 })
    hand.sends()
    // All four are there, their ACKs are lost. Each of the walk's packets is a duplicate, whose ACK names none.
    hand.waits(321 * US)
    for (let psn = 1; psn < 4; psn++) expect(psnsOf(hand.repeated(1))).toEqual([psn])
    const sent = hand.repeated(1)
    expect(psnsOf(sent)).toEqual([4, 5])
    expect(sent.every(({ isAgain }) => !isAgain)).toBe(true)
  })

  test('ACKs that acknowledge nothing do not put the timeout off', () => {
    const hand = new ByHand(8, {}, { initialWindow: 8 })
    hand.sends()
    for (let i = 0; i < 10; i++) {
      hand.ack(3, 2)
      hand.waits(40 * US)
    }
    expect(hand.pair.sender.timeouts).toBe(1)
  })

  test('all messages arrive over a pipe that loses, however long the QP lives', () => {
    const pair = pairOf({}, {}, { ackTimeout: 100 * US })
    let count = 0
    pair.forward.rule(loseWhere(() => ++count % 41 === 0))
    pair.backward.rule(loseWhere(() => ++count % 53 === 0))
    for (let i = 0; i < 20; i++) pair.postPackets(1 + ((i * 37) % 150), i % 3 === 0 ? 'send' : 'write')
    expect(pair.run()).toBe('finished')
    expect(pair.receiver.deliveredMessages).toBe(20)
  })
})

test('a receiver that is not ready is given its time, and everything behind comes again', () => {
  const pair = pairOf({}, {}, { receiveQueue: 1, receiveRepost: 5 * US })
  for (let i = 0; i < 4; i++) pair.postPackets(2, 'send')
  expect(pair.run()).toBe('finished')
  expect(pair.log.some(({ text }) => text.startsWith('RNR'))).toBe(true)
})

test('READ responses take many paths too', () => {
  const paths = new Set<number>()
  const answered = new Set<number>()
  const pair = new Pair({
    recovery: scheme(mpRdma),
    congestion: scheme(mpRdmaWindow),
    qp: { ackInterval: 1, ecnEcho: 'ack', ackTimeout: 320 * US },
    isRead: true,
  })
  pair.forward.rule(({ segment }) => void paths.add(pathOf(segment)))
  pair.backward.rule(({ segment }) => void (segment.kind === ACK && answered.add(pathOf(segment))))
  pair.read(40 * 1024)
  expect(pair.run()).toBe('finished')
  expect(paths.size).toBeGreaterThan(5)
  expect(answered).toEqual(paths)
})
