/** Rate limits: what one moment and one second allow. */
import { expect, test } from 'vitest'
import { RateLimit } from './rate-limit.ts'

const S = 1e12

test('a second of answers at once, and then as many as time allows', () => {
  const limit = new RateLimit(10)
  const taken = (nowPs: number, tries: number): number =>
    Array.from({ length: tries }, () => limit.takes(nowPs)).filter(Boolean).length
  expect([taken(0, 100), taken(0, 1), taken(S / 10, 5), taken(S, 100), taken(1000 * S, 100)]).toEqual([10, 0, 1, 9, 10])
})
