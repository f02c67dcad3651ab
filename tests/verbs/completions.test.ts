/** Completion queues between queue pairs and their application: events and overruns. */
import { describe, expect, test } from 'vitest'
import { CompletionQueue, CONNECTION_DEFAULTS, Device, FLUSHED, OP_SEND, OP_WRITE } from '../../src/core/verbs/index.ts'
import { VerbsPair } from '../support/verbs-pair.ts'

test('an event is raised by the next completion, or by the next solicited one', () => {
  const queue = new CompletionQueue(4)
  queue.arm(true)
  queue.push(false)
  expect(queue.hasEvent).toBe(false)
  queue.push(true)
  expect(queue.hasEvent).toBe(true)
  queue.arm(false)
  expect(queue.hasEvent).toBe(false)
  queue.push(false)
  expect(queue.hasEvent).toBe(true)
})
test('a completion without room is lost and counted', () => {
  const pair = new VerbsPair({ completionDepth: 2 })
  for (const id of [0, 1, 2]) pair.a.post({ id, operation: OP_WRITE })
  pair.a.pair.modify(0, 'error')
  expect([pair.a.sendCompletions.count, pair.a.sendCompletions.overruns]).toEqual([2, 1])
})

describe.each(['roce', 'irn'] as const)('%s: an overrun', (mode) => {
  test('ends its queue pair, and CQEs of flushed work are added as far as there is room', () => {
    const pair = new VerbsPair({ values: { mode }, completionDepth: 2 })
    const memory = pair.b.memory(8)
    for (let id = 0; id < 5; id++) {
      const target = { remoteAddress: memory.address, remoteKey: memory.key, lengthBytes: 8 }
      pair.a.post({ id, operation: OP_WRITE, ...target })
    }
    pair.a.receive({ id: 9, region: null, address: 0, lengthBytes: 0 })
    // The application polls too late.
    const poll = pair.a.poll.bind(pair.a)
    pair.a.poll = () => {}
    expect(pair.run()).toBe(true)
    pair.a.poll = poll
    pair.a.poll()
    expect([pair.a.pair.state, pair.a.pair.outstanding, pair.a.sendCompletions.overruns]).toEqual(['error', 0, 3])
    expect([pair.a.log, pair.a.receiveLog]).toEqual([['0:0', '1:0'], [`9:${FLUSHED}`]])
    pair.a.post({ id: 5, operation: OP_SEND })
    pair.a.poll()
    expect(pair.a.log.at(-1)).toBe(`5:${FLUSHED}`)
    expect(pair.b.pair.state).toBe('ready to send')
  })

  test('by received messages ends the queue pair that received them', () => {
    const pair = new VerbsPair({ values: { mode, hasCredits: false }, completionDepth: 1 })
    pair.b.poll = () => {}
    for (const id of [0, 1, 2, 3]) pair.b.receive({ id, region: null, address: 0, lengthBytes: 8 })
    for (const id of [0, 1]) pair.a.post({ id, operation: OP_SEND, lengthBytes: 8 })
    expect(pair.run()).toBe(true)
    expect([pair.b.pair.state, pair.b.pair.receives.isEmpty, pair.b.receiveCompletions.overruns]).toEqual([
      'error',
      true,
      3,
    ])
  })
})

test('all queue pairs of an overrun completion queue end, except those not in use', () => {
  const device = new Device({ draw: () => 1 })
  const domain = device.allocateDomain()
  const [shared, other] = [new CompletionQueue(1), new CompletionQueue(1)]
  const plan = { domain, sendCompletions: shared, receiveCompletions: other }
  const [one, two, idle, apart] = [plan, plan, plan, { ...plan, sendCompletions: other }].map((each) =>
    device.createQueuePair(each),
  )
  for (const pair of [one, two, apart]) pair!.modify(0, 'init')
  for (const id of [0, 1]) two!.postReceive({ id, region: null, address: 0, lengthBytes: 0 })
  one!.modify(0, 'ready to receive', { ...CONNECTION_DEFAULTS, remoteQp: 2 })
  one!.modify(0, 'ready to send')
  for (const id of [0, 1]) one!.postSend(0, { id, operation: OP_WRITE })
  one!.modify(0, 'error')
  // The first overruns the shared queue; the flushed work of the second then overruns the other one.
  expect([one, two, idle, apart].map((pair) => pair!.state)).toEqual(['error', 'error', 'reset', 'error'])
  expect([shared.overruns, other.overruns, shared.hasOverrun, other.hasOverrun]).toEqual([1, 1, false, false])
})
