/** Responses of READs and atomics, request by request: which leave, which leave again, and when a window holds them. */
import { describe, expect, test } from 'vitest'
import { assert } from '../base/assert.ts'
import { NEVER_PS } from '../base/params.ts'
import { FIRST, LAST } from '../transport/segment.ts'
import {
  COMPARE_SWAP,
  FETCH_ADD,
  READ_ACK,
  READ_NACK,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  READ_RESPONSE_ONLY,
} from '../wire/opcodes.ts'
import { LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ } from './access.ts'
import { CONNECTION_DEFAULTS, type ConnectionValues, type Mode } from './connection-values.ts'
import { Device } from './device.ts'
import { VerbsPacket } from './packet.ts'
import { ResponseQueue } from './response-queue.ts'

const MTU = 1024

/** A response queue over memory of 8 words. READs are not of memory, unless told. */
class Bench {
  nowPs = 0
  readonly device = new Device({ draw: () => 1 })
  readonly region = this.device.register(
    this.device.allocateDomain(),
    LOCAL_WRITE | REMOTE_READ | REMOTE_ATOMIC,
    new Uint8Array(64),
  )
  readonly queue: ResponseQueue

  constructor(values: Partial<ConnectionValues> = {}) {
    this.queue = new ResponseQueue({ ...CONNECTION_DEFAULTS, remoteQp: 2, ...values })
  }

  /** Stores a READ with that read_WQE_SN, of so many bytes. */
  store(sn: number, psn: number, lengthBytes: number, region = false): void {
    const packet = Object.assign(new VerbsPacket(MTU), { opcode: READ_REQUEST_OPCODE, lengthBytes })
    packet.virtualAddress = this.region.address
    this.queue.store(this.nowPs, sn, psn, packet, region ? this.region : null)
  }

  /** Stores and executes one of so many full packets. */
  read(sn: number, psn: number, packets: number): void {
    this.store(sn, psn, packets * MTU)
    assert(this.queue.execute(), 'a request is not executed')
  }

  atomic(opcode: number, sn: number, fields: Partial<VerbsPacket>): void {
    const packet = Object.assign(new VerbsPacket(MTU), { opcode, virtualAddress: this.region.address }, fields)
    this.queue.store(this.nowPs, sn, sn, packet, this.region)
    assert(this.queue.execute(), 'a request is not executed')
  }

  /** PSNs that leave now, at most so many. */
  leaves(most = 20): number[] {
    const packet = new VerbsPacket(MTU)
    const left: number[] = []
    while (left.length < most && this.queue.poll(this.nowPs, packet)) left.push(packet.psn)
    return left
  }

  /** READ-ACK with that PSN, and the next byte expected. */
  ack(psn: number, lsn = 0): void {
    const fields = { opcode: READ_ACK, psn, sackPsn: psn, lsn }
    this.queue.onReadAck(this.nowPs, Object.assign(new VerbsPacket(MTU), fields))
  }

  nack(psn: number, sackPsn: number): void {
    const fields = { opcode: READ_NACK, psn, sackPsn }
    this.queue.onReadAck(this.nowPs, Object.assign(new VerbsPacket(MTU), fields))
  }
}

describe('requests', () => {
  test('there is room for as many as were agreed', () => {
    const bench = new Bench({ readsIn: 2 })
    const roomFor = () => [0, 1, 2, 3].filter((sn) => bench.queue.hasRoom(sn))
    expect(roomFor()).toEqual([0, 1])
    bench.read(0, 10, 2)
    // Its responses have not left: it is outstanding, and the slot that 2 would take is its own.
    expect(roomFor()).toEqual([1])
    expect(bench.leaves(1)).toHaveLength(1)
    expect(roomFor()).toEqual([1])
    bench.leaves()
    expect(roomFor()).toEqual([1, 2])
  })

  test('none is executed before it has come', () => {
    const bench = new Bench()
    bench.store(1, 11, 8)
    expect(bench.queue.nextPsn).toBe(Infinity)
    expect(() => bench.queue.execute()).toThrow('a request is executed that has not come')
  })

  test('none is executed whose memory has been taken away meanwhile', () => {
    const bench = new Bench()
    bench.store(0, 10, 8, true)
    bench.device.invalidate(bench.region.key)
    expect([bench.queue.execute(), bench.queue.executed, bench.leaves()]).toEqual([false, 0, []])
  })
})

