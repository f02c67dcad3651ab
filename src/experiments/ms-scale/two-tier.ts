/**
 * Two tiers: latency of probes and throughput of servers in a loaded network of two ToRs and four leaves, and whether pause
 * intervals indicate congestion better than pause frames.
 * Source: [MS-Scale] sections 5.2 and 5.4, Figure 8.
 */
import { GBPS } from '../../base/index.ts'
import { interval95 } from '../../results/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  ABOVE_ZERO,
  barOf,
  bracket,
  type Claim,
  claim,
  type FindingsTable,
  intervalText,
  meanCountText,
  nearShare,
  readingOf,
  rightColumn,
} from '../core/findings.ts'
import type { Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { intervals, label, means, tableAt } from '../core/tables.ts'
import { correlationsOf, pauseMeasures, pausePoints, type Signal, type View, VIEWS } from './two-tier-pauses.ts'
import { CLOCKS, controlText, IDLE, latencyMeasures, latencyPoints, loadedOf } from './two-tier-runs.ts'

const SERVERS = [
  { name: 'least of the servers', of: 'leastServerBps' },
  { name: 'mean of the servers', of: 'meanServerBps' },
  { name: 'most of the servers', of: 'mostServerBps' },
] as const
const VIEW_KEYS = Object.keys(VIEWS) as View[]

const networkText = ({ traffic, control, bufferMb }: { traffic: string; control: string; bufferMb: number }): string =>
  traffic === 'probes' ? 'idle' : `${controlText(control)}, ${bufferMb} MB`

const tables = (runs: Runs, size: Size): FindingsTable[] => [
  tableAt(runs, [IDLE, ...loadedOf(size)], {
    title: 'Round trips of probes of 512 bytes, us, and payload that each of the 40 servers receives, Gb/s',
    columns: [
      label('network', networkText),
      intervals('probes to the other ToR, 50 %', 'otherP500Us'),
      intervals('all probes, 99 %', 'allP990Us'),
      intervals('all probes, 99.9 %', 'allP999Us'),
      ...SERVERS.map(({ name, of }) => intervals(name, of, 1 / GBPS)),
      means('pause frames', 'pauseFrames', meanCountText),
    ],
  }),
  {
    title: 'Correlation with the slowdown',
    columns: [{ head: 'over' }, rightColumn('time paused'), rightColumn('pause frames')],
    rows: VIEW_KEYS.map((view) => {
      const text = (signal: Signal): string => intervalText(interval95(correlationsOf(runs, size, view, signal)))
      return [VIEWS[view], text('intervals'), text('frames')]
    }),
  },
]

const claims = (runs: Runs): Claim[] => [
  ...SERVERS.map(({ name, of }) =>
    bracket(
      'rce.fig8.7gbps',
      loadedOf('full').map((at) =>
        readingOf(
          networkText(at),
          runs.values(of, at).map((bps) => bps / GBPS),
        ),
      ),
      nearShare(7, 0.15),
      { check: name, paperValues: [7], unit: ' Gb/s' },
    ),
  ),
  ...VIEW_KEYS.map((view) => {
    const frames = correlationsOf(runs, 'full', view, 'frames')
    return claim(
      'rce.mon.pause-interval-better',
      correlationsOf(runs, 'full', view, 'intervals').map((value, i) => value - frames[i]!),
      ABOVE_ZERO,
      { check: VIEWS[view], unit: ' of correlation more' },
    )
  }),
]

const SEEN = [
  'With PFC alone the queues to the other ToR reach the limit that alpha sets for a port; DCQCN with the parameters of its paper keeps them short. The 350 us that load adds to the 99th percentile in the paper lie between the two, and no network here reaches them. ' +
    'Load adds 720 us to its 99.9th percentile, twice as much, and here hardly more than to the 99th.',
  'Servers get 7 Gb/s on average in every network, but not each of them: with PFC alone a pause reaches the server and stops all its connections. With headers (1086 bytes for 1024) rates are 6 % higher.',
  'A pause that is still needed is refreshed when half of its time is over, so that the number of frames depends on the configured pause time as well as on congestion. Within one setting frames say more about the servers than over all of them.',
]

export const twoTier = defineExperiment({
  name: 'two-tier',
  title: 'A loaded two-tier network: latency of probes, throughput of servers, and pauses as a signal',
  source: '[MS-Scale] sections 5.2 and 5.4, Figure 8',
  help:
    'Two ToRs of 24 servers are joined by four leaves, all links 40 Gb/s. 20 servers of each ToR are paired with those of the other by eight connections and send as fast as they can, ' +
    'while all 48 send each other probes of 512 bytes, whose round trips are compared with those of the idle network. In the same network incasts with several pause times, ' +
    'alphas and numbers of senders show whether the time that servers are paused or the number of pause frames is more closely correlated with the slowdown of their flows.',
  sizes: {
    small: `PFC alone, ${CLOCKS.small.windowMs} ms after ${CLOCKS.small.warmUpMs} of warm-up; incasts of 4 and 12`,
    full: `PFC with and without DCQCN and two sizes of buffers, ${CLOCKS.full.windowMs} ms after ${CLOCKS.full.warmUpMs} of warm-up; incasts of 4, 12 and 40`,
  },
  points: (size, seed) => [...latencyPoints(size, seed), ...pausePoints(size, seed)],
  measure: (result, point) =>
    point.at['traffic'] === 'incast' ? pauseMeasures(result) : latencyMeasures(result, point),
  conclude: (runs, size) => ({
    tables: tables(runs, size),
    figures: [
      {
        name: 'latency',
        bars: {
          title: 'Increase of the round trip of probes under load (Figure 8)',
          subtitle: 'loaded less idle, all probes; means over seeds with 95 % intervals; the paper: 350 and 720 us',
          yLabel: 'increase (us)',
          groups: loadedOf(size).flatMap((at) =>
            [
              { series: '99th percentile', of: 'allP990Us', paper: 400 - 50 },
              { series: '99.9th percentile', of: 'allP999Us', paper: 800 - 80 },
            ].map(({ series, of, paper }) => {
              return { label: networkText(at), series, paper, ...barOf(interval95(runs.differences(of, at, IDLE))) }
            }),
          ),
          showValues: true,
        },
      },
    ],
    claims: size === 'full' ? claims(runs) : [],
    remarks: [
      'The paper gives the network, the pairs, the eight connections and the size of probes. Ours are: links of 2 m to servers and of 20 m between switches, an alpha of 1/16, ' +
        'messages of 100 KB with eight outstanding on each connection, one probe per server in some 100 us to a random server, ECMP with random seeds. ' +
        'It does not say whether DCQCN was on and whether a switch had 9 or 12 MB: all four combinations are run.',
      'NIC, PCIe and application of a server account for most of the 50 us of an idle network in Figure 8; here a NIC takes no time, and only the increase can be compared. ' +
        '`ms-scale-latency` has probes with the delays of hosts, and judges the latencies of Figure 8.',
      ...(size === 'full' ? SEEN : []),
    ],
  }),
})
