import { describe, expect, test } from 'vitest'
import { doubleWhere, lose, loseWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../../../../tests/support/pair.ts'
import { NEVER_PS, US } from '../../base/params.ts'
import { dcqcn } from '../congestion/dcqcn.ts'
import { dctcpRate } from '../congestion/dctcp-rate.ts'
import { goBack0 } from '../recovery/go-back-0.ts'
import { rewindingIrn } from '../recovery/irn-rewind.ts'
import { ACK_REQUEST, CE, DATA, ECE, FIRST, LAST, NAK, READ_REQUEST, Segment, SEND } from '../segment.ts'

describe('READ', () => {
  const timeout = 100 * US
  const reader = (options: PairOptions = {}): Pair =>
    new Pair({ isRead: true, qp: { ackTimeout: timeout }, ...options })

  test('one request, its responses, and no ACK', () => {
    const pair = reader()
    pair.read(4096)
    expect(pair.run()).toBe('finished')
    expect([pair.answers, pair.dataSent]).toEqual([['READ 0'], [0, 1, 2, 3]])
    expect([pair.receiver.delivered.bytes, pair.sender.isIdle]).toEqual([4096, true])
    expect(pair.receiver.nextTimeoutPs).toBe(NEVER_PS)
  })

  test('requests name the PSN their responses begin with; one of no bytes takes a packet too', () => {
    const pair = reader()
    pair.read(2048)
    pair.read(0)
    pair.read(1)
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual(['READ 0', 'READ 2', 'READ 3'])
    expect([pair.receiver.deliveredMessages, pair.receiver.delivered.bytes]).toEqual([3, 2049])
  })

  test('a lost request is sent again after the timeout', () => {
    const pair = reader()
    pair.backward.rule(lose(READ_REQUEST, 0, 1))
    pair.read(4096)
    expect(pair.run()).toBe('finished')
    expect(pair.timesOf('READ 0')).toEqual([0, timeout])
    expect(pair.receiver.timeouts).toBe(1)
  })

  test('a lost response is requested again at once, from it on', () => {
    const pair = reader()
    pair.forward.rule(lose(DATA, 2, 1))
    pair.read(8192)
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual(['READ 0', 'READ 2'])
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7])
    expect(pair.receiver.timeouts).toBe(0)
  })

  test('with go-back-0 all of it is requested again', () => {
    const pair = reader({ recovery: scheme(goBack0) })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.read(4096)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
    expect(pair.receiver.delivered.bytes).toBe(4096)
  })

  test('a lost last response is requested again after the timeout, counted from the last arrival', () => {
    const pair = reader()
    pair.forward.rule(lose(DATA, 3, 1))
    pair.read(4096)
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual(['READ 0', 'READ 3'])
    expect(pair.timesOf('READ 3')).toEqual([2 * US + 2 * 1106 * 200 + timeout])
  })

  test('without any response the reader gives up after its retry limit, and sends no more requests', () => {
    const pair = reader({ qp: { ackTimeout: timeout, retryLimit: 3 } })
    pair.backward.rule(loseWhere(() => true))
    pair.read(4096)
    expect(pair.run()).toBe('failed')
    expect(pair.timesOf('READ 0')).toEqual([0, timeout, 3 * timeout, 7 * timeout])
    expect(pair.nowPs).toBe(15 * timeout)
    pair.read(4096)
    pair.runUntil(1000 * timeout)
    expect(pair.timesOf('READ 0')).toHaveLength(4)
    // Anything that arrives now is too late.
    pair.hand({ kind: DATA, psn: 0, payloadBytes: 1024 })
    expect(pair.receiver.delivered.bytes).toBe(0)
  })

  test('its waits double up to 64 times the first', () => {
    const pair = reader({ qp: { ackTimeout: timeout, retryLimit: 8 } })
    pair.backward.rule(loseWhere(() => true))
    pair.read(4096)
    expect(pair.run()).toBe('failed')
    expect(pair.nowPs).toBe((127 + 64 + 64) * timeout)
  })

  test('a slow responder is given as long as for the response before, and some more', () => {
    const pair = reader({ qp: { ackTimeout: timeout, retryLimit: 1 } })
    // 1024 bytes in 1.2 timeouts.
    pair.sender.congestion.rateBps = (1106 * 8e12) / (1.2 * timeout)
    pair.read(10 * 1024)
    expect(pair.run()).toBe('finished')
    // The second came late, while the first was there at once.
    expect(pair.receiver.timeouts).toBe(1)
    // The idle time before a request does not count, nor does a fast response for the next wait.
    pair.runUntil(pair.nowPs + 100 * timeout)
    pair.sender.congestion.rateBps = 40e9
    pair.forward.rule(lose(DATA, 11, 1))
    pair.read(2 * 1024)
    const askedPs = pair.nowPs
    expect(pair.run()).toBe('finished')
    expect(pair.nowPs - askedPs).toBeLessThan(1.1 * timeout)
  })

  test('losses in a row do not make each wait twice the one before', () => {
    const pair = reader()
    for (let psn = 0; psn < 8; psn++) pair.forward.rule(lose(DATA, psn, 1))
    for (let i = 0; i < 8; i++) pair.read(1024)
    expect(pair.run()).toBe('finished')
    expect(pair.nowPs).toBeLessThan(40 * timeout)
  })

  test('does not give up while any response arrives, even if it is not the next one', () => {
    const pair = reader({ qp: { ackTimeout: timeout, retryLimit: 1 } })
    pair.backward.rule(loseWhere(() => true))
    pair.read(4096)
    for (let i = 0; i < 6; i++) {
      pair.runUntil((2 ** i - 0.5) * timeout)
      pair.hand({ kind: DATA, psn: 2, payloadBytes: 1024 })
    }
    expect([pair.receiver.timeouts, pair.receiver.isFailed]).toEqual([5, false])
    expect(pair.run()).toBe('failed')
  })

  test('a call before the timeout has no effect', () => {
    const pair = reader()
    pair.backward.rule(loseWhere(() => true))
    pair.read(4096)
    pair.runUntil(timeout - 1)
    pair.receiver.onTimeout(timeout - 1)
    expect([pair.receiver.timeouts, pair.receiver.nextTimeoutPs]).toEqual([0, timeout])
  })

  test('a response resets the retry count', () => {
    const pair = reader({ qp: { ackTimeout: timeout, retryLimit: 1 } })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.forward.rule(lose(DATA, 1, 1))
    pair.forward.rule(lose(DATA, 1, 2))
    pair.read(1025)
    expect(pair.run()).toBe('finished')
    expect(pair.receiver.timeouts).toBe(2)
  })

  test('a request lost before others: one NAK, and all from it on are sent again, once', () => {
    const pair = reader({ qp: { ackTimeout: null } })
    pair.backward.rule(lose(READ_REQUEST, 2, 1))
    for (const bytes of [2048, 3072, 1024, 1024]) pair.read(bytes)
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual([
      'READ 0',
      'READ 2',
      'READ 5',
      'READ 6',
      'request NAK 2',
      'READ 2',
      'READ 5',
      'READ 6',
    ])
    expect([pair.dataSent, pair.receiver.delivered.bytes]).toEqual([[0, 1, 2, 3, 4, 5, 6], 7168])
  })

  test('that NAK lost: the timeout repeats all outstanding requests', () => {
    const pair = reader()
    pair.backward.rule(lose(READ_REQUEST, 0, 1))
    pair.forward.rule(lose(NAK, 0, 1))
    for (const bytes of [2048, 3072, 1024]) pair.read(bytes)
    expect(pair.run()).toBe('finished')
    expect(pair.timesOf('READ 5')).toEqual([0, timeout])
    expect([pair.receiver.timeouts, pair.dataSent]).toEqual([1, [0, 1, 2, 3, 4, 5]])
  })

  test('a timeout in the middle of a READ: it continues from the missing response, and later READs arrive once', () => {
    const pair = reader()
    pair.forward.rule(loseWhere(({ segment, count }) => segment.kind === DATA && count >= 1 && count < 5))
    pair.read(2048)
    pair.read(3072)
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual(['READ 0', 'READ 2', 'READ 1', 'READ 2'])
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 4, 1, 2, 3, 4])
  })

  test('a late NAK, or one that names no request, repeats nothing', () => {
    const pair = reader()
    pair.read(2048)
    pair.read(3072)
    pair.runUntilSent(4)
    pair.runUntil(pair.nowPs + 2 * US)
    for (const psn of [0, 2, 3, 4, 5, 900]) pair.hand({ kind: NAK, psn })
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual(['READ 0', 'READ 2'])
  })

  test('the second of two requests lost: repeated once the first READ is complete', () => {
    const pair = reader()
    pair.backward.rule(lose(READ_REQUEST, 2, 1))
    pair.read(2048)
    pair.read(3072)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 4])
    expect(pair.receiver.timeouts).toBe(1)
  })

  test('both lost, and the repeated one too', () => {
    const pair = reader()
    pair.backward.rule(loseWhere(({ count }) => count < 3))
    pair.read(2048)
    pair.read(3072)
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual(['READ 0', 'READ 2', 'READ 0', 'READ 2', 'request NAK 0', 'READ 0', 'READ 2'])
    expect(pair.receiver.timeouts).toBe(1)
  })

  test('a doubled request brings its responses twice at most, and nothing is delivered twice', () => {
    const pair = reader()
    pair.backward.rule(doubleWhere(() => true))
    pair.read(3072)
    pair.read(3072)
    expect(pair.run()).toBe('finished')
    pair.calm()
    expect(pair.receiver.delivered.bytes).toBe(6144)
    expect(pair.dataSent.length).toBeLessThanOrEqual(12)
  })

  test('without a timeout a lost request stalls the QP', () => {
    const pair = reader({ qp: { ackTimeout: null } })
    pair.backward.rule(lose(READ_REQUEST, 0, 1))
    pair.read(4096)
    expect(pair.run()).toBe('stalled')
  })
})

