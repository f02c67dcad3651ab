/**
 * Rows of [Survey]'s Tables I to III that the survey experiment does not run: iWARP, IRN and MP-RDMA. Every cell is
 * declared as the paper prints it; these tests check that a loss, a mark, a pause and an idle path have the effect that
 * the row states. Places, resources and granularity are declared only.
 */
import { describe, expect, test } from 'vitest'
import { US } from '../../src/core/base/index.ts'
import { surveyOf } from '../../src/papers/survey/schemes.ts'
import { run } from '../../src/lab/index.ts'
import { numbersOf, type Result, sum, summarize } from '../../src/core/results/index.ts'
import { parseScenario } from '../../src/lab/scenario/index.ts'
import { mpRdma as mpRdmaControl, MpRdmaWindow } from '../../src/core/transport/congestion/mp-rdma.ts'
import { irn } from '../../src/core/transport/recovery/irn.ts'
import { iwarp } from '../../src/core/transport/recovery/iwarp.ts'
import { mpRdma } from '../../src/core/transport/recovery/mp-rdma.ts'
import { TcpByHand } from '../../src/core/transport/recovery/tcp.test-bench.ts'
import { DATA } from '../../src/core/transport/segment.ts'
import { lowerCase, PRINTED_ROWS, type PrintedRow, rowOf } from '../cli/survey-rows.ts'
import { contextOf, ackEventOf } from '../support/control-world.ts'
import { lose, loseWhere, markWhere } from '../support/pair-pipe.ts'
import { Pair, scheme } from '../support/pair.ts'

const SCHEMES = {
  RoCE: 'qp: {ackInterval: 1, ackTimeout: 320us, retryLimit: off}',
  iWARP: 'recovery: iwarp\nqp: {ackInterval: 1, retryLimit: off}',
  IRN: 'recovery: irn\nqp: {ackInterval: 1, ackTimeout: 320us, retryLimit: off}',
  'MP-RDMA':
    'recovery: mp-rdma\ncongestion: mp-rdma\nqp: {ackInterval: 1, ackTimeout: 320us, retryLimit: off, ecnEcho: ack}',
} as const
type Scheme = keyof typeof SCHEMES

/** Eight hosts at one switch; its buffers hold the first round trip of `flows` flows from each of seven hosts, or not. */
function star(
  name: Scheme,
  { isPfc, bufferKb = 240 }: { isPfc: boolean; bufferKb?: number },
  workload: string,
): Result {
  return run(
    parseScenario(`
name: row
topology: {kind: star, hosts: 8, linkRate: 40Gbps, linkDelay: 2us}
${SCHEMES[name]}
pfc: {classes: ${isPfc ? '[3]' : '[]'}}
switch:
  buffer: {kind: input-queued, portBuffer: ${bufferKb}KB, xoff: ${bufferKb - 24}KB}
  ecn: ${name === 'MP-RDMA' ? '{kmin: 70KB, kmax: 70KB, pmax: 1}' : '{}'}
workload: [${workload}]
`),
    { check: true },
  )
}
const INCAST = '{kind: incast, senders: 7, receiver: 7, sizeEach: 1MB}'
const TWO_INCASTS = '{kind: incast, senders: 7, receiver: 7, sizeEach: 300KB}, '.repeat(2)
/** BDP of the path: 40 Gb/s for four links of 2 us and a packet. */
const ONE_BDP = '{kind: trace, flows: ["0 1 42KB 0us"]}'

const signals = ({ counters }: Result) => ({
  drops: sum(Object.values(counters.drops)),
  marks: counters.ecnMarks,
  cnps: counters.cnps,
  pauses: counters.pauseFrames,
})
const goodputBps = (result: Result): number =>
  (result.counters.payloadBytesDelivered * 8e12) / Math.max(...numbersOf(result.flows, 'receivedPs'))

