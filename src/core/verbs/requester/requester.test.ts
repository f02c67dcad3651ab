/** A requester that receives ACKs, NAKs and responses one by one: its packets, completions and failures. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS, US } from '../../base/params.ts'
import { CNP } from '../../transport/segment.ts'
import {
  SYNDROME_ACK_UNLIMITED,
  SYNDROME_PSN_ERROR as OUT_OF_ORDER,
  SYNDROME_REMOTE_ACCESS as NO_ACCESS,
  SYNDROME_RESERVED,
  SYNDROME_RNR as NOT_READY,
} from '../../wire/aeth.ts'
import {
  READ_RESPONSE_FIRST as FIRST,
  READ_RESPONSE_LAST as LAST,
  READ_RESPONSE_MIDDLE as MIDDLE,
  READ_RESPONSE_ONLY as ONLY,
} from '../../wire/opcodes.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from '../connection/values.ts'
import { OP_READ, OP_SEND, OP_SEND_INVALIDATE, OP_WRITE } from '../queues/operation.ts'
import { VerbsPacket } from '../packet.ts'
import { Bench, MTU } from './requester.test-bench.ts'
import { LOCAL_LENGTH_ERROR, REMOTE_ACCESS_ERROR, RETRY_EXCEEDED, RNR_RETRY_EXCEEDED } from '../queues/status.ts'

describe.each(['roce', 'irn'] as const)('%s', (mode) => {
  const benchOf = (values: Partial<ConnectionValues> = {}): Bench => new Bench({ mode, ...values })

  test('an ACK of a PSN that was never sent is ignored', () => {
    const bench = benchOf()
    bench.post(OP_WRITE, 3)
    expect(bench.psns(1)).toEqual([0])
    bench.ack(2, 1)
    expect([bench.requester.una, bench.requester.msn, bench.done]).toEqual([0, 0, []])
    expect(bench.psns()).toEqual([1, 2])
    bench.ack(2, 1)
    expect(bench.done).toEqual([0])
  })

  test('of ACKs and NAKs near the last PSN sent, those of later PSNs are ignored', () => {
    for (const beyond of [-2, -1, 0, 1, 2]) {
      const bench = benchOf()
      for (let id = 0; id < 6; id++) bench.post(OP_WRITE)
      expect(bench.psns(3)).toEqual([0, 1, 2])
      const before = [bench.requester.una, bench.requester.msn, bench.requester.rnrNaks]
      const heard = (): boolean =>
        String([bench.requester.una, bench.requester.msn, bench.requester.rnrNaks]) !== String(before) ||
        bench.done.length + bench.failed.length > 0
      bench.ack(2 + beyond, 3 + beyond)
      expect([beyond, heard()]).toEqual([beyond, beyond <= 0])
      if (beyond <= 0) continue
      // A NAK carries the expected PSN: one more is valid.
      bench.nak(NOT_READY, 3 + beyond, 3 + beyond)
      bench.nak(NO_ACCESS, 3 + beyond, 3 + beyond)
      bench.nak(OUT_OF_ORDER, 3 + beyond, 3 + beyond, { sackPsn: 4 + beyond })
      expect([beyond, heard(), bench.psns()]).toEqual([beyond, false, [3, 4, 5]])
    }
  })

  test('a stale ACK or NAK neither counts messages nor refuses any', () => {
    const bench = benchOf()
    bench.post(OP_WRITE, 3)
    bench.post(OP_WRITE)
    bench.sends()
    bench.ack(1, 0)
    bench.ack(0, 1)
    bench.nak(NO_ACCESS, 1, 0)
    bench.nak(NOT_READY, 1, 0)
    expect([bench.requester.msn, bench.requester.rnrNaks, bench.failed]).toEqual([0, 0, []])
    bench.nak(NO_ACCESS, 2, 0)
    expect(bench.failed).toEqual([`0:${REMOTE_ACCESS_ERROR}`])
  })

  test('a CNP and a reserved syndrome acknowledge nothing (IBTA table 44)', () => {
    const bench = benchOf()
    bench.post(OP_WRITE)
    bench.sends()
    const cnp = Object.assign(new VerbsPacket(MTU), { kind: CNP, syndrome: SYNDROME_ACK_UNLIMITED, psn: 0, msn: 1 })
    bench.requester.onSegment(0, cnp)
    for (const syndrome of [SYNDROME_RESERVED, OUT_OF_ORDER - 1]) bench.nak(syndrome, 0, 1)
    const { requester } = bench
    expect([requester.msn, requester.rnrNaks, bench.psns(), bench.failed]).toEqual([0, 0, [], []])
  })

  test('it is idle when all is acknowledged, or after a failure', () => {
    const bench = benchOf()
    const idle = [bench.requester.isIdle]
    const note = (act: () => void): number => {
      act()
      return idle.push(bench.requester.isIdle)
    }
    note(() => bench.post(OP_WRITE, 2))
    note(() => bench.sends())
    note(() => bench.ack(0, 0))
    note(() => bench.ack(1, 1))
    note(() => bench.post(OP_WRITE))
    note(() => bench.requester.close())
    expect(idle).toEqual([true, false, false, false, true, false, true])
  })

  test('each PSN belongs to a message', () => {
    const bench = benchOf()
    for (const [operation, packets] of [
      [OP_WRITE, 3],
      [OP_READ, 2],
      [OP_WRITE, 2],
    ] as const) {
      bench.post(operation, packets)
    }
    expect([0, 2, 3, 4, 5].map((psn) => bench.requester.firstPsnOf(psn))).toEqual([0, 0, 3, 4, 4])
  })

  test('the MSN only grows, and not beyond the posted messages', () => {
    const bench = benchOf()
    for (const operation of [OP_WRITE, OP_WRITE, OP_WRITE] as const) bench.post(operation)
    bench.sends()
    const heard = [1, 0, 4, 2].map((msn) => {
      bench.ack(1, msn)
      return bench.requester.msn
    })
    expect(heard).toEqual([1, 1, 1, 2])
  })

  test('retries are counted in a row: progress restarts the count', () => {
    const bench = benchOf({ retryLimit: 1 })
    bench.post(OP_WRITE, 5)
    bench.sends()
    for (const psn of [0, 1, 2]) {
      expect([bench.timeout()[0], bench.failed]).toEqual([psn, []])
      bench.ack(psn, 0)
    }
    expect(bench.timeout()[0]).toBe(3)
    // No progress.
    bench.ack(2, 0)
    bench.timeout()
    expect(bench.failed).toEqual([`0:${RETRY_EXCEEDED}`])
  })

  test('so are RNR NAKs', () => {
    const bench = benchOf({ rnrRetryLimit: 1, initialCredits: 5 })
    for (let id = 0; id < 3; id++) bench.post(OP_SEND)
    bench.sends()
    for (const psn of [0, 1, 2]) {
      bench.nak(NOT_READY + 1, psn, psn)
      bench.nowPs += 10 * US
      bench.requester.onTimeout(bench.nowPs)
      expect([bench.psns()[0], bench.failed]).toEqual([psn, []])
    }
    bench.nak(NOT_READY + 1, 2, 2)
    expect([bench.done, bench.failed]).toEqual([[0, 1], [`2:${RNR_RETRY_EXCEEDED}`]])
  })

  test('an ACK with progress restarts their count, one without does not', () => {
    const bench = benchOf({ rnrRetryLimit: 1, initialCredits: 5 })
    bench.post(OP_SEND)
    bench.post(OP_SEND)
    bench.sends()
    const notReady = (psn: number): string[] => {
      bench.nak(NOT_READY + 1, psn, psn)
      if (bench.failed.length > 0) return bench.failed
      bench.wait(bench.requester)
      bench.sends()
      return []
    }
    expect(notReady(0)).toEqual([])
    bench.ack(0, 1)
    expect(notReady(1)).toEqual([])
    bench.ack(0, 1)
    expect(notReady(1)).toEqual([`1:${RNR_RETRY_EXCEEDED}`])
  })

  test('one of a later message counts, though the wait for an earlier is not over', () => {
    const bench = benchOf({ initialCredits: 5 })
    for (let id = 0; id < 3; id++) bench.post(OP_SEND)
    bench.sends()
    bench.nak(NOT_READY + 1, 0, 0)
    bench.nowPs = 5 * US
    bench.nak(NOT_READY + 1, 2, 2)
    const { requester } = bench
    expect([requester.rnrNaks, requester.una, requester.nextTimeoutPs, bench.done]).toEqual([2, 2, 15 * US, [0, 1]])
  })

  test('a duplicate RNR NAK neither counts nor extends the wait', () => {
    const bench = benchOf({ rnrRetryLimit: 1, initialCredits: 5 })
    bench.post(OP_WRITE)
    bench.post(OP_SEND)
    bench.sends()
    const hear = (): unknown[] => {
      bench.nak(NOT_READY + 1, 1, 1)
      return [bench.requester.nextTimeoutPs, bench.requester.rnrNaks, bench.failed]
    }
    expect(hear()).toEqual([10 * US, 1, []])
    bench.nowPs = 5 * US
    expect(hear()).toEqual([10 * US, 1, []])
    bench.nowPs = 10 * US
    bench.requester.onTimeout(bench.nowPs)
    expect(bench.psns()).toEqual([1])
    expect(hear()[2]).toEqual([`1:${RNR_RETRY_EXCEEDED}`])
  })

  test('code 0 of an RNR NAK is the longest wait, and nothing leaves before its end', () => {
    const bench = benchOf({ initialCredits: 5 })
    bench.post(OP_SEND)
    bench.post(OP_SEND)
    bench.sends()
    bench.nak(NOT_READY, 0, 0)
    const { requester } = bench
    expect([requester.nextTimeoutPs, requester.nextSendPs, bench.psns()]).toEqual([655_360 * US, NEVER_PS, []])
    requester.onTimeout(655_360 * US - 1)
    expect(bench.psns()).toEqual([])
    requester.onTimeout(655_360 * US)
    expect([bench.psns(), requester.retransmissions, bench.failed]).toEqual([[0, 1], 2, []])
  })

  test('while the send queue drains, the first packet of a message may be sent again', () => {
    const bench = benchOf()
    bench.post(OP_WRITE)
    bench.sends()
    bench.mayBegin = false
    bench.post(OP_WRITE)
    expect([bench.timeout(), bench.psns()]).toEqual([[0], []])
  })

  test('a WRITE does not wait for outstanding READs, another READ does', () => {
    const bench = benchOf({ readsOut: 1 })
    for (const operation of [OP_READ, OP_WRITE, OP_READ] as const) bench.post(operation)
    expect(bench.psns()).toEqual([0, 1])
    bench.response(ONLY, 0, 1)
    expect(bench.psns()).toEqual([2])
  })

  test('a READ response of the wrong length fails its READ', () => {
    const bench = benchOf()
    bench.post(OP_READ, 2)
    bench.post(OP_READ)
    bench.sends()
    bench.response(FIRST, 0, 1)
    bench.response(LAST, 1, 1, MTU - 1)
    expect([bench.done, bench.failed]).toEqual([[], [`0:${LOCAL_LENGTH_ERROR}`]])
  })
})

describe('credits', () => {
  const CREDITS_6 = 5
  const CREDITS_2 = 2

  test('that were advertised stay, though an ACK rounds them down', () => {
    const bench = new Bench({ initialCredits: 8 })
    for (let id = 0; id < 12; id++) bench.post(OP_SEND)
    expect(bench.psns(1)).toEqual([0])
    // Seven are left: there is a code for six and one for eight.
    bench.nak(CREDITS_6, 0, 1)
    expect(bench.psns()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  test('also come with an ACK without any other progress', () => {
    const bench = new Bench()
    for (let id = 0; id < 5; id++) bench.post(OP_SEND)
    expect(bench.psns()).toEqual([0])
    bench.nak(0, 0, 1)
    expect(bench.psns()).toEqual([1])
    bench.nak(CREDITS_2, 0, 1)
    // Two more than the first, and a probe.
    expect(bench.psns()).toEqual([2, 3])
  })

  test('are not computed from an MSN of completed requests', () => {
    const bench = new Bench()
    for (let id = 0; id < 4; id++) bench.post(OP_SEND)
    expect(bench.psns()).toEqual([0])
    bench.nak(0, 0, 0)
    bench.nak(CREDITS_2, 0, 0)
    expect([bench.done, bench.psns()]).toEqual([[0], []])
  })
})

describe('IRN', () => {
  test('a message is complete by the MSN, not by the PSN ([IRN] 5.3.3)', () => {
    const bench = new Bench({ mode: 'irn' })
    bench.post(OP_WRITE)
    bench.post(OP_WRITE)
    bench.sends()
    bench.ack(0, 0)
    expect(bench.done).toEqual([])
    bench.ack(0, 1)
    expect(bench.done).toEqual([0])
  })

  describe('an acknowledged READ', () => {
    const RTO_HIGH = CONNECTION_DEFAULTS.selectiveRepeat.rtoHighPs
    const reading = (values: Partial<ConnectionValues>): Bench => {
      const bench = new Bench({ mode: 'irn', ...values })
      bench.post(OP_READ, 3)
      bench.post(OP_WRITE)
      bench.sends()
      expect(bench.requester.reads.nextTimeoutPs).toBe(NEVER_PS)
      bench.ack(0, 1)
      return bench
    }

    test('has a deadline, which the next response extends; ACKs of others and duplicates do not', () => {
      const bench = reading({})
      const { reads } = bench.requester
      const deadlineAfter = (timePs: number, act: () => void): number => {
        bench.nowPs = timePs
        act()
        return reads.nextTimeoutPs
      }
      expect(reads.nextTimeoutPs).toBe(RTO_HIGH)
      expect([
        deadlineAfter(10 * US, () => bench.response(FIRST, 0, 1)),
        deadlineAfter(20 * US, () => bench.ack(1, 2)),
        deadlineAfter(30 * US, () => bench.response(FIRST, 0, 1)),
      ]).toEqual([10 * US + RTO_HIGH, 10 * US + RTO_HIGH, 10 * US + RTO_HIGH])
      bench.said()
      // The responder has its own timeout: it gets a READ-ACK, and the wait begins again.
      expect([bench.lateResponse(), reads.timeouts, bench.nowPs]).toEqual([['ACK 0'], 1, 10 * US + RTO_HIGH])
      deadlineAfter(400 * US, () => bench.response(LAST, 2, 1))
      deadlineAfter(410 * US, () => bench.response(MIDDLE, 1, 1))
      expect([reads.nextTimeoutPs, bench.done, bench.failed]).toEqual([NEVER_PS, [0, 1], []])
    })

    test('fails when too many in a row have expired', () => {
      const bench = reading({ retryLimit: 1 })
      bench.requester.reads.onTimeout(1)
      expect(bench.requester.reads.timeouts).toBe(0)
      bench.lateResponse()
      bench.response(FIRST, 0, 1)
      bench.lateResponse()
      expect([bench.failed, bench.requester.reads.timeouts]).toEqual([[], 2])
      bench.lateResponse()
      expect(bench.failed).toEqual([`0:${RETRY_EXCEEDED}`])
    })

    test('waits forever without a limit or without timeouts', () => {
      const patient = reading({ retryLimit: null })
      for (let k = 0; k < 20; k++) patient.lateResponse()
      expect(patient.failed).toEqual([])
      const silent = reading({ selectiveRepeat: { ...CONNECTION_DEFAULTS.selectiveRepeat, rtoLowPs: null } })
      expect(silent.requester.reads.nextTimeoutPs).toBe(NEVER_PS)
    })
  })

  test('a SEND with invalidate waits for the responses of a READ, not only for the ACK of its request ([IRN] B.5)', () => {
    const bench = new Bench({ mode: 'irn', initialCredits: 1 })
    bench.post(OP_READ)
    bench.post(OP_SEND_INVALIDATE)
    expect(bench.psns()).toEqual([0])
    bench.ack(0, 1)
    expect(bench.psns()).toEqual([])
    bench.response(ONLY, 0, 1)
    expect(bench.psns()).toEqual([1])
  })
})
