import { describe, expect, test } from 'vitest'
import { lose, loseWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { US } from '../../base/params.ts'
import { ACK, DATA, NAK } from '../segment.ts'
import { goBack0 } from './go-back-0.ts'
import { goBackN } from './go-back-n.ts'

/** Time on the line of a full packet at 40 Gb/s. */
const PACKET_PS = 1106 * 200

/**
 * [MS-Scale]'s experiment: messages back to back, every packet lost whose running count ends in 0xff, and a path so
 * long that the first packet sent after the NAK is the 20th after the one that triggered it.
 */
function everyTwoHundredFiftySixth(recovery: 'go-back-0' | 'go-back-n', packetsPerMessage: number, sent: number): Pair {
  const values = { nakInterval: null }
  const pair = new Pair({
    recovery: recovery === 'go-back-0' ? scheme(goBack0, values) : scheme(goBackN, values),
    qp: { ackInterval: 256 },
    delayPs: (PACKET_PS * 39) / 4,
    isLogging: false,
  })
  pair.forward.rule(loseWhere(({ count }) => (count & 0xff) === 0xff))
  for (let message = 0; message * packetsPerMessage <= sent; message++) pair.postPackets(packetsPerMessage, 'send')
  pair.runUntilSent(sent)
  expect(pair.forward.sent).toBe(sent)
  return pair
}

describe('one packet in 256 is lost for certain', () => {
  test('the first packet sent after a NAK is the 20th after the one that triggered it', () => {
    const pair = new Pair({ recovery: scheme(goBackN), delayPs: (PACKET_PS * 39) / 4 })
    pair.forward.rule(lose(DATA, 255, 1))
    pair.postPackets(400)
    pair.runUntilSent(300)
    expect(pair.dataSent[256 + 19]).toBe(256 + 19)
    expect(pair.dataSent[256 + 20]).toBe(255)
  })

  test('a message of 4 MB is 4000 packets, and one of its first 256 is lost wherever the count stands ([MS-Scale] 4.1)', () => {
    for (const before of [0, 1, 100, 254, 255]) {
      const pair = new Pair({ recovery: scheme(goBackN), delayPs: 100 * US, isLogging: false })
      if (before > 0) pair.postPackets(before, 'send')
      const lost: number[] = []
      pair.forward.rule(({ count, segment }) => {
        if ((count & 0xff) === 0xff && segment.psn >= before) lost.push(segment.psn - before)
      })
      pair.post(4 * 2 ** 20, 'send')
      expect(pair.run()).toBe('finished')
      // 4096 of 1024 bytes, within 2.5 %.
      expect(pair.forward.sent - before).toBe(4096)
      expect(lost[0]).toBe(before === 0 ? 255 : 255 - before)
      expect(lost[0]).toBeLessThan(256)
      expect(lost).toHaveLength(16)
    }
  })

  test('T-GB0-1: a message of 4000 packets never arrives, in a million packets', () => {
    const pair = everyTwoHundredFiftySixth('go-back-0', 4000, 1_000_000)
    expect(pair.receiver.deliveredMessages).toBe(0)
    // The line is busy all the time.
    expect(pair.nowPs).toBe(999_999 * PACKET_PS)
  })

  test('T-GB0-1: going back N delivers 229 such messages, and accepts 0.918 of the packets', () => {
    const pair = everyTwoHundredFiftySixth('go-back-n', 4000, 1_000_000)
    expect(pair.receiver.deliveredMessages).toBe(229)
    expect(pair.receiver.expectedPsn / 1_000_000).toBeCloseTo(0.918, 3)
  })

  test.each([
    [256, 0],
    [255, 1],
  ])('T-GB0-2: messages of %i packets: %i arrive', (packets, delivered) => {
    expect(everyTwoHundredFiftySixth('go-back-0', packets, 100_000).receiver.deliveredMessages).toBe(delivered)
  })

  test('T-GB0-2: of messages of 200 packets one arrives with every 256 packets', () => {
    const pair = everyTwoHundredFiftySixth('go-back-0', 200, 256 * 1000)
    expect(pair.receiver.deliveredMessages).toBe(1000)
  })
})

describe('a message that lost a packet', () => {
  test('T-GB0-3: starts again from its first packet and is delivered once', () => {
    const pair = new Pair({ recovery: scheme(goBack0), qp: { ackInterval: 256 } })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(4)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
    expect(pair.answers).toEqual(['NAK 2', 'ACK 3'])
    expect(pair.receiver.deliveredMessages).toBe(1)
  })

  test('counts its bytes once, and none of them while they are discarded', () => {
    const pair = new Pair({ recovery: scheme(goBack0), qp: { ackInterval: 256 } })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(4)
    pair.runUntil(1500_000)
    expect(pair.receiver.delivered.bytes).toBe(2048)
    pair.runUntil(1700_000)
    expect([pair.receiver.delivered.bytes, pair.receiver.expectedPsn]).toEqual([0, 0])
    pair.run()
    expect(pair.receiver.delivered.bytes).toBe(4096)
  })

  test('does not touch the message before it', () => {
    const pair = new Pair({ recovery: scheme(goBack0), qp: { ackInterval: 256 } })
    pair.forward.rule(lose(DATA, 4, 1))
    pair.postPackets(3)
    pair.postPackets(3)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 4, 5, 3, 4, 5])
  })

  test('is discarded only with a NAK: while the NAK gate is closed the receiver waits', () => {
    const pair = new Pair({ recovery: scheme(goBack0, { nakInterval: null, nakGate: 'strict' }) })
    for (const psn of [0, 1, 3]) pair.hand({ kind: DATA, psn, payloadBytes: 1024 })
    expect([pair.answers, pair.receiver.expectedPsn]).toEqual([['NAK 2'], 0])
    for (const psn of [0, 1, 3]) pair.hand({ kind: DATA, psn, payloadBytes: 1024 })
    expect([pair.answers, pair.receiver.expectedPsn]).toEqual([['NAK 2'], 2])
  })

  test('starts again after a timeout too, though parts of it were acknowledged', () => {
    const pair = new Pair({ recovery: scheme(goBack0), qp: { ackInterval: 1, ackTimeout: 100 * US } })
    pair.forward.rule(lose(DATA, 3, 1))
    pair.postPackets(4)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
    expect(pair.sender.timeouts).toBe(1)
  })

  test('starts again from its last whole chunk where chunks are set', () => {
    const pair = new Pair({ recovery: scheme(goBack0, { chunk: 4 }), qp: { ackInterval: 256 } })
    pair.forward.rule(lose(DATA, 6, 1))
    pair.postPackets(8)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7])
  })
})

test('a restart lies below what was acknowledged', () => {
  const pair = new Pair({ recovery: scheme(goBack0), qp: { ackInterval: 1 } })
  pair.postPackets(8)
  pair.runUntilSent(8)
  pair.answer({ kind: ACK, psn: 3 })
  expect([pair.sender.una, pair.sender.nxt]).toEqual([4, 8])
  pair.answer({ kind: NAK, psn: 5 })
  expect([pair.sender.una, pair.sender.nxt]).toEqual([0, 0])
  expect(pair.sender.acknowledgedMessages).toBe(0)
  // An ACK delayed by the network belongs to the first round: the packet is not resent.
  pair.answer({ kind: ACK, psn: 4 })
  expect([pair.sender.una, pair.sender.nxt]).toEqual([5, 5])
})
