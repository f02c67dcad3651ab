/** TCP of a host: its differences from iWARP's, with the congestion control of the scenario. */
import { describe, expect, test } from 'vitest'
import { lose, loseWhere, markWhere } from '../../../../tests/support/pair-pipe.ts'
import { scheme } from '../../../../tests/support/pair.ts'
import { InputError } from '../../base/issue.ts'
import { type Definition, MS, SECOND, US } from '../../base/params.ts'
import { frameSizes } from '../../../lab/network/frames.ts'
import { run } from '../../../lab/index.ts'
import { numbersOf, type Result, textsOf } from '../../results/index.ts'
import { parseScenario } from '../../../lab/scenario/index.ts'
import { aimd } from '../congestion/aimd.ts'
import { cubic } from '../congestion/cubic.ts'
import { d2tcp } from '../congestion/d2tcp.ts'
import { dctcp } from '../congestion/dctcp.ts'
import { dx } from '../congestion/dx.ts'
import { l2dct } from '../congestion/l2dct.ts'
import { newreno } from '../congestion/newreno.ts'
import { dataFrameBytes } from '../endpoint.ts'
import { CWR, DATA, ECE, ECT_0, NOT_ECT, RETRANSMITTED, type Segment } from '../segment.ts'
import { tcp } from './tcp.ts'
import { DELAY_PS, shownPair, TcpByHand } from './tcp.test-bench.ts'

const RTT_PS = 2 * DELAY_PS

/** A pair with TCP and a control, each packet acknowledged by default. */
function pairOf(values: object = {}, congestion: object = scheme(newreno), qp: object = {}) {
  const { values: all } = scheme(tcp, { delayedAck: null, ...values })
  return shownPair(tcp, all, { congestion, qp: { retryLimit: null, ecnEcho: 'ack', ...qp } })
}

/** In the middle of a flow: una 10, nxt 20, cwnd 10, which grows by less than a packet. */
function midway(values: object, packets = 100): TcpByHand {
  const hand = new TcpByHand(packets, {}, pairOf(values))
  hand.tcp.thresholdPackets = 2
  expect(hand.tx()).toBe('0 1 2 3 4 5 6 7 8 9')
  hand.steps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
  hand.tcp.windowPackets = 10
  return hand
}

describe('limited transmit (RFC 3042)', () => {
  test('lets a new packet go for each of the first two duplicates, and the third sends the oldest again', () => {
    const hand = midway({ sack: false })
    expect(hand.steps(11, 12, 13)).toEqual(['11: ACK 10 -> 20', '12: ACK 10 -> 21', '13: ACK 10 -> 10*'])
    // Half of the ten that were in flight; the two that duplicates let go do not count.
    expect(hand.tcp.thresholdPackets).toBe(5)
  })

  test('finds a loss in a window of three packets, where two duplicates would wait for the timeout', () => {
    const hand = new TcpByHand(100, {}, pairOf({ sack: false }, scheme(newreno, { initialWindow: 3 })))
    expect(hand.tx()).toBe('0 1 2')
    expect(hand.steps(1, 2, 3)).toEqual(['1: ACK 0 -> 3', '2: ACK 0 -> 4', '3: ACK 0 -> 0*'])
  })

  test('is left out where it is off', () => {
    const hand = midway({ sack: false, limitedTransmit: false })
    expect(hand.steps(11, 12, 13)).toEqual(['11: ACK 10 -> ', '12: ACK 10 -> ', '13: ACK 10 -> 10*'])
  })
})

describe('the timeout', () => {
  test('is a second at first, then 200 ms above the smoothed round trip, as Linux has it', () => {
    const { pair, tcp: view } = pairOf()
    expect(view.timeoutPs()).toBe(SECOND)
    pair.postPackets(1)
    pair.run()
    expect(view.timeoutPs()).toBe(RTT_PS + 200 * MS)
  })

  test('doubles each time in a row, and is measured anew by the next ACK of new packets', () => {
    const { pair, tcp: view } = pairOf({ rtoInitial: 10 * MS, rtoMin: 10 * MS })
    for (const nth of [1, 2, 3]) pair.forward.rule(lose(DATA, 0, nth))
    pair.postPackets(1)
    expect(pair.run()).toBe('finished')
    expect(pair.timesOf('data 0')).toEqual([0, 10 * MS, 30 * MS, 70 * MS])
    // Timestamps identify the transmission acknowledged: no ACK is ambiguous.
    expect(view.timeoutPs()).toBe(RTT_PS + 10 * MS)
  })

  test('without timestamps stays as long as it was until a packet is acknowledged that went once (Karn)', () => {
    const { pair, tcp: view } = pairOf({ rtoInitial: 10 * MS, rtoMin: 10 * MS, timestamps: false })
    pair.forward.rule(lose(DATA, 0, 1))
    pair.postPackets(1)
    pair.run()
    expect(view.timeoutPs()).toBe(20 * MS)
    pair.postPackets(1)
    pair.run()
    expect(view.timeoutPs()).toBe(RTT_PS + 10 * MS)
  })
})

