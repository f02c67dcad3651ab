/** IRN's core as its specification traces it: 14 packets, cap 110, one look at the link after each answer. */
import { describe, expect, test } from 'vitest'
import { assert } from '../../base/assert.ts'
import { NEVER_PS, US } from '../../base/params.ts'
import { createRandomStreams } from '../../base/random.ts'
import {
  BEYOND,
  COMPLETION_END,
  DUPLICATE,
  EARLY,
  HELD,
  IN_ORDER,
  MESSAGE_END,
  PACKET,
  SelectiveRepeatReceiver,
} from './receiver.ts'
import { LiteralSender, stateOf } from './sender.test-twin.ts'
import { NO_PSN, SELECTIVE_REPEAT_DEFAULTS, type SelectiveRepeatOptions, SelectiveRepeatSender } from './sender.ts'

interface Answer {
  readonly isNack: boolean
  readonly cumulative: number
  readonly sackPsn: number
}

/** Both ends of a space and so many packets to send. */
class Space {
  readonly sender: SelectiveRepeatSender
  readonly receiver: SelectiveRepeatReceiver
  readonly packets: number
  /** The slow and obvious sender, fed alike. */
  twin: LiteralSender | null = null
  nowPs = 0
  transmissions = 0
  nacks = 0
  acks = 0

  constructor(packets: number, options: Partial<SelectiveRepeatOptions> = {}) {
    this.packets = packets
    const all = { ...SELECTIVE_REPEAT_DEFAULTS, ...options }
    this.sender = new SelectiveRepeatSender(all)
    this.receiver = new SelectiveRepeatReceiver({ bitmapBits: all.bitmapBits, hasMessages: false })
  }
  get hasNew(): boolean {
    return this.sender.nxt < this.packets
  }
  tx(): number {
    const { hasNew } = this
    const psn = this.sender.take(this.nowPs, hasNew)
    if (this.twin !== null) assert(this.twin.txFree(hasNew) === psn, 'the twin sends another packet')
    if (psn !== NO_PSN) this.transmissions++
    return psn
  }
  /** Sends all it may now. */
  flood(): number[] {
    const sent: number[] = []
    while (this.sender.nextSendPs(this.nowPs, this.hasNew) <= this.nowPs) sent.push(this.tx())
    return sent
  }
  /** A data packet arrives. */
  rx(psn: number): Answer | null {
    const { receiver } = this
    const place = receiver.place(psn)
    if (place === BEYOND) return null
    if (place === IN_ORDER || place === EARLY) receiver.take(psn, PACKET)
    const isNack = place === EARLY || place === HELD
    if (isNack) this.nacks++
    else this.acks++
    return { isNack, cumulative: receiver.epsn, sackPsn: psn }
  }
  hear(answer: Answer): void {
    if (answer.isNack) this.sender.onNack(this.nowPs, answer.cumulative, answer.sackPsn)
    else this.sender.onAck(this.nowPs, answer.cumulative)
    if (this.twin === null) return
    this.twin.receiveAck(answer.cumulative, answer.isNack ? answer.sackPsn : null)
    assert(
      JSON.stringify(stateOf(this.twin)) === JSON.stringify(stateOf(this.sender.state)),
      'the twin is in another state',
    )
  }
  /** A data packet arrives, its answer returns, and the sender looks at the link once. */
  round(psn: number): [string, number] {
    const answer = this.rx(psn)!
    this.hear(answer)
    return [answer.isNack ? `NACK ${answer.cumulative},${answer.sackPsn}` : `ACK ${answer.cumulative}`, this.tx()]
  }
}

test('T-IRN-1: PSN 2 and 5 of 14 are lost, and these two are sent again', () => {
  const space = new Space(14)
  const { sender } = space
  for (let psn = 0; psn < 10; psn++) expect(space.tx()).toBe(psn)
  const state = () => {
    const { una, rec, doRtx, rtx, inRecovery } = sender.state
    return [una, rec, doRtx, rtx, inRecovery]
  }
  expect(space.round(0)).toEqual(['ACK 1', 10])
  expect(space.round(1)).toEqual(['ACK 2', 11])
  expect(space.round(3)).toEqual(['NACK 2,3', 2])
  expect(state()).toEqual([2, 11, false, 2, true])
  expect(space.round(4)).toEqual(['NACK 2,4', 12])
  expect(space.round(6)).toEqual(['NACK 2,6', 13])
  expect(state()).toEqual([2, 11, true, 5, true])
  expect(space.round(7)).toEqual(['NACK 2,7', 5])
  expect(state()).toEqual([2, 13, false, 5, true])
  for (const psn of [8, 9, 10, 11]) expect(space.round(psn)).toEqual([`NACK 2,${psn}`, NO_PSN])
  expect(space.round(2)).toEqual(['ACK 5', NO_PSN])
  expect(state()).toEqual([5, 13, false, 5, true])
  for (const psn of [12, 13]) expect(space.round(psn)).toEqual([`NACK 5,${psn}`, NO_PSN])
  expect(space.round(5)).toEqual(['ACK 14', NO_PSN])
  expect([sender.state.inRecovery, sender.deadlinePs]).toEqual([false, NEVER_PS])
  expect([space.transmissions, space.nacks, space.acks]).toEqual([16, 10, 4])
})

