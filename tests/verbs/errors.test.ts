/** Failed requests: statuses, NAKs, the error state and flushed work. */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/params.ts'
import {
  FLUSHED,
  LOCAL_LENGTH_ERROR,
  LOCAL_PROTECTION_ERROR,
  LOCAL_WRITE,
  type Mode,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE,
  type QueuePairState,
  REMOTE_ACCESS_ERROR,
  REMOTE_INVALID_REQUEST,
  REMOTE_OPERATION_ERROR,
  REMOTE_READ,
  REMOTE_WRITE,
  RETRY_EXCEEDED,
  RNR_RETRY_EXCEEDED,
  type SendWork,
  SUCCESS,
} from '../../src/core/verbs/index.ts'
import { isLegal, QUEUE_PAIR_STATES } from '../../src/core/verbs/queue-pair-state.ts'
import { ACKNOWLEDGE } from '../../src/core/wire/index.ts'
import { VerbsPair, type VerbsSide } from '../support/verbs-pair.ts'

const naksOf = (pair: VerbsPair): string[] => {
  const naks: string[] = []
  pair.toA.rule(({ packet: { opcode, syndrome, psn } }) => {
    if (opcode === ACKNOWLEDGE && syndrome > 0x60) naks.push(`${syndrome.toString(16)} ${psn}`)
  })
  return naks
}

interface Refusal {
  readonly name: string
  readonly status: number
  readonly nak: number
  /** The request that B refuses. */
  readonly work: (pair: VerbsPair) => Omit<SendWork, 'id'>
}

const write = (key: number, remoteAddress: number, lengthBytes: number) => ({
  operation: OP_WRITE as typeof OP_WRITE,
  remoteKey: key,
  remoteAddress,
  lengthBytes,
})
const read = (key: number, remoteAddress: number, lengthBytes: number) => ({
  ...write(key, remoteAddress, lengthBytes),
  operation: OP_READ as typeof OP_READ,
})

const REFUSALS: readonly Refusal[] = [
  { name: 'a key that does not exist', status: REMOTE_ACCESS_ERROR, nak: 0x62, work: () => write(0x123456, 0, 8) },
  {
    name: 'a region without the right to write',
    status: REMOTE_ACCESS_ERROR,
    nak: 0x62,
    work({ b }) {
      const region = b.memory(64, LOCAL_WRITE | REMOTE_READ)
      return write(region.key, region.address, 8)
    },
  },
  {
    name: 'a region without the right to read',
    status: REMOTE_ACCESS_ERROR,
    nak: 0x62,
    work({ b }) {
      const region = b.memory(64, LOCAL_WRITE | REMOTE_WRITE)
      return read(region.key, region.address, 8)
    },
  },
  {
    name: 'a region without the right to atomics',
    status: REMOTE_ACCESS_ERROR,
    nak: 0x62,
    work({ b }) {
      const region = b.memory(64, LOCAL_WRITE | REMOTE_READ | REMOTE_WRITE)
      return { operation: OP_FETCH_ADD, remoteKey: region.key, remoteAddress: region.address }
    },
  },
  {
    name: 'one byte beyond a region',
    status: REMOTE_ACCESS_ERROR,
    nak: 0x62,
    work({ b }) {
      const region = b.memory(64)
      return write(region.key, region.address + 1, 64)
    },
  },
  {
    name: 'one byte before a region',
    status: REMOTE_ACCESS_ERROR,
    nak: 0x62,
    work({ b }) {
      const region = b.memory(64)
      return read(region.key, region.address - 1, 8)
    },
  },
  {
    name: 'a region of another protection domain',
    status: REMOTE_ACCESS_ERROR,
    nak: 0x62,
    work({ b }) {
      const region = b.device.register(b.device.allocateDomain(), LOCAL_WRITE | REMOTE_WRITE, new Uint8Array(64))
      return write(region.key, region.address, 8)
    },
  },
  {
    name: 'an atomic that is not aligned to a word',
    status: REMOTE_INVALID_REQUEST,
    nak: 0x61,
    work({ b }) {
      const region = b.memory(64)
      return { operation: OP_FETCH_ADD, remoteKey: region.key, remoteAddress: region.address + 4 }
    },
  },
  {
    name: 'a SEND that is longer than the buffer',
    status: REMOTE_INVALID_REQUEST,
    nak: 0x61,
    work: () => ({ operation: OP_SEND, lengthBytes: 65 }),
  },
]