/** Three READs; of the second, of three responses, the memory goes. Responses have the PSNs from 10 on. */
function denying(mode: Mode, left: number): Bench {
  const bench = new Bench({ mode, receivePsn: 10 })
  bench.read(0, 10, 2)
  bench.store(1, 12, 3 * MTU, true)
  bench.queue.execute()
  bench.read(2, 15, 1)
  bench.leaves(left)
  bench.device.invalidate(bench.region.key)
  return bench
}

function denial({ queue }: Bench): unknown[] {
  const said = [queue.deniedPsn, queue.isDeniedAgain]
  queue.deniedPsn = -1
  return said
}

describe.each(['roce', 'irn'] as const)('%s: memory that is taken away while responses leave', (mode) => {
  test('none of it leaves any more, nor any behind it, and it is denied once', () => {
    const bench = denying(mode, 3)
    expect([bench.leaves(), denial(bench)]).toEqual([[], [mode === 'irn' ? 12 : 13, false]])
    expect([bench.leaves(), denial(bench)[0], bench.queue.nextSendPs(0)]).toEqual([[], -1, NEVER_PS])
    // IRN: those before it have to be there.
    expect(bench.queue.isIdle).toBe(mode === 'roce')
    bench.ack(11)
    expect(bench.queue.isIdle).toBe(true)
  })

  test('what had left is denied when it should leave again, and those behind it leave', () => {
    const bench = denying(mode, 20)
    expect(bench.queue.deniedPsn).toBe(-1)
    if (mode === 'roce') bench.queue.replay(13)
    else {
      bench.ack(11)
      bench.nack(12, 13)
    }
    expect([bench.leaves(), denial(bench)]).toEqual([[], [mode === 'irn' ? 12 : 13, true]])
    expect(bench.leaves()).toEqual(mode === 'irn' ? [] : [15])
  })
})

describe('atomics', () => {
  test('compare all 64 bits, and swap only what is equal', () => {
    const bench = new Bench()
    const { region } = bench
    const word = () => [region.high(region.address), region.low(region.address)]
    region.setWord(region.address, 1, 5)
    bench.atomic(COMPARE_SWAP, 0, { compareHigh: 2, compareLow: 5, swapHigh: 7, swapLow: 8 })
    bench.atomic(COMPARE_SWAP, 1, { compareHigh: 1, compareLow: 6, swapHigh: 7, swapLow: 8 })
    expect(word()).toEqual([1, 5])
    bench.atomic(COMPARE_SWAP, 2, { compareHigh: 1, compareLow: 5, swapHigh: 7, swapLow: 8 })
    expect(word()).toEqual([7, 8])
  })

  test('carry into the high half, and out of it', () => {
    const bench = new Bench()
    const { region } = bench
    region.setWord(region.address, 0xffff_ffff, 0xffff_ffff)
    bench.atomic(FETCH_ADD, 0, { swapHigh: 0, swapLow: 1 })
    expect([region.high(region.address), region.low(region.address)]).toEqual([0, 0])
  })
})

test('a response is filled in whatever the packet was before', () => {
  const bench = new Bench()
  bench.store(0, 10, 2500)
  bench.store(1, 13, 8)
  bench.queue.execute()
  bench.queue.execute()
  const packet = Object.assign(new VerbsPacket(MTU), { isAckRequested: true, isSolicited: true, hasPayload: true })
  const seen: unknown[] = []
  while (bench.queue.poll(0, packet)) seen.push([packet.psn, packet.opcode, packet.payloadBytes, packet.flags])
  expect(seen).toEqual([
    [10, READ_RESPONSE_FIRST, 1024, FIRST],
    [11, READ_RESPONSE_MIDDLE, 1024, 0],
    [12, READ_RESPONSE_LAST, 452, LAST],
    [13, READ_RESPONSE_ONLY, 8, FIRST | LAST],
  ])
  expect([packet.isAckRequested, packet.isSolicited, packet.hasPayload]).toEqual([false, false, false])
})

