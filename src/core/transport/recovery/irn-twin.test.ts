/** IRN's sender beside a literal transcription of the authors' modules, over random paths. */
import { describe, expect, test } from 'vitest'
import { assert } from '../../base/assert.ts'
import { NEVER_PS, US } from '../../base/params.ts'
import { createRandomStreams, type RandomStream } from '../../base/random.ts'
import { ACK, type Segment } from '../segment.ts'
import { IrnByHand, NO_PSN, variablesOf } from './irn.test-bench.ts'
import { LiteralSender } from './irn.test-twin.ts'

const CASES = 300

interface Flying {
  readonly atPs: number
  readonly psn: number
  readonly answer: Segment | null
}

/** ACKs arrive while the line is free, with one transmission opportunity after each; or at any time. */
type Line = 'free' | 'busy'

/** The two senders side by side, and a path that loses, doubles and reorders packets and ACKs. */
class Beside {
  readonly hand: IrnByHand
  readonly twin: LiteralSender
  readonly packets: number
  faults = 0
  readonly #line: Line
  readonly #random: RandomStream
  readonly #loss: number
  readonly #flying: Flying[] = []

  constructor(seed: number, line: Line) {
    const random = createRandomStreams(seed).stream('way')
    const cap = 1 + random.below(110)
    this.#line = line
    this.#random = random
    this.packets = 1 + random.below(400)
    this.#loss = random.below(30) / 100
    this.hand = new IrnByHand(this.packets, { cap })
    this.twin = new LiteralSender(cap, line === 'busy')
  }

  run(): this {
    const { hand } = this
    for (let step = 0; !hand.sender.isIdle; step++) {
      assert(step < 200_000, 'it does not end')
      this.#step()
    }
    return this
  }

  /** The next event: an arrival, the deadline, or a packet that leaves. */
  #step(): void {
    const { hand, twin } = this
    const { nowPs } = hand
    this.#flying.sort((a, b) => a.atPs - b.atPs)
    const next = this.#flying[0]
    const heardPs = this.#line === 'free' ? hand.lineFreePs : 0
    const arrivalPs = next === undefined ? NEVER_PS : Math.max(nowPs, next.atPs, heardPs)
    const latePs = Math.max(nowPs, hand.deadlinePs)
    const sendPs = Math.max(nowPs, hand.sender.nextSendPs)
    if (next !== undefined && arrivalPs <= latePs && arrivalPs <= sendPs) {
      this.#flying.shift()
      hand.nowPs = arrivalPs
      if (next.answer === null) this.#arrive(next.psn)
      else this.#hear(next.answer)
    } else if (latePs <= sendPs) {
      if (hand.late(latePs)) twin.timeout()
    } else {
      hand.nowPs = sendPs
      this.#leave()
    }
    this.#compare()
  }

  #arrive(psn: number): void {
    const answer = this.hand.rx(psn)
    if (answer !== null) this.#fly(NO_PSN, answer)
  }

  #hear(answer: Segment): void {
    const { hand, twin } = this
    hand.deliver(answer)
    if (answer.kind === ACK) twin.receiveAck(answer.psn + 1, null)
    else twin.receiveAck(answer.psn, answer.sackPsn)
    if (this.#line === 'busy') {
      // The sender searches for a hole at the ACK if nothing new may be sent; the modules wait for the line.
      if (!twin.maySendNew(this.#hasNew)) twin.look()
    } else {
      this.#compare()
      if (hand.isReady) this.#leave()
    }
  }

  #leave(): void {
    const psn = this.hand.tx()
    assert(psn !== NO_PSN, 'the sender does not send at its nextSendPs')
    assert(this.twin.txFree(this.#hasNew) === psn, 'the twin sends another packet')
    this.#fly(psn, null)
  }

  #compare(): void {
    const { sender, isReady } = this.hand
    const { una, nxt, inRecovery } = this.twin
    const isTwinReady = this.twin.next(this.#hasNew) !== NO_PSN
    const isSame =
      sender.una === una &&
      sender.nxt === nxt &&
      variablesOf(sender).inRecovery === inRecovery &&
      isReady === isTwinReady
    assert(isSame, 'the twin is in another state')
  }

  get #hasNew(): boolean {
    return this.twin.nxt < this.packets
  }

  #fly(psn: number, answer: Segment | null): void {
    const random = this.#random
    const copies = random.uniform() < this.#loss ? 0 : random.uniform() < 0.05 ? 2 : 1
    if (copies !== 1) this.faults++
    for (let copy = 0; copy < copies; copy++) {
      const lateness = random.below(10) === 0 ? random.below(20) * US : 0
      if (lateness > 0) this.faults++
      this.#flying.push({ atPs: this.hand.nowPs + 2 * US + lateness, psn, answer })
    }
  }
}

test.each([
  ['whatever is lost, doubled or reordered, every packet arrives once in order, it ends, and the twin agrees', 'free'],
  ['on a line that is busy when ACKs arrive it differs from the modules by two rules alone', 'busy'],
] as const)('%s', (_, line) => {
  let faulty = 0
  let timeouts = 0
  for (let seed = 1; seed <= CASES; seed++) {
    const { hand, packets, faults } = new Beside(seed, line).run()
    const { expectedPsn, delivered } = hand.pair.receiver
    if (faults > 0) faulty++
    timeouts += hand.sender.timeouts
    expect([expectedPsn, delivered.bytes, hand.deadlinePs], `seed ${seed}`).toEqual([packets, 1024 * packets, NEVER_PS])
  }
  expect(faulty).toBeGreaterThan(0.3 * CASES)
  expect(timeouts).toBeGreaterThan(CASES)
})

/** Ten packets of twenty are in flight, the maximum; 0, 5 and 8 are lost. The hole at 5 has been resent. */
const HEARD = [1, 2, 3, 4, 6, 7]

describe('where the order differs from the modules', () => {
  test('a hole found while the window was closed is resent before the new packet that an ACK then allows', () => {
    const hand = new IrnByHand(20, { cap: 10 }).first(10)
    const twin = new LiteralSender(10)
    for (let psn = 0; psn < 10; psn++) twin.txFree(true)
    const looks: number[][] = []
    for (const psn of HEARD) {
      twin.receiveAck(0, psn)
      looks.push([hand.round(psn)[1], twin.txFree(true)])
    }
    expect(looks.flat().filter((psn) => psn !== NO_PSN)).toEqual([0, 0, 5, 5])
    // Two ACKs before the line is free: the hole at 8 shows, and the ACK of 0 to 4 opens the window.
    hand.deliver(hand.rx(9))
    hand.deliver(hand.rx(0))
    twin.receiveAck(0, 9)
    twin.receiveAck(5, null)
    expect([hand.tx(), hand.tx()]).toEqual([8, 10])
    expect([twin.txFree(true), twin.txFree(true)]).toEqual([10, 8])
  })

  test('a duplicate ACK does not cancel the retransmission scheduled by a timeout', () => {
    const hand = new IrnByHand(3).first(3)
    const twin = new LiteralSender(110)
    for (let psn = 0; psn < 3; psn++) twin.txFree(true)
    hand.ack(1)
    twin.receiveAck(1, null)
    expect(hand.late()).toBe(true)
    twin.timeout()
    hand.ack(1)
    twin.receiveAck(1, null)
    expect([hand.tx(), twin.txFree(false)]).toEqual([1, NO_PSN])
  })
})
