/** A queue pair as its application and its driver see it: states, alternation, packet fields, events. */
import { describe, expect, test } from 'vitest'
import { VerbsPair, type VerbsSide } from '../../../tests/support/verbs-pair.ts'
import { NEVER_PS, US } from '../base/params.ts'
import { RETRANSMITTED } from '../transport/segment.ts'
import { ACKNOWLEDGE, READ_RESPONSE_MIDDLE as MIDDLE, WRITE_MIDDLE } from '../wire/opcodes.ts'
import { Completion, CompletionQueue } from './queues/completion-queue.ts'
import { CONNECTION_DEFAULTS } from './connection/values.ts'
import { Device } from './device.ts'
import { OP_READ, OP_SEND, OP_WRITE } from './queues/operation.ts'
import { VerbsPacket } from './packet.ts'
import type { QueuePair } from './queue-pair.ts'

const MTU = CONNECTION_DEFAULTS.mtuBytes
const send = { id: 1, operation: OP_SEND, lengthBytes: 64 } as const
const receive = (id: number) => ({ id, region: null, address: 0, lengthBytes: 0 })
const values = { ...CONNECTION_DEFAULTS, remoteQp: 9 }

function pairOf(sendDepth = 4, receiveDepth = 4): { pair: QueuePair; done: CompletionQueue; device: Device } {
  let orders = 0
  const device = new Device({ draw: () => ++orders }, 0)
  const done = new CompletionQueue(64)
  const queues = { sendCompletions: done, receiveCompletions: done, sendDepth, receiveDepth }
  return { pair: device.createQueuePair({ domain: device.allocateDomain(), ...queues }), done, device }
}

function eventsOf(device: Device): string[] {
  const kinds: string[] = []
  for (let event = device.pollEvent(); event !== null; event = device.pollEvent()) kinds.push(event.kind)
  return kinds
}

test('sends are accepted from ready to send on, receives from init on', () => {
  const { pair } = pairOf()
  const taken = (): string[] => [pair.postSend(0, send), pair.postReceive(receive(1))]
  const results = [taken()]
  for (const [state, given] of [
    ['init'],
    ['ready to receive', values],
    ['ready to send'],
    ['send queue drain'],
  ] as const) {
    expect(pair.modify(0, state, given)).toBe(true)
    results.push(taken())
  }
  const no = 'wrong state'
  expect(results).toEqual([
    [no, no],
    [no, 'posted'],
    [no, 'posted'],
    ['posted', 'posted'],
    ['posted', 'posted'],
  ])
  expect([pair.outstanding, pair.postReceive(receive(5))]).toEqual([2, 'full'])
})

test('a reset discards posted work and allows a new connection', () => {
  const { pair, done } = pairOf()
  pair.modify(0, 'init')
  pair.modify(0, 'ready to receive', values)
  pair.modify(0, 'ready to send')
  pair.postSend(0, send)
  pair.postReceive(receive(1))
  expect([pair.outstanding, pair.nextSendPs]).toEqual([1, 0])
  pair.modify(0, 'reset')
  expect([pair.outstanding, pair.nextSendPs, pair.nextTimeoutPs]).toEqual([0, NEVER_PS, NEVER_PS])
  expect(() => pair.requester).toThrow('pair: expected a queue pair that is connected')
  expect(() => pair.responder).toThrow('pair: expected a queue pair that is connected')
  pair.modify(0, 'init')
  expect([1, 2, 3, 4, 5].map((id) => pair.postReceive(receive(id)))).toEqual([
    ...Array<string>(4).fill('posted'),
    'full',
  ])
  expect(done.poll(new Completion())).toBe(false)
})

test('work posted in the error state is flushed at once, and only once', () => {
  const { pair, done } = pairOf()
  pair.modify(0, 'init')
  pair.modify(0, 'ready to receive', values)
  pair.modify(0, 'ready to send')
  pair.modify(0, 'error')
  expect([pair.postSend(0, send), pair.postReceive(receive(2))]).toEqual(['posted', 'posted'])
  const reported = [new Completion(), new Completion()]
  expect(reported.map((completion) => done.poll(completion))).toEqual([true, true])
  expect(reported.map(({ id, status }) => [id, status])).toEqual([
    [1, 5],
    [2, 5],
  ])
  expect([pair.outstanding, pair.nextSendPs]).toEqual([0, NEVER_PS])
})

