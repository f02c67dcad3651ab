/** Messages posted on a QP: which message a packet belongs to, and which are acknowledged. */
import { describe, expect, test } from 'vitest'
import { OutgoingMessages } from './outgoing-messages.ts'

/** Messages of 2, 1 and 3 packets, from PSN 10 on; the middle one is a SEND of no bytes. */
function three(): OutgoingMessages {
  const messages = new OutgoingMessages(10)
  messages.post(1025, 1024, 'write')
  messages.post(0, 1024, 'send')
  messages.post(3 * 1024, 1024, 'send')
  return messages
}

describe('a packet belongs to one message', () => {
  test('whichever was looked up before', () => {
    const messages = three()
    const firsts = [15, 10, 12, 11, 13, 10].map((psn) => messages.of(psn).firstPsn)
    expect(firsts).toEqual([13, 10, 12, 10, 13, 10])
    expect(messages.end).toBe(16)
  })

  test('SENDs count the SENDs before them, not the WRITEs in between', () => {
    expect([10, 12, 13].map((psn) => three().of(psn).sends)).toEqual([0, 0, 1])
  })
})

describe('a message is acknowledged', () => {
  test('with its last packet, and not before', () => {
    const messages = three()
    const counts = [11, 12, 13, 15, 16].map((una) => {
      messages.acknowledge(una)
      return messages.acknowledged
    })
    expect(counts).toEqual([0, 1, 2, 2, 3])
  })

  test('several at once, and none twice by ACKs out of order', () => {
    const messages = three()
    for (const una of [13, 11, 13]) messages.acknowledge(una)
    expect(messages.acknowledged).toBe(2)
  })

  test('if posted after all before it were acknowledged', () => {
    const messages = three()
    messages.acknowledge(16)
    messages.post(1024, 1024, 'write')
    messages.acknowledge(16)
    expect(messages.acknowledged).toBe(3)
    messages.acknowledge(17)
    expect(messages.acknowledged).toBe(4)
  })
})

describe('settle reports completed messages', () => {
  test('and returns their end, or 0 if they were known', () => {
    const messages = three()
    expect([messages.settle(2), messages.settle(2), messages.settle(1), messages.settle(3)]).toEqual([13, 0, 0, 16])
    expect(messages.acknowledged).toBe(3)
  })
})

test('over hundreds of messages everything is as with three, and only unacknowledged ones are kept', () => {
  const messages = new OutgoingMessages(0)
  for (let i = 0; i < 400; i++) {
    messages.post(2 * 1024, 1024, 'write')
    expect(messages.of(2 * i + 1).firstPsn).toBe(2 * i)
    // Now and then the receiver reports completed messages itself.
    const end = i % 100 === 99 ? messages.settle(i) : (messages.acknowledge(2 * i), 2 * i)
    expect([end, messages.acknowledged]).toEqual([2 * i, i])
    expect(messages.kept).toBeLessThan(70)
    expect(messages.of(2 * i).packets).toBe(2)
  }
})
