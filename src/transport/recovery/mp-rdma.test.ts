import { describe, expect, test } from 'vitest'
import { lose, holdWhere, loseWhere } from '../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../tests/support/pair.ts'
import { US, type ValuesOf } from '../../base/params.ts'
import { mpRdma as mpRdmaWindow } from '../congestion/mp-rdma.ts'
import { PSN_MASK } from '../psn.ts'
import {
  ACK,
  DATA,
  ECE,
  FIRST,
  LAST,
  NAK,
  PATH_MASK,
  PATH_SHIFT,
  RETRANSMITTED,
  SACK,
  Segment,
  SEND,
  SYNCHRONISE,
} from '../segment.ts'
import { mpRdma } from './mp-rdma.ts'
import { REPLY_ACK, REPLY_NAK } from './recovery.ts'
import { MpRdmaReceiver } from './mp-rdma-receiver.ts'

type Values = Partial<ValuesOf<typeof mpRdma.params>>
type WindowValues = Partial<ValuesOf<typeof mpRdmaWindow.params>>

/** A round trip that no probe falls into unless it is asked for. */
const pairOf = (values: Values = {}, window: WindowValues = {}, qp: Record<string, unknown> = {}): Pair =>
  new Pair({
    recovery: scheme(mpRdma, { probe: 0, ...values }),
    congestion: scheme(mpRdmaWindow, window),
    qp: { ackInterval: 1, ecnEcho: 'ack', ackTimeout: 320 * US, retryLimit: null, ...qp },
    delayPs: 12 * US,
  })

interface Sent {
  readonly psn: number
  readonly path: number
  readonly isAgain: boolean
}

/** A sender on a line without end, answered by hand. */
class ByHand {
  readonly pair: Pair
  nowPs = 0
  /** Next PSN that the receiver says it expects. */
  expected = 0
  constructor(packets: number, values: Values = {}, window: WindowValues = {}) {
    this.pair = pairOf(values, window)
    if (packets > 0) this.pair.sender.post(0, packets * 1024, 'write')
  }

  get window(): number {
    return Math.round(this.pair.sender.congestion.windowPackets * 1e6) / 1e6
  }

  /** Everything that may go now. */
  sends(): Sent[] {
    const sent: Sent[] = []
    const segment = new Segment()
    for (;;) {
      this.nowPs += US / 4
      if (!this.pair.sender.pollTransmit(this.nowPs, segment)) return sent
      sent.push({ psn: segment.psn, path: pathOf(segment), isAgain: (segment.flags & RETRANSMITTED) !== 0 })
    }
  }

  /** An ACK for one packet, and what it lets go. */
  ack(sackPsn: number, path: number, flags = 0): Sent[] {
    return this.answer(ACK, this.expected - 1, sackPsn, path, flags | SACK)
  }

  /** An ACK for a duplicate, and what it lets go. */
  repeated(path: number): Sent[] {
    return this.answer(ACK, this.expected - 1, 0, path, RETRANSMITTED)
  }

  /** A NACK that wants one packet. */
  nack(psn: number, path: number): Sent[] {
    return this.answer(NAK, this.expected, psn, path, 0)
  }

  /** The timers run for so long. */
  waits(ps: number): Sent[] {
    const { sender } = this.pair
    const untilPs = this.nowPs + ps
    while (sender.nextTimeoutPs <= untilPs) sender.onTimeout((this.nowPs = Math.max(this.nowPs, sender.nextTimeoutPs)))
    this.nowPs = untilPs
    return this.sends()
  }

  private answer(kind: typeof ACK | typeof NAK, psn: number, sackPsn: number, path: number, flags: number): Sent[] {
    const answer = new Segment()
    Object.assign(answer, { kind, psn: psn & PSN_MASK, sackPsn: sackPsn & PSN_MASK })
    answer.flags = flags | (path << PATH_SHIFT)
    this.pair.sender.onSegment(this.nowPs, answer)
    return this.sends()
  }
}

const pathOf = (segment: Readonly<Segment>): number => (segment.flags & PATH_MASK) >> PATH_SHIFT
const psnsOf = (sent: readonly Sent[]): number[] => sent.map(({ psn }) => psn)
const pathsOf = (sent: readonly Sent[]): number[] => sent.map(({ path }) => path)

