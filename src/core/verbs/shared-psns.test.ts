/** PSNs on the wire of RoCE: those of requests, responses, ACKs and NAKs, and their meaning at either end. */
import { describe, expect, test } from 'vitest'
import { ACK, DATA, NAK, READ_REQUEST, type SegmentKind } from '../transport/segment.ts'
import {
  ACKNOWLEDGE,
  ATOMIC_ACKNOWLEDGE,
  FETCH_ADD,
  READ_ACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
  WRITE_ONLY,
} from '../wire/opcodes.ts'
import type { ConnectionValues } from './connection/values.ts'
import { OP_FETCH_ADD, OP_READ, OP_WRITE } from './queues/operation.ts'
import { VerbsPacket } from './packet.ts'
import { Connection, type End, MTU } from './shared-psns.test-bench.ts'

/** Meaning of a PSN on the wire to that end: kind and PSN, or null if it belongs to no request. */
function heardBy(
  end: End,
  opcode: number,
  psn: number,
  kind: SegmentKind = DATA,
): readonly [SegmentKind, number] | null {
  const packet = Object.assign(new VerbsPacket(MTU), { opcode, psn, kind })
  return end.psns.fromWire(packet) ? [packet.kind, packet.psn] : null
}

describe('a READ takes as many PSNs as it has responses', () => {
  test('its request carries the first, each response its own, and the next request the one after them', () => {
    const one = new Connection()
    one.post(OP_WRITE, 2)
    one.post(OP_READ, 3)
    one.post(OP_FETCH_ADD)
    one.post(OP_READ)
    one.post(OP_WRITE)
    expect(one.requests()).toEqual([10, 11, 12, 15, 16, 17])
    expect(one.responses()).toEqual([12, 13, 14, 15, 16])
    expect([one.answers(), one.near.done]).toEqual([['ACK 17'], 5])
  })

  test("an ACK of a later request carries that request's PSN", () => {
    const one = new Connection()
    one.post(OP_READ, 3)
    one.post(OP_WRITE)
    expect([one.requests(), one.responses(), one.answers()]).toEqual([[10, 13], [10, 11, 12], ['ACK 13']])
    one.post(OP_WRITE)
    expect([one.requests(), one.answers(), one.near.done]).toEqual([[14], ['ACK 14'], 3])
  })

  test('an ACK of a READ carries the PSN of its last response, a NAK that of its first', () => {
    const { near, far } = readsAndWrites()
    const sayOf = (kind: SegmentKind, psn: number): number => {
      const packet = Object.assign(new VerbsPacket(MTU), { opcode: ACKNOWLEDGE, kind, psn, sackPsn: 5 })
      far.psns.toWire(packet)
      expect(packet.sackPsn).toBe(packet.psn)
      return packet.psn
    }
    // Requests: WRITE 10, READ 11 to 13, WRITE 14, READ 15 and 16.
    expect([10, 11, 12, 13].map((psn) => sayOf(ACK, psn))).toEqual([10, 13, 14, 16])
    expect([10, 11, 12, 13, 14].map((psn) => sayOf(NAK, psn))).toEqual([10, 11, 14, 15, 17])
    const heard = [10, 11, 13, 14, 15, 16].map((psn) => heardBy(near, ACKNOWLEDGE, psn, ACK))
    expect(heard.map((each) => each![1])).toEqual([10, 11, 11, 12, 13, 13])
  })

  test('PSNs wrap at 24 bits', () => {
    const one = new Connection(2 ** 24 - 2)
    one.post(OP_READ, 4)
    one.post(OP_WRITE, 2)
    one.post(OP_READ, 2)
    expect(one.requests()).toEqual([2 ** 24 - 2, 2, 3, 4])
    expect(one.responses()).toEqual([2 ** 24 - 2, 2 ** 24 - 1, 0, 1, 4, 5])
    one.post(OP_WRITE)
    expect([one.requests(), one.answers(), one.near.done]).toEqual([[6], ['ACK 6'], 4])
  })
})

/** WRITE 10, READ 11 to 13, WRITE 14, READ 15 and 16; all have arrived, nothing was acknowledged. */
function readsAndWrites(values: Partial<ConnectionValues> = {}): Connection {
  const one = new Connection(10, values)
  one.post(OP_WRITE)
  one.post(OP_READ, 3)
  one.post(OP_WRITE)
  one.post(OP_READ, 2)
  expect(one.requests()).toEqual([10, 11, 14, 15])
  return one
}

