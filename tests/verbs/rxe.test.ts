/**
 * Linux rxe as the other end: what it sends and how it answers where that differs from the standard or goes beyond it, as seen
 * with kernel 6.1. The test plays its part, with packets written to bytes.
 */
import { assert } from '../../src/core/base/assert.ts'
import { describe, expect, test } from 'vitest'
import { MS, NEVER_PS, US } from '../../src/core/base/params.ts'
import { CE, DATA } from '../../src/core/transport/segment.ts'
import {
  Completion,
  CompletionQueue,
  type ConnectionValues,
  decodePacket,
  Device,
  encodePacket,
  liveConnection,
  type MemoryRegion,
  OP_FETCH_ADD,
  OP_READ,
  OP_SEND,
  OP_WRITE,
  type QueuePair,
  type SendWork,
  VerbsPacket,
} from '../../src/core/verbs/index.ts'
import {
  ACKNOWLEDGE,
  FETCH_ADD,
  FORMAT_ROCE,
  READ_REQUEST_OPCODE,
  READ_RESPONSE_FIRST,
  READ_RESPONSE_LAST,
  READ_RESPONSE_MIDDLE,
  SEND_ONLY,
  WRITE_FIRST,
  WRITE_LAST,
  WRITE_MIDDLE,
  WRITE_ONLY,
} from '../../src/core/wire/index.ts'
import { ALL_RIGHTS } from '../support/verbs-pair.ts'

const MTU = 256
const OUR_PSN = 1000
const THEIR_PSN = 5000
const ACK = 0x1f
const RNR = 0x21
const NAK = 0x60

/** Our queue pair; the test is rxe. */
class End {
  nowPs = 0
  readonly pair: QueuePair
  readonly memory: MemoryRegion
  readonly #done = new CompletionQueue(64)

