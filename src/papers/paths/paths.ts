/**
 * Path choice: ECMP, spraying, flowlets and adaptive routing on a fabric with enough capacity for all traffic.
 * The expectations are ours: spraying and adaptive routing reach nine tenths of the links' capacity if the receiver keeps
 * packets out of order, ECMP reaches the capacity that its collisions leave, and go-back-N almost nothing with reordering.
 * A permutation over a fat tree whose hosts all send at line rate. No congestion control, no PFC, and buffers that never
 * fill: nothing is dropped, and all retransmissions are due to reordering.
 * Ideal: a host's link full in both directions with data and the ACKs for received data, one per packet.
 * Estimates on the paths that ECMP's hashes choose: max-min shares (shares.ts) and shares of fixed windows
 * (window-shares.ts).
 */
import { GBPS } from '../../core/base/index.ts'
import { connectionPaths, frameSizes } from '../../lab/index.ts'
import { humanNumber, type Line } from '../../show/index.ts'
import { type Interval, type Result, sum, summarize } from '../../core/results/index.ts'
import type { Scenario } from '../../lab/scenario/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  atLeast,
  atMost,
  type Band,
  type Claim,
  claim,
  exact,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  near,
} from '../core/findings.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { loadsOf, sharedRatesBps } from '../core/shares.ts'
import { intervals, label, lineAt, tableAt } from '../core/tables.ts'
import { windowRatesBps } from './window-shares.ts'

const LINK_GBPS = 40
const LINK_DELAY_US = 1
/** Packets that fill the longest path and back at line rate, six links each way. */
const BDP_PACKETS = 61
/** One window for the path, one for queues. */
const WINDOW_PACKETS = 2 * BDP_PACKETS

const ARITY = { small: 4, full: 8 } as const
const STOP_US = 600
const WARM_UP_US = 200

