import { describe, expect, test } from 'vitest'
import { lose, loseWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../../../../tests/support/pair.ts'
import { defaultsOf, MS, NS, US } from '../../base/params.ts'
import { ACK, ACK_REQUEST, DATA, LAST, NAK, RNR_NAK, Segment } from '../segment.ts'
import { checkEpsn } from './check-epsn.ts'
import { goBack0 } from './go-back-0.ts'
import { goBackN } from './go-back-n.ts'
import { iwarp } from './iwarp.ts'
import { LOSS_FOUND, NOTHING_NEW, type SenderRecoveryContext } from './recovery.ts'
import { WindowByHand } from './window.test-bench.ts'

const recovery = scheme(goBackN, { nakInterval: 500 * US })
const pairWith = (options: PairOptions = {}): Pair => new Pair({ recovery, ...options })
const atUs = (pair: Pair, us: number, psn: number, flags = 0): void => {
  pair.runUntil(us * US)
  pair.hand({ kind: DATA, psn, payloadBytes: 1024, flags })
}
/** A receiver that has packets 0 and 1 and receives PSN 3 at 100us. */
function missingTwo(values: Parameters<typeof scheme<typeof goBackN>>[1] = {}): Pair {
  const pair = new Pair({ recovery: scheme(goBackN, { nakInterval: 500 * US, ...values }) })
  for (const psn of [0, 1]) atUs(pair, 10, psn)
  atUs(pair, 100, 3)
  return pair
}

describe('loss', () => {
  test('T-GBN-1: a lost packet is reported once, and everything from it on is sent again', () => {
    const pair = pairWith({ qp: { ackInterval: 4 } })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(8)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 2, 3, 4, 5, 6, 7])
    expect(pair.answers).toEqual(['NAK 2', 'ACK 3', 'ACK 7'])
    expect(pair.sender.retransmissions).toBe(6)
    expect(pair.receiver.delivered.bytes).toBe(8192)
  })

  test('a NAK acknowledges everything below it', () => {
    const pair = pairWith({ qp: { ackInterval: 256 } })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(1)
    pair.postPackets(4)
    pair.backward.rule(loseWhere(({ segment }) => segment.kind === ACK && segment.psn === 0))
    pair.runUntil(2900 * NS)
    expect(pair.answers).toEqual(['ACK 0', 'NAK 2'])
    expect(pair.sender.una).toBe(2)
    expect(pair.sender.acknowledgedMessages).toBe(1)
  })

  test('a NAK rewinds to its PSN and nothing before it', () => {
    const pair = pairWith({ qp: { ackInterval: 256 } })
    pair.postPackets(9)
    pair.runUntilSent(9)
    pair.answer({ kind: NAK, psn: 4 })
    expect([pair.sender.una, pair.sender.nxt]).toEqual([4, 4])
    pair.answer({ kind: NAK, psn: 2 })
    expect([pair.sender.una, pair.sender.nxt]).toEqual([4, 4])
  })

  test('an ACK of packets never sent has no effect', () => {
    const pair = pairWith()
    pair.postPackets(4)
    pair.runUntilSent(2)
    pair.answer({ kind: ACK, psn: 2 })
    pair.answer({ kind: NAK, psn: 3 })
    expect([pair.sender.una, pair.sender.nxt]).toEqual([0, 2])
  })

  test('an ACK from before a rewind moves the sender forward again', () => {
    const pair = pairWith({ qp: { ackInterval: 1, ackTimeout: 3 * US } })
    pair.backward.rule(loseWhere(() => true))
    pair.postPackets(8)
    pair.runUntil(3 * US)
    expect(pair.sender.timeouts).toBe(1)
    pair.answer({ kind: ACK, psn: 6 })
    expect([pair.sender.una, pair.sender.nxt]).toEqual([7, 7])
  })
})

