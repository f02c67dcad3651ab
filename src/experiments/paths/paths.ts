/**
 * Path choice: ECMP, spraying, flowlets and adaptive routing on a fabric with enough capacity for all traffic.
 * The expectations are ours: spraying and adaptive routing reach nine tenths of the links' capacity if the receiver keeps
 * packets out of order, ECMP reaches the capacity that its collisions leave, and go-back-N almost nothing with reordering.
 */
import { humanNumber, type Line } from '../../report/index.ts'
import type { Interval } from '../../results/index.ts'
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
import type { Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { intervals, label, lineAt, tableAt } from '../core/tables.ts'
import {
  ARITY,
  flowletsOf,
  GAPS_NS,
  MAIN,
  type PathAt,
  PAPERS_IRN,
  pathMeasures,
  pathPoints,
  STOP_US,
  VIEWS,
  WARM_UP_US,
} from './runs.ts'

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
    exact('paths.ecmp', ecmp.mean >= estimate.low && ecmp.mean <= estimate.high, {
      statement: 'ECMP carries the max-min share of its paths',
      paper: `${humanNumber(estimate.low)} to ${humanNumber(estimate.high)} %`,
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
