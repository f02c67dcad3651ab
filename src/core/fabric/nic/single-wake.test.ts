/** The single wake-up of a NIC: when it is armed and moved, and that a replaced one does nothing. */
import { describe, expect, test } from 'vitest'
import { Memory } from '../../base/memory.ts'
import { NEVER_PS } from '../../base/params.ts'
import { EventQueue } from '../../engine/event-queue.ts'
import type { Sender } from '../../transport/send/sender.ts'
import type { QueuePair } from '../pairs/queue-pair.ts'
import { SingleWake } from './single-wake.ts'
import { RoundRobin } from './round-robin.ts'

const CODE = 1

/** The fields of a sender that the wake-up reads: its pacing, its window, and the bytes left to send. */
class Paced {
  readonly isIdle = false
  readonly isFailed = false
  readonly pacing: { availablePs: number }
  nextSendPs: number
  nxt = 0
  readonly end = 10

  constructor(availablePs: number, { isWindowBound = false } = {}) {
    this.pacing = { availablePs }
    this.nextSendPs = isWindowBound ? NEVER_PS : availablePs
  }
}

/** A NIC's round robin and its wake-up at 100 ps. */
class Waiting {
  readonly queue: EventQueue
  readonly wake: SingleWake
  private readonly roundRobin: RoundRobin
  private readonly pairs = new Map<Paced, QueuePair>()

  constructor(senders: readonly Paced[], rule: 'single' | 'single-ahead' = 'single') {
    const memory = new Memory()
    this.queue = new EventQueue(memory)
    this.roundRobin = new RoundRobin(memory, true)
    this.wake = new SingleWake(this.queue, CODE, rule, this.roundRobin)
    for (const sender of senders) {
      // The wake-up reads the pacing of a sender only.
      const pair = { sender: sender as unknown as Sender, trafficClass: 3, index: -1 } as unknown as QueuePair
      this.pairs.set(sender, pair)
      this.roundRobin.update(pair)
    }
    this.queue.schedule(100, this.queue.draw(), CODE)
    this.queue.take()
  }

  /** Finds nothing to send. */
  look(): this {
    this.wake.arm()
    return this
  }

  /** The deadline of a QP moves as it receives an ACK. */
  change(sender: Paced, deadlinePs: number): this {
    const pair = this.pairs.get(sender)!
    this.wake.hold(pair.sender)
    sender.pacing.availablePs = deadlinePs
    this.wake.follow(pair)
    return this
  }

  /** Times of the wake-ups that count. */
  get wakes(): number[] {
    const times: number[] = []
    while (this.queue.take() >= 0) if (this.wake.take()) times.push(this.queue.nowPs)
    return times
  }
}

describe('one wake-up is armed', () => {
  test('at the earliest pacing deadline', () => {
    expect(new Waiting([new Paced(300), new Paced(200)]).look().wakes).toEqual([200])
  })

  test('at the deadline of a QP even if its window holds it back', () => {
    const bound = new Paced(200, { isWindowBound: true })
    expect(new Waiting([new Paced(300), bound]).look().wakes).toEqual([200])
  })

  test('not for a QP that has sent all its bytes, unless it has a retransmission', () => {
    const sent = new Paced(200, { isWindowBound: true })
    sent.nxt = sent.end
    expect(new Waiting([new Paced(300), sent]).look().wakes).toEqual([300])
    sent.nextSendPs = 200
    expect(new Waiting([new Paced(300), sent]).look().wakes).toEqual([200])
  })

  test('not twice while it is armed', () => {
    const late = new Paced(300)
    const waiting = new Waiting([late, new Paced(400)]).look()
    late.pacing.availablePs = 200
    expect(waiting.look().wakes).toEqual([300])
  })

  test('again after it has fired', () => {
    const sender = new Paced(300)
    const waiting = new Waiting([sender]).look()
    expect(waiting.wakes).toEqual([300])
    sender.pacing.availablePs = 400
    expect(waiting.look().wakes).toEqual([400])
  })
})

describe('a deadline that has passed, of a QP that its window holds back', () => {
  const senders = () => [new Paced(50, { isWindowBound: true }), new Paced(300)]

  test('single: keeps the NIC from arming anything', () => {
    expect(new Waiting(senders()).look().wakes).toEqual([])
  })

  test('single-ahead: is left out', () => {
    expect(new Waiting(senders(), 'single-ahead').look().wakes).toEqual([300])
  })

  test('counts as passed at its very instant', () => {
    expect(new Waiting([new Paced(100, { isWindowBound: true }), new Paced(300)]).look().wakes).toEqual([])
  })
})

describe('a rate change', () => {
  test('that brings a deadline before the wake-up moves it there, and the one it replaces does nothing', () => {
    const sender = new Paced(300)
    expect(new Waiting([sender]).look().change(sender, 200).wakes).toEqual([200])
  })

  test('leaves an event behind that does nothing, even where the next wake-up is armed for its time', () => {
    const sender = new Paced(300)
    const waiting = new Waiting([sender]).look().change(sender, 200)
    const { queue, wake } = waiting
    const seen: string[] = []
    const BETWEEN = 3
    for (let code = queue.take(); code >= 0; code = queue.take()) {
      seen.push(`${code === BETWEEN ? 'between' : wake.take() ? 'wake-up' : 'nothing'} at ${queue.nowPs}`)
      if (seen.length > 1) continue
      queue.schedule(300, queue.draw(), BETWEEN)
      sender.pacing.availablePs = 300
      waiting.look()
    }
    expect(seen).toEqual(['wake-up at 200', 'nothing at 300', 'between at 300', 'wake-up at 300'])
  })

  test('moves it to now at the earliest', () => {
    const sender = new Paced(300)
    expect(new Waiting([sender]).look().change(sender, 60).wakes).toEqual([100])
  })

  test('never moves it to a later time', () => {
    const sender = new Paced(300)
    expect(new Waiting([sender]).look().change(sender, 400).wakes).toEqual([300])
  })

  test('that does not change the deadline moves nothing, even if it is before the wake-up', () => {
    const [late, early] = [new Paced(300), new Paced(300)]
    const waiting = new Waiting([late, early]).look()
    early.pacing.availablePs = 200
    expect(waiting.change(early, 200).wakes).toEqual([300])
  })

  test('arms nothing where nothing is armed', () => {
    const sender = new Paced(300)
    expect(new Waiting([sender]).change(sender, 200).wakes).toEqual([])
  })
})
