/** Responses of READs and atomics, request by request: their fields, when they leave, and when they are denied. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS } from '../../base/params.ts'
import { ACK_REQUEST, FIRST, LAST } from '../../transport/segment.ts'
import {
  ATOMIC_ACKNOWLEDGE,
  COMPARE_SWAP,
  FETCH_ADD,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
} from '../../wire/opcodes.ts'
import type { ConnectionValues, Mode } from '../connection/values.ts'
import { VerbsPacket } from '../packet.ts'
import { Bench, MTU } from './response-sender.test-bench.ts'

describe('requests', () => {
  test('there is room for as many as agreed', () => {
    const bench = new Bench({ readsIn: 2 })
    const roomFor = () => [-1, 0, 1, 2, 3].filter((sn) => bench.responses.hasRoom(sn))
    expect(roomFor()).toEqual([0, 1])
    bench.store(1, 11, 8)
    expect(roomFor()).toEqual([0, 1])
    bench.read(0, 10, 2)
    // Its responses have not left: it is outstanding, and request 2 would take its slot.
    expect(roomFor()).toEqual([1])
    expect(bench.leaves(1)).toHaveLength(1)
    expect(roomFor()).toEqual([1])
    bench.leaves()
    expect(roomFor()).toEqual([1, 2])
  })

  test('a stored one may arrive again, however many responses it will have', () => {
    const bench = new Bench({ readsIn: 1 })
    bench.read(0, 10, 1)
    bench.leaves()
    bench.store(1, 11, 5 * MTU)
    expect([0, 1, 2].map((sn) => bench.responses.hasRoom(sn))).toEqual([false, true, false])
  })

  test('none is executed before it has arrived', () => {
    const bench = new Bench()
    bench.store(1, 11, 8)
    expect(bench.responses.nextPsn).toBe(Infinity)
    expect(() => bench.responses.execute(0)).toThrow('a request is executed that has not come')
    bench.store(0, 10, 8)
    expect(bench.responses.nextPsn).toBe(10)
  })

  test('none is executed whose memory has been invalidated meanwhile', () => {
    const bench = new Bench()
    bench.store(0, 10, 8, true)
    bench.device.invalidate(bench.region.key)
    expect([bench.responses.execute(0), bench.responses.executed, bench.leaves()]).toEqual([false, 0, []])
  })

  test('each response belongs to one request', () => {
    const bench = new Bench()
    bench.read(0, 10, 3)
    bench.store(1, 14, 0)
    bench.execute()
    bench.read(2, 15, 2)
    const { responses } = bench
    expect([100, 102, 103, 104, 105].map((psn) => responses.slotWith(psn).psn)).toEqual([10, 10, 14, 15, 15])
    expect([100, 102, 103, 105].map((psn) => responses.firstPsnOf(psn))).toEqual([100, 100, 103, 104])
    // Beyond the first of each.
    expect(responses.furtherPsns).toBe(3)
  })

  test('a READ of a full packet has one response, and one of a byte more has two', () => {
    const bench = new Bench()
    const ends = [MTU, MTU + 1, 1, 0].map((lengthBytes, sn) => {
      bench.store(sn, sn, lengthBytes)
      bench.execute()
      return bench.responses.end - 100
    })
    expect(ends).toEqual([1, 3, 4, 5])
  })
})

/**
 * Three READs, with the responses 100 and 101, 102 to 104, 105; the memory of the second is invalidated after `left`
 * responses.
 */
function denying(mode: Mode, left: number): Bench {
  const bench = new Bench({ mode })
  bench.read(0, 10, 2)
  bench.store(1, 12, 3 * MTU, true)
  bench.execute()
  bench.read(2, 15, 1)
  bench.leaves(left)
  bench.device.invalidate(bench.region.key)
  return bench
}

describe.each(['roce', 'irn'] as const)('%s: memory that is invalidated while responses leave', (mode) => {
  test('no more of its responses leave, nor any later ones, and it is denied once', () => {
    const bench = denying(mode, 3)
    expect([bench.leaves(), bench.denials]).toEqual([[], ['12']])
    expect([bench.leaves(), bench.denials, bench.responses.nextSendPs]).toEqual([[], ['12'], NEVER_PS])
    expect(bench.responses.hasLeft).toBe(true)
    // IRN: earlier responses must be acknowledged first.
    expect(bench.responses.isIdle).toBe(mode === 'roce')
    bench.ack(102)
    expect(bench.responses.isIdle).toBe(true)
  })

  test('responses that had left are denied when they should leave again', () => {
    const bench = denying(mode, 20)
    expect(bench.denials).toEqual([])
    if (mode === 'roce') bench.asksFrom(103)
    else {
      bench.ack(101)
      bench.nack(102, 103)
    }
    expect([bench.leaves(), bench.denials]).toEqual([[], ['12 again']])
    // Later responses leave where all responses after the missing one are sent again.
    expect([bench.leaves(), bench.denials]).toEqual([mode === 'irn' ? [] : [105], ['12 again']])
  })
})

test('RoCE: a request that had left in part is denied when repeated, and then for good at its first unsent response', () => {
  const bench = denying('roce', 4)
  bench.replay(10)
  expect([bench.leaves(), bench.denials]).toEqual([[100, 101], ['12 again']])
  expect([bench.leaves(), bench.denials, bench.responses.isIdle]).toEqual([[], ['12 again', '12'], true])
})

