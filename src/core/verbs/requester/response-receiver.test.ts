/** Responses of READs and atomics, one by one: which are accepted, where they are placed, how they are acknowledged. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS } from '../../base/params.ts'
import { ACK, DATA, READ_REQUEST, RETRANSMITTED } from '../../transport/segment.ts'
import { SYNDROME_ACK_UNLIMITED } from '../../wire/aeth.ts'
import {
  ATOMIC_ACKNOWLEDGE,
  FETCH_ADD,
  READ_ACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
  SEND_ONLY,
} from '../../wire/opcodes.ts'
import { OP_FETCH_ADD, OP_READ, OP_WRITE } from '../queues/operation.ts'
import { VerbsPacket } from '../packet.ts'
import { MTU, responseOf } from './requester.test-bench.ts'
import { Bench, TIMEOUT } from './response-receiver.test-bench.ts'
import { BAD_RESPONSE, LOCAL_LENGTH_ERROR, LOCAL_PROTECTION_ERROR } from '../queues/status.ts'

describe('RoCE: responses are accepted in order only', () => {
  test('a READ is complete with its last one', () => {
    const bench = new Bench([2000, 8])
    const { responses } = bench
    const doneAfter = (psn: number, bytes: number): number => {
      bench.hear(psn, bytes)
      return responses.done
    }
    expect([doneAfter(1, 976), doneAfter(0, MTU), doneAfter(1, 976), doneAfter(2, 8), doneAfter(3, 8)]).toEqual([
      0, 0, 1, 2, 2,
    ])
    expect([responses.expectedPsn, bench.bad, bench.wholes]).toEqual([3, [], 2])
  })

  test('any response shows that its request was executed, unless the request is complete', () => {
    const bench = new Bench([2000, 8, 8], {}, 2)
    for (const [psn, bytes] of [
      [2, 8],
      [0, MTU],
      [0, MTU],
      [1, 976],
      [1, 976],
      // Not requested yet.
      [3, 8],
    ] as const) {
      bench.hear(psn, bytes)
    }
    expect([bench.answered, bench.looks]).toEqual([[1, 0, 0, 0], 6])
  })

  test('one of the wrong length or kind fails its request and is not accepted', () => {
    const wrong = [responseOf(READ_RESPONSE_FIRST, 0, { payloadBytes: MTU - 1 }), responseOf(SEND_ONLY, 0)]
    const ends = wrong.map((packet) => {
      const bench = new Bench([2000])
      bench.responses.onSegment(0, packet)
      expect([bench.responses.expectedPsn, bench.said()]).toEqual([0, []])
      return bench.bad
    })
    expect(ends).toEqual([[`0:${LOCAL_LENGTH_ERROR}`], [`0:${BAD_RESPONSE}`]])
    const word = new Bench(['word'])
    word.hear(0, 8)
    expect(word.bad).toEqual([`0:${BAD_RESPONSE}`])
    const other = new Bench(['word'])
    other.hear(0, 0, { opcode: ATOMIC_ACKNOWLEDGE })
    expect([other.responses.done, other.bad]).toEqual([1, []])
  })

  test('only the next one is checked', () => {
    const bench = new Bench([3 * MTU])
    bench.hear(0, MTU)
    bench.hear(0, MTU - 1)
    bench.hear(2, MTU - 1)
    expect(bench.bad).toEqual([])
  })

  test('missing responses are requested at once, from the first on', () => {
    const bench = new Bench([2500, 8])
    bench.hear(0, MTU)
    bench.responses.onSegment(0, responseOf(READ_RESPONSE_LAST, 2, { payloadBytes: 452 }))
    const out = Object.assign(new VerbsPacket(MTU), { isAckRequested: true })
    expect(bench.poll(out)).toBe(true)
    const index = { psn: 1, virtualAddress: 5000 + MTU, lengthBytes: 2500 - MTU, key: 33, destinationQp: 2 }
    expect(out).toMatchObject({ ...index, kind: READ_REQUEST, opcode: READ_REQUEST_OPCODE, isAckRequested: false })
    expect([out.flags, bench.poll(out)]).toEqual([RETRANSMITTED, false])
    // Likewise for a READ after others.
    bench.hear(1, MTU, { opcode: READ_RESPONSE_MIDDLE })
    bench.hear(2, 452)
    bench.responses.onExecuted(0, 2, true)
    expect(bench.poll(out)).toBe(true)
    expect(out).toMatchObject({ psn: 3, virtualAddress: 5000, lengthBytes: 8 })
  })

  test('an atomic whose acknowledgement is missing is requested unchanged', () => {
    const bench = new Bench(['word', 8])
    bench.responses.onSegment(0, responseOf(READ_RESPONSE_ONLY, 1, { payloadBytes: 8 }))
    const out = new VerbsPacket(MTU)
    expect([bench.poll(out), out.opcode, out.psn, out.virtualAddress]).toEqual([true, FETCH_ADD, 0, 5000])
  })

  test('with byte sequence numbers each is acknowledged, with the bytes received in order ([LDCP] 3.1)', () => {
    const bench = new Bench([3000], { lsnWindowBytes: 10_000 })
    const out = new VerbsPacket(MTU)
    const hear = (psn: number, lsn: number): unknown[] => {
      bench.responses.onSegment(0, responseOf(READ_RESPONSE_FIRST, psn, { lsn }))
      return bench.poll(out) && out.kind === ACK ? [out.opcode, out.syndrome, out.psn, out.lsn, out.msn] : [out.kind]
    }
    expect(hear(1, 2 ** 32 - 500)).toEqual([READ_REQUEST])
    expect(Math.abs(out.lsn)).toBe(0)
    expect(hear(0, 2 ** 32 - 500)).toEqual([READ_ACK, SYNDROME_ACK_UNLIMITED, 0, MTU - 500, 0])
    // A duplicate is acknowledged again, and its bytes are not counted again.
    expect(hear(0, 77)).toEqual([READ_ACK, SYNDROME_ACK_UNLIMITED, 0, MTU - 500, 0])
  })

  test('without them responses in order trigger nothing', () => {
    const bench = new Bench([3000])
    expect([bench.hear(0, MTU), bench.hear(0, MTU)]).toEqual([[], []])
  })

  test('the last response accepted is known by its PSN on the wire', () => {
    const bench = new Bench([2000], {}, 1)
    bench.queue.post({ id: 1, operation: OP_WRITE, lengthBytes: 3 * MTU }, false)
    bench.responses.onIssued(bench.queue.post({ id: 2, operation: OP_READ, lengthBytes: 2 * MTU }, false))
    const wire = [
      [0, MTU],
      [1, 976],
      [2, MTU],
    ].map(([psn, bytes]) => {
      bench.hear(psn!, bytes!)
      return bench.responses.takenWirePsn
    })
    expect(wire).toEqual([0, 1, 5])
  })
})

describe('payload is placed', () => {
  test('of a READ, packet by packet; without bytes the memory does not change', () => {
    const bench = new Bench([MTU + 3])
    const full = responseOf(READ_RESPONSE_FIRST, 0, { hasPayload: true })
    full.payload.fill(7)
    bench.responses.onSegment(0, full)
    const last = responseOf(READ_RESPONSE_LAST, 1, { hasPayload: true, payloadBytes: 3 })
    last.payload.fill(8)
    bench.responses.onSegment(0, last)
    const at = [0, MTU - 1, MTU, MTU + 2, MTU + 3].map((offset) => bench.region.bytes![offset])
    expect(at).toEqual([7, 7, 8, 8, 0])
    const counted = new Bench([MTU])
    const packet = responseOf(READ_RESPONSE_ONLY, 0)
    packet.payload.fill(9)
    counted.responses.onSegment(0, packet)
    expect([counted.responses.done, counted.region.bytes![0]]).toEqual([1, 0])
  })

  test('of an atomic: the original value', () => {
    const bench = new Bench(['word'])
    bench.hear(0, 0, { opcode: ATOMIC_ACKNOWLEDGE, swapHigh: 5, swapLow: 6 })
    const { region } = bench
    expect([region.high(region.address), region.low(region.address)]).toEqual([5, 6])
  })

  test('of a request without memory: nowhere', () => {
    const bench = new Bench([])
    bench.responses.onIssued(bench.queue.post({ id: 0, operation: OP_READ, lengthBytes: 8 }, false))
    bench.responses.onIssued(bench.queue.post({ id: 1, operation: OP_FETCH_ADD }, false))
    bench.hear(0, 8, { hasPayload: true })
    bench.hear(1, 0, { opcode: ATOMIC_ACKNOWLEDGE })
    expect([bench.responses.done, bench.bad]).toEqual([2, []])
  })

  test('in memory that was invalidated: the request fails, unless it has no bytes', () => {
    const bench = new Bench([8])
    bench.device.invalidate(bench.region.key)
    bench.hear(0, 8)
    expect([bench.bad, bench.responses.done]).toEqual([[`0:${LOCAL_PROTECTION_ERROR}`], 0])
    const nothing = new Bench([0])
    nothing.device.invalidate(nothing.region.key)
    nothing.hear(0, 0)
    expect([nothing.bad, nothing.responses.done]).toEqual([[], 1])
  })
})

test('the opcode of a response fits its position, counted from where the READ was requested (again)', () => {
  const [first, middle, last, only] = [
    READ_RESPONSE_FIRST,
    READ_RESPONSE_MIDDLE,
    READ_RESPONSE_LAST,
    READ_RESPONSE_ONLY,
  ]
  const takes = (...opcodes: readonly number[]): boolean => {
    const bench = new Bench([2 * MTU + 8])
    return opcodes.every((opcode, psn) => {
      bench.hear(psn, psn === 2 ? 8 : MTU, { opcode })
      const isTaken = bench.responses.expectedPsn === psn + 1
      expect(bench.bad).toEqual(isTaken ? [] : [`0:${BAD_RESPONSE}`])
      return isTaken
    })
  }
  for (const good of [
    [first, middle, last],
    [first, first, last],
    [first, first, only],
    [first, middle, only],
  ]) {
    expect(takes(...good)).toBe(true)
  }
  for (const bad of [
    [middle],
    [last],
    [only],
    [first, last],
    [first, only],
    [first, middle, middle],
    [first, middle, first],
  ]) {
    expect(takes(...bad)).toBe(false)
  }
  const short = new Bench([8])
  short.hear(0, 8, { opcode: last })
  expect(short.bad).toEqual([`0:${BAD_RESPONSE}`])
})

describe('RoCE: the timeout of responses', () => {
  test('starts when their request is known to have been executed, and doubles each time', () => {
    const bench = new Bench([2000, 8])
    expect(bench.responses.nextTimeoutPs).toBe(NEVER_PS)
    bench.responses.onExecuted(0, 0, false)
    expect(bench.responses.nextTimeoutPs).toBe(NEVER_PS)
    bench.responses.onExecuted(0, 1, false)
    const waits = [1, 2, 3].map(() => {
      const sincePs = bench.nowPs
      expect(bench.expire()).toEqual(['READ 0'])
      return (bench.nowPs - sincePs) / TIMEOUT
    })
    expect(waits).toEqual([1, 2, 4])
  })

  test('fails the request after the agreed number', () => {
    const bench = new Bench([2000], { retryLimit: 1 })
    bench.responses.onExecuted(0, 1, false)
    expect([bench.expire(), bench.silences]).toEqual([['READ 0'], 0])
    expect([bench.expire(), bench.silences]).toEqual([[], 1])
    // Nothing more is accepted.
    expect([bench.hear(0, MTU), bench.answered, bench.looks, bench.responses.expectedPsn]).toEqual([[], [], 0, 0])
  })

  test('an ACK of requests after a READ leaves after its responses, and shows their loss (IBTA 9.7.5.1.4)', () => {
    const bench = new Bench([2000, 8])
    bench.responses.onExecuted(0, 1, false)
    expect(bench.said()).toEqual([])
    const reported = (psn: number): string[] => {
      bench.responses.onExecuted(0, psn, true)
      return bench.said()
    }
    expect([reported(1), reported(1), reported(2)]).toEqual([['READ 0'], [], []])
    bench.hear(0, MTU)
    expect([reported(2), reported(2)]).toEqual([['READ 1'], []])
    bench.hear(1, 976)
    expect(reported(2)).toEqual(['READ 2'])
    const other = new Bench([2000])
    other.hear(0, MTU)
    other.responses.onExecuted(0, 1, true)
    expect(other.said()).toEqual(['READ 1'])
    bench.hear(2, 8)
    expect(reported(2)).toEqual([])
  })

  test('a responder without a timeout gets no repeated acknowledgement', () => {
    const bench = new Bench([2000])
    bench.hear(0, MTU)
    bench.responses.repeatAck(0)
    expect(bench.said()).toEqual([])
  })
})

test('a request that is sent again is not a new one', () => {
  const bench = new Bench([8, 8])
  bench.responses.onIssued(bench.queue.at(0))
  expect(bench.responses.issued).toBe(2)
})

test('packets that are not responses are ignored: no READ is requested again', () => {
  const bench = new Bench([8])
  bench.responses.onSegment(0, Object.assign(responseOf(READ_RESPONSE_ONLY, 0, { payloadBytes: 8 }), { kind: ACK }))
  expect([bench.answered, bench.looks, bench.responses.done]).toEqual([[], 0, 0])
  bench.responses.onSegment(0, Object.assign(responseOf(READ_RESPONSE_ONLY, 0, { payloadBytes: 8 }), { kind: DATA }))
  expect([bench.answered, bench.looks, bench.responses.done]).toEqual([[0], 1, 1])
})
