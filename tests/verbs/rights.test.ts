/** Keys invalidated while requests are outstanding: from then on they give no access (IBTA 10.6). */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import {
  FLUSHED,
  LOCAL_PROTECTION_ERROR,
  type MemoryRegion,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE,
  REMOTE_ACCESS_ERROR,
  REMOTE_OPERATION_ERROR,
} from '../../src/core/verbs/index.ts'
import { ACKNOWLEDGE, isReadResponse, READ_ACK, READ_REQUEST_OPCODE } from '../../src/core/wire/index.ts'
import { VerbsPair, type VerbsPairOptions } from '../support/verbs-pair.ts'

const NINE = 9
const to = ({ address, key }: MemoryRegion) => ({ remoteAddress: address, remoteKey: key })
const at = (region: MemoryRegion) => ({ region, address: region.address, lengthBytes: region.lengthBytes })
const nines = ({ bytes }: MemoryRegion): number => bytes!.filter((byte) => byte === NINE).length

describe.each(['roce', 'irn'] as const)('%s', (mode) => {
  const pairOf = (o: VerbsPairOptions = {}) => new VerbsPair({ ...o, values: { mode, ...o.values } })

  /** Bytes of memory at each end. */
  const memories = (pair: VerbsPair, lengthBytes: number): readonly [MemoryRegion, MemoryRegion] => [
    pair.a.memory(lengthBytes),
    pair.b.memory(lengthBytes),
  ]

  describe('a local key', () => {
    test('invalidated before a WRITE leaves: it fails when earlier ones are complete, and none after it leaves', () => {
      const pair = pairOf()
      const [near, far] = memories(pair, 4096)
      near.bytes!.fill(NINE)
      const good = pair.a.memory(4096)
      pair.a.post({ id: 0, operation: OP_WRITE, ...at(good), ...to(far) })
      pair.a.post({ id: 1, operation: OP_READ, ...at(good), ...to(far) })
      pair.a.post({ id: 2, operation: OP_WRITE, ...at(near), ...to(far) })
      pair.a.post({ id: 3, operation: OP_WRITE, ...at(good), ...to(far) })
      pair.a.device.invalidate(near.key)
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual(['0:0', '1:0', `2:${LOCAL_PROTECTION_ERROR}`, `3:${FLUSHED}`])
      expect([nines(far), pair.toB.sent < 12]).toEqual([0, true])
    })

    test('invalidated in the middle of a WRITE, or before a lost packet is sent again', () => {
      for (const lost of [false, true]) {
        const pair = pairOf()
        const [near, far] = memories(pair, 20 * 1024)
        let sent = 0
        pair.toB.rule((passage) => {
          if (passage.packet.payloadBytes > 0 && sent++ === 18 && lost) passage.copies = 0
        })
        pair.a.post({ id: 0, operation: OP_READ, ...at(pair.a.memory(8)), ...to(far) })
        pair.a.post({ id: 1, operation: OP_WRITE, ...at(near), ...to(far) })
        pair.run(lost ? 5 * US : US)
        pair.a.device.invalidate(near.key)
        const sentBefore = sent
        expect(pair.run()).toBe(true)
        expect(pair.a.log).toEqual(['0:0', `1:${LOCAL_PROTECTION_ERROR}`])
        expect([sentBefore, sent]).toEqual(lost ? [20, 20] : [5, 5])
      }
    })

    test.each([
      ['a READ', OP_READ],
      ['an atomic', OP_FETCH_ADD],
    ] as const)('invalidated under %s: no byte of the response is placed', (_name, operation) => {
      const pair = pairOf()
      const [near, far] = memories(pair, 4096)
      far.bytes!.fill(NINE)
      pair.a.post({ id: 0, operation, ...at(near), ...to(far) })
      pair.a.post({ id: 1, operation: OP_WRITE, ...to(far), lengthBytes: 8 })
      pair.run(US / 2)
      pair.a.device.invalidate(near.key)
      expect(pair.run()).toBe(true)
      expect([pair.a.log, nines(near)]).toEqual([[`0:${LOCAL_PROTECTION_ERROR}`, `1:${FLUSHED}`], 0])
    })

    test('invalidated under the second of two READs: the first succeeds, whichever is answered first', () => {
      const pair = pairOf()
      const [near, far] = memories(pair, 2048)
      far.bytes!.fill(NINE)
      const gone = pair.a.memory(2048)
      let responses = 0
      pair.toA.rule((passage) => {
        if (isReadResponse(passage.packet.opcode) && responses++ === 0) passage.latePs = 30 * US
      })
      pair.a.post({ id: 0, operation: OP_READ, ...at(near), ...to(far) })
      pair.a.post({ id: 1, operation: OP_READ, ...at(gone), ...to(far) })
      pair.run(US)
      pair.a.device.invalidate(gone.key)
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual(['0:0', `1:${LOCAL_PROTECTION_ERROR}`])
      expect([nines(near), nines(gone)]).toEqual([2048, 0])
    })

    test('is not needed where there are no bytes', () => {
      const pair = pairOf({ values: { initialCredits: 4 } })
      const near = pair.a.memory(64)
      pair.b.receive({ id: 0, region: null, address: 0, lengthBytes: 0 })
      pair.a.post({ id: 0, operation: OP_SEND, region: near, address: near.address, lengthBytes: 0 })
      pair.a.post({ id: 1, operation: OP_READ, region: near, address: near.address, lengthBytes: 0 })
      pair.a.device.invalidate(near.key)
      pair.run()
      expect(pair.a.log).toEqual(['0:0', '1:0'])
    })
  })
  test('a region of another device gives no access, though its domain has the same number', () => {
    const pair = pairOf({ values: { initialCredits: 4 } })
    const [near, far] = memories(pair, 64)
    expect([near.domain, near.key]).toEqual([far.domain, far.key])
    far.bytes!.fill(NINE)
    const target = pair.b.memory(64)
    pair.a.post({ id: 0, operation: OP_WRITE, ...at(far), ...to(target) })
    expect(pair.run()).toBe(true)
    pair.a.poll()
    expect([pair.a.log, nines(target)]).toEqual([[`0:${LOCAL_PROTECTION_ERROR}`], 0])
    const other = pairOf({ values: { initialCredits: 4 } })
    other.b.receive({ id: 0, ...at(other.a.memory(64)) })
    other.a.post({ id: 0, operation: OP_SEND, lengthBytes: 8 })
    expect(other.run()).toBe(true)
    expect(other.a.log).toEqual([`0:${REMOTE_OPERATION_ERROR}`])
  })

  describe('a remote key', () => {
    const isAnswer = (opcode: number): boolean => opcode === ACKNOWLEDGE

    test('invalidated in the middle of a READ: no further response leaves, and the READ is refused', () => {
      const pair = pairOf()
      const [near, far] = memories(pair, 640_000)
      far.bytes!.fill(NINE)
      const other = pair.b.memory(8)
      pair.a.post({ id: 0, operation: OP_READ, lengthBytes: 8, ...to(other) })
      pair.a.post({ id: 1, operation: OP_READ, ...at(near), ...to(far) })
      pair.a.post({ id: 2, operation: OP_READ, lengthBytes: 8, ...to(other) })
      pair.run(10 * US)
      pair.b.device.invalidate(far.key)
      const sent = pair.toA.sent
      const naks: number[] = []
      pair.toA.rule(({ packet: { opcode, syndrome } }) => {
        if (isAnswer(opcode)) naks.push(syndrome)
      })
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual(['0:0', `1:${REMOTE_ACCESS_ERROR}`, `2:${FLUSHED}`])
      expect([naks, pair.toA.sent - sent, pair.b.pair.state]).toEqual([[0x62], 1, 'error'])
      expect(nines(near)).toBe((sent - 1) * 1024 - (mode === 'irn' ? 3 * 1024 : 0))
    })

    test('invalidated when a lost response should leave again', () => {
      const pair = pairOf()
      const [near, far] = memories(pair, 4096)
      pair.toA.rule((passage) => {
        if (isReadResponse(passage.packet.opcode) && passage.packet.psn === 2) passage.copies = 0
      })
      pair.a.post({ id: 0, operation: OP_READ, ...at(near), ...to(far) })
      pair.a.post({ id: 1, operation: OP_WRITE, ...to(pair.b.memory(8)), lengthBytes: 8 })
      pair.run(2 * US)
      pair.b.device.invalidate(far.key)
      expect(pair.run()).toBe(true)
      expect(pair.a.log).toEqual([`0:${REMOTE_ACCESS_ERROR}`, `1:${FLUSHED}`])
    })

    test('invalidated when a late copy refers to a READ that is long complete: nothing happens', () => {
      const pair = pairOf()
      const [near, far] = memories(pair, 4096)
      far.bytes!.fill(NINE)
      // RoCE: a copy of the request is late. IRN: the ACK of the last response is lost.
      let acks = 0
      pair.toB.rule((passage) => {
        const { opcode } = passage.packet
        if (mode === 'irn' && opcode === READ_ACK && acks++ === 3) passage.copies = 0
        if (mode === 'irn' || opcode !== READ_REQUEST_OPCODE) return
        passage.copies = 2
        passage.latePs = 20 * US
      })
      const naks: number[] = []
      pair.toA.rule(({ packet: { opcode, syndrome } }) => {
        if (isAnswer(opcode) && syndrome > 0x1f) naks.push(syndrome)
      })
      pair.a.post({ id: 0, operation: OP_READ, ...at(near), ...to(far) })
      pair.run(10 * US)
      expect(pair.a.log).toEqual(['0:0'])
      pair.b.device.invalidate(far.key)
      pair.run()
      pair.a.post({ id: 1, operation: OP_WRITE, ...to(pair.b.memory(8)), lengthBytes: 8 })
      expect(pair.run()).toBe(true)
      expect([pair.a.log, naks, nines(near)]).toEqual([['0:0', '1:0'], [0x62], 4096])
      expect(pair.b.pair.state).toBe('ready to send')
    })
  })
})
