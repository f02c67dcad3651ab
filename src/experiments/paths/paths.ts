/**
 * Paths: what ECMP, spraying, flowlets and adaptive routing make of a fabric that has room for everybody.
 * What is expected is no paper's number: spraying and adaptive routing fill nine tenths of what the links allow where the
 * receiver keeps packets out of order, ECMP what its collisions leave, and go-back-N next to nothing once packets overtake.
 */
import { humanNumber } from '../../report/index.ts'
import { type Interval, interval95 } from '../../results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Outcome, Size } from '../core/plan.ts'
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
import { overSeeds, ratiosOf, sumOver } from '../core/over-seeds.ts'
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
      armTable('Goodput, of what the links allow', outcomes, MAIN),
      estimateTable(outcomes),
      gapTable(outcomes, size),
      armTable('Adaptive routing by what it sees and how often it chooses', outcomes, VIEWS),
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
      rightColumn('sent again, % of data packets'),
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
    title: 'ECMP beside estimates from its collisions',
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

/** Simulated over estimate, one a seed. */
function ratiosToEstimate(outcomes: readonly Outcome[], key: string): number[] {
  return outcomes
    .filter(({ condition }) => condition === ECMP_IRN)
    .map(({ measures }) => measures['goodputShare']! / measures[key]!)
}

function gapTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const shareOf = (gapNs: number, recovery: Recovery, key?: string): string =>
    intervalText(percent(outcomes, conditionOf(flowletArm(gapNs, recovery)), key))
  return {
    title: 'Flowlets over their gap, goodput in % of ideal',
    columns: [
      { head: 'gap' },
      rightColumn('irn'),
      rightColumn('go-back-n'),
      rightColumn('sent again, irn'),
      rightColumn('sent again, go-back-n'),
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
      title: 'Flowlets over their gap',
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
    share('spray', 'Spraying reaches nine tenths of ideal where the receiver reorders', SPRAY_IRN, {
      low: 90,
      high: Infinity,
    }),
    share('adaptive', 'So does adaptive routing', ADAPTIVE_IRN, { low: 90, high: Infinity }),
    claimOf({
      id: 'paths.adaptive-over-spray',
      statement: 'Adaptive routing that sees its queues exactly carries no less than spraying',
      paper: 'at least 1 times spraying',
      measured: interval95(ratiosOf(outcomes, { of: ADAPTIVE_IRN, to: SPRAY_IRN }, (m) => m['goodputShare']!)),
      band: { low: 1, high: Infinity },
      tolerance: 'a floor',
    }),
    exactClaim({
      id: 'paths.ecmp',
      statement: 'ECMP carries what max-min sharing leaves on its paths',
      paper: `${humanNumber(estimate.low)} to ${humanNumber(estimate.high)} %`,
      measured: intervalText(ecmp, ' %'),
      holds: ecmp.mean >= estimate.low && ecmp.mean <= estimate.high,
      reason: 'Counts as reproduced: the mean within the 95 % interval of the estimate.',
    }),
    claimOf({
      id: 'paths.ecmp-windows',
      statement: 'ECMP carries what fixed windows leave on its paths',
      paper: '1 times the estimate',
      measured: interval95(ratiosToEstimate(outcomes, 'windowShare')),
      band: { low: 0.98, high: 1.02 },
      tolerance: '2 %',
    }),
    share('spray-go-back-n', 'Under spraying go-back-N collapses', SPRAY_GBN, { low: -Infinity, high: 10 }),
    share('adaptive-go-back-n', 'Under adaptive routing too', ADAPTIVE_GBN, { low: -Infinity, high: 10 }),
    claimOf({
      id: 'paths.flowlet-short',
      statement: 'A gap below the time of a packet is spraying',
      paper: '1 times spraying',
      measured: flowletOver(gaps[0]!, SPRAY_IRN),
      band: { low: 0.98, high: 1.02 },
      tolerance: '2 %',
    }),
    claimOf({
      id: 'paths.flowlet-long',
      statement: 'A gap that no packet waits for is a path by chance for each flow, as ECMP',
      paper: '1 times ECMP',
      measured: flowletOver(gaps.at(-1)!, ECMP_IRN),
      band: { low: 0.9, high: 1.1 },
      tolerance: '10 %: other paths by the same chance',
    }),
  ]
}

function remarks(outcomes: readonly Outcome[], size: Size): string[] {
  const text = (condition: string): string => humanNumber(percent(outcomes, condition).mean)
  const of = (arms: readonly Arm[], name: string): string => text(conditionOf(arms.find((arm) => arm.name === name)!))
  const drops = armsOf(size).reduce((total, arm) => total + sumOver(outcomes, conditionOf(arm), (m) => m['drops']!), 0)
  return [
    `In all runs together ${drops} packets were dropped: what is missing is the work of paths, order and windows alone.`,
    `Adaptive routing was expected to do better than spraying, and with an exact view of its queues it does not: ${text(ADAPTIVE_IRN)} % against ${text(SPRAY_IRN)} %. It empties the queues on the way up, and has them on the way down, ` +
      'where there is no choice. At full load the port that has just drained is often one that the flow took a packet or two before, so a flow leans on some uplinks for tens of packets, ' +
      'more than by chance, and the links from the aggregation switches to its edge get them in bursts. A coarser or a slightly older view takes the flow out of step with the queues: in steps of 4 KB it is ' +
      `${of(VIEWS, 'adaptive in steps of 4 KB')} %, read every 1 us ${of(VIEWS, 'adaptive read every 1 us')} %. A view older than the time in which a queue builds up sends all flows to the same ` +
      `port: ${of(VIEWS, 'adaptive read every 20 us')} % at 20 us.`,
    `ECMP carries more than max-min sharing would leave it (${text(ECMP_IRN)} against ${humanNumber(percent(outcomes, ECMP_IRN, 'estimateShare').mean)} %). Max-min gives all that meet at a full link the same. ` +
      'Fixed windows do not: a connection that waits in two queues has a longer round trip, and so a lower rate at both, and those that wait in one queue take what it leaves, which is more in sum. ' +
      `Worked out so, the same paths carry ${humanNumber(percent(outcomes, ECMP_IRN, 'windowShare').mean)} %.`,
    'Flowlets find few gaps. A sender without congestion control sends a packet every 221 ns or follows its ACKs, so that a gap as long as paths differ in delay, which keeps order, comes seldom, and goodput is that of ECMP; ' +
      'a shorter gap moves flows while their packets are on the way, and go-back-N loses by it.',
    `A window as IRN's paper has it, one bandwidth-delay product of the idle network, leaves nothing for the time in queues, which are there at full load however ` +
      `well paths are chosen: ${of(PAPERS_IRN, 'spray, window of one BDP')} % sprayed, ${of(PAPERS_IRN, 'adaptive, window of one BDP')} % adaptive. And a NACK for each packet that is late sends again what is on its way: ` +
      `${of(PAPERS_IRN, 'spray, both')} and ${of(PAPERS_IRN, 'adaptive, both')} %. Two products and a threshold as large as the window are the setting of all other runs.`,
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
    'Every host of a fat tree sends to one other host at line rate and receives from one other. There is room for all of it; ECMP, packet spraying, flowlets of several gaps and adaptive ' +
    'routing find more or less of it. IRN, whose receiver keeps packets out of order, beside go-back-N, which does not. No congestion control, no PFC, and buffers that never fill.',
  sizes: { small: sizeText('small'), full: sizeText('full') },
  points: pathPoints,
  measure: pathMeasures,
  conclude,
  batch: 64,
  claimsOf: 'ours',
})
