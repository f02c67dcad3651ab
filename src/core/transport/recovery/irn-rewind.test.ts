/** IRN that goes back to the oldest packet (compat: conweave): the packets resent, the end of recovery, the timer. */
import { describe, expect, test } from 'vitest'
import { lose } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, US } from '../../base/params.ts'
import { DATA, Segment } from '../segment.ts'
import { irn, type IrnValues } from './irn.ts'
import { RewindingSender, rewindingIrn } from './irn-rewind.ts'
import { LOSS_FOUND } from './recovery.ts'
import { WindowByHand } from './window.test-bench.ts'

/** The rules alone: a window that a test moves, and the calls of a sender. */
class Rules extends WindowByHand {
  readonly sender: RewindingSender
  constructor(values: Partial<IrnValues> = {}, bits = 128) {
    super()
    const context = { bdpPackets: 110, hasCwr: false }
    this.sender = new RewindingSender({ ...defaultsOf(irn.params), cap: 110, ...values }, this, context, bits)
  }

  /** The next packets leave; their PSNs. */
  send(packets: number): number[] {
    return Array.from({ length: packets }, () => {
      const psn = this.nxt++
      this.highest = Math.max(this.highest, this.nxt)
      this.sender.onSent()
      return psn
    })
  }

  /** Returns true if it starts a recovery. */
  nack(psn: number, sackPsn: number): boolean {
    this.acknowledge(psn)
    return (this.sender.onNak(0, psn, sackPsn, new Segment()) & LOSS_FOUND) !== 0
  }

  ack(psn: number): void {
    this.acknowledge(psn)
    this.sender.onAck(0, new Segment())
  }
}

describe('the first NACK of a recovery', () => {
  test('takes the sender back to the oldest packet, and the next ones do not', () => {
    const rules = new Rules()
    rules.send(6)
    expect([rules.nack(2, 3), rules.nxt, rules.nack(2, 4), rules.nxt]).toEqual([true, 2, false, 2])
  })

  test('a packet known to have arrived when the rewind reaches it is skipped', () => {
    const rules = new Rules()
    rules.send(8)
    rules.nack(2, 3)
    rules.nack(2, 4)
    rules.nack(2, 6)
    expect(rules.send(5)).toEqual([2, 5, 7, 8, 9])
  })

  test('an arrival reported behind the rewind is not skipped, and hides those ahead', () => {
    const rules = new Rules()
    rules.send(8)
    rules.nack(2, 3)
    expect(rules.send(2)).toEqual([2, 4])
    // 4 had arrived the first time: it is the first known now, and 6 is behind it.
    rules.nack(2, 4)
    rules.nack(2, 6)
    expect(rules.send(3)).toEqual([5, 6, 7])
  })

  test('a skipped packet is forgotten: the next recovery resends it', () => {
    const rules = new Rules()
    rules.send(6)
    rules.nack(2, 3)
    expect(rules.send(3)).toEqual([2, 4, 5])
    rules.sender.onTimeout(0)
    expect(rules.send(4)).toEqual([2, 3, 4, 5])
  })
})

describe('recovery ends', () => {
  test('at the first ACK that names no packet, so that the next NACK goes back again', () => {
    const rules = new Rules()
    rules.send(6)
    rules.nack(1, 2)
    rules.send(1)
    rules.ack(2)
    expect([rules.nack(2, 4), rules.nxt]).toEqual([true, 2])
  })

  test('when all that was sent before it is acknowledged', () => {
    const rules = new Rules()
    rules.send(6)
    rules.nack(1, 2)
    rules.send(8)
    expect([rules.nack(5, 7), rules.nack(6, 8), rules.nxt]).toEqual([false, true, 6])
  })
})

test('an acknowledgement beyond the rewind advances the sender to it', () => {
  const rules = new Rules()
  rules.send(8)
  rules.nack(1, 2)
  rules.ack(6)
  expect([rules.nxt, rules.sender.deliveredPackets()]).toEqual([6, 5])
})

test('the timeout is the long one with more than rtoLowPackets behind the oldest when the timer starts', () => {
  const rules = new Rules()
  rules.send(4)
  expect(rules.sender.timeoutPs()).toBe(100 * US)
  rules.send(1)
  expect(rules.sender.timeoutPs()).toBe(320 * US)
  rules.nack(1, 2)
  expect(rules.sender.timeoutPs()).toBe(100 * US)
})

test('without a cap the bitmap grows with what is in flight', () => {
  const rules = new Rules({ bdpFlowControl: false }, 32)
  rules.send(100)
  rules.nack(0, 1)
  rules.nack(0, 98)
  expect(rules.send(98).filter((psn) => psn === 1 || psn === 98)).toEqual([])
})

describe('with the receiver', () => {
  const pairOf = (qp: Record<string, unknown> = {}): Pair =>
    new Pair({
      recovery: scheme(rewindingIrn, { cap: 110 }),
      qp: { ackTimeout: 320 * US, retryLimit: null, ...qp },
      delayPs: US,
    })

  test('ACKs are NACKs that name their packet, in order or not, while anything is kept out of order', () => {
    const pair = pairOf()
    pair.forward.rule(lose(DATA, 1, 1))
    pair.forward.rule(lose(DATA, 4, 1))
    pair.post(6 * 1024)
    expect(pair.run()).toBe('finished')
    const kinds = pair.answers.map((answer) => answer.split(' ')[0])
    expect(kinds.slice(0, 5)).toEqual(['ACK', 'NAK', 'NAK', 'NAK', 'NAK'])
    expect(kinds.at(-1)).toBe('ACK')
    expect([pair.receiver.delivered.bytes, pair.sender.timeouts]).toEqual([6 * 1024, 0])
  })

  test.each([
    // Its 20 packets leave until 4.2 us, the ACK of the fifth arrives at 2.9 us.
    ['packet', 0],
    ['answer', 1],
  ])('with ackTimer: %s the last of these has started the timer: %i timeouts by 323.5 us', (ackTimer, timeouts) => {
    const pair = pairOf({ ackTimer })
    let isCut = true
    pair.forward.rule((passage) => {
      if (isCut && passage.segment.psn >= 5) passage.copies = 0
    })
    pair.post(20 * 1024)
    expect(pair.run(323.5 * US)).toBe('late')
    expect(pair.sender.timeouts).toBe(timeouts)
    isCut = false
    expect(pair.run()).toBe('finished')
    expect(pair.sender.timeouts).toBe(1)
  })
})