/** Three valid WRITEs, a READ, the invalid one, and two more. */
function refuse(
  mode: Mode,
  refusal: Refusal,
  isReordered = false,
): { readonly pair: VerbsPair; readonly naks: string[] } {
  const pair = new VerbsPair({ values: { mode, initialCredits: 8 } })
  const naks = naksOf(pair)
  if (isReordered) {
    pair.toB.rule((passage) => {
      if (passage.count % 3 === 0) passage.latePs = 3 * US
    })
  }
  const memory = pair.b.memory(64)
  pair.b.receive({ id: 50, region: memory, address: memory.address, lengthBytes: 64 })
  pair.b.receive({ id: 51, region: memory, address: memory.address, lengthBytes: 64 })
  const good = write(memory.key, memory.address, 64)
  for (const id of [0, 1, 2]) pair.a.post({ id, ...good })
  pair.a.post({ id: 3, ...good, operation: OP_READ })
  pair.a.post({ id: 4, ...refusal.work(pair) })
  for (const id of [5, 6]) pair.a.post({ id, ...good, isUnsignalled: true })
  return { pair, naks }
}

describe.each(['roce', 'irn'] as const)('%s', (mode) => {
  test.each(REFUSALS)('$name ends both queue pairs, and all earlier requests succeed', (refusal) => {
    const { pair, naks } = refuse(mode, refusal)
    expect(pair.run()).toBe(true)
    const { a, b } = pair
    const ok = [0, 1, 2, 3].map((id) => `${id}:${SUCCESS}`)
    expect(a.log).toEqual([...ok, `4:${refusal.status}`, `5:${FLUSHED}`, `6:${FLUSHED}`])
    const first = refusal.nak === 0x61 && refusal.name.includes('SEND') ? LOCAL_LENGTH_ERROR : FLUSHED
    expect(b.receiveLog).toEqual([`50:${first}`, `51:${FLUSHED}`])
    expect([a.pair.state, b.pair.state]).toEqual(['error', 'error'])
    expect(naks).toEqual([`${refusal.nak.toString(16)} 4`])
  })

  test('a receive buffer that is not writable is an error of the responder', () => {
    const pair = new VerbsPair({ values: { mode } })
    const naks = naksOf(pair)
    const memory = pair.b.memory(64, REMOTE_READ)
    for (const id of [1, 2]) pair.b.receive({ id, region: memory, address: memory.address, lengthBytes: 64 })
    pair.a.post({ id: 1, operation: OP_SEND, lengthBytes: 8 })
    pair.run()
    expect([pair.a.log, naks]).toEqual([[`1:${REMOTE_OPERATION_ERROR}`], ['63 0']])
    // Its own fault, reported by its own completion.
    expect(pair.b.receiveLog).toEqual([`1:${LOCAL_PROTECTION_ERROR}`, `2:${FLUSHED}`])
  })

  test('a request with a local region of another domain fails in order', () => {
    const pair = new VerbsPair({ values: { mode } })
    const memory = pair.b.memory(64)
    const own = pair.a.memory(64, 0)
    const good = write(memory.key, memory.address, 64)
    pair.a.post({ id: 0, ...good, region: own, address: own.address })
    pair.a.post({ id: 1, ...good, operation: OP_READ, region: own, address: own.address })
    pair.a.post({ id: 2, ...good })
    pair.run()
    expect(pair.a.log).toEqual([`0:${SUCCESS}`, `1:${LOCAL_PROTECTION_ERROR}`, `2:${FLUSHED}`])
    expect(pair.b.pair.state).toBe('ready to send')
  })

  test('a requester without ACKs gives up after the agreed timeouts', () => {
    const pair = new VerbsPair({ values: { mode, retryLimit: 3 } })
    pair.toB.rule((passage) => {
      passage.copies = 0
    })
    const memory = pair.b.memory(64)
    for (const id of [0, 1]) pair.a.post({ id, ...write(memory.key, memory.address, 8) })
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual([`0:${RETRY_EXCEEDED}`, `1:${FLUSHED}`])
    expect(pair.a.pair.requester.timeouts).toBe(4)
  })

  test('a requester with too many RNR NAKs gives up', () => {
    const pair = new VerbsPair({ values: { mode, rnrRetryLimit: 2 } })
    for (const id of [0, 1]) pair.a.post({ id, operation: OP_SEND, lengthBytes: 8 })
    expect(pair.run()).toBe(true)
    expect(pair.a.log).toEqual([`0:${RNR_RETRY_EXCEEDED}`, `1:${FLUSHED}`])
    expect(pair.a.pair.requester.rnrNaks).toBe(3)
  })

  test('after an RNR NAK the requester waits as long as its code says, then sends everything again', () => {
    const pair = new VerbsPair({ values: { mode, rnrTimerCode: 11, initialCredits: 3 } })
    const memory = pair.b.memory(64)
    const sent: string[] = []
    pair.toB.rule(({ packet, startPs }) => sent.push(`${packet.psn} at ${Math.floor(startPs / US)}`))
    for (const id of [0, 1, 2]) pair.a.post({ id, operation: OP_SEND, lengthBytes: 8 })
    pair.run(100 * US)
    for (const id of [0, 1, 2]) pair.b.receive({ id, region: memory, address: memory.address, lengthBytes: 64 })
    pair.run()
    expect(sent).toEqual(['0 at 0', '1 at 0', '2 at 0', '0 at 482', '1 at 482', '2 at 482'])
    expect([pair.a.log, pair.b.receiveLog]).toEqual([
      ['0:0', '1:0', '2:0'],
      ['0:0', '1:0', '2:0'],
    ])
  })
})

