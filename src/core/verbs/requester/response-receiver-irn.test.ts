/** Responses of READs and atomics in IRN mode: out-of-order arrival and acknowledgement. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS } from '../../base/params.ts'
import { SYNDROME_ACK_UNLIMITED, SYNDROME_PSN_ERROR } from '../../wire/aeth.ts'
import {
  ATOMIC_ACKNOWLEDGE,
  READ_ACK,
  READ_NACK,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
} from '../../wire/opcodes.ts'
import { CONNECTION_DEFAULTS } from '../connection/values.ts'
import { VerbsPacket } from '../packet.ts'
import { MTU, responseOf } from './requester.test-bench.ts'
import { Bench } from './response-receiver.test-bench.ts'
import { LOCAL_LENGTH_ERROR } from '../queues/status.ts'

describe('IRN: responses are accepted in any order, and acknowledged', () => {
  const irn = { mode: 'irn', sendPsn: 100 } as const
  const { rtoHighPs, bitmapBits } = CONNECTION_DEFAULTS.selectiveRepeat

  test('each is acknowledged, and READs complete in order', () => {
    const bench = new Bench([2000, 'word', 8], irn)
    const heard = (
      [
        [103, 8, {}],
        [101, 976, {}],
        [103, 8, {}],
        [102, 0, { opcode: ATOMIC_ACKNOWLEDGE }],
        [100, MTU, {}],
        [100, MTU, {}],
      ] as const
    ).map(([psn, bytes, fields]) => [...bench.hear(psn, bytes, fields), bench.responses.done])
    expect(heard).toEqual([
      ['NAK 100 103', 0],
      ['NAK 100 101', 0],
      ['NAK 100 103', 0],
      ['NAK 100 102', 0],
      ['ACK 103', 3],
      ['ACK 103', 3],
    ])
  })

  test('every field of a READ-NACK and READ-ACK is set, whatever the packet was before', () => {
    const bench = new Bench([2000], irn)
    const out = Object.assign(new VerbsPacket(MTU), { msn: 9, sackPsn: 77, lsn: 5 })
    bench.responses.onSegment(0, responseOf(READ_RESPONSE_LAST, 101, { payloadBytes: 976 }))
    expect(bench.poll(out)).toBe(true)
    const all = { msn: 0, destinationQp: 2, payloadBytes: 0 }
    expect(out).toMatchObject({ ...all, opcode: READ_NACK, syndrome: SYNDROME_PSN_ERROR, psn: 100, sackPsn: 101 })
    bench.responses.onSegment(0, responseOf(READ_RESPONSE_FIRST, 100))
    out.sackPsn = 77
    expect(bench.poll(out)).toBe(true)
    // A READ-ACK names no packet beyond the cumulative PSN.
    expect(out).toMatchObject({ ...all, opcode: READ_ACK, syndrome: SYNDROME_ACK_UNLIMITED, psn: 101, sackPsn: 101 })
  })

  test('responses not requested yet, or beyond the bitmap, are not accepted', () => {
    const bench = new Bench([2000, 8], irn, 1)
    const said = [99, 102, 100 + bitmapBits, 100 + 500].map((psn) => bench.hear(psn, 8))
    expect([said, bench.answered]).toEqual([[['ACK 99'], [], [], []], []])
    const long = new Bench([2 * bitmapBits * MTU], irn)
    const last = 100 + bitmapBits - 1
    expect([long.hear(last + 1, MTU), long.hear(last, MTU, { opcode: READ_RESPONSE_MIDDLE })]).toEqual([
      [],
      [`NAK 100 ${last}`],
    ])
  })

  test('one of the wrong length fails its request and is not accepted', () => {
    const bench = new Bench([2000, 8], irn)
    expect([bench.hear(102, 9), bench.bad]).toEqual([[], [`1:${LOCAL_LENGTH_ERROR}`]])
    expect([bench.hear(102, 8), bench.bad.length]).toEqual([['NAK 100 102'], 1])
    // Duplicates are not checked again.
    expect([bench.hear(102, 9), bench.bad.length]).toEqual([['NAK 100 102'], 1])
  })

  test('after a timeout it repeats its READ-ACK and requests nothing', () => {
    const bench = new Bench([2000, 8], irn)
    bench.responses.onExecuted(0, 101, true)
    expect(bench.responses.nextTimeoutPs).toBe(rtoHighPs)
    expect([bench.expire(), bench.responses.timeouts]).toEqual([['ACK 99'], 1])
    bench.hear(100, MTU)
    expect([bench.expire(), bench.responses.timeouts, bench.silences]).toEqual([['ACK 100'], 2, 0])
  })

  test('it sets no deadline when all due responses have arrived', () => {
    const bench = new Bench([8, 8], irn)
    bench.responses.onExecuted(0, 101, true)
    bench.hear(100, 8)
    expect(bench.responses.nextTimeoutPs).toBe(NEVER_PS)
    bench.responses.onExecuted(0, 102, true)
    expect(bench.responses.nextTimeoutPs).toBe(rtoHighPs)
  })

  test('a repeated READ-ACK carries the round-trip time without the wait since', () => {
    const bench = new Bench([2000], irn)
    bench.nowPs = 10
    bench.hear(100, MTU, { sentPs: 4 })
    bench.responses.repeatAck(1000)
    const answer = new VerbsPacket(0)
    expect(bench.responses.pollTransmit(1000, answer)).toBe(true)
    expect(answer.sentPs).toBe(1000 - 6)
  })

  test('it repeats its READ-ACK on demand', () => {
    const bench = new Bench([2000], irn)
    bench.hear(100, MTU)
    bench.responses.repeatAck(0)
    expect([bench.said(), bench.said()]).toEqual([['ACK 100'], []])
  })

  test('an ACK of requests after a READ shows no loss: it may overtake responses', () => {
    const bench = new Bench([8, 8], irn)
    bench.responses.onExecuted(0, 102, true)
    expect(bench.said()).toEqual([])
  })
})
