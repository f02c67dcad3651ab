import { describe, expect, test } from 'vitest'
import { createRandomStreams } from '../../base/random.ts'
import { SACK } from '../segment.ts'
import { midway, pipeOf, tcpPair, type TcpValues } from './tcp.test-bench.ts'

describe('loss recovery', () => {
  test('the losses of T-TCP-2 are resent within one round trip, at half the window', () => {
    const hand = midway(40)
    const { tcp } = hand
    hand.steps(10, 11)
    // Limited transmit: packets known to have arrived make room.
    expect(hand.steps(13, 14)).toEqual(['13: ACK 12/13 -> 22', '14: ACK 12/14 -> 23'])
    expect(hand.steps(16)).toEqual(['16: ACK 12/16 -> 12*'])
    // Half of the ten in flight before the duplicates, without the two released by these.
    expect([tcp.thresholdPackets, tcp.windowPackets, tcp.recoveryPsn]).toEqual([5, 5, 23])
    // 15, 17 to 23 and the resent 12.
    expect(pipeOf(hand)).toBe(9)
    expect(hand.steps(17, 18)).toEqual(['17: ACK 12/17 -> ', '18: ACK 12/18 -> '])
    // 15 has three behind it: it is lost and not in the network.
    expect(pipeOf(hand)).toBe(6)
    expect(hand.steps(19, 20)).toEqual(['19: ACK 12/19 -> ', '20: ACK 12/20 -> 15*'])
    expect(hand.steps(21, 22)).toEqual(['21: ACK 12/21 -> 24', '22: ACK 12/22 -> 25'])
    expect(hand.steps(12, 23)).toEqual(['12: ACK 15 -> 26', '23: ACK 15/23 -> 27'])
    expect(tcp.inRecovery).toBe(1)
    expect(hand.steps(15)).toEqual(['15: ACK 24 -> 28'])
    expect([tcp.windowPackets, tcp.inRecovery]).toEqual([5, 0])
  })

  test('one duplicate ACK is enough where three packets are known to be behind the hole', () => {
    const hand = midway(20)
    expect(hand.steps(12, 13)).toEqual(['12: ACK 10/12 -> ', '13: ACK 10/13 -> '])
    // A late packet: the count of duplicates restarts.
    expect(hand.steps(10, 14)).toEqual(['10: ACK 11 -> ', '14: ACK 11/14 -> 11*'])
  })

  test('a new loss behind a recovery is found by its first duplicate when three are known to be behind it', () => {
    const hand = midway(60)
    // 10 is lost, and then 20, which recovery sent anew.
    expect(hand.steps(11, 12, 13)).toEqual(['11: ACK 10/11 -> 20', '12: ACK 10/12 -> 21', '13: ACK 10/13 -> 10*'])
    hand.steps(14, 15, 16, 17, 18, 19)
    hand.steps(21, 22, 23)
    const sent = hand.steps(10).join()
    expect(sent).toMatch(/^10: ACK 20 ->/)
    expect(hand.tcp.inRecovery).toBe(1)
    expect(hand.pair.sender.retransmissions).toBe(2)
  })

  test('where nothing new is to be sent, what may be lost goes again, and at last the highest once', () => {
    const hand = midway(20)
    expect(hand.steps(11, 13, 15).at(-1)).toBe('15: ACK 10/15 -> 10*')
    // 12, 14, 16 to 19 and the new 10.
    expect([hand.tcp.windowPackets, pipeOf(hand)]).toEqual([5, 7])
    expect(hand.steps(16, 10)).toEqual(['16: ACK 10/16 -> ', '10: ACK 12 -> 12*'])
    // 14 has only two behind it, and is resent for lack of anything better.
    expect(hand.steps(12)).toEqual(['12: ACK 14 -> 14*'])
    // Nothing is known of 17 to 19.
    expect(hand.steps(14)).toEqual(['14: ACK 17 -> 19*'])
    expect(hand.steps(19)).toEqual(['19: ACK 17/19 -> 17* 18*'])
    expect(hand.steps(17, 18)).toEqual(['17: ACK 18 -> ', '18: ACK 20 -> '])
    expect(hand.pair.sender.isIdle).toBe(true)
  })

  test('a packet sent again that is lost again waits for the timeout', () => {
    const hand = midway(20)
    hand.steps(11, 12, 13, 14, 15, 16, 17, 18, 19)
    expect(hand.tx()).toBe('')
    hand.timeout()
    expect(hand.tx()).toBe('10*')
    expect(hand.steps(10)).toEqual(['10: ACK 20 -> '])
  })

  test.each([
    ['as long as there is something new', 20, '22'],
    ['until the receiver has no room for anything new', 12, '18*'],
  ])('what may be lost waits %s', (_when, receiveWindow, sent) => {
    const hand = midway(40, { receiveWindow })
    expect(hand.steps(11, 12, 13)).toEqual(['11: ACK 10/11 -> 20', '12: ACK 10/12 -> 21', '13: ACK 10/13 -> 10*'])
    expect(hand.steps(14, 15, 16, 17).join()).not.toMatch(/-> \d/)
    // 20, 21 and the new 10, and 18, which has one behind it; the window is 5.
    expect(hand.rx(19)).toBe('ACK 10/19')
    expect(pipeOf(hand)).toBe(4)
    expect(hand.tx()).toBe(sent)
  })

  test('packets received out of order occupy the receive window, whatever the congestion window', () => {
    const hand = midway(40, { receiveWindow: 12 })
    hand.steps(11, 12, 13, 14, 15, 16, 17)
    // A window of 5 would take three more, but 22 is 12 above the oldest.
    expect(hand.steps(18, 19)).toEqual(['18: ACK 10/18 -> ', '19: ACK 10/19 -> '])
    expect([hand.tcp.windowPackets, pipeOf(hand)]).toEqual([5, 3])
    expect(hand.steps(10)).toEqual(['10: ACK 20 -> 22 23 24'])
  })

  test('a threshold of six waits for six', () => {
    const hand = midway(40, { dupThresh: 6 })
    expect(hand.steps(11, 12, 13, 14, 15).join()).not.toMatch(/\*/)
    expect(hand.steps(16)).toEqual(['16: ACK 10/16 -> 10*'])
  })
})