describe('what an ACK carries', () => {
  /** Flags of the receiver's next packet. */
  const said = (pair: Pair, fields: Partial<Segment>): Segment => {
    const segment = new Segment()
    pair.receiver.onSegment(pair.nowPs, Object.assign(new Segment(), fields))
    expect(pair.receiver.pollTransmit(pair.nowPs, segment)).toBe(true)
    expect(pair.receiver.pollTransmit(pair.nowPs, new Segment())).toBe(false)
    return segment
  }

  test('T-DCTCP: the mark of its packet, and that of packets without an ACK of their own', () => {
    const pair = new Pair({ congestion: scheme(dctcpRate), qp: { ecnEcho: 'ack' } })
    const asks = { kind: DATA, payloadBytes: 1024, flags: ACK_REQUEST } as const
    expect(said(pair, { ...asks, psn: 0, ecn: CE }).flags).toBe(ECE)
    expect(said(pair, { ...asks, psn: 1 }).flags).toBe(0)
    pair.receiver.onSegment(0, Object.assign(new Segment(), { ...asks, psn: 2, ecn: CE, flags: 0 }))
    expect(said(pair, { ...asks, psn: 3 }).flags).toBe(ECE)
    expect(said(pair, { ...asks, psn: 5, ecn: CE }).flags).toBe(ECE)
  })

  test('with marksNaks a NAK of a packet out of order has one too, and no other reply', () => {
    const asks = { kind: DATA, payloadBytes: 1024, flags: ACK_REQUEST } as const
    for (const marksNaks of [true, false]) {
      const pair = new Pair({ congestion: scheme(dctcpRate), qp: { ecnEcho: 'ack' }, marksNaks })
      expect(said(pair, { ...asks, psn: 0 }).flags).toBe(0)
      expect(said(pair, { ...asks, psn: 2 })).toMatchObject({ kind: NAK, flags: marksNaks ? ECE : 0 })
      expect(said(pair, { ...asks, psn: 1 }).flags).toBe(0)
      expect(said(pair, { ...asks, psn: 0 }).flags).toBe(0)
    }
  })

  test('with marksNaks and marks echoed as CNPs a NAK causes one', () => {
    const answersOf = (marksNaks: boolean): string[] => {
      const pair = new Pair({ congestion: scheme(dcqcn), marksNaks })
      pair.forward.rule(lose(DATA, 1, 1))
      pair.post(4 * 1024)
      expect(pair.run()).toBe('finished')
      return pair.answers.filter((answer) => /CNP|NAK/.test(answer))
    }
    expect(answersOf(false)).toEqual(['NAK 1'])
    expect(answersOf(true).map((answer) => answer.split(' ')[0])).toEqual(['CNP', 'NAK'])
  })

  test('with marksNaks a NACK in order, of IRN that names its packets while it holds others, has none', () => {
    const recovery = scheme(rewindingIrn, { cap: 10 })
    const pair = new Pair({ recovery, congestion: scheme(dctcpRate), qp: { ecnEcho: 'ack' }, marksNaks: true })
    const asks = { kind: DATA, payloadBytes: 1024, flags: ACK_REQUEST } as const
    expect(said(pair, { ...asks, psn: 2 })).toMatchObject({ kind: NAK, flags: ECE })
    expect(said(pair, { ...asks, psn: 0 })).toMatchObject({ kind: NAK, flags: 0 })
  })

  test('not the mark of a packet that was dropped silently', () => {
    const pair = new Pair({ congestion: scheme(dctcpRate), qp: { ecnEcho: 'ack' } })
    const asks = { kind: DATA, payloadBytes: 1024, flags: ACK_REQUEST } as const
    expect(said(pair, { ...asks, psn: 1 }).kind).toBe(NAK)
    // Packet 0 was reported; until it arrives no ACK or NAK is sent.
    pair.hand({ ...asks, psn: 2, ecn: CE })
    expect(pair.answers).toEqual([])
    expect(said(pair, { ...asks, psn: 0 }).flags).toBe(0)
  })

  test('the transmission time of its packet, and its network delay', () => {
    const pair = new Pair()
    pair.runUntil(5000)
    expect(said(pair, { kind: DATA, psn: 0, flags: ACK_REQUEST, sentPs: 1234 })).toMatchObject({
      sentPs: 1234,
      delayPs: 3766,
    })
  })

  test('credits: the Receive WQEs that are available, rounded down to a code; no limit where there is none', () => {
    const sends = (receiveQueue: number | null): number =>
      said(new Pair({ qp: { receiveQueue, receiveRepost: US } }), {
        kind: DATA,
        psn: 0,
        flags: FIRST | LAST | SEND | ACK_REQUEST,
      }).syndrome
    expect([sends(1), sends(6), sends(101), sends(null)]).toEqual([0, 4, 13, 0x1f])
  })
})

