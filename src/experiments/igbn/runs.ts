/**
 * Runs of the experiment lossy-gbn on the network of Table I, and their measures; further runs are in side-runs.ts.
 * Two hosts, one switch, messages of 4 MB one after the other. Data packets, ACKs and NAKs are lost, if at all, when they
 * arrive at their host. Two kinds of runs:
 *   random    each packet is lost with the same probability; each seed is a repetition
 *   scripted  only chosen packets are lost; the seed moves their position in the message
 * Units: the message is 4 MiB, 4096 packets of 1024 bytes, since "256 KB" are 256 packets in the paper.
 * Source: [IGBN] II-B, Table I, Figures 4 and 5. Where it is silent: the lossless network has PFC that never acts, messages
 * are not pipelined, the retry limit is off.
 */
import { MS, US } from '../../base/index.ts'
import { numbersOf, type Result } from '../../results/index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import type { Measures, Point, Size } from '../core/old/plan.ts'
import type { LossyScheme } from './model.ts'

export const SCHEMES: readonly LossyScheme[] = ['go-back-n', 'send-twice', 'check-epsn', 'improved-gbn']
export const NAMES: Readonly<Record<LossyScheme, string>> = {
  'go-back-n': 'Go-Back-N',
  'send-twice': 'Send Twice',
  'check-epsn': 'Check EPSN',
  'improved-gbn': 'Improved',
}
export const TIMEOUTS_MS = [100, 10, 0.5] as const
export type TimeoutMs = (typeof TIMEOUTS_MS)[number]
export const LOSSES: Readonly<Record<Size, readonly number[]>> = {
  small: [0.001, 0.01],
  full: [0.00001, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01],
}
export const LOSSLESS = 'lossless'
/** Name of the scenarios of side-runs.ts. */
export const SIDE = 'side'

export const PACKETS = 4096
const NAK_INTERVAL_PS = 500 * US
/** Preamble, headers and 1024 bytes at 40 Gb/s. */
const PACKET_PS = 221_200
/** Packets that arrive from a loss until the retransmission. */
const ROUND_TRIP_PACKETS = 21

export const timeoutText = (timeoutMs: number): string => (timeoutMs < 1 ? `${timeoutMs * 1000} us` : `${timeoutMs} ms`)

/**
 * Events that restart a running timer: every ACK or NAK, or every packet sent as well; the paper does not say. With 500 us,
 * the length of the NAK interval, this decides which of the two expires first, so both are run where the paper compares.
 */
type TimerStart = 'answer' | 'packet'
export const FOLLOWING_LOSSES: Readonly<Record<Size, readonly number[]>> = { small: [0.01], full: [0.005, 0.01] }

export function followingCondition(scheme: LossyScheme, loss: number): string {
  return `${scheme} | ${timeoutText(0.5)} from the last packet | ${loss}`
}

export function randomCondition(scheme: LossyScheme, timeoutMs: TimeoutMs, loss: number): string {
  return `${scheme} | ${timeoutText(timeoutMs)} | ${loss}`
}

/**
 * Messages per run. A timeout of 100 ms is the time of a hundred messages, so that it takes many messages to see enough of
 * them; most at a loss of 1 in 1000, where the value of go-back-N lies near the end of its band.
 */
function messagesOf(size: Size, scheme: LossyScheme, timeoutMs: TimeoutMs, loss: number): number {
  if (size === 'small' || loss < 0.0001) return 10
  if (timeoutMs !== 100) return loss < 0.001 ? 20 : 30
  return scheme === 'go-back-n' && loss === 0.001 ? 1000 : 100
}

interface RunOptions {
  readonly name: string
  readonly seed: number
  readonly scheme: LossyScheme | 'go-back-0'
  readonly timeoutMs: TimeoutMs
  readonly timerStart?: TimerStart
  readonly messages: number
  readonly faults: readonly string[]
  /** Hosts that send to one; 1 by default. */
  readonly senders?: number
  /** Packets of a message; 4096 by default. */
  readonly packets?: number
  /** Messages that a sender has outstanding; 1 by default. */
  readonly outstanding?: number
}

