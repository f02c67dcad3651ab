/**
 * Two tiers: latency of probes and throughput of servers in a loaded network of two ToRs and four leaves, and whether pause
 * intervals indicate congestion better than pause frames.
 * Source: [MS-Scale] sections 5.2 and 5.4, Figure 8.
 */
import { GBPS } from '../../base/index.ts'
import { humanNumber } from '../../report/index.ts'
import { type Interval, interval95 } from '../../results/index.ts'
import { defineExperiment } from '../core/old/plan.ts'
import type { Outcome, Size } from '../core/old/plan.ts'
import {
  ABOVE_ZERO,
  barOf,
  bracketClaim,
  type Claim,
  type Findings,
  type FindingsFigure,
  type FindingsTable,
  intervalText,
  meanCountText,
  seedsClaim,
} from '../core/findings.ts'
import { overSeeds, sumOver, valuesOf } from '../core/old/over-seeds.ts'
import {
  type Correlations,
  correlationsOf,
  isPauseCondition,
  PAUSE_GRIDS,
  pauseConditionOf,
  pauseMeasures,
  pausePoints,
  type View,
  VIEWS,
} from './two-tier-pauses.ts'
import {
  CLOCKS,
  IDLE,
  latencyMeasures,
  latencyPoints,
  LOADED,
  quantileKey,
  type Scope,
  SCOPES,
} from './two-tier-runs.ts'

/** RDMA latencies of Figure 8, microseconds. */
const PRINTED = [
  { share: 0.99, name: '99th', idleUs: 50, loadedUs: 400 },
  { share: 0.999, name: '99.9th', idleUs: 80, loadedUs: 800 },
] as const
const PRINTED_GBPS = 7

const SCOPE_NAMES: Readonly<Record<Scope, string>> = {
  all: 'all probes',
  other: 'probes to the other ToR',
  same: 'probes within a ToR',
}

/** Increase of a quantile of all probes under load, for each seed, microseconds. */
function increasesOf(outcomes: readonly Outcome[], condition: string, share: number): number[] {
  const idle = new Map(outcomes.filter((each) => each.condition === IDLE).map(({ seed, measures }) => [seed, measures]))
  const key = quantileKey('all', share)
  return outcomes
    .filter((each) => each.condition === condition)
    .map(({ seed, measures }) => (measures[key] ?? NaN) - (idle.get(seed)?.[key] ?? NaN))
}

function latencyTable(outcomes: readonly Outcome[], conditions: readonly string[]): FindingsTable {
  const us = (condition: string, scope: Scope, share: number): string =>
    intervalText(overSeeds(outcomes, condition, (m) => m[quantileKey(scope, share)] ?? NaN))
  return {
    title: 'Probes of 512 bytes: round trip in the network, us',
    columns: [
      { head: 'network' },
      { head: 'probes' },
      { head: '50 %', align: 'right' },
      { head: '99 %', align: 'right' },
      { head: '99.9 %', align: 'right' },
      { head: 'probes a run', align: 'right' },
      { head: 'unanswered', align: 'right' },
    ],
    rows: [IDLE, ...conditions].flatMap((condition) =>
      SCOPES.map((scope) => [
        condition,
        SCOPE_NAMES[scope],
        us(condition, scope, 0.5),
        us(condition, scope, 0.99),
        us(condition, scope, 0.999),
        scope === 'all' ? meanCountText(overSeeds(outcomes, condition, (m) => m['probes'] ?? NaN).mean) : '',
        scope === 'all' ? String(sumOver(outcomes, condition, (m) => m['openProbes'] ?? NaN)) : '',
      ]),
    ),
  }
}

const SERVER_KEYS = [
  { name: 'least', key: 'leastServerBps' },
  { name: 'mean', key: 'meanServerBps' },
  { name: 'most', key: 'mostServerBps' },
] as const

function gbpsOver(outcomes: readonly Outcome[], condition: string, key: string): Interval {
  return overSeeds(outcomes, condition, (m) => (m[key] ?? NaN) / GBPS)
}

function serverTable(outcomes: readonly Outcome[], conditions: readonly string[]): FindingsTable {
  return {
    title: 'Payload that each of the 40 servers receives, Gb/s',
    columns: [
      { head: 'network' },
      ...SERVER_KEYS.map(({ name }) => ({ head: `${name} of the servers`, align: 'right' }) as const),
      { head: 'packets lost', align: 'right' },
      { head: 'pause frames', align: 'right' },
      { head: 'marks', align: 'right' },
    ],
    rows: conditions.map((condition) => [
      condition,
      ...SERVER_KEYS.map(({ key }) => intervalText(gbpsOver(outcomes, condition, key))),
      String(sumOver(outcomes, condition, (m) => m['drops'] ?? NaN)),
      ...['pauseFrames', 'ecnMarks'].map((key) =>
        meanCountText(overSeeds(outcomes, condition, (m) => m[key] ?? NaN).mean),
      ),
    ]),
  }
}

function pauseTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  const { settings, senders } = PAUSE_GRIDS[size]
  const each = (condition: string, key: string): string =>
    humanNumber(overSeeds(outcomes, condition, (m) => (m[key] ?? NaN) / (m['senders'] ?? NaN)).mean)
  return {
    title: 'Incasts: means over senders',
    columns: [
      { head: 'pause time, quanta', align: 'right' },
      { head: 'alpha', align: 'right' },
      { head: 'senders', align: 'right' },
      { head: 'slowdown', align: 'right' },
      { head: 'paused, ms', align: 'right' },
      { head: 'pause frames', align: 'right' },
    ],
    rows: settings.flatMap((setting) =>
      senders.map((count) => {
        const condition = pauseConditionOf(setting, count)
        return [
          String(setting.quanta),
          setting.alpha,
          String(count),
          ...['slowdown', 'pausedMs', 'frames'].map((key) => each(condition, key)),
        ]
      }),
    ),
  }
}

/** One value per seed. */
function bySeed(outcomes: readonly Outcome[], size: Size, view: View, valueOf: (of: Correlations) => number): number[] {
  const seeds = [...new Set(outcomes.map(({ seed }) => seed))]
  return seeds.map((seed) =>
    valueOf(
      correlationsOf(
        outcomes.filter((each) => each.seed === seed),
        size,
        view,
      ),
    ),
  )
}

const VIEW_KEYS = Object.keys(VIEWS) as View[]

function correlationTable(outcomes: readonly Outcome[], size: Size): FindingsTable {
  return {
    title: 'Correlation with the slowdown',
    columns: [{ head: 'over' }, { head: 'time paused', align: 'right' }, { head: 'pause frames', align: 'right' }],
    rows: VIEW_KEYS.map((view) => [
      VIEWS[view],
      intervalText(interval95(bySeed(outcomes, size, view, (of) => of.intervals))),
      intervalText(interval95(bySeed(outcomes, size, view, (of) => of.frames))),
    ]),
  }
}

function claims(outcomes: readonly Outcome[]): Claim[] {
  return [
    ...SERVER_KEYS.map(({ name, key }) =>
      bracketClaim({
        id: `rce.fig8.7gbps [${name} of the servers]`,
        statement: 'Each of the 20 servers of a ToR sends and receives at 7 Gb/s',
        paper: '7 Gb/s',
        readings: LOADED.map((condition) => {
          const values = valuesOf(outcomes, condition, (m) => (m[key] ?? NaN) / GBPS)
          return { name: condition, measured: interval95(values), values }
        }),
        paperValues: [PRINTED_GBPS],
        band: { low: PRINTED_GBPS * 0.85, high: PRINTED_GBPS * 1.15 },
        unit: ' Gb/s',
        tolerance: '15 %',
      }),
    ),
    ...VIEW_KEYS.map((view) =>
      seedsClaim({
        id: `rce.mon.pause-interval-better [${VIEWS[view]}]`,
        statement:
          'Pause intervals of servers are more closely correlated with the slowdown of their flows than numbers of pause frames',
        paper: 'intervals before frames',
        values: bySeed(outcomes, 'full', view, ({ intervals, frames }) => intervals - frames),
        band: ABOVE_ZERO,
        judge: 'mean',
        unit: ' of correlation more',
      }),
    ),
  ]
}