describe('RoCE: responses have the PSNs of their requests', () => {
  test('a READ that is executed meanwhile waits for the one before it; a WRITE between them has its own PSN', () => {
    const bench = new Bench()
    bench.read(0, 10, 3)
    expect(bench.leaves(1)).toEqual([10])
    bench.read(1, 14, 2)
    expect([bench.leaves(), bench.queue.isIdle]).toEqual([[11, 12, 14, 15], true])
  })

  test('a request that comes again brings its responses again, and all behind them', () => {
    const bench = new Bench()
    bench.read(0, 10, 3)
    bench.read(1, 14, 2)
    bench.leaves()
    const again = [11, 15, 14, 10].map((psn) => {
      bench.queue.replay(psn)
      return bench.leaves()
    })
    expect(again).toEqual([[11, 12, 14, 15], [15], [14, 15], [10, 11, 12, 14, 15]])
    expect(bench.queue.retransmissions).toBe(12)
  })

  test('one whose responses have not left yet changes nothing', () => {
    const bench = new Bench()
    bench.read(0, 10, 4)
    bench.read(1, 14, 2)
    bench.leaves(2)
    for (const psn of [12, 13, 15]) bench.queue.replay(psn)
    expect([bench.leaves(1), bench.queue.retransmissions]).toEqual([[12], 0])
    bench.queue.replay(11)
    expect(bench.leaves()).toEqual([11, 12, 13, 14, 15])
  })

  test('nor does the PSN of a WRITE between two READs, or of a READ that waits to be executed', () => {
    const bench = new Bench({ readsIn: 2 })
    bench.read(0, 10, 2)
    bench.read(1, 13, 2)
    bench.leaves()
    bench.store(2, 16, MTU)
    for (const psn of [9, 12, 15, 16]) bench.queue.replay(psn)
    expect(bench.leaves()).toEqual([])
  })

  test('who asks for one more has all the responses of the READ whose slot it takes', () => {
    const bench = new Bench({ readsIn: 2 })
    bench.read(0, 10, 2)
    bench.read(1, 13, 2)
    bench.leaves(1)
    bench.read(2, 15, 1)
    expect(bench.leaves()).toEqual([13, 14, 15])
    bench.read(3, 16, 1)
    expect(bench.leaves()).toEqual([16])
  })

  test('memory that is taken away: what had left in part is denied again, and then for good where it had come to', () => {
    const bench = denying('roce', 4)
    bench.queue.replay(10)
    expect([bench.leaves(), denial(bench)]).toEqual([
      [10, 11],
      [12, true],
    ])
    expect([bench.leaves(), denial(bench), bench.queue.isIdle]).toEqual([[], [14, false], true])
  })

  test('has no timeouts: the requester asks again', () => {
    const bench = new Bench({ retryLimit: 0 })
    bench.read(0, 10, 1)
    bench.leaves()
    expect(bench.queue.onTimeout(NEVER_PS - 1)).toBe(true)
  })
})

