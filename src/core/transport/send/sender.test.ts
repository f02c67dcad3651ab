import { describe, expect, test } from 'vitest'
import { lose, loseWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../../../../tests/support/pair.ts'
import { GBPS, MBPS, NEVER_PS, US } from '../../base/params.ts'
import { dcqcn, dcqcnConnectX4 } from '../congestion/dcqcn.ts'
import { qcn } from '../congestion/qcn.ts'
import { goBackN } from '../recovery/go-back-n.ts'
import { irn } from '../recovery/irn.ts'
import {
  ACK,
  ACK_REQUEST,
  CNM,
  CNP,
  DATA,
  FIRST,
  LAST,
  NAK,
  READ_REQUEST,
  RETH,
  RNR_NAK,
  SEND,
  Segment,
} from '../segment.ts'

const PACKET_PS = 1106 * 200
const everything = loseWhere(() => true)

describe('messages', () => {
  test('are cut into full packets and one that is shorter; one of no bytes takes one packet', () => {
    const { sender } = new Pair({ payloadBytes: 100 })
    sender.post(0, 250, 'write')
    sender.post(0, 0, 'send')
    sender.post(0, 100, 'read')
    const sent: number[][] = []
    for (let segment = new Segment(); sender.nextSendPs < NEVER_PS; segment = new Segment()) {
      expect(sender.pollTransmit(sender.nextSendPs - 1, segment)).toBe(false)
      expect(sender.pollTransmit(sender.nextSendPs, segment)).toBe(true)
      sent.push([segment.psn, segment.payloadBytes, segment.flags & (FIRST | LAST | RETH | SEND)])
    }
    expect(sent).toEqual([
      [0, 100, FIRST | RETH],
      [1, 100, 0],
      [2, 50, LAST],
      [3, 0, FIRST | LAST | SEND],
      [4, 100, FIRST | LAST],
    ])
  })

  test('request ACKs by position, so that a retransmission requests one as before', () => {
    const pair = new Pair({ qp: { ackInterval: 3 } })
    pair.forward.rule(lose(DATA, 1, 1))
    pair.postPackets(7)
    pair.postPackets(2)
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual(['NAK 1', 'ACK 2', 'ACK 5', 'ACK 6', 'ACK 8'])
  })

  test('of 4 MB in packets of 1 KB request an ACK with every 256th packet, sixteen times', () => {
    const pair = new Pair({ qp: { ackInterval: 256 }, isLogging: false })
    const asking: number[] = []
    pair.forward.rule(({ segment }) => {
      if ((segment.flags & ACK_REQUEST) !== 0) asking.push(segment.psn)
    })
    pair.postPackets(4096)
    expect(pair.run()).toBe('finished')
    expect(asking).toEqual(Array.from({ length: 16 }, (_, i) => 256 * (i + 1) - 1))
  })

  test('a thousand of them, acknowledged in bulk: none is lost from the list', () => {
    const pair = new Pair({ qp: { ackInterval: 1 }, isLogging: false })
    pair.forward.rule(loseWhere(({ count }) => count % 97 === 50))
    for (let i = 0; i < 1000; i++) pair.post(i % 5000, i % 2 === 0 ? 'write' : 'send')
    expect(pair.run()).toBe('finished')
    expect(pair.receiver.deliveredMessages).toBe(1000)
    expect(pair.sender.isIdle).toBe(true)
  })

  test('posted after an idle period start at once', () => {
    const pair = new Pair()
    pair.postPackets(1)
    pair.run()
    pair.runUntil(500 * US)
    pair.postPackets(1)
    pair.run()
    expect(pair.timesOf('data 1')).toEqual([500 * US])
  })
})

describe('the window', () => {
  test('closes when windowBytes are in flight, and opens with the ACK', () => {
    const pair = new Pair({ qp: { window: 3 * 1024 }, delayPs: 10 * US })
    pair.postPackets(6, 'send')
    pair.run()
    const starts = pair.dataSent.map((psn) => pair.timesOf(`data ${psn}`)[0]!)
    expect(starts.slice(0, 3)).toEqual([0, PACKET_PS, 2 * PACKET_PS])
    expect(starts.slice(3)).toEqual(starts.slice(0, 3).map((ps) => ps + 20 * US))
  })

  test('one byte more allows one packet more: it is open while less is in flight', () => {
    const pair = new Pair({ qp: { window: 3 * 1024 + 1 }, delayPs: 10 * US })
    pair.postPackets(9)
    pair.runUntil(10 * US)
    expect(pair.dataSent).toHaveLength(4)
  })

  test('shrinks with the rate where it is variable, and lets one packet through at any rate', () => {
    const pair = new Pair({
      congestion: scheme(dcqcn),
      qp: { window: 8 * 1024, windowVariable: true },
      delayPs: 40 * US,
    })
    pair.answer({ kind: CNP })
    pair.postPackets(20)
    pair.runUntil(40 * US)
    expect(pair.dataSent).toHaveLength(4)
    for (let i = 0; i < 20; i++) pair.answer({ kind: CNP })
    pair.answer({ kind: ACK, psn: 3 })
    pair.runUntil(90 * US)
    expect(pair.dataSent).toHaveLength(5)
  })
})

describe('pacing', () => {
  const afterCut = (pacing: 'follow' | 'fixed'): number => {
    const pair = new Pair({ congestion: scheme(dcqcn), qp: { pacing } })
    pair.postPackets(3, 'send')
    pair.runUntilSent(2)
    pair.answer({ kind: CNP })
    return pair.sender.nextSendPs
  }
  test('a cut moves the deadline that is already set', () => {
    expect(afterCut('follow')).toBe(PACKET_PS + 2 * PACKET_PS)
  })
  test('or leaves it, if configured', () => {
    expect(afterCut('fixed')).toBe(PACKET_PS + PACKET_PS)
  })
  test('does not reach back into idle time', () => {
    const pair = new Pair({ congestion: scheme(dcqcn) })
    pair.postPackets(1)
    pair.run()
    pair.runUntil(90 * US)
    pair.postPackets(1)
    expect(pair.sender.nextSendPs).toBe(90 * US)
  })
})

describe('the ACK timer', () => {
  test('restarts with every ACK while something is in flight', () => {
    const pair = new Pair({ qp: { ackInterval: 1, ackTimeout: 10 * US } })
    pair.postPackets(50)
    pair.runUntilSent(50)
    expect(pair.nowPs).toBeGreaterThan(10 * US)
    expect(pair.sender.timeouts).toBe(0)
    expect(pair.run()).toBe('finished')
    expect(pair.sender.nextTimeoutPs).toBe(NEVER_PS)
  })

  test('starts with the first packet, or restarts with every packet if configured', () => {
    const repeatedPs = (ackTimer: 'answer' | 'packet'): number => {
      const pair = new Pair({ qp: { ackInterval: 256, ackTimeout: 10 * US, ackTimer } })
      pair.forward.rule(everything)
      pair.postPackets(100)
      pair.runUntil(40 * US)
      return pair.timesOf('data 0')[1]!
    }
    // The packet being sent is completed.
    expect(repeatedPs('answer') - 10 * US).toBeLessThan(PACKET_PS)
    // The first packet of a WRITE is 16 bytes longer.
    expect(repeatedPs('packet')).toBe(10 * US + 99 * PACKET_PS + 16 * 200)
  })

  test('the QP fails after as many timeouts in a row as the limit allows, and one more', () => {
    const pair = new Pair({ qp: { ackTimeout: 100 * US, retryLimit: 2 } })
    pair.forward.rule(everything)
    pair.postPackets(1)
    expect(pair.run()).toBe('failed')
    expect(pair.timesOf('data 0')).toEqual([0, 100 * US, 200 * US])
    expect([pair.nowPs, pair.sender.timeouts]).toEqual([300 * US, 3])
  })

  test('progress resets the retry count', () => {
    const pair = new Pair({ qp: { ackInterval: 1, ackTimeout: 100 * US, retryLimit: 2 } })
    pair.forward.rule(loseWhere(({ nth }) => nth <= 2))
    pair.postPackets(1)
    pair.run()
    pair.postPackets(1)
    expect(pair.run()).toBe('finished')
    expect(pair.sender.timeouts).toBe(4)
  })

  test('without a retry limit it goes on for ever', () => {
    const pair = new Pair({ qp: { ackTimeout: 100 * US, retryLimit: null } })
    pair.forward.rule(everything)
    pair.postPackets(1)
    expect(pair.run(1e12)).toBe('late')
    expect(pair.sender.timeouts).toBe(10_000)
  })

  test('expires without a timeout while nothing is in flight: the packet that waits for pacing was not sent yet', () => {
    const pair = new Pair({ congestion: scheme(dcqcn), qp: { ackTimeout: 50 * US } })
    for (let i = 0; i < 60; i++) pair.answer({ kind: CNP })
    pair.forward.rule(everything)
    pair.postPackets(3)
    pair.runUntilSent(1)
    pair.answer({ kind: NAK, psn: 0 })
    expect(pair.sender.nextSendPs).toBeGreaterThan(60 * US)
    pair.runUntilSent(2)
    expect([pair.nowPs > 60 * US, pair.sender.timeouts]).toEqual([true, 0])
  })

  test.each([
    ['go-back-n', scheme(goBackN)],
    ['irn', scheme(irn)],
  ])('%s: a retransmission that waits for pacing is not late a second time', (_name, recovery) => {
    // A packet takes 4.4 ms at this rate, and is late after 320us.
    const congestion = scheme(qcn, { minRate: 2 * MBPS })
    const pair = new Pair({ recovery, congestion, qp: { ackTimeout: 320 * US }, delayPs: 12 * US })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(3)
    for (let i = 0; i < 20; i++) pair.answer({ kind: CNM, syndrome: 63 })
    expect([pair.run(), pair.sender.timeouts, pair.sender.retransmissions]).toEqual(['finished', 1, 1])
  })

  test('late and spurious calls change nothing', () => {
    const pair = new Pair({ qp: { ackTimeout: 100 * US } })
    pair.postPackets(4)
    pair.runUntilSent(4)
    const before = [pair.sender.una, pair.sender.nxt, pair.sender.nextTimeoutPs, pair.sender.nextSendPs]
    pair.fidget()
    pair.fidget()
    expect([pair.sender.una, pair.sender.nxt, pair.sender.nextTimeoutPs, pair.sender.nextSendPs]).toEqual(before)
    expect(pair.sender.timeouts).toBe(0)
  })
})

describe('a QP that has failed', () => {
  function failed(options: PairOptions = {}): Pair {
    const pair = new Pair({ ...options, qp: { ...options.qp, ackInterval: 1, ackTimeout: 100 * US, retryLimit: 0 } })
    pair.backward.rule(everything)
    pair.postPackets(1)
    pair.postPackets(3)
    expect(pair.run()).toBe('failed')
    return pair
  }
  test('ignores everything: no message is acknowledged late, no timer starts', () => {
    const pair = failed({ congestion: scheme(dcqcn) })
    pair.answer({ kind: ACK, psn: 1 })
    pair.answer({ kind: RNR_NAK, psn: 1, syndrome: 0x21 })
    pair.answer({ kind: NAK, psn: 1 })
    pair.answer({ kind: CNP })
    pair.sender.settle(pair.nowPs, 1)
    expect([pair.sender.acknowledgedMessages, pair.sender.una]).toEqual([0, 0])
    expect([pair.sender.nextTimeoutPs, pair.sender.nextSendPs]).toEqual([NEVER_PS, NEVER_PS])
  })
  test('sends nothing more, whatever is posted', () => {
    const pair = failed()
    pair.postPackets(2)
    expect(pair.sender.nextSendPs).toBe(NEVER_PS)
  })
})

test('a QP that is closed starts no timer for a CNP that comes late', () => {
  const pair = new Pair({ congestion: scheme(dcqcnConnectX4) })
  pair.postPackets(1)
  pair.run()
  pair.sender.close()
  pair.answer({ kind: CNP })
  expect(pair.sender.nextTimeoutPs).toBe(NEVER_PS)
})

describe('a QP without ACKs', () => {
  test('ends when the receiver has all data', () => {
    const pair = new Pair({ qp: { ackInterval: 0 } })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(4)
    pair.postPackets(4)
    expect(pair.run()).toBe('finished')
    expect([pair.answers, pair.sender.isIdle, pair.sender.acknowledgedMessages]).toEqual([['NAK 2'], true, 2])
  })

  test('completed messages are not resent, nor packets in flight behind them', () => {
    const pair = new Pair({ qp: { ackInterval: 0 } })
    pair.postPackets(1)
    pair.postPackets(9)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('a settle without a new message does not restart the timer', () => {
    const pair = new Pair({ qp: { ackInterval: 0, ackTimeout: 100 * US } })
    pair.forward.rule(loseWhere(({ segment }) => segment.psn >= 1))
    pair.postPackets(1)
    pair.postPackets(4)
    pair.runUntil(20 * US)
    const deadlinePs = pair.sender.nextTimeoutPs
    pair.sender.settle(pair.nowPs, 1)
    expect(pair.sender.nextTimeoutPs).toBe(deadlinePs)
  })

  test('a completed message is progress: the retry count is reset and the timer restarts', () => {
    const pair = new Pair({ qp: { ackInterval: 0, ackTimeout: 100 * US, retryLimit: 1 } })
    for (let message = 0; message < 20; message++) {
      pair.runUntil(message * 90 * US)
      pair.postPackets(1)
    }
    expect(pair.run()).toBe('finished')
    expect(pair.sender.timeouts).toBe(0)
    expect(pair.sender.nextTimeoutPs).toBe(NEVER_PS)
  })
})

describe('marks', () => {
  test('a CNP reaches the control, and data are ECN-capable only if the control needs it', () => {
    const pair = new Pair({ congestion: scheme(dcqcn) })
    pair.forward.rule(markWhere(({ segment }) => segment.psn === 1))
    pair.postPackets(4)
    pair.run()
    expect(pair.sender.congestion.rateBps).toBeLessThan(40 * GBPS)
    const plain = new Pair()
    plain.forward.rule(markWhere(() => true))
    plain.postPackets(4)
    plain.run()
    expect(plain.forward.faults.marked).toBe(0)
  })
})

test('a READ request for data never requested, or long completed, has no effect', () => {
  const pair = new Pair({ isRead: true })
  pair.answer({ kind: READ_REQUEST, psn: 5, payloadBytes: 4096 })
  expect(pair.sender.end).toBe(0)
  pair.read(2048)
  expect(pair.run()).toBe('finished')
  pair.answer({ kind: READ_REQUEST, psn: 0, payloadBytes: 2048 })
  expect([pair.sender.una, pair.sender.nxt, pair.sender.end]).toEqual([2, 2, 2])
})
