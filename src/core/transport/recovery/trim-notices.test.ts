import { expect, test } from 'vitest'
import { TrimNotices } from './trim-notices.ts'

test('packets wait in the order of their PSNs, are resent once, and stay known', () => {
  const notices = new TrimNotices(64)
  for (const psn of [9, 4, 4, 7]) notices.add(psn)
  expect([notices.due, notices.next(0, 20), notices.next(5, 20), notices.next(5, 7)]).toEqual([3, 4, 7, -1])
  notices.onSent(4)
  expect([notices.due, notices.has(4), notices.next(0, 20)]).toEqual([2, true, 7])
})

test('a packet that is trimmed again waits again', () => {
  const notices = new TrimNotices(64)
  notices.add(4)
  notices.onSent(4)
  expect(notices.next(0, 20)).toBe(-1)
  notices.add(4)
  expect([notices.next(0, 20), notices.due]).toEqual([4, 1])
})

test('a packet is waiting or resent, never both, however often it is trimmed', () => {
  const notices = new TrimNotices(64)
  const counts = (): number[] => [notices.waitingIn(0, 20), notices.resentIn(0, 20)]
  const seen: number[][] = []
  for (let i = 0; i < 3; i++) {
    notices.add(4)
    notices.add(4)
    seen.push(counts())
    notices.onSent(4)
    seen.push(counts())
  }
  expect(seen).toEqual(
    Array.from({ length: 3 }, () => [
      [1, 0],
      [0, 1],
    ]).flat(),
  )
  notices.add(4)
  // The second copy of an earlier transmission arrives.
  expect(notices.onArrived(4)).toBe(true)
  expect([...counts(), notices.due]).toEqual([0, 0, 0])
})

test('a packet that arrives waits no longer; onArrived returns true only if it waited', () => {
  const notices = new TrimNotices(64)
  notices.add(4)
  notices.add(6)
  notices.onSent(6)
  expect([notices.onArrived(4), notices.onArrived(6), notices.onArrived(5)]).toEqual([true, false, false])
  expect([notices.due, notices.has(4), notices.has(6)]).toEqual([0, false, false])
})

test('a packet that was not reported is resent without a trace', () => {
  const notices = new TrimNotices(64)
  notices.onSent(4)
  expect([notices.has(4), notices.due]).toEqual([false, 0])
})

test('an acknowledgement forgets everything below it, also one beyond the bitmaps', () => {
  const notices = new TrimNotices(32)
  for (const psn of [3, 5, 8]) notices.add(psn)
  notices.onSent(3)
  notices.advance(0, 6)
  expect([notices.due, notices.has(3), notices.has(5), notices.has(8)]).toEqual([1, false, false, true])
  notices.advance(6, 100)
  expect([notices.due, notices.next(100, 132)]).toEqual([0, -1])
})

test('a timeout forgets retransmissions, and keeps waiting packets; a restart forgets all', () => {
  const notices = new TrimNotices(32)
  notices.add(3)
  notices.add(5)
  notices.onSent(3)
  notices.forgetGone()
  expect([notices.has(3), notices.has(5), notices.due]).toEqual([false, true, 1])
  notices.clear()
  expect([notices.has(5), notices.due, notices.next(0, 32)]).toEqual([false, 0, -1])
})

test('growing keeps both kinds', () => {
  const notices = new TrimNotices(32)
  notices.add(3)
  notices.add(30)
  notices.onSent(3)
  notices.grow(2, 100)
  notices.add(90)
  expect([3, 30, 90].map((psn) => notices.has(psn))).toEqual([true, true, true])
  expect([notices.due, notices.next(2, 102), notices.next(31, 102)]).toEqual([2, 30, 90])
})
