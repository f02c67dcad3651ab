/** Invalid requests, one by one: the verdict of the inbound check (IBTA 9.7.4.1, 9.7.5.2.8). */
import { describe, expect, test } from 'vitest'
import {
  SYNDROME_INVALID_REQUEST as INVALID,
  SYNDROME_REMOTE_ACCESS as NO_ACCESS,
  SYNDROME_REMOTE_OPERATION as NO_BUFFER,
  SYNDROME_RNR as NOT_READY,
} from '../../wire/aeth.ts'
import {
  ACKNOWLEDGE,
  COMPARE_SWAP,
  FETCH_ADD,
  READ_REQUEST_OPCODE,
  SEND_FIRST,
  SEND_LAST,
  SEND_LAST_INVALIDATE,
  SEND_MIDDLE,
  SEND_ONLY,
  SEND_ONLY_IMMEDIATE,
  SEND_ONLY_INVALIDATE,
  WRITE_FIRST,
  WRITE_LAST,
  WRITE_LAST_IMMEDIATE,
  WRITE_MIDDLE,
  WRITE_ONLY,
  WRITE_ONLY_IMMEDIATE,
} from '../../wire/opcodes.ts'
import { LOCAL_WRITE, REMOTE_ATOMIC, REMOTE_READ, REMOTE_WRITE } from '../access.ts'
import { CONNECTION_DEFAULTS, type Mode } from '../connection/values.ts'
import { Device } from '../device.ts'
import { InboundCheck } from './inbound-check.ts'
import type { MemoryRegion } from '../memory-region.ts'
import { VerbsPacket } from '../packet.ts'
import { ReceiveQueue } from '../queues/receive-queue.ts'
import { ResponseSender } from './response-sender.ts'
import { plainSchemes } from '../plain-schemes.ts'

const GOOD = 0
const MTU = 1024
const ALL = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC

/** A responder of one domain with memory of 4000 bytes; no Receive WQE is posted. */
class Bench {
  readonly device = new Device({ draw: () => 1 })
  readonly domain = this.device.allocateDomain()
  readonly region = this.device.register(this.domain, ALL, new Uint8Array(4000))
  readonly receives = new ReceiveQueue(8)
  readonly check: InboundCheck
  readonly responses: ResponseSender

  constructor(mode: Mode) {
    const values = { ...CONNECTION_DEFAULTS, mode, remoteQp: 2, readsIn: 2 }
    const host = { creditSyndrome: 0, msn: 0, onDenied: () => {}, onRetriesExceeded: () => {} }
    this.responses = new ResponseSender(host, values, plainSchemes(values, { draw: () => 1 }))
    const { device, domain, receives } = this
    const regionOf = (key: number): MemoryRegion | null => device.regionOf(key)
    this.check = new InboundCheck({ domain, receives, shared: null, isShared: false, regionOf }, values, this.responses)
  }

  post(lengthBytes = 4000, region: MemoryRegion | null = this.region): void {
    this.receives.post({ id: 1, region, address: region?.address ?? 0, lengthBytes })
  }

  /** A packet that is valid but for the given fields: for a WRITE one of its own payload, otherwise the first one. */
  packet(opcode: number, fields: Partial<VerbsPacket> = {}): VerbsPacket {
    const packet = new VerbsPacket(MTU)
    const payloadBytes = fields.payloadBytes ?? MTU
    const { key, address } = this.region
    return Object.assign(
      packet,
      { opcode, payloadBytes, key, virtualAddress: address, lengthBytes: payloadBytes },
      fields,
    )
  }

  judge(opcode: number, fields: Partial<VerbsPacket> = {}, isInOrder = true): number {
    return this.check.judge(this.packet(opcode, fields), isInOrder ? 0 : 3)
  }

  /** Judges and accepts one after the other; returns the verdicts. */
  takes(...packets: readonly (readonly [number, Partial<VerbsPacket>?])[]): number[] {
    return packets.map(([opcode, fields = {}]) => {
      const packet = this.packet(opcode, fields)
      const verdict = this.check.judge(packet, 0)
      if (verdict === GOOD) this.check.onAccepted(packet)
      return verdict
    })
  }
}

