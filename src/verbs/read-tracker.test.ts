/** Responses of READs and atomics, one by one: which are taken, where they go, what is said to them. */
import { describe, expect, test } from 'vitest'
import {
  ATOMIC_ACKNOWLEDGE,
  READ_ACK,
  READ_NACK,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
  SEND_ONLY,
} from '../wire/opcodes.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from './connection-values.ts'
import { OP_FETCH_ADD, OP_READ } from './operation.ts'
import { VerbsPacket } from './packet.ts'
import { READ_IGNORED, READ_PLACED, READ_REFUSED, ReadTracker } from './read-tracker.ts'
import { SendQueue } from './send-queue.ts'
import { BAD_RESPONSE } from './status.ts'

const MTU = 1024

/** READs of these sizes, and atomics where the size is "word"; those that are issued are known to the tracker. */
function tracking(sizes: readonly (number | 'word')[], values: Partial<ConnectionValues> = {}, issued = sizes.length) {
  const all = { ...CONNECTION_DEFAULTS, remoteQp: 2, ...values }
  const tracker = new ReadTracker(all)
  const queue = new SendQueue({ capacity: 16, mtuBytes: MTU, firstPsn: all.sendPsn, isIrn: all.mode === 'irn' })
  sizes.forEach((size, id) => {
    if (size === 'word') queue.post({ id, operation: OP_FETCH_ADD }, false)
    else queue.post({ id, operation: OP_READ, lengthBytes: size }, false)
    if (id < issued) tracker.onIssued(queue.at(id))
  })
  return tracker
}

function response(psn: number, payloadBytes: number, fields: Partial<VerbsPacket> = {}): VerbsPacket {
  // Either may stand at the beginning of what is asked for.
  const opcode = payloadBytes === MTU ? READ_RESPONSE_FIRST : READ_RESPONSE_ONLY
  return Object.assign(new VerbsPacket(MTU), { opcode, psn, payloadBytes }, fields)
}

describe('RoCE: responses in order or not at all', () => {
  test('a READ is done with its last one, and an answer reaches no further than what has come', () => {
    const tracker = tracking([2000, 8])
    const at = (psn: number, bytes: number): number => tracker.onSharedResponse(psn, response(psn, bytes))
    expect([tracker.bound(9), at(1, 976), at(0, MTU), tracker.bound(9), tracker.done]).toEqual([
      0,
      READ_IGNORED,
      READ_PLACED,
      1,
      0,
    ])
    expect([at(1, 976), tracker.done, tracker.bound(9), at(2, 8), tracker.done]).toEqual([
      READ_PLACED,
      1,
      2,
      READ_PLACED,
      2,
    ])
    expect([tracker.bound(9), at(3, 8)]).toEqual([9, READ_IGNORED])
  })

  test('one of the wrong length, or of another kind, ends its request', () => {
    for (const wrong of [response(0, MTU - 1), response(0, MTU, { opcode: SEND_ONLY })]) {
      const tracker = tracking([2000])
      expect([tracker.onSharedResponse(0, wrong), tracker.refused?.id]).toEqual([READ_REFUSED, 0])
    }
    const word = tracking(['word'])
    expect([word.onSharedResponse(0, response(0, 8)), word.refused?.id]).toEqual([READ_REFUSED, 0])
    const good = response(0, 0, { opcode: ATOMIC_ACKNOWLEDGE })
    const other = tracking(['word'])
    expect([other.onSharedResponse(0, good), other.done, other.refused]).toEqual([READ_PLACED, 1, null])
  })

  test('with byte sequence numbers each is acknowledged, and the bytes are those in order (S4 3.1)', () => {
    const tracker = tracking([3000], { lsnWindowBytes: 10_000 })
    const hear = (psn: number, lsn: number): unknown[] => {
      tracker.reply = 0
      tracker.onSharedResponse(psn, response(psn, MTU, { lsn }))
      return [tracker.reply, tracker.replyPsn, tracker.lsn]
    }
    expect(hear(1, 2 ** 32 - 500).slice(0, 2)).toEqual([READ_ACK, 2])
    expect(Math.abs(tracker.lsn)).toBe(0)
    expect(hear(0, 2 ** 32 - 500)).toEqual([READ_ACK, 1, MTU - 500])
    expect(hear(0, 77)).toEqual([READ_ACK, 1, MTU - 500])
  })

  test('without them nothing is said', () => {
    const tracker = tracking([3000])
    tracker.onSharedResponse(0, response(0, MTU))
    expect([tracker.reply, tracker.receiver]).toEqual([0, null])
  })
})