describe('missing packets', () => {
  test('the rest of a READ is requested with the PSN of the first missing response', () => {
    const one = readsAndWrites()
    expect(one.responses(50, 12, 16)).toEqual([11, 12, 13, 15, 16])
    expect(one.readAnswers()).toEqual(['READ 12'])
    expect(one.responses(50, 16)).toEqual([12, 13, 15, 16])
    one.nowPs = one.near.requester.reads.nextTimeoutPs
    one.near.requester.reads.onTimeout(one.nowPs)
    expect([one.readAnswers(), one.responses(), one.near.done]).toEqual([['READ 16'], [16], 4])
  })

  test("a NAK of a request after a READ carries that request's PSN", () => {
    const one = new Connection()
    one.post(OP_READ, 3)
    one.post(OP_WRITE, 3)
    expect(one.requests(1)).toEqual([10])
    // PSN 13 is lost.
    const packet = new VerbsPacket(MTU)
    expect(one.near.requester.pollTransmit(0, packet)).toBe(true)
    expect([one.requests(), one.responses(), one.answers()]).toEqual([[14, 15], [10, 11, 12], ['NAK 13']])
    expect([one.requests(), one.answers(), one.near.done]).toEqual([[13, 14, 15], ['ACK 15'], 2])
  })

  test('a later packet is ahead of a missing READ, whatever PSNs the READ takes', () => {
    const { far } = new Connection()
    expect([10, 11, 15].map((psn) => heardBy(far, WRITE_ONLY, psn))).toEqual([
      [DATA, 10],
      [DATA, 11],
      [DATA, 15],
    ])
  })
})

describe('a repeated READ request', () => {
  const heard = (end: End, ...psns: number[]) => psns.map((psn) => heardBy(end, READ_REQUEST_OPCODE, psn))

  test('requests responses from its PSN on', () => {
    const { far } = readsAndWrites()
    // Responses are numbered from 10 on, too.
    const responses = [10, 11, 12, 13, 14].map((psn) => [READ_REQUEST, psn])
    expect(heard(far, 11, 12, 13, 15, 16)).toEqual(responses)
    expect(heardBy(far, FETCH_ADD, 16)).toEqual([READ_REQUEST, 14])
  })

  test('at the PSN of a WRITE is a duplicate, and so is a WRITE at that of a READ', () => {
    const { far } = readsAndWrites()
    // The next request has 17 on the wire and PSN 14.
    expect(heard(far, 9, 10, 14, 17, 18)).toEqual([9, 10, 14, 17, 18].map((psn) => [DATA, psn - 3]))
    expect(heardBy(far, WRITE_ONLY, 11)).toEqual([DATA, 8])
  })

  test('is a duplicate like others once its slot is reused', () => {
    const one = readsAndWrites({ readsIn: 2 })
    one.responses()
    one.post(OP_READ)
    expect([one.requests(), one.responses()]).toEqual([[17], [17]])
    expect(heard(one.far, 11, 15, 17)).toEqual([
      [DATA, 8],
      [READ_REQUEST, 13],
      [READ_REQUEST, 15],
    ])
  })
})

describe('packets that belong to no request', () => {
  const RESPONSES = [READ_RESPONSE_FIRST, READ_RESPONSE_MIDDLE, READ_RESPONSE_LAST, READ_RESPONSE_ONLY]

  test.each([...RESPONSES, ATOMIC_ACKNOWLEDGE])('a response (opcode %i) at a PSN of no outstanding READ', (opcode) => {
    const one = readsAndWrites()
    const heard = () => [9, 10, 11, 13, 14, 15, 16, 17].map((psn) => heardBy(one.near, opcode, psn)?.[1])
    expect(heard()).toEqual([undefined, undefined, 10, 12, undefined, 13, 14, undefined])
    one.responses(3)
    one.answers()
    expect(heard()).toEqual([undefined, undefined, undefined, undefined, undefined, 13, 14, undefined])
  })

  test('a READ-ACK of no existing response', () => {
    const { far } = readsAndWrites()
    const heard = [9, 10, 11, 13, 14, 15, 16, 17].map((psn) => heardBy(far, READ_ACK, psn, ACK)?.[1])
    expect(heard).toEqual([undefined, undefined, 10, 12, undefined, 13, 14, undefined])
  })
})

test('an ACK of a completed or unposted request is old or ahead by its distance on the wire', () => {
  const one = readsAndWrites()
  one.responses(3)
  expect([one.answers(), one.near.requester.queue.head]).toEqual([[], 2])
  // WRITE 14 is PSN 12; the one after the last would be 17 on the wire and PSN 14.
  const heard = [10, 13, 14, 17, 19].map((psn) => heardBy(one.near, ACKNOWLEDGE, psn, ACK)![1])
  expect(heard).toEqual([8, 11, 12, 14, 16])
  one.responses()
  expect(one.near.requester.queue.isEmpty).toBe(true)
  const later = [10, 16, 17].map((psn) => heardBy(one.near, ACKNOWLEDGE, psn, ACK)![1])
  expect(later).toEqual([7, 13, 14])
})

test('READ-ACKs carry the PSN of the response, even when its READ is complete ([LDCP] 3.1)', () => {
  const one = readsAndWrites({ lsnWindowBytes: 100 * MTU })
  const said = [1, 2, 3, 4, 5].map(() => [...one.responses(1), ...one.readAnswers()])
  expect(said).toEqual([
    [11, 'ACK 11'],
    [12, 'ACK 12'],
    [13, 'ACK 13'],
    [15, 'ACK 15'],
    [16, 'ACK 16'],
  ])
  // Later requests are complete, or outstanding.
  one.post(OP_WRITE)
  expect([one.requests(), one.answers()]).toEqual([[17], ['ACK 17']])
  one.post(OP_WRITE)
  expect(one.requests()).toEqual([18])
  const last = Object.assign(new VerbsPacket(MTU), { opcode: READ_ACK, kind: ACK, psn: 14 })
  one.near.psns.toWire(last)
  expect(last.psn).toBe(16)
})
