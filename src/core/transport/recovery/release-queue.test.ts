import { expect, test } from 'vitest'
import { ReleaseQueue } from './release-queue.ts'

/** All packets in order of departure: "new PATH", "again PSN PATH". */
function leaving(queue: ReleaseQueue, una: number): string[] {
  const left: string[] = []
  while (queue.length > 0 || queue.resendPsn >= 0) {
    const { resendPsn } = queue
    if (resendPsn < 0 || queue.isNewFirst) left.push(`new ${queue.shiftNew()}`)
    else left.push(`again ${resendPsn} ${queue.shiftAgain(una)}`)
  }
  return left
}

test('new packets and retransmissions leave in the order of their release', () => {
  const queue = new ReleaseQueue()
  queue.pushNew(1)
  queue.pushAgain(7, 2, 0)
  queue.pushAgain(8, 3, 0)
  queue.pushNew(4)
  queue.pushNew(5)
  queue.pushAgain(9, 6, 0)
  expect(leaving(queue, 0)).toEqual(['new 1', 'again 7 2', 'again 8 3', 'new 4', 'new 5', 'again 9 6'])
})

test('one that is acknowledged is not sent again', () => {
  const queue = new ReleaseQueue()
  queue.pushAgain(2 ** 24 + 3, 1, 2 ** 24)
  queue.pushAgain(2 ** 24 + 5, 2, 2 ** 24)
  queue.pushAgain(2 ** 24 + 4, 3, 2 ** 24)
  queue.acknowledge(2 ** 24 + 4)
  expect(queue.resendPsn).toBe(2 ** 24 + 5)
  expect(leaving(queue, 2 ** 24 + 5)).toEqual([`again ${2 ** 24 + 5} 2`])
})

test('a new packet that was held up leaves when it can, and the order behind it stays', () => {
  const queue = new ReleaseQueue()
  queue.pushNew(1)
  queue.pushAgain(7, 2, 0)
  queue.pushNew(3)
  queue.pushAgain(8, 4, 0)
  expect(queue.isNewFirst).toBe(true)
  expect(queue.shiftAgain(0)).toBe(2)
  expect(leaving(queue, 0)).toEqual(['new 1', 'new 3', 'again 8 4'])
})

test('after clear the queue starts anew', () => {
  const queue = new ReleaseQueue()
  queue.pushNew(1)
  queue.pushAgain(7, 2, 0)
  queue.clear()
  expect([queue.length, queue.resendPsn]).toEqual([0, -1])
  queue.pushNew(3)
  queue.pushAgain(8, 4, 0)
  expect(leaving(queue, 0)).toEqual(['new 3', 'again 8 4'])
})
