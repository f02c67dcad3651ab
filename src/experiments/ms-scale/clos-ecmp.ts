/**
 * Clos and ECMP: the utilisation of a three-tier network by 3072 connections, each on the path that a hash selects.
 * Source: [MS-Scale] section 5.4, Figure 7.
 */
import { GBPS } from '../../base/index.ts'
import { humanNumber, humanShare } from '../../report/index.ts'
import type { Interval } from '../../results/index.ts'
import { closMeasures, closPoints, NO_PFC, PFC, PFC_DCQCN, SHAPES } from './clos-runs.ts'
import { defineExperiment } from '../core/experiment.ts'
import type { Measures, Outcome, Size } from '../core/plan.ts'
import {
  barOf,
  type Claim,
  claimOf,
  seedsClaim,
  type Findings,
  type FindingsTable,
  intervalText,
  rightColumn,
} from '../core/findings.ts'
import { overSeeds, rangeOver, sumOver } from '../core/over-seeds.ts'

/** The paper's capacity of the network: all links between leaves and spines, one direction of each. */
function capacityBps(outcomes: readonly Outcome[]): number {
  return overSeeds(outcomes, PFC, (m) => m['capacityBps']!).mean
}

/** Rows of the main table and bars of the figure, with the run and measure of each. */
const MEASURES = [
  { name: 'simulated: PFC', condition: PFC, key: 'throughputBps' },
  { name: 'simulated: PFC and DCQCN', condition: PFC_DCQCN, key: 'throughputBps' },
  { name: 'simulated: endless buffers, no PFC', condition: NO_PFC, key: 'throughputBps' },
  { name: 'worked out: all connections equal', condition: PFC, key: 'allEqualBps' },
  { name: 'worked out: those of a ToR equal', condition: PFC, key: 'torEqualBps' },
  { name: 'worked out: those of a server equal', condition: PFC, key: 'serverEqualBps' },
  { name: 'worked out: each its max-min share', condition: PFC, key: 'maxMinBps' },
] as const

function scaled({ count, mean: middle, low, high }: Interval, factor: number): Interval {
  return { count, mean: middle * factor, low: low * factor, high: high * factor }
}

function conclude(outcomes: readonly Outcome[], size: Size): Findings {
  const toPercent = 100 / capacityBps(outcomes)
  const use = (condition: string, key: string): Interval =>
    scaled(
      overSeeds(outcomes, condition, (m) => m[key]!),
      toPercent,
    )
  return {
    tables: [useTable(outcomes, use), pathTable(outcomes)],
    figures: [
      {
        name: 'utilisation',
        bars: {
          title: 'Utilisation of the links between leaves and spines with ECMP',
          subtitle: 'means over seeds with 95 % intervals; perfect spreading would give 98 %',
          yLabel: 'utilisation (%)',
          groups: MEASURES.map(({ name, condition, key }) => {
            return { label: name, series: 'utilisation', ...barOf(use(condition, key)), paper: 60 }
          }),
          showValues: true,
        },
      },
    ],
    claims: size === 'full' ? claims(outcomes, use) : [],
    remarks: remarks(outcomes, use),
  }
}

type UseOf = (condition: string, key: string) => Interval

