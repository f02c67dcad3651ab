/**
 * Runs of the experiment lossy-gbn on the network of Table I, and their measures.
 * Two hosts, one switch, messages of 4 MB one after the other. Data packets, ACKs and NAKs are lost, if at all, when they
 * arrive at their host. Axes:
 *   pattern, recovery, timeoutMs, timer, loss   each packet is lost with the same probability; seeds are repetitions
 *   lost, recovery                              only chosen packets are lost; the seed moves their position in the message
 *   packets, recovery                           messages of MP-RDMA without losses, by their length
 * Units: the message is 4 MiB, 4096 packets of 1024 bytes, since "256 KB" are 256 packets in the paper.
 * Source: [IGBN] Table I, Figures 4 and 5; II-A (go-back-0), II-B (short flows, no pipelining), III-B and IV-A (timeouts),
 * V (MP-RDMA). Where it is silent: the lossless network has PFC that never acts, messages are not pipelined, the retry
 * limit is off.
 */
import { MS, US } from '../../core/base/index.ts'
import { numbersOf, type Result, sum, tableOfKind } from '../../core/results/index.ts'
import type { Scenario } from '../../lab/scenario/index.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, timeoutsOf } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'

export const SCHEMES = ['go-back-n', 'send-twice', 'check-epsn', 'improved-gbn'] as const
export type Scheme = (typeof SCHEMES)[number]
export const NAMES: Readonly<Record<Scheme, string>> = {
  'go-back-n': 'Go-Back-N',
  'send-twice': 'Send Twice',
  'check-epsn': 'Check EPSN',
  'improved-gbn': 'Improved',
}
export const TIMEOUTS_MS = [100, 10, 0.5] as const
export const LOSSES: Readonly<Record<Size, readonly number[]>> = {
  small: [0.001, 0.01],
  full: [0.00001, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01],
}
/** Loss rates with a timer that runs from the last packet. */
const FOLLOWING_LOSSES: Readonly<Record<Size, readonly number[]>> = { small: [0.01], full: [0.005, 0.01] }
/**
 * Events that restart a running timer: every ACK or NAK, or every packet sent as well; the paper does not say. With 500 us,
 * the length of the NAK interval, this decides which of the two expires first, so both are run there.
 */
export const TIMERS = [
  { timer: 'answer', name: 'timer from the last answer', losses: LOSSES.full },
  { timer: 'packet', name: 'timer from the last packet', losses: FOLLOWING_LOSSES.full },
] as const

/** Packets of a message of Table I, and of small flows of MP-RDMA. */
export const PACKETS = 4096
export const SMALL_FLOWS = [1, 2, 4, 8] as const

/** Patterns of messages: that of Table I, and three that the paper names without runs. */
const PATTERNS = {
  'one-by-one': { senders: 1, packets: PACKETS, outstanding: 1 },
  'eight-at-once': { senders: 1, packets: PACKETS, outstanding: 8 },
  '64-packets': { senders: 1, packets: 64, outstanding: 1 },
  'eight-senders': { senders: 8, packets: PACKETS, outstanding: 1 },
} as const

/** Runs with random losses, or without any. */
export type LossyAt = {
  readonly pattern: keyof typeof PATTERNS
  readonly recovery: Scheme | 'go-back-0'
  readonly timeoutMs: number
  readonly timer: (typeof TIMERS)[number]['timer']
  readonly loss: number
}

export function lossyAt(
  recovery: LossyAt['recovery'],
  timeoutMs: number,
  loss: number,
  more: Partial<Pick<LossyAt, 'pattern' | 'timer'>> = {},
): LossyAt {
  return { pattern: 'one-by-one', recovery, timeoutMs, timer: 'answer', loss, ...more }
}

export const percentText = (loss: number): string => `${Number((100 * loss).toPrecision(3))} %`
export const timeoutText = (timeoutMs: number): string => (timeoutMs < 1 ? `${timeoutMs * 1000} us` : `${timeoutMs} ms`)

/** The single losses of Figure 4, the cause of the timeout that each leads to, and the scheme that avoids it. */
export const STORIES = [
  { lost: '4a', cause: 'lastPacket', remedy: 'send-twice' },
  { lost: '4b', cause: 'lastAck', remedy: 'send-twice' },
  { lost: '4c', cause: 'nak', remedy: 'check-epsn' },
  { lost: '4d', cause: 'twice', remedy: 'check-epsn' },
] as const
/** Losses that show the rule of Check EPSN. */
const RULE = ['ce-again', 'ce-reset'] as const
type Lost = (typeof STORIES)[number]['lost'] | (typeof RULE)[number]

