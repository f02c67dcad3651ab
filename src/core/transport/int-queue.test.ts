import { expect, test } from 'vitest'
import { createRandomStreams } from '../base/random.ts'
import { IntQueue } from './int-queue.ts'

test('integers leave in the order of entry while the ring grows and wraps', () => {
  const random = createRandomStreams(1).stream('queue')
  const queue = new IntQueue()
  const twin: number[] = []
  let longest = 0
  let wrong = 0
  for (let i = 0; i < 20_000; i++) {
    // More in than out at first, then the reverse.
    if (random.below(10) < (i < 10_000 ? 6 : 4)) {
      const item = random.uint32() | 0
      queue.push(item)
      twin.push(item)
    } else if (twin.length > 0) {
      if (queue.first !== twin[0] || (twin.length > 2 && queue.third !== twin[2])) wrong++
      if (queue.shift() !== twin.shift()) wrong++
    }
    if (random.below(5000) === 0) {
      queue.clear()
      twin.length = 0
    }
    if (queue.length !== twin.length) wrong++
    longest = Math.max(longest, twin.length)
  }
  expect(wrong).toBe(0)
  expect(longest).toBeGreaterThan(64)
})