/** Cells of one table as declared and as printed. */
function cells(survey: Parameters<typeof rowOf>[0], row: keyof typeof PRINTED_ROWS, ...tables: (keyof PrintedRow)[]) {
  const pick = (all: PrintedRow) => lowerCase(tables.map((table) => all[table]))
  return [pick(rowOf(survey)), pick(PRINTED_ROWS[row])] as const
}
const expectDeclared = (...of: Parameters<typeof cells>): void => {
  const [declared, printed] = cells(...of)
  expect(declared).toBe(printed)
}

describe('Table I', () => {
  const TABLE = ['detection', 'notification'] as const

  test('iWARP learns of congestion from lost packets, by ACKs, and from nothing else', () => {
    expectDeclared(surveyOf('iwarp')!, 'iWARP', ...TABLE)
    const pair = new Pair({ recovery: scheme(iwarp), qp: { retryLimit: null } })
    pair.forward.rule(lose(DATA, 20, 1))
    pair.postPackets(60)
    expect(pair.run()).toBe('finished')
    expect(pair.answers.filter((text) => !text.startsWith('ACK'))).toEqual([])
    expect([pair.sender.timeouts, pair.sender.retransmissions]).toEqual([0, 1])
    const overrun = star('iWARP', { isPfc: false, bufferKb: 60 }, TWO_INCASTS)
    expect(signals(overrun)).toEqual({ drops: expect.any(Number), marks: 0, cnps: 0, pauses: 0 })
    expect(signals(overrun).drops).toBeGreaterThan(0)
    expect(summarize(overrun).flows.unfinished).toBe(0)
  })

  test('IRN learns of congestion from lost packets, by NACKs, and from nothing else', () => {
    expectDeclared(surveyOf('irn')!, 'IRN', ...TABLE)
    const pair = new Pair({ recovery: scheme(irn), qp: { ackTimeout: 320 * US } })
    pair.forward.rule(lose(DATA, 20, 1))
    pair.postPackets(60)
    expect(pair.run()).toBe('finished')
    expect([pair.answers.includes('NAK 20'), pair.sender.timeouts, pair.sender.retransmissions]).toEqual([true, 0, 1])
    const overrun = star('IRN', { isPfc: false, bufferKb: 60 }, TWO_INCASTS)
    expect(signals(overrun)).toEqual({ drops: expect.any(Number), marks: 0, cnps: 0, pauses: 0 })
    expect(signals(overrun).drops).toBeGreaterThan(0)
    expect(summarize(overrun).flows.unfinished).toBe(0)
  })

  test('MP-RDMA learns of congestion from marks in its own ACKs, and is paused', () => {
    expectDeclared(surveyOf('mp-rdma')!, 'MP-RDMA', ...TABLE)
    const windowBehind = (isMarked: boolean): number => {
      const pair = mpPair()
      pair.forward.rule(markWhere(() => isMarked))
      pair.postPackets(100)
      expect(pair.run()).toBe('finished')
      expect(pair.answers.filter((text) => !text.startsWith('ACK'))).toEqual([])
      return pair.sender.congestion.windowPackets
    }
    expect(windowBehind(true)).toBeLessThan(windowBehind(false) / 2)
    const overrun = signals(star('MP-RDMA', { isPfc: true, bufferKb: 60 }, TWO_INCASTS))
    expect([overrun.drops, overrun.cnps, overrun.marks > 0, overrun.pauses > 0]).toEqual([0, 0, true, true])
  })
})

const mpPair = (): Pair =>
  new Pair({
    recovery: scheme(mpRdma),
    congestion: scheme(mpRdmaControl, { initialWindow: 50 }),
    qp: { ackInterval: 1, ecnEcho: 'ack', ackTimeout: 320 * US },
  })