describe('the rescue retransmission', () => {
  test('is for the last packet of a recovery, which is not over before that is acknowledged', () => {
    const hand = midway(20)
    // 10 and 19 are lost.
    expect(hand.steps(11, 12, 13).at(-1)).toBe('13: ACK 10/13 -> 10*')
    expect(hand.steps(14, 15, 16, 17, 18).join()).not.toMatch(/-> \d/)
    expect(hand.tcp.recoveryPsn).toBe(19)
    expect(hand.steps(10)).toEqual(['10: ACK 19 -> 19*'])
    expect(hand.tcp.inRecovery).toBe(1)
    expect(hand.steps(19)).toEqual(['19: ACK 20 -> '])
    expect([hand.tcp.inRecovery, hand.pair.sender.timeouts]).toEqual([0, 0])
  })

  test('comes when more is acknowledged than the packet that recovery began with', () => {
    const hand = midway(20)
    // 10, 11 and 19 are lost.
    expect(hand.steps(12, 13, 14).at(-1)).toBe('14: ACK 10/14 -> 10*')
    expect(hand.steps(15, 16, 17, 18).map((step) => step.split(' -> ')[1])).toEqual(['', '11*', '', ''])
    expect(hand.steps(10, 11)).toEqual(['10: ACK 11 -> ', '11: ACK 19 -> 19*'])
  })

  test('is the highest packet that is not there, were it one that was sent again, and comes once', () => {
    const hand = midway(20)
    // 10 and 12 are lost, and 12 twice more.
    expect(hand.steps(11, 13, 14).at(-1)).toBe('14: ACK 10/14 -> 10*')
    expect(hand.steps(15, 16, 17).map((step) => step.split(' -> ')[1])).toEqual(['', '12*', ''])
    expect(hand.steps(18, 19)).toEqual(['18: ACK 10/18 -> ', '19: ACK 10/19 -> '])
    expect(hand.steps(10)).toEqual(['10: ACK 12 -> 12*'])
    expect(hand.tx()).toBe('')
    hand.timeout()
    expect(hand.tx()).toBe('12*')
  })

  test('is not used up by a packet that turns out to be there before it is sent', () => {
    const hand = midway(20)
    // 10 and 12 are lost, and 12 once more; 19 is late.
    hand.steps(11, 13, 14)
    expect(hand.steps(15, 16, 17, 18).map((step) => step.split(' -> ')[1])).toEqual(['', '12*', '', ''])
    hand.rx(10)
    expect(hand.pair.sender.resendPsn).toBe(19)
    hand.rx(19)
    expect(hand.tx()).toBe('12*')
    expect(hand.tx()).toBe('')
  })
})

describe('a timeout', () => {
  test('resends packets not known to have arrived, in slow start', () => {
    const hand = midway(40)
    // Only 13 and 16 arrive.
    expect(hand.steps(13, 16)).toEqual(['13: ACK 10/13 -> 20', '16: ACK 10/16 -> 21'])
    hand.timeout()
    expect([hand.tcp.windowPackets, hand.tcp.thresholdPackets]).toEqual([1, 6])
    expect(hand.tx()).toBe('10*')
    expect(hand.steps(10)).toEqual(['10: ACK 11 -> 11* 12*'])
    expect(hand.steps(11, 12)).toEqual(['11: ACK 12 -> 14* 15*', '12: ACK 14 -> 17* 18*'])
    expect(hand.steps(14, 15)).toEqual(['14: ACK 15 -> 19* 20*', '15: ACK 17 -> 21* 22'])
    expect([hand.tcp.windowPackets, hand.pair.sender.retransmissions]).toEqual([6, 10])
  })

  test('starts no recovery until what it resends is acknowledged (RFC 6675 5.1)', () => {
    const hand = midway(40)
    hand.steps(13, 16)
    hand.timeout()
    hand.tx()
    // These were in flight from before.
    for (const psn of [17, 18, 19, 20]) hand.rx(psn)
    expect([hand.tcp.inRecovery, hand.tx()]).toEqual([0, ''])
  })

  test('starts none for the last of what it resends either, however many are behind it', () => {
    const hand = midway(40)
    hand.timeout()
    expect(hand.tx()).toBe('10*')
    hand.steps(10, 11, 12, 13, 14, 15, 16, 17)
    // 19, sent again, is lost again.
    expect(hand.steps(18)).toEqual(['18: ACK 19 -> 23'])
    expect(hand.tcp.recoveryPsn).toBe(19)
    expect(hand.steps(20, 21, 22).join()).not.toMatch(/\*/)
    expect(hand.tcp.inRecovery).toBe(0)
    hand.timeout()
    expect(hand.tx()).toBe('19*')
  })
})