test('an executed atomic is answered, whatever became of its memory', () => {
  const bench = new Bench()
  bench.atomic(FETCH_ADD, 0, { swapLow: 1 })
  bench.device.invalidate(bench.region.key)
  expect([bench.leaves(), bench.denials]).toEqual([[100], []])
})

describe('atomics', () => {
  const word = ({ region }: Bench) => [region.high(region.address), region.low(region.address)]

  test('compare all 64 bits, and swap only if equal', () => {
    const bench = new Bench()
    bench.region.setWord(bench.region.address, 1, 5)
    bench.atomic(COMPARE_SWAP, 0, { compareHigh: 2, compareLow: 5, swapHigh: 7, swapLow: 8 })
    bench.atomic(COMPARE_SWAP, 1, { compareHigh: 1, compareLow: 6, swapHigh: 7, swapLow: 8 })
    expect(word(bench)).toEqual([1, 5])
    bench.atomic(COMPARE_SWAP, 2, { compareHigh: 1, compareLow: 5, swapHigh: 7, swapLow: 8 })
    expect(word(bench)).toEqual([7, 8])
  })

  test('carry into the high half, and out of it', () => {
    const bench = new Bench()
    bench.region.setWord(bench.region.address, 0xffff_ffff, 0xffff_ffff)
    bench.atomic(FETCH_ADD, 0, { swapHigh: 0, swapLow: 1 })
    expect(word(bench)).toEqual([0, 0])
    bench.region.setWord(bench.region.address, 5, 0xffff_fffe)
    bench.atomic(FETCH_ADD, 1, { swapHigh: 2, swapLow: 1 })
    expect(word(bench)).toEqual([7, 0xffff_ffff])
  })

  test('are answered with the original word, which takes 8 bytes whatever the length field says', () => {
    const bench = new Bench()
    bench.region.setWord(bench.region.address, 1, 5)
    bench.atomic(FETCH_ADD, 0, { swapHigh: 3, swapLow: 4, lengthBytes: 5000 })
    const packet = new VerbsPacket(MTU)
    expect(bench.responses.pollTransmit(0, packet)).toBe(true)
    const whole = { opcode: ATOMIC_ACKNOWLEDGE, flags: FIRST | LAST, payloadBytes: 0, hasPayload: false }
    expect(packet).toMatchObject({ ...whole, psn: 100, swapHigh: 1, swapLow: 5 })
    expect([word(bench), bench.leaves()]).toEqual([[4, 9], []])
  })
})

test('every field of a response is set, whatever the packet was before', () => {
  const bench = new Bench()
  bench.store(0, 10, 2500)
  bench.store(1, 13, 8)
  bench.execute()
  bench.execute()
  const packet = Object.assign(new VerbsPacket(MTU), { isAckRequested: true, isSolicited: true, hasPayload: true })
  const seen: unknown[] = []
  while (bench.responses.pollTransmit(0, packet)) {
    seen.push([packet.psn, packet.opcode, packet.payloadBytes, packet.flags])
    expect(packet).toMatchObject({ destinationQp: 2, syndrome: 5, msn: 3 })
  }
  expect(seen).toEqual([
    [100, READ_RESPONSE_FIRST, 1024, FIRST],
    [101, READ_RESPONSE_MIDDLE, 1024, 0],
    [102, READ_RESPONSE_LAST, 452, LAST],
    [103, READ_RESPONSE_ONLY, 8, FIRST | LAST],
  ])
  expect([packet.isAckRequested, packet.isSolicited, packet.hasPayload]).toEqual([false, false, false])
})

test('a response carries its own part of the memory', () => {
  const bench = new Bench({ mtuBytes: 24 })
  bench.store(0, 10, 60, true)
  bench.execute()
  const packet = new VerbsPacket(24)
  const parts: number[][] = []
  while (bench.responses.pollTransmit(0, packet)) {
    expect(packet.hasPayload).toBe(true)
    parts.push([packet.payload[0]!, packet.payload[packet.payloadBytes - 1]!, packet.lsn])
  }
  expect(parts).toEqual([
    [0, 23, 0],
    [24, 47, 24],
    [48, 59, 48],
  ])
})

test('where responses are acknowledged, they request an ACK at intervals and with the last of a READ', () => {
  const flagsOf = (given: Partial<ConnectionValues>, ackInterval?: number): number[] => {
    const bench = new Bench(given, ackInterval)
    bench.read(0, 10, ackInterval === undefined ? 2 : 5)
    const packet = new VerbsPacket(MTU)
    const flags: number[] = []
    while (bench.responses.pollTransmit(0, packet)) flags.push(packet.flags & ACK_REQUEST)
    return flags
  }
  expect([flagsOf({}), flagsOf({ lsnWindowBytes: 9 * MTU }), flagsOf({ mode: 'irn' })]).toEqual([
    [0, 0],
    [ACK_REQUEST, ACK_REQUEST],
    [ACK_REQUEST, ACK_REQUEST],
  ])
  expect(flagsOf({ mode: 'irn' }, 2)).toEqual([0, ACK_REQUEST, 0, ACK_REQUEST, ACK_REQUEST])
})
