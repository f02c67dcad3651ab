/** IRN's sender, NACK by NACK: the packets it believes to have arrived, those it resends, and how long it waits. */
import { describe, expect, test } from 'vitest'
import { lose, loseWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme } from '../../../../tests/support/pair.ts'
import { defaultsOf, GBPS, US } from '../../base/params.ts'
import { ACK, DATA, NAK, RETRANSMITTED, Segment } from '../segment.ts'
import { irn, IrnSender, type IrnValues } from './irn.ts'
import { LOSS_FOUND } from './recovery.ts'
import { WindowByHand } from './window.test-bench.ts'

const DELAY_PS = 12 * US
const PACKET_PS = ((1024 + 62 + 20) * 8e12) / (40 * GBPS)

/** The rules alone: a window that a test moves, and the calls of a sender. */
class Rules extends WindowByHand {
  readonly sender: IrnSender
  constructor(values: Partial<IrnValues> = {}) {
    super()
    const context = { bdpPackets: 110, hasCwr: false }
    this.sender = new IrnSender({ ...defaultsOf(irn.params), cap: 110, ...values }, this, context, 128)
  }

  /** New packets leave. */
  send(packets: number): this {
    for (let i = 0; i < packets; i++) this.leave(this.nxt++, false)
    return this
  }

  /** Sends the pending retransmission; returns its PSN. */
  again(): number {
    const psn = this.resendPsn
    this.cancelResend()
    this.leave(psn, true)
    return psn
  }

  /** A NACK with this cumulative PSN; returns true if it starts a recovery. */
  nack(psn: number, sackPsn: number): boolean {
    this.acknowledge(psn)
    return this.sender.onNak(0, psn, sackPsn, new Segment()) === LOSS_FOUND
  }

  ack(psn: number): void {
    this.acknowledge(psn)
    this.sender.onAck(0, new Segment())
  }

  private leave(psn: number, isAgain: boolean): void {
    this.highest = Math.max(this.highest, psn + 1)
    this.sender.onSent(0, psn, isAgain)
  }
}

describe('what an answer starts', () => {
  test('a NACK that also acknowledges starts no recovery, its loss waits for the next one; with nackWithProgress: resend it does', () => {
    const asModelled = new Rules().send(6)
    expect([asModelled.nack(2, 3), asModelled.resendPsn, asModelled.nack(2, 4)]).toEqual([false, -1, true])
    const asWritten = new Rules({ nackWithProgress: 'resend' }).send(6)
    expect([asWritten.nack(2, 3), asWritten.again(), asWritten.nack(2, 4)]).toEqual([true, 2, false])
    // In recovery it is a partial acknowledgement: the rule for these resends the next hole.
    expect([asWritten.nack(3, 5), asWritten.resendPsn]).toEqual([false, 3])
    // Everything sent has arrived: nothing is missing.
    expect([new Rules({ nackWithProgress: 'resend' }).send(2).nack(2, 1)]).toEqual([false])
  })

  test('the first NACK starts recovery, and none after it until that is over', () => {
    const rules = new Rules().send(6)
    expect([rules.nack(0, 1), rules.again(), rules.nack(0, 2), rules.nack(0, 3)]).toEqual([true, 0, false, false])
  })

  test('with a threshold of three it is the third in a row', () => {
    const rules = new Rules({ nackThreshold: 3 }).send(9)
    expect([1, 2, 3].map((sack) => rules.nack(0, sack))).toEqual([false, false, true])
  })

  test('with nothing in flight it starts nothing', () => {
    const rules = new Rules().send(4)
    rules.ack(4)
    expect(rules.nack(4, 5)).toBe(false)
    expect(rules.resendPsn).toBe(-1)
  })

  test('a stale NACK counts only if it names a packet behind the oldest', () => {
    const rules = new Rules().send(10)
    rules.ack(5)
    expect([rules.nack(3, 4), rules.nack(3, 5), rules.resendPsn]).toEqual([false, false, -1])
    expect([rules.nack(3, 7), rules.resendPsn]).toEqual([true, 5])
  })
})