/** Gaps of flowlets, ns; a full packet takes 221 ns on the wire. */
const GAPS_NS = {
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

const MAIN = product({ recovery: IRN_AND_GBN, balance: ['ecmp', 'spray', 'adaptive'] })
const VIEWS = product({
  balance: [
    'adaptive-in-steps-of-4-kb',
    'adaptive-read-every-1-us',
    'adaptive-read-every-5-us',
    'adaptive-read-every-20-us',
    'adaptive-per-flow',
  ],
  recovery: ['irn'],
})
const PAPERS_IRN = product({
  balance: ['spray', 'adaptive'],
  recovery: ['irn-window-of-one-bdp', 'irn-resends-at-first-nack', 'irn-as-in-its-paper'],
})
const flowletsOf = (size: Size) => product({ recovery: IRN_AND_GBN, balance: ['flowlet'], gapNs: GAPS_NS[size] })

const scenarioText = (size: Size, seed: number, at: PathAt): string => `
name: paths
topology: {kind: fat-tree, arity: ${ARITY[size]}, linkRate: ${LINK_GBPS}Gbps, linkDelay: ${LINK_DELAY_US}us}
switch: {buffer: {kind: shared-buffer, size: 64MB, alpha: 8}}
pfc: {classes: []}
balance: ${at.balance === 'flowlet' ? `{kind: flowlet, gap: ${at.gapNs}ns}` : BALANCES[at.balance]}
${RECOVERIES[at.recovery]}
workload: [{kind: permutation, messageSize: 100MB}]
measure: {warmUp: ${WARM_UP_US}us, stop: ${STOP_US}us}
`

function pathPoints(size: Size, seed: number): Point<PathAt>[] {
  const ats: PathAt[] = [...MAIN, ...flowletsOf(size), ...VIEWS, ...PAPERS_IRN]
  return pointsAt(ats, seed, (at) => scenarioText(size, seed, at))
}

function pathMeasures(result: Result, { at, scenario }: Point): Measures {
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

const ECMP: PathAt = { balance: 'ecmp', recovery: 'irn' }
const SPRAY: PathAt = { balance: 'spray', recovery: 'irn' }
const ADAPTIVE: PathAt = { balance: 'adaptive', recovery: 'irn' }
const SPRAY_GBN: PathAt = { balance: 'spray', recovery: 'go-back-n' }
const ADAPTIVE_GBN: PathAt = { balance: 'adaptive', recovery: 'go-back-n' }

const percent = (runs: Runs, at: PathAt, of = 'goodputShare'): Interval => runs.mean(of, at, 100)

const table = (runs: Runs, title: string, rows: readonly PathAt[]): FindingsTable =>
  tableAt(runs, rows, {
    title,
    columns: [
      label('path choice', ({ balance }) => balance),
      label('loss recovery', ({ recovery }) => recovery),
      intervals('goodput, % of ideal', 'goodputShare', 100),
      intervals('retransmitted, % of data packets', 'resentShare', 100),
    ],
  })

function gapFigure(runs: Runs, size: Size): FindingsFigure {
  const flowlets = flowletsOf(size)
  const flowletLine = (recovery: PathAt['recovery']): Line => {
    const own = flowlets.filter((at) => at.recovery === recovery)
    return lineAt(runs, `flowlet, ${recovery}`, own, ({ gapNs }) => gapNs / 1000, 'goodputShare', 100)
  }
  /** A line over all gaps, although there are none. */
  const level = (at: PathAt): Line => ({
    series: `${at.balance}, ${at.recovery}`,
    points: GAPS_NS[size].flatMap((gapNs) => lineAt(runs, '', [at], () => gapNs / 1000, 'goodputShare', 100).points),
  })
  return {
    name: 'flowlets',
    lines: {
      title: 'Flowlets by gap',
      subtitle: 'means over seeds with 95 % intervals; ECMP and spraying have no gap',
      xLabel: 'gap (us)',
      yLabel: 'goodput (% of ideal)',
      xScale: 'log',
      fromZero: true,
      lines: [level(SPRAY), flowletLine('irn'), level(ECMP), flowletLine('go-back-n'), level(SPRAY_GBN)],
    },
  }
}

function claims(runs: Runs): Claim[] {
  const share = (id: string, statement: string, at: PathAt, paper: string, band: Band, tolerance: string): Claim =>
    claim(id, percent(runs, at), band, { statement, paper, unit: ' %', tolerance })
  const floor = (id: string, statement: string, at: PathAt): Claim =>
    share(id, statement, at, 'at least 90 %', atLeast(90), 'a floor')
  const ceiling = (id: string, statement: string, at: PathAt): Claim =>
    share(id, statement, at, 'at most 10 %', atMost(10), 'a ceiling')
  const [short, long] = [GAPS_NS.full[0], GAPS_NS.full.at(-1)!].map((gapNs): PathAt => ({
    balance: 'flowlet',
    gapNs,
    recovery: 'irn',
  })) as [PathAt, PathAt]
  const over = (of: PathAt, to: PathAt): Interval => runs.ratio('goodputShare', of, to)
  const ecmp = percent(runs, ECMP)
  const estimate = percent(runs, ECMP, 'estimateShare')
  return [
    floor('paths.spray', 'Spraying reaches nine tenths of ideal if the receiver reorders', SPRAY),
    floor('paths.adaptive', 'Adaptive routing reaches nine tenths of ideal', ADAPTIVE),
    claim('paths.adaptive-over-spray', over(ADAPTIVE, SPRAY), atLeast(1), {
      statement: 'Adaptive routing with exact queue lengths carries no less than spraying',
      paper: 'at least 1 times spraying',
      tolerance: 'a floor',
    }),
    exact('paths.ecmp', {
      statement: 'ECMP carries the max-min share of its paths',
      paper: `${humanNumber(estimate.low)} to ${humanNumber(estimate.high)} %`,
      holds: ecmp.mean >= estimate.low && ecmp.mean <= estimate.high,
      measured: intervalText(ecmp, ' %'),
      reason: 'Counts as reproduced: the mean within the 95 % interval of the estimate.',
    }),
    claim(
      'paths.ecmp-windows',
      runs.mean((m) => m['goodputShare']! / m['windowShare']!, ECMP),
      near(1, 0.02),
      {
        statement: 'ECMP carries the share of fixed windows on its paths',
        paper: '1 times the estimate',
        tolerance: '2 %',
      },
    ),
    ceiling('paths.spray-go-back-n', 'Under spraying go-back-N collapses', SPRAY_GBN),
    ceiling('paths.adaptive-go-back-n', 'Under adaptive routing go-back-N collapses', ADAPTIVE_GBN),
    claim('paths.flowlet-short', over(short, SPRAY), near(1, 0.02), {
      statement: 'A gap below the transmission time of a packet is spraying',
      paper: '1 times spraying',
      tolerance: '2 %',
    }),
    claim('paths.flowlet-long', over(long, ECMP), near(1, 0.1), {
      statement: 'A gap that never occurs gives each flow one random path, like ECMP',
      paper: '1 times ECMP',
      tolerance: '10 %: other random paths',
    }),
  ]
}

const sizeText = (size: Size): string =>
  `a fat tree of ${ARITY[size] ** 3 / 4} hosts, ${STOP_US} us, the first ${WARM_UP_US} of them left out`

export const paths = defineExperiment({
  name: 'paths',
  title: 'Path choice at full load: ECMP, spraying, flowlets and adaptive routing',
  source: 'expectations of ours; flowlets as in LetFlow (NSDI 2017), shares of windows as in Mo and Walrand (2000)',
  help:
    'Every host of a fat tree sends to one other host at line rate and receives from one other. The tree has the capacity for all of it; ECMP, packet spraying, flowlets with several gaps and adaptive ' +
    'routing use it to different degrees. IRN, whose receiver keeps packets out of order, is compared with go-back-N, whose receiver does not. No congestion control, no PFC, and buffers that never fill.',
  sizes: { small: sizeText('small'), full: sizeText('full') },
  points: pathPoints,
  measure: pathMeasures,
  conclude: (runs, size) => ({
    tables: [
      table(runs, 'Goodput in percent of ideal', MAIN),
      table(runs, 'Adaptive routing by the resolution and age of its view of queues, and per flow', VIEWS),
      table(runs, 'IRN with the window and the NACK threshold of its paper', PAPERS_IRN),
    ],
    figures: [gapFigure(runs, size)],
    claims: size === 'full' ? claims(runs) : [],
    remarks: [
      `In all runs together ${runs.sum('drops')} packets were dropped: goodput is limited by paths, reordering and windows only.`,
      'Unless its name says otherwise, IRN has a window of two bandwidth-delay products of the idle network and a NACK threshold as large as the window, since queues exist at full load however well paths are chosen. ' +
        'docs/models/paths.md has the reasons of the results that contradict common expectations.',
    ],
  }),
  batch: 64,
  claimsOf: 'ours',
})