describe('the gate before NAKs', () => {
  test('T-GBN-2: the same missing packet is reported again only after the interval', () => {
    const pair = missingTwo()
    for (let i = 0; i <= 8; i++) atUs(pair, 101 + i, 4 + i)
    atUs(pair, 599.999, 12)
    expect(pair.answers).toEqual(['NAK 2'])
    atUs(pair, 610, 13)
    expect(pair.timesOf('NAK 2')).toEqual([100 * US, 610 * US])
    atUs(pair, 1109, 14)
    expect(pair.receiver.naksSent).toBe(2)
    atUs(pair, 1110, 14)
    expect(pair.timesOf('NAK 2').at(-1)).toBe(1110 * US)
  })

  test('T-GBN-3: another missing packet is reported at once', () => {
    const pair = missingTwo()
    atUs(pair, 200, 2)
    atUs(pair, 201, 4)
    expect(pair.answers).toEqual(['NAK 2', 'NAK 3'])
    expect(pair.timesOf('NAK 3')).toEqual([201 * US])
  })

  test('T-GBN-3: a strict gate is one NAK per interval, whatever is missing', () => {
    const pair = missingTwo({ nakGate: 'strict' })
    atUs(pair, 200, 2)
    atUs(pair, 201, 4)
    expect(pair.answers).toEqual(['NAK 2'])
    atUs(pair, 600, 5)
    expect(pair.timesOf('NAK 3')).toEqual([600 * US])
  })

  test('without an interval a missing packet is reported once and for all', () => {
    const pair = missingTwo({ nakInterval: null })
    atUs(pair, 1e6, 5)
    expect(pair.answers).toEqual(['NAK 2'])
    atUs(pair, 1e6 + 1, 2)
    atUs(pair, 1e6 + 2, 4)
    expect(pair.answers).toEqual(['NAK 2', 'NAK 3'])
  })
})

describe('a NAK', () => {
  /** NAKs for one lost packet with many in flight behind it; the round trip is 4 us. */
  const naksFor = (nakInterval: number | null): number => {
    const pair = new Pair({ recovery: scheme(goBackN, { nakInterval }), qp: { ackInterval: 256 }, delayPs: 2 * US })
    pair.forward.rule(lose(DATA, 20, 1))
    pair.postPackets(200)
    expect(pair.run()).toBe('finished')
    return pair.receiver.naksSent
  }

  test('is sent once per loss with an interval, else for each packet in flight behind it', () => {
    const roundTripPackets = (4 * US) / (1106 * 200)
    expect(naksFor(500 * US)).toBe(1)
    expect(Math.abs(naksFor(0) - roundTripPackets)).toBeLessThan(2)
  })

  test('is sent in reply to a packet and never by a timer, which only Check EPSN has', () => {
    const naks = (chosen: NonNullable<PairOptions['recovery']>): readonly number[] => {
      const pair = new Pair({ recovery: chosen })
      const lastPsn = 7
      for (const [us, psn] of [
        [10, 0],
        [100, 3],
        [104, lastPsn],
      ] as const)
        atUs(pair, us, psn, psn === lastPsn ? LAST | ACK_REQUEST : 0)
      // The whole message has been sent: nothing more arrives.
      pair.runUntil(5000 * US)
      return pair.timesOf('NAK 1').map((ps) => ps / US)
    }
    expect(naks(recovery)).toEqual([100])
    const checked = naks(scheme(checkEpsn, { nakInterval: 500 * US }))
    expect(checked.slice(0, 3)).toEqual([100, 600, 1100])
  })

  test('reports a loss at the first packet behind it, where TCP waits for three duplicate ACKs', () => {
    /** ACKs and NAKs for packets behind the lost one that arrive before it is resent. */
    const heardBefore = (chosen: NonNullable<PairOptions['recovery']>): number => {
      const delayPs = 20 * US
      const pair = new Pair({ recovery: chosen, qp: { ackInterval: 1, ackTimeout: 1000 * US }, delayPs })
      pair.forward.rule(lose(DATA, 2, 1))
      pair.postPackets(10)
      expect(pair.run()).toBe('finished')
      const againPs = pair.timesOf('data 2')[1]!
      const behindPs = pair.timesOf('data 3')[0]! + delayPs
      return pair.log.filter(({ ps, text }) => !text.startsWith('data') && ps >= behindPs && ps + delayPs <= againPs)
        .length
    }
    expect([heardBefore(recovery), heardBefore(scheme(iwarp))]).toEqual([1, 3])
  })
})