describe('what is believed to be there', () => {
  test('a doubled NACK reports its packet once, and the ACK beyond it reports the others', () => {
    const rules = new Rules().send(6)
    const reported = (): number => rules.sender.deliveredPackets()
    rules.nack(0, 2)
    expect(reported()).toBe(1)
    rules.nack(0, 2)
    expect(reported()).toBe(0)
    rules.ack(4)
    expect(reported()).toBe(3)
  })

  test.each([50, 4])(
    'a packet that was never sent (%i of 4) cannot have arrived, and makes no holes below it',
    (psn) => {
      const rules = new Rules().send(4)
      expect([rules.nack(0, psn), rules.again()]).toEqual([true, 0])
      rules.sender.afterAck(0)
      expect(rules.resendPsn).toBe(-1)
    },
  )

  test('without a cap it remembers as many as there are, each apart', () => {
    const rules = new Rules({ bdpFlowControl: false }).send(400)
    rules.nack(0, 300)
    // In 128 bits this one would share a bit with the other.
    rules.nack(0, 300 - 256)
    expect(rules.sender.deliveredPackets()).toBe(1)
  })
})

describe('what goes again', () => {
  test('a pending retransmission keeps its place, whatever else is found missing', () => {
    const rules = new Rules().send(8)
    rules.nack(0, 5)
    rules.sender.afterAck(0)
    expect(rules.resendPsn).toBe(0)
  })

  test('a hole that fills before it is resent is skipped', () => {
    const rules = new Rules().send(8)
    rules.nack(0, 4)
    expect([rules.again(), rules.resendPsn]).toEqual([0, 1])
    rules.nack(0, 1)
    rules.isOpen = true
    rules.sender.afterAck(0)
    expect(rules.resendPsn).toBe(-1)
    rules.isOpen = false
    rules.sender.afterAck(0)
    expect(rules.resendPsn).toBe(2)
  })

  test('in recovery the next hole is found when a packet arrives that is the highest, and nothing new can go', () => {
    const rules = new Rules().send(9)
    rules.nack(0, 2)
    expect([rules.again(), rules.again(), rules.resendPsn]).toEqual([0, 1, -1])
    const found = [1, 5, 6].map((sackPsn) => {
      rules.nack(0, sackPsn)
      rules.sender.afterAck(0)
      return rules.resendPsn
    })
    expect(found).toEqual([-1, 3, 3])
  })
})

/** Pairs whose timeout is measured; a round trip takes 24 us. */
const dynamicPair = (qp: Record<string, unknown> = {}): Pair =>
  new Pair({
    recovery: scheme(irn, { cap: 110, timeout: 'dynamic', rtoLow: US }),
    qp: { ackTimeout: 320 * US, retryLimit: null, ...qp },
    delayPs: DELAY_PS,
  })

describe('a timeout from measured round trips ([IRN] 4.3, RFC 6298)', () => {
  test('is that of the QP before the first ACK', () => {
    const pair = dynamicPair()
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1)
    pair.run()
    expect(pair.timesOf('data 0')).toEqual([0, 320 * US])
  })

  test('is the round trip and four times half of it after one, and doubles until a packet sent once is answered', () => {
    const pair = dynamicPair()
    pair.forward.rule(loseWhere(({ segment, nth }) => segment.psn === 1 && nth <= 2))
    pair.forward.rule(lose(DATA, 2, 1))
    const waits = [0, 1, 2].map((psn) => {
      const fromPs = pair.nowPs
      pair.postPackets(1)
      expect(pair.run()).toBe('finished')
      return pair.timesOf(`data ${psn}`).map((ps) => (ps - fromPs) / US)
    })
    // 24 + 4 * 12 = 72; the answer to a packet that was sent again measures nothing (Karn).
    expect(waits).toEqual([[0], [0, 72, 72 + 144], [0, 288]])
  })

  test('with many packets in flight it is not a longer one', () => {
    const pair = dynamicPair()
    pair.postPackets(1)
    pair.run()
    const fromPs = pair.nowPs
    pair.forward.rule(loseWhere(({ nth, startPs }) => nth === 1 && startPs >= fromPs))
    pair.postPackets(20)
    pair.run()
    expect(pair.timesOf('data 1')[1]! - fromPs).toBe(72 * US)
  })

  test('is none where the QP has none', () => {
    const pair = dynamicPair({ ackTimeout: null })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1)
    expect(pair.run()).toBe('stalled')
  })
})