test('recovery begins with a NACK or a timeout, and what is SACKed is remembered (S3 3.1)', () => {
  const told = new Space(8)
  told.flood()
  told.hear(told.rx(3)!)
  expect([told.tx(), told.sender.state.inRecovery]).toEqual([0, true])
  expect([0, 1, 2, 3, 4].map((psn) => told.sender.isSacked(psn))).toEqual([false, false, false, true, false])

  const silent = new Space(3)
  silent.flood()
  expect(silent.sender.state.inRecovery).toBe(false)
  expect(silent.sender.onTimeout(100 * US, false)).toBe(true)
  silent.nowPs = 100 * US
  expect([silent.tx(), silent.sender.state.inRecovery]).toEqual([0, true])
})

test('recovery ends when more is acknowledged than the last new packet before the retransmission, and not at it (S3 3.1)', () => {
  const space = new Space(9)
  const { sender } = space
  for (let psn = 0; psn < 6; psn++) space.tx()
  for (const psn of [0, 1]) space.hear(space.rx(psn)!)
  // 2 and 5 are lost.
  expect(space.round(3)).toEqual(['NACK 2,3', 2])
  expect([sender.state.inRecovery, sender.state.rec]).toEqual([true, 5])
  space.hear(space.rx(4)!)
  space.hear(space.rx(2)!)
  expect([sender.una, sender.state.inRecovery]).toEqual([5, true])
  expect(space.flood()).toEqual([5, 6, 7, 8])
  expect([sender.state.rec, sender.state.inRecovery]).toEqual([5, true])
  space.hear(space.rx(5)!)
  expect([sender.una, sender.state.inRecovery]).toEqual([6, false])
})

describe('T-IRN-2: which timeout', () => {
  test('many in flight: at 100 us it only extends, at 320 us after arming it fires', () => {
    const space = new Space(8)
    const { sender } = space
    space.flood()
    for (const psn of [0, 1, 3, 4, 5, 6, 7]) {
      const answer = space.rx(psn)!
      space.hear(answer)
      space.flood()
    }
    expect([sender.una, sender.retransmissions, sender.deadlinePs]).toEqual([2, 1, 100 * US])
    expect(sender.onTimeout(100 * US, false)).toBe(false)
    expect([sender.deadlinePs, sender.state.doRtx]).toEqual([320 * US, false])
    expect(sender.onTimeout(320 * US, false)).toBe(true)
    space.nowPs = 320 * US
    expect(space.flood()).toEqual([2])
    expect(sender.state.rec).toBe(7)
    space.hear(space.rx(2)!)
    expect([sender.una, sender.state.inRecovery]).toEqual([8, false])
  })
  test('the last of four: 100 us after the last ACK', () => {
    const space = new Space(4)
    const { sender } = space
    space.flood()
    for (const psn of [0, 1, 2]) {
      space.nowPs += 5 * US
      space.hear(space.rx(psn)!)
    }
    expect(sender.deadlinePs).toBe(115 * US)
    expect(sender.onTimeout(115 * US, false)).toBe(true)
    space.nowPs = 115 * US
    expect(space.flood()).toEqual([3])
  })
})

test.each([
  [3, false, true],
  [4, false, false],
  [1, true, false],
])('T-IRN-3: %i in flight, slow %s: the low timeout fires %s', (inFlight, isSlow, fires) => {
  const space = new Space(inFlight)
  space.flood()
  expect(space.sender.onTimeout(100 * US, isSlow)).toBe(fires)
  expect(space.sender.deadlinePs).toBe((fires ? 200 : 320) * US)
  expect(space.sender.onTimeout(space.sender.deadlinePs, isSlow)).toBe(!fires)
})

test('a packet that waits to go again is not late: its time begins when it goes', () => {
  const space = new Space(1)
  space.flood()
  expect([space.sender.onTimeout(100 * US, false), space.sender.onTimeout(200 * US, false)]).toEqual([true, false])
  expect([space.sender.timeouts, space.sender.deadlinePs]).toEqual([1, NEVER_PS])
  space.nowPs = 900 * US
  space.flood()
  expect(space.sender.onTimeout(1000 * US, false)).toBe(true)
})

