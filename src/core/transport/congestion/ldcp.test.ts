import { describe, expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { lose, loseWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../../../../tests/support/pair.ts'
import { assert } from '../../base/assert.ts'
import { defaultsOf, NEVER_PS, US, type ValuesOf } from '../../base/params.ts'
import { irn } from '../recovery/irn.ts'
import { ACK, CE, DATA, ECT_0, NOT_ECT } from '../segment.ts'
import { FIRST_CONGESTION_TIMER, Timers } from '../timers.ts'
import { Ldcp, ldcp } from './ldcp.ts'

type Values = Partial<ValuesOf<typeof ldcp.params>>

class Flow extends AckedFlow<Ldcp> {
  readonly timers: Timers
  constructor(values: Values, timers = new Timers({ draw: () => 1 })) {
    super((context) => new Ldcp({ ...defaultsOf(ldcp.params), ...values }, context), { timers })
    this.timers = timers
  }
  /** Time until the next release; NEVER_PS: none is set. */
  get releaseUs(): number {
    return (this.timers.nextPs - this.nowPs) / US
  }
  /** Fires the timer, and its packet is sent at once. */
  tick(): void {
    this.nowPs = this.timers.nextPs
    this.timers.clear(FIRST_CONGESTION_TIMER)
    this.control.onTimer()
    assert(this.control.releases === 1, 'one packet is released')
    this.control.releases = 0
    this.control.onSent(this.nowPs)
  }
}

/** After its fast start. */
function stable(windowPackets: number, values: Values = {}): Flow {
  const flow = fast(values)
  flow.timeout()
  flow.control.windowPackets = windowPackets
  return flow
}

/** In its fast start. */
function fast(values: Values = {}): Flow {
  const flow = new Flow(values)
  flow.control.onStart(0)
  return flow
}

const pairWith = (values: Values = {}, options: PairOptions = {}): Pair =>
  new Pair({
    congestion: scheme(ldcp, values),
    delayPs: 10 * US,
    ...options,
    qp: { ackInterval: 1, ecnEcho: 'ack', ackTimeout: 320 * US, ...options.qp },
  })

/** Codepoints of the data packets of a pair, in order. */
function codepointsOf(pair: Pair): number[] {
  const seen: number[] = []
  pair.forward.rule(({ segment }) => {
    if (segment.kind === DATA) seen.push(segment.ecn)
  })
  return seen
}

describe('the window in the stable stage', () => {
  test('T-LDCP-1: an unmarked ACK adds alpha over the window, a marked one takes beta', () => {
    const flow = stable(4)
    const expected = [4.25, 4.485294, 3.985294, 4.236217, 3.736217, 3.236217]
    expected.forEach((packets, i) => expect(flow.acks('001011'[i]!)).toBeCloseTo(packets, 6))
  })

  test('alpha and beta are what they are set to', () => {
    expect(stable(4, { alpha: 2 }).acks('0')).toBe(4.5)
    expect(stable(4, { beta: 2 }).acks('1')).toBe(2)
  })

  test('T-LDCP-2: an ACK of n packets counts n times', () => {
    const flow = stable(4)
    const answers = [
      [2, false, 4.5],
      [2, false, 4.944444],
      [1, true, 4.444444],
      [2, false, 4.894444],
    ] as const
    for (const [packets, marked, after] of answers) expect(flow.answer({ packets, marked })).toBeCloseTo(after, 6)
  })

  test('one packet up in a round trip without marks, a share down in one with all marked', () => {
    expect(stable(50).acks('0'.repeat(50))).toBeCloseTo(50.99, 2)
    expect(stable(50).acks('1'.repeat(50))).toBe(25)
    expect(stable(50, { alpha: 0.5, beta: 0.25 }).acks('1')).toBe(49.75)
  })

  test('never beyond twice the first window', () => {
    expect(stable(219.9, { initialWindow: 110 }).acks('0'.repeat(1000))).toBe(220)
  })

  test('losses and timeouts do not change it', () => {
    const flow = stable(20)
    expect([flow.nak(), flow.timeout()]).toEqual([20, 20])
  })

  test('a NAK and an ACK that confirm nothing have no effect', () => {
    const flow = stable(20)
    expect(flow.answer({ packets: 0, marked: true })).toBe(20)
    expect(flow.answer({ packets: 3, isNak: true })).toBe(20)
  })
})

describe('over selective repeat', () => {
  /**
   * The windows over time after packet 45 of 100 is lost, after the fast start; the later ones are all marked, or none.
   */
  const windowsOf = (marked: boolean): number[] => {
    const pair = new Pair({
      recovery: scheme(irn, { cap: 110 }),
      congestion: scheme(ldcp, { initialWindow: 20 }),
      qp: { ackTimeout: 320 * US, ecnEcho: 'ack' },
      delayPs: 10 * US,
    })
    pair.forward.rule(lose(DATA, 45, 1))
    pair.forward.rule(markWhere(({ segment }) => marked && segment.psn >= 45))
    pair.postPackets(100)
    const windows: number[] = []
    while (pair.sender.una < 100) {
      // ACKs are further apart.
      pair.runUntil(pair.nowPs + 0.1 * US)
      if (pair.sender.una >= 45) windows.push(pair.sender.congestion.windowPackets)
    }
    return windows
  }
  const stepsOf = (windows: readonly number[]): number[] => windows.slice(1).map((window, i) => window - windows[i]!)

  test('each packet counts once: a NACK for the packet it names, the ACK after a hole for packets that no NACK has named', () => {
    const windows = windowsOf(false)
    expect(Math.max(...stepsOf(windows))).toBeLessThanOrEqual(1 / 20)
    // 54 packets, an inverse of the window each.
    expect(windows.at(-1)! ** 2 - windows[0]! ** 2).toBeCloseTo(2 * 54, -1)
  })

  test('a marked ACK that fills a hole takes half a packet, and not half of all that it acknowledges', () => {
    const falls = stepsOf(windowsOf(true)).map((step) => -step)
    expect(Math.max(...falls)).toBe(0.5)
    expect(falls.filter((fall) => fall > 0).length).toBeGreaterThan(20)
  })
})

describe('a window below one packet', () => {
  test('T-LDCP-3: falls by half to gamma, rises by gamma, and spaces releases by rtt / window', () => {
    const flow = stable(1.2)
    flow.rttPs = 24 * US
    flow.nowPs = 100 * US
    const down = [0.7, 0.35, 0.175, 0.125].map((packets) => {
      expect(flow.acks('1')).toBeCloseTo(packets, 12)
      flow.tick()
      return flow.releaseUs
    })
    ;[34.286, 68.571, 137.143, 192].forEach((us, i) => expect(down[i]).toBeCloseTo(us, 3))
    const up = [0.25, 0.375, 0.5, 0.625, 0.75, 0.875].map((packets) => {
      expect(flow.acks('0')).toBeCloseTo(packets, 12)
      flow.tick()
      return flow.releaseUs
    })
    expect([up[0], up[2]]).toEqual([96, 48])
    expect(flow.acks('0')).toBe(1)
    expect([flow.timers.nextPs, flow.control.releases]).toEqual([NEVER_PS, 0])
    expect(flow.acks('0')).toBe(2)
  })

  test('a crossing from above is not clamped, and gamma is the floor', () => {
    expect(stable(1.2).acks('1')).toBeCloseTo(0.7, 12)
    expect(stable(1, { beta: 1 }).acks('1')).toBe(0.125)
    expect(stable(0.2, { minWindow: 0.0625 }).acks('11')).toBe(0.0625)
  })

  test('the timer runs with the window of its start', () => {
    const flow = stable(1)
    flow.rttPs = 20 * US
    flow.acks('1')
    expect(flow.releaseUs).toBe(40)
    flow.acks('1')
    expect(flow.releaseUs).toBe(40)
    flow.tick()
    expect(flow.releaseUs).toBe(80)
  })

  test('over a pipe: everything is marked, one packet goes every eight round trips', () => {
    const pair = pairWith()
    pair.forward.rule(markWhere(() => true))
    pair.postPackets(400)
    expect(pair.run()).toBe('finished')
    const times = [397, 398, 399].map((psn) => pair.timesOf(`data ${psn}`)[0]!)
    expect(times.slice(1).map((ps, i) => ps - times[i]!)).toEqual([160 * US, 160 * US])
  })

  test('behind a loss, a packet that waits longer for its release than for its ACK meets no timeout', () => {
    const pair = pairWith({}, { qp: { ackTimeout: 170 * US } })
    pair.forward.rule(lose(DATA, 20, 1))
    pair.forward.rule(markWhere(() => true))
    pair.postPackets(100)
    expect(pair.run()).toBe('finished')
    expect(pair.nowPs).toBeGreaterThan(30 * 160 * US)
    expect(pair.sender.timeouts).toBe(0)
  })

  test('a flow with nothing to send accumulates no releases', () => {
    const pair = pairWith({ idleAfter: null })
    pair.forward.rule(markWhere(() => true))
    pair.postPackets(400)
    pair.run()
    pair.runUntil(pair.nowPs + 5000 * US)
    const fromPs = pair.nowPs
    pair.postPackets(2)
    pair.run()
    expect([400, 401].map((psn) => pair.timesOf(`data ${psn}`)[0]! - fromPs)).toEqual([0, 160 * US])
  })
})

describe('the fast start', () => {
  test('T-LDCP-4: all but the last of the first window and of a message are ECN-incapable', () => {
    const seen = (packets: number): number[] => {
      const pair = pairWith({ initialWindow: 4 })
      const codepoints = codepointsOf(pair)
      pair.postPackets(packets)
      expect(pair.run()).toBe('finished')
      return codepoints
    }
    expect(seen(6)).toEqual([NOT_ECT, NOT_ECT, NOT_ECT, ECT_0, ECT_0, ECT_0])
    expect(seen(2)).toEqual([NOT_ECT, ECT_0])
    expect(seen(1)).toEqual([ECT_0])
  })

  test('lastCapable: false makes the whole first window incapable', () => {
    const pair = pairWith({ initialWindow: 4, lastCapable: false })
    const codepoints = codepointsOf(pair)
    pair.postPackets(2)
    pair.postPackets(4)
    pair.run()
    expect(codepoints).toEqual([NOT_ECT, NOT_ECT, NOT_ECT, NOT_ECT, ECT_0, ECT_0])
  })

  test('incapableStart: false changes the codepoints and nothing else', () => {
    const pair = pairWith({ incapableStart: false, initialWindow: 8 })
    const codepoints = codepointsOf(pair)
    pair.forward.rule(lose(DATA, 3, 1))
    pair.postPackets(8)
    pair.runUntilSent(9)
    expect(codepoints).toEqual(Array.from({ length: 9 }, () => ECT_0))
    expect(pair.sender.congestion.windowPackets).toBe(3)
  })

  test('T-LDCP-5: the loss of PSN 37 leaves a window of 37, and what is sent again is ECN-capable', () => {
    const pair = pairWith({ initialWindow: 110 })
    pair.forward.rule(lose(DATA, 37, 1))
    const codepoints = codepointsOf(pair)
    pair.postPackets(110)
    pair.runUntilSent(111)
    expect(pair.sender.congestion.windowPackets).toBe(37)
    expect(pair.dataSent.at(-1)).toBe(37)
    expect(pair.run()).toBe('finished')
    expect(codepoints.slice(0, 109)).toEqual(Array.from({ length: 109 }, () => NOT_ECT))
    expect(codepoints.slice(109).every((ecn) => ecn === ECT_0)).toBe(true)
    expect(codepoints).toHaveLength(110 + 73)
  })

  test('T-LDCP-5: without a loss the window is the first one when all of it is acknowledged', () => {
    const flow = fast({ initialWindow: 110 })
    expect(flow.acks('1'.repeat(109))).toBe(110)
    expect(flow.acks('1')).toBe(110)
    expect(flow.acks('1')).toBe(109.5)
  })

  test('the first packet lost: one packet is the least', () => {
    expect(fast({ initialWindow: 50 }).nak()).toBe(1)
    expect(fast({ initialWindow: 50 }).timeout()).toBe(1)
  })

  test('as many packets as the first window has leave in the first round trip, or all of the message', () => {
    const inFirstRoundTrip = (packets: number): number => {
      const pair = pairWith()
      pair.postPackets(packets)
      pair.runUntil(20 * US - 1)
      return pair.dataSent.length
    }
    // 40 Gb/s for 20us: 92 packets of 1086 bytes, which the line takes 20.4us for.
    expect(pairWith().sender.congestion.windowPackets).toBe(92)
    expect([inFirstRoundTrip(30), inFirstRoundTrip(1000)]).toEqual([30, 91])
  })

  test('the window slides while it lasts, so sending goes on behind the first round trip', () => {
    const pair = pairWith({ initialWindow: 100 })
    const codepoints = codepointsOf(pair)
    pair.postPackets(300)
    pair.runUntilSent(150)
    expect(pair.nowPs).toBe(149 * 1106 * 200 + 16 * 200)
    expect(codepoints.slice(99)).toEqual(Array.from({ length: 51 }, () => ECT_0))
    expect(pair.sender.congestion.windowPackets).toBe(100)
  })

  test('a loss in the middle of a message is detected by its last packet, without a timeout', () => {
    const lossy = (values: Values): Pair => {
      const pair = pairWith(values)
      pair.forward.rule(loseWhere(({ segment, count }) => segment.ecn === NOT_ECT && count >= 10))
      pair.postPackets(20)
      expect(pair.run()).toBe('finished')
      return pair
    }
    expect(lossy({}).sender.timeouts).toBe(0)
    expect(lossy({ lastCapable: false }).sender.timeouts).toBe(1)
  })

  test('that begins in the middle of the packets counts from there: a loss leaves what came since', () => {
    const flow = new Flow({})
    Object.assign(flow.sender, { una: 50, nxt: 50, highest: 50 })
    flow.control.onStart(0)
    for (let i = 0; i < 10; i++) flow.answer({})
    flow.nak()
    expect(flow.control.windowPackets).toBe(10)
  })

  test('happens again after a long idle period, not after a short one', () => {
    const pair = pairWith({ initialWindow: 4, idleAfter: 100 * US })
    const codepoints = codepointsOf(pair)
    const message = (idlePs: number): number[] => {
      pair.runUntil(pair.nowPs + idlePs)
      codepoints.length = 0
      pair.postPackets(6)
      expect(pair.run()).toBe('finished')
      return [...codepoints]
    }
    const again = [NOT_ECT, NOT_ECT, NOT_ECT, ECT_0, ECT_0, ECT_0]
    const capable = [ECT_0, ECT_0, ECT_0, ECT_0, ECT_0, ECT_0]
    expect(message(0)).toEqual(again)
    expect(message(90 * US)).toEqual(capable)
    expect(message(110 * US)).toEqual(again)
    // 4 at the fourth ACK, and two more ACKs in the stable stage.
    expect(pair.sender.congestion.windowPackets).toBeCloseTo(4.485294, 6)
  })
})

describe('READ', () => {
  const reader = (values: Values = {}): Pair =>
    pairWith(values, { isRead: true, qp: { readAcks: true, ackInterval: 1, ecnEcho: 'ack', ackTimeout: 320 * US } })

  test('responses are acknowledged, marks come back, and the window holds', () => {
    const pair = reader({ initialWindow: 10 })
    pair.forward.rule(markWhere(({ count }) => count >= 50))
    pair.read(400 * 1024)
    let most = 0
    pair.forward.rule(() => {
      most = Math.max(most, pair.sender.nxt - pair.sender.una)
    })
    expect(pair.run()).toBe('finished')
    expect(pair.answers[0]).toBe('READ 0')
    expect(pair.answers.filter((text) => text.startsWith('ACK'))).toHaveLength(400)
    expect(most).toBeLessThanOrEqual(20)
    expect(pair.sender.congestion.windowPackets).toBeLessThan(1)
  })

  test('a gap brings a repeated request and no NAK, and ends the fast start', () => {
    const pair = reader({ initialWindow: 40 })
    pair.forward.rule(lose(DATA, 7, 1))
    pair.read(40 * 1024)
    pair.runUntilSent(41)
    expect(pair.sender.congestion.windowPackets).toBe(7)
    expect(pair.run()).toBe('finished')
    expect(pair.answers.filter((text) => !text.startsWith('ACK'))).toEqual(['READ 0', 'READ 7'])
    expect(pair.dataSent.slice(40, 42)).toEqual([7, 8])
  })

  test('all ACKs of a window are lost: the repeated request stands for them', () => {
    const pair = reader({ initialWindow: 4 })
    pair.backward.rule(loseWhere(({ segment, nth }) => segment.kind === ACK && segment.psn < 4 && nth === 1))
    pair.read(8 * 1024)
    expect(pair.run()).toBe('finished')
    expect(pair.answers.filter((text) => text.startsWith('READ'))).toEqual(['READ 0', 'READ 4'])
    expect(pair.dataSent).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(pair.receiver.timeouts).toBe(1)
  })
})

test('over a pipe that marks every packet behind the first hundred the window falls and comes back', () => {
  const pair = pairWith()
  pair.forward.rule(markWhere(({ count }) => count >= 200 && count < 400))
  let marked = 0
  pair.forward.rule((passage) => {
    if (passage.isMarked && passage.segment.ecn !== CE) marked++
  })
  pair.postPackets(600)
  pair.runUntilSent(500)
  const low = pair.sender.congestion.windowPackets
  pair.postPackets(4000)
  expect(pair.run()).toBe('finished')
  expect(marked).toBe(200)
  expect(low).toBeLessThan(20)
  expect(pair.sender.congestion.windowPackets).toBeGreaterThan(low + 10)
})