function figures(outcomes: readonly Outcome[], size: Size, conditions: readonly string[]): FindingsFigure[] {
  return [
    {
      name: 'latency',
      bars: {
        title: 'Increase of the round trip of probes under load (Figure 8)',
        subtitle: 'loaded less idle, all probes; means over seeds with 95 % intervals; the paper: 350 and 720 us',
        yLabel: 'increase (us)',
        groups: conditions.flatMap((label) =>
          PRINTED.map(({ share, name, idleUs, loadedUs }) => ({
            label,
            series: `${name} percentile`,
            ...barOf(interval95(increasesOf(outcomes, label, share))),
            paper: loadedUs - idleUs,
          })),
        ),
        showValues: true,
      },
    },
    {
      name: 'servers',
      bars: {
        title: 'Payload that a server receives (Figure 8)',
        subtitle: '40 servers, four uplinks of 40 Gb/s for each 20; means over seeds with 95 % intervals',
        yLabel: 'goodput (Gb/s)',
        groups: conditions.flatMap((label) =>
          SERVER_KEYS.map(({ name, key }) => ({
            label,
            series: `${name} of the servers`,
            ...barOf(gbpsOver(outcomes, label, key)),
            paper: PRINTED_GBPS,
          })),
        ),
        showValues: true,
      },
    },
    {
      name: 'pauses',
      bars: {
        title: 'Slowdown of servers: time paused against pause frames',
        subtitle: 'correlation with the slowdown in incasts; means over seeds with 95 % intervals',
        yLabel: 'correlation',
        groups: VIEW_KEYS.flatMap((view) =>
          (['intervals', 'frames'] as const).map((key) => ({
            label: VIEWS[view],
            series: key === 'intervals' ? 'time paused' : 'pause frames',
            ...barOf(interval95(bySeed(outcomes, size, view, (of) => of[key]))),
          })),
        ),
        showValues: true,
      },
    },
  ]
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const conditions = LOADED.filter((condition) => outcomes.some((each) => each.condition === condition))
  return {
    tables: [
      latencyTable(outcomes, conditions),
      serverTable(outcomes, conditions),
      pauseTable(outcomes, size),
      correlationTable(outcomes, size),
    ],
    figures: figures(outcomes, size, conditions),
    claims: size === 'full' ? claims(outcomes) : [],
    remarks: size === 'full' ? [...REMARKS, ...seen(outcomes)] : REMARKS,
  }
}

const REMARKS = [
  'The paper gives the network, the pairs, the eight connections and the size of probes. Ours are: links of 2 m to servers and of 20 m between switches, an alpha of 1/16, ' +
    'messages of 100 KB with eight outstanding on each connection, connections in both directions, one probe per server in some 100 us to a random server, ECMP with random seeds. ' +
    'It does not say whether DCQCN was on and whether a switch had 9 or 12 MB: all four combinations are run.',
  'NIC, PCIe and application of a server account for most of the 50 us of an idle network in Figure 8; here a NIC takes no time, and only the increase can be compared with the paper. ' +
    '`ms-scale-latency` has probes with the delays of hosts, and judges the latencies of Figure 8.',
]

/** Remarks on the runs of full size. */
function seen(outcomes: readonly Outcome[]): string[] {
  const [small, large, smallRates] = LOADED as readonly [string, string, string]
  const added = (condition: string, share: number): string =>
    humanNumber(interval95(increasesOf(outcomes, condition, share)).mean)
  const middle = (condition: string): string =>
    humanNumber(overSeeds(outcomes, condition, (m) => m[quantileKey('other', 0.5)] ?? NaN).mean)
  const gbps = (condition: string, key: string): string => humanNumber(gbpsOver(outcomes, condition, key).mean)
  const range = (condition: string): string =>
    `${gbps(condition, 'leastServerBps')} to ${gbps(condition, 'mostServerBps')}`
  const alone = (valueOf: (of: Correlations) => number): string =>
    humanNumber(interval95(bySeed(outcomes, 'full', 'alone', valueOf)).mean)
  return [
    `With PFC alone the queues to the other ToR reach the limit that alpha sets for a port: half of the probes there take ${middle(small)} us or more with 9 MB and ${middle(large)} us with 12 MB, and load adds ${added(small, 0.99)} and ${added(large, 0.99)} us to the 99th percentile of all, against 350 in the paper. ` +
      `DCQCN with the parameters of its paper keeps the queues short and adds ${added(smallRates, 0.99)} us. The paper lies between the two, and at the 99th percentile no reading reaches it. Its tail is also longer: load adds 720 us to its 99.9th percentile, twice as much, and here ${added(small, 0.999)} and ${added(smallRates, 0.999)} us, hardly more than to the 99th.`,
    `Servers get 7 Gb/s on average in every network, but not each of them: with PFC alone a pause reaches the server and stops all its connections, and servers get ${range(small)} Gb/s; with DCQCN they get ${range(smallRates)}. ` +
      'These are rates of received payload; with headers (1086 bytes for 1024) they are 6 % higher.',
    'A pause that is still needed is refreshed when half of its time is over. The number of frames therefore depends on the configured pause time as well as on congestion, and over all settings it says little about the servers. If the whole network has one setting, ' +
      `the correlation of frames with the slowdown is ${alone((of) => of.frames)} on average, and that of the time paused ${alone((of) => of.intervals)}. If buffers hold a whole incast nothing is paused, and neither shows how slow its flows are.`,
  ]
}

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
    isPauseCondition(point.condition) ? pauseMeasures(result) : latencyMeasures(result, point),
  conclude,
})