describe.each(['roce', 'irn'] as const)('%s', (mode) => {
  const bench = (): Bench => new Bench(mode)

  test('payload is full except in the last packet, which has some unless it is the only one', () => {
    const judge = (...of: Parameters<Bench['judge']>): number => bench().judge(...of)
    expect([
      judge(WRITE_FIRST, { payloadBytes: MTU - 1, lengthBytes: 3000 }),
      judge(WRITE_ONLY, { payloadBytes: MTU + 1 }),
      judge(WRITE_LAST, { payloadBytes: 0 }),
      judge(WRITE_ONLY, { payloadBytes: 0 }),
      judge(WRITE_ONLY, { payloadBytes: 1 }),
    ]).toEqual([INVALID, INVALID, INVALID, GOOD, GOOD])
  })

  test('an opcode that is not a request', () => {
    expect(bench().judge(ACKNOWLEDGE)).toBe(INVALID)
  })

  test('more payload than the WRITE announces', () => {
    expect(bench().judge(WRITE_ONLY, { payloadBytes: 100, lengthBytes: 99 })).toBe(INVALID)
  })

  test('a WRITE of no bytes needs no memory, and one of a byte does', () => {
    expect(bench().judge(WRITE_ONLY, { payloadBytes: 0, key: 5 })).toBe(GOOD)
    expect(bench().judge(WRITE_ONLY, { payloadBytes: 1, key: 5 })).toBe(NO_ACCESS)
  })

  test('no message is longer than 2^31 bytes, whatever its destination', () => {
    const verdicts = [2 ** 31, 2 ** 31 + 1].flatMap((lengthBytes) => [
      bench().judge(READ_REQUEST_OPCODE, { lengthBytes }),
      bench().judge(WRITE_FIRST, { lengthBytes }),
    ])
    // IRN packets need only their own part of the region.
    expect(verdicts).toEqual([NO_ACCESS, mode === 'irn' ? GOOD : NO_ACCESS, INVALID, INVALID])
  })

  test('a WRITE with immediate needs a Receive WQE with its last packet, a READ or a plain WRITE none', () => {
    const verdicts = [WRITE_ONLY_IMMEDIATE, WRITE_ONLY, READ_REQUEST_OPCODE].map((opcode) => bench().judge(opcode))
    expect(verdicts).toEqual([NOT_READY, GOOD, GOOD])
    const ready = bench()
    ready.post(0, null)
    expect(ready.judge(WRITE_ONLY_IMMEDIATE)).toBe(GOOD)
    expect([ready.check.hasCompletion, ready.check.hasImmediate, ready.check.messageBytes]).toEqual([true, true, MTU])
  })

  test('a SEND into a buffer that is too short, not writable, or not needed', () => {
    const short = bench()
    short.post(1000)
    expect([short.judge(SEND_ONLY, { payloadBytes: 1001 }), short.check.isTooLong]).toEqual([INVALID, true])
    expect([short.judge(SEND_ONLY, { payloadBytes: 1000 }), short.check.isTooLong]).toEqual([GOOD, false])
    const closed = bench()
    closed.post(1000, closed.device.register(closed.domain, REMOTE_READ, new Uint8Array(1000)))
    expect([closed.judge(SEND_ONLY, { payloadBytes: 8 }), closed.judge(SEND_ONLY, { payloadBytes: 0 })]).toEqual([
      NO_BUFFER,
      GOOD,
    ])
    // A region of another device: its domain has the same number, and its key may be one of ours.
    const foreign = bench()
    foreign.post(1000, bench().region)
    expect(foreign.judge(SEND_ONLY, { payloadBytes: 8 })).toBe(NO_BUFFER)
    const counted = bench()
    counted.post(1000, null)
    expect(counted.judge(SEND_ONLY, { payloadBytes: 8 })).toBe(GOOD)
  })

  test('a SEND with invalidate needs a valid key of the domain', () => {
    const ready = bench()
    ready.post()
    const { device } = ready
    const foreign = device.register(device.allocateDomain(), ALL, new Uint8Array(8))
    const gone = device.register(ready.domain, ALL, new Uint8Array(8))
    device.invalidate(gone.key)
    const verdicts = [12_345, foreign.key, gone.key, ready.region.key].map((invalidateKey) =>
      ready.judge(SEND_ONLY_INVALIDATE, { payloadBytes: 8, invalidateKey }),
    )
    expect(verdicts).toEqual([NO_ACCESS, NO_ACCESS, NO_ACCESS, GOOD])
    expect(ready.check.hasInvalidate).toBe(true)
    // Nothing of it is left for the next.
    ready.judge(SEND_ONLY_IMMEDIATE, { payloadBytes: 8 })
    expect([ready.check.hasInvalidate, ready.check.hasImmediate]).toEqual([false, true])
    ready.judge(WRITE_ONLY)
    expect([ready.check.hasCompletion, ready.check.hasImmediate]).toEqual([false, false])
  })

  test('a SEND with invalidate cannot name memory without remote rights', () => {
    const ready = bench()
    ready.post()
    const verdicts = [0, LOCAL_WRITE, REMOTE_READ].map((access) => {
      const { key: invalidateKey } = ready.device.register(ready.domain, access, new Uint8Array(8))
      return ready.judge(SEND_ONLY_INVALIDATE, { payloadBytes: 8, invalidateKey })
    })
    expect(verdicts).toEqual([NO_ACCESS, NO_ACCESS, GOOD])
  })

  test('READs and atomics need memory with that right for all their bytes; words at multiples of eight', () => {
    const one = bench()
    const { region } = one
    const judge = (...of: Parameters<Bench['judge']>): number => one.judge(...of)
    const verdicts = [
      judge(READ_REQUEST_OPCODE, { lengthBytes: 4000 }),
      judge(READ_REQUEST_OPCODE, { lengthBytes: 4001 }),
      judge(READ_REQUEST_OPCODE, { lengthBytes: 8, key: 5 }),
      judge(READ_REQUEST_OPCODE, { lengthBytes: 0, key: 5 }),
      judge(READ_REQUEST_OPCODE, { lengthBytes: 8, virtualAddress: region.address + 1 }),
      judge(COMPARE_SWAP, { virtualAddress: region.address + 1 }),
      judge(COMPARE_SWAP, { virtualAddress: region.address + 8 }),
      judge(COMPARE_SWAP, { virtualAddress: region.address + 4000 }),
    ]
    expect(verdicts).toEqual([GOOD, NO_ACCESS, NO_ACCESS, GOOD, GOOD, INVALID, GOOD, NO_ACCESS])
  })

  test.each([COMPARE_SWAP, FETCH_ADD])('operation %i: a word that begins within another is refused', (operation) => {
    const one = bench()
    const { region } = one
    const judge = (offset: number): number => one.judge(operation, { virtualAddress: region.address + offset })
    expect([0, 1, 2, 4, 6, 8, 12, 16].map(judge)).toEqual([
      GOOD,
      INVALID,
      INVALID,
      INVALID,
      INVALID,
      GOOD,
      INVALID,
      GOOD,
    ])
  })

  test('each operation needs its own right', () => {
    const ready = bench()
    const { key } = ready.device.register(ready.domain, REMOTE_READ, new Uint8Array(4000))
    const virtualAddress = ready.device.regionOf(key)!.address
    const verdicts = [READ_REQUEST_OPCODE, WRITE_ONLY, COMPARE_SWAP].map((opcode) =>
      ready.judge(opcode, { key, virtualAddress, payloadBytes: 8 }),
    )
    expect(verdicts).toEqual([GOOD, NO_ACCESS, NO_ACCESS])
  })
})

