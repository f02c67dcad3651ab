/**
 * Path choice: ECMP, spraying, flowlets and adaptive routing on a fabric with enough capacity for all traffic.
 * The expectations are ours: spraying and adaptive routing reach nine tenths of the links' capacity if the receiver keeps
 * packets out of order, ECMP reaches the capacity that its collisions leave, and go-back-N almost nothing with reordering.
 */
import { humanNumber } from '../../report/index.ts'
import { type Interval, interval95 } from '../../results/index.ts'
import { defineExperiment } from '../core/old/plan.ts'
import type { Outcome, Size } from '../core/old/plan.ts'
import {
  barOf,
  type Claim,
  claimOf,
  exactClaim,
  type Findings,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  rightColumn,
} from '../core/findings.ts'
import { overSeeds, ratiosOf, sumOver } from '../core/old/over-seeds.ts'
import {
  type Arm,
  armsOf,
  conditionOf,
  flowletArm,
  GAPS_NS,
  gapText,
  GO_BACK_N,
  IRN,
  MAIN,
  PAPERS_IRN,
  pathMeasures,
  pathPoints,
  type Recovery,
  SHAPES,
  VIEWS,
} from './runs.ts'

const [ECMP_IRN, SPRAY_IRN, ADAPTIVE_IRN, , SPRAY_GBN, ADAPTIVE_GBN] = MAIN.map(conditionOf) as [
  string,
  string,
  string,
  string,
  string,
  string,
]

const percent = (outcomes: readonly Outcome[], condition: string, key = 'goodputShare'): Interval =>
  overSeeds(outcomes, condition, (m) => m[key]! * 100)

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  return {
    tables: [
      armTable('Goodput in percent of ideal', outcomes, MAIN),
      estimateTable(outcomes),
      gapTable(outcomes, size),
      armTable('Adaptive routing by the resolution and age of its view of queues, and per flow', outcomes, VIEWS),
      armTable('IRN with the window and the NACK threshold of its paper', outcomes, PAPERS_IRN),
    ],
    figures: [gapFigure(outcomes, size)],
    claims: size === 'full' ? claims(outcomes, size) : [],
    remarks: remarks(outcomes, size),
  }
}

function armTable(title: string, outcomes: readonly Outcome[], arms: readonly Arm[]): FindingsTable {
  return {
    title,
    columns: [
      { head: 'path choice' },
      { head: 'loss recovery' },
      rightColumn('goodput, % of ideal'),
      rightColumn('retransmitted, % of data packets'),
    ],
    rows: arms.map((arm) => {
      const condition = conditionOf(arm)
      const resent = percent(outcomes, condition, 'resentShare')
      return [arm.name, arm.recovery, intervalText(percent(outcomes, condition)), intervalText(resent)]
    }),
  }
}

function estimateTable(outcomes: readonly Outcome[]): FindingsTable {
  const ratioTo = (key: string): string => intervalText(interval95(ratiosToEstimate(outcomes, key)))
  return {
    title: 'ECMP compared with estimates from its collisions',
    columns: [{ head: '' }, rightColumn('over seeds')],
    rows: [
      ['simulated, % of ideal', intervalText(percent(outcomes, ECMP_IRN))],
      ['max-min shares on the same paths, % of ideal', intervalText(percent(outcomes, ECMP_IRN, 'estimateShare'))],
      [
        'shares of fixed windows on the same paths, % of ideal',
        intervalText(percent(outcomes, ECMP_IRN, 'windowShare')),
      ],
      ['simulated over max-min, seed by seed', ratioTo('estimateShare')],
      ['simulated over shares of windows, seed by seed', ratioTo('windowShare')],
      ['connections on the most loaded link', intervalText(overSeeds(outcomes, ECMP_IRN, (m) => m['mostOnLink']!))],
    ],
  }
}

/** Simulated over estimated goodput, one value per seed. */
function ratiosToEstimate(outcomes: readonly Outcome[], key: string): number[] {
  return outcomes
    .filter(({ condition }) => condition === ECMP_IRN)
    .map(({ measures }) => measures['goodputShare']! / measures[key]!)
}

function gapTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const shareOf = (gapNs: number, recovery: Recovery, key?: string): string =>
    intervalText(percent(outcomes, conditionOf(flowletArm(gapNs, recovery)), key))
  return {
    title: 'Flowlets by gap, goodput in % of ideal',
    columns: [
      { head: 'gap' },
      rightColumn('irn'),
      rightColumn('go-back-n'),
      rightColumn('retransmitted, irn'),
      rightColumn('retransmitted, go-back-n'),
    ],
    rows: GAPS_NS[size].map((gapNs) => [
      gapText(gapNs),
      shareOf(gapNs, IRN),
      shareOf(gapNs, GO_BACK_N),
      shareOf(gapNs, IRN, 'resentShare'),
      shareOf(gapNs, GO_BACK_N, 'resentShare'),
    ]),
  }
}

function gapFigure(outcomes: readonly Outcome[], size: Size): FindingsFigure {
  const lineOf = (series: string, conditionAt: (gapNs: number) => string) => ({
    series,
    points: GAPS_NS[size].map((gapNs) => {
      const { value: y, ...ends } = barOf(percent(outcomes, conditionAt(gapNs)))
      return { x: gapNs / 1000, y, ...ends }
    }),
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
      lines: [
        lineOf('spray, irn', () => SPRAY_IRN),
        lineOf('flowlet, irn', (gapNs) => conditionOf(flowletArm(gapNs, IRN))),
        lineOf('ecmp, irn', () => ECMP_IRN),
        lineOf('flowlet, go-back-n', (gapNs) => conditionOf(flowletArm(gapNs, GO_BACK_N))),
        lineOf('spray, go-back-n', () => SPRAY_GBN),
      ],
    },
  }
}

