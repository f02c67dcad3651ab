import { describe, expect, test } from 'vitest'
import { US } from '../../base/params.ts'
import { ECE, FIRST, LAST, RETRANSMITTED, Segment, SEND, SYNCHRONISE } from '../segment.ts'
import { REPLY_ACK, REPLY_NAK } from './recovery.ts'
import { MpRdmaReceiver } from './mp-rdma-receiver.ts'
import { ByHand, pathsOf, psnsOf } from './mp-rdma.test-bench.ts'

describe('an ACK releases the next packets on its own path', () => {
  /** Six packets in flight, two on each of three paths; ACKs in this order, marked where indicated. */
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
    // All six have arrived, five of their ACKs are lost; the head is cleared up to the sixth.
    hand.expected = 6
    expect(pathsOf(hand.ack(5, 9))).toEqual([9, 9])
    expect(pathsOf(hand.waits(US))).toEqual([9, 9])
    expect(hand.waits(10 * US)).toEqual([])
  })

  test('the burst timer runs from the first ACK that left room, and lets go on the path of that', () => {
    const hand = new ByHand(1000, { burstTimer: 10 * US }, { initialWindow: 6 })
    hand.sends()
    hand.expected = 5
    const firstPs = hand.nowPs
    expect(pathsOf(hand.ack(4, 9))).toEqual([9, 9])
    expect(pathsOf(hand.ack(5, 8))).toEqual([8, 8])
    expect(hand.waits(firstPs + 10 * US - 1 - hand.nowPs)).toEqual([])
    expect(pathsOf(hand.waits(1))).toEqual([9, 9])
  })

  test('ACKs in order let one go each: what they name is below what they acknowledge, and counted once', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    for (const psn of [0, 1, 2]) {
      hand.expected = psn + 1
      expect(psnsOf(hand.ack(psn, 5))).toEqual([psn + 6])
    }
  })

  test('the ACK of a duplicate moves the window, and lets nothing go', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 4 })
    hand.sends()
    expect(hand.repeated(5)).toEqual([])
    expect(hand.window).toBe(4.25)
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

describe('the last packets', () => {
  /** All of eight are in flight, with a window of eight. */
  const eight = (): ByHand => {
    const hand = new ByHand(8, {}, { initialWindow: 8 })
    expect(hand.sends()).toHaveLength(8)
    return hand
  }

  test('while there is no room for one more, an ACK has nothing sent again', () => {
    const hand = eight()
    // 7.5 + 1 - 8
    expect(hand.ack(3, 2, ECE)).toEqual([])
    expect(hand.window).toBe(7.5)
    // 7 + 2 - 8
    expect(hand.ack(4, 2, ECE)).toEqual([{ psn: 0, path: 2, isAgain: true }])
    expect(hand.window).toBe(6)
  })

  test('the ACK that lets the very last go has nothing sent again, unless there is room left behind it', () => {
    const hand = new ByHand(7, {}, { initialWindow: 6 })
    hand.sends()
    // 6 + 1/6 + 1 - 6
    expect(hand.ack(3, 2)).toEqual([{ psn: 6, path: 2, isAgain: false }])
    expect(hand.window).toBe(6.166667)

    const roomy = new ByHand(7, {}, { initialWindow: 6 })
    roomy.sends()
    roomy.expected = 5
    expect(roomy.ack(4, 2)).toEqual([
      { psn: 6, path: 2, isAgain: false },
      { psn: 5, path: 2, isAgain: true },
    ])
    expect(roomy.window).toBe(5.166667)
  })
})

describe('a released packet that waits for a paused line', () => {
  test('takes its room in the window, which does not grow meanwhile', () => {
    const hand = new ByHand(1000, {}, { initialWindow: 6 })
    hand.sends()
    hand.isPaused = true
    hand.ack(0, 1)
    hand.ack(1, 2)
    expect(hand.window).toBe(6.166667)
    expect(pathsOf(hand.resumes())).toEqual([1, 2])
  })

  test('is not let go twice where it is the last, nor is anything sent again before it has left', () => {
    const hand = new ByHand(7, {}, { initialWindow: 6 })
    hand.sends()
    hand.isPaused = true
    hand.ack(0, 1)
    // 6 + 1/6 + 2 - 6 - the one that waits
    hand.ack(1, 2)
    expect(hand.resumes()).toEqual([{ psn: 6, path: 1, isAgain: false }])
    expect(hand.ack(2, 3)).toEqual([{ psn: 0, path: 3, isAgain: true }])
    // It has grown again, and lost a packet for what went again.
    expect(hand.window).toBe(5.328829)
  })
})

