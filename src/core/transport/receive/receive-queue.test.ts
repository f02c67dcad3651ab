import { expect, test } from 'vitest'
import { US } from '../../base/params.ts'
import { ReceiveQueue } from './receive-queue.ts'

test('each WQE used is posted again a while later, also several of one instant', () => {
  const queue = new ReceiveQueue(4, 5 * US)
  expect([queue.credits(0), queue.hasFor(0, 3), queue.hasFor(0, 4)]).toEqual([4, true, false])
  queue.consume(0, 3)
  expect([queue.credits(0), queue.hasNext(0), queue.hasFor(0, 4)]).toEqual([1, true, false])
  queue.consume(2 * US, 1)
  expect([4, 5, 7].map((us) => [queue.credits(us * US), queue.hasNext(us * US)])).toEqual([
    [0, false],
    [3, true],
    [4, true],
  ])
  // SENDs 4, 5 and 6 have the WQEs of 0, 1 and 2, which are due at one instant; SEND 7 has that of 3.
  expect([4, 5, 6, 7].map((send) => queue.hasFor(5 * US, send))).toEqual([true, true, true, false])
  expect(queue.hasFor(7 * US, 7)).toBe(true)
})
