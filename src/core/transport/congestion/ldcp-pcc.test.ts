import { describe, expect, test } from 'vitest'
import { contextOf, ackEventOf } from '../../../../tests/support/control-world.ts'
import { holdWhere, loseWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../../../../tests/support/pair.ts'
import { defaultsOf, GBPS, MBPS, NEVER_PS, US, type ValuesOf } from '../../base/params.ts'
import { RTT_REQUEST, RTT_RESPONSE } from '../segment.ts'
import { ldcpPcc, LdcpPcc } from './ldcp-pcc.ts'

type Values = Partial<ValuesOf<typeof ldcpPcc.params>>

/** A control that has sent a request at time 0 and has packets to send. */
function controlWith(values: Values, context: Parameters<typeof contextOf>[0] = {}): LdcpPcc {
  const control = new LdcpPcc({ ...defaultsOf(ldcpPcc.params), ...values }, contextOf(context))
  control.onSent(0)
  return control
}

const pairWith = (values: Values = {}, options: PairOptions = {}): Pair =>
  new Pair({
    congestion: scheme(ldcpPcc, values),
    delayPs: 15 * US,
    ...options,
    qp: { ackInterval: 0, ecnEcho: 'cnp', ...options.qp },
  })

const packetsOf = (pair: Pair): number => (pair.sender.congestion as LdcpPcc).packets

describe('the window', () => {
  test('T-LDCP-6: RTT responses add alpha, CNPs take beta, and the rate is the window over the round trip', () => {
    const control = controlWith({ initialWindow: 20 })
    let nowPs = 0
    const seen = Array.from('RCCRR', (event) => {
      if (event === 'C') control.onCnp()
      else {
        nowPs += 30 * US
        control.onRttResponse(nowPs, nowPs - 30 * US)
      }
      return control.packets
    })
    expect(seen).toEqual([21, 20.5, 20, 21, 22])
    expect(control.rateBps / GBPS).toBeCloseTo(6.00747, 5)
  })

  test('begins with the line rate over the undisturbed round trip', () => {
    const control = controlWith({})
    expect(control.rateBps).toBe(40 * GBPS)
    expect(control.packets).toBeCloseTo((40 * GBPS * 20e-6) / 8 / 1024, 9)
    control.onCnp()
    expect(control.rateBps).toBeLessThan(40 * GBPS)
  })

  test('stays between gamma and twice the first one', () => {
    const control = controlWith({ initialWindow: 3 })
    for (let i = 0; i < 20; i++) control.onCnp()
    expect(control.packets).toBe(0.125)
    for (let i = 1; i < 20; i++) control.onRttResponse(i * 20 * US, (i - 1) * 20 * US)
    expect(control.packets).toBe(6)
  })

  test('a rate is never below the least', () => {
    const control = controlWith({ minRate: 50 * MBPS, initialWindow: 1 })
    for (let i = 0; i < 20; i++) control.onCnp()
    control.onRttResponse(10_000 * US, 0)
    expect(control.rateBps).toBe(50 * MBPS)
  })

  test('a mark echoed in an ACK counts as a CNP', () => {
    const control = controlWith({ initialWindow: 20 })
    control.onAck(0, ackEventOf({ cumulativePsn: 1, marked: true }))
    control.onAck(0, ackEventOf({ cumulativePsn: 2 }))
    expect(control.packets).toBe(19.5)
  })
})

describe('requests', () => {
  test('the first is sent with the first packet, the next at the response, and none when everything is sent', () => {
    const pair = pairWith()
    pair.postPackets(200)
    expect(pair.run()).toBe('finished')
    // 200 packets take 44.24us at line rate.
    expect(pair.probesPs).toEqual([0, 30 * US])
    expect(packetsOf(pair)).toBeCloseTo((40 * GBPS * 30e-6) / 8 / 1024 + 1, 9)
    pair.runUntil(10_000 * US)
    expect(pair.probesPs).toHaveLength(2)
    pair.postPackets(1)
    expect(pair.run()).toBe('finished')
    expect(pair.probesPs[2]).toBe(10_000 * US)
  })

  test('a lost one is repeated after three round trips, then after six', () => {
    const pair = pairWith()
    pair.forward.rule(loseWhere(({ segment }) => segment.kind === RTT_REQUEST))
    pair.postPackets(3000)
    pair.runUntil(600 * US)
    expect(pair.probesPs.map((ps) => ps / US)).toEqual([0, 90, 270])
    expect(packetsOf(pair)).toBeLessThan(147)
  })

  test('a response after its timeout updates the round trip and adds nothing', () => {
    const pair = pairWith()
    pair.backward.rule(holdWhere(170 * US, ({ segment }) => segment.kind === RTT_RESPONSE))
    pair.postPackets(3000)
    pair.runUntil(199 * US)
    const before = packetsOf(pair)
    pair.runUntil(200 * US)
    expect(packetsOf(pair)).toBe(before)
    expect(pair.sender.congestion.rateBps).toBeCloseTo((before * 8192) / 200e-6, -3)
    // Requests at 0 and at 90us; the response to the second is in time by the timeout derived from the first.
    pair.runUntil(290 * US)
    expect(pair.probesPs.map((ps) => ps / US)).toEqual([0, 90, 290])
    expect(packetsOf(pair)).toBe(before + 1)
  })

  test('rest while nothing may be sent', () => {
    const pair = pairWith({}, { qp: { ackInterval: 1, ackTimeout: null, window: 10_240 } })
    pair.backward.rule(loseWhere(({ segment }) => segment.kind !== RTT_RESPONSE))
    pair.postPackets(100)
    pair.runUntil(10_000 * US)
    expect(pair.sender.nextSendPs).toBe(NEVER_PS)
    expect(pair.probesPs).toEqual([0])
  })

  test('unacknowledged READ responses are controlled too', () => {
    const pair = pairWith({}, { isRead: true, qp: { ackTimeout: 10_000 * US } })
    pair.forward.rule(markWhere(() => true))
    pair.read(2_000_000)
    pair.runUntil(300 * US)
    expect(packetsOf(pair)).toBeLessThan(10)
    expect(pair.probesPs.length).toBeGreaterThan(3)
  })
})

test('where marks come in ACKs one in an interval counts', () => {
  const control = controlWith({ initialWindow: 20, cnpInterval: 4 * US })
  for (const us of [10, 11, 14, 15]) control.onAck(us * US, ackEventOf({ cumulativePsn: 1, marked: true }))
  expect(control.packets).toBe(19)
})

test('each marked packet has its CNP, or one in an interval', () => {
  const cnps = (cnpInterval: number): number => {
    const pair = pairWith({ cnpInterval })
    pair.forward.rule(markWhere(() => true))
    pair.postPackets(50)
    expect(pair.run()).toBe('finished')
    return pair.answers.filter((text) => text === 'CNP').length
  }
  expect(cnps(0)).toBe(50)
  expect(cnps(4 * US)).toBeLessThan(10)
})

test('marks on half of the packets and none: the rate falls and rises by a packet a round trip', () => {
  const pair = pairWith()
  pair.forward.rule(markWhere(({ count, startPs }) => startPs < 200 * US && count % 2 === 0))
  pair.postPackets(20_000)
  pair.runUntil(230 * US)
  const low = packetsOf(pair)
  expect(low).toBeLessThan(30)
  pair.runUntil(530 * US)
  expect(packetsOf(pair)).toBeCloseTo(low + 10, 9)
})
