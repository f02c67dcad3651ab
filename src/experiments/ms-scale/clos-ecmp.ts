/**
 * Clos and ECMP: the utilisation of a three-tier network by 3072 connections, each on the path that a hash selects.
 * Source: [MS-Scale] section 5.4, Figure 7.
 */
import { GBPS } from '../../base/index.ts'
import { humanNumber, humanShare } from '../../report/index.ts'
import { defineExperiment } from '../core/experiment.ts'
import {
  between,
  type Claim,
  claim,
  equalTo,
  type FindingsTable,
  intervalText,
  near,
  nearShare,
  rightColumn,
} from '../core/findings.ts'
import type { Runs } from '../core/runs.ts'
import { barsAt, intervals, label, means, tableAt } from '../core/tables.ts'
import { closMeasures, closPoints, NO_PFC, PFC, PFC_DCQCN, SHAPES } from './clos-runs.ts'

/** Rates that are simulated, or computed by a rule of sharing from the paths of the runs with PFC. */
const SIMULATED = [
  { name: 'simulated: PFC', at: PFC },
  { name: 'simulated: PFC and DCQCN', at: PFC_DCQCN },
  { name: 'simulated: endless buffers, no PFC', at: NO_PFC },
] as const
const COMPUTED = [
  { name: 'worked out: all connections equal', of: 'allEqualBps' },
  { name: 'worked out: those of a ToR equal', of: 'torEqualBps' },
  { name: 'worked out: those of a server equal', of: 'serverEqualBps' },
  { name: 'worked out: each its max-min share', of: 'maxMinBps' },
] as const
const RATES = [
  ...SIMULATED.map((rate) => ({ ...rate, of: 'throughputBps' })),
  ...COMPUTED.map((rate) => ({ ...rate, at: PFC })),
]

/** The paper's capacity of the network: all links between leaves and spines, one direction of each. */
const toPercent = (runs: Runs): number => 100 / runs.mean('capacityBps', PFC).mean

function claims(runs: Runs): Claim[] {
  const withPfc = 'simulated: PFC'
  return [
    claim('rce.fig7.connections', runs.mean('connections', PFC), near(3074, 2)),
    ...RATES.map(({ name, at, of }) =>
      claim('rce.fig7.util-60', runs.mean(of, at, toPercent(runs)), near(60, 7), { check: name, unit: ' %' }),
    ),
    claim('rce.fig7.throughput-3.0', runs.mean('throughputBps', PFC, 1e-12), nearShare(3, 0.12), {
      check: withPfc,
      unit: ' Tb/s',
    }),
    ...[PFC, PFC_DCQCN].map((at) =>
      claim('rce.fig7.zero-drops', runs.mean('drops', at), equalTo(0), { check: at === PFC ? 'PFC' : 'PFC and DCQCN' }),
    ),
    claim('rce.fig7.8gbps-per-server', runs.mean('meanServerBps', PFC, 1 / GBPS), nearShare(8, 0.15), {
      check: `${withPfc}, mean`,
      unit: ' Gb/s',
    }),
    claim(
      'rce.fig7.cause-ecmp',
      runs.differences('throughputBps', NO_PFC, PFC).map((bps) => bps * toPercent(runs)),
      between(-7, 7),
      { unit: ' points more without PFC' },
    ),
  ]
}

function tables(runs: Runs): FindingsTable[] {
  const gbps = (own: Runs, of: string): string => humanNumber(own.mean(of).mean / GBPS)
  const share = (own: Runs, of: string): string => humanShare(own.mean(of).mean, 2)
  const ats = SIMULATED.map(({ at }) => at)
  const simulated = tableAt(runs, ats, {
    title: 'Utilisation, simulated',
    columns: [
      label('PFC', ({ pfc }) => pfc),
      label('congestion control', ({ control }) => control),
      intervals('utilisation, %', 'throughputBps', toPercent(runs)),
      intervals('Tb/s', 'throughputBps', 1e-12),
      {
        ...rightColumn('Gb/s per server: least / mean / most'),
        cell: (_, own) => ['leastServerBps', 'meanServerBps', 'mostServerBps'].map((of) => gbps(own, of)).join(' / '),
      },
      {
        ...rightColumn('spread of rates: in a server / among servers'),
        cell: (_, own) => `${share(own, 'spreadInServer')} / ${share(own, 'spreadAmongServers')}`,
      },
      means('pause frames', 'pauseFrames', humanNumber),
    ],
  })
  const computed = {
    title: 'Utilisation by rules of sharing, on the same paths',
    columns: [{ head: 'rates' }, rightColumn('utilisation, %')],
    rows: COMPUTED.map(({ name, of }) => [name, intervalText(runs.mean(of, PFC, toPercent(runs)))]),
  }
  return [simulated, computed]
}

const REMARKS = [
  "The paper's 60 % depend on how far connections slow each other down. ECMP puts many more connections on some links than on others. If all connections had " +
    'equal rates, the most loaded link would limit all of them. But a connection without a collision need not be slow: if each used the rate that its path allows, nearly all would be used. ' +
    'Between the two are rules that tie groups of connections.',
  'Simulated with PFC the utilisation is near the rule that ties the connections of a server, and the rates show why: those within a server hardly differ. A pause eventually reaches ' +
    'the servers and stops all connections of a server, and between pauses the NIC serves them round-robin, so that the slowest limits all eight. ' +
    'With unlimited buffers and no PFC it is near max-min on the same paths. So both are needed: without collisions there would be no pauses, and ' +
    'without spreading pauses, collisions would cost almost nothing. The paper says that PFC and head-of-line blocking do not cause its limit; in this model they do.',
  'With DCQCN there are few pauses. Rates need milliseconds to converge, after all connections have started at line rate and were ' +
    "cut; a measurement that begins earlier covers this recovery, with a utilisation near the paper's 60 %, and no steady state.",
  'In the paper each server sends and receives at 8 Gb/s, which means equal rates. It gives no reason for them: applications that wait for all ' +
    'connections at the end of a round would cause them, and so would a rate limit. Neither is modelled: sources are closed loops of 100 KB messages, eight outstanding on each connection. ' +
    'Also open are the ECMP hash and its seeds (here Murmur3 with a random seed for each switch, and random source ports), whether DCQCN was on and with which parameters ' +
    '(here those of its paper), and the number of connections, printed as 3074, although 24 x 8 x 8 in both directions are 3072.',
]

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
  conclude: (runs, size) => ({
    tables: tables(runs),
    figures: [
      {
        name: 'utilisation',
        bars: {
          title: 'Utilisation of the links between leaves and spines with ECMP',
          subtitle: 'means over seeds with 95 % intervals; perfect spreading would give 98 %',
          yLabel: 'utilisation (%)',
          groups: RATES.flatMap(({ name, at, of }) =>
            barsAt(runs, [at], of, () => ({ label: name, series: 'utilisation', paper: 60 }), toPercent(runs)),
          ),
          showValues: true,
        },
      },
    ],
    claims: size === 'full' ? claims(runs) : [],
    remarks: REMARKS,
  }),
})