export function lossyPoints(size: Size, seed: number): Point[] {
  const random = (name: string, ats: readonly LossyAt[]): Point[] =>
    pointsAt(ats, seed, (at) => {
      const fault = `{kind: bernoulli, probability: ${at.loss}, links: "2>0, 2>1", packets: both}`
      return scenarioText(name, seed, at, messagesOf(size, at), at.loss === 0 ? [] : [fault])
    })
  const scripted = (lost: Lost, recovery: Scheme): Point[] =>
    pointsAt([{ lost, recovery }], seed, () =>
      scenarioText(lost, seed, lossyAt(recovery, 100, 0), 1, scriptedFaults(lost, seed)),
    )
  const schemes = SCHEMES.flatMap((recovery) => [
    ...TIMEOUTS_MS.flatMap((timeoutMs) => LOSSES[size].map((loss) => lossyAt(recovery, timeoutMs, loss))),
    ...FOLLOWING_LOSSES[size].map((loss) => lossyAt(recovery, 0.5, loss, { timer: 'packet' })),
  ])
  const patterns = product({ pattern: ['eight-at-once', '64-packets'], loss: [0, 0.001] })
  return [
    ...random('lossless', [lossyAt('go-back-n', 100, 0)]),
    ...random('random', schemes),
    ...STORIES.flatMap(({ lost, remedy }) => [...scripted(lost, 'go-back-n'), ...scripted(lost, remedy)]),
    ...RULE.flatMap((lost) => scripted(lost, 'check-epsn')),
    ...random('side', [
      ...[0.0001, 0.001].map((loss) => lossyAt('go-back-0', 100, loss)),
      ...patterns.map(({ pattern, loss }) => lossyAt('go-back-n', 100, loss, { pattern })),
      ...TIMEOUTS_MS.map((timeoutMs) => lossyAt('go-back-n', timeoutMs, 0, { pattern: 'eight-senders' })),
    ]),
    ...pointsAt(product({ packets: [...SMALL_FLOWS, PACKETS], recovery: ['mp-rdma'] }), seed, ({ packets }) =>
      mpRdmaText(seed, packets),
    ),
  ]
}

/**
 * Messages per run. A timeout of 100 ms is the time of a hundred messages, so that it takes many messages to see enough of
 * them; most at a loss of 1 in 1000, where the value of go-back-N lies near the end of its band.
 */
function messagesOf(size: Size, { pattern, recovery, timeoutMs, loss }: LossyAt): number {
  const share = size === 'small' ? 0.1 : 1
  if (pattern === 'eight-senders') return 5
  if (pattern === '64-packets') return loss === 0 ? 100 : 1000
  if (pattern === 'eight-at-once') return share * (loss === 0 ? 10 : 100)
  if (recovery === 'go-back-0') return share * 20
  if (size === 'small' || loss < 0.0001) return 10
  if (timeoutMs !== 100) return loss < 0.001 ? 20 : 30
  return recovery === 'go-back-n' && loss === 0.001 ? 1000 : 100
}

const NETWORK = `switch: {buffer: {kind: shared-buffer, size: 9MB}}
pfc: {classes: [3]}
measure: {end: drain}`
const NAK_INTERVAL_PS = 500 * US

function scenarioText(name: string, seed: number, at: LossyAt, messages: number, faults: readonly string[]): string {
  const { senders, packets, outstanding } = PATTERNS[at.pattern]
  const pairs = senders === 1 ? ['"0 1"'] : Array.from({ length: senders }, (_, sender) => `"${sender + 1} 0"`)
  return `
name: lossy-gbn-${name}
${NETWORK}
topology: {kind: star, hosts: ${senders + 1}, linkRate: 40Gbps, linkDelay: 1us}
recovery: {kind: ${at.recovery}, nakInterval: ${NAK_INTERVAL_PS / US}us}
qp: {ackInterval: 256, ackTimeout: ${at.timeoutMs * 1000}us, ackTimer: ${at.timer}, retryLimit: off}
workload: [{kind: closed-loop, pairs: [${pairs.join(', ')}], operation: write, messageSize: ${packets}KiB, messages: ${messages}, outstanding: ${outstanding}}]
faults: [${faults.join(', ')}]
observe: [${RULE.some((lost) => lost === name) ? '{kind: drops}' : ''}]
`
}

/** Each packet is acknowledged, since ACKs are the clock of MP-RDMA. */
function mpRdmaText(seed: number, packets: number): string {
  return `
name: lossy-gbn-side
${NETWORK}
topology: {kind: star, hosts: 2, linkRate: 40Gbps, linkDelay: 1us}
recovery: mp-rdma
congestion: mp-rdma
qp: {ackInterval: 1, ackTimeout: 100ms, retryLimit: off, ecnEcho: ack}
workload: [{kind: closed-loop, pairs: ["0 1"], operation: write, messageSize: ${packets}KiB, messages: ${packets === PACKETS ? 2 : 100}, outstanding: 1}]
`
}

