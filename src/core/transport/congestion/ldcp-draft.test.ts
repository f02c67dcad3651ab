/** Statements of the draft about whole runs of LDCP over a pipe; ldcp.test.ts has the equations. */
import { describe, expect, test } from 'vitest'
import { AckedFlow } from '../../../../tests/support/acked-flow.ts'
import { lose, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { Pair, scheme, type PairOptions } from '../../../../tests/support/pair.ts'
import { InputError } from '../../base/issue.ts'
import { createRandomStreams } from '../../base/random.ts'
import { defaultsOf, US, type ValuesOf } from '../../base/params.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { ACK, DATA, ECE } from '../segment.ts'
import { Timers } from '../timers.ts'
import { Dctcp, dctcp } from './dctcp.ts'
import { Ldcp, ldcp } from './ldcp.ts'
import { ldcpPcc } from './ldcp-pcc.ts'

type Values = Partial<ValuesOf<typeof ldcp.params>>

const pairWith = (values: Values = {}, qp: PairOptions['qp'] = {}): Pair =>
  new Pair({
    congestion: scheme(ldcp, values),
    delayPs: 10 * US,
    qp: { ackInterval: 1, ecnEcho: 'ack', ackTimeout: 320 * US, ...qp },
  })

/** Marks a share of the packets at random, the same ones in every run. */
function marksOf(pair: Pair, share: number): boolean[] {
  const random = createRandomStreams(3).stream('marks')
  const marks: boolean[] = []
  pair.forward.rule(
    markWhere(({ segment }) => {
      const isMarked = random.uniform() < share
      if (segment.kind === DATA) marks.push(isMarked)
      return isMarked
    }),
  )
  return marks
}

/** Packets newly acknowledged by each ACK, and whether it carries ECE. */
function acksOf(pair: Pair): { packets: number; echo: boolean }[] {
  const acks: { packets: number; echo: boolean }[] = []
  let acknowledged = 0
  pair.backward.rule(({ segment }) => {
    if (segment.kind !== ACK) return
    acks.push({ packets: segment.psn + 1 - acknowledged, echo: (segment.flags & ECE) !== 0 })
    acknowledged = segment.psn + 1
  })
  return acks
}

describe('a window in bytes ([LDCP] 3.1)', () => {
  const flightOf = (values: Values, sizes: readonly number[]): number => {
    const pair = pairWith({ initialWindow: 4, ...values })
    for (const bytes of sizes) pair.post(bytes)
    pair.runUntil(10 * US)
    return pair.sender.nxt - pair.sender.una
  }
  const small = Array.from({ length: 200 }, () => 64)

  test('4 packets of 1,024 bytes are 64 of 64, 16 of 256, and one packet less if the last would exceed it', () => {
    expect([flightOf({}, small), flightOf({ windowUnit: 'bytes' }, small)]).toEqual([4, 64])
    expect(
      flightOf(
        { windowUnit: 'bytes' },
        Array.from({ length: 200 }, () => 256),
      ),
    ).toBe(16)
    expect(
      flightOf(
        { windowUnit: 'bytes' },
        Array.from({ length: 200 }, () => 700),
      ),
    ).toBe(5)
    expect(flightOf({ windowUnit: 'bytes' }, [10, 1024, 1024, 1024, 1024, 1024])).toBe(4)
  })

  test('for full packets it is the window in packets, event by event', () => {
    const [packets, bytes] = (['packets', 'bytes'] as const).map((windowUnit) => {
      const pair = pairWith({ windowUnit })
      marksOf(pair, 0.1)
      pair.forward.rule(lose(DATA, 17, 1))
      pair.postPackets(600)
      expect(pair.run()).toBe('finished')
      return pair.log.map(({ ps, text }) => `${ps} ${text}`)
    })
    expect(bytes).toEqual(packets)
  })

  test('a window below one packet releases packets of any size one by one', () => {
    const pair = pairWith({ windowUnit: 'bytes', initialWindow: 4 })
    pair.forward.rule(markWhere(() => true))
    for (const bytes of small) pair.post(bytes)
    expect(pair.run()).toBe('finished')
    expect(pair.sender.congestion.windowPackets).toBe(0.125)
    expect(pair.sender.timeouts).toBe(0)
  })
})

describe('the receiver ([LDCP] 2.2)', () => {
  test('sends one ACK for each packet, with ECE exactly where the packet was marked', () => {
    const pair = pairWith({ incapableStart: false })
    const marks = marksOf(pair, 0.3)
    const acks = acksOf(pair)
    pair.postPackets(400)
    expect(pair.run()).toBe('finished')
    expect(acks.map(({ packets }) => packets)).toEqual(Array.from({ length: 400 }, () => 1))
    expect(acks.map(({ echo }) => echo)).toEqual(marks)
    expect(new Set(marks).size).toBe(2)
  })

  test.each([1, 2, 4, 8])(
    'with delayed ACKs sends one for at most %i unmarked packets, and for a marked one at once',
    (m) => {
      const pair = pairWith({ incapableStart: false }, { ackCoalescing: m, ackDelay: 20 * US })
      const marks = marksOf(pair, 0.1)
      const acks = acksOf(pair)
      pair.postPackets(400)
      expect(pair.run()).toBe('finished')
      let psn = 0
      let most = 0
      for (const { packets, echo } of acks) {
        // A marked packet has an ACK of its own; what waited before it has gone first, without an echo.
        expect(marks.slice(psn, psn + packets)).toEqual(echo ? [true] : Array.from({ length: packets }, () => false))
        most = Math.max(most, packets)
        psn += packets
      }
      expect([psn, most]).toEqual([400, m])
    },
  )
})

describe('PAWA ([LDCP] 2.2)', () => {
  test.each([ldcp, ldcpPcc])('$name takes alpha and beta above 0 and up to 1, and no others', ({ name }) => {
    /** Which values are refused by their name. */
    const refusals = (key: string, value: number): string[] => {
      const echo = name === 'ldcp' ? 'ack' : 'cnp'
      const text = `name: t\nqp: {ackInterval: 1, ecnEcho: ${echo}}\nswitch: {wred: {classes: [3]}}\nworkload: [{kind: incast, senders: 1}]\ntopology: {kind: star, hosts: 4}`
      try {
        parseScenario(`${text}\ncongestion: {kind: ${name}, ${key}: ${value}}\n`)
        return []
      } catch (error) {
        if (error instanceof InputError) return error.issues.map(({ path }) => path)
        throw error
      }
    }
    for (const key of ['alpha', 'beta']) {
      const refused = [`congestion.${key}`]
      expect([-0.5, 0, 1.01].map((value) => refusals(key, value))).toEqual([refused, refused, refused])
      expect([0.5, 1].map((value) => refusals(key, value))).toEqual([[], []])
    }
  })

  /** A flow after its fast start with a window; marks of each of its ACKs in order. */
  class Flow extends AckedFlow<Ldcp> {
    constructor(windowPackets: number, values: Values = {}) {
      const timers = new Timers({ draw: () => 1 })
      super((context) => new Ldcp({ ...defaultsOf(ldcp.params), ...values }, context), { timers })
      this.control.onStart(0)
      this.timeout()
      this.control.windowPackets = windowPackets
    }
  }

  test.each([
    [0, 1],
    [0.05, 0.5],
    [0.2, 0.5],
    [0.5, 0.25],
  ])(
    'with a share of %d of marks a round trip adds alpha and takes that share of beta times the window',
    (share, beta) => {
      const window = 200
      const flow = new Flow(window, { beta, initialWindow: 400 })
      const marked = share * window
      let marks = ''
      for (let i = 0; i < window; i++)
        marks += Math.floor(((i + 1) * marked) / window) > Math.floor((i * marked) / window) ? '1' : '0'
      const change = flow.acks(marks) - window
      // Additive by the unmarked packets; multiplicative by the marked ones.
      const due = 1 - share - share * window * beta
      expect(Math.abs(change - due)).toBeLessThan(0.05 * Math.max(1, Math.abs(due)))
    },
  )

  test('has one state, the window: flows that reached the same window differently continue alike, and those of DCTCP do not', () => {
    const future = '0010110001110000'
    const goOn = (flow: { acks(marks: string): number }): number[] => Array.from(future, (mark) => flow.acks(mark))
    const ofLdcp = ['', '1111', '0000001', '0101010101'].map((past) => {
      const flow = new Flow(50)
      flow.acks(past)
      flow.control.windowPackets = 20
      return goOn(flow)
    })
    for (const windows of ofLdcp) expect(windows).toEqual(ofLdcp[0])

    const ofDctcp = ['0'.repeat(100), '1'.repeat(100)].map((past) => {
      const flow = new AckedFlow((context) => new Dctcp(defaultsOf(dctcp.params), context))
      flow.flight = 5
      flow.acks(past)
      flow.control.windowPackets = 20
      return goOn(flow)
    })
    expect(ofDctcp[0]).not.toEqual(ofDctcp[1])
  })
})

describe('a window for RoCE ([LDCP] 3.1)', () => {
  test('no packet leaves while as many are in flight as the window has', () => {
    const pair = pairWith()
    marksOf(pair, 0.2)
    pair.forward.rule(lose(DATA, 70, 1))
    let most = 0
    pair.forward.rule(({ segment }) => {
      if (segment.kind !== DATA) return
      const { una, nxt, congestion } = pair.sender
      // This packet is counted already. Below one packet a timer releases one.
      expect(nxt - 1 - una).toBeLessThan(Math.max(1, congestion.windowPackets))
      most = Math.max(most, nxt - una)
    })
    pair.postPackets(3000)
    expect(pair.run()).toBe('finished')
    expect(most).toBe(92)
  })

  test('sending a bandwidth-delay product takes one round trip, and two until it is acknowledged', () => {
    const pair = pairWith()
    const packets = pair.sender.congestion.windowPackets
    expect(packets).toBe(92)
    pair.postPackets(packets)
    expect(pair.run()).toBe('finished')
    const rtts = (ps: number): number => ps / (20 * US)
    expect(rtts(pair.timesOf(`data ${packets - 1}`)[0]!)).toBeCloseTo(1, 1)
    expect(rtts(pair.nowPs)).toBeCloseTo(2, 1)
  })
})

test('LDCP asks switches for ECN marks and early drops, and its form on a commercial NIC for ECN marks alone (abstract, [LDCP] 3.2)', () => {
  const AT_SWITCHES = ['ecn', 'wred', 'qcn', 'telemetry'] as const
  const asked = ({ needs }: typeof ldcp | typeof ldcpPcc): string[] =>
    AT_SWITCHES.filter((need) => (needs as Record<string, unknown>)[need] === true)
  expect([asked(ldcp), asked(ldcpPcc)]).toEqual([['ecn', 'wred'], ['ecn']])
})

test('on a commercial NIC ACKs, NAKs, CNPs, RTT responses and packets sent are events, each followed by a rate ([LDCP] 3.2)', () => {
  const pair = new Pair({ congestion: scheme(ldcpPcc), delayPs: 15 * US, qp: { ackInterval: 4, ackTimeout: 320 * US } })
  pair.forward.rule(lose(DATA, 30, 1))
  pair.forward.rule(markWhere(({ count }) => count >= 50 && count < 80))
  const { congestion } = pair.sender
  const seen = new Set<string>()
  const rates = new Set<number>()
  for (const event of ['onAck', 'onLoss', 'onCnp', 'onRttResponse', 'onSent'] as const) {
    const handle = (congestion[event] as (...values: unknown[]) => void).bind(congestion)
    congestion[event] = (...values: unknown[]): void => {
      handle(...values)
      seen.add(event)
      rates.add(congestion.rateBps)
      expect(congestion.rateBps).toBeGreaterThan(0)
      expect(congestion.rateBps).toBeLessThanOrEqual(40e9)
    }
  }
  pair.postPackets(2000)
  expect(pair.run()).toBe('finished')
  expect([...seen].toSorted()).toEqual(['onAck', 'onCnp', 'onLoss', 'onRttResponse', 'onSent'])
  // CNPs cut, and RTT responses raise again.
  expect(rates.size).toBeGreaterThan(20)
})