describe('a packet', () => {
  test('is ignored before there is a connection and after it has failed', () => {
    const { pair } = pairOf()
    const packet = new VerbsPacket(MTU)
    const isHeard = (): boolean => {
      Object.assign(packet, { opcode: ACKNOWLEDGE, destinationQp: pair.number, psn: 0, syndrome: 0x62 })
      pair.onSegment(0, packet)
      return pair.hasReply || pair.pollTransmit(0, packet)
    }
    expect(isHeard()).toBe(false)
    pair.modify(0, 'init')
    expect(isHeard()).toBe(false)
    pair.modify(0, 'ready to receive', values)
    pair.modify(0, 'ready to send')
    pair.postSend(0, send)
    pair.modify(0, 'error')
    expect([isHeard(), pair.hasReply, pair.nextSendPs]).toEqual([false, false, NEVER_PS])
  })

  test('does not leave before its time', () => {
    const pair = new VerbsPair({ values: { initialCredits: 0, rnrRetryLimit: null } })
    pair.a.post(send)
    pair.run(5 * US)
    const { a } = pair
    expect(a.pair.nextSendPs).toBe(NEVER_PS)
    expect(a.pair.pollTransmit(pair.nowPs, new VerbsPacket(MTU))).toBe(false)
  })

  test('carries no values of the previous packet in the same record', () => {
    const pair = new VerbsPair({ values: { ackInterval: 4 } })
    const memory = pair.b.memory(4 * MTU)
    const { a } = pair
    a.post({ ...send, isSolicited: true, lengthBytes: 0 })
    a.post({ id: 2, operation: OP_WRITE, lengthBytes: 2 * MTU, remoteAddress: memory.address, remoteKey: memory.key })
    const packet = new VerbsPacket(MTU)
    expect(a.pair.pollTransmit(0, packet)).toBe(true)
    expect(packet).toMatchObject({ isSolicited: true, isAckRequested: true, payloadBytes: 0 })
    expect(a.pair.pollTransmit(0, packet)).toBe(true)
    expect(packet).toMatchObject({ isSolicited: false, isAckRequested: false, payloadBytes: MTU })
    packet.hasPayload = true
    packet.flags = RETRANSMITTED
    expect(a.pair.pollTransmit(0, packet)).toBe(true)
    expect(packet).toMatchObject({
      hasPayload: false,
      isAckRequested: true,
      destinationQp: pair.b.pair.number,
    })
    expect(packet.flags & RETRANSMITTED).toBe(0)
  })
})

test('responses and requests of one queue pair alternate', () => {
  const pair = new VerbsPair({ values: { capPackets: 64 } })
  const [near, far] = [pair.a.memory(64 * MTU), pair.b.memory(8 * MTU)]
  const of = (side: VerbsSide) => (side === pair.a ? far : near)
  for (const [side, operation, packets] of [
    [pair.a, OP_READ, 8],
    [pair.b, OP_WRITE, 64],
  ] as const) {
    const { address, key } = of(side)
    side.post({ id: 1, operation, lengthBytes: packets * MTU, remoteAddress: address, remoteKey: key })
  }
  pair.run()
  const sent = pair.log.filter((line) => line.startsWith('B ')).map((line) => Number(line.split(' ')[1]))
  const both = sent.filter((opcode) => opcode === MIDDLE || opcode === WRITE_MIDDLE)
  // The WRITE has begun when the READ arrives; from then on they alternate until one ends.
  const first = both.indexOf(MIDDLE)
  const together = both.slice(first, first + 6)
  expect(together).toEqual([MIDDLE, WRITE_MIDDLE, MIDDLE, WRITE_MIDDLE, MIDDLE, WRITE_MIDDLE])
})

test('a drained send queue is reported once per drain', () => {
  const pair = new VerbsPair()
  const { a } = pair
  a.pair.modify(0, 'send queue drain')
  a.post(send)
  a.pair.onTimeout(0)
  expect(eventsOf(a.device)).toEqual(['send queue drained'])
  a.pair.modify(0, 'ready to send')
  expect(eventsOf(a.device)).toEqual([])
  // Work posted meanwhile has not begun.
  a.pair.modify(0, 'send queue drain')
  expect(eventsOf(a.device)).toEqual(['send queue drained'])
  pair.b.receive(receive(1))
  pair.run()
  expect(a.log).toEqual([])
})

test("receives of a shared queue are posted there, up to its depth, whatever the queue pair's own", () => {
  const pair = new VerbsPair({ sharedDepth: 8, receiveDepth: 1 })
  expect([pair.b.pair.isShared, pair.b.pair.postReceive(receive(1)), pair.a.pair.isShared]).toEqual([
    true,
    'wrong state',
    false,
  ])
  for (let id = 0; id < 8; id++) pair.b.receive(receive(id))
  for (let id = 0; id < 8; id++) pair.a.post({ ...send, id, lengthBytes: 0 })
  pair.run()
  expect(pair.b.receiveLog).toHaveLength(8)
})

test('IRN responses are acknowledged, and the responder sends nothing again', () => {
  const pair = new VerbsPair({ values: { mode: 'irn' } })
  const memory = pair.b.memory(8 * MTU)
  const far = { remoteAddress: memory.address, remoteKey: memory.key, lengthBytes: 8 * MTU }
  pair.a.post({ id: 1, operation: OP_READ, ...far })
  pair.run(1000 * US)
  const { responses } = pair.b.pair.responder
  expect(pair.a.log).toEqual(['1:0'])
  expect([responses.isIdle, responses.una, responses.timeouts, responses.retransmissions]).toEqual([true, 8, 0, 0])
})
