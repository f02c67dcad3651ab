/** A responder in RoCE mode, packet by packet: its ACKs, NAKs and responses. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS, US } from '../../base/params.ts'
import { goBack0 } from '../../transport/recovery/go-back-0.ts'
import { ACK_REQUEST, CE, CNP, FIRST, LAST } from '../../transport/segment.ts'
import { Timers } from '../../transport/timers.ts'
import { SYNDROME_REMOTE_OPERATION as FAULT } from '../../wire/aeth.ts'
import {
  FETCH_ADD,
  READ_REQUEST_OPCODE as READ,
  SEND_FIRST,
  SEND_LAST,
  SEND_MIDDLE,
  SEND_ONLY,
  WRITE_FIRST,
  WRITE_LAST,
  WRITE_MIDDLE,
  WRITE_ONLY,
} from '../../wire/opcodes.ts'
import type { ConnectionValues } from '../connection/values.ts'
import { VerbsPacket } from '../packet.ts'
import { ACK, Bench, MTU, NAK, REFUSED, RNR, WAIT_PS } from './responder.test-bench.ts'
import { LOCAL_LENGTH_ERROR, LOCAL_PROTECTION_ERROR } from '../queues/status.ts'

describe('RoCE', () => {
  const benchOf = (values: Partial<ConnectionValues> = {}): Bench => new Bench(values)

  test('a hole is reported once, and the next hole again', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_ONLY, 0)).toEqual([`${ACK} 0 1`])
    expect(bench.hear(WRITE_ONLY, 2)).toEqual([`${NAK} 1 1`])
    expect(bench.hear(WRITE_ONLY, 3)).toEqual([])
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([`${ACK} 1 2`])
    expect(bench.hear(WRITE_ONLY, 4)).toEqual([`${NAK} 2 2`])
    expect([bench.responder.naksSent, bench.responder.epsn, bench.wholes]).toEqual([2, 2, 2])
  })

  test('the first packet of all can be missing', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([`${NAK} 0 0`])
  })

  test('without a Receive WQE it sends an RNR NAK and ignores the packets sent before the NAK arrived', () => {
    const bench = benchOf()
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${RNR} 0 0`])
    bench.nowPs = WAIT_PS - 1
    expect(bench.hear(SEND_ONLY, 1)).toEqual([])
    // A duplicate of the refused packet is refused again, and the wait starts again.
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${RNR} 0 0`])
    bench.nowPs = 2 * WAIT_PS - 2
    expect(bench.hear(SEND_ONLY, 1)).toEqual([])
    bench.nowPs = 2 * WAIT_PS - 1
    expect(bench.hear(SEND_ONLY, 1)).toEqual([`${NAK} 0 0`])
    bench.postReceive()
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${ACK} 0 1`])
    expect([bench.responder.rnrNaksSent, bench.responder.naksSent, bench.completions]).toEqual([2, 1, [`0:${MTU}`]])
  })

  test('an ACK is sent only on request', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_FIRST, 0, { isAckRequested: false })).toEqual([])
    expect(bench.hear(WRITE_LAST, 1)).toEqual([`${ACK} 1 1`])
    expect(bench.hear(WRITE_LAST, 1, { isAckRequested: false })).toEqual([])
    expect(bench.hear(WRITE_FIRST, 0)).toEqual([`${ACK} 1 1`])
  })

  test('a duplicate does not replace a NAK that has not left yet', () => {
    const bench = benchOf()
    for (const psn of [0, 2, 0]) bench.takes(WRITE_ONLY, psn)
    expect(bench.said()).toEqual([`${NAK} 1 1`])
  })

  test('a READ is acknowledged by its responses alone, which a duplicate repeats', () => {
    const bench = benchOf()
    expect(bench.hear(READ, 0, { lengthBytes: 3 * MTU })).toEqual([])
    expect([bench.responses(), bench.responder.epsn, bench.responder.msn]).toEqual([[0, 1, 2], 1, 1])
    expect([bench.hear(READ, 0, { lengthBytes: 3 * MTU }), bench.responses()]).toEqual([[], [0, 1, 2]])
    // A duplicate of a WRITE requests no ACK.
    expect([bench.hear(WRITE_ONLY, 1), bench.hear(WRITE_ONLY, 1), bench.responses()]).toEqual([
      [`${ACK} 1 2`],
      [`${ACK} 1 2`],
      [],
    ])
  })

  test('so is an atomic, which is executed once', () => {
    const bench = benchOf()
    const { region } = bench
    const add = { swapLow: 5, lengthBytes: 8 }
    expect([bench.hear(FETCH_ADD, 0, add), bench.responses()]).toEqual([[], [0]])
    expect([bench.hear(FETCH_ADD, 0, add), bench.responses(), region.low(region.address)]).toEqual([[], [0], 5])
  })

  test('responses of a later READ replace a pending ACK, but not a pending NAK', () => {
    const bench = benchOf()
    bench.takes(WRITE_ONLY, 0)
    bench.takes(READ, 1)
    expect([bench.said(), bench.responses()]).toEqual([[], [0]])
    bench.takes(WRITE_ONLY, 3)
    bench.takes(READ, 1)
    expect([bench.responses(), bench.said()]).toEqual([[0], [`${NAK} 2 2`]])
  })

  test('ACKs and NAKs wait for the responses before them', () => {
    const bench = benchOf()
    bench.takes(READ, 0, { lengthBytes: 2 * MTU })
    expect([bench.hear(WRITE_ONLY, 1), bench.responses(1), bench.said()]).toEqual([[], [0], []])
    expect([bench.responses(), bench.said()]).toEqual([[1], [`${ACK} 1 2`]])
  })

  test('a refused request ends it, after the responses before it', () => {
    const bench = benchOf()
    bench.hear(READ, 0, { lengthBytes: 2 * MTU })
    expect(bench.hear(WRITE_ONLY, 1, { key: 0x123456 })).toEqual([])
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([])
    expect([bench.responses(), bench.failures]).toEqual([[0, 1], []])
    expect([bench.said(), bench.responder.naksSent]).toEqual([[`${REFUSED} 1 1`], 1])
    expect(bench.failures).toEqual(['null access error'])
  })

  test('it accepts nothing after the failure and sets no deadline', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_ONLY, 0, { key: 5 })).toEqual([`${REFUSED} 0 0`])
    expect([bench.hear(WRITE_ONLY, 0), bench.responder.epsn, bench.responder.nextTimeoutPs]).toEqual([[], 0, NEVER_PS])
  })

  test.each([
    ['of too many bytes for its Receive WQE fails that WQE too', SEND_ONLY, {}, `${LOCAL_LENGTH_ERROR} request error`],
    ['that is invalid fails no Receive WQE', SEND_MIDDLE, {}, 'null request error'],
    ['without access rights has an event of its own', WRITE_ONLY, { key: 5 }, 'null access error'],
  ] as const)('a packet %s', (_name, opcode, fields, failure) => {
    const bench = benchOf()
    bench.postReceive(MTU - 1)
    bench.hear(opcode, 0, fields)
    expect(bench.failures).toEqual([failure])
  })

  test('a Receive WQE with memory that is not writable fails itself', () => {
    const bench = benchOf()
    bench.postReceive()
    bench.device.invalidate(bench.region.key)
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${FAULT.toString(16)} 0 0`])
    expect(bench.failures).toEqual([`${LOCAL_PROTECTION_ERROR} fatal`])
  })

  test('a SEND of several packets completes its Receive WQE with the last', () => {
    const bench = benchOf()
    bench.postReceive(3 * MTU)
    bench.takes(SEND_FIRST, 0)
    bench.takes(SEND_MIDDLE, 1)
    expect([bench.completions, bench.responder.msn]).toEqual([[], 0])
    bench.takes(SEND_LAST, 2, { payloadBytes: 8 })
    expect([bench.completions, bench.responder.msn, bench.said()]).toEqual([[`2:${2 * MTU + 8}`], 1, [`${ACK} 2 1`]])
  })

  test('a NAK for invalidated memory does not end the connection if the response had left before', () => {
    const bench = benchOf()
    bench.takes(READ, 0)
    bench.takes(WRITE_ONLY, 1, { isAckRequested: false })
    expect(bench.responses()).toEqual([0])
    bench.device.invalidate(bench.region.key)
    bench.takes(READ, 0)
    expect([bench.responses(), bench.said(), bench.said()]).toEqual([[], [`${REFUSED} 0 2`], []])
    expect([bench.failures, bench.responder.naksSent]).toEqual([[], 1])
  })

  test('it ends it otherwise', () => {
    const bench = benchOf()
    bench.takes(READ, 0)
    bench.device.invalidate(bench.region.key)
    expect([bench.responses(), bench.said(), bench.failures]).toEqual([[], [`${REFUSED} 0 1`], ['null access error']])
  })

  test('credits are the unused Receive WQEs', () => {
    const bench = benchOf({ hasCredits: true })
    expect(bench.hear(WRITE_ONLY, 0)).toEqual(['0 0 1'])
    for (let k = 0; k < 3; k++) bench.postReceive()
    expect(bench.hear(WRITE_ONLY, 1)).toEqual(['3 1 2'])
    expect(bench.hear(SEND_ONLY, 2)).toEqual(['2 2 3'])
  })

  test('a marked packet triggers a CNP, which carries no MSN, and its ACK', () => {
    const bench = new Bench({}, { cnpIntervalPs: US })
    bench.takes(WRITE_ONLY, 0, { ecn: CE })
    const out = Object.assign(new VerbsPacket(MTU), { opcode: 99, msn: 98 })
    expect([bench.responder.pollTransmit(0, out), out.kind, out.opcode, out.msn]).toEqual([true, CNP, 99, 98])
    expect([bench.said(), bench.responder.pollTransmit(0, out), bench.responder.cnpsSent]).toEqual([
      [`${ACK} 0 1`],
      false,
      1,
    ])
  })

  test('an ACK carries the bytes received, modulo 2^32', () => {
    const bench = benchOf()
    const reported = [
      [0, 7],
      [1, 2 ** 32 - 24],
    ].map(([psn, lsn]) => {
      // Byte sequence numbers have a packet format of their own.
      const { key, address } = bench.region
      const fields = { flags: FIRST | LAST | ACK_REQUEST, opcode: WRITE_ONLY, psn: psn!, lsn: lsn!, key }
      const packet = Object.assign(new VerbsPacket(MTU), fields, { virtualAddress: address, lengthBytes: MTU })
      packet.payloadBytes = MTU
      bench.responder.onSegment(0, packet)
      expect(bench.responder.pollTransmit(0, packet)).toBe(true)
      return packet.lsn
    })
    expect(reported).toEqual([MTU + 7, MTU - 24])
  })
})

describe('go-back-0', () => {
  const benchOf = (chunk: number | null): Bench => {
    const values = { nakInterval: null, nakGate: 'per-epsn', duplicates: 'acknowledge', chunk } as const
    const context = { bdpPackets: 1, hasCwr: false }
    return new Bench({}, { recovery: goBack0.createReceiver(values, new Timers({ draw: () => 1 }), context) })
  }
  const length = { lengthBytes: 5 * MTU, isAckRequested: false }

  test('a message that lacks a packet starts again with its first packet', () => {
    const bench = benchOf(null)
    bench.takes(WRITE_ONLY, 0, { isAckRequested: false })
    bench.takes(WRITE_FIRST, 1, length)
    for (const psn of [2, 3]) bench.takes(WRITE_MIDDLE, psn, length)
    expect(bench.hear(WRITE_LAST, 5)).toEqual([`${NAK} 4 1`])
    expect(bench.responder.epsn).toBe(1)
    bench.takes(WRITE_FIRST, 1, length)
    for (const psn of [2, 3, 4]) bench.takes(WRITE_MIDDLE, psn, length)
    expect(bench.hear(WRITE_LAST, 5)).toEqual([`${ACK} 5 2`])
  })

  test('with partial restart it continues after the part that is kept', () => {
    const bench = benchOf(2)
    bench.takes(WRITE_FIRST, 0, length)
    for (const psn of [1, 2]) bench.takes(WRITE_MIDDLE, psn, length)
    expect(bench.hear(WRITE_LAST, 4)).toEqual([`${NAK} 3 0`])
    expect(bench.responder.epsn).toBe(2)
    for (const psn of [2, 3]) bench.takes(WRITE_MIDDLE, psn, length)
    expect(bench.hear(WRITE_LAST, 4)).toEqual([`${ACK} 4 1`])
  })
})
