import { describe, expect, test } from 'vitest'
import { lose, loseWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../../../../tests/support/pair.ts'
import { NEVER_PS, US } from '../../base/params.ts'
import type { Definition } from '../../base/params.ts'
import { dctcp } from '../congestion/dctcp.ts'
import { ldcp } from '../congestion/ldcp.ts'
import { HeldAck } from './held-ack.ts'
import { ACK, DATA, ECE } from '../segment.ts'

/** ACKs of a pair whose packets have these marks: packets newly acknowledged, and the echo. */
function answersOf(congestion: Definition, mostPackets: number, marks: string, options: PairOptions = {}) {
  const pair = new Pair({
    congestion: scheme(congestion),
    ...options,
    qp: { ackInterval: 1, ecnEcho: 'ack', ackCoalescing: mostPackets, ackDelay: 10 * US, ...options.qp },
  })
  const heard: [packets: number, echo: number][] = []
  let acknowledged = 0
  pair.backward.rule(({ segment }) => {
    if (segment.kind !== ACK) return
    heard.push([segment.psn + 1 - acknowledged, (segment.flags & ECE) / ECE])
    acknowledged = segment.psn + 1
  })
  pair.forward.rule(markWhere(({ segment }) => marks[segment.psn] === '1'))
  return { pair, heard }
}

describe('marks', () => {
  test('T-DCTCP-4: packets with the same mark share an ACK, another mark makes the held one go first', () => {
    const { pair, heard } = answersOf(dctcp, 2, '00110')
    pair.postPackets(6)
    pair.runUntilSent(5)
    pair.runUntil(pair.nowPs + US)
    expect(heard).toEqual([
      [2, 0],
      [2, 1],
    ])
    expect(pair.run()).toBe('finished')
    expect(heard[2]).toEqual([2, 0])
  })

  test('T-DCTCP-4: a packet without another to share its ACK waits for the timer', () => {
    const { pair, heard } = answersOf(dctcp, 2, '0')
    pair.hand({ kind: DATA, psn: 0, payloadBytes: 1024, flags: 4 })
    expect(heard).toEqual([])
    pair.runUntil(10 * US - 1)
    expect(heard).toEqual([])
    pair.runUntil(10 * US)
    expect(heard).toEqual([[1, 0]])
    expect(pair.receiver.nextTimeoutPs).toBe(NEVER_PS)
  })

  test('a change of the mark releases the held ACK at once, and the packet that changed it waits', () => {
    const { pair, heard } = answersOf(dctcp, 4, '001')
    for (let psn = 0; psn < 3; psn++)
      pair.hand({ kind: DATA, psn, payloadBytes: 1024, flags: 4, ecn: psn === 2 ? 3 : 2 })
    expect(heard).toEqual([[2, 0]])
    pair.runUntil(10 * US)
    expect(heard).toEqual([
      [2, 0],
      [1, 1],
    ])
  })

  test('T-LDCP-2: with LDCP a marked packet does not wait, nor do those before it', () => {
    const { pair, heard } = answersOf(ldcp, 2, '00001000', {
      congestion: scheme(ldcp, { incapableStart: false, initialWindow: 8 }),
    })
    pair.postPackets(8)
    pair.runUntilSent(8)
    expect(pair.run()).toBe('finished')
    expect(heard.slice(0, 4)).toEqual([
      [2, 0],
      [2, 0],
      [1, 1],
      [2, 0],
    ])
  })

  test('T-LDCP-2: a single packet before the mark is acknowledged first, with no echo', () => {
    const { pair, heard } = answersOf(ldcp, 4, '00010', { congestion: scheme(ldcp, { incapableStart: false }) })
    pair.postPackets(5)
    expect(pair.run()).toBe('finished')
    expect(heard).toEqual([
      [3, 0],
      [1, 1],
      [1, 0],
    ])
  })

  test('with CNPs marks do not separate ACKs', () => {
    const { pair, heard } = answersOf(dctcp, 3, '010', { qp: { ecnEcho: 'cnp' } })
    pair.postPackets(6)
    expect(pair.run()).toBe('finished')
    expect(heard).toEqual([
      [3, 0],
      [3, 0],
    ])
  })
})

describe('no ACK waits longer than necessary', () => {
  test('the end of a message is acknowledged at once', () => {
    const { pair, heard } = answersOf(dctcp, 100, '')
    pair.postPackets(3)
    pair.postPackets(1)
    expect(pair.run()).toBe('finished')
    expect(heard).toEqual([
      [3, 0],
      [1, 0],
    ])
    expect(pair.nowPs).toBeLessThan(5 * US)
  })

  test('with a window smaller than the packets of an ACK the timer keeps the flow going', () => {
    const { pair, heard } = answersOf(dctcp, 8, '', { qp: { window: 3 * 1024, ackTimeout: null } })
    pair.postPackets(9)
    expect(pair.run()).toBe('finished')
    expect(heard).toEqual([
      [3, 0],
      [3, 0],
      [3, 0],
    ])
  })

  test('a NAK follows the held ACK', () => {
    const { pair } = answersOf(dctcp, 8, '')
    pair.forward.rule(lose(DATA, 3, 1))
    pair.postPackets(6)
    expect(pair.run()).toBe('finished')
    expect(pair.answers).toEqual(['ACK 2', 'NAK 3', 'ACK 5'])
  })

  test('so does an RNR NAK', () => {
    const pair = new Pair({ qp: { ackInterval: 1, ackCoalescing: 8, receiveQueue: 1, receiveRepost: 30 * US } })
    pair.postPackets(3, 'send')
    pair.postPackets(2, 'send')
    pair.runUntil(5 * US)
    expect(pair.answers).toEqual(['ACK 2', 'RNR 3'])
  })

  test('a duplicate is acknowledged at once', () => {
    const { pair } = answersOf(dctcp, 8, '', { qp: { ackTimeout: 50 * US } })
    pair.backward.rule(loseWhere(({ count }) => count === 0))
    pair.postPackets(3)
    pair.runUntil(60 * US)
    expect(pair.answers).toEqual(['ACK 2', 'ACK 2', 'ACK 2', 'ACK 2'])
    expect(pair.run()).toBe('finished')
  })
})

test('an ACK of several has the times of the last of them', () => {
  const { pair } = answersOf(dctcp, 2, '')
  let echoedPs = -1
  pair.backward.rule(({ segment }) => {
    echoedPs = segment.sentPs
  })
  pair.hand({ kind: DATA, psn: 0, payloadBytes: 1024, flags: 4, sentPs: 1000 })
  pair.hand({ kind: DATA, psn: 1, payloadBytes: 1024, flags: 4, sentPs: 2000 })
  expect(echoedPs).toBe(2000)
})

test('two released before either is sent become one, with the marks of both', () => {
  const heldAck = new HeldAck({ mostPackets: 4, delayPs: 1, urgentEcho: 0 })
  for (const [psn, echo] of [
    [3, 8],
    [5, 1],
  ] as const) {
    Object.assign(heldAck.held, { psn, echo })
    heldAck.packets = 2
    heldAck.release()
  }
  expect([heldAck.isDue, heldAck.due.psn, heldAck.due.echo]).toEqual([true, 5, 9])
})

test('with nothing held nothing is released, whatever the last one echoed', () => {
  const heldAck = new HeldAck({ mostPackets: 4, delayPs: 1, urgentEcho: 0 })
  heldAck.held.echo = 8
  expect([heldAck.mayJoin(0, true), heldAck.isDue]).toEqual([true, false])
})

test('a held ACK echoes the times of its last packet', () => {
  const heldAck = new HeldAck({ mostPackets: 4, delayPs: 1, urgentEcho: 0 })
  heldAck.hold(7, 4, 1000, 10)
  heldAck.hold(8, 4, 2000, 20)
  heldAck.release()
  expect(heldAck.due).toMatchObject({ psn: 8, echo: 4, sentPs: 2000, delayPs: 20 })
})
