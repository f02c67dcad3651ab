import { describe, expect, test } from 'vitest'
import { midway as midwayOf, type TcpByHand } from './tcp.test-bench.ts'

const midway = (packets: number): TcpByHand => midwayOf(packets, { flavour: 'newreno' })

describe('two losses in a window (T-TCP-2)', () => {
  test('cost a round trip each, and each duplicate ACK lets a packet go', () => {
    const hand = midway(25)
    const { tcp } = hand
    expect(hand.steps(10, 11)).toEqual(['10: ACK 11 -> 20', '11: ACK 12 -> 21'])
    expect(hand.steps(13, 14)).toEqual(['13: ACK 12 -> ', '14: ACK 12 -> '])
    expect(hand.steps(16)).toEqual(['16: ACK 12 -> 12*'])
    expect([tcp.thresholdPackets, tcp.windowPackets, tcp.recoveryPsn]).toEqual([5, 8, 21])
    expect(hand.steps(17, 18)).toEqual(['17: ACK 12 -> ', '18: ACK 12 -> '])
    expect(tcp.windowPackets).toBe(10)
    expect(hand.steps(19, 20, 21)).toEqual(['19: ACK 12 -> 22', '20: ACK 12 -> 23', '21: ACK 12 -> 24'])
    expect(tcp.windowPackets).toBe(13)
    expect(hand.steps(12)).toEqual(['12: ACK 15 -> 15*'])
    expect(tcp.windowPackets).toBe(11)
    hand.steps(22, 23, 24)
    expect(tcp.windowPackets).toBe(14)
    expect(hand.steps(15)).toEqual(['15: ACK 25 -> '])
    expect([tcp.windowPackets, tcp.inRecovery]).toEqual([2, 0])
  })

  test('with data to follow the window ends at half of what was in flight', () => {
    const hand = midway(100)
    hand.steps(10, 11, 13, 14, 16, 17, 18, 19, 20, 21)
    expect(hand.steps(12, 22, 23, 24)).toEqual([
      '12: ACK 15 -> 15* 25',
      '22: ACK 15 -> 26',
      '23: ACK 15 -> 27',
      '24: ACK 15 -> 28',
    ])
    // Flight 4 and one more; the window then lets one packet go.
    expect(hand.steps(15)).toEqual(['15: ACK 25 -> 29'])
    expect(hand.tcp.windowPackets).toBe(5)
  })
})

test('two duplicate ACKs are reordering, and nothing is sent for them', () => {
  const hand = midway(25)
  expect(hand.steps(11, 12, 10)).toEqual(['11: ACK 10 -> ', '12: ACK 10 -> ', '10: ACK 13 -> 20 21 22'])
  expect(hand.tcp.windowPackets).toBeCloseTo(10.1)
})

test('an old ACK, and one that comes when nothing is in flight, are no duplicates', () => {
  const hand = midway(20)
  const { sender } = hand.pair
  hand.steps(10, 11, 12, 13, 14, 15, 16, 17, 18, 19)
  expect(sender.isIdle).toBe(true)
  for (let i = 0; i < 5; i++) hand.pair.answer({ kind: 1, psn: 19 })
  hand.post(5)
  expect(hand.tx()).toBe('20 21 22 23 24')
  for (let i = 0; i < 5; i++) hand.pair.answer({ kind: 1, psn: 12 })
  expect(hand.tx()).toBe('')
  expect(hand.tcp.inRecovery).toBe(0)
})

test('a partial acknowledgement of more than the window leaves one packet', () => {
  const hand = midway(30)
  // 10 is lost, and so are the ACKs of all but three behind it, and 19.
  for (const psn of [11, 12, 13, 14, 15]) hand.rxLosingAck(psn)
  hand.steps(16, 17, 18)
  expect(hand.tcp.windowPackets).toBe(8)
  expect(hand.steps(10)).toEqual(['10: ACK 19 -> 19*'])
  expect(hand.tcp.windowPackets).toBe(1)
})

test('after a timeout everything goes again, and its echoes start no fast retransmit (RFC 6582 3.2 step 2)', () => {
  const hand = midway(40)
  // 10 and 11 are lost, and the ACKs of all others.
  for (const psn of [12, 13, 14, 15, 16, 17, 18, 19]) hand.rxLosingAck(psn)
  hand.timeout()
  expect([hand.tcp.thresholdPackets, hand.tcp.windowPackets, hand.tcp.recoveryPsn]).toEqual([5, 1, 19])
  expect(hand.tx()).toBe('10*')
  // Slow start: packets that had arrived before are acknowledged along with the resent one.
  expect(hand.steps(10)).toEqual(['10: ACK 11 -> 11* 12*'])
  expect(hand.steps(11)).toEqual(['11: ACK 20 -> 20 21 22'])
  // 12 came twice.
  expect(hand.steps(12)).toEqual(['12: ACK 20 -> '])
  for (let i = 0; i < 4; i++) hand.pair.answer({ kind: 1, psn: 19 })
  expect([hand.tcp.inRecovery, hand.tx()]).toEqual([0, ''])
})
