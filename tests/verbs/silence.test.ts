/**
 * ACKs, NAKs and responses that are lost for good, duplicated or late: no request waits forever, and each ends with a
 * fitting status.
 */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import {
  FLUSHED,
  type MemoryRegion,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE,
  RETRY_EXCEEDED,
  RNR_RETRY_EXCEEDED,
} from '../../src/core/verbs/index.ts'
import { ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, isReadResponse } from '../../src/core/wire/index.ts'
import { VerbsPair, type VerbsPassage } from '../support/verbs-pair.ts'

const of = ({ address, key }: MemoryRegion) => ({ remoteAddress: address, remoteKey: key })
const isResponse = ({ packet: { opcode } }: VerbsPassage) => isReadResponse(opcode) || opcode === ATOMIC_ACKNOWLEDGE

describe.each(['roce', 'irn'] as const)('%s: responses that stop', (mode) => {
  test.each([
    ['a READ', OP_READ],
    ['an atomic', OP_FETCH_ADD],
  ] as const)('%s whose every response is lost ends as retries exceeded', (_name, operation) => {
    const pair = new VerbsPair({ values: { mode, retryLimit: 2 } })
    const far = pair.b.memory(64)
    pair.toA.rule((passage) => {
      if (isResponse(passage)) passage.copies = 0
    })
    for (const id of [0, 1]) pair.a.post({ id, operation, lengthBytes: 8, ...of(far) })
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual([`0:${RETRY_EXCEEDED}`, `1:${FLUSHED}`])
    expect(pair.toA.lost).toBeGreaterThan(2)
  })

  test('so does a long READ whose responder enters the error state in the middle of it', () => {
    const pair = new VerbsPair({ values: { mode, retryLimit: 2 } })
    const far = pair.b.memory(640_000)
    pair.a.post({ id: 0, operation: OP_READ, lengthBytes: 640_000, ...of(far) })
    pair.run(20 * US)
    pair.b.pair.modify(pair.nowPs, 'error')
    expect(pair.run()).toBe(true)
    expect([pair.a.log, pair.a.pair.state]).toEqual([[`0:${RETRY_EXCEEDED}`], 'error'])
  })
})

describe('RoCE, without timeouts: a NAK that waits for READ responses is not replaced by the ACK of a duplicate', () => {
  /** A WRITE, a READ of 100 responses, and then a refused packet; a copy of the WRITE arrives late. */
  const pairOf = (): { readonly pair: VerbsPair; readonly far: MemoryRegion; readonly answers: string[] } => {
    const pair = new VerbsPair({ values: { ackTimeoutPs: null, rnrTimerCode: 1, initialCredits: 4 } })
    const far = pair.b.memory(102_400)
    const answers: string[] = []
    pair.toA.rule(({ packet: { opcode, syndrome, psn } }) => {
      if (opcode === ACKNOWLEDGE) answers.push(`${syndrome.toString(16)} ${psn}`)
    })
    pair.toB.rule((passage) => {
      if (passage.count > 0) return
      passage.copies = 2
      passage.latePs = 6 * US
    })
    pair.a.post({ id: 0, operation: OP_WRITE, lengthBytes: 8, ...of(far) })
    pair.a.post({ id: 1, operation: OP_READ, lengthBytes: 102_400, ...of(far) })
    return { pair, far, answers }
  }

  test('of a missing packet', () => {
    const { pair, far, answers } = pairOf()
    pair.toB.rule((passage) => {
      if (passage.count === 2) passage.copies = 0
    })
    for (const id of [2, 3]) pair.a.post({ id, operation: OP_WRITE, lengthBytes: 8, ...of(far) })
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual(['0:0', '1:0', '2:0', '3:0'])
    expect(answers).toEqual(['0 0', '60 101', '0 101', '0 102'])
  })

  test('of a SEND without a Receive WQE', () => {
    const { pair, far, answers } = pairOf()
    pair.a.post({ id: 2, operation: OP_SEND, lengthBytes: 8 })
    pair.run(40 * US)
    pair.b.receive({ id: 9, region: far, address: far.address, lengthBytes: 64 })
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual(['0:0', '1:0', '2:0'])
    expect(answers.slice(0, 2)).toEqual(['0 0', '21 101'])
  })
})

test.each(['roce', 'irn'] as const)('%s: duplicate RNR NAKs do not use up retries', (mode) => {
  const pair = new VerbsPair({ values: { mode, rnrRetryLimit: 1, rnrTimerCode: 1, initialCredits: 4 } })
  const far = pair.b.memory(64)
  pair.toA.rule((passage) => {
    if (passage.packet.syndrome >> 5 === 1) passage.copies = 4
  })
  pair.a.post({ id: 0, operation: OP_SEND, lengthBytes: 8 })
  pair.run(5 * US)
  pair.b.receive({ id: 0, region: far, address: far.address, lengthBytes: 64 })
  expect(pair.run()).toBe(true)
  expect([pair.a.log, pair.a.pair.requester.rnrNaks, pair.toA.doubled]).toEqual([['0:0'], 1, 1])
})

describe.each(['roce', 'irn'] as const)('%s: a SEND with too many RNR NAKs', (mode) => {
  test('fails after an outstanding READ, which succeeds first', () => {
    const pair = new VerbsPair({ values: { mode, rnrRetryLimit: 0, initialCredits: 4 } })
    const far = pair.b.memory(64)
    pair.toA.rule((passage) => {
      if (isResponse(passage)) passage.latePs = 50 * US
    })
    pair.a.post({ id: 0, operation: OP_READ, lengthBytes: 8, ...of(far) })
    for (const id of [1, 2]) pair.a.post({ id, operation: OP_SEND, lengthBytes: 8 })
    pair.run(40 * US)
    const sent = pair.toB.sent
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual(['0:0', `1:${RNR_RETRY_EXCEEDED}`, `2:${FLUSHED}`])
    expect(pair.toB.sent).toBe(sent)
  })

  test('fails after a READ that never ends', () => {
    const pair = new VerbsPair({ values: { mode, rnrRetryLimit: 0, retryLimit: 1, initialCredits: 4 } })
    const far = pair.b.memory(64)
    pair.toA.rule((passage) => {
      if (isResponse(passage)) passage.copies = 0
    })
    pair.a.post({ id: 0, operation: OP_READ, lengthBytes: 8, ...of(far) })
    pair.a.post({ id: 1, operation: OP_SEND, lengthBytes: 8 })
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual([`0:${RETRY_EXCEEDED}`, `1:${FLUSHED}`])
  })
})