describe('Table II', () => {
  test('iWARP opens its window by one packet a round trip, and a loss halves it', () => {
    expectDeclared(surveyOf('iwarp')!, 'iWARP', 'adjustment')
    const hand = new TcpByHand(400, { initialWindow: 20 })
    // Congestion avoidance from here on.
    hand.tcp.thresholdPackets = 2
    hand.tx()
    for (let round = 1; round <= 3; round++) {
      const before = hand.tcp.windowPackets
      const { una, nxt } = hand.pair.sender
      for (let psn = una; psn < nxt; psn++) hand.steps(psn)
      // A little less, since the window is fractional and grows during the round trip.
      expect(hand.tcp.windowPackets - before).toBeGreaterThan(0.9)
      expect(hand.tcp.windowPackets - before).toBeLessThanOrEqual(1)
    }
    const { una, nxt } = hand.pair.sender
    for (let psn = una + 1; psn <= una + 3; psn++) hand.steps(psn)
    expect(hand.tcp.inRecovery).not.toBe(0)
    expect(hand.tcp.windowPackets).toBe(Math.floor((nxt - una) / 2))
  })

  test('IRN keeps its rate, and no more than a bandwidth-delay product in flight', () => {
    expectDeclared(surveyOf('irn')!, 'IRN', 'adjustment')
    const pair = new Pair({ recovery: scheme(irn), qp: { ackTimeout: 320 * US }, delayPs: 12 * US })
    const bdpPackets = Math.floor((40e9 * 24e-6) / 8 / 1086)
    let most = 0
    pair.forward.rule(loseWhere(({ count }) => count % 50 === 49))
    pair.forward.rule(() => (most = Math.max(most, pair.sender.nxt - pair.sender.una)))
    pair.postPackets(1000)
    expect(pair.run()).toBe('finished')
    expect([most, pair.sender.congestion.rateBps]).toEqual([bdpPackets, 40e9])
  })

  test('MP-RDMA adds a part of its window with a clean ACK, and takes half a packet with a marked one', () => {
    expectDeclared(surveyOf('mp-rdma')!, 'MP-RDMA', 'adjustment')
    const control = new MpRdmaWindow({ initialWindow: 50, minWindow: 1 }, contextOf({}))
    const behind = (marked: boolean): number => {
      control.onAck(0, ackEventOf({ cumulativePsn: 0, marked }))
      return control.windowPackets
    }
    expect([behind(false), behind(false)]).toEqual([50 + 1 / 50, 50.02 + 1 / 50.02])
    expect(behind(true)).toBe(50.02 + 1 / 50.02 - 0.5)
  })
})

describe('Table III', () => {
  const TABLE = ['performance', 'components'] as const
  const slowdown = (name: Scheme): number => summarize(star(name, { isPfc: true }, ONE_BDP)).meanSlowdown
  /** Share of the goodput of an incast that is lost without PFC. */
  const lostWithout = (name: Scheme): number =>
    1 - goodputBps(star(name, { isPfc: false }, INCAST)) / goodputBps(star(name, { isPfc: true }, INCAST))

  test('iWARP starts slowly and needs no PFC', () => {
    expectDeclared(surveyOf('iwarp')!, 'iWARP', ...TABLE)
    expect(slowdown('iWARP')).toBeGreaterThan(1.5)
    expect(lostWithout('iWARP')).toBeLessThan(0.05)
    // The same incast costs a scheme that does need it a fifth and more.
    expect(lostWithout('RoCE')).toBeGreaterThan(0.2)
  })

  test('IRN starts at once and needs no PFC', () => {
    expectDeclared(surveyOf('irn')!, 'IRN', ...TABLE)
    expect(slowdown('IRN')).toBeLessThan(1.05)
    expect(lostWithout('IRN')).toBeLessThan(0.05)
    expect(lostWithout('RoCE')).toBeGreaterThan(0.2)
  })

  test('MP-RDMA starts at once; that it needs PFC is declared and does not show in this incast', () => {
    expectDeclared(surveyOf('mp-rdma')!, 'MP-RDMA', ...TABLE)
    expect(slowdown('MP-RDMA')).toBeLessThan(1.05)
    expect(lostWithout('MP-RDMA')).toBeLessThan(0.05)
  })

  test('MP-RDMA loses packets where two incasts overrun a buffer without PFC, and none with it', () => {
    const dropsWith = (isPfc: boolean): number => signals(star('MP-RDMA', { isPfc, bufferKb: 60 }, TWO_INCASTS)).drops
    expect([dropsWith(false) > 0, dropsWith(true)]).toEqual([true, 0])
  })
})
