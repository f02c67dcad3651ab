import { describe, expect, test } from 'vitest'
import { lose, loseWhere } from '../../../../tests/support/pair-pipe.ts'
import type { Pair } from '../../../../tests/support/pair.ts'
import { GBPS, US } from '../../base/params.ts'
import { ACK, DATA } from '../segment.ts'
import { DELAY_PS, TcpByHand, tcpPair } from './tcp.test-bench.ts'

const RTT_PS = 2 * DELAY_PS
/** A full frame of the pair and the gap at 40 Gb/s. */
const PACKET_PS = ((1024 + 62 + 20) * 8e12) / (40 * GBPS)
const FLAVOURS = ['sack', 'newreno'] as const

/** Packets sent in each round trip. A round begins when the first packet of the one before is acknowledged. */
function rounds(pair: Pair): number[] {
  const counts: number[] = []
  for (const { ps, text } of pair.log) {
    if (!text.startsWith('data')) continue
    const round = Math.floor(ps / RTT_PS)
    counts[round] = (counts[round] ?? 0) + 1
  }
  return counts
}

describe.each(FLAVOURS)('slow start, %s', (flavour) => {
  test.each([
    [1, [1, 2, 4, 8, 16, 32, 47]],
    [4, [4, 8, 16, 32, 50]],
    [10, [10, 20, 40, 40]],
  ])('from %i packets sends 110 of them, doubling each round trip (T-TCP-1)', (initialWindow, expected) => {
    const { pair } = tcpPair({ flavour, initialWindow })
    pair.postPackets(110, 'send')
    expect(pair.run()).toBe('finished')
    expect(rounds(pair)).toEqual(expected)
  })

  test('ends at the threshold: from there on it is a packet a round trip, or a little less', () => {
    const { pair, tcp } = tcpPair({ flavour })
    tcp.thresholdPackets = 16
    pair.postPackets(16 * 8, 'send')
    pair.run()
    expect(rounds(pair).slice(0, 6)).toEqual([4, 8, 16, 16, 17, 18])
  })

  test('the receive window is twice the BDP, and no more is in flight', () => {
    const { pair, tcp } = tcpPair({ flavour })
    pair.forward.rule(loseWhere(({ segment }) => segment.psn >= 2000))
    pair.postPackets(9000, 'send')
    pair.runUntil(700 * US)
    expect(pair.sender.nxt - pair.sender.una).toBe(220)
    expect(tcp.windowPackets).toBe(220)
  })

  test('a smaller receive window is respected', () => {
    const { pair } = tcpPair({ flavour, receiveWindow: 6 })
    pair.postPackets(60, 'send')
    pair.run()
    expect(rounds(pair)).toEqual([4, 6, 6, 6, 6, 6, 6, 6, 6, 6, 2])
  })
})

