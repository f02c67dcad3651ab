import { describe, expect, test } from 'vitest'
import { lose, loseWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { US } from '../../base/params.ts'
import { mpRdma as mpRdmaWindow } from '../congestion/mp-rdma.ts'
import { ACK, DATA, ECE, READ_REQUEST, RETRANSMITTED, Segment } from '../segment.ts'
import { mpRdma } from './mp-rdma.ts'
import { ByHand, pairOf, pathOf, pathsOf, psnsOf, type Values } from './mp-rdma.test-bench.ts'

describe('what is lost', () => {
  test('a NACK has its packet resent on its path, and each ACK then one of those behind', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    expect(hand.nack(0, 4)).toEqual([{ psn: 0, path: 4, isAgain: true }])
    expect(hand.ack(1, 5)).toEqual([{ psn: 1, path: 5, isAgain: true }])
    expect(psnsOf(hand.ack(2, 5))).toEqual([2])
    // Everything up to the sixth has arrived: the range continues behind, and ends.
    hand.expected = 5
    expect(hand.ack(0, 4, RETRANSMITTED)).toEqual([{ psn: 5, path: 4, isAgain: true }])
    expect(hand.ack(1, 4, RETRANSMITTED).every(({ isAgain }) => !isAgain)).toBe(true)
  })

  test('a NACK does not change the window', () => {
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

  test('that recovers a loss at once if the oldest packet was lost', () => {
    const pair = pairOf({}, { initialWindow: 8 })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(4)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 0, 0, 0])
    expect(pair.sender.timeouts).toBe(0)
  })

  test('if another was lost the oldest is resent again and again, until the timeout', () => {
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

  test('after a timeout nothing counts as in flight, so that lost ACKs do not close the window for ever', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 4 })
    hand.sends()
    // All four have arrived, their ACKs are lost. Each packet resent is a duplicate, whose ACK names none.
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
      hand.repeated(2)
      hand.waits(40 * US)
    }
    expect(hand.pair.sender.timeouts).toBe(1)
  })

  test('each ACK that names a packet restarts the timer and the retry count, though the oldest is missing', () => {
    const hand = new ByHand(40, {}, { initialWindow: 40 }, { retryLimit: 1 })
    hand.sends()
    for (let psn = 1; psn <= 20; psn++) {
      hand.ack(psn, 2)
      hand.waits(300 * US)
    }
    expect(hand.pair.sender.timeouts).toBe(0)
    // No packet is named any more: a timeout.
    hand.waits(300 * US)
    expect(hand.pair.sender.timeouts).toBe(1)
    hand.ack(21, 2)
    hand.waits(400 * US)
    expect(hand.pair.sender.timeouts).toBe(2)
    expect(hand.pair.sender.isFailed).toBe(false)
    // Neither a packet that was never sent nor a NACK counts.
    hand.ack(900, 2)
    hand.nack(0, 2)
    hand.waits(400 * US)
    expect(hand.pair.sender.isFailed).toBe(true)
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

describe('the walk', () => {
  /** Six packets in flight, of which 0 is reported missing. */
  const walking = (values: Values = {}): ByHand => {
    const hand = new ByHand(1000, values, { initialWindow: 6 })
    hand.sends()
    expect(psnsOf(hand.nack(0, 4))).toEqual([0])
    return hand
  }

  test('begins anew when its packet is reported missing again', () => {
    const hand = walking()
    expect(psnsOf(hand.ack(3, 5))).toEqual([1])
    expect(hand.nack(0, 6)).toEqual([{ psn: 0, path: 6, isAgain: true }])
    expect(psnsOf(hand.ack(4, 5))).toEqual([1])
  })

  test('goes on at an old NACK of a packet that was too far', () => {
    const hand = walking()
    hand.expected = 1
    expect(psnsOf(hand.ack(0, 4, RETRANSMITTED))).toEqual([1])
    hand.expected = 0
    expect(hand.nack(0, 5)).toEqual([{ psn: 2, path: 5, isAgain: true }])
  })

  test('has come to its end when all that was sent has gone again, and then such a NACK sends nothing', () => {
    const hand = walking({ delta: 0 })
    for (const psn of [1, 2, 3, 4, 5]) expect(psnsOf(hand.ack(5, 5, RETRANSMITTED))).toEqual([psn])
    // Over a slow path: it releases nothing, and does not end the range.
    hand.expected = 2
    expect(hand.ack(1, 3)).toEqual([])
    hand.expected = 1
    expect(hand.nack(1, 4)).toEqual([])
  })

  test('lets nothing new go: neither what is posted meanwhile nor what the burst timer would', () => {
    const hand = new ByHand(6, { burstTimer: 10 * US }, { initialWindow: 6 })
    hand.sends()
    hand.posts(10)
    hand.expected = 4
    // Room for four: two, and two at the burst timer.
    expect(psnsOf(hand.ack(3, 9))).toEqual([6, 7])
    expect(psnsOf(hand.nack(4, 4))).toEqual([4])
    hand.posts(10)
    expect(hand.sends()).toEqual([])
    expect(hand.waits(20 * US)).toEqual([])
    expect(hand.ack(6, 1)).toEqual([{ psn: 5, path: 1, isAgain: true }])
  })

  test('is over as soon as everything of it is acknowledged, though that came over a slow path', () => {
    const hand = new ByHand(7, { delta: 0 }, { initialWindow: 6 })
    hand.sends()
    hand.isPaused = true
    // Releases 6, which leaves during the recovery: the range ends before it.
    hand.ack(5, 1)
    hand.nack(0, 4)
    expect(psnsOf(hand.resumes())).toEqual([6, 0])
    hand.expected = 6
    expect(hand.ack(3, 2)).toEqual([])
    // 6 + 1/6, and + 0.16 - 1 for the slow path: one in flight, room for four.
    expect(hand.window).toBeCloseTo(5.33, 2)
    hand.posts(10)
    expect(psnsOf(hand.sends())).toEqual([7, 8, 9, 10])
  })
})

describe('a paused line', () => {
  test('has one timeout put the oldest packet there: the next can only be late once it has gone', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 8 })
    hand.sends()
    hand.isPaused = true
    hand.waits(1000 * US)
    expect(hand.pair.sender.timeouts).toBe(1)
    expect(psnsOf(hand.resumes())).toEqual([0])
  })

  test('has what was let go leave behind a timeout as far as the half of the window goes, and the oldest packet then', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 8 })
    hand.sends()
    hand.isPaused = true
    hand.expected = 1
    // 8 to 13 are released.
    for (const psn of [0, 1, 2, 3, 4, 5]) hand.ack(psn, 9)
    hand.waits(321 * US)
    // Half of 8 + 1/8, of which nothing is in flight.
    expect(hand.window).toBe(4.0625)
    expect(psnsOf(hand.resumes())).toEqual([8, 9, 10, 11, 1])
  })

  test('does not make an ACK over a slow path the last one while the oldest packet waits to go again', () => {
    const hand = new ByHand(1000, { delta: 0 }, { initialWindow: 6 })
    hand.sends()
    expect(hand.ack(5, 1, ECE)).toEqual([])
    hand.isPaused = true
    hand.waits(321 * US)
    hand.ack(3, 2)
    expect(psnsOf(hand.resumes())).toEqual([0])
  })
})