function claims(outcomes: readonly Outcome[], use: UseOf): Claim[] {
  const utilisation = MEASURES.map(({ name, condition, key }) =>
    claimOf({
      id: `rce.fig7.util-60 [${name}]`,
      statement: 'With ECMP the connections use 60 % of the 5.12 Tb/s',
      paper: '60 %',
      measured: use(condition, key),
      unit: ' %',
      band: { low: 53, high: 67 },
      tolerance: '7 percentage points',
    }),
  )
  const over = (condition: string, valueOf: (m: Measures) => number): Interval =>
    overSeeds(outcomes, condition, valueOf)
  const lost = (condition: string): Claim =>
    claimOf({
      id: `rce.fig7.zero-drops [${condition}]`,
      statement: 'Not a single packet is dropped',
      paper: '0',
      measured: over(condition, (m) => m['drops']!),
      band: { low: 0, high: 0 },
      tolerance: 'exact',
    })
  return [
    claimOf({
      id: 'rce.fig7.connections',
      statement: 'There are 3074 connections over 128 leaf-spine links',
      paper: '3074',
      measured: over(PFC, (m) => m['connections']!),
      band: { low: 3072, high: 3076 },
      tolerance: '2; 3072 is the product of the numbers the paper gives',
    }),
    ...utilisation,
    claimOf({
      id: 'rce.fig7.throughput-3.0 [simulated: PFC]',
      statement: 'The aggregate throughput is 3.0 Tb/s',
      paper: '3.0 Tb/s',
      measured: over(PFC, (m) => m['throughputBps']! / 1e12),
      unit: ' Tb/s',
      band: { low: 3 * 0.88, high: 3 * 1.12 },
      tolerance: '12 %',
    }),
    lost(PFC),
    lost(PFC_DCQCN),
    claimOf({
      id: 'rce.fig7.8gbps-per-server [simulated: PFC, mean]',
      statement: 'Every server receives at 8 Gb/s',
      paper: '8 Gb/s',
      measured: over(PFC, (m) => m['meanServerBps']! / GBPS),
      unit: ' Gb/s',
      band: { low: 8 * 0.85, high: 8 * 1.15 },
      tolerance: '15 %',
    }),
    seedsClaim({
      id: 'rce.fig7.cause-ecmp',
      statement: 'PFC does not cause the limit: without it the utilisation is similar',
      paper: 'similar',
      values: gainsOfNoPfc(outcomes),
      band: { low: -7, high: 7 },
      judge: 'mean',
      unit: ' points more without PFC',
    }),
  ]
}

/** Utilisation without PFC minus with it, percentage points, seed by seed. */
function gainsOfNoPfc(outcomes: readonly Outcome[]): number[] {
  const withPfc = new Map(outcomes.filter((o) => o.condition === PFC).map((o) => [o.seed, o.measures]))
  return outcomes
    .filter((o) => o.condition === NO_PFC)
    .map(({ seed, measures }) => {
      const other = withPfc.get(seed)
      return other === undefined
        ? NaN
        : ((measures['throughputBps']! - other['throughputBps']!) * 100) / other['capacityBps']!
    })
}

function useTable(outcomes: readonly Outcome[], use: UseOf): FindingsTable {
  const percent = (share: number): string => humanShare(share, 2)
  const gbps = (value: number): string => humanNumber(value / GBPS)
  const rows = MEASURES.map(({ name, condition, key }) => {
    const throughput = scaled(
      overSeeds(outcomes, condition, (m) => m[key]!),
      1e-12,
    )
    const isSimulated = key === 'throughputBps'
    const server = (measure: string): number => overSeeds(outcomes, condition, (m) => m[measure]!).mean
    return [
      name,
      intervalText(use(condition, key)),
      intervalText(throughput),
      isSimulated
        ? `${gbps(server('leastServerBps'))} / ${gbps(server('meanServerBps'))} / ${gbps(server('mostServerBps'))}`
        : '-',
      isSimulated ? `${percent(server('spreadInServer'))} / ${percent(server('spreadAmongServers'))}` : '-',
      isSimulated ? String(sumOver(outcomes, condition, (m) => m['drops']!)) : '-',
      isSimulated ? humanNumber(server('pauseFrames')) : '-',
    ]
  })
  return {
    title: 'Utilisation, simulated and computed by rules of sharing',
    columns: [
      { head: 'rates' },
      rightColumn('utilisation, %'),
      rightColumn('Tb/s'),
      rightColumn('Gb/s per server: least / mean / most'),
      rightColumn('spread of rates: in a server / among servers'),
      rightColumn('packets lost'),
      rightColumn('pause frames'),
    ],
    rows: [...rows, ['the paper', '60', '3.0', '8', '-', '0', '-']],
  }
}

function pathTable(outcomes: readonly Outcome[]): FindingsTable {
  const seeds = outcomes.filter((outcome) => outcome.condition === PFC)
  const spread = (key: string): string => {
    const { least, most } = rangeOver(outcomes, PFC, (m) => m[key]!)
    return least === most ? `${least}` : `${least} to ${most}`
  }
  const [first] = seeds
  const links = first?.measures['spineLinks'] ?? NaN
  return {
    title: 'Connections and links',
    columns: [{ head: '' }, { head: `over ${seeds.length} ${seeds.length === 1 ? 'seed' : 'seeds'}`, align: 'right' }],
    rows: [
      ['connections', spread('connections')],
      ['links between leaves and spines', spread('spineLinks')],
      ['connections on one of them, mean', humanNumber((first?.measures['connections'] ?? NaN) / links)],
      ['connections on the most loaded of them', spread('mostOnSpineLink')],
      ['connections on the most loaded link from a ToR', spread('mostOnTorLink')],
    ],
  }
}