function claims(outcomes: readonly Outcome[], size: Size): Claim[] {
  const estimate = percent(outcomes, ECMP_IRN, 'estimateShare')
  const ecmp = percent(outcomes, ECMP_IRN)
  const gaps = GAPS_NS[size]
  const flowletOver = (gapNs: number, to: string): Interval =>
    interval95(ratiosOf(outcomes, { of: conditionOf(flowletArm(gapNs, IRN)), to }, (m) => m['goodputShare']!))
  const share = (id: string, statement: string, condition: string, band: { low: number; high: number }): Claim =>
    claimOf({
      id: `paths.${id}`,
      statement,
      paper: Number.isFinite(band.low) ? `at least ${band.low} %` : `at most ${band.high} %`,
      measured: percent(outcomes, condition),
      unit: ' %',
      band,
      tolerance: Number.isFinite(band.low) ? 'a floor' : 'a ceiling',
    })
  return [
    share('spray', 'Spraying reaches nine tenths of ideal if the receiver reorders', SPRAY_IRN, {
      low: 90,
      high: Infinity,
    }),
    share('adaptive', 'Adaptive routing reaches nine tenths of ideal', ADAPTIVE_IRN, { low: 90, high: Infinity }),
    claimOf({
      id: 'paths.adaptive-over-spray',
      statement: 'Adaptive routing with exact queue lengths carries no less than spraying',
      paper: 'at least 1 times spraying',
      measured: interval95(ratiosOf(outcomes, { of: ADAPTIVE_IRN, to: SPRAY_IRN }, (m) => m['goodputShare']!)),
      band: { low: 1, high: Infinity },
      tolerance: 'a floor',
    }),
    exactClaim({
      id: 'paths.ecmp',
      statement: 'ECMP carries the max-min share of its paths',
      paper: `${humanNumber(estimate.low)} to ${humanNumber(estimate.high)} %`,
      measured: intervalText(ecmp, ' %'),
      holds: ecmp.mean >= estimate.low && ecmp.mean <= estimate.high,
      reason: 'Counts as reproduced: the mean within the 95 % interval of the estimate.',
    }),
    claimOf({
      id: 'paths.ecmp-windows',
      statement: 'ECMP carries the share of fixed windows on its paths',
      paper: '1 times the estimate',
      measured: interval95(ratiosToEstimate(outcomes, 'windowShare')),
      band: { low: 0.98, high: 1.02 },
      tolerance: '2 %',
    }),
    share('spray-go-back-n', 'Under spraying go-back-N collapses', SPRAY_GBN, { low: -Infinity, high: 10 }),
    share('adaptive-go-back-n', 'Under adaptive routing go-back-N collapses', ADAPTIVE_GBN, {
      low: -Infinity,
      high: 10,
    }),
    claimOf({
      id: 'paths.flowlet-short',
      statement: 'A gap below the transmission time of a packet is spraying',
      paper: '1 times spraying',
      measured: flowletOver(gaps[0]!, SPRAY_IRN),
      band: { low: 0.98, high: 1.02 },
      tolerance: '2 %',
    }),
    claimOf({
      id: 'paths.flowlet-long',
      statement: 'A gap that never occurs gives each flow one random path, like ECMP',
      paper: '1 times ECMP',
      measured: flowletOver(gaps.at(-1)!, ECMP_IRN),
      band: { low: 0.9, high: 1.1 },
      tolerance: '10 %: other random paths',
    }),
  ]
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const text = (condition: string): string => humanNumber(percent(outcomes, condition).mean)
  const of = (arms: readonly Arm[], name: string): string => text(conditionOf(arms.find((arm) => arm.name === name)!))
  const drops = armsOf(size).reduce((total, arm) => total + sumOver(outcomes, conditionOf(arm), (m) => m['drops']!), 0)
  return [
    `In all runs together ${drops} packets were dropped: goodput is limited by paths, reordering and windows only.`,
    `Adaptive routing was expected to do better than spraying, and with an exact view of its queues it does not: ${text(ADAPTIVE_IRN)} % against ${text(SPRAY_IRN)} %. It keeps the queues of uplinks empty, but has queues at downlinks, ` +
      'where there is no choice. At full load the port that has just drained is often one that the flow used a packet or two before. A flow thus prefers some uplinks for tens of packets, ' +
      'more than by chance, and the links from the aggregation switches to its edge receive them in bursts. A coarser or a slightly older view decorrelates the flow from the queues: in steps of 4 KB it is ' +
      `${of(VIEWS, 'adaptive in steps of 4 KB')} %, read every 1 us ${of(VIEWS, 'adaptive read every 1 us')} %. A view older than the time in which a queue builds up sends all flows to the same ` +
      `port: ${of(VIEWS, 'adaptive read every 20 us')} % at 20 us.`,
    `ECMP carries more than its max-min share (${text(ECMP_IRN)} against ${humanNumber(percent(outcomes, ECMP_IRN, 'estimateShare').mean)} %). Max-min gives all connections at a full link the same rate. ` +
      'Fixed windows do not: a connection that waits in two queues has a longer round trip, and so a lower rate at both, and those that wait in one queue use the rest, which is more in sum. ' +
      `By this estimate the same paths carry ${humanNumber(percent(outcomes, ECMP_IRN, 'windowShare').mean)} %.`,
    'Flowlets find few gaps. A sender without congestion control sends a packet every 221 ns or follows its ACKs, so that a gap as long as the delay difference of paths, which preserves order, is rare, and goodput is that of ECMP; ' +
      'a shorter gap moves flows while their packets are in flight, which costs go-back-N goodput.',
    `The window of the IRN paper, one bandwidth-delay product of the idle network, does not cover the time in queues, which exist at full load however ` +
      `well paths are chosen: ${of(PAPERS_IRN, 'spray, window of one BDP')} % sprayed, ${of(PAPERS_IRN, 'adaptive, window of one BDP')} % adaptive. And a NACK for each late packet resends packets that are still in flight: ` +
      `${of(PAPERS_IRN, 'spray, both')} and ${of(PAPERS_IRN, 'adaptive, both')} %. All other runs have a window of two products and a threshold as large as the window.`,
  ]
}

const sizeText = (size: Size): string => {
  const { arity, warmUpUs, stopUs } = SHAPES[size]
  return `a fat tree of ${arity ** 3 / 4} hosts, ${stopUs} us, the first ${warmUpUs} of them left out`
}

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
  conclude,
  batch: 64,
  claimsOf: 'ours',
})
