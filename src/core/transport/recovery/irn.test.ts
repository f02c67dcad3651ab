import { describe, expect, test } from 'vitest'
import { holdWhere, lose, loseWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, type PairOptions, scheme } from '../../../../tests/support/pair.ts'
import { GBPS, US, type ValuesOf } from '../../base/params.ts'
import { NO_WINDOW } from '../congestion/congestion.ts'
import { dcqcn } from '../congestion/dcqcn.ts'
import { none } from '../congestion/none.ts'
import { timely } from '../congestion/timely.ts'
import { DATA } from '../segment.ts'
import { goBackN } from './go-back-n.ts'
import { irn } from './irn.ts'

type Values = Partial<ValuesOf<typeof irn.params>>

const DELAY_PS = 12 * US
/** A full frame and the gap at 40 Gb/s. */
const PACKET_PS = ((1024 + 62 + 20) * 8e12) / (40 * GBPS)

const pairOf = (values: Values = {}, qp: Record<string, unknown> = {}): Pair =>
  new Pair({
    recovery: scheme(irn, { cap: 110, ...values }),
    qp: { ackTimeout: 320 * US, retryLimit: null, ...qp },
    delayPs: DELAY_PS,
  })

test('messages complete in order, however their packets arrive', () => {
  const pair = pairOf()
  for (const operation of ['write', 'send', 'write'] as const) pair.post(2 * 1024, operation)
  pair.forward.rule(lose(DATA, 0, 1))
  pair.run()
  expect(pair.receiver.deliveredMessages).toBe(3)
  expect(pair.sender.packetsSent).toBe(7)
  // All three when the missing packet arrives, and not before.
  expect(pair.receiver.delivered.lastPs).toBeGreaterThan(3 * DELAY_PS)
})

describe('the timeout', () => {
  test('few packets in flight get the short one: a lost last packet is resent after 100 us', () => {
    const pair = pairOf()
    pair.forward.rule(lose(DATA, 3, 1))
    pair.postPackets(4, 'send')
    pair.run()
    // The timer runs from the ACK of the packet before it (T-IRN-2).
    const ackPs = 2 * PACKET_PS + 2 * DELAY_PS
    expect(pair.timesOf('data 3')).toEqual([3 * PACKET_PS, ackPs + 100 * US])
  })

  test('a message of one packet is resent 100 us after it was sent (T-IRN-6)', () => {
    const pair = pairOf()
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1)
    pair.run()
    expect(pair.timesOf('data 0')).toEqual([0, 100 * US])
    expect(pair.nowPs).toBe(100 * US + 2 * DELAY_PS)
  })

  test('more than three wait for the long one, counted from the retransmission that was lost (T-IRN-2)', () => {
    const pair = pairOf()
    pair.forward.rule(lose(DATA, 2, 1))
    pair.forward.rule(lose(DATA, 2, 2))
    pair.postPackets(8)
    pair.run()
    const [, again, oncemore] = pair.timesOf('data 2')
    expect(oncemore! - again!).toBe(320 * US)
    expect(pair.timesOf('data 2')).toHaveLength(3)
    expect(pair.sender.timeouts).toBe(1)
    expect(pair.sender.packetsSent).toBe(10)
  })

  test.each([
    [3, 100],
    [4, 320],
  ])('with %i packets in flight it is %i us (T-IRN-3)', (packets, us) => {
    const pair = pairOf()
    pair.forward.rule((passage) => {
      if (passage.nth === 1) passage.copies = 0
    })
    pair.postPackets(packets)
    pair.run()
    expect(pair.timesOf('data 0')[1]).toBe(us * US)
  })

  test('a sender slower than a quarter of its line waits the long one (T-IRN-3)', () => {
    const pair = pairOf()
    pair.sender.congestion.rateBps = (40 * GBPS) / 5
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1)
    pair.run()
    expect(pair.timesOf('data 0')).toEqual([0, 320 * US])
  })

  test('no timeout of the QP is none here', () => {
    const pair = pairOf({}, { ackTimeout: null })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1)
    expect(pair.run()).toBe('stalled')
  })
})

test('110 packets may be in flight and no more (T-IRN-4)', () => {
  const pair = pairOf()
  pair.forward.rule((passage) => {
    passage.copies = 0
  })
  pair.postPackets(200)
  pair.runUntil(90 * US)
  expect(pair.sender.nxt).toBe(110)
})

test('the cap is the BDP by default', () => {
  const pair = pairOf({ cap: null })
  pair.forward.rule((passage) => {
    passage.copies = 0
  })
  pair.postPackets(200)
  pair.runUntil(90 * US)
  expect(pair.sender.nxt).toBe(Math.floor((40 * GBPS * 2 * DELAY_PS) / 8e12 / 1086))
})

test('a retransmission waits until its data are fetched, new packets do not', () => {
  const pair = pairOf({ fetchDelay: 2 * US, cap: 200 })
  pair.forward.rule(lose(DATA, 0, 1))
  pair.postPackets(300)
  pair.run()
  const nackPs = PACKET_PS + 2 * DELAY_PS
  const again = pair.timesOf('data 0')[1]!
  expect(again).toBeGreaterThanOrEqual(nackPs + 2 * US)
  expect(again).toBeLessThan(nackPs + 2 * US + 2 * PACKET_PS)
  const meanwhile = pair.log.filter(({ ps, text }) => ps > nackPs && ps < again && text.startsWith('data'))
  expect(meanwhile.length).toBeGreaterThan(5)
})