test('packets other than data are ignored by the receiver', () => {
  const pair = new Pair()
  pair.hand({ kind: READ_REQUEST, psn: 0, payloadBytes: 10 })
  expect([pair.answers, pair.receiver.expectedPsn, pair.receiver.delivered.bytes]).toEqual([[], 0, 0])
})

test('a doubled packet is delivered once', () => {
  const pair = new Pair({ qp: { ackInterval: 1 } })
  pair.forward.rule(doubleWhere(() => true))
  pair.forward.rule(markWhere(() => true))
  pair.postPackets(3)
  expect(pair.run()).toBe('finished')
  pair.calm()
  expect([pair.receiver.delivered.bytes, pair.receiver.deliveredMessages]).toEqual([3072, 1])
})

describe('Receive WQEs', () => {
  const send = { kind: DATA, payloadBytes: 1024, flags: FIRST | LAST | SEND | ACK_REQUEST } as const

  test('a WRITE uses none', () => {
    const pair = new Pair({ qp: { receiveQueue: 1, receiveRepost: 50 * US } })
    pair.hand({ ...send, psn: 0, flags: FIRST | LAST | ACK_REQUEST })
    pair.hand({ ...send, psn: 1 })
    expect(pair.answers).toEqual(['ACK 0', 'ACK 1'])
  })

  test('while a sender waits for one, packets behind are ignored, and the expected one is not', () => {
    const pair = new Pair({ qp: { receiveQueue: 1, receiveRepost: 5 * US, rnrTimer: 1 } })
    pair.hand({ ...send, psn: 0 })
    pair.hand({ ...send, psn: 1 })
    pair.hand({ ...send, psn: 2 })
    expect(pair.answers).toEqual(['ACK 0', 'RNR 1'])
    // Available again, though the sender does not know yet.
    pair.runUntil(6 * US)
    pair.hand({ ...send, psn: 3 })
    pair.hand({ ...send, psn: 1 })
    expect(pair.answers).toEqual(['ACK 0', 'RNR 1', 'ACK 1'])
    // The wait, 10us, is over at this very time: a gap is a loss.
    pair.runUntil(10 * US)
    pair.hand({ ...send, psn: 4 })
    expect(pair.answers.slice(3)).toEqual(['NAK 2'])
  })
})

test('the peak is kept, whatever going back to 0 discards', () => {
  const pair = new Pair({ recovery: scheme(goBack0, { nakInterval: null, nakGate: 'strict' }) })
  const after = (...psns: number[]): number[] => {
    for (const psn of psns) pair.hand({ kind: DATA, psn, payloadBytes: 1024 })
    return [pair.receiver.delivered.bytes, pair.receiver.delivered.peakBytes]
  }
  expect(after(0, 1, 2)).toEqual([3072, 3072])
  expect(after(5)).toEqual([0, 3072])
  expect(after(0)).toEqual([1024, 3072])
  expect(after(1, 2, 3)).toEqual([4096, 4096])
})

test('a smaller amount discarded later does not lower it', () => {
  const pair = new Pair({ recovery: scheme(goBack0, { nakInterval: 0 }) })
  const peakAfter = (...psns: number[]): number => {
    for (const psn of psns) pair.hand({ kind: DATA, psn, payloadBytes: 1024 })
    return pair.receiver.delivered.peakBytes
  }
  expect(peakAfter(0, 1, 2, 5)).toBe(3072)
  expect(peakAfter(0, 3)).toBe(3072)
})