export function scenarioOf(options: RunOptions): Scenario {
  const { name, seed, scheme, timeoutMs, timerStart = 'answer', messages, faults } = options
  const { senders = 1, packets = PACKETS, outstanding = 1 } = options
  const pairs = senders === 1 ? ['0 1'] : Array.from({ length: senders }, (_, sender) => `${sender + 1} 0`)
  return parseScenario(`
name: lossy-gbn-${name}
seed: ${seed}
topology: {kind: star, hosts: ${senders + 1}, linkRate: 40Gbps, linkDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
pfc: {classes: [3]}
recovery: {kind: ${scheme}, nakInterval: ${NAK_INTERVAL_PS / US}us}
qp: {ackInterval: 256, ackTimeout: ${timeoutMs * 1000}us, ackTimer: ${timerStart}, retryLimit: off}
workload: [{kind: closed-loop, pairs: [${pairs.map((pair) => `"${pair}"`).join(', ')}], operation: write, messageSize: ${packets}KiB, messages: ${messages}, outstanding: ${outstanding}}]
faults: [${faults.join(', ')}]
measure: {end: drain}
observe: [${name.startsWith('ce') ? '{kind: drops}' : ''}]
`)
}

/** A fault that loses every packet, ACK and NAK with this probability, on the last link only. */
export const lostAtRandom = (loss: number): string =>
  `{kind: bernoulli, probability: ${loss}, links: "2>0, 2>1", packets: both}`

/** Examples of scripted losses: those of Figure 4, and those that show the rule of Check EPSN. */
export const STORIES = [
  { name: '4a', title: 'the last packet is lost', cause: 'lastPacket', remedy: 'send-twice' },
  { name: '4b', title: 'the ACK of the last packet is lost', cause: 'lastAck', remedy: 'send-twice' },
  { name: '4c', title: 'the NAK is lost', cause: 'nak', remedy: 'check-epsn' },
  { name: '4d', title: 'the same packet is lost twice', cause: 'twice', remedy: 'check-epsn' },
] as const
type TraceName = (typeof STORIES)[number]['name'] | 'ce-again' | 'ce-reset'

export function traceCondition(name: TraceName, scheme: LossyScheme): string {
  return `${name} | ${scheme}`
}

/** Position of the lost packet, by seed: in the second half, so that the rest takes less than a NAK interval. */
function lostPacket(seed: number): number {
  return 2842 + 12 * ((seed - 1) % 100)
}

/** A fault that loses the nth packet after the previous faults; messages are too short for a second loss. */
const data = (nth: number): string => `{kind: every-nth, n: ${nth}, links: "2>1", packets: data}`
const answer = (nth: number): string => `{kind: every-nth, n: ${nth}, links: "2>0", packets: control}`

function faultsOf(trace: TraceName, seed: number): readonly string[] {
  const lost = lostPacket(seed)
  const nak = Math.floor((lost - 1) / 256) + 1
  // So near to the end that the last packet arrives before the retransmission, whose second packet is lost.
  const nearEnd = PACKETS - 18 + (seed % 10)
  const faults: Readonly<Record<TraceName, readonly string[]>> = {
    '4a': [data(PACKETS)],
    '4b': [answer(PACKETS / 256)],
    '4c': [data(lost), answer(nak)],
    '4d': [data(lost), data(lost + ROUND_TRIP_PACKETS)],
    'ce-again': [data(lost), answer(nak), answer(nak), answer(nak)],
    // Fifteen ACKs and the first NAK precede the NAK of the second loss and its repetition.
    'ce-reset': [data(nearEnd), data(PACKETS + 1), answer(17), answer(17)],
  }
  return faults[trace]
}

export function lossyPoints(size: Size, seed: number): Point[] {
  const at = (scheme: LossyScheme, timeoutMs: TimeoutMs, loss: number, timerStart: TimerStart): Scenario => {
    const messages = messagesOf(size, scheme, timeoutMs, loss)
    const faults = [lostAtRandom(loss)]
    return scenarioOf({ name: 'random', seed, scheme, timeoutMs, timerStart, messages, faults })
  }
  const random = SCHEMES.flatMap((scheme) => [
    ...TIMEOUTS_MS.flatMap((timeoutMs) =>
      LOSSES[size].map((loss): Point => {
        const scenario = at(scheme, timeoutMs, loss, 'answer')
        return { condition: randomCondition(scheme, timeoutMs, loss), seed, scenario }
      }),
    ),
    ...FOLLOWING_LOSSES[size].map((loss): Point => {
      return { condition: followingCondition(scheme, loss), seed, scenario: at(scheme, 0.5, loss, 'packet') }
    }),
  ])
  const alone = scenarioOf({ name: LOSSLESS, seed, scheme: 'go-back-n', timeoutMs: 100, messages: 10, faults: [] })
  const scripted = (trace: TraceName, scheme: LossyScheme): Point => {
    const options = { name: trace, seed, scheme, timeoutMs: 100, messages: 1, faults: faultsOf(trace, seed) } as const
    return { condition: traceCondition(trace, scheme), seed, scenario: scenarioOf(options) }
  }
  return [
    { condition: LOSSLESS, seed, scenario: alone },
    ...random,
    ...STORIES.flatMap(({ name, remedy }) => [scripted(name, 'go-back-n'), scripted(name, remedy)]),
    scripted('ce-again', 'check-epsn'),
    scripted('ce-reset', 'check-epsn'),
  ]
}

