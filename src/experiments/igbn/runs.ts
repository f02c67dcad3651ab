/**
 * Lossy runs: the runs of the experiment lossy-gbn on the network of Table I, and what each amounts to; those beside it
 * are in lossy-side-runs.ts.
 * Two hosts, one switch, messages of 4 MB one behind the other, as in Table I; every packet is lost or not when it
 * arrives at its host, data, ACKs and NAKs alike. Runs of two kinds:
 *   random    each packet is lost with the same probability; a repetition is a seed, whose streams are those of its links
 *   scripted  chosen packets are lost, and no other; the seed moves the place in the message
 * Units: the message is 4 MiB, 4096 packets of 1024 bytes, as "256 KB" are 256 packets in the paper.
 * Source: S0 II-B, Table I, Figures 4 and 5. Where it is silent: the lossless network has PFC that never acts, messages
 * are not pipelined, the retry limit is off.
 */
import { MS, US } from '../../base/index.ts'
import { numbersOf, type Result } from '../../results/index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
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
/** Name of the scenarios of lossy-side-runs.ts. */
export const SIDE = 'side'

export const PACKETS = 4096
const NAK_INTERVAL_PS = 500 * US
/** Preamble, headers and 1024 bytes at 40 Gb/s. */
const PACKET_PS = 221_200
/** Packets that arrive from a lost one on until it comes again. */
const ROUND_TRIP_PACKETS = 21

export const timeoutText = (timeoutMs: number): string => (timeoutMs < 1 ? `${timeoutMs * 1000} us` : `${timeoutMs} ms`)

/**
 * What starts a running timer anew: every answer, or every packet sent as well. The paper does not say. With 500 us, as
 * long as the NAK interval, it decides who repairs first; such a timeout is run both ways where the paper compares.
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
 * Messages of a run. With 100 ms a timeout is a hundred messages' time, so that it takes many to see enough of them;
 * at one loss in 1000 most, as the value of go-back-N lies near the end of what counts as the paper's.
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
  /** 1 unless given: hosts that send to one. */
  readonly senders?: number
  /** 4096 unless given. */
  readonly packets?: number
  /** 1 unless given: messages of a sender under way at a time. */
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

/** Every packet, ACK and NAK is lost with this probability, once or not at all. */
export const lostAtRandom = (loss: number): string =>
  `{kind: bernoulli, probability: ${loss}, links: "2>0, 2>1", packets: both}`

/** Stories that lose chosen packets, in the words of Figure 4 and of the rule of Check EPSN. */
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

/** What a lost packet's repair asks of the seed: behind the middle, so that all left behind it takes less than a NAK interval. */
function lostPacket(seed: number): number {
  return 2842 + 12 * ((seed - 1) % 100)
}

/** The nth packet that comes, counted behind the faults before it, is lost; the messages are too short for twice as many. */
const data = (nth: number): string => `{kind: every-nth, n: ${nth}, links: "2>1", packets: data}`
const answer = (nth: number): string => `{kind: every-nth, n: ${nth}, links: "2>0", packets: control}`

function faultsOf(trace: TraceName, seed: number): readonly string[] {
  const lost = lostPacket(seed)
  const nak = Math.floor((lost - 1) / 256) + 1
  // So near to the end that the last packet has come before the repair, whose second packet is lost then.
  const nearEnd = PACKETS - 18 + (seed % 10)
  const faults: Readonly<Record<TraceName, readonly string[]>> = {
    '4a': [data(PACKETS)],
    '4b': [answer(PACKETS / 256)],
    '4c': [data(lost), answer(nak)],
    '4d': [data(lost), data(lost + ROUND_TRIP_PACKETS)],
    'ce-again': [data(lost), answer(nak), answer(nak), answer(nak)],
    // Behind fifteen ACKs and the first NAK come the NAK of the second loss and its repetition.
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

/** Counted timeouts, by what S0 calls their reasons, and the rest. */
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
    // The paper repeats a run a hundred times: what a hundred messages take.
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

/** Of a run whose NAKs for one packet are lost: the time between them, ps. */
function repetitions({ series }: Result): Measures {
  const [drops] = series
  const timePs = numbersOf(drops!, 'timePs')
  const direction = numbersOf(drops!, 'direction')
  const naksPs = timePs.filter((_, row) => direction[row] === 1)
  return { firstGapPs: naksPs[1]! - naksPs[0]!, secondGapPs: naksPs.length > 2 ? naksPs[2]! - naksPs[1]! : NaN }
}

/** What the rule of Check EPSN makes of the gaps between NAKs. */
export const NAK_GAPS_PS = {
  /** The timer takes what is left of the NAK interval, then all of it. */
  again: NAK_INTERVAL_PS,
  /** It starts anew with the missing packet; the next one is reported two packets later, and again when the timer fires. */
  reset: NAK_INTERVAL_PS - 2 * PACKET_PS,
}

/** Table I, and what a scenario has of it. */
export const TABLE_I: readonly (readonly [name: string, printed: string, holds: (scenario: Scenario) => boolean])[] = [
  ['bandwidth', '40GB', ({ topology }) => topology.kind === 'star' && topology.linkRate === 40e9],
  ['propagation delay per hop', '1us', ({ topology }) => topology.kind === 'star' && topology.linkDelay === US],
  ['message size', '4MB', ({ workload: [w] }) => w?.kind === 'closed-loop' && w.messageSize === PACKETS * 1024],
  ['packet payload', '1KB', ({ frames }) => frames.payload === 1024],
  ['ACK timeout', '100ms', ({ qp }) => qp.ackTimeout === 100 * MS],
  ['ACK interval', '256KB', ({ qp, frames }) => qp.ackInterval * frames.payload === 256 * 1024],
  ['NAK interval', '500us', ({ recovery }) => 'nakInterval' in recovery && recovery.nakInterval === NAK_INTERVAL_PS],
]