test('IRN: an early invalid packet is dropped, and refused when it arrives in order', () => {
  const { pair, naks } = refuse('irn', REFUSALS[0]!, true)
  expect(pair.run()).toBe(true)
  expect(pair.a.log.slice(0, 5)).toEqual(['0:0', '1:0', '2:0', '3:0', `4:${REMOTE_ACCESS_ERROR}`])
  expect(naks).toEqual(['62 4'])
})

describe('states', () => {
  test('only the transitions of the standard are legal', () => {
    const legal = QUEUE_PAIR_STATES.flatMap((from) =>
      QUEUE_PAIR_STATES.filter((to) => isLegal(from, to) && to !== 'reset' && to !== 'error').map(
        (to) => `${from} > ${to}`,
      ),
    )
    expect(legal).toEqual([
      'reset > init',
      'init > init',
      'init > ready to receive',
      'ready to receive > ready to send',
      'ready to send > ready to send',
      'ready to send > send queue drain',
      'send queue drain > ready to send',
      'send queue drain > send queue drain',
    ])
    expect(QUEUE_PAIR_STATES.every((from) => isLegal(from, 'reset') && isLegal(from, 'error'))).toBe(true)
  })

  const sideOf = (): { readonly pair: VerbsPair; readonly a: VerbsSide } => {
    const pair = new VerbsPair({ isConnected: false })
    return { pair, a: pair.a }
  }

  test('posting is allowed in these states', () => {
    const { pair, a } = sideOf()
    const work = { id: 1, operation: OP_SEND } as const
    const receive = { id: 1, region: null, address: 0, lengthBytes: 0 }
    const tried: string[] = []
    const walk: readonly QueuePairState[] = ['init', 'ready to receive', 'ready to send', 'send queue drain', 'error']
    const values = { ...pair.values, remoteQp: 2 }
    tried.push(`reset ${a.pair.postSend(0, work)} ${a.pair.postReceive(receive)}`)
    for (const state of walk) {
      expect(a.pair.modify(0, state, state === 'ready to receive' ? values : undefined)).toBe(true)
      tried.push(`${state} ${a.pair.postSend(0, work)} ${a.pair.postReceive(receive)}`)
    }
    expect(tried).toEqual([
      'reset wrong state wrong state',
      'init wrong state posted',
      'ready to receive wrong state posted',
      'ready to send posted posted',
      'send queue drain posted posted',
      'error posted posted',
    ])
    a.poll()
    expect(a.log).toEqual(['1:5', '1:5', '1:5'])
    expect(a.receiveLog).toEqual(Array.from({ length: 5 }, () => '1:5'))
  })

  describe.each(['roce', 'irn'] as const)('%s: work that is not a message is refused', (mode) => {
    test('a length is a whole number of bytes, up to 2^31', () => {
      const { a, b } = new VerbsPair({ values: { mode, mtuBytes: 4096 }, sharedDepth: 4 })
      const far = b.device.register(b.domain, LOCAL_WRITE | REMOTE_READ | REMOTE_WRITE, null, 2 ** 33)
      const lengths = [-5, 2.5, NaN, 2 ** 31 + 1, 2 ** 32 + 8]
      for (const lengthBytes of lengths) {
        for (const operation of [OP_READ, OP_WRITE, OP_SEND] as const) {
          const work = { id: 1, operation, lengthBytes, remoteAddress: far.address, remoteKey: far.key }
          expect(a.pair.postSend(0, work)).toBe('wrong length')
        }
        expect(a.pair.postReceive({ id: 1, region: null, address: 0, lengthBytes })).toBe('wrong length')
        expect(b.shared!.post({ id: 1, region: null, address: 0, lengthBytes })).toBe(false)
      }
      expect([a.pair.outstanding, a.pair.receives.tail]).toEqual([0, 0])
      expect(a.pair.postSend(0, { id: 1, ...read(far.key, far.address, 2 ** 31) })).toBe('posted')
    })

    test('an operation is a known one, and numbers fit their fields', () => {
      const { a, b } = new VerbsPair({ values: { mode }, sharedDepth: 4 })
      const far = b.memory(64)
      const good = { id: 1, ...write(far.key, far.address, 8) }
      const bad: object[] = [-1, 8, 9, 99, 1.5, NaN, undefined].map((operation) => ({ operation }))
      for (const word of [-1, 2 ** 32, 0.5, NaN]) {
        bad.push({ remoteKey: word }, { immediate: word }, { invalidateKey: word })
      }
      for (const address of [-1, 0.5, NaN, 2 ** 53, 1n]) bad.push({ remoteAddress: address }, { address })
      bad.push({ compare: 5 }, { operation: OP_FETCH_ADD, swap: 'x' })
      for (const one of bad) expect(a.pair.postSend(0, { ...good, ...one } as SendWork), mode).toBe('wrong value')
      expect(a.pair.postReceive({ id: 1, region: null, address: 0.5, lengthBytes: 8 })).toBe('wrong value')
      expect(b.shared!.post({ id: 1, region: null, address: -8, lengthBytes: 8 })).toBe(false)
      expect([a.pair.outstanding, a.pair.receives.tail]).toEqual([0, 0])
      expect(a.pair.postSend(0, { ...good, immediate: 2 ** 32 - 1 })).toBe('posted')
    })

    test('a message of no bytes needs no memory', () => {
      const pair = new VerbsPair({ values: { mode } })
      const own = pair.a.memory(8)
      const work = { id: 1, operation: OP_WRITE, region: own, address: own.address + 999, lengthBytes: 0 } as const
      expect(pair.a.pair.postSend(0, work)).toBe('posted')
      pair.run()
      expect(pair.a.done.map(({ status }) => status)).toEqual([SUCCESS])
    })

    test('a packet for another queue pair is dropped', () => {
      const pair = new VerbsPair({ values: { mode, retryLimit: 2 } })
      const far = pair.b.memory(8)
      pair.toB.rule(({ packet }) => void Object.assign(packet, { destinationQp: 77 }))
      pair.a.post({ id: 1, ...write(far.key, far.address, 8) })
      pair.run()
      expect(pair.a.done.map(({ status }) => status)).toEqual([RETRY_EXCEEDED])
      expect(pair.b.pair.responder.epsn).toBe(0)
    })

    test('a READ or atomic needs a connection that allows them', () => {
      const pair = new VerbsPair({ values: { mode, readsOut: 0 } })
      const far = pair.b.memory(64)
      const results = [OP_READ, OP_FETCH_ADD, OP_WRITE].map((operation) =>
        pair.a.pair.postSend(0, { id: operation, ...write(far.key, far.address, 8), operation } as SendWork),
      )
      expect(results).toEqual(['no reads', 'no reads', 'posted'])
      expect(pair.run()).toBe(true)
      expect([pair.a.log, pair.a.pair.outstanding]).toEqual([[`${OP_WRITE}:${SUCCESS}`], 0])
    })
  })

  test('an illegal transition, or one without its values, changes nothing', () => {
    const { a } = sideOf()
    expect(a.pair.modify(0, 'ready to send')).toBe(false)
    a.pair.modify(0, 'init')
    expect(a.pair.modify(0, 'ready to receive')).toBe(false)
    expect(a.pair.state).toBe('init')
  })

  test('while the send queue drains, started requests complete and none start', () => {
    const pair = new VerbsPair()
    const memory = pair.b.memory(10_000)
    for (const id of [0, 1]) pair.a.post({ id, ...write(memory.key, memory.address, 10_000) })
    pair.run(US / 2)
    expect(pair.a.pair.modify(pair.nowPs, 'send queue drain')).toBe(true)
    pair.run()
    expect(pair.a.log).toEqual(['0:0'])
    pair.a.pair.modify(pair.nowPs, 'ready to send')
    pair.run()
    expect(pair.a.log).toEqual(['0:0', '1:0'])
  })

  test('a request with foreign memory fails when it may start, not while the send queue drains', () => {
    const pair = new VerbsPair()
    const far = pair.b.memory(64)
    const own = pair.a.memory(64, 0)
    pair.a.post({ id: 0, ...write(far.key, far.address, 64) })
    pair.run(US / 2)
    pair.a.pair.modify(pair.nowPs, 'send queue drain')
    pair.a.post({ id: 1, ...read(far.key, far.address, 64), region: own, address: own.address })
    pair.run()
    expect([pair.a.log, pair.a.pair.state]).toEqual([['0:0'], 'send queue drain'])
    expect(pair.a.pair.modify(pair.nowPs, 'ready to send')).toBe(true)
    pair.a.poll()
    expect([pair.a.log, pair.a.pair.state]).toEqual([['0:0', `1:${LOCAL_PROTECTION_ERROR}`], 'error'])
  })

  test('a queue pair in the error state can be reset and used again', () => {
    const pair = new VerbsPair()
    for (const side of [pair.a, pair.b]) {
      side.pair.modify(0, 'error')
      side.pair.modify(0, 'reset')
      side.pair.modify(0, 'init')
      const other = side === pair.a ? pair.b : pair.a
      side.pair.modify(0, 'ready to receive', { ...pair.values, remoteQp: other.pair.number })
      side.pair.modify(0, 'ready to send')
    }
    const memory = pair.b.memory(64)
    pair.a.post({ id: 9, ...write(memory.key, memory.address, 64) })
    pair.run()
    expect(pair.a.log).toEqual(['9:0'])
  })
})
