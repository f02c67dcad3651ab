/** Schemes of live connections: which there are, why others are refused, and how many packets are in flight. */
import { describe, expect, test } from 'vitest'
import { VerbsPair } from '../../../tests/support/verbs-pair.ts'
import { InputError } from '../base/issue.ts'
import { GBPS, MS, US } from '../base/params.ts'
import { congestions } from '../transport/congestion/index.ts'
import { recoveries } from '../transport/recovery/index.ts'
import type { ConnectionValues, Mode } from './connection/values.ts'
import { LIVE_DEFAULTS, liveConnection, type LiveOptions, liveSchemes } from './live-schemes.ts'
import { OP_READ, OP_WRITE } from './queues/operation.ts'

const ORDER = { draw: () => 1 }
const values = (given: Partial<ConnectionValues> = {}): ConnectionValues => ({
  ...LIVE_DEFAULTS.connection,
  remoteQp: 2,
  ackInterval: 1,
  ...given,
})

/** null: accepted; else the reasons. */
function refusal(schemes: Partial<LiveOptions>, given: Partial<ConnectionValues> = {}): string[] | null {
  try {
    liveSchemes(schemes, values(given), ORDER)
    return null
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.issues.map(({ path, received, hint }) => `${path} ${hint === '' ? received : hint}`)
  }
}

/** A pair of ends with these schemes, and a WRITE of that many full packets. */
function writing(packets: number, schemes: Partial<LiveOptions>, given: Partial<ConnectionValues> = {}): VerbsPair {
  const pair = new VerbsPair({
    values: values(given),
    delayPs: 50 * US,
    schemesOf: (connection, order) => liveSchemes(schemes, connection, order),
  })
  const memory = pair.b.memory(packets * 1024)
  const far = { remoteAddress: memory.address, remoteKey: memory.key }
  pair.a.post({ id: 1, operation: OP_WRITE, lengthBytes: packets * 1024, ...far })
  return pair
}

/** Most packets that were in flight before that time. */
function mostInFlight(pair: VerbsPair, untilPs: number): number {
  let most = 0
  while (pair.step(untilPs)) most = Math.max(most, pair.a.pair.requester.highest - pair.a.pair.requester.una)
  return most
}

describe('which schemes there are', () => {
  const accepted = (kinds: readonly { readonly name: string }[], path: 'recovery' | 'congestion', mode: Mode) =>
    kinds.map(({ name }) => name).filter((kind) => refusal({ [path]: { kind } }, { mode }) === null)

  test('recoveries whose packets are those of the mode, and that have one path', () => {
    const roce = ['go-back-n', 'go-back-0', 'send-twice', 'check-epsn', 'improved-gbn']
    expect(accepted(recoveries, 'recovery', 'roce')).toEqual(roce)
    expect(accepted(recoveries, 'recovery', 'irn')).toEqual(['irn'])
  })

  test('congestion controls that losses, CNPs or round trips tell enough', () => {
    const known = ['none', 'dcqcn', 'dcqcn-connectx4', 'dcqcn-hpcc', 'timely', 'patched-timely', 'aimd', 'newreno']
    for (const mode of ['roce', 'irn'] as const)
      expect(accepted(congestions, 'congestion', mode)).toEqual([...known, 'cubic', 'swift'])
  })

  test('each other one is refused with its own reason', () => {
    const reason = (kind: string, more = {}) => refusal({ congestion: { kind, ...more } })
    expect(reason('hpcc')).toEqual(['congestion it needs switches that write the state of their queues into packets'])
    expect(reason('qcn')).toEqual(['congestion it needs switches that send congestion messages'])
    expect(reason('mp-rdma')).toEqual(['congestion it needs several paths for one queue pair'])
    expect(reason('ldcp-pcc')).toEqual(['congestion it needs RTT probes, for which RoCE has no packets'])
    expect(reason('dctcp')).toEqual(["congestion it needs marks in ACKs, for which RoCE's have no bit"])
    expect(reason('dx')).toEqual(['congestion it needs ends that have the same clock'])
    // Needs follow the values.
    expect(reason('newreno', { ecn: true })).toEqual([
      'congestion it needs a bit for a reduced window, which RoCE does not have',
    ])
    expect(refusal({ recovery: { kind: 'tcp' } })).toEqual(['recovery its packets are not those of RoCE'])
    expect(refusal({ recovery: { kind: 'irn' } })).toEqual(['recovery it needs mode irn'])
    expect(refusal({ recovery: { kind: 'go-back-n' } }, { mode: 'irn' })).toEqual(['recovery it needs mode roce'])
  })

  test('all mistakes are reported together', () => {
    expect(
      refusal({
        recovery: { kind: 'magic' },
        congestion: { kind: 'dcqcn', gg: 1 },
        lineRateBps: 0,
        baseRttPs: Infinity,
        windowPackets: 0.5,
      }),
    ).toEqual([
      'recovery "magic"',
      'congestion.gg another name',
      'lineRateBps 0',
      'baseRttPs Infinity',
      'windowPackets 0.5',
    ])
  })

  test('a control that needs an ACK for each packet gets them', () => {
    const aimd = { congestion: { kind: 'aimd' } }
    expect(refusal(aimd, { ackInterval: 16 })).toEqual(['congestion it needs an ACK for each packet: ackInterval 1'])
    const asked = (['aimd', 'dcqcn'] as const).map(
      (kind) => liveConnection({ remoteQp: 2 }, { congestion: { kind } }, ORDER).ackInterval,
    )
    expect(asked).toEqual([1, 16])
  })
})