/** RFC 6675's definitions, packet by packet, from the list of arrivals. */
class NaiveScoreboard {
  readonly sacked = new Set<number>()
  highRxt = -1

  isLost(psn: number): boolean {
    return [...this.sacked].filter((other) => other > psn).length >= 3
  }

  pipe(una: number, highData: number): number {
    let pipe = 0
    for (let psn = una; psn < highData; psn++) {
      if (this.sacked.has(psn)) continue
      if (!this.isLost(psn)) pipe++
      if (psn <= this.highRxt) pipe++
    }
    return pipe
  }

  /** Rules 1 to 3 of NextSeg; undefined: they name no packet. */
  nextSeg(una: number, highData: number, hasNew: boolean): number | undefined {
    const top = Math.max(...this.sacked)
    const holes: number[] = []
    for (let psn = una; psn < highData; psn++) {
      if (!this.sacked.has(psn) && psn > this.highRxt && psn < top) holes.push(psn)
    }
    return holes.find((psn) => this.isLost(psn)) ?? (hasNew ? highData : holes[0])
  }
}

interface Comparison {
  readonly wrong: string[]
  sent: number
  again: number
}

/** Runs one random flow, and compares each packet of its recoveries with the naive scoreboard. */
function compare(seed: number, values: TcpValues, found: Comparison): void {
  const random = createRandomStreams(seed).stream('scoreboard')
  const packets = 20 + random.below(80)
  const { pair, tcp } = tcpPair({ initialWindow: 10 + random.below(40), ...values })
  const { sender } = pair
  const sack = tcp
  const naive = new NaiveScoreboard()
  let recoveryPsn = -1
  const check = (isTrue: boolean, what: string): void => {
    if (!isTrue) found.wrong.push(`seed ${seed}, ${pair.nowPs} ps: ${what}`)
  }
  pair.postPackets(packets)
  pair.forward.rule((passage) => {
    const { psn } = passage.segment
    found.sent++
    if (sack.inRecovery === 1 && sender.timeouts === 0) {
      if (passage.nth > 1) found.again++
      if (sack.recoveryPsn === recoveryPsn) {
        const highData = passage.nth === 1 ? psn : sender.highest
        const due = naive.nextSeg(sender.una, highData, highData < packets)
        // If the three rules name none it is the rescue retransmission.
        check(due === undefined || psn === due, `${psn} sent, due was ${due}`)
        const pipe = naive.pipe(sender.una, highData)
        check(pipe + 1 <= sack.windowPackets, `${psn} sent with ${pipe} in the network`)
        if (passage.nth > 1 && due !== undefined) naive.highRxt = psn
      } else {
        check(psn === sender.una, `${psn} sent first, the oldest is ${sender.una}`)
        recoveryPsn = sack.recoveryPsn
        naive.highRxt = psn
      }
      const pipe = naive.pipe(sender.una, sender.highest)
      check(sack.pipe === pipe, `${sack.pipe} in the network, not ${pipe}`)
    }
    if (passage.nth === 1 && random.below(12) === 0) passage.copies = 0
  })
  const onSegment = sender.onSegment.bind(sender)
  sender.onSegment = (nowPs, segment) => {
    if ((segment.flags & SACK) !== 0 && segment.sackPsn > sender.una) naive.sacked.add(segment.sackPsn)
    onSegment(nowPs, segment)
    for (const psn of naive.sacked) if (psn < sender.una) naive.sacked.delete(psn)
  }
  check(pair.run() === 'finished', 'not finished')
}

describe('pipe and the choice of the next packet', () => {
  const comparison = (values: TcpValues): Comparison => {
    const found: Comparison = { wrong: [], sent: 0, again: 0 }
    for (let seed = 1; seed <= 300; seed++) compare(seed, values, found)
    return found
  }

  test('are those of a scoreboard that is read literally', () => {
    const { wrong, sent, again } = comparison({})
    expect(wrong).toEqual([])
    expect(sent).toBeGreaterThan(10_000)
    expect(again).toBeGreaterThan(500)
  })

  test('would differ with another threshold', () => {
    expect(comparison({ dupThresh: 4 }).wrong.length).toBeGreaterThan(100)
  })
})
