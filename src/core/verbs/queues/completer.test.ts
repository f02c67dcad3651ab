/** CQEs of one queue pair: their fields, which raise events, and who learns of an overrun. */
import { expect, test } from 'vitest'
import { Completer } from './completer.ts'
import { Completion, CompletionQueue } from './completion-queue.ts'
import { OP_READ, OP_RECEIVE, OP_SEND, OP_WRITE } from './operation.ts'
import { PrematureCompletion } from './premature-completions.ts'
import { ReceiveWqe } from './receive-queue.ts'
import { SendWqe } from './send-queue.ts'
import { FLUSHED, SUCCESS } from './status.ts'

const sendWqe = (changes: Partial<SendWqe>): SendWqe => Object.assign(new SendWqe(), changes)
const receiveWqe = (id: number): ReceiveWqe => Object.assign(new ReceiveWqe(), { id, lengthBytes: 500 })
const arrival = (changes: Partial<PrematureCompletion>): PrematureCompletion =>
  Object.assign(new PrematureCompletion(), changes)

function pollAll(queue: CompletionQueue): Completion[] {
  const all: Completion[] = []
  for (let entry = new Completion(); queue.poll(entry); entry = new Completion()) all.push(entry)
  return all
}

test('each CQE has its queue pair, operation, length and status', () => {
  const [sends, receives] = [new CompletionQueue(4), new CompletionQueue(4)]
  const completer = new Completer(9, sends, receives)
  completer.onSend(sendWqe({ id: 1, operation: OP_READ, lengthBytes: 700 }), SUCCESS)
  completer.onSend(sendWqe({ id: 2, operation: OP_WRITE, lengthBytes: 80 }), FLUSHED)
  completer.onReceived(receiveWqe(3), arrival({ operation: OP_RECEIVE, lengthBytes: 60, invalidateKey: 77 }))
  completer.onReceiveFailed(receiveWqe(4), FLUSHED)
  const none = { qp: 9, hasImmediate: false, invalidatedKey: -1 }
  expect(pollAll(sends)).toMatchObject([
    { ...none, id: 1, operation: OP_READ, lengthBytes: 700, status: SUCCESS },
    { ...none, id: 2, operation: OP_WRITE, lengthBytes: 80, status: FLUSHED },
  ])
  expect(pollAll(receives)).toMatchObject([
    { ...none, id: 3, operation: OP_RECEIVE, lengthBytes: 60, status: SUCCESS, invalidatedKey: 77 },
    { ...none, id: 4, operation: OP_RECEIVE, lengthBytes: 0, status: FLUSHED },
  ])
  expect(completer.isOverrun).toBe(false)
})

test('an entry of the ring keeps nothing of its earlier CQE', () => {
  const queue = new CompletionQueue(1)
  const completer = new Completer(9, queue, queue)
  const full = { hasImmediate: true, immediate: 5, invalidateKey: 77, lengthBytes: 60 }
  completer.onReceived(receiveWqe(1), arrival(full))
  expect(pollAll(queue)).toMatchObject([{ hasImmediate: true, immediate: 5, invalidatedKey: 77, lengthBytes: 60 }])
  completer.onSend(sendWqe({ id: 2, operation: OP_SEND, lengthBytes: 8 }), SUCCESS)
  expect(pollAll(queue)).toMatchObject([{ hasImmediate: false, invalidatedKey: -1, lengthBytes: 8 }])
  completer.onReceived(receiveWqe(3), arrival(full))
  pollAll(queue)
  completer.onReceiveFailed(receiveWqe(4), FLUSHED)
  expect(pollAll(queue)).toMatchObject([{ hasImmediate: false, invalidatedKey: -1, lengthBytes: 0 }])
})

test('solicited CQEs and all failures raise an event armed for solicited ones', () => {
  const wakes = (complete: (completer: Completer) => void): boolean => {
    const queue = new CompletionQueue(4)
    queue.arm(true)
    complete(new Completer(9, queue, queue))
    return queue.hasEvent
  }
  expect(wakes((completer) => completer.onSend(sendWqe({}), SUCCESS))).toBe(false)
  expect(wakes((completer) => completer.onSend(sendWqe({}), FLUSHED))).toBe(true)
  expect(wakes((completer) => completer.onReceived(receiveWqe(1), arrival({})))).toBe(false)
  expect(wakes((completer) => completer.onReceived(receiveWqe(1), arrival({ isSolicited: true })))).toBe(true)
  expect(wakes((completer) => completer.onReceiveFailed(receiveWqe(1), FLUSHED))).toBe(true)
})

test('a CQE without room is only counted at first, and then reported once to all users of the queue', () => {
  const [sends, receives] = [new CompletionQueue(1), new CompletionQueue(1)]
  const reported: string[] = []
  const user = (name: string) => ({ onOverrun: () => void reported.push(name) })
  const [own, ofSends, ofReceives] = [user('own'), user('sends'), user('receives')]
  const completer = new Completer(9, sends, receives)
  completer.attach(own)
  sends.attach(ofSends)
  receives.attach(ofReceives)
  expect(completer.isOverrun).toBe(false)

  for (const id of [1, 2]) completer.onSend(sendWqe({ id }), SUCCESS)
  expect([completer.isOverrun, reported]).toEqual([true, []])
  completer.reportOverruns()
  expect([completer.isOverrun, reported]).toEqual([false, ['own', 'sends']])
  completer.reportOverruns()
  expect(reported).toHaveLength(2)

  reported.length = 0
  completer.onReceived(receiveWqe(3), arrival({}))
  completer.onReceived(receiveWqe(4), arrival({}))
  completer.onReceiveFailed(receiveWqe(5), FLUSHED)
  expect([completer.isOverrun, receives.overruns]).toEqual([true, 2])
  completer.reportOverruns()
  expect(reported).toEqual(['own', 'receives'])
  expect([pollAll(sends), pollAll(receives)].map((all) => all.map(({ id }) => id))).toEqual([[1], [3]])
})

test('one queue for both is reported once, and a detached user gets no report', () => {
  const reported: string[] = []
  const user = { onOverrun: () => void reported.push('told') }
  const both = new CompletionQueue(1)
  const completer = new Completer(9, both, both)
  completer.attach(user)
  for (const id of [1, 2]) completer.onSend(sendWqe({ id }), SUCCESS)
  completer.reportOverruns()
  expect(reported).toEqual(['told'])

  completer.detach(user)
  completer.onSend(sendWqe({ id: 3 }), SUCCESS)
  completer.reportOverruns()
  expect(reported).toEqual(['told'])

  const [sends, receives] = [new CompletionQueue(1), new CompletionQueue(1)]
  const apart = new Completer(9, sends, receives)
  apart.attach(user)
  apart.detach(user)
  for (const id of [1, 2]) {
    apart.onSend(sendWqe({ id }), SUCCESS)
    apart.onReceiveFailed(receiveWqe(id), FLUSHED)
  }
  apart.reportOverruns()
  expect([reported, sends.overruns, receives.overruns]).toEqual([['told'], 1, 1])
})