describe('an ACK lets the next packets go on its own path', () => {
  /** Six packets in flight, two on each of three paths; ACKs in this order, marked where it says so. */
  function figure11(...acks: (readonly [number, number])[]): { windows: number[]; sends: number[]; byPath: number[] } {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    expect(hand.sends()).toHaveLength(6)
    const windows: number[] = []
    const sends: number[] = []
    const byPath = [0, 0, 0]
    acks.forEach(([path, flags], psn) => {
      const sent = hand.ack(psn, path, flags)
      expect(sent.every((each) => each.path === path && !each.isAgain)).toBe(true)
      windows.push(hand.window)
      sends.push(sent.length)
      byPath[path - 1]! += sent.length
    })
    return { windows, sends, byPath }
  }

  test('two marks cost the path one of its two packets, as in Fig. 11 (T-MPR-1)', () => {
    const { windows, sends, byPath } = figure11([1, 0], [1, 0], [2, 0], [2, 0], [3, ECE], [3, ECE])
    expect(windows).toEqual([6.166667, 6.328829, 6.486836, 6.640994, 6.140994, 5.640994])
    expect(sends).toEqual([1, 1, 1, 1, 1, 0])
    expect(byPath).toEqual([2, 2, 1])
  })

  test('with the marks first too (T-MPR-2)', () => {
    const { windows, sends, byPath } = figure11([3, ECE], [3, ECE], [1, 0], [1, 0], [2, 0], [2, 0])
    expect(windows).toEqual([5.5, 5, 5.2, 5.392308, 5.577757, 5.757041])
    expect(sends).toEqual([0, 1, 1, 1, 1, 1])
    expect(byPath).toEqual([2, 2, 1])
  })

  test('between others they cost it both: the figure is that of one order (T-MPR-3)', () => {
    const { sends, byPath } = figure11([1, 0], [2, 0], [3, ECE], [1, 0], [2, 0], [3, ECE])
    expect(sends).toEqual([1, 1, 0, 2, 1, 0])
    expect(byPath).toEqual([3, 2, 0])
  })

  test('the first window goes on any paths of the table, all from 49152 on', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 500 })
    const paths = new Set(pathsOf(hand.sends()))
    expect(paths.size).toBeGreaterThan(100)
    expect(paths.size).toBeLessThanOrEqual(128)
    for (const path of paths) expect(path >= 1 && path <= 16_384).toBe(true)
  })

  test('a table of one path has one', () => {
    const hand = new ByHand(100, { paths: 1 }, { initialWindow: 50 })
    expect(new Set(pathsOf(hand.sends())).size).toBe(1)
  })

  test('an ACK lets two go and no more, the burst timer as many a microsecond later', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    // All six are there, five ACKs of them lost; the head is cleared up to the sixth.
    hand.expected = 6
    expect(pathsOf(hand.ack(5, 9))).toEqual([9, 9])
    expect(pathsOf(hand.waits(US))).toEqual([9, 9])
    expect(hand.waits(10 * US)).toEqual([])
  })

  test('what is posted while the window has room goes at once', () => {
    const hand = new ByHand(3, {}, { initialWindow: 6 })
    expect(psnsOf(hand.sends())).toEqual([0, 1, 2])
    hand.pair.sender.post(hand.nowPs, 8 * 1024, 'write')
    expect(psnsOf(hand.sends())).toEqual([3, 4, 5])
  })

  test('behind a silence the window is the first one again', () => {
    const hand = new ByHand(2, {}, { initialWindow: 6 })
    hand.sends()
    hand.expected = 2
    hand.ack(0, 1, ECE)
    hand.ack(1, 1, ECE)
    expect(hand.window).toBeLessThan(6)
    hand.pair.sender.post(hand.nowPs, 50 * 1024, 'write')
    expect(hand.sends()).toHaveLength(6)
    expect(hand.window).toBe(6)
  })

  test('once a round trip, by chance, a packet takes any path', () => {
    const elsewhere = (probe: number): number => {
      const hand = new ByHand(5000, { probe }, { initialWindow: 1 })
      hand.sends()
      let count = 0
      for (let psn = 0; psn < 400; psn++) {
        hand.expected = psn + 1
        // A path that is not in the table; two round trips of 24 us pass in ten of these.
        const sent = hand.ack(psn, 20_000)
        hand.nowPs += 5 * US
        if (sent.some(({ path }) => path !== 20_000)) count++
      }
      return count
    }
    expect(elsewhere(0)).toBe(0)
    // Every round trip at most.
    const always = elsewhere(1)
    expect(always).toBeGreaterThan(60)
    expect(always).toBeLessThan(110)
    expect(elsewhere(0.1)).toBeGreaterThan(0)
    expect(elsewhere(0.1)).toBeLessThan(25)
  })
})

describe('slow paths', () => {
  /** 128 packets sent, of which the one with PSN 100 is the furthest that is there. */
  const behind = (): ByHand => {
    const hand = new ByHand(1000, { delta: 32 }, { initialWindow: 128 })
    hand.sends()
    hand.ack(100, 1)
    return hand
  }

  test('an ACK more than delta behind the furthest cuts its path off, and takes a packet from the window (T-MPR-4)', () => {
    const hand = behind()
    const before = hand.window
    expect(hand.ack(67, 3)).toEqual([])
    expect(hand.window).toBeCloseTo(before + 1 / before - 1, 5)
  })

  test('one at delta does not, nor one for a packet that was sent again (T-MPR-4)', () => {
    const hand = behind()
    expect(pathsOf(hand.ack(68, 3))).toEqual([3])
    expect(pathsOf(hand.ack(67, 3, RETRANSMITTED))).toEqual([3])
  })

  test('the last ACK there is lets something go, however late', () => {
    const hand = new ByHand(1000, { delta: 0 }, { initialWindow: 2 })
    hand.sends()
    expect(hand.ack(1, 1, ECE)).toEqual([])
    expect(pathsOf(hand.ack(0, 2, ECE))).toEqual([2])
    expect(hand.window).toBe(1)
  })
})