const SLOW_STARTERS = [newreno, cubic, dctcp, d2tcp, l2dct].map((control) => [control.name, control] as const)

test.each(SLOW_STARTERS)(
  '%s: ten packets at first (RFC 6928), and again after a silence of a timeout',
  (_name, control) => {
    const { pair } = pairOf({ rtoMin: MS }, scheme(control as Definition))
    const view = pair.sender.congestion
    pair.postPackets(100, 'send')
    pair.runUntil(RTT_PS - 1)
    expect(pair.sender.nxt).toBe(10)
    // Slow start: twice as many a round trip later.
    pair.runUntil(2 * RTT_PS - 1)
    expect(pair.sender.nxt - pair.sender.una).toBe(20)
    pair.run()
    expect(view.windowPackets).toBeGreaterThan(50)
    pair.runUntil(pair.nowPs + 2 * MS)
    const startPs = pair.nowPs
    pair.postPackets(100, 'send')
    pair.runUntil(startPs + RTT_PS - 1)
    expect(pair.sender.nxt - pair.sender.una).toBe(10)
  },
)

test.each([aimd, dx].map((control) => [control.name, control] as const))(
  '%s, without slow start: ten at first',
  (_name, control) => {
    const { pair } = pairOf({ rtoMin: MS }, scheme(control as Definition))
    pair.postPackets(1000, 'send')
    pair.runUntil(2 * RTT_PS - 1)
    expect(pair.sender.nxt - pair.sender.una).toBe(10)
    pair.runUntil(11 * RTT_PS - 1)
    expect(pair.sender.nxt - pair.sender.una).toBeGreaterThan(15)
  },
)

test('ACKs wait 40 ms for a second packet, or as long as configured', () => {
  const times = [undefined, 5 * MS].map((delayedAck) => {
    const { pair } = pairOf(delayedAck === undefined ? { delayedAck: tcp.params.delayedAck.default } : { delayedAck })
    pair.postPackets(3)
    pair.run()
    expect(pair.answers).toEqual(['ACK 1', 'ACK 2'])
    return pair.timesOf('ACK 2')[0]! - pair.timesOf('data 2')[0]! - DELAY_PS
  })
  expect(times).toEqual([40 * MS, 5 * MS])
})

describe('ECN (RFC 3168)', () => {
  /** Packets sent and received by the sender, in order. */
  function watched(made: ReturnType<typeof pairOf>) {
    const sent: Readonly<Segment>[] = []
    const echoes: boolean[] = []
    made.pair.forward.rule(({ segment }) => sent.push({ ...segment }))
    made.pair.backward.rule(({ segment }) => echoes.push((segment.flags & ECE) !== 0))
    return { ...made, sent, echoes }
  }
  const marking = scheme(newreno, { ecn: true })

  test('a mark is echoed until the sender says CWR with its next new packet, and cuts once', () => {
    const { pair, tcp: view, sent, echoes } = watched(pairOf({}, marking))
    pair.forward.rule(markWhere(({ segment, nth }) => segment.psn === 4 && nth === 1))
    pair.postPackets(60, 'send')
    expect(pair.run()).toBe('finished')
    const reported = sent.filter(({ flags }) => (flags & CWR) !== 0).map(({ psn }) => psn)
    // Ten were in flight at the echo. The next new packet goes when half of them are acknowledged.
    expect(reported).toEqual([14])
    expect(view.thresholdPackets).toBe(5)
    // From the ACK of packet 4 to that of the packet with CWR, which ends it.
    expect(echoes.map((isEcho, i) => (isEcho ? i : -1)).filter((i) => i >= 0)).toEqual(
      Array.from({ length: 10 }, (_, i) => 4 + i),
    )
  })

  test('retransmissions cannot be marked (6.1.5)', () => {
    const { pair, sent } = watched(pairOf({}, marking))
    pair.forward.rule(lose(DATA, 3, 1))
    pair.postPackets(30)
    expect(pair.run()).toBe('finished')
    const [first, again] = sent.filter(({ psn }) => psn === 3)
    expect([first!.ecn, again!.ecn, again!.flags & RETRANSMITTED]).toEqual([ECT_0, NOT_ECT, RETRANSMITTED])
  })

  test('without it nothing can be marked', () => {
    const { pair, sent } = watched(pairOf({}, scheme(cubic)))
    pair.postPackets(5)
    pair.run()
    expect(new Set(sent.map(({ ecn }) => ecn))).toEqual(new Set([NOT_ECT]))
  })

  test('DCTCP over it has each ACK echo its own packets, and never says CWR (RFC 8257 3.2)', () => {
    const { pair, sent, echoes } = watched(pairOf({}, scheme(dctcp)))
    pair.forward.rule(markWhere(({ segment }) => segment.psn >= 4 && segment.psn < 7))
    pair.postPackets(20, 'send')
    expect(pair.run()).toBe('finished')
    expect(sent.some(({ flags }) => (flags & CWR) !== 0)).toBe(false)
    expect(echoes.map((isEcho, i) => (isEcho ? i : -1)).filter((i) => i >= 0)).toEqual([4, 5, 6])
  })

  test('DCTCP with delayed ACKs receives the exact number of marked packets', () => {
    const { pair, echoes } = watched(pairOf({ delayedAck: MS }, scheme(dctcp, { initialWindow: 10 })))
    pair.forward.rule(markWhere(({ segment }) => segment.psn >= 4 && segment.psn < 7))
    pair.postPackets(10, 'send')
    expect(pair.run()).toBe('finished')
    // 1, 3 | 5 and 6 marked | 8, 9: a held ACK goes first where the mark changes.
    expect(pair.answers).toEqual(['ACK 1', 'ACK 3', 'ACK 5', 'ACK 6', 'ACK 8', 'ACK 9'])
    expect(echoes).toEqual([false, false, true, true, false, false])
  })
})

