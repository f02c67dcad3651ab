import { describe, expect, test } from 'vitest'
import { holdWhere } from '../../../../tests/support/pair-pipe.ts'
import { US } from '../../base/params.ts'
import { CE, CWR, ECT_0, Segment } from '../segment.ts'
import { TcpReceiver } from './tcp-receiver.ts'
import { DELAY_PS, TcpByHand, tcpPair } from './tcp.test-bench.ts'

describe('what comes out of order', () => {
  test('is kept, and answered with the expected packet and the one that arrived', () => {
    const hand = new TcpByHand(8, { initialWindow: 8 })
    hand.tx()
    expect([0, 2, 4, 3, 1].map((psn) => hand.rx(psn))).toEqual(['ACK 1', 'ACK 1/2', 'ACK 1/4', 'ACK 1/3', 'ACK 5'])
    expect(hand.pair.receiver.delivered.bytes).toBe(5 * 1024)
  })

  test('is not named where SACK is off', () => {
    const hand = new TcpByHand(8, { initialWindow: 8, flavour: 'newreno' })
    hand.tx()
    expect([0, 2, 4, 3, 1].map((psn) => hand.rx(psn))).toEqual(['ACK 1', 'ACK 1', 'ACK 1', 'ACK 1', 'ACK 5'])
  })

  test('a second copy is answered as the first and counted once; what was acknowledged is acknowledged again', () => {
    const hand = new TcpByHand(8, { initialWindow: 8 })
    hand.tx()
    expect([2, 2, 0, 0].map((psn) => hand.rx(psn))).toEqual(['ACK 0/2', 'ACK 0/2', 'ACK 1', 'ACK 1'])
    expect(hand.pair.receiver.delivered.bytes).toBe(2 * 1024)
  })

  test('beyond the window it is dropped, and answered', () => {
    const hand = new TcpByHand(8, { receiveWindow: 64 })
    hand.tx()
    expect([63, 64].map((psn) => hand.rx(psn))).toEqual(['ACK 0/63', 'ACK 0'])
    expect(hand.pair.receiver.delivered.bytes).toBe(1024)
  })

  test('none of it is a NAK', () => {
    const { pair } = tcpPair({ initialWindow: 20 })
    pair.forward.rule(holdWhere(5 * US, ({ segment }) => segment.psn % 3 === 0))
    pair.postPackets(20)
    expect(pair.run()).toBe('finished')
    expect(pair.answers.filter((answer) => !answer.startsWith('ACK'))).toEqual([])
    expect(pair.receiver.naksSent).toBe(0)
  })
})

describe('delayed ACKs (RFC 5681 4.2)', () => {
  const delayed = (values = {}) => tcpPair({ delayedAck: 40 * US, initialWindow: 10, ...values })

  test('every second packet is acknowledged; the last of an odd number waits', () => {
    const { pair } = delayed()
    pair.postPackets(5)
    pair.run()
    expect(pair.answers).toEqual(['ACK 1', 'ACK 3', 'ACK 4'])
    const [arrival] = pair.timesOf('data 4')
    expect(pair.timesOf('ACK 4')).toEqual([arrival! + DELAY_PS + 40 * US])
  })

  test('what is out of order is answered at once, with what waited, and so is what fills a gap', () => {
    const hand = new TcpByHand(9, { delayedAck: 40 * US, initialWindow: 9 })
    hand.tx()
    expect([0, 2, 4, 1, 3, 5, 6].map((psn) => hand.rx(psn))).toEqual([
      'nothing',
      'ACK 1/2',
      'ACK 1/4',
      // Fills a part of the gap, then the rest.
      'ACK 3',
      'ACK 5',
      'nothing',
      'ACK 7',
    ])
  })

  test('a timer does not fire after its ACK was sent for another reason', () => {
    const { pair } = delayed()
    pair.postPackets(2)
    pair.run()
    expect(pair.receiverTimers.nextPs).toBe(Infinity)
    expect(pair.answers).toEqual(['ACK 1'])
  })

  test('the window grows by the ACKs there are: half as fast', () => {
    const { pair, tcp } = delayed({ initialWindow: 8 })
    pair.postPackets(8)
    pair.run()
    expect(tcp.windowPackets).toBe(12)
  })

  test('a loss is recovered as ever', () => {
    for (const flavour of ['sack', 'newreno'] as const) {
      const { pair } = delayed({ flavour })
      pair.forward.rule((passage) => {
        if (passage.segment.psn === 3 && passage.nth === 1) passage.copies = 0
      })
      pair.postPackets(30)
      expect(pair.run()).toBe('finished')
      expect([pair.sender.timeouts, pair.sender.retransmissions]).toEqual([0, 1])
    }
  })
})

test('CWR ends the echo of earlier marks, and a mark on the same packet begins it again (RFC 3168 6.1.3)', () => {
  const receiver = new TcpReceiver({ windowPackets: 64, hasSack: true, hasCwr: true })
  let psn = 0
  const echoes = (ecn: number, flags: number): boolean => {
    receiver.onData(0, psn, Object.assign(new Segment(), { psn: psn++, payloadBytes: 1024, ecn, flags }))
    return receiver.isEchoing
  }
  const MARKED_CWR: [number, number] = [CE, CWR]
  expect([
    echoes(ECT_0, 0),
    echoes(...MARKED_CWR),
    echoes(ECT_0, 0),
    echoes(...MARKED_CWR),
    echoes(ECT_0, CWR),
  ]).toEqual([false, true, true, true, false])
})
