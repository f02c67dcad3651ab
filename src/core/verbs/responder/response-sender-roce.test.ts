/** Responses in RoCE mode: repeated requests, and the byte window. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS } from '../../base/params.ts'
import { RETRANSMITTED } from '../../transport/segment.ts'
import { COMPARE_SWAP, FETCH_ADD } from '../../wire/opcodes.ts'
import { VerbsPacket } from '../packet.ts'
import { Bench, MTU } from './response-sender.test-bench.ts'

describe('RoCE: responses are not acknowledged, and a repeated request implies all earlier ones', () => {
  test('a READ that is executed meanwhile waits for the one before it', () => {
    const bench = new Bench()
    bench.read(0, 10, 3)
    expect(bench.leaves(1)).toEqual([100])
    bench.read(1, 14, 2)
    expect([bench.responses.hasLeft, bench.responses.isIdle]).toEqual([false, false])
    expect(bench.leaves()).toEqual([101, 102, 103, 104])
    expect([bench.responses.hasLeft, bench.responses.isIdle]).toEqual([true, true])
  })

  test('a repeated request repeats its responses and all later ones', () => {
    const bench = new Bench()
    bench.read(0, 10, 3)
    bench.read(1, 14, 2)
    bench.leaves()
    const again = [14, 10].map((psn) => {
      bench.replay(psn)
      return bench.leaves()
    })
    expect(again).toEqual([
      [103, 104],
      [100, 101, 102, 103, 104],
    ])
    expect(bench.responses.retransmissions).toBe(7)
  })

  test('so does a request for the rest of a READ', () => {
    const bench = new Bench()
    bench.read(0, 10, 3)
    bench.read(1, 14, 2)
    bench.leaves()
    const packet = new VerbsPacket(MTU)
    bench.asksFrom(101)
    expect([bench.responses.pollTransmit(0, packet), packet.psn, packet.flags]).toEqual([true, 101, RETRANSMITTED])
    expect(bench.leaves()).toEqual([102, 103, 104])
    bench.asksFrom(104)
    expect(bench.leaves()).toEqual([104])
  })

  test('one whose responses have not left yet changes nothing', () => {
    const bench = new Bench()
    bench.read(0, 10, 4)
    bench.read(1, 14, 2)
    bench.leaves(2)
    for (const response of [102, 103, 105]) bench.asksFrom(response)
    bench.replay(14)
    expect([bench.leaves(1), bench.responses.retransmissions]).toEqual([[102], 0])
    bench.asksFrom(101)
    expect(bench.leaves()).toEqual([101, 102, 103, 104, 105])
  })

  test('nor does the PSN of a WRITE between two READs, of a READ that waits for execution, or of one whose slot was reused', () => {
    const bench = new Bench({ readsIn: 2 })
    bench.read(0, 10, 2)
    bench.read(1, 13, 2)
    bench.leaves()
    bench.store(2, 16, MTU)
    for (const psn of [9, 10, 11, 12, 14, 16]) bench.replay(psn)
    expect(bench.leaves()).toEqual([])
  })

  test('a request that reuses a slot acknowledges all responses of the READ in it', () => {
    const bench = new Bench({ readsIn: 2 })
    bench.read(0, 10, 2)
    bench.read(1, 13, 2)
    bench.leaves()
    bench.replay(10)
    expect(bench.leaves(1)).toEqual([100])
    bench.read(2, 15, 1)
    expect(bench.leaves()).toEqual([102, 103, 104])
    bench.read(3, 16, 1)
    expect(bench.leaves()).toEqual([105])
  })

  test('there are no timeouts: the requester asks again', () => {
    const bench = new Bench({ retryLimit: 0 })
    bench.read(0, 10, 1)
    bench.leaves()
    expect(bench.responses.nextTimeoutPs).toBe(NEVER_PS)
  })
})

describe('RoCE: the byte window of responses ([LDCP] 3.1)', () => {
  const values = { lsnWindowBytes: 2 * MTU }

  test('is moved by READ-ACKs, not back by old ones, and not beyond what has left', () => {
    const bench = new Bench(values)
    bench.read(0, 10, 6)
    expect(bench.leaves()).toEqual([100, 101])
    bench.ack(100)
    bench.ack(99)
    expect(bench.leaves()).toEqual([102])
    bench.ack(103)
    expect([bench.leaves(), bench.responses.nextSendPs]).toEqual([[], NEVER_PS])
    bench.ack(102)
    expect(bench.leaves()).toEqual([103, 104])
    expect([bench.responses.hasLeft, bench.responses.isIdle]).toEqual([false, false])
  })

  test('is moved to the very end, so that the next READ has all of it', () => {
    const bench = new Bench(values)
    bench.read(0, 10, 2)
    bench.leaves()
    bench.ack(101)
    expect(bench.responses.isIdle).toBe(true)
    bench.read(1, 12, 3)
    expect(bench.leaves()).toEqual([102, 103])
  })

  test('is moved by a request for the rest of a READ, which implies all earlier responses, and never back', () => {
    const bench = new Bench(values)
    bench.read(0, 10, 6)
    expect(bench.leaves()).toEqual([100, 101])
    bench.asksFrom(102)
    expect(bench.leaves()).toEqual([102, 103])
    // Acknowledged responses do not leave again.
    bench.replay(10)
    expect(bench.leaves()).toEqual([102, 103])
  })

  test('does not count bytes of atomics', () => {
    const bench = new Bench()
    bench.store(0, 0, 1000)
    bench.execute()
    bench.atomic(FETCH_ADD, 1, { swapLow: 1 })
    bench.store(2, 2, 500)
    bench.execute()
    const packet = new VerbsPacket(MTU)
    const lsns: number[] = []
    while (bench.responses.pollTransmit(0, packet)) lsns.push(packet.lsn)
    expect(lsns).toEqual([0, 1000, 1000])
  })

  test('byte sequence numbers have 32 bits', () => {
    const mtuBytes = 2 ** 30
    const bench = new Bench({ mtuBytes })
    for (const sn of [0, 1]) {
      bench.store(sn, sn, 3 * mtuBytes)
      bench.execute()
    }
    const packet = new VerbsPacket(0)
    const lsns: number[] = []
    while (bench.responses.pollTransmit(0, packet)) lsns.push(packet.lsn / mtuBytes)
    expect(lsns).toEqual([0, 1, 2, 3, 0, 1])
  })
})

test('a congestion window that counts bytes takes an atomic and a short response for what they carry ([LDCP] 3.1)', () => {
  const leavesWith = (bytesCounted: number): number[] => {
    const bench = new Bench({ lsnWindowBytes: 2 ** 31 - 1 })
    Object.assign(bench.responses.congestion, { windowPackets: 2, bytesCounted })
    bench.store(0, 0, MTU / 2)
    bench.execute()
    bench.atomic(COMPARE_SWAP, 1, { compareLow: 0, swapLow: 1 })
    bench.store(2, 2, MTU * 2.5)
    bench.execute()
    return bench.leaves()
  }
  expect([leavesWith(0), leavesWith(1)]).toEqual([
    [100, 101],
    [100, 101, 102],
  ])
})
