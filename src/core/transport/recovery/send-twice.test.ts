import { expect, test } from 'vitest'
import { lose } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../../../../tests/support/pair.ts'
import { MS, NS, US } from '../../base/params.ts'
import { ACK, DATA } from '../segment.ts'
import { sendTwice } from './send-twice.ts'

const pairWith = (options: PairOptions = {}): Pair =>
  new Pair({
    recovery: scheme(sendTwice, { nakInterval: 500 * US }),
    ...options,
    qp: { ackInterval: 256, ackTimeout: 100 * MS, ...options.qp },
  })

test('T-ST-1: the first copy of the last packet is lost, the second completes the message', () => {
  const pair = pairWith()
  pair.forward.rule(lose(DATA, 3, 1))
  pair.postPackets(4)
  expect(pair.run()).toBe('finished')
  expect(pair.dataSent).toEqual([0, 1, 2, 3, 3])
  expect(pair.answers).toEqual(['ACK 3'])
  expect(pair.sender.timeouts).toBe(0)
})

test('T-ST-2: the first ACK of the last packet is lost, that of the copy completes the message', () => {
  const pair = pairWith()
  pair.backward.rule(lose(ACK, 3, 1))
  pair.postPackets(4)
  expect(pair.run()).toBe('finished')
  expect(pair.dataSent).toEqual([0, 1, 2, 3, 3])
  expect(pair.answers).toEqual(['ACK 3', 'ACK 3'])
  expect(pair.sender.timeouts).toBe(0)
  expect(pair.receiver.delivered.bytes).toBe(4096)
})

test('T-ST-3: with both copies lost it takes a timeout', () => {
  const pair = pairWith()
  pair.forward.rule(lose(DATA, 3, 1))
  pair.forward.rule(lose(DATA, 3, 2))
  pair.postPackets(4)
  expect(pair.run()).toBe('finished')
  expect(pair.sender.timeouts).toBe(1)
})

test('T-ST-4: a hole is reported once, whatever arrives behind it', () => {
  const pair = pairWith()
  pair.forward.rule(lose(DATA, 1, 1))
  pair.postPackets(4)
  pair.runUntil(2 * US)
  expect(pair.answers).toEqual(['NAK 1'])
  expect(pair.run()).toBe('finished')
  expect(pair.receiver.naksSent).toBe(1)
})

test('each message has its copy, and a message of one packet goes twice', () => {
  const pair = pairWith()
  pair.postPackets(2)
  pair.postPackets(1)
  pair.post(0)
  expect(pair.run()).toBe('finished')
  expect(pair.dataSent).toEqual([0, 1, 1, 2, 2, 3, 3])
})

test('the copy is paced like any packet and does not wait for the window', () => {
  const pair = pairWith({ qp: { window: 1024, ackInterval: 1 } })
  pair.postPackets(1)
  expect(pair.run()).toBe('finished')
  const [first, second] = pair.timesOf('data 0')
  // 1024 + 62 + 16 + 20 bytes at 40 Gb/s.
  expect(second! - first!).toBe(224.4 * NS)
})

test('a copy that is acknowledged before it could leave is not sent', () => {
  const pair = pairWith({ qp: { ackInterval: 1 } })
  pair.postPackets(1)
  pair.runUntilSent(1)
  pair.answer({ kind: ACK, psn: 0 })
  pair.postPackets(1)
  expect(pair.run()).toBe('finished')
  expect(pair.dataSent).toEqual([0, 1, 1])
})

test('the very first packet of a queue pair has one copy and no more', () => {
  const pair = pairWith()
  pair.postPackets(1)
  pair.runUntil(20 * US)
  expect(pair.dataSent).toEqual([0, 0])
})

test('a copy does not go before the packet that the receiver was not ready for', () => {
  for (let delayNs = 1000; delayNs <= 1300; delayNs += 10) {
    const qp = { receiveQueue: 4, receiveRepost: 3 * US, rnrTimer: 1, ackTimeout: 1000 * US } as const
    const pair = new Pair({ recovery: scheme(sendTwice), qp, delayPs: delayNs * NS })
    for (let i = 0; i < 30; i++) pair.post(1024, 'send')
    expect([pair.run(), pair.answers.filter((answer) => answer.startsWith('NAK'))]).toEqual(['finished', []])
  }
})