/** Counted timeouts, by the paper's reasons and the rest. */
const CAUSES = [
  ['lastPacket', 'last packet lost'],
  ['lastAck', 'last ACK lost'],
  ['nak', 'NAK lost'],
  ['twice', 'packet lost twice'],
] as const

export function lossyMeasures(result: Result, { scenario }: Point): Measures {
  const { flows, counters } = result
  const start = numbersOf(flows, 'startPs')
  const acknowledged = numbersOf(flows, 'acknowledgedPs')
  const timePs = (messages: number): number => acknowledged[messages - 1]! - start[0]!
  const timeouts = Object.values(counters.timeouts).reduce((sum, count) => sum + count, 0)
  const byCause = CAUSES.map(([key, cause]) => [key, counters.timeouts[cause] ?? 0] as const)
  return {
    messages: flows.rowCount,
    timePs: Math.max(...acknowledged) - Math.min(...start),
    // Time of the first hundred messages, since the paper repeats a run a hundred times.
    ...(flows.rowCount > 100 ? { first100Ps: timePs(100) } : {}),
    timeouts,
    ...Object.fromEntries(byCause),
    otherTimeouts: byCause.reduce((rest, [, count]) => rest - count, timeouts),
    drops: Object.values(counters.drops).reduce((sum, count) => sum + count, 0),
    ...(scenario.observe.length > 0 ? repetitions(result) : {}),
    ...(scenario.name === `lossy-gbn-${SIDE}`
      ? { dataPackets: counters.dataPacketsSent, resent: counters.retransmissions }
      : {}),
  }
}

/** Times between the NAKs for one packet in a run that loses them, ps. */
function repetitions({ series }: Result): Measures {
  const [drops] = series
  const timePs = numbersOf(drops!, 'timePs')
  const direction = numbersOf(drops!, 'direction')
  const naksPs = timePs.filter((_, row) => direction[row] === 1)
  return { firstGapPs: naksPs[1]! - naksPs[0]!, secondGapPs: naksPs.length > 2 ? naksPs[2]! - naksPs[1]! : NaN }
}

/** Times between NAKs by the rule of Check EPSN. */
export const NAK_GAPS_PS = {
  /** The timer first runs for the rest of the NAK interval, then for all of it. */
  again: NAK_INTERVAL_PS,
  /** The missing packet restarts the timer; the next one is reported two packets later, and again when the timer fires. */
  reset: NAK_INTERVAL_PS - 2 * PACKET_PS,
}

/** Values of Table I, each with a check of a scenario. */
export const TABLE_I: readonly (readonly [name: string, printed: string, holds: (scenario: Scenario) => boolean])[] = [
  ['bandwidth', '40GB', ({ topology }) => topology.kind === 'star' && topology.linkRate === 40e9],
  ['propagation delay per hop', '1us', ({ topology }) => topology.kind === 'star' && topology.linkDelay === US],
  ['message size', '4MB', ({ workload: [w] }) => w?.kind === 'closed-loop' && w.messageSize === PACKETS * 1024],
  ['packet payload', '1KB', ({ frames }) => frames.payload === 1024],
  ['ACK timeout', '100ms', ({ qp }) => qp.ackTimeout === 100 * MS],
  ['ACK interval', '256KB', ({ qp, frames }) => qp.ackInterval * frames.payload === 256 * 1024],
  ['NAK interval', '500us', ({ recovery }) => 'nakInterval' in recovery && recovery.nakInterval === NAK_INTERVAL_PS],
]