describe('duplicates', () => {
  test('a duplicate that requests an ACK gets a cumulative one, any other gets none', () => {
    const pair = missingTwo()
    atUs(pair, 200, 0)
    expect(pair.answers).toEqual(['NAK 2'])
    atUs(pair, 201, 0, ACK_REQUEST)
    expect(pair.answers).toEqual(['NAK 2', 'ACK 1'])
    expect(pair.receiver.delivered.bytes).toBe(2048)
  })

  test('are dropped silently if so configured', () => {
    const pair = missingTwo({ duplicates: 'silent' })
    atUs(pair, 201, 0, ACK_REQUEST | LAST)
    expect(pair.answers).toEqual(['NAK 2'])
  })

  test('acknowledged, they replace a lost last ACK; if dropped silently, the sender reaches its retry limit', () => {
    const outcome = (duplicates: 'acknowledge' | 'silent') => {
      const pair = pairWith({
        recovery: scheme(goBackN, { duplicates }),
        qp: { ackInterval: 4, ackTimeout: 100 * US, retryLimit: 7 },
      })
      pair.backward.rule(lose(ACK, 3, 1))
      pair.postPackets(4)
      return [pair.run(), pair.sender.timeouts, pair.receiver.deliveredMessages]
    }
    expect(outcome('acknowledge')).toEqual(['finished', 1, 1])
    expect(outcome('silent')).toEqual(['failed', 8, 1])
  })
})

describe('timeout', () => {
  test('T-GBN-4: a lost one-packet message is sent again exactly at the timeout, without a NAK', () => {
    const pair = pairWith({ qp: { ackTimeout: 100 * MS } })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1)
    expect(pair.run()).toBe('finished')
    expect(pair.timesOf('data 0')).toEqual([0, 100 * MS])
    expect(pair.receiver.naksSent).toBe(0)
  })

  test('T-GBN-4: with only the last of four lost everything is sent again, 100 ms behind the first packet', () => {
    const pair = pairWith({ qp: { ackTimeout: 100 * MS, ackInterval: 256 } })
    pair.forward.rule(lose(DATA, 3, 1))
    pair.postPackets(4)
    expect(pair.run()).toBe('finished')
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 0, 1, 2, 3])
    expect(pair.timesOf('data 0')).toEqual([0, 100 * MS])
  })

  test('T-GBN-5: after an RNR NAK nothing is sent for its time, then from its PSN on', () => {
    const pair = pairWith({ qp: { ackInterval: 256 } })
    pair.forward.rule(loseWhere(({ segment, nth }) => segment.psn >= 5 && nth === 1))
    pair.postPackets(9, 'send')
    pair.runUntilSent(9)
    const startPs = pair.nowPs
    pair.answer({ kind: RNR_NAK, psn: 5, syndrome: 0x2b })
    expect([pair.sender.una, pair.sender.nxt]).toEqual([5, 5])
    pair.runUntil(startPs + 480 * US - 1)
    expect(pair.dataSent).toHaveLength(9)
    pair.runUntil(startPs + 500 * US)
    expect(pair.dataSent.slice(9)).toEqual([5, 6, 7, 8])
    expect(pair.timesOf('data 5')[1]).toBe(startPs + 480 * US)
  })
})

test.each([goBackN, goBack0] as const)(
  '$name: a NAK of an acknowledged PSN has no effect, and one of a missing PSN has',
  (definition) => {
    const window = Object.assign(new WindowByHand(), { una: 4, nxt: 9 })
    const values = { ...defaultsOf(goBackN.params), ...defaultsOf(goBack0.params) }
    const sender = definition.createSender(values, window, {} as SenderRecoveryContext)
    const naks = [2, 4].map((psn) => [sender.onNak(0, psn, -1, new Segment()), window.nxt])
    expect(naks).toEqual([
      [NOTHING_NEW, 9],
      [LOSS_FOUND, 4],
    ])
  },
)