test('N packets in flight time out after RTO_low; with one more that only extends to RTO_high (S3 3.1, 6.2.1)', () => {
  const [few, many] = [new Space(3), new Space(4)].map((space) => {
    space.flood()
    return space.sender
  })
  expect([few!.onTimeout(100 * US, false), few!.timeouts, few!.state.doRtx]).toEqual([true, 1, true])
  expect([many!.onTimeout(100 * US, false), many!.timeouts, many!.state.doRtx]).toEqual([false, 0, false])
  expect([many!.deadlinePs, many!.onTimeout(320 * US, false), many!.state.doRtx]).toEqual([320 * US, true, true])
})

test('T-IRN-4: 110 in flight and not one more', () => {
  const space = new Space(1000)
  for (let k = 0; k < 109; k++) space.tx()
  expect([space.sender.inFlight, space.sender.mayGrow]).toEqual([109, true])
  expect(space.tx()).toBe(109)
  expect([space.sender.inFlight, space.sender.mayGrow, space.tx()]).toEqual([110, false, NO_PSN])
  expect(space.sender.nextSendPs(0, true)).toBe(NEVER_PS)
})

test('T-IRN-5: a duplicate is acknowledged, never refused', () => {
  const space = new Space(8)
  for (const psn of [0, 1, 2]) space.rx(psn)
  expect(space.rx(2)).toEqual({ isNack: false, cumulative: 3, sackPsn: 2 })
})

test('T-IRN-6: the only packet of a message is lost: again after 100 us', () => {
  const space = new Space(1)
  expect(space.flood()).toEqual([0])
  expect([space.sender.deadlinePs, space.sender.onTimeout(100 * US, false)]).toEqual([100 * US, true])
  space.nowPs = 100 * US
  expect(space.flood()).toEqual([0])
  space.hear(space.rx(0)!)
  expect([space.sender.una, space.sender.deadlinePs]).toEqual([1, NEVER_PS])
})

describe('the options', () => {
  test('with a threshold of three, the third NACK starts recovery', () => {
    const space = new Space(8, { nackThreshold: 3 })
    space.flood()
    const starts = [1, 2, 3].map((psn) => {
      space.hear(space.rx(psn)!)
      return space.flood()
    })
    expect(starts).toEqual([[], [], [0]])
  })
  test('a retransmission waits until the packet is fetched, and new packets go meanwhile', () => {
    const space = new Space(6, { fetchDelayPs: 2 * US })
    for (let k = 0; k < 4; k++) space.tx()
    space.nowPs = 10 * US
    space.hear(space.rx(1)!)
    expect(space.flood()).toEqual([4, 5])
    space.nowPs = 11 * US
    space.hear(space.rx(2)!)
    expect(space.sender.nextSendPs(space.nowPs, false)).toBe(12 * US)
    expect(space.tx()).toBe(NO_PSN)
    space.nowPs = 12 * US
    expect(space.flood()).toEqual([0])
  })
  test('a NACK that moves una does not start recovery, the next one does', () => {
    const space = new Space(7)
    space.flood()
    space.rx(0)
    space.rx(1)
    // The ACKs are lost.
    space.hear(space.rx(3)!)
    expect(space.sender.una).toBe(2)
    expect(space.flood()).toEqual([])
    space.hear(space.rx(4)!)
    expect(space.flood()).toEqual([2])
  })
  test('without timeouts nothing is armed', () => {
    const space = new Space(3, { rtoLowPs: null })
    space.flood()
    expect(space.sender.deadlinePs).toBe(NEVER_PS)
  })
})

test('a NACK that is older than what is known changes nothing', () => {
  const space = new Space(8)
  space.flood()
  const stale = space.rx(2)!
  for (const psn of [0, 1]) space.hear(space.rx(psn)!)
  expect(space.sender.una).toBe(3)
  space.hear(stale)
  expect([space.sender.una, space.sender.state.doRtx, space.flood()]).toEqual([3, false, []])
})

test('going back sends everything from there on anew, and forgets what was SACKed', () => {
  const space = new Space(8)
  const { sender } = space
  space.flood()
  for (const psn of [0, 1, 4, 6]) space.hear(space.rx(psn)!)
  expect([sender.isSacked(4), sender.isSacked(5), sender.isSacked(6)]).toEqual([true, false, true])
  expect(sender.goBack(1)).toBe(false)
  expect(sender.goBack(2)).toBe(true)
  expect([sender.una, sender.nxt, sender.state.doRtx, sender.deadlinePs, sender.isSacked(4)]).toEqual([
    2,
    2,
    false,
    NEVER_PS,
    false,
  ])
  // From before: says nothing now.
  sender.onNack(0, 2, 6)
  expect(space.flood()).toEqual([2, 3, 4, 5, 6, 7])
})

