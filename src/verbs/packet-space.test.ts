/** Go-back-N in one direction of a queue pair: the window, its one deadline, and answers that are old or impossible. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS, US } from '../base/params.ts'
import { NO_PSN } from '../transport/selective-repeat/index.ts'
import { GoBackSpace } from './packet-space.ts'

/** So many packets sent at 0, from PSN 10 on. */
function spaceWith(sent: number, timeoutPs: number | null = 100 * US): GoBackSpace {
  const space = new GoBackSpace({ capPackets: 8, timeoutPs }, 10)
  for (let i = 0; i < sent; i++) expect(space.take(0, true)).toBe(10 + i)
  return space
}
const stateOf = ({ una, nxt, deadlinePs }: GoBackSpace) => [una, nxt, deadlinePs / US]

test('no more than the cap is in flight, and nothing goes without a reason', () => {
  const space = spaceWith(8)
  expect([space.nextSendPs(0, true), space.take(0, true)]).toEqual([NEVER_PS, NO_PSN])
  space.onAck(0, 11)
  expect([space.nextSendPs(0, true), space.take(0, false), space.take(0, true)]).toEqual([0, NO_PSN, 18])
})

describe('the deadline', () => {
  test('runs from the first packet, and anew from every answer while something is out', () => {
    const space = spaceWith(1)
    space.take(30 * US, true)
    expect(space.deadlinePs).toBe(100 * US)
    space.onAck(40 * US, 11)
    expect(space.deadlinePs).toBe(140 * US)
    space.onAck(50 * US, 11)
    expect(space.deadlinePs).toBe(150 * US)
    space.onAck(60 * US, 12)
    expect(space.deadlinePs).toBe(NEVER_PS)
  })

  test('sends everything again when it has passed, and not before', () => {
    const space = spaceWith(3)
    expect([space.onTimeout(99 * US), space.timeouts, space.nxt]).toEqual([false, 0, 13])
    expect([space.onTimeout(100 * US), space.timeouts, ...stateOf(space)]).toEqual([true, 1, 10, 10, 200])
    expect(space.take(100 * US, true)).toBe(10)
  })

  test('is none where there are no timeouts', () => {
    const space = spaceWith(3, null)
    space.onAck(10 * US, 11)
    expect(space.deadlinePs).toBe(NEVER_PS)
  })
})

describe('answers', () => {
  test('that are old, or of what was never sent, change nothing', () => {
    const space = spaceWith(5)
    space.onAck(10 * US, 13)
    for (const cumulative of [12, 16]) {
      space.onAck(20 * US, cumulative)
      space.onNack(20 * US, cumulative)
    }
    expect(stateOf(space)).toEqual([13, 15, 110])
  })

  test('of what is to go again spare it', () => {
    const space = spaceWith(5)
    space.onTimeout(100 * US)
    space.onAck(110 * US, 14)
    expect([...stateOf(space), space.take(110 * US, true)]).toEqual([14, 14, 210, 14])
  })

  test('with a hole go back to it: from the oldest, or from the end', () => {
    const space = spaceWith(5)
    space.onNack(10 * US, 10)
    expect([space.una, space.nxt]).toEqual([10, 10])
    for (let psn = 10; psn < 15; psn++) space.take(10 * US, true)
    space.onNack(20 * US, 15)
    expect(stateOf(space)).toEqual([15, 15, NEVER_PS / US])
  })

  test('reach as far as a READ, whose responses have PSNs that its owner skips', () => {
    const space = spaceWith(1)
    space.nxt = 14
    space.onAck(10 * US, 14)
    expect(stateOf(space)).toEqual([14, 14, NEVER_PS / US])
  })
})

test('going back is for what may be out: not below the oldest, not above the highest', () => {
  const space = spaceWith(5)
  space.onAck(10 * US, 12)
  expect([space.goBack(11), space.goBack(16), ...stateOf(space)]).toEqual([false, false, 12, 15, 110])
  expect([space.goBack(15), ...stateOf(space)]).toEqual([true, 15, 15, NEVER_PS / US])
  expect([space.goBack(15), space.take(20 * US, true), space.deadlinePs / US]).toEqual([true, 15, 120])
})

test('PSNs that the owner has taken for responses count as sent, also when a timeout or a NAK comes first', () => {
  for (const interruption of [
    (space: GoBackSpace) => space.onTimeout(100 * US),
    (space: GoBackSpace) => space.goBack(10),
    (space: GoBackSpace) => space.onNack(0, 10),
  ]) {
    const space = spaceWith(1)
    // A READ of three responses.
    space.nxt = 13
    interruption(space)
    expect(space.nxt).toBe(10)
    space.onAck(110 * US, 13)
    expect([space.una, space.nxt]).toEqual([13, 13])
  }
})