const text = (more: string): string => `
name: tcp
topology: {kind: star, hosts: 3, linkRate: 40Gbps, linkDelay: 2us}
${more.includes('workload:') ? '' : 'workload: [{kind: trace, flows: ["0 2 1MB 0us", "1 2 1MB 0us op=send"]}]'}
${more}`

describe('a scenario', () => {
  const issuesOf = (more: string): string[] => {
    try {
      parseScenario(text(more))
      return []
    } catch (error) {
      if (!(error instanceof InputError)) throw error
      return error.issues.map((issue) => `${issue.path}: ${issue.expected}, got ${issue.received} (${issue.hint})`)
    }
  }

  test.each(['none', 'newreno', 'cubic', 'dcqcn', 'timely', 'aimd'])('may name %s', (congestion) => {
    expect(issuesOf(`recovery: tcp\ncongestion: ${congestion}`)).toEqual([])
  })

  test('with a control that needs ACKs of single packets has no delayed ACKs', () => {
    expect(issuesOf('recovery: tcp\ncongestion: swift')).toEqual([
      'recovery.delayedAck: off, as swift needs ACKs of single packets, got 40ms (set recovery.delayedAck=off)',
    ])
    expect(issuesOf('recovery: {kind: tcp, delayedAck: off}\ncongestion: swift')).toEqual([])
  })

  test('with marks has a class that is marked, and ACKs that echo them', () => {
    expect(issuesOf('recovery: tcp\ncongestion: {kind: cubic, ecn: true}\nswitch: {ecn: {classes: []}}')).toEqual([
      'qp.ecnEcho: ack, as cubic needs ECN and reads marks in ACKs, got cnp (set qp.ecnEcho=ack)',
      'switch.ecn.classes: a class of data such as 3, as cubic needs ECN, got an empty list (set switch.ecn.classes=[3])',
    ])
  })

  test('has frames of 70 bytes around the payload, 58 without timestamps', () => {
    const framesWith = (recovery: string, payload = 1448) =>
      frameSizes(parseScenario(text(`recovery: ${recovery}\nframes: {payload: ${payload}B}`)))
    const { ackBytes, sackAckBytes, readRequestBytes } = framesWith('tcp')
    expect([ackBytes, sackAckBytes, readRequestBytes]).toEqual([70, 82, 70])
    expect(dataFrameBytes(framesWith('tcp'), 1448, 0)).toBe(1518)
    expect(dataFrameBytes(framesWith('{kind: tcp, timestamps: false}', 1460), 1460, 0)).toBe(1518)
  })
})