describe('packets in flight', () => {
  test('are 32 at most, and as many as given, with a control that has no window', () => {
    for (const kind of ['none', 'dcqcn', 'timely']) {
      expect(mostInFlight(writing(200, { congestion: { kind }, lineRateBps: 400 * GBPS }), MS)).toBe(32)
      expect(mostInFlight(writing(200, { congestion: { kind }, windowPackets: 5 }), MS)).toBe(5)
    }
  })

  test('grow from there where the control has a window', () => {
    const schemes = { congestion: { kind: 'aimd' }, lineRateBps: 400 * GBPS, baseRttPs: 100 * US, windowPackets: 4 }
    const pair = writing(400, schemes)
    expect(pair.a.pair.requester.congestion.windowPackets).toBe(4)
    expect(mostInFlight(pair, 100 * MS)).toBeGreaterThan(10)
    expect(pair.a.log).toEqual(['1:0'])
  })

  test('do not wait for an ACK that none of them asks for', () => {
    // The window is far smaller than the interval at which ACKs are asked for.
    const pair = writing(100, { windowPackets: 3 }, { ackInterval: 16, ackTimeoutPs: 900 * MS })
    expect(mostInFlight(pair, 10 * MS)).toBe(3)
    expect([pair.a.log, pair.a.pair.requester.timeouts]).toEqual([['1:0'], 0])
  })

  test('ask for an ACK every 16 packets, and with the last of a message', () => {
    const pair = writing(40, {}, { ackInterval: LIVE_DEFAULTS.connection.ackInterval })
    const asking: number[] = []
    pair.toB.rule(({ packet }) => void (packet.isAckRequested && asking.push(packet.psn)))
    pair.run()
    expect(asking).toEqual([15, 31, 39])
  })
})

test('packets leave at the line rate, READ responses too', () => {
  const bps = GBPS
  const pair = writing(64, { lineRateBps: bps, windowPackets: 100 })
  pair.run()
  // The last one arrives as soon as it has begun to leave.
  const wirePs = (63 * (1024 + 82) * 8e12) / bps
  expect(pair.nowPs).toBeGreaterThan(wirePs)
  expect(pair.nowPs).toBeLessThan(1.3 * wirePs)
  const from = pair.nowPs
  const memory = pair.b.memory(64 * 1024)
  const far = { remoteAddress: memory.address, remoteKey: memory.key }
  pair.a.post({ id: 2, operation: OP_READ, lengthBytes: 64 * 1024, ...far })
  pair.run()
  expect(pair.nowPs - from).toBeGreaterThan(wirePs)
  expect(pair.a.log).toEqual(['1:0', '2:0'])
})

test('timeouts are those of the connection, and IRN is the recovery of its mode', () => {
  const timeouts = (['roce', 'irn'] as const).map(
    (mode) => liveSchemes({}, values({ mode }), ORDER).senderOptions('requests').ackTimeoutPs,
  )
  expect(timeouts).toEqual([67_108_864_000, 67_108_864_000])
  expect(liveSchemes({}, values({ ackTimeoutPs: null }), ORDER).senderOptions('requests').ackTimeoutPs).toBeNull()
})