  constructor(given: Partial<ConnectionValues> = {}) {
    const order = { draw: () => 1 }
    const device = new Device(order)
    const domain = device.allocateDomain()
    this.pair = device.createQueuePair({ domain, sendCompletions: this.#done, receiveCompletions: this.#done })
    this.memory = device.register(domain, ALL_RIGHTS, new Uint8Array(64 * MTU))
    const numbers = { remoteQp: 17, mtuBytes: MTU, sendPsn: OUR_PSN, receivePsn: THEIR_PSN }
    this.pair.modify(0, 'init')
    this.pair.modify(0, 'ready to receive', liveConnection({ ...numbers, ...given }, {}, order))
    this.pair.modify(0, 'ready to send')
  }

  post(operation: SendWork['operation'], packets: number, more: Partial<SendWork> = {}): void {
    const where = { region: this.memory, address: this.memory.address, remoteAddress: 0x8000, remoteKey: 9 }
    const work = { id: 1, operation, lengthBytes: packets * MTU, ...where, ...more }
    assert(this.pair.postSend(this.nowPs, work) === 'posted', 'a work request is not taken')
  }

  /** All that leaves within a millisecond, as "opcode psn", less the first PSN of its sender; ACKs with syndrome and MSN. */
  says(): string[] {
    const said: string[] = []
    const packet = new VerbsPacket(MTU)
    const endPs = this.nowPs + MS
    for (; this.pair.nextSendPs <= endPs; this.nowPs = Math.max(this.nowPs, this.pair.nextSendPs)) {
      while (this.pair.pollTransmit(this.nowPs, packet)) {
        const { opcode, syndrome, psn, msn } = packet
        const theirs = opcode >= READ_RESPONSE_FIRST && opcode <= 18
        const name = `${opcode} ${psn - (theirs ? THEIR_PSN : OUR_PSN)}`
        said.push(opcode === ACKNOWLEDGE ? `${syndrome.toString(16)} ${psn - THEIR_PSN} ${msn}` : name)
      }
      if (this.pair.nextSendPs === NEVER_PS) break
    }
    return said
  }

  /** A packet arrives. */
  hears(opcode: number, psn: number, fields: Partial<VerbsPacket> = {}): void {
    const bytes = new Uint8Array(2 * MTU)
    const given = { kind: DATA, opcode, destinationQp: this.pair.number, ...fields }
    const length = encodePacket(Object.assign(new VerbsPacket(MTU), given, { psn }), FORMAT_ROCE, bytes)
    const packet = new VerbsPacket(MTU)
    assert(decodePacket(bytes, length, FORMAT_ROCE, packet), 'an encoded packet cannot be decoded')
    packet.ecn = fields.ecn ?? 0
    this.pair.onSegment(this.nowPs, packet)
  }

  /** rxe answers, with a PSN of ours. */
  answers(syndrome: number, psn: number, msn = 0): void {
    this.hears(ACKNOWLEDGE, OUR_PSN + psn, { syndrome, msn })
  }

  responds(opcode: number, psn: number, byte: number): void {
    const payload = new Uint8Array(MTU).fill(byte)
    this.hears(opcode, OUR_PSN + psn, { payload, hasPayload: true, payloadBytes: MTU, syndrome: ACK, msn: 1 })
  }

  /** rxe requests, with a PSN of its own, for our memory. */
  requests(opcode: number, psn: number, fields: Partial<VerbsPacket> = {}): string[] {
    const { key, address } = this.memory
    // It asks for an ACK of every READ and atomic too.
    this.hears(opcode, THEIR_PSN + psn, { key, virtualAddress: address, isAckRequested: true, ...fields })
    return this.says()
  }

  /** Waits for the nearest deadline. */
  wait(): void {
    this.nowPs = this.pair.nextTimeoutPs
    this.pair.onTimeout(this.nowPs)
  }

  /** "id:status" of what is done. */
  get done(): string[] {
    const completion = new Completion()
    const done: string[] = []
    while (this.#done.poll(completion)) done.push(`${completion.id}:${completion.status}`)
    return done
  }
}

describe('as responder it', () => {
  test.each([
    ['a middle response', 3],
    ['a lone last one', 2],
  ])('continues a READ that is requested again with %s', (_name, packets) => {
    const end = new End()
    end.post(OP_READ, packets)
    expect(end.says()).toEqual([`${READ_REQUEST_OPCODE} 0`])
    end.responds(READ_RESPONSE_FIRST, 0, 1)
    end.wait()
    // The rest from PSN 1 on.
    expect(end.says()).toEqual([`${READ_REQUEST_OPCODE} 1`])
    if (packets === 3) end.responds(READ_RESPONSE_MIDDLE, 1, 2)
    end.responds(READ_RESPONSE_LAST, packets - 1, packets)
    expect(end.done).toEqual(['1:0'])
    expect([0, 1, 2].map((k) => end.memory.bytes![k * MTU])).toEqual([1, 2, packets === 3 ? 3 : 0])
  })

  test('sends an ACK for each duplicate: equal ACKs change nothing', () => {
    const end = new End()
    end.post(OP_WRITE, 3)
    expect(end.says()).toHaveLength(3)
    end.answers(ACK, 2, 1)
    expect(end.done).toEqual(['1:0'])
    end.post(OP_WRITE, 2, { id: 2 })
    const { requester } = end.pair
    expect(end.says()).toEqual([`${WRITE_FIRST} 3`, `${WRITE_LAST} 4`])
    const deadlinePs = end.pair.nextTimeoutPs
    for (let k = 0; k < 50; k++) end.answers(ACK, 2, 1)
    expect([end.says(), end.done, requester.una - OUR_PSN, requester.retransmissions]).toEqual([[], [], 3, 0])
    expect(deadlinePs).toBeLessThan(NEVER_PS)
    end.answers(ACK, 4, 2)
    expect(end.done).toEqual(['2:0'])
  })

  test('sends a NAK 60 right behind an RNR NAK for the same PSN: the wait and its count are those of the RNR NAK', () => {
    const end = new End({ rnrRetryLimit: 1, retryLimit: 0 })
    end.post(OP_SEND, 1)
    end.post(OP_SEND, 1, { id: 2 })
    end.says()
    for (const round of [0, 1]) {
      end.answers(RNR, 0)
      end.answers(NAK, 0)
      if (round === 1) break
      const { nowPs } = end
      expect([end.says(), end.pair.requester.rnrNaks]).toEqual([[], 1])
      // RNR timer code 1: 10us.
      expect(end.pair.nextTimeoutPs - nowPs).toBe(10 * US)
      end.wait()
      expect(end.says()).toEqual([`${SEND_ONLY} 0`, `${SEND_ONLY} 1`])
    }
    expect(end.done).toEqual(['1:13', '2:5'])
  })

  test('during a long RNR wait no timeout counts, whatever NAK came with it', () => {
    const end = new End({ ackTimeoutPs: 100 * US, retryLimit: 0 })
    end.post(OP_SEND, 1)
    end.says()
    // Code 0: 655 ms.
    end.answers(0x20, 0)
    end.answers(NAK, 0)
    for (let k = 0; k < 9 && end.pair.nextTimeoutPs < 655 * MS; k++) end.wait()
    expect([end.done, end.pair.requester.timeouts]).toEqual([[], 0])
    end.wait()
    expect(end.says()).toEqual([`${SEND_ONLY} 0`])
    end.answers(ACK, 0, 1)
    expect(end.done).toEqual(['1:0'])
  })

  test('answers only what was sent: an ACK beyond that is not for us', () => {
    const end = new End()
    end.post(OP_WRITE, 2)
    end.says()
    for (const psn of [2, 3, 1 << 22]) end.answers(ACK, psn, 1)
    expect([end.done, end.pair.requester.una - OUR_PSN]).toEqual([[], 0])
    end.answers(ACK, 1, 1)
    expect(end.done).toEqual(['1:0'])
  })

  test('forgets a gap it has reported: everything from the oldest PSN on is sent again after a timeout', () => {
    const end = new End()
    end.post(OP_WRITE, 3)
    end.says()
    end.answers(NAK, 1)
    expect(end.says()).toEqual([`${WRITE_MIDDLE} 1`, `${WRITE_LAST} 2`])
    end.wait()
    expect(end.says()).toEqual([`${WRITE_MIDDLE} 1`, `${WRITE_LAST} 2`])
  })
})

describe('as requester it', () => {
  test('sends everything again from the oldest PSN without an ACK: duplicates of a SEND are acknowledged, not received', () => {
    const end = new End()
    const receive = { region: end.memory, address: end.memory.address, lengthBytes: MTU }
    const send = { payloadBytes: 8, isAckRequested: true }
    expect(end.requests(SEND_ONLY, 0, send)).toEqual([`2c 0 0`])
    // The packet behind comes while the wait runs: nothing is said about it.
    expect(end.requests(SEND_ONLY, 1, send)).toEqual([])
    end.nowPs += 2 * MS
    end.pair.postReceive({ id: 50, ...receive })
    expect(end.requests(SEND_ONLY, 0, send)).toEqual(['1f 0 1'])
    expect([end.requests(SEND_ONLY, 0, send), end.requests(SEND_ONLY, 0, send)]).toEqual([['1f 0 1'], ['1f 0 1']])
    expect(end.done).toEqual(['50:0'])
    expect(end.requests(SEND_ONLY, 1, send)).toEqual(['2c 1 1'])
  })

  test('asks for the rest of a READ, or for less than before: it gets the data of the first request from there on', () => {
    const end = new End()
    const { address } = end.memory
    const all = ['13 0', '14 1', '14 2', '15 3']
    expect(end.requests(READ_REQUEST_OPCODE, 0, { lengthBytes: 4 * MTU })).toEqual(all)
    const rest = { virtualAddress: address + 2 * MTU, lengthBytes: 2 * MTU }
    expect(end.requests(READ_REQUEST_OPCODE, 2, rest)).toEqual(['14 2', '15 3'])
    expect(end.requests(READ_REQUEST_OPCODE, 0, { lengthBytes: MTU })).toEqual(all)
    // Neither a length nor an address beyond the first request reaches more memory.
    const beyond = { virtualAddress: address + 60 * MTU, lengthBytes: 40 * MTU }
    expect(end.requests(READ_REQUEST_OPCODE, 3, beyond)).toEqual(['15 3'])
    expect(end.requests(WRITE_ONLY, 4, { payloadBytes: 0, isAckRequested: true })).toEqual(['1f 4 2'])
  })

  test('asks for an atomic again: it gets the saved value, and nothing is executed', () => {
    const end = new End()
    const add = { swapLow: 5, isAckRequested: true }
    const values: number[] = []
    for (let k = 0; k < 3; k++) {
      end.hears(FETCH_ADD, THEIR_PSN, { key: end.memory.key, virtualAddress: end.memory.address, ...add })
      const packet = new VerbsPacket(MTU)
      while (end.pair.pollTransmit(end.nowPs, packet)) values.push(packet.opcode, packet.swapLow)
      end.nowPs += MS
    }
    expect([values, end.memory.low(end.memory.address)]).toEqual([[18, 0, 18, 0, 18, 0], 5])
    const other = { key: end.memory.key, virtualAddress: end.memory.address, ...add }
    expect(end.requests(FETCH_ADD, 1, other)).toEqual(['18 1'])
    expect(end.memory.low(end.memory.address)).toBe(10)
  })

  test('has many READs outstanding at once', () => {
    const end = new End()
    for (let psn = 0; psn < 128; psn++)
      end.hears(READ_REQUEST_OPCODE, THEIR_PSN + psn, {
        key: end.memory.key,
        virtualAddress: end.memory.address,
        lengthBytes: MTU,
        isAckRequested: true,
      })
    expect(end.says()).toHaveLength(128)
  })
})

describe('several packets between two calls of pollTransmit', () => {
  const write = { payloadBytes: MTU, lengthBytes: 4 * MTU }

  test('leave one ACK, which covers all of them', () => {
    const end = new End()
    const { key, address } = end.memory
    const first = { key, virtualAddress: address, isAckRequested: true, ...write }
    end.hears(WRITE_FIRST, THEIR_PSN, first)
    for (const psn of [1, 2]) end.hears(WRITE_MIDDLE, THEIR_PSN + psn, { ...write, isAckRequested: true })
    end.hears(WRITE_LAST, THEIR_PSN + 3, { ...write, isAckRequested: true, ecn: CE })
    end.hears(FETCH_ADD, THEIR_PSN + 4, { key, virtualAddress: address })
    end.hears(WRITE_ONLY, THEIR_PSN + 5, { isAckRequested: true })
    // The CNP first, then the response, which acknowledges all before it, and the ACK behind it.
    expect(end.says()).toEqual([`129 ${-OUR_PSN}`, '18 4', '1f 5 3'])
  })

  test('leave the NAK of a gap, whatever came before and behind it', () => {
    const end = new End()
    const { key, address } = end.memory
    end.hears(WRITE_FIRST, THEIR_PSN, { key, virtualAddress: address, isAckRequested: true, ...write })
    for (const psn of [2, 3, 0]) end.hears(WRITE_MIDDLE, THEIR_PSN + psn, { ...write, isAckRequested: true })
    expect(end.says()).toEqual(['60 1 0'])
  })
})

test('a fetch-and-add of ours whose response is lost is asked for again, and done once', () => {
  const end = new End()
  end.post(OP_FETCH_ADD, 0, { lengthBytes: 8, swap: 5n })
  expect(end.says()).toEqual([`${FETCH_ADD} 0`])
  end.wait()
  expect(end.says()).toEqual([`${FETCH_ADD} 0`])
  end.hears(18, OUR_PSN, { syndrome: ACK, msn: 1, swapLow: 77 })
  expect([end.done, end.memory.low(end.memory.address)]).toEqual([['1:0'], 77])
  end.hears(18, OUR_PSN, { syndrome: ACK, msn: 1, swapLow: 78 })
  expect([end.done, end.memory.low(end.memory.address)]).toEqual([[], 77])
})