describe('two timeouts', () => {
  const pairOf = (values: Partial<IrnValues>): Pair =>
    new Pair({
      recovery: scheme(irn, { cap: 110, ...values }),
      qp: { ackTimeout: 320 * US, retryLimit: null },
      delayPs: DELAY_PS,
    })

  test('the short one is never longer than the long one', () => {
    const pair = pairOf({ rtoLow: 500 * US })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1)
    pair.run()
    expect(pair.timesOf('data 0')).toEqual([0, 320 * US])
  })

  test('many packets in flight wait for the long timeout each time, not only the first', () => {
    const pair = pairOf({})
    pair.forward.rule(loseWhere(({ nth }) => nth === 1))
    const waits = [0, 8].map((psn) => {
      const fromPs = pair.nowPs
      pair.postPackets(8)
      expect(pair.run()).toBe('finished')
      return pair.timesOf(`data ${psn}`)[1]! - fromPs
    })
    expect(waits).toEqual([320 * US, 320 * US])
  })

  test('without a cap a hole may stay open for a timeout, and nothing above it is lost', () => {
    const pair = pairOf({ bdpFlowControl: false })
    pair.forward.rule(loseWhere(({ segment, nth }) => segment.psn === 0 && nth <= 2))
    pair.postPackets(600)
    expect(pair.run()).toBe('finished')
    expect([pair.timesOf('data 0').length, pair.sender.packetsSent]).toEqual([3, 602])
  })
})

describe('go-back-N under the same cap and timeouts ([IRN] 4.3)', () => {
  const pairOf = (): Pair =>
    new Pair({
      recovery: scheme(irn, { cap: 110, resend: 'go-back-n' }),
      qp: { ackTimeout: 320 * US, retryLimit: null },
      delayPs: DELAY_PS,
    })

  test('one NAK for a loss, then everything from it on at once', () => {
    const pair = pairOf()
    pair.forward.rule(lose(DATA, 2, 1))
    pair.postPackets(6)
    pair.run()
    expect(pair.answers).toEqual(['ACK 0', 'ACK 1', 'NAK 2', 'ACK 2', 'ACK 3', 'ACK 4', 'ACK 5'])
    const again = [2, 3, 4, 5].map((psn) => pair.timesOf(`data ${psn}`)[1]!)
    expect(again.map((ps) => Math.round((ps - again[0]!) / PACKET_PS))).toEqual([0, 1, 2, 3])
  })

  test('a timeout goes back to the oldest packet; duplicates are acknowledged and not accepted', () => {
    const pair = pairOf()
    pair.backward.rule(loseWhere(({ segment, nth }) => segment.kind === ACK && nth === 1))
    pair.postPackets(3)
    expect(pair.run()).toBe('finished')
    expect(pair.timesOf('data 0')).toEqual([0, 100 * US])
    expect(pair.sender.packetsSent).toBeGreaterThan(3)
    expect(pair.receiver.delivered.bytes).toBe(3 * 1024)
  })

  test('late ACKs spare packets about to be resent, and a stale NAK has no effect', () => {
    const pair = pairOf()
    pair.postPackets(8)
    const { sender } = pair
    const out = new Segment()
    for (let i = 0; i < 8; i++) sender.pollTransmit(i * PACKET_PS, out)
    sender.onTimeout(100 * US)
    sender.onTimeout(320 * US)
    expect(sender.nxt).toBe(0)
    const report = (kind: Segment['kind'], psn: number): void =>
      sender.onSegment(330 * US, Object.assign(new Segment(), { kind, psn, flags: RETRANSMITTED }))
    report(ACK, 4)
    expect([sender.una, sender.nxt]).toEqual([5, 5])
    report(NAK, 2)
    expect([sender.una, sender.nxt]).toEqual([5, 5])
    sender.pollTransmit(340 * US, out)
    expect(out.psn).toBe(5)
  })
})
