/** Answers that are lost for good, doubled or late: no request waits for ever, and each ends as what went wrong. */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/base/params.ts'
import { FLUSHED, type MemoryRegion, OP_FETCH_ADD, OP_READ, RETRY_EXCEEDED } from '../../src/verbs/index.ts'
import { ACKNOWLEDGE, ATOMIC_ACKNOWLEDGE, isReadResponse } from '../../src/wire/index.ts'
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

  test('so does a long READ whose responder goes to error in the midst of it', () => {
    const pair = new VerbsPair({ values: { mode, retryLimit: 2 } })
    const far = pair.b.memory(640_000)
    pair.a.post({ id: 0, operation: OP_READ, lengthBytes: 640_000, ...of(far) })
    pair.run(20 * US)
    pair.b.pair.modify(pair.nowPs, 'error')
    expect(pair.run()).toBe(true)
    expect([pair.a.log, pair.a.pair.state]).toEqual([[`0:${RETRY_EXCEEDED}`], 'error'])
  })
})