function remarks(outcomes: readonly Outcome[], use: UseOf): string[] {
  const percent = (condition: string, key: string): string => humanNumber(use(condition, key).mean)
  const spread = (condition: string, key: string): string =>
    humanShare(overSeeds(outcomes, condition, (m) => m[key]!).mean, 2)
  const busy = overSeeds(outcomes, PFC, (m) => m['leastSpineUse']! * 100)
  return [
    "The paper's 60 % depend on how far connections slow each other down. ECMP puts many more connections on some links than on others. If all connections had " +
      `equal rates, the most loaded link would limit all of them, and the utilisation would be ${percent(PFC, 'allEqualBps')} %. But a connection without a collision need not be slow: ` +
      `if each used the rate that its path allows, the utilisation on the same paths would be ${percent(PFC, 'maxMinBps')} %. Between the two are rules that tie groups of connections: ` +
      `those of a ToR, ${percent(PFC, 'torEqualBps')} %; those of a server, ${percent(PFC, 'serverEqualBps')} %.`,
    `Simulated with PFC it is ${percent(PFC, 'throughputBps')} %, near the rule that ties the connections of a server, and the rates show why: those within a server differ by ` +
      `${spread(PFC, 'spreadInServer')} (standard deviation over mean), those of servers by ${spread(PFC, 'spreadAmongServers')}. A pause eventually reaches ` +
      'the servers and stops all connections of a server, and between pauses the NIC serves them round-robin, so that the slowest limits all eight. ' +
      `With unlimited buffers and no PFC it is ${percent(NO_PFC, 'throughputBps')} % on the same paths, near max-min. So both are needed: without collisions there would be no pauses, and ` +
      'without spreading pauses, collisions would cost almost nothing. The paper says that PFC and head-of-line blocking do not cause its limit; in this model they do. Some ' +
      `links between leaf and spine are idle ${humanNumber(100 - busy.mean)} % of the time with PFC.`,
    `With DCQCN there are few pauses, and rates converge to ${percent(PFC_DCQCN, 'throughputBps')} %. They need milliseconds for it, after all connections have started at line rate and were ` +
      "cut; a measurement that begins earlier covers this recovery, with a utilisation near the paper's 60 %, and no steady state.",
    'In the paper each server sends and receives at 8 Gb/s, which means equal rates. It gives no reason for them: applications that wait for all ' +
      'connections at the end of a round would cause them, and so would a rate limit. Neither is modelled: sources are closed loops of 100 KB messages, eight outstanding on each connection. ' +
      'Also open in the paper: the ECMP hash and its seeds (here Murmur3 with a random seed for each switch, and random source ports), whether DCQCN was on and with which parameters ' +
      '(here those of its paper), and the number of connections, printed as 3074, although 24 x 8 x 8 in both directions are 3072.',
  ]
}

export const closEcmp = defineExperiment({
  name: 'clos-ecmp',
  title: 'Utilisation of a three-tier Clos network with ECMP',
  source: '[MS-Scale] section 5.4, Figure 7',
  help:
    'Two podsets of 4 leaves, 24 ToRs and 576 servers each are joined by 64 spines, all links 40 Gb/s. ToR i of one is paired with ToR i of the other; ' +
    '8 servers of each open 8 connections to their partners, in both directions, and send as fast as they can. ECMP assigns one path to each connection. ' +
    'The paper measured 3.0 Tb/s, 60 % of the 5.12 Tb/s between leaves and spines, and no drop.',
  sizes: {
    small: `a quarter of the network, ${SHAPES.small.stopMs} ms, the first ${SHAPES.small.warmUpMs} of them left out`,
    full: `the whole network, ${SHAPES.full.stopMs} ms, the first ${SHAPES.full.warmUpMs} of them left out`,
  },
  points: closPoints,
  measure: closMeasures,
  conclude,
})
