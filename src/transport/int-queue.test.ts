import { expect, test } from 'vitest'
import { createRandomStreams } from '../base/random.ts'
import { IntQueue } from './int-queue.ts'

test('what goes in first comes out first, however it grows and goes round', () => {
  const random = createRandomStreams(1).stream('queue')
  const queue = new IntQueue()
  const twin: number[] = []
  let longest = 0
  for (let i = 0; i < 20_000; i++) {
    // More in than out at first, then the other way round.
    if (random.below(10) < (i < 10_000 ? 6 : 4)) {
      const item = random.uint32() | 0
      queue.push(item)
      twin.push(item)
    } else if (twin.length > 0) {
      expect(queue.first).toBe(twin[0])
      expect(queue.shift()).toBe(twin.shift())
    }
    if (random.below(5000) === 0) {
      queue.clear()
      twin.length = 0
    }
    expect(queue.length).toBe(twin.length)
    longest = Math.max(longest, twin.length)
  }
  expect(longest).toBeGreaterThan(64)
})
