/** A responder in RoCE mode that is sent packets one by one: what it says to each, and what it is silent about. */
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
import { LOCAL_LENGTH_ERROR, LOCAL_PROTECTION_ERROR } from '../work/status.ts'

describe('RoCE', () => {
  const benchOf = (values: Partial<ConnectionValues> = {}): Bench => new Bench(values)

  test('a hole is reported once, and anew when it has been filled and there is another', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_ONLY, 0)).toEqual([`${ACK} 0 1`])
    expect(bench.hear(WRITE_ONLY, 2)).toEqual([`${NAK} 1 1`])
    expect(bench.hear(WRITE_ONLY, 3)).toEqual([])
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([`${ACK} 1 2`])
    expect(bench.hear(WRITE_ONLY, 4)).toEqual([`${NAK} 2 2`])
    expect([bench.responder.naksSent, bench.responder.epsn, bench.wholes]).toEqual([2, 2, 2])
  })

  test('the first packet of all can be the one that is missing', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([`${NAK} 0 0`])
  })

  test('who is not ready says so, and is silent about what was sent before that was known', () => {
    const bench = benchOf()
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${RNR} 0 0`])
    bench.nowPs = WAIT_PS - 1
    expect(bench.hear(SEND_ONLY, 1)).toEqual([])
    // A copy of the one that was refused is refused anew, and the wait begins anew.
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${RNR} 0 0`])
    bench.nowPs = 2 * WAIT_PS - 2
    expect(bench.hear(SEND_ONLY, 1)).toEqual([])
    bench.nowPs = 2 * WAIT_PS - 1
    expect(bench.hear(SEND_ONLY, 1)).toEqual([`${NAK} 0 0`])
    bench.postReceive()
    expect(bench.hear(SEND_ONLY, 0)).toEqual([`${ACK} 0 1`])
    expect([bench.responder.rnrNaksSent, bench.responder.naksSent, bench.completions]).toEqual([2, 1, [`0:${MTU}`]])
  })

  test('an ACK is for those who ask', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_FIRST, 0, { isAckRequested: false })).toEqual([])
    expect(bench.hear(WRITE_LAST, 1)).toEqual([`${ACK} 1 1`])
    expect(bench.hear(WRITE_LAST, 1, { isAckRequested: false })).toEqual([])
    expect(bench.hear(WRITE_FIRST, 0)).toEqual([`${ACK} 1 1`])
  })

  test('a copy takes no NAK back that has not left yet', () => {
    const bench = benchOf()
    for (const psn of [0, 2, 0]) bench.takes(WRITE_ONLY, psn)
    expect(bench.said()).toEqual([`${NAK} 1 1`])
  })

  test('a READ is answered by its responses alone, which a copy brings again', () => {
    const bench = benchOf()
    expect(bench.hear(READ, 0, { lengthBytes: 3 * MTU })).toEqual([])
    expect([bench.responses(), bench.responder.epsn, bench.responder.msn]).toEqual([[0, 1, 2], 1, 1])
    expect([bench.hear(READ, 0, { lengthBytes: 3 * MTU }), bench.responses()]).toEqual([[], [0, 1, 2]])
    // A copy of a WRITE asks for none.
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

  test('an ACK that waits need not be said when a READ behind it is answered, and a NAK does', () => {
    const bench = benchOf()
    bench.takes(WRITE_ONLY, 0)
    bench.takes(READ, 1)
    expect([bench.said(), bench.responses()]).toEqual([[], [0]])
    bench.takes(WRITE_ONLY, 3)
    bench.takes(READ, 1)
    expect([bench.responses(), bench.said()]).toEqual([[0], [`${NAK} 2 2`]])
  })

  test('answers wait for the responses that are due before them', () => {
    const bench = benchOf()
    bench.takes(READ, 0, { lengthBytes: 2 * MTU })
    expect([bench.hear(WRITE_ONLY, 1), bench.responses(1), bench.said()]).toEqual([[], [0], []])
    expect([bench.responses(), bench.said()]).toEqual([[1], [`${ACK} 1 2`]])
  })

  test('what is refused ends it, behind the responses that are due before', () => {
    const bench = benchOf()
    bench.hear(READ, 0, { lengthBytes: 2 * MTU })
    expect(bench.hear(WRITE_ONLY, 1, { key: 0x123456 })).toEqual([])
    expect(bench.hear(WRITE_ONLY, 1)).toEqual([])
    expect([bench.responses(), bench.failures]).toEqual([[0, 1], []])
    expect([bench.said(), bench.responder.naksSent]).toEqual([[`${REFUSED} 1 1`], 1])
    expect(bench.failures).toEqual(['null access error'])
  })

  test('it hears nothing more once it has given up, and waits for nothing', () => {
    const bench = benchOf()
    expect(bench.hear(WRITE_ONLY, 0, { key: 5 })).toEqual([`${REFUSED} 0 0`])
    expect([bench.hear(WRITE_ONLY, 0), bench.responder.epsn, bench.responder.nextTimeoutPs]).toEqual([[], 0, NEVER_PS])
  })

  test.each([
    ['that is too long for its Receive WQE is the fault of that', SEND_ONLY, {}, `${LOCAL_LENGTH_ERROR} request error`],
    ["that is no request is nobody's but its sender's", SEND_MIDDLE, {}, 'null request error'],
    ['without a right has an event of its own', WRITE_ONLY, { key: 5 }, 'null access error'],
  ] as const)('a packet %s', (_name, opcode, fields, failure) => {
    const bench = benchOf()
    bench.postReceive(MTU - 1)
    bench.hear(opcode, 0, fields)
    expect(bench.failures).toEqual([failure])
  })

  test('a Receive WQE that may not be written is at fault itself', () => {
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

  test('a NAK for memory taken away ends nothing where the response had left before', () => {
    const bench = benchOf()
    bench.takes(READ, 0)
    bench.takes(WRITE_ONLY, 1, { isAckRequested: false })
    expect(bench.responses()).toEqual([0])
    bench.device.invalidate(bench.region.key)
    bench.takes(READ, 0)
    expect([bench.responses(), bench.said(), bench.said()]).toEqual([[], [`${REFUSED} 0 2`], []])
    expect([bench.failures, bench.responder.naksSent]).toEqual([[], 1])
  })

  test('and ends it where it had not', () => {
    const bench = benchOf()
    bench.takes(READ, 0)
    bench.device.invalidate(bench.region.key)
    expect([bench.responses(), bench.said(), bench.failures]).toEqual([[], [`${REFUSED} 0 1`], ['null access error']])
  })

  test('credits are the Receive WQEs that no message has used up', () => {
    const bench = benchOf({ hasCredits: true })
    expect(bench.hear(WRITE_ONLY, 0)).toEqual(['0 0 1'])
    for (let k = 0; k < 3; k++) bench.postReceive()
    expect(bench.hear(WRITE_ONLY, 1)).toEqual(['3 1 2'])
    expect(bench.hear(SEND_ONLY, 2)).toEqual(['2 2 3'])
  })

  test('a marked packet is answered with a CNP, which tells nothing of messages, and with its ACK', () => {
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

  test('an ACK tells how many bytes have come, in 32 bits', () => {
    const bench = benchOf()
    const reported = [
      [0, 7],
      [1, 2 ** 32 - 24],
    ].map(([psn, lsn]) => {
      // Byte numbers are on the wire in a format of their own.
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

  test('a message that lacks a packet begins anew, with its first packet', () => {
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

  test('so does a part of it, where messages are restarted by parts, behind what is kept', () => {
    const bench = benchOf(2)
    bench.takes(WRITE_FIRST, 0, length)
    for (const psn of [1, 2]) bench.takes(WRITE_MIDDLE, psn, length)
    expect(bench.hear(WRITE_LAST, 4)).toEqual([`${NAK} 3 0`])
    expect(bench.responder.epsn).toBe(2)
    for (const psn of [2, 3]) bench.takes(WRITE_MIDDLE, psn, length)
    expect(bench.hear(WRITE_LAST, 4)).toEqual([`${ACK} 4 1`])
  })
})