describe.each(FLAVOURS)('the timeout, %s', (flavour) => {
  test('is 320 us and doubles each time in a row', () => {
    const { pair, tcp } = tcpPair({ flavour })
    for (const nth of [1, 2, 3]) pair.forward.rule(lose(DATA, 0, nth))
    pair.postPackets(1)
    expect(pair.run()).toBe('finished')
    expect(pair.timesOf('data 0')).toEqual([0, 320 * US, 960 * US, 2240 * US])
    expect([pair.sender.timeouts, tcp.windowPackets]).toEqual([3, 2])
    // No round trip was measured, for the packet was sent again (Karn).
    expect(tcp.timeoutPs()).toBe(2560 * US)
  })

  test('is measured anew by the next packet that goes once', () => {
    const { pair, tcp } = tcpPair({ flavour })
    for (const nth of [1, 2]) pair.forward.rule(lose(DATA, 0, nth))
    pair.postPackets(1)
    pair.run()
    expect(tcp.timeoutPs()).toBe(1280 * US)
    pair.postPackets(1)
    pair.run()
    expect(tcp.timeoutPs()).toBe(320 * US)
  })

  test('follows the round trips where it may: SRTT + 4 RTTVAR', () => {
    const { pair, tcp } = tcpPair({ flavour, rtoMin: US })
    pair.postPackets(1)
    pair.run()
    expect(tcp.timeoutPs()).toBe(RTT_PS + 4 * (RTT_PS / 2))
    pair.postPackets(1)
    pair.run()
    // RTTVAR 12 -> 9 us.
    expect(tcp.timeoutPs()).toBe(RTT_PS + 4 * 9 * US)
  })

  test('times one segment at a time; with timestamps each ACK counts', () => {
    const after = (timestamps: boolean): number => {
      const { pair, tcp } = tcpPair({ flavour, rtoMin: US, timestamps, initialWindow: 8 })
      pair.postPackets(8)
      pair.run()
      return tcp.timeoutPs()
    }
    expect(after(false)).toBe(RTT_PS + 4 * 12 * US)
    // Seven samples more, each of which takes a quarter of the variation.
    expect(after(true)).toBe(Math.round(RTT_PS + 4 * 12 * US * 0.75 ** 7))
  })

  test('starts anew with each ACK of new packets, and stops with the last', () => {
    const { pair } = tcpPair({ flavour })
    pair.forward.rule(lose(DATA, 3, 1))
    pair.postPackets(4, 'send')
    pair.run()
    const lastAckPs = 2 * PACKET_PS + RTT_PS
    expect(pair.timesOf('data 3')).toEqual([3 * PACKET_PS, lastAckPs + 320 * US])
    expect(pair.sender.nextTimeoutPs).toBe(Infinity)
  })

  test('leaves half of what was in flight as the threshold, once for a packet that times out again', () => {
    const hand = new TcpByHand(40, { flavour, initialWindow: 12 })
    hand.tx()
    hand.timeout()
    expect([hand.tcp.thresholdPackets, hand.tcp.windowPackets]).toEqual([6, 1])
    expect(hand.tx()).toBe('0*')
    hand.timeout()
    expect([hand.tcp.thresholdPackets, hand.tcp.windowPackets]).toEqual([6, 1])
    expect(hand.tx()).toBe('0*')
    hand.steps(0)
    hand.timeout()
    // Another packet, and two were in flight.
    expect([hand.tcp.thresholdPackets, hand.tcp.windowPackets]).toEqual([2, 1])
  })

  test('does not need qp.ackTimeout, and does not read it', () => {
    for (const ackTimeout of [null, 5 * US]) {
      const { pair } = tcpPair({ flavour }, { qp: { ackTimeout } })
      pair.forward.rule(lose(DATA, 0, 1))
      pair.postPackets(1)
      pair.run()
      expect(pair.timesOf('data 0')).toEqual([0, 320 * US])
    }
  })
})

describe.each(FLAVOURS)('after a silence, %s', (flavour) => {
  const grown = () => {
    const made = tcpPair({ flavour })
    made.pair.postPackets(100, 'send')
    made.pair.run()
    expect(made.tcp.windowPackets).toBeGreaterThan(100)
    return made
  }

  test('longer than a timeout the window is the initial one again (RFC 5681 4.1)', () => {
    const { pair, tcp } = grown()
    pair.runUntil(pair.nowPs + 400 * US)
    const startPs = pair.nowPs
    pair.postPackets(50, 'send')
    pair.runUntil(startPs + RTT_PS - 1)
    expect(pair.sender.nxt - pair.sender.una).toBe(4)
    expect(tcp.windowPackets).toBe(4)
  })

  test('that is shorter it stays', () => {
    const { pair } = grown()
    pair.runUntil(pair.nowPs + 100 * US)
    const startPs = pair.nowPs
    pair.postPackets(50, 'send')
    pair.runUntil(startPs + RTT_PS - 1)
    expect(pair.sender.nxt - pair.sender.una).toBe(50)
  })
})

test('a lost READ request is repeated after the timeout of TCP, and later each time', () => {
  const { pair } = tcpPair({}, { isRead: true })
  pair.backward.rule(loseWhere(({ segment, nth }) => segment.kind !== ACK && nth < 4))
  pair.read(4 * 1024)
  expect(pair.run()).toBe('finished')
  expect(pair.timesOf('READ 0')).toEqual([0, 320 * US, 960 * US, 2240 * US])
})

test('READ responses are acknowledged and recovered like other data', () => {
  const { pair } = tcpPair({ initialWindow: 10 }, { isRead: true })
  pair.forward.rule(lose(DATA, 2, 1))
  pair.read(10 * 1024)
  expect(pair.run()).toBe('finished')
  expect(pair.sender.packetsSent).toBe(11)
  expect(pair.sender.timeouts).toBe(0)
})

test('a QP gives up behind its retry limit, each wait twice as long as the one before', () => {
  const { pair } = tcpPair({}, { qp: { retryLimit: 2 } })
  pair.forward.rule(loseWhere(() => true))
  pair.postPackets(1)
  expect(pair.run()).toBe('failed')
  expect(pair.nowPs).toBe((320 + 640 + 1280) * US)
})