describe('in a network', () => {
  const finished = (result: Result): boolean => textsOf(result.flows, 'status').every((status) => status === 'finished')
  const lossy = 'pfc: {classes: []}\nswitch: {buffer: {kind: input-queued, portBuffer: 60KB, xoff: 60KB}}'

  test.each(['newreno', 'cubic'])('two flows overrun a buffer under %s and finish', (congestion) => {
    for (const sack of [true, false]) {
      const result = run(
        parseScenario(text(`recovery: {kind: tcp, sack: ${sack}}\ncongestion: ${congestion}\n${lossy}`)),
        { check: true },
      )
      expect(finished(result)).toBe(true)
      expect(result.counters.drops['buffer full']).toBeGreaterThan(0)
      expect(result.counters.pauseFrames).toBe(0)
    }
  })

  test('a mark takes the place of a loss under ECN and under DCTCP', () => {
    for (const congestion of ['{kind: cubic, ecn: true}', '{kind: dctcp, initialWindow: 10, slowStart: true}']) {
      const result = run(
        parseScenario(
          text(`recovery: tcp\ncongestion: ${congestion}\nqp: {ecnEcho: ack}\npfc: {classes: []}
switch: {ecn: {classes: [3], kmin: 30KB, kmax: 30KB, pmax: 1}}`),
        ),
        { check: true },
      )
      expect(finished(result)).toBe(true)
      expect(result.counters.ecnMarks).toBeGreaterThan(0)
      expect(result.counters.drops).toEqual({})
    }
  })

  test('a link that is down for good ends a connection after its retries', () => {
    const result = run(
      parseScenario(
        text(
          'recovery: {kind: tcp, rtoMin: 1ms}\ncongestion: cubic\nfaults: [{kind: link-down, links: "2-3", down: 100us}]',
        ),
      ),
    )
    expect([...new Set(textsOf(result.flows, 'status'))]).toEqual(['retry limit reached'])
  })

  describe('the stack of its hosts', () => {
    const timesOf = (stack: string, flows = '"0 2 1B 0us"', more = '') => {
      const { flows: table } = run(
        parseScenario(
          text(`recovery: {kind: tcp, delayedAck: off, ${stack}}\ncongestion: cubic\n${more}
workload: [{kind: trace, flows: [${flows}]}]`),
        ),
        { check: true },
      )
      return ['receivedPs', 'acknowledgedPs'].map((name) => numbersOf(table, name)[0]!)
    }

    test('takes a packet its time down at one end and up at the other', () => {
      const [plain, slow] = [timesOf('stackLatency: 0us'), timesOf('stackLatency: 5us')]
      expect(slow[0]! - plain[0]!).toBe(10 * US)
      // The ACK goes down and up, and waits for the way down of the data that it lets go.
      expect(slow[1]! - plain[1]!).toBe(25 * US)
    })

    test('is passed four times in a round trip', () => {
      // 30 packets are three windows: 10, 20.
      const flow = '"0 2 30720B 0us"'
      const [plain, slow] = [timesOf('stackLatency: 0us', flow), timesOf('stackLatency: 50us', flow)]
      expect(slow[0]! - plain[0]!).toBeGreaterThan((200 + 100 - 6) * US)
      expect(slow[0]! - plain[0]!).toBeLessThanOrEqual((200 + 100) * US)
    })

    test('is passed by a READ request and by its data', () => {
      const flow = '"0 2 1B 0us op=read"'
      const [plain, slow] = [timesOf('stackLatency: 0us', flow), timesOf('stackLatency: 5us', flow)]
      expect(slow[0]! - plain[0]!).toBe(20 * US)
    })

    test('with jitter draws from streams of the hosts, and keeps the order of packets', () => {
      const flow = '"0 2 1MB 0us"'
      const [even, uneven] = [timesOf('stackLatency: 0us', flow), timesOf('stackJitter: 5us', flow)]
      expect(uneven[0]!).toBeGreaterThan(even[0]!)
      expect(timesOf('stackJitter: 5us', flow)).toEqual(uneven)
      expect(timesOf('stackJitter: 5us', flow, 'seed: 2')).not.toEqual(uneven)
      // Overtaking would look like loss: three duplicates and a packet sent again.
      const result = run(
        parseScenario(
          text(`recovery: {kind: tcp, stackJitter: 20us}\ncongestion: cubic
workload: [{kind: trace, flows: [${flow}]}]`),
        ),
        { check: true },
      )
      expect(result.counters.retransmissions).toBe(0)
    })

    test('is there for work requests too', () => {
      const finish = (stack: string): number[] => {
        const result = run(
          parseScenario(
            text(`recovery: {kind: tcp, delayedAck: off, ${stack}}\ncongestion: cubic
workload: [{kind: trace, workRequests: true, flows: ["0 2 64KB 0us", "1 2 64KB 0us op=read"]}]`),
          ),
          { check: true },
        )
        expect(finished(result)).toBe(true)
        return [...numbersOf(result.flows, 'receivedPs')]
      }
      const [plain, slow] = [finish('stackLatency: 0us'), finish('stackLatency: 10us')]
      for (const row of [0, 1]) expect(slow[row]! - plain[row]!).toBeGreaterThanOrEqual(20 * US)
    })
  })
})

test('a lost tail is found by the timeout alone', () => {
  const { pair } = pairOf({ rtoMin: MS })
  pair.forward.rule(loseWhere(({ segment, nth }) => segment.psn === 19 && nth === 1))
  pair.postPackets(20)
  expect(pair.run()).toBe('finished')
  expect([pair.sender.timeouts, pair.sender.retransmissions]).toEqual([1, 1])
})