describe('RoCE: the byte window of responses (S4 3.1)', () => {
  const values = { lsnWindowBytes: 2 * MTU }

  test('is moved by READ-ACKs, not back by old ones, and not beyond what there is', () => {
    const bench = new Bench(values)
    bench.read(0, 10, 6)
    expect(bench.leaves()).toEqual([10, 11])
    for (const lsn of [MTU, 0]) bench.ack(10, lsn)
    expect(bench.leaves()).toEqual([12])
    bench.ack(10, 6 * MTU + 1)
    expect([bench.leaves(), bench.queue.nextSendPs(0)]).toEqual([[], NEVER_PS])
    bench.ack(12, 3 * MTU)
    expect(bench.leaves()).toEqual([13, 14])
  })

  test('is moved to the very end, so that the next READ has all of it', () => {
    const bench = new Bench(values)
    bench.read(0, 10, 2)
    bench.leaves()
    bench.ack(11, 2 * MTU)
    bench.read(1, 12, 3)
    expect(bench.leaves()).toEqual([12, 13])
  })

  test('is moved by a request that comes again, for who asks has all before, and never back', () => {
    const bench = new Bench(values)
    bench.read(0, 10, 6)
    expect(bench.leaves()).toEqual([10, 11])
    bench.queue.replay(12)
    expect(bench.leaves()).toEqual([12, 13])
    bench.queue.replay(10)
    expect(bench.leaves()).toEqual([10, 11, 12, 13])
  })

  test('is not moved by one that waits to be executed: its responses have no bytes yet', () => {
    const bench = new Bench(values)
    bench.read(0, 10, 5)
    expect(bench.leaves()).toEqual([10, 11])
    bench.store(1, 15, MTU)
    bench.queue.replay(15)
    expect(bench.leaves()).toEqual([])
  })

  test('counts no bytes of atomics', () => {
    const bench = new Bench(values)
    bench.store(0, 0, 1000)
    bench.queue.execute()
    bench.atomic(FETCH_ADD, 1, { swapLow: 1 })
    bench.store(2, 2, 500)
    bench.queue.execute()
    const packet = new VerbsPacket(MTU)
    const lsns: number[] = []
    while (bench.queue.poll(0, packet)) lsns.push(packet.lsn)
    expect(lsns).toEqual([0, 1000, 1000])
  })
})

describe('IRN: responses have a space of their own, which is answered (S3 5.2)', () => {
  const irn = { mode: 'irn', receivePsn: 100 } as const

  test('idle is who has an answer to all responses', () => {
    const bench = new Bench(irn)
    expect(bench.queue.isIdle).toBe(true)
    bench.read(0, 10, 2)
    expect([bench.leaves(), bench.queue.isIdle]).toEqual([[100, 101], false])
    bench.ack(101)
    expect(bench.queue.isIdle).toBe(true)
  })

  test('a READ-NACK brings again what it misses, a READ-ACK that comes twice brings nothing', () => {
    const bench = new Bench(irn)
    bench.read(0, 10, 4)
    bench.leaves()
    bench.ack(100)
    bench.ack(100)
    expect(bench.leaves()).toEqual([])
    bench.nack(101, 102)
    expect([bench.leaves(), bench.queue.retransmissions]).toEqual([[101], 1])
  })

  test('an answer to what has not left is not heard', () => {
    const bench = new Bench(irn)
    bench.read(0, 10, 4)
    expect(bench.leaves(2)).toEqual([100, 101])
    bench.ack(102)
    expect([bench.queue.space!.una, bench.leaves()]).toEqual([100, [102, 103]])
  })

  test('who asks for one more has all the responses of the READ whose slot it takes', () => {
    const bench = new Bench({ ...irn, readsIn: 2 })
    bench.read(0, 10, 3)
    bench.read(1, 11, 2)
    bench.leaves()
    expect(bench.queue.space!.una).toBe(100)
    bench.store(2, 12, MTU)
    expect(bench.queue.space!.una).toBe(103)
  })

  describe('timeouts', () => {
    /** What onTimeout() says at the next deadline. */
    const expire = (bench: Bench): boolean => {
      bench.nowPs = bench.queue.space!.deadlinePs
      const isAlive = bench.queue.onTimeout(bench.nowPs)
      bench.leaves()
      return isAlive
    }

    test('are survived as often as was agreed, in a row; progress starts the count anew', () => {
      const bench = new Bench({ ...irn, retryLimit: 1 })
      bench.read(0, 10, 3)
      bench.leaves()
      expect(bench.queue.onTimeout(1)).toBe(true)
      const heard = [100, 101].map((psn) => {
        const isAlive = expire(bench)
        bench.ack(psn)
        return isAlive
      })
      expect([heard, bench.queue.space!.timeouts]).toEqual([[true, true], 2])
      expect(expire(bench)).toBe(true)
      // Nothing new is no progress.
      bench.ack(101)
      expect(expire(bench)).toBe(false)
    })

    test('are survived for ever where no limit was agreed', () => {
      const bench = new Bench({ ...irn, retryLimit: null })
      bench.read(0, 10, 1)
      bench.leaves()
      expect([1, 2, 3].map(() => expire(bench))).toEqual([true, true, true])
    })
  })
})
