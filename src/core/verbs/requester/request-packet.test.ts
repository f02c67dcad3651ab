/** Fields of request packets: address and position, ACK requests, solicited events. */
import { describe, expect, test } from 'vitest'
import { FIRST, LAST, SEND } from '../../transport/segment.ts'
import {
  COMPARE_SWAP,
  READ_REQUEST_OPCODE,
  SEND_FIRST,
  SEND_LAST,
  SEND_MIDDLE,
  SEND_ONLY,
  WRITE_ONLY,
} from '../../wire/index.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues } from '../connection/values.ts'
import { Device } from '../device.ts'
import { OP_COMPARE_SWAP, OP_READ, OP_SEND, OP_WRITE } from '../queues/operation.ts'
import { VerbsPacket } from '../packet.ts'
import { fillRequest, requestTerms } from './request-packet.ts'
import { SendQueue } from '../queues/send-queue.ts'
import type { SendWork } from '../queues/work-request.ts'

const MTU = 100

/** All packets of the second of two requests, of a READ from each response on; the first request is a SEND. */
function packetsOf(work: Omit<SendWork, 'id'>, given: Partial<ConnectionValues> = {}): VerbsPacket[] {
  const values: ConnectionValues = { ...CONNECTION_DEFAULTS, remoteQp: 7, mtuBytes: MTU, ...given }
  const queue = new SendQueue({
    capacity: 4,
    mtuBytes: MTU,
    firstPsn: 0,
    firstResponse: 0,
    isShared: values.mode === 'roce',
  })
  queue.post({ id: 0, operation: OP_SEND }, false)
  queue.post({ id: 1, ...work }, false)
  const wqe = queue.at(1)
  return Array.from({ length: Math.max(wqe.packets, wqe.responses) }, (_, index) => {
    // Values left from an earlier packet.
    const out = Object.assign(new VerbsPacket(MTU), { isSolicited: true, isAckRequested: true, syndrome: 9 })
    fillRequest(out, wqe, index, requestTerms(values))
    return out
  })
}

test('each packet of a message carries its position, and the last one the solicited bit', () => {
  const work = { operation: OP_SEND, lengthBytes: 250, isSolicited: true } as const
  const packets = packetsOf(work)
  expect(packets.map(({ opcode }) => opcode)).toEqual([SEND_FIRST, SEND_MIDDLE, SEND_LAST])
  expect(packets.map(({ flags }) => flags)).toEqual([FIRST | SEND, SEND, LAST | SEND])
  expect(packets.map(({ payloadBytes }) => payloadBytes)).toEqual([100, 100, 50])
  expect(packets.map(({ messageOffset }) => messageOffset)).toEqual([0, 1, 2])
  expect(packets.map(({ isSolicited }) => isSolicited)).toEqual([false, false, true])
  expect(packets[1]).toMatchObject({ destinationQp: 7, receiveSn: 1, readSn: 0, syndrome: 0 })
  expect(packetsOf({ ...work, isSolicited: false }).some(({ isSolicited }) => isSolicited)).toBe(false)
  expect(packetsOf({ operation: OP_SEND })).toMatchObject([
    { opcode: SEND_ONLY, flags: FIRST | LAST | SEND, payloadBytes: 0 },
  ])
})

test('an ACK is requested at the end and at intervals by position; IRN requests one with each packet', () => {
  const asked = (given: Partial<ConnectionValues>): boolean[] =>
    packetsOf({ operation: OP_WRITE, lengthBytes: 500 }, given).map(({ isAckRequested }) => isAckRequested)
  expect(asked({ ackInterval: 2 })).toEqual([false, true, false, true, true])
  expect(asked({ ackInterval: 100 })).toEqual([false, false, false, false, true])
  expect(asked({ ackInterval: 100, mode: 'irn' })).toEqual([true, true, true, true, true])
})

test('a WRITE carries bytes of its region from its address on, each packet its own part and address', () => {
  const device = new Device({ draw: () => 0 }, 0)
  const region = device.register(
    device.allocateDomain(),
    0,
    Uint8Array.from({ length: 300 }, (_, i) => i % 256),
  )
  const target = { region, address: region.address + 20, remoteAddress: 5000, remoteKey: 33 }
  const packets = packetsOf({ operation: OP_WRITE, lengthBytes: 150, ...target })
  expect(packets.map(({ virtualAddress }) => virtualAddress)).toEqual([5000, 5100])
  expect(packets.map(({ hasPayload, payload }) => [hasPayload, payload[0]])).toEqual([
    [true, 20],
    [true, 120],
  ])
  expect(packets[1]).toMatchObject({ key: 33, lengthBytes: 150, payloadBytes: 50 })
  expect(packetsOf({ operation: OP_WRITE, lengthBytes: 1 })).toMatchObject([{ opcode: WRITE_ONLY, hasPayload: false }])
})

describe('a READ', () => {
  const work = { operation: OP_READ, lengthBytes: 250, remoteAddress: 5000, remoteKey: 33, isSolicited: true } as const

  test('that is repeated from some PSN on requests the rest (RoCE)', () => {
    const packets = packetsOf(work)
    expect(packets.map(({ virtualAddress, lengthBytes }) => [virtualAddress, lengthBytes])).toEqual([
      [5000, 250],
      [5100, 150],
      [5200, 50],
    ])
    const each = { opcode: READ_REQUEST_OPCODE, flags: FIRST | LAST, payloadBytes: 0, isSolicited: false }
    for (const packet of packets) expect(packet).toMatchObject({ ...each, isAckRequested: false, hasPayload: false })
  })

  test('requests an ACK where its responses do not acknowledge it (IRN)', () => {
    const [packet] = packetsOf(work, { mode: 'irn' })
    expect(packet).toMatchObject({ virtualAddress: 5000, lengthBytes: 250, isAckRequested: true, isSolicited: false })
  })
})

test('an atomic carries both operands', () => {
  const work = { operation: OP_COMPARE_SWAP, compare: 0x1_0000_0002n, swap: 0x3_0000_0004n, remoteAddress: 64 }
  const operands = { compareHigh: 1, compareLow: 2, swapHigh: 3, swapLow: 4 }
  expect(packetsOf(work as SendWork)).toMatchObject([
    { opcode: COMPARE_SWAP, virtualAddress: 64, lengthBytes: 8, ...operands },
  ])
})