test('a receiver that is not ready gets its wait, and everything behind is resent', () => {
  const pair = pairOf({}, { receiveQueue: 1, receiveRepost: 5 * US })
  for (let i = 0; i < 3; i++) pair.postPackets(1, 'send')
  expect(pair.run()).toBe('finished')
  expect(pair.log.some(({ text }) => text.startsWith('RNR'))).toBe(true)
})

test('READ responses are acknowledged, and resent one by one', () => {
  const pair = new Pair({
    recovery: scheme(irn, { cap: 110 }),
    qp: { ackTimeout: 320 * US },
    delayPs: DELAY_PS,
    isRead: true,
  })
  pair.forward.rule(lose(DATA, 1, 1))
  pair.read(4 * 1024)
  expect(pair.run()).toBe('finished')
  expect(pair.answers).toEqual(['READ 0', 'ACK 0', 'NAK 1', 'NAK 1', 'ACK 3'])
  expect(pair.sender.packetsSent).toBe(5)
})

/** PSNs of data packets from their second transmission on. */
function resent(pair: Pair): number[] {
  const seen = new Set<string>()
  const psns = []
  for (const { text } of pair.log) {
    if (!text.startsWith('data')) continue
    if (seen.has(text)) psns.push(Number(text.slice(5)))
    seen.add(text)
  }
  return psns
}

test('of ten packets without packet 2 go-back-N sends all from it on again, and IRN only it ([Survey] Fig. 14)', () => {
  const resentBy = (recovery: PairOptions['recovery']): number[] => {
    const pair = new Pair({ recovery: recovery!, qp: { ackTimeout: 320 * US }, delayPs: DELAY_PS })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(10)
    expect(pair.run()).toBe('finished')
    return resent(pair)
  }
  expect(resentBy(scheme(goBackN))).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  expect(resentBy(scheme(irn, { cap: 110 }))).toEqual([2])
})

test('no slow start, and no loss or timeout slows it: where nothing else controls it, it sends at line rate ([IRN] 3.2)', () => {
  const pair = pairOf()
  pair.forward.rule(loseWhere(({ segment, nth }) => segment.psn % 30 === 7 && nth <= 2))
  pair.postPackets(600)
  pair.runUntil(109.2 * PACKET_PS)
  expect(pair.dataSent).toHaveLength(110)
  expect(pair.run()).toBe('finished')
  expect(pair.sender.timeouts).toBeGreaterThan(0)
  expect(resent(pair).length).toBeGreaterThanOrEqual(40)
  const { rateBps, windowPackets } = pair.sender.congestion
  expect([rateBps, windowPackets]).toEqual([40 * GBPS, NO_WINDOW])
  // With losses behind it, it sends as fast as before.
  pair.postPackets(110)
  const fromPs = pair.nowPs
  pair.runUntil(fromPs + 109.2 * PACKET_PS)
  expect(pair.sender.nxt).toBe(710)
})

test('runs without a congestion control, with TIMELY and with DCQCN, which slow it where it alone would not ([IRN] 3)', () => {
  const controls = [scheme(none), scheme(timely), scheme(dcqcn)]
  const rates = controls.map((congestion) => {
    const pair = new Pair({
      recovery: scheme(irn, { cap: 110 }),
      congestion,
      qp: { ackTimeout: 320 * US, ecnEcho: 'cnp' },
      delayPs: DELAY_PS,
    })
    pair.forward.rule(markWhere(({ count }) => count % 2 === 0))
    pair.forward.rule(holdWhere(600 * US, ({ startPs }) => startPs > 100 * US))
    pair.forward.rule(lose(DATA, 20, 1))
    pair.postPackets(400)
    pair.runUntil(1500 * US)
    const { rateBps } = pair.sender.congestion
    expect(pair.run()).toBe('finished')
    expect(resent(pair)).toContain(20)
    return rateBps
  })
  expect(rates[0]).toBe(40 * GBPS)
  for (const rateBps of rates.slice(1)) expect(rateBps).toBeLessThan(30 * GBPS)
})

describe('ablations', () => {
  const lossy = (values: Values): Pair => {
    const pair = pairOf(values)
    for (const psn of [2, 5, 7]) pair.forward.rule(lose(DATA, psn, 1))
    pair.postPackets(10)
    pair.run()
    return pair
  }

  test('with SACK three losses are resent in one round trip (T-ABL-1)', () => {
    const pair = lossy({})
    expect(resent(pair)).toEqual([2, 5, 7])
    expect(pair.timesOf('data 7')[1]! - pair.timesOf('data 2')[1]!).toBeLessThan(2 * DELAY_PS)
  })

  test('without it each takes its own (T-ABL-1)', () => {
    const pair = lossy({ resend: 'oldest' })
    expect(resent(pair)).toEqual([2, 5, 7])
    const [a, b, c] = [2, 5, 7].map((psn) => pair.timesOf(`data ${psn}`)[1]!)
    expect([b! - a!, c! - b!]).toEqual([2 * DELAY_PS, 2 * DELAY_PS])
  })

  test('with go-back-N everything from the loss on comes again (T-ABL-2)', () => {
    const pair = pairOf({ resend: 'go-back-n' })
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(10)
    pair.run()
    expect(resent(pair)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('without BDP flow control a message is in flight whole, and survives its losses', () => {
    const pair = pairOf({ bdpFlowControl: false })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1000)
    pair.runUntil(2 * DELAY_PS - US)
    pair.runUntilSent(300)
    expect(pair.run()).toBe('finished')
    expect(resent(pair)).toEqual([0])
  })
})
