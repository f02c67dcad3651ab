/**
 * Runs of the experiment paths and their measures.
 * A permutation over a fat tree whose hosts all send at line rate. The tree has the capacity for all of it, so that missing
 * goodput is due to path choice, reordering or windows. No congestion control, no PFC, and buffers that never fill: nothing
 * is dropped, and all retransmissions are due to reordering.
 * Ideal: a host's link full in both directions with data and the ACKs for received data, one per packet.
 * Estimates on the paths that ECMP's hashes choose: max-min shares (shares.ts) and shares of fixed windows
 * (window-shares.ts).
 */
import { connectionPaths, frameSizes } from '../../lab/index.ts'
import { sum, summarize, type Result } from '../../results/index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import type { Measures, Point, Size } from '../core/old/plan.ts'
import { loadsOf, sharedRatesBps } from '../core/shares.ts'
import { windowRatesBps, type Windows } from './window-shares.ts'

interface Shape {
  readonly arity: number
  readonly warmUpUs: number
  readonly stopUs: number
}

const LINK_GBPS = 40
const LINK_DELAY_US = 1
/** Packets that fill the longest path and back at line rate, six links each way. */
const BDP_PACKETS = 61
/** Default window as a multiple of the packets that fill the path: one for the path, one for queues. */
const WINDOWS = 2

export const SHAPES: Readonly<Record<Size, Shape>> = {
  small: { arity: 4, warmUpUs: 200, stopUs: 600 },
  full: { arity: 8, warmUpUs: 200, stopUs: 600 },
}

/** Gaps of flowlets, ns; a full packet takes 221 ns on the wire. */
export const GAPS_NS: Readonly<Record<Size, readonly number[]>> = {
  small: [100, 500, 2_000, 20_000],
  full: [100, 250, 500, 1_000, 2_000, 5_000, 20_000, 100_000],
}

export const IRN = 'irn'
export const GO_BACK_N = 'go-back-n'
export type Recovery = typeof IRN | typeof GO_BACK_N

export interface Arm {
  /** Value of `balance` in a scenario. */
  readonly balance: string
  readonly name: string
  readonly recovery: Recovery
  /** Window as a multiple of the packets that fill the path; 2 by default. */
  readonly windows?: number
  /** NACKs that trigger a retransmission; by default as many as packets in flight, so that none does. */
  readonly nackThreshold?: number
}

export const ECMP = '{kind: ecmp, seed: random}'

export function gapText(gapNs: number): string {
  return gapNs < 1000 ? `${gapNs} ns` : `${gapNs / 1000} us`
}

export function flowletArm(gapNs: number, recovery: Recovery): Arm {
  return { name: `flowlet ${gapText(gapNs)}`, balance: `{kind: flowlet, gap: ${gapNs}ns}`, recovery }
}

export const MAIN: readonly Arm[] = [IRN, GO_BACK_N].flatMap((recovery): Arm[] => [
  { name: 'ecmp', balance: ECMP, recovery: recovery as Recovery },
  { name: 'spray', balance: 'spray', recovery: recovery as Recovery },
  { name: 'adaptive', balance: 'adaptive', recovery: recovery as Recovery },
])

/** Adaptive routing with coarser or older views of its queues. */
export const VIEWS: readonly Arm[] = [
  { name: 'adaptive in steps of 4 KB', balance: '{kind: adaptive, step: 4KB}', recovery: IRN },
  ...[1, 5, 20].map((us): Arm => ({
    name: `adaptive read every ${us} us`,
    balance: `{kind: adaptive, refresh: ${us}us}`,
    recovery: IRN,
  })),
  { name: 'adaptive per flow', balance: '{kind: adaptive, per: flow}', recovery: IRN },
]

/** IRN with the window and the NACK threshold of its paper, one after the other. */
export const PAPERS_IRN: readonly Arm[] = ['spray', 'adaptive'].flatMap((name): Arm[] => [
  { name: `${name}, window of one BDP`, balance: name, recovery: IRN, windows: 1 },
  { name: `${name}, resends at the first NACK`, balance: name, recovery: IRN, nackThreshold: 1 },
  { name: `${name}, both`, balance: name, recovery: IRN, windows: 1, nackThreshold: 1 },
])