/** A fault that loses the nth packet after the previous faults; messages are too short for a second loss. */
const data = (nth: number): string => `{kind: every-nth, n: ${nth}, links: "2>1", packets: data}`
const answer = (nth: number): string => `{kind: every-nth, n: ${nth}, links: "2>0", packets: control}`
/** Packets that arrive from a loss until the retransmission. */
const ROUND_TRIP_PACKETS = 21

function scriptedFaults(lost: Lost, seed: number): readonly string[] {
  // In the second half, so that the rest takes less than a NAK interval.
  const nth = 2842 + 12 * ((seed - 1) % 100)
  const nak = Math.floor((nth - 1) / 256) + 1
  // So near to the end that the last packet arrives before the retransmission, whose second packet is lost.
  const nearEnd = PACKETS - 18 + (seed % 10)
  const faults: Readonly<Record<Lost, readonly string[]>> = {
    '4a': [data(PACKETS)],
    '4b': [answer(PACKETS / 256)],
    '4c': [data(nth), answer(nak)],
    '4d': [data(nth), data(nth + ROUND_TRIP_PACKETS)],
    'ce-again': [data(nth), answer(nak), answer(nak), answer(nak)],
    // Fifteen ACKs and the first NAK precede the NAK of the second loss and its repetition.
    'ce-reset': [data(nearEnd), data(PACKETS + 1), answer(17), answer(17)],
  }
  return faults[lost]
}

/** The paper's reasons for timeouts, the measure that counts each, and how many of the timeouts of Figure 3 have it. */
export const REASONS = [
  { reason: 1, key: 'lastPacket', cause: 'last packet lost', percent: 7.1, count: 4 },
  { reason: 2, key: 'lastAck', cause: 'last ACK lost', percent: 1.8, count: 1 },
  { reason: 3, key: 'nak', cause: 'NAK lost', percent: 57.1, count: 32 },
  { reason: 4, key: 'twice', cause: 'packet lost twice', percent: 33.9, count: 19 },
] as const

export function lossyMeasures(result: Result): Measures {
  const { flows, counters } = result
  const byReason = REASONS.map(({ key, cause }) => [key, counters.timeouts[cause] ?? 0] as const)
  const timeouts = timeoutsOf(result)
  return {
    messages: flows.rowCount,
    timePs: Math.max(...numbersOf(flows, 'acknowledgedPs')) - Math.min(...numbersOf(flows, 'startPs')),
    timeouts,
    ...Object.fromEntries(byReason),
    otherTimeouts: timeouts - sum(byReason.map(([, count]) => count)),
    drops: dropsOf(result),
    ...nakGaps(result),
    dataPackets: counters.dataPacketsSent,
    resent: counters.retransmissions,
  }
}

/** Times between the NAKs for one packet in a run that loses and observes them, ps. */
function nakGaps(result: Result): Measures {
  const drops = tableOfKind(result, 'drops')
  if (drops === undefined) return {}
  const direction = numbersOf(drops, 'direction')
  const [first = NaN, second = NaN, third = NaN] = numbersOf(drops, 'timePs').filter((_, row) => direction[row] === 1)
  return { firstGapPs: second - first, secondGapPs: third - second }
}

/** Preamble, headers and 1024 bytes at 40 Gb/s. */
const PACKET_PS = 221_200

/** Times between NAKs by the rule of Check EPSN: the timer first runs for the rest of the NAK interval, then for all of it. */
export const NAK_GAPS = [
  { check: 'rest of the interval', lost: 'ce-again', of: 'firstGapPs', gapPs: NAK_INTERVAL_PS },
  { check: 'whole interval', lost: 'ce-again', of: 'secondGapPs', gapPs: NAK_INTERVAL_PS },
  // The missing packet restarts it; the next one is reported two packets later, and again when the timer fires.
  { check: 'set anew', lost: 'ce-reset', of: 'firstGapPs', gapPs: NAK_INTERVAL_PS - 2 * PACKET_PS },
] as const

/** The values of Table I. */
export const TABLE_I: readonly ((scenario: Scenario) => boolean)[] = [
  ({ topology }) => topology.kind === 'star' && topology.linkRate === 40e9,
  ({ topology }) => topology.kind === 'star' && topology.linkDelay === US,
  ({ workload: [w] }) => w?.kind === 'closed-loop' && w.messageSize === PACKETS * 1024,
  ({ frames }) => frames.payload === 1024,
  ({ qp }) => qp.ackTimeout === 100 * MS,
  ({ qp, frames }) => qp.ackInterval * frames.payload === 256 * 1024,
  ({ recovery }) => 'nakInterval' in recovery && recovery.nakInterval === NAK_INTERVAL_PS,
]
