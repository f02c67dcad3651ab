/** Asynchronous events of queue pairs, and their destruction. */
import { describe, expect, test } from 'vitest'
import {
  type AsyncEvent,
  Completion,
  CompletionQueue,
  Device,
  FLUSHED,
  LOCAL_WRITE,
  type Mode,
  OP_SEND,
  OP_WRITE,
  RETRY_EXCEEDED,
  SUCCESS,
} from '../../src/core/verbs/index.ts'
import { VerbsPair, type VerbsSide } from '../support/verbs-pair.ts'

function eventsOf({ device }: VerbsSide): string[] {
  const events: AsyncEvent[] = []
  for (let event = device.pollEvent(); event !== null; event = device.pollEvent()) events.push(event)
  expect(events.every(({ qp }) => qp === 2)).toBe(true)
  return events.map(({ kind }) => kind)
}

const write = (remoteKey: number, remoteAddress: number, lengthBytes = 64) =>
  ({ id: 1, operation: OP_WRITE, lengthBytes, remoteKey, remoteAddress }) as const
const send = (id: number, lengthBytes = 64) => ({ id, operation: OP_SEND, lengthBytes }) as const

describe.each(['roce', 'irn'] as const)('%s', (mode: Mode) => {
  const values = { mode }

  test('a responder that refuses a request has an event, the requester a completion', () => {
    const pair = new VerbsPair({ values })
    pair.a.post(write(0x123456, 0))
    pair.run()
    expect([pair.b.pair.state, eventsOf(pair.b), eventsOf(pair.a)]).toEqual(['error', ['access error'], []])
    expect(pair.a.done).toHaveLength(1)
  })

  test('a message too long for its Receive WQE is an invalid request', () => {
    const pair = new VerbsPair({ values })
    const memory = pair.b.memory(10)
    pair.b.receive({ id: 7, region: memory, address: memory.address, lengthBytes: 10 })
    pair.a.post(send(1))
    pair.run()
    expect(eventsOf(pair.b)).toEqual(['request error'])
  })

  test('a Receive WQE whose memory is not writable is fatal', () => {
    const pair = new VerbsPair({ values })
    const memory = pair.b.memory(64, 0)
    pair.b.receive({ id: 7, region: memory, address: memory.address, lengthBytes: 64 })
    pair.a.post(send(1))
    pair.run()
    expect(eventsOf(pair.b)).toEqual(['fatal'])
  })

  test('an overrun is fatal for all queue pairs of the completion queue', () => {
    const pair = new VerbsPair({ values, completionDepth: 1 })
    // No poll between the two.
    for (const id of [1, 2]) pair.b.receive({ id, region: null, address: 0, lengthBytes: 0 })
    pair.b.pair.modify(0, 'error')
    expect(eventsOf(pair.b)).toEqual([])
    const other = new VerbsPair({ values, completionDepth: 1, isPolled: false })
    const far = other.b.memory(64)
    for (let k = 0; k < 2; k++) other.a.post(write(far.key, far.address))
    other.run()
    expect([other.a.pair.state, eventsOf(other.a), eventsOf(other.b)]).toEqual(['error', ['fatal'], []])
  })

  test('with a shared queue the last WQE has an event, as the remaining ones are not flushed', () => {
    const pair = new VerbsPair({ values, sharedDepth: 4 })
    for (const id of [1, 2]) pair.b.receive({ id, region: null, address: 0, lengthBytes: 64 })
    pair.a.post(send(1, 0))
    pair.run()
    expect(eventsOf(pair.b)).toEqual([])
    pair.b.pair.modify(pair.nowPs, 'error')
    expect([eventsOf(pair.b), pair.b.shared!.count]).toEqual([['last WQE reached'], 1])
  })

  test('a draining send queue reports the end of started requests, once per drain', () => {
    const pair = new VerbsPair({ values })
    const far = pair.b.memory(4096)
    for (let k = 0; k < 2; k++) pair.a.post(write(far.key, far.address, 4096))
    // The first is outstanding, the second has not started.
    while (pair.toB.sent < 2) pair.step()
    pair.a.pair.modify(pair.nowPs, 'send queue drain')
    expect(eventsOf(pair.a)).toEqual([])
    pair.run()
    expect([pair.a.done.length, eventsOf(pair.a)]).toEqual([1, ['send queue drained']])
    pair.a.pair.modify(pair.nowPs, 'ready to send')
    pair.run()
    expect([pair.a.done.length, eventsOf(pair.a)]).toEqual([2, []])
    pair.a.pair.modify(pair.nowPs, 'send queue drain')
    expect(eventsOf(pair.a)).toEqual(['send queue drained'])
  })

  test('a destroyed queue pair sends nothing, completes nothing, and leaves others alone', () => {
    const pair = new VerbsPair({ values: { ...values, retryLimit: 2 } })
    const far = pair.b.memory(64)
    pair.a.post(write(far.key, far.address))
    pair.run()
    pair.b.receive({ id: 9, region: null, address: 0, lengthBytes: 0 })
    const { device, pair: gone } = pair.b
    device.destroyQueuePair(gone)
    expect([device.pairOf(gone.number), gone.state]).toEqual([null, 'reset'])
    pair.a.post(write(far.key, far.address))
    pair.run()
    expect(pair.a.done.map(({ status }) => status)).toEqual([SUCCESS, RETRY_EXCEEDED])
    expect([pair.b.received, eventsOf(pair.b)]).toEqual([[], []])
    expect(() => device.destroyQueuePair(gone)).toThrow('a queue pair of this device that was not destroyed')
    expect([gone.modify(0, 'init'), gone.postReceive({ id: 1, region: null, address: 0, lengthBytes: 0 })]).toEqual([
      false,
      'wrong state',
    ])
  })
})

test('the number of a destroyed queue pair is not used again, and its completion queue serves the others', () => {
  const device = new Device({ draw: () => 1 })
  const domain = device.allocateDomain()
  const queue = new CompletionQueue(1)
  const plan = { domain, sendCompletions: queue, receiveCompletions: queue }
  const [first, second] = [device.createQueuePair(plan), device.createQueuePair(plan)]
  device.destroyQueuePair(first)
  const third = device.createQueuePair(plan)
  expect([third.number, device.pairOf(second.number) === second]).toEqual([4, true])
  // Two flushed in a queue for one.
  const memory = device.register(domain, LOCAL_WRITE, null, 8)
  for (const pair of [second, third]) {
    pair.modify(0, 'init')
    pair.postReceive({ id: pair.number, region: memory, address: memory.address, lengthBytes: 8 })
  }
  second.modify(0, 'error')
  third.modify(0, 'error')
  const completion = new Completion()
  expect([queue.poll(completion), completion.qp, completion.status, queue.overruns]).toEqual([true, 3, FLUSHED, 1])
  expect(first.state).toBe('reset')
})