test('the opcode of a response fits its place, counted from where the READ was asked for (again)', () => {
  const [first, middle, last, only] = [
    READ_RESPONSE_FIRST,
    READ_RESPONSE_MIDDLE,
    READ_RESPONSE_LAST,
    READ_RESPONSE_ONLY,
  ]
  const takes = (...opcodes: readonly number[]): boolean => {
    const tracker = tracking([2 * MTU + 8])
    return opcodes.every((opcode, psn) => {
      const verdict = tracker.onSharedResponse(psn, response(psn, psn === 2 ? 8 : MTU, { opcode }))
      expect(verdict === READ_PLACED || tracker.refusedStatus === BAD_RESPONSE).toBe(true)
      return verdict === READ_PLACED
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
})

describe('IRN: responses have a space of their own', () => {
  const irn = { mode: 'irn', sendPsn: 100 } as const

  test('they are placed as they come, answered each, and READs are done in order', () => {
    const tracker = tracking([2000, 'word', 8], irn)
    const heard = (
      [
        [103, 8, {}],
        [101, 976, {}],
        [103, 8, {}],
        [102, 0, { opcode: ATOMIC_ACKNOWLEDGE }],
        [100, MTU, {}],
        [100, MTU, {}],
      ] as const
    ).map(([psn, bytes, fields]) => {
      const verdict = tracker.onSeparateResponse(response(psn, bytes, fields))
      return [verdict, tracker.reply, tracker.replyPsn, tracker.replySack, tracker.done]
    })
    expect(heard).toEqual([
      [READ_PLACED, READ_NACK, 100, 103, 0],
      [READ_PLACED, READ_NACK, 100, 101, 0],
      [READ_PLACED, READ_NACK, 100, 103, 0],
      [READ_PLACED, READ_NACK, 100, 102, 0],
      [READ_PLACED, READ_ACK, 104, 100, 3],
      [READ_PLACED, READ_ACK, 104, 100, 3],
    ])
  })

  test('what nobody asked for yet is not taken, nor what lies beyond the bitmap', () => {
    const tracker = tracking([2000, 8], irn, 1)
    const verdicts = [102, 100 + 127, 100 + 128, 100 + 500].map((psn) => tracker.onSeparateResponse(response(psn, 8)))
    expect([...verdicts, tracker.reply]).toEqual([READ_IGNORED, READ_IGNORED, READ_IGNORED, READ_IGNORED, 0])
    expect(tracker.receiver!.place(102)).toBe(tracker.receiver!.place(101))
  })

  test('one of the wrong length ends its request, and is not taken', () => {
    const tracker = tracking([2000, 8], irn)
    expect([tracker.onSeparateResponse(response(102, 9)), tracker.refused?.id, tracker.reply]).toEqual([
      READ_REFUSED,
      1,
      0,
    ])
    expect(tracker.onSeparateResponse(response(102, 8))).toBe(READ_PLACED)
  })
})

test('a request that is sent again is no new one', () => {
  const tracker = tracking([8, 8])
  const queue = new SendQueue({ capacity: 4, mtuBytes: MTU, firstPsn: 0, isIrn: false })
  queue.post({ id: 7, operation: OP_READ, lengthBytes: 8 }, false)
  tracker.onIssued(queue.at(0))
  expect(tracker.issued).toBe(2)
})
