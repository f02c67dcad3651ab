/** Schemes without a network: loss recovery derived from the values of a connection. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS, US } from '../base/params.ts'
import { Segment } from '../transport/segment.ts'
import { Timers } from '../transport/timers.ts'
import { SYNDROME_PSN_ERROR as OUT_OF_ORDER } from '../wire/aeth.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues, type SelectiveRepeatValues } from './connection/values.ts'
import { OP_READ, OP_WRITE } from './queues/operation.ts'
import { Bench, MTU, TIMEOUT } from './requester/requester.test-bench.ts'
import { plainRecovery, plainSchemes } from './plain-schemes.ts'
import type { Schemes } from './schemes.ts'

const IRN = CONNECTION_DEFAULTS.selectiveRepeat
const irnWith = (given: Partial<SelectiveRepeatValues> = {}) =>
  ({ ...CONNECTION_DEFAULTS, mode: 'irn', selectiveRepeat: { ...IRN, ...given } }) as const

function schemesOf(given: Partial<ConnectionValues> = {}): Schemes {
  let orders = 0
  const numbers = { remoteQp: 2, sendPsn: 30, receivePsn: 70 }
  return plainSchemes({ ...CONNECTION_DEFAULTS, ...numbers, ...given }, { draw: () => ++orders })
}

describe('loss recovery', () => {
  test('of RoCE is go-back-N, with one NAK for each missing packet', () => {
    const { definition, values, timeoutPs } = plainRecovery({ ...CONNECTION_DEFAULTS, ackTimeoutPs: 7 * US })
    expect([definition.name, timeoutPs]).toEqual(['go-back-n', 7 * US])
    expect(values).toEqual({ nakInterval: null, nakGate: 'per-epsn', duplicates: 'acknowledge' })
    expect(plainRecovery({ ...CONNECTION_DEFAULTS, ackTimeoutPs: null }).timeoutPs).toBeNull()
  })

  test('of IRN is selective repeat with its longer timeout, or with none', () => {
    const { definition, values, timeoutPs } = plainRecovery(irnWith({ capPackets: 9, rtoLowPs: 5, rtoHighPs: 6 }))
    expect([definition.name, timeoutPs]).toEqual(['irn', 6])
    expect(values).toMatchObject({ bdpFlowControl: true, cap: 9, timeout: 'two-level', rtoLow: 5, resend: 'holes' })
    const silent = plainRecovery(irnWith({ rtoLowPs: null }))
    expect([silent.timeoutPs, (silent.values as { rtoLow: number }).rtoLow]).toEqual([null, NEVER_PS])
  })

  test('of IRN holds as many packets as agreed, even with a lower cap of its own', () => {
    const { definition, values } = plainRecovery(irnWith({ capPackets: 4, bitmapBits: 300 }))
    const context = { bdpPackets: 1, hasCwr: false }
    const receiver = definition.createReceiver(values, new Timers({ draw: () => 1 }), context)
    const takes = (psn: number) => receiver.onData(0, psn, new Segment())
    // Bitmaps have whole words.
    expect([takes(299), takes(600), receiver.holds(299)]).toEqual([true, false, true])
  })
})

describe('IRN values', () => {
  const benchOf = (given: Partial<SelectiveRepeatValues> = {}): Bench =>
    new Bench({ mode: 'irn', selectiveRepeat: { ...IRN, ...given } })

  test('the cap limits packets in flight, in IRN as in RoCE', () => {
    for (const bench of [benchOf({ capPackets: 7 }), new Bench({ capPackets: 7 })]) {
      bench.post(OP_WRITE, 20)
      expect(bench.psns(50)).toHaveLength(7)
    }
  })

  test('recovery starts after the agreed number of NACKs', () => {
    const bench = benchOf({ nackThreshold: 2 })
    bench.post(OP_WRITE, 4)
    bench.sends()
    bench.nak(OUT_OF_ORDER, 0, 0, { sackPsn: 1 })
    expect(bench.psns()).toEqual([])
    bench.nak(OUT_OF_ORDER, 0, 0, { sackPsn: 2 })
    expect(bench.psns()).toEqual([0])
  })

  test('a lost packet is fetched before it is sent again', () => {
    const bench = benchOf({ fetchDelayPs: 2 * US })
    bench.post(OP_WRITE, 2)
    bench.sends()
    bench.nak(OUT_OF_ORDER, 0, 0, { sackPsn: 1 })
    expect([bench.psns(), bench.requester.nextSendPs]).toEqual([[], 2 * US])
    bench.nowPs = 2 * US
    expect(bench.psns()).toEqual([0])
  })

  test('the short timeout applies to few packets in flight', () => {
    const waited = (packets: number): number => {
      const bench = benchOf({ rtoLowPs: 10 * US, rtoHighPs: 50 * US, rtoLowPackets: 2 })
      bench.post(OP_WRITE, packets)
      bench.sends()
      bench.timeout()
      return bench.nowPs / US
    }
    expect([waited(2), waited(3)]).toEqual([10, 50])
  })

  test('without timeouts no deadline is set', () => {
    for (const bench of [benchOf({ rtoLowPs: null }), new Bench({ ackTimeoutPs: null })]) {
      bench.post(OP_WRITE)
      bench.sends()
      expect([bench.requester.nextTimeoutPs, bench.requester.reads.nextTimeoutPs]).toEqual([NEVER_PS, NEVER_PS])
    }
  })
})

describe('a queue pair has two packet spaces to send in and two to receive', () => {
  test('requests and their responses start at the PSN of their requester', () => {
    for (const mode of ['roce', 'irn'] as const) {
      const schemes = schemesOf({ mode })
      const sent = (['requests', 'responses'] as const).map((kind) => schemes.senderOptions(kind).firstPsn)
      const heard = (['requests', 'responses'] as const).map((kind) => schemes.receiverOptions(kind).recovery.epsn)
      expect([sent, heard]).toEqual([
        [30, 70],
        [70, 30],
      ])
    }
  })

  test('requests are always acknowledged, responses in IRN and with byte sequence numbers', () => {
    const shown = (given: Partial<ConnectionValues>): unknown[] => {
      const schemes = schemesOf({ ackInterval: 5, ackTimeoutPs: TIMEOUT, ...given })
      const [requests, responses] = [schemes.senderOptions('requests'), schemes.senderOptions('responses')]
      const { acksReads, naksReads } = schemes.receiverOptions('responses')
      return [requests.ackInterval, responses.ackInterval, responses.ackTimeoutPs, acksReads, naksReads]
    }
    expect(shown({})).toEqual([5, 0, null, false, false])
    // The requester asks again: no timeouts here.
    expect(shown({ lsnWindowBytes: 9 * MTU })).toEqual([5, 1, null, true, false])
    expect(shown({ mode: 'irn' })).toEqual([5, 1, IRN.rtoHighPs, true, true])
  })

  test('RoCE requests have the agreed timeout, IRN requests their own', () => {
    const timeouts = (['roce', 'irn'] as const).map((mode) =>
      schemesOf({ mode, ackTimeoutPs: 7 }).senderOptions('requests'),
    )
    expect(timeouts.map(({ ackTimeoutPs }) => ackTimeoutPs)).toEqual([7, IRN.rtoHighPs])
  })

  test('a receiver of responses requests them again after the ACK timeout; a receiver of requests does not', () => {
    const schemes = schemesOf({ ackTimeoutPs: 7, retryLimit: 3 })
    const { isReader, readTimeout, retryLimit } = schemes.receiverOptions('responses')
    expect([isReader, readTimeout, retryLimit]).toEqual([true, { firstPs: 7, mostPs: 7 }, 3])
    expect(schemes.receiverOptions('requests').isReader).toBe(false)
    expect(schemesOf({ ackTimeoutPs: null }).receiverOptions('responses').readTimeout).toBeNull()
    expect([schemes.isInOrder, schemesOf({ mode: 'irn' }).isInOrder]).toEqual([true, false])
  })

  test('the byte window limits bytes in flight in either space', () => {
    const schemes = schemesOf({ lsnWindowBytes: 5000 })
    const windows = (['requests', 'responses'] as const).map((kind) => schemes.senderOptions(kind).windowBytes)
    expect([windows, schemesOf().senderOptions('requests').windowBytes]).toEqual([[5000, 5000], null])
  })
})

test('packets take no time: all that may leave leaves at once', () => {
  const bench = new Bench({ mode: 'irn' })
  bench.post(OP_WRITE, 100)
  bench.post(OP_READ)
  expect(bench.psns(200)).toHaveLength(101)
  expect(bench.nowPs).toBe(0)
})