describe('the 2-bitmap', () => {
  test('T-IRNV-1: a WRITE, a SEND and a WRITE with immediate, in the order 1 2 4 3 0', () => {
    const receiver = new SelectiveRepeatReceiver({ bitmapBits: 128, hasMessages: true })
    const classes = [PACKET, MESSAGE_END, COMPLETION_END, PACKET, COMPLETION_END] as const
    for (const psn of [1, 2, 4, 3]) {
      expect(receiver.place(psn)).toBe(EARLY)
      receiver.take(psn, classes[psn]!)
      expect([receiver.place(psn), receiver.epsn, receiver.msn]).toEqual([HELD, 0, 0])
    }
    expect([1, 2, 3, 4].map((psn) => receiver.classOf(psn).toString(2).padStart(2, '0'))).toEqual([
      '01',
      '11',
      '10',
      '11',
    ])
    expect(receiver.place(0)).toBe(IN_ORDER)
    receiver.take(0, PACKET)
    expect([receiver.epsn, receiver.msn, receiver.completions]).toEqual([5, 3, 2])
    expect([0, 5, 6].map((psn) => receiver.place(psn))).toEqual([DUPLICATE, IN_ORDER, EARLY])
  })
  test('what is beyond the bitmap is not taken', () => {
    const receiver = new SelectiveRepeatReceiver({ bitmapBits: 32, hasMessages: true })
    expect([31, 32].map((psn) => receiver.place(psn))).toEqual([EARLY, BEYOND])
  })
})

/** Sends packets over a way that loses, doubles and reorders in both directions; returns what it took. */
function shuffle(seed: number): { readonly faults: number; readonly space: Space; readonly arrived: number[] } {
  const random = createRandomStreams(seed).stream('way')
  const capPackets = 1 + random.below(110)
  const space = new Space(1 + random.below(400), { capPackets })
  space.twin = new LiteralSender(capPackets)
  const { sender } = space
  const loss = random.below(30) / 100
  const flying: { at: number; psn: number; answer: Answer | null }[] = []
  const arrived: number[] = []
  let faults = 0
  const send = (psn: number, answer: Answer | null) => {
    const copies = random.uniform() < loss ? 0 : random.uniform() < 0.05 ? 2 : 1
    if (copies !== 1) faults++
    for (let copy = 0; copy < copies; copy++) {
      const late = random.below(10) === 0 ? random.below(20) * US : 0
      if (late > 0) faults++
      flying.push({ at: space.nowPs + 2 * US + late, psn, answer })
    }
  }
  for (let step = 0; sender.una < space.packets; step++) {
    if (step > 200_000) throw new Error(`seed ${seed} does not end`)
    if (sender.nextSendPs(space.nowPs, space.hasNew) <= space.nowPs) {
      const psn = space.tx()
      if (psn === NO_PSN) throw new Error('it said that it could send')
      if (sender.inFlight > 110) throw new Error('over the cap')
      send(psn, null)
      space.nowPs += US / 4
      continue
    }
    flying.sort((a, b) => a.at - b.at)
    const next = flying[0]
    if (next !== undefined && next.at <= sender.deadlinePs) {
      flying.shift()
      space.nowPs = Math.max(space.nowPs, next.at)
      if (next.answer !== null) space.hear(next.answer)
      else {
        const before = space.receiver.epsn
        const answer = space.rx(next.psn)
        for (let psn = before; psn < space.receiver.epsn; psn++) arrived.push(psn)
        if (answer !== null) send(-1, answer)
      }
    } else {
      space.nowPs = Math.max(space.nowPs, sender.deadlinePs)
      if (sender.onTimeout(space.nowPs, false)) space.twin.timeout()
    }
  }
  return { faults, space, arrived }
}

test('whatever is lost, doubled or reordered, every packet arrives once in order, it ends, and the twin agrees', () => {
  let faulty = 0
  let timeouts = 0
  const cases = 300
  for (let seed = 1; seed <= cases; seed++) {
    const { faults, space, arrived } = shuffle(seed)
    if (faults > 0) faulty++
    timeouts += space.sender.timeouts
    expect(arrived, `seed ${seed}`).toEqual(Array.from({ length: space.packets }, (_, psn) => psn))
    expect(space.sender.deadlinePs, `seed ${seed}`).toBe(NEVER_PS)
  }
  expect(faulty).toBeGreaterThan(0.3 * cases)
  expect(timeouts).toBeGreaterThan(cases)
})