describe('RoCE: packets of a message follow each other', () => {
  test('a middle or last packet without a first, a first within a message, one kind within the other', () => {
    const verdicts = [
      [[WRITE_MIDDLE]],
      [[WRITE_LAST]],
      [
        [WRITE_FIRST, { lengthBytes: 3000 }],
        [WRITE_FIRST, { lengthBytes: 3000 }],
      ],
      [[WRITE_FIRST, { lengthBytes: 3000 }], [SEND_MIDDLE]],
      [[SEND_FIRST], [WRITE_LAST]],
      [[SEND_FIRST], [READ_REQUEST_OPCODE]],
      [[SEND_FIRST], [SEND_MIDDLE], [SEND_LAST], [WRITE_ONLY]],
    ].map((packets) => {
      const bench = new Bench('roce')
      bench.post()
      return bench.takes(...(packets as [number, Partial<VerbsPacket>?][]))
    })
    expect(verdicts).toEqual([
      [INVALID],
      [INVALID],
      [GOOD, INVALID],
      [GOOD, INVALID],
      [GOOD, INVALID],
      [GOOD, INVALID],
      [GOOD, GOOD, GOOD, GOOD],
    ])
  })

  test('a WRITE carries exactly as many bytes as its first packet announces', () => {
    const rest = (payloadBytes: number): number[] =>
      new Bench('roce').takes(
        [WRITE_FIRST, { lengthBytes: 2 * MTU + 8 }],
        [WRITE_MIDDLE, { key: 5, virtualAddress: 0 }],
        [WRITE_LAST, { payloadBytes, key: 5, virtualAddress: 0 }],
      )
    expect([rest(8), rest(9), rest(7)]).toEqual([
      [GOOD, GOOD, GOOD],
      [GOOD, GOOD, INVALID],
      [GOOD, GOOD, INVALID],
    ])
    expect(new Bench('roce').takes([WRITE_FIRST, { lengthBytes: 1500 }], [WRITE_MIDDLE])).toEqual([GOOD, INVALID])
  })

  test('its first packet is refused for memory that only a later one would need', () => {
    const bench = new Bench('roce')
    expect(bench.judge(WRITE_FIRST, { lengthBytes: 4001 })).toBe(NO_ACCESS)
    expect(bench.judge(WRITE_FIRST, { lengthBytes: 4000 })).toBe(GOOD)
  })

  test('a message that starts again starts with its first packet', () => {
    const bench = new Bench('roce')
    bench.post()
    bench.takes([SEND_FIRST], [SEND_MIDDLE])
    bench.check.forget(2)
    expect(bench.takes([SEND_MIDDLE], [SEND_FIRST], [SEND_LAST, { payloadBytes: 8 }])).toEqual([INVALID, GOOD, GOOD])
    expect(bench.check.messageBytes).toBe(MTU + 8)
  })

  test('one of which only the last packets are repeated continues after the others', () => {
    const bench = new Bench('roce')
    bench.post()
    bench.takes([SEND_FIRST], [SEND_MIDDLE])
    bench.check.forget(1)
    expect(bench.takes([SEND_FIRST], [SEND_MIDDLE], [SEND_LAST, { payloadBytes: 8 }])).toEqual([INVALID, GOOD, GOOD])
    expect(bench.check.messageBytes).toBe(2 * MTU + 8)
  })

  test('payload is placed after what arrived before it', () => {
    const bench = new Bench('roce')
    bench.post()
    bench.takes([SEND_FIRST])
    expect(bench.judge(SEND_LAST, { payloadBytes: 8 })).toBe(GOOD)
    expect(bench.check.address).toBe(bench.region.address + MTU)
    expect(bench.check.messageBytes).toBe(MTU + 8)
  })
})

