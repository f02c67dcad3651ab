/** The window and the one deadline around IRN's rules, where no simulated sender keeps them. */
import { describe, expect, test } from 'vitest'
import { NEVER_PS, US } from '../../base/params.ts'
import { NO_PSN, SELECTIVE_REPEAT_DEFAULTS, type SelectiveRepeatOptions, SelectiveRepeatSender } from './sender.ts'

function senderWith(sent: number, options: Partial<SelectiveRepeatOptions> = {}): SelectiveRepeatSender {
  const sender = new SelectiveRepeatSender({ ...SELECTIVE_REPEAT_DEFAULTS, ...options })
  for (let psn = 0; psn < sent; psn++) expect(sender.take(0, true)).toBe(psn)
  return sender
}

test('a bitmap narrower than the cap is refused', () => {
  expect(() => senderWith(0, { capPackets: 129, bitmapBits: 128 })).toThrow('a bitmap is as wide as the cap')
  expect(senderWith(0, { capPackets: 128, bitmapBits: 128 }).bitmapBits).toBe(128)
})

describe('the deadline', () => {
  test('runs from the first packet, whatever follows it', () => {
    const sender = senderWith(1)
    sender.take(30 * US, true)
    expect(sender.deadlinePs).toBe(100 * US)
  })

  test('starts anew with progress, in an ACK or in a NACK, and not without', () => {
    const sender = senderWith(6)
    sender.onAck(10 * US, 1)
    expect(sender.deadlinePs).toBe(110 * US)
    sender.onAck(20 * US, 1)
    sender.onNack(30 * US, 1, 3)
    expect(sender.deadlinePs).toBe(110 * US)
    sender.onNack(40 * US, 2, 4)
    expect(sender.deadlinePs).toBe(140 * US)
  })

  test('starts anew when the oldest packet goes again, and not with another one', () => {
    const sender = senderWith(8)
    sender.onNack(10 * US, 0, 1)
    sender.onNack(10 * US, 0, 4)
    expect([sender.take(20 * US, false), sender.deadlinePs]).toEqual([0, 120 * US])
    expect([sender.nextSendPs(30 * US, false), sender.take(30 * US, false), sender.deadlinePs]).toEqual([
      0,
      2,
      120 * US,
    ])
  })

  test('is none with nothing in flight, and comes back with the next packet', () => {
    const sender = senderWith(2)
    sender.onAck(10 * US, 2)
    expect(sender.deadlinePs).toBe(NEVER_PS)
    sender.take(50 * US, true)
    expect(sender.deadlinePs).toBe(150 * US)
  })

  test('is none where there are no timeouts', () => {
    const sender = senderWith(2, { rtoLowPs: null })
    sender.onAck(10 * US, 1)
    expect(sender.deadlinePs).toBe(NEVER_PS)
  })

  test('that has not come is no timeout; few packets time out after 100 us, more or slow ones after 320', () => {
    const few = senderWith(3)
    expect([few.onTimeout(99 * US, false), few.onTimeout(100 * US, false), few.timeouts]).toEqual([false, true, 1])
    const more = senderWith(4)
    expect([more.onTimeout(100 * US, false), more.deadlinePs]).toEqual([false, 320 * US])
    const slow = senderWith(1)
    expect([slow.onTimeout(100 * US, true), slow.deadlinePs]).toEqual([false, 320 * US])
  })
})

describe('answers', () => {
  test('ahead of all that was sent since a fall back move the window and its end', () => {
    const sender = senderWith(6)
    expect(sender.goBack(2)).toBe(true)
    expect([sender.una, sender.nxt, sender.deadlinePs]).toEqual([2, 2, NEVER_PS])
    sender.onAck(10 * US, 9)
    expect([sender.una, sender.nxt, sender.highest]).toEqual([9, 9, 9])
    expect(sender.take(20 * US, true)).toBe(9)
  })

  test('to a fall back that is an old story change nothing', () => {
    const sender = senderWith(6)
    sender.onAck(10 * US, 4)
    expect([sender.goBack(3), sender.una, sender.nxt]).toEqual([false, 4, 6])
  })

  test('drop what was to go again and is there, and nothing else', () => {
    const sender = senderWith(8, { fetchDelayPs: 2 * US })
    sender.onNack(10 * US, 0, 5)
    sender.onAck(11 * US, 3)
    expect([sender.take(20 * US, false), sender.retransmissions]).toEqual([NO_PSN, 0])
    sender.onNack(21 * US, 3, 6)
    expect(sender.nextSendPs(21 * US, false)).toBe(23 * US)
    sender.onAck(22 * US, 3)
    expect([sender.take(22 * US, false), sender.take(23 * US, false)]).toEqual([NO_PSN, 3])
  })

  test('say which packets are there, between the oldest and the highest', () => {
    const sender = senderWith(6)
    sender.onNack(10 * US, 1, 3)
    // 3 + 128 is the same bit.
    expect([0, 1, 2, 3, 4, 131].map((psn) => sender.isSacked(psn))).toEqual([false, false, false, true, false, false])
  })
})

test('with nothing new to send it looks for holes, by either call', () => {
  const two = [0, 1].map(() => {
    const sender = senderWith(8)
    sender.onNack(10 * US, 0, 5)
    expect(sender.take(10 * US, false)).toBe(0)
    return sender
  })
  expect(two[0]!.nextSendPs(11 * US, false)).toBe(0)
  const found = [two[1]!.take(11 * US, false), two[1]!.take(11 * US, false)]
  expect(found.filter((psn) => psn !== NO_PSN)).toContain(1)
})

test('the cap holds new packets back, and progress lets them go', () => {
  const sender = senderWith(4, { capPackets: 4 })
  expect([sender.mayGrow, sender.take(0, true), sender.nextSendPs(0, true)]).toEqual([false, NO_PSN, NEVER_PS])
  sender.onAck(10 * US, 1)
  expect([sender.mayGrow, sender.take(10 * US, true)]).toEqual([true, 4])
})