export function armsOf(size: Size): readonly Arm[] {
  const flowlets = [IRN, GO_BACK_N].flatMap((recovery) =>
    GAPS_NS[size].map((gapNs) => flowletArm(gapNs, recovery as Recovery)),
  )
  return [...MAIN, ...flowlets, ...VIEWS, ...PAPERS_IRN]
}

export const conditionOf = ({ name, recovery }: Arm): string => `${name} | ${recovery}`

function recoveryText({ recovery, windows = WINDOWS, nackThreshold }: Arm): string {
  const packets = BDP_PACKETS * windows
  return recovery === IRN
    ? `recovery: {kind: irn, cap: ${packets}, nackThreshold: ${nackThreshold ?? packets}}
qp: {retryLimit: off}`
    : `recovery: go-back-n
qp: {retryLimit: off, window: ${packets * 1024}B}`
}

function scenarioOf(size: Size, seed: number, arm: Arm): Scenario {
  const { arity, warmUpUs, stopUs } = SHAPES[size]
  return parseScenario(`
name: paths
seed: ${seed}
topology: {kind: fat-tree, arity: ${arity}, linkRate: ${LINK_GBPS}Gbps, linkDelay: ${LINK_DELAY_US}us}
switch: {buffer: {kind: shared-buffer, size: 64MB, alpha: 8}}
pfc: {classes: []}
balance: ${arm.balance}
${recoveryText(arm)}
workload: [{kind: permutation, messageSize: 100MB}]
measure: {warmUp: ${warmUpUs}us, stop: ${stopUs}us}
`)
}

export function pathPoints(size: Size, seed: number): Point[] {
  return armsOf(size).map((arm) => ({ condition: conditionOf(arm), seed, scenario: scenarioOf(size, seed, arm) }))
}

/** Bytes on the wire, with preamble and gap, of a full packet and of its ACK. */
function wireBytes(scenario: Scenario): { readonly payload: number; readonly data: number; readonly ack: number } {
  const { payloadBytes, dataOverheadBytes, ackBytes, minimumBytes, gapBytes } = frameSizes(scenario)
  return {
    payload: payloadBytes,
    data: payloadBytes + dataOverheadBytes + gapBytes,
    ack: Math.max(ackBytes, minimumBytes) + gapBytes,
  }
}

export function pathMeasures(result: Result, { condition, scenario }: Point): Measures {
  const { payload, data, ack } = wireBytes(scenario)
  const hosts = scenario.topology.kind === 'fat-tree' ? scenario.topology.arity ** 3 / 4 : NaN
  const idealBps = (hosts * LINK_GBPS * 1e9 * payload) / (data + ack)
  const { counters } = result
  const measures = {
    goodputShare: summarize(result).windowGoodputBps / idealBps,
    resentShare: counters.retransmissions / counters.dataPacketsSent,
    drops: sum(Object.values(counters.drops)),
    packetHops: counters.packetHops,
  }
  // The paths depend on the seed only.
  if (condition !== conditionOf(MAIN[0]!)) return measures
  const paths = connectionPaths(scenario)
  const shareOf = (ratesBps: Float64Array): number => (sum([...ratesBps]) * payload) / data / idealBps
  const answerShare = ack / data
  const linkBps = LINK_GBPS * 1e9
  const windows: Windows = {
    windowBits: BDP_PACKETS * WINDOWS * data * 8,
    roundTripSeconds: ({ links, answerLinks }) =>
      links.length * (LINK_DELAY_US / 1e6 + (data * 8) / linkBps) +
      answerLinks.length * (LINK_DELAY_US / 1e6 + (ack * 8) / linkBps),
    answerShare,
  }
  return {
    ...measures,
    estimateShare: shareOf(sharedRatesBps(paths, (_, index) => index, answerShare)),
    windowShare: shareOf(windowRatesBps(paths, windows)),
    mostOnLink: Math.max(...loadsOf(paths)),
  }
}
