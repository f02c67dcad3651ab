/** The ring of CQEs: order, overruns, and events once armed. */
import { describe, expect, test } from 'vitest'
import { Completion, CompletionQueue } from './completion-queue.ts'

function push(queue: CompletionQueue, ...ids: number[]): void {
  for (const id of ids) {
    const entry = queue.push(false)
    if (entry !== null) Object.assign(entry, { id, hasImmediate: id % 2 === 1, immediate: 10 * id })
  }
}

function pollAll(queue: CompletionQueue): (readonly [number, boolean, number])[] {
  const found = []
  const out = new Completion()
  while (queue.poll(out)) found.push([out.id, out.hasImmediate, out.immediate] as const)
  return found
}

test('CQEs are polled in the order pushed, and the count follows', () => {
  const queue = new CompletionQueue(3)
  push(queue, 1, 2)
  expect(queue.count).toBe(2)
  expect(pollAll(queue)).toEqual([
    [1, true, 10],
    [2, false, 20],
  ])
  expect(queue.count).toBe(0)
  // Around the ring.
  push(queue, 3, 4, 5)
  expect(queue.count).toBe(3)
  expect(pollAll(queue).map(([id]) => id)).toEqual([3, 4, 5])
})

test('an entry that is not filled in has no immediate and no invalidated key', () => {
  expect([new Completion().hasImmediate, new CompletionQueue(1).hasEvent]).toEqual([false, false])
})

test('a CQE without room is lost and counted, and earlier ones stay', () => {
  const queue = new CompletionQueue(2)
  push(queue, 1, 2, 3)
  expect(queue.overruns).toBe(1)
  expect(pollAll(queue).map(([id]) => id)).toEqual([1, 2])
  push(queue, 4, 5, 6, 7)
  expect(queue.overruns).toBe(3)
  expect(pollAll(queue).map(([id]) => id)).toEqual([4, 5])
})

test.each([0, -1, 1.5, 2 ** 31])('a capacity of %d is refused', (capacity) => {
  expect(() => new CompletionQueue(capacity)).toThrow('capacity: expected a whole number of CQEs, 1 to 4194304')
})

describe('an event', () => {
  const eventsOf = (queue: CompletionQueue, ...solicited: boolean[]): boolean[] =>
    solicited.map((isSolicited) => {
      queue.push(isSolicited)
      return queue.hasEvent
    })

  test('is not raised unless armed', () => {
    expect(eventsOf(new CompletionQueue(4), false, true)).toEqual([false, false])
  })

  test('is raised by the next CQE, and once', () => {
    const queue = new CompletionQueue(4)
    queue.arm(false)
    expect(eventsOf(queue, false)).toEqual([true])
    queue.hasEvent = false
    expect(eventsOf(queue, true)).toEqual([false])
  })

  test('is raised by the next solicited CQE, if only those are armed for', () => {
    const queue = new CompletionQueue(4)
    queue.arm(true)
    expect(eventsOf(queue, false, true)).toEqual([false, true])
  })

  test('is cleared by arming again', () => {
    const queue = new CompletionQueue(4)
    queue.arm(false)
    queue.push(false)
    queue.arm(true)
    expect(queue.hasEvent).toBe(false)
  })
})

test('armed for any CQE is not narrowed to solicited ones', () => {
  const queue = new CompletionQueue(4)
  queue.arm(false)
  queue.arm(true)
  queue.push(false)
  expect(queue.hasEvent).toBe(true)
  queue.arm(true)
  queue.push(false)
  expect(queue.hasEvent).toBe(false)
})