describe('answers that fit nothing', () => {
  test('a NACK of a packet never sent has no effect', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    expect(hand.nack(6, 4)).toEqual([])
    expect(hand.nack(9, 4)).toEqual([])
  })

  test('an ACK that names a packet never sent does not make it the furthest arrival', () => {
    const hand = new ByHand(1000, { delta: 0 }, { initialWindow: 6 })
    hand.sends()
    hand.ack(6, 1)
    hand.ack(900, 1)
    expect(pathsOf(hand.ack(4, 2))).toEqual([2])
  })

  test('an old NACK when everything is acknowledged says nothing: what the burst timer has to let go still goes', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    hand.isPaused = true
    // Room for six: two go, and two at the burst timer.
    hand.expected = 6
    hand.ack(5, 9)
    hand.expected = 2
    hand.nack(2, 4)
    hand.waits(US)
    const sent = hand.resumes()
    expect(psnsOf(sent)).toEqual([6, 7, 8, 9])
    expect(pathsOf(sent)).toEqual([9, 9, 9, 9])
  })
})

describe('a receiver that is not ready', () => {
  test('gets its wait, and everything behind is resent', () => {
    const pair = pairOf({}, {}, { receiveQueue: 1, receiveRepost: 5 * US })
    for (let i = 0; i < 4; i++) pair.postPackets(2, 'send')
    expect(pair.run()).toBe('finished')
    expect(pair.log.some(({ text }) => text.startsWith('RNR'))).toBe(true)
  })

  test('is sent as much as the window holds, as though nothing had arrived', () => {
    const hand = new ByHand(1000, { delta: 0 }, { initialWindow: 6 })
    hand.sends()
    hand.ack(5, 1, ECE)
    hand.notReady(0)
    expect(hand.window).toBe(5.5)
    const sent = hand.waits(10 * US)
    expect(psnsOf(sent)).toEqual([0, 1, 2, 3, 4])
    expect(sent.every(({ isAgain }) => isAgain)).toBe(true)
    // The first copy of 0, over a path that is not slow: nothing that counts has arrived before it.
    expect(hand.ack(0, 7)).toEqual([{ psn: 5, path: 7, isAgain: true }])
  })

  test('is not sent what it acknowledges meanwhile', () => {
    const hand = new ByHand(6, {}, { initialWindow: 6 })
    hand.sends()
    hand.notReady(0)
    hand.expected = 4
    expect(hand.ack(3, 20_000)).toEqual([])
    const sent = hand.waits(10 * US)
    expect(psnsOf(sent)).toEqual([4, 5])
    // Both had been released before, on any paths.
    expect(pathsOf(sent)).not.toContain(20_000)
    expect(hand.window).toBe(6)
    // Nothing waits for the line any more, so the window grows again.
    hand.expected = 6
    hand.ack(5, 3, RETRANSMITTED)
    expect(hand.window).toBe(6.166667)
  })
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

test('a repeated READ request stands for ACKs that were lost: what it makes room for takes paths of the table', () => {
  const hand = new ByHand(1000, {}, { initialWindow: 6 }, { ackTimeout: null })
  hand.sends()
  const request = Object.assign(new Segment(), { kind: READ_REQUEST, psn: 6, flags: RETRANSMITTED })
  hand.pair.sender.onSegment(hand.nowPs, request)
  const sent = hand.sends()
  expect(psnsOf(sent)).toEqual([6, 7, 8, 9, 10, 11])
  expect(pathsOf(sent).every((path) => path >= 1 && path <= 16_384)).toBe(true)
})
