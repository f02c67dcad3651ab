import { describe, expect, test } from 'vitest'
import { lose, loseWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { US } from '../../base/params.ts'
import { dctcp } from '../congestion/dctcp.ts'
import { goBackN } from '../recovery/go-back-n.ts'
import { irn } from '../recovery/irn.ts'
import { ACK, DATA, NAK, RNR_NAK } from '../segment.ts'

const everything = loseWhere(() => true)

describe('a NAK', () => {
  const sent = (): Pair => {
    const pair = new Pair({ congestion: scheme(dctcp), qp: { ackInterval: 1 } })
    pair.forward.rule(everything)
    pair.postPackets(8)
    pair.runUntilSent(8)
    return pair
  }
  test('for a missing packet is a loss to the congestion control', () => {
    const pair = sent()
    const before = pair.sender.congestion.windowPackets
    pair.answer({ kind: NAK, psn: 2 })
    expect([pair.sender.congestion.windowPackets / before, pair.sender.una, pair.sender.nxt]).toEqual([0.5, 2, 2])
  })
  test('a stale one is none, nor is one for a packet never sent', () => {
    for (const [psn, una] of [
      [1, 5],
      [8, 8],
    ] as const) {
      const pair = sent()
      pair.answer({ kind: ACK, psn: 4 })
      const before = pair.sender.congestion.windowPackets
      pair.answer({ kind: NAK, psn })
      expect(pair.sender.congestion.windowPackets).toBeGreaterThanOrEqual(before)
      expect([pair.sender.una, pair.sender.nxt]).toEqual([una, 8])
    }
  })
})

test('progress does not shorten the fetch delay of a pending retransmission', () => {
  const pair = new Pair({ recovery: scheme(irn, { fetchDelay: 20 * US }), qp: { ackInterval: 1 } })
  pair.forward.rule(lose(DATA, 1, 1))
  pair.forward.rule(lose(DATA, 4, 1))
  pair.postPackets(10)
  expect(pair.run()).toBe('finished')
  const [first, second] = [pair.timesOf('data 1')[1]!, pair.timesOf('data 4')[1]!]
  // Packet 1 arrives again while packet 4 is being fetched.
  expect([second - first, pair.sender.timeouts]).toEqual([20 * US, 0])
})

describe('receiver not ready', () => {
  const scarce = { receiveQueue: 1, receiveRepost: 50 * US, rnrTimer: 1 } as const

  test('a SEND waits for its Receive WQE, once per RNR time, and nothing is lost', () => {
    const pair = new Pair({ qp: scarce })
    pair.postPackets(2, 'send')
    pair.postPackets(2, 'send')
    expect(pair.run()).toBe('finished')
    expect(pair.receiver.deliveredMessages).toBe(2)
    const [delivered] = pair.timesOf('ACK 1')
    const waits = pair.timesOf('RNR 2')
    expect(waits.length).toBeGreaterThan(3)
    // The WQE is back 50us after the first message; the RNR waits are 10us and a round trip each.
    for (let i = 1; i < waits.length; i++) expect(waits[i]! - waits[i - 1]!).toBe(10 * US + 2 * US)
    expect(pair.timesOf('ACK 3')[0]!).toBeGreaterThanOrEqual(delivered! + 50 * US)
  })

  test('a WRITE needs no Receive WQE', () => {
    const pair = new Pair({ qp: { ...scarce, receiveQueue: 0 } })
    pair.postPackets(4)
    expect(pair.run()).toBe('finished')
    expect(pair.answers.filter((text) => text.startsWith('RNR'))).toEqual([])
  })

  test('packets behind the one without a WQE are dropped without a NAK', () => {
    const pair = new Pair({ qp: { ...scarce, receiveQueue: 0 } })
    pair.postPackets(4, 'send')
    pair.runUntil(9 * US)
    expect(pair.answers).toEqual(['RNR 0'])
  })

  test('a loss after an RNR NAK is reported at once', () => {
    const pair = new Pair({ qp: scarce, recovery: scheme(goBackN, { nakInterval: 500 * US }) })
    pair.forward.rule(loseWhere(({ segment, startPs }) => segment.psn === 2 && startPs > 55 * US && startPs < 62 * US))
    pair.postPackets(2, 'send')
    pair.postPackets(4, 'send')
    expect(pair.run()).toBe('finished')
    expect(pair.answers.filter((text) => text === 'NAK 2')).toHaveLength(1)
    expect(pair.nowPs).toBeLessThan(100 * US)
  })

  test('an RNR NAK acknowledges what is below it, and that is progress', () => {
    const pair = new Pair({ qp: { ackInterval: 256, ackTimeout: 100 * US, retryLimit: 1 } })
    pair.forward.rule(everything)
    pair.postPackets(1, 'send')
    pair.postPackets(3, 'send')
    pair.runUntil(150 * US)
    expect(pair.sender.timeouts).toBe(1)
    pair.answer({ kind: RNR_NAK, psn: 1, syndrome: 0x21 })
    expect([pair.sender.acknowledgedMessages, pair.sender.una]).toEqual([1, 1])
    pair.runUntil(299 * US)
    expect([pair.sender.timeouts, pair.sender.isFailed]).toEqual([2, false])
  })

  test('one that acknowledges nothing is no progress', () => {
    const pair = new Pair({ qp: { ackInterval: 256, ackTimeout: 100 * US, retryLimit: 1 } })
    pair.forward.rule(everything)
    pair.postPackets(3, 'send')
    pair.runUntil(150 * US)
    pair.answer({ kind: RNR_NAK, psn: 0, syndrome: 0x21 })
    pair.runUntil(299 * US)
    expect([pair.sender.timeouts, pair.sender.isFailed]).toEqual([2, true])
  })

  test('one for a PSN never posted has no effect', () => {
    const pair = new Pair({ qp: { ackInterval: 1 } })
    pair.forward.rule(everything)
    pair.postPackets(3, 'send')
    pair.runUntilSent(3)
    pair.answer({ kind: RNR_NAK, psn: 3, syndrome: 0x21 })
    expect([pair.sender.una, pair.sender.nxt]).toEqual([0, 3])
  })

  test('a stale one has no effect', () => {
    const pair = new Pair({ qp: { ackInterval: 1 } })
    pair.postPackets(8, 'send')
    pair.runUntilSent(8)
    pair.answer({ kind: ACK, psn: 4 })
    pair.answer({ kind: RNR_NAK, psn: 3, syndrome: 0x21 })
    expect([pair.sender.una, pair.sender.nxt]).toEqual([5, 8])
  })
})