describe('slow paths', () => {
  /** 128 packets sent, of which the one with PSN 100 is the furthest arrival. */
  const behind = (): ByHand => {
    const hand = new ByHand(1000, { delta: 32 }, { initialWindow: 128 })
    hand.sends()
    hand.ack(100, 1)
    return hand
  }
  /** Six packets sent with a delta of 0, of which the last has arrived first and 0 to 2 over slow paths. */
  const almostAnswered = (): ByHand => {
    const hand = new ByHand(1000, { delta: 0 }, { initialWindow: 6 })
    hand.sends()
    hand.ack(5, 1, ECE)
    for (const psn of [0, 1, 2]) expect(hand.ack(psn, 3)).toEqual([])
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

  test('of three paths with two packets each the one whose ACKs come late gets no more ([Survey] Fig. 13)', () => {
    const hand = new ByHand(1000, { delta: 2, probe: 0 }, { initialWindow: 6 })
    hand.sends()
    const paths = (
      [
        [2, 1],
        [4, 2],
        [3, 1],
        [5, 2],
        [0, 3],
        [1, 3],
      ] as const
    ).map(([psn, path]) => pathsOf(hand.ack(psn, path)))
    expect(paths).toEqual([[1], [2], [1], [2], [], []])
    expect(pathsOf(hand.waits(10 * US))).not.toContain(3)
  })

  test('with a delta of 0 the first ACK is of the furthest, and one right behind it is not', () => {
    const hand = new ByHand(1000, { delta: 0 }, { initialWindow: 6 })
    hand.sends()
    expect(pathsOf(hand.ack(0, 1))).toEqual([1])
    expect(pathsOf(hand.ack(2, 2))).toEqual([2])
    expect(hand.ack(1, 3)).toEqual([])
  })

  test('a path that is cut off gets nothing where there is room either', () => {
    const hand = almostAnswered()
    expect(hand.window + 4 - 6).toBeGreaterThan(1)
    expect(hand.ack(3, 3)).toEqual([])
    expect(hand.window + 5 - 6).toBeGreaterThan(1)
  })

  test('but an old NACK lets something go on its path when no other answer is due', () => {
    const hand = almostAnswered()
    hand.expected = 4
    expect(hand.ack(3, 3)).toEqual([])
    // Packet 5 of 4 and 5 has arrived.
    expect(hand.window + 1 - 2).toBeGreaterThan(1)
    hand.expected = 0
    expect(hand.nack(2, 4)).toEqual([{ psn: 6, path: 4, isAgain: false }])
  })

  test('lost ACKs are no longer due once everything is acknowledged', () => {
    const hand = new ByHand(4, { delta: 0 }, { initialWindow: 4 })
    hand.sends()
    // One ACK for four.
    hand.expected = 4
    hand.ack(3, 1)
    hand.posts(1000)
    expect(psnsOf(hand.sends())).toEqual([4, 5, 6, 7])
    expect(hand.ack(7, 1, ECE)).toEqual([])
    expect(hand.ack(6, 2)).toEqual([])
    expect(hand.ack(5, 2)).toEqual([])
    expect(hand.ack(4, 2)).toEqual([{ psn: 8, path: 2, isAgain: false }])
  })

  test('the last ACK due releases a packet, however late', () => {
    const hand = new ByHand(1000, { delta: 0 }, { initialWindow: 2 })
    hand.sends()
    expect(hand.ack(1, 1, ECE)).toEqual([])
    expect(pathsOf(hand.ack(0, 2, ECE))).toEqual([2])
    expect(hand.window).toBe(1)
  })
})

describe('the receiver keeps packets in any order', () => {
  const data = (psn: number, flags = 0): Segment => Object.assign(new Segment(), { psn, flags, payloadBytes: 1 })
  /**
   * Reply to each packet: "ACK cumulative,sack", "ACK cumulative" or "NACK expected,wanted", with a + if it is
   * accepted.
   */
  function heard(receiver: MpRdmaReceiver, psn: number, flags = 0): string {
    const isTaken = receiver.onData(0, psn, data(psn, flags))
    const { reply, replyPsn, sackPsn } = receiver
    if (reply === REPLY_ACK) return `ACK ${replyPsn}`
    return `${reply === REPLY_NAK ? 'NACK' : 'ACK'} ${replyPsn},${sackPsn}${isTaken ? '+' : ''}`
  }
  const receiverAt = (epsn: number, slots = 64): MpRdmaReceiver => {
    const receiver = new MpRdmaReceiver(slots)
    receiver.startAt(epsn)
    return receiver
  }

  test('within L slots; packets beyond are refused (T-MPR-5)', () => {
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

  test('a tail with completion is distinguished from one without', () => {
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
    // As many packets have arrived behind a hole: one more fills it, and all are cleared together.
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

  test('a synchronise message that is not next is refused and leaves no trace', () => {
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