describe('the receiver keeps what comes in any order', () => {
  const data = (psn: number, flags = 0): Segment => Object.assign(new Segment(), { psn, flags, payloadBytes: 1 })
  /** What comes of each packet: "ACK cumulative,sack", "ACK cumulative" or "NACK expected,wanted", with a + when it is taken. */
  function heard(receiver: MpRdmaReceiver, psn: number, flags = 0): string {
    const isTaken = receiver.onData(0, psn, data(psn, flags))
    const { reply, replyPsn, sackPsn } = receiver
    if (reply === REPLY_ACK) return `ACK ${replyPsn}`
    return `${reply === REPLY_NAK ? 'NACK' : 'ACK'} ${replyPsn},${sackPsn}${isTaken ? '+' : ''}`
  }
  const receiverAt = (epsn: number, slots = 64): MpRdmaReceiver => {
    const receiver = new MpRdmaReceiver(slots)
    receiver.epsn = epsn
    return receiver
  }

  test('within L slots; what lies beyond is refused (T-MPR-5)', () => {
    expect(heard(receiverAt(10), 73)).toBe('ACK 9,73+')
    expect(heard(receiverAt(10), 74)).toBe('NACK 10,10')
  })

  test('and expects the next message when the one at the head is whole (T-MPR-5)', () => {
    const receiver = receiverAt(10)
    expect(heard(receiver, 10)).toBe('ACK 9,10+')
    expect(heard(receiver, 12, LAST)).toBe('ACK 9,12+')
    expect(receiver.wholeMessages).toBe(0)
    expect(heard(receiver, 11)).toBe('ACK 12,11+')
    expect(receiver.wholeMessages).toBe(1)
  })

  test('a tail with completion is told from one without', () => {
    const receiver = receiverAt(0)
    heard(receiver, 1, LAST)
    heard(receiver, 2, SEND | LAST)
    expect(heard(receiver, 0, LAST)).toBe('ACK 2,0+')
    expect([receiver.wholeMessages, receiver.wholeSends]).toEqual([3, 1])
  })

  test('a message longer than half the bitmap is cleared in blocks of that, and is not whole before its tail', () => {
    const receiver = receiverAt(0)
    for (let psn = 0; psn < 31; psn++) expect(heard(receiver, psn)).toBe(`ACK -1,${psn}+`)
    expect(heard(receiver, 31)).toBe('ACK 31,31+')
    expect(receiver.wholeMessages).toBe(0)
    // Behind a hole as many are there: one more fills it, and all go together.
    for (let psn = 33; psn < 70; psn++) expect(heard(receiver, psn)).toBe(`ACK 31,${psn}+`)
    expect(heard(receiver, 32)).toBe('ACK 69,32+')
    expect(heard(receiver, 70, LAST)).toBe('ACK 70,70+')
    expect(receiver.wholeMessages).toBe(1)
  })

  test('duplicates are acknowledged, not named and not taken, above and below what is expected', () => {
    const receiver = receiverAt(0)
    heard(receiver, 0, LAST)
    heard(receiver, 3)
    expect([heard(receiver, 0, LAST), heard(receiver, 3)]).toEqual(['ACK 0', 'ACK 0'])
  })

  test('a synchronise message before its turn is refused as if it had not come', () => {
    const receiver = receiverAt(0)
    expect(heard(receiver, 2, SEND | FIRST | LAST | SYNCHRONISE)).toBe('NACK 0,2')
    heard(receiver, 0)
    expect(heard(receiver, 1, LAST)).toBe('ACK 1,1+')
    expect(receiver.wholeMessages).toBe(1)
    expect(heard(receiver, 2, SEND | FIRST | LAST | SYNCHRONISE)).toBe('ACK 2,2+')
  })

  test('slots are used again and again', () => {
    const receiver = receiverAt(0, 3)
    const psns = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? i + 1 : i % 3 === 1 ? i - 1 : i))
    const taken = psns.filter((psn) => heard(receiver, psn, psn % 3 === 2 ? LAST : 0).endsWith('+'))
    expect(taken).toHaveLength(300)
    expect(receiver.epsn).toBe(300)
  })
})

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

  test('an old NACK of a synchronise message says nothing', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    hand.expected = 3
    hand.ack(2, 1)
    hand.expected = 1
    expect(hand.nack(2, 4)).toEqual([])
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