describe('IRN: each packet is checked by itself ([IRN] 5.3)', () => {
  test('packets of a message arrive in any order, each with its own position and memory', () => {
    const bench = new Bench('irn')
    bench.post()
    const { address } = bench.region
    expect(bench.judge(WRITE_MIDDLE, { lengthBytes: 9000, virtualAddress: address + 2000 })).toBe(GOOD)
    expect(bench.check.address).toBe(address + 2000)
    expect(bench.judge(WRITE_FIRST, { lengthBytes: 9000 })).toBe(GOOD)
    expect(bench.judge(WRITE_MIDDLE, { lengthBytes: 9000, virtualAddress: address + 2977 })).toBe(NO_ACCESS)
    expect(bench.judge(SEND_LAST, { payloadBytes: 8, messageOffset: 3 })).toBe(GOOD)
    expect([bench.check.address, bench.check.messageBytes]).toEqual([address + 3 * MTU, 3 * MTU + 8])
    expect(bench.judge(READ_REQUEST_OPCODE)).toBe(GOOD)
  })

  test('the position of a packet fits its opcode', () => {
    const bench = new Bench('irn')
    bench.post()
    const verdicts = [
      bench.judge(SEND_FIRST, { messageOffset: 1 }),
      bench.judge(SEND_MIDDLE, { messageOffset: 0 }),
      bench.judge(SEND_LAST, { messageOffset: 0 }),
      bench.judge(SEND_ONLY, { messageOffset: 2 }),
      bench.judge(WRITE_ONLY, { payloadBytes: 8, lengthBytes: 1_000_000 }),
      bench.judge(WRITE_FIRST, { lengthBytes: MTU }),
      bench.judge(WRITE_LAST, { payloadBytes: 8, lengthBytes: 8 }),
    ]
    expect(verdicts).toEqual(verdicts.map(() => INVALID))
  })

  test('in order, the WQE sequence numbers must be the next ones', () => {
    const bench = new Bench('irn')
    bench.post()
    bench.post()
    const verdicts = [
      bench.judge(SEND_ONLY, { receiveSn: 1 }),
      bench.judge(SEND_LAST_INVALIDATE, { receiveSn: 1, messageOffset: 1, invalidateKey: bench.region.key }),
      bench.judge(WRITE_LAST_IMMEDIATE, { receiveSn: 1, lengthBytes: 2 * MTU }),
      bench.judge(READ_REQUEST_OPCODE, { readSn: 1 }),
      bench.judge(SEND_ONLY, { receiveSn: 0 }),
      bench.judge(READ_REQUEST_OPCODE, { readSn: 0 }),
    ]
    expect(verdicts).toEqual([INVALID, INVALID, INVALID, INVALID, GOOD, GOOD])
  })

  test('early, they may be any within the room there is', () => {
    const bench = new Bench('irn')
    bench.post()
    bench.post()
    const early = (opcode: number, fields: Partial<VerbsPacket>): number => bench.judge(opcode, fields, false)
    const sends = [0, 1, 2].map((receiveSn) => early(SEND_ONLY, { receiveSn }))
    expect(sends).toEqual([GOOD, GOOD, NOT_READY])
    expect(bench.check.receiveSn).toBe(2)
    const reads = [0, 1, 2].map((readSn) => early(READ_REQUEST_OPCODE, { readSn }))
    expect(reads).toEqual([GOOD, GOOD, INVALID])
    bench.receives.drop()
    expect(early(SEND_ONLY, { receiveSn: 0 })).toBe(NOT_READY)
  })
})
