/**
 * Runs of the experiment paths and their measures.
 * A permutation over a fat tree whose hosts all send at line rate. The tree has the capacity for all of it, so that missing
 * goodput is due to path choice, reordering or windows. No congestion control, no PFC, and buffers that never fill: nothing
 * is dropped, and all retransmissions are due to reordering.
 * Ideal: a host's link full in both directions with data and the ACKs for received data, one per packet.
 * Estimates on the paths that ECMP's hashes choose: max-min shares (shares.ts) and shares of fixed windows
 * (window-shares.ts).
 */
import { GBPS } from '../../base/index.ts'
import { connectionPaths, frameSizes } from '../../lab/index.ts'
import { sum, summarize, type Result } from '../../results/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import { loadsOf, sharedRatesBps } from '../core/shares.ts'
import { windowRatesBps } from './window-shares.ts'

const LINK_GBPS = 40
const LINK_DELAY_US = 1
/** Packets that fill the longest path and back at line rate, six links each way. */
const BDP_PACKETS = 61
/** One window for the path, one for queues. */
const WINDOW_PACKETS = 2 * BDP_PACKETS

export const ARITY = { small: 4, full: 8 } as const
export const STOP_US = 600
export const WARM_UP_US = 200

/** Gaps of flowlets, ns; a full packet takes 221 ns on the wire. */
export const GAPS_NS = {
  small: [100, 500, 2_000, 20_000],
  full: [100, 250, 500, 1_000, 2_000, 5_000, 20_000, 100_000],
} as const

/** `balance` in a scenario: also adaptive routing with coarser or older views of its queues. */
const BALANCES = {
  ecmp: '{kind: ecmp, seed: random}',
  spray: 'spray',
  adaptive: 'adaptive',
  'adaptive-in-steps-of-4-kb': '{kind: adaptive, step: 4KB}',
  'adaptive-read-every-1-us': '{kind: adaptive, refresh: 1us}',
  'adaptive-read-every-5-us': '{kind: adaptive, refresh: 5us}',
  'adaptive-read-every-20-us': '{kind: adaptive, refresh: 20us}',
  'adaptive-per-flow': '{kind: adaptive, per: flow}',
}

/** By default as many NACKs as packets in flight are needed for a retransmission, so that none resends. */
const irnText = (
  cap = WINDOW_PACKETS,
  nackThreshold = cap,
): string => `recovery: {kind: irn, cap: ${cap}, nackThreshold: ${nackThreshold}}
qp: {retryLimit: off}`

/** Also IRN with the window and the NACK threshold of its paper. */
const RECOVERIES = {
  irn: irnText(),
  'go-back-n': `recovery: go-back-n
qp: {retryLimit: off, window: ${WINDOW_PACKETS * 1024}B}`,
  'irn-window-of-one-bdp': irnText(BDP_PACKETS),
  'irn-resends-at-first-nack': irnText(WINDOW_PACKETS, 1),
  'irn-as-in-its-paper': irnText(BDP_PACKETS, 1),
}

type Recovery = keyof typeof RECOVERIES
export type PathAt =
  | { readonly balance: keyof typeof BALANCES; readonly recovery: Recovery }
  | { readonly balance: 'flowlet'; readonly gapNs: number; readonly recovery: Recovery }

const IRN_AND_GBN = ['irn', 'go-back-n'] as const

export const MAIN = product({ recovery: IRN_AND_GBN, balance: ['ecmp', 'spray', 'adaptive'] })
export const VIEWS = product({
  balance: [
    'adaptive-in-steps-of-4-kb',
    'adaptive-read-every-1-us',
    'adaptive-read-every-5-us',
    'adaptive-read-every-20-us',
    'adaptive-per-flow',
  ],
  recovery: ['irn'],
})
export const PAPERS_IRN = product({
  balance: ['spray', 'adaptive'],
  recovery: ['irn-window-of-one-bdp', 'irn-resends-at-first-nack', 'irn-as-in-its-paper'],
})
export const flowletsOf = (size: Size) => product({ recovery: IRN_AND_GBN, balance: ['flowlet'], gapNs: GAPS_NS[size] })

const scenarioText = (size: Size, seed: number, at: PathAt): string => `
name: paths
seed: ${seed}
topology: {kind: fat-tree, arity: ${ARITY[size]}, linkRate: ${LINK_GBPS}Gbps, linkDelay: ${LINK_DELAY_US}us}
switch: {buffer: {kind: shared-buffer, size: 64MB, alpha: 8}}
pfc: {classes: []}
balance: ${at.balance === 'flowlet' ? `{kind: flowlet, gap: ${at.gapNs}ns}` : BALANCES[at.balance]}
${RECOVERIES[at.recovery]}
workload: [{kind: permutation, messageSize: 100MB}]
measure: {warmUp: ${WARM_UP_US}us, stop: ${STOP_US}us}
`

export function pathPoints(size: Size, seed: number): Point<PathAt>[] {
  const ats: PathAt[] = [...MAIN, ...flowletsOf(size), ...VIEWS, ...PAPERS_IRN]
  return pointsAt(ats, seed, (at) => scenarioText(size, seed, at))
}

export function pathMeasures(result: Result, { at, scenario }: Point): Measures {
  const { payload, data, ack } = wireBytes(scenario)
  const hosts = scenario.topology.kind === 'fat-tree' ? scenario.topology.arity ** 3 / 4 : NaN
  const idealBps = (hosts * LINK_GBPS * GBPS * payload) / (data + ack)
  const { counters } = result
  return {
    goodputShare: summarize(result).windowGoodputBps / idealBps,
    resentShare: counters.retransmissions / counters.dataPacketsSent,
    drops: dropsOf(result),
    packetHops: counters.packetHops,
    // The paths depend on the seed only.
    ...(at['balance'] === 'ecmp' && at['recovery'] === 'irn' ? estimates(scenario, idealBps) : {}),
  }
}

function estimates(scenario: Scenario, idealBps: number): Measures {
  const { payload, data, ack } = wireBytes(scenario)
  const paths = connectionPaths(scenario)
  const shareOf = (ratesBps: Float64Array): number => (sum([...ratesBps]) * payload) / data / idealBps
  const answerShare = ack / data
  const linkSeconds = (bytes: number): number => LINK_DELAY_US / 1e6 + (bytes * 8) / (LINK_GBPS * GBPS)
  return {
    estimateShare: shareOf(sharedRatesBps(paths, (_, index) => index, answerShare)),
    windowShare: shareOf(
      windowRatesBps(paths, {
        windowBits: WINDOW_PACKETS * data * 8,
        roundTripSeconds: ({ links, answerLinks }) =>
          links.length * linkSeconds(data) + answerLinks.length * linkSeconds(ack),
        answerShare,
      }),
    ),
    mostOnLink: Math.max(...loadsOf(paths)),
  }
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
