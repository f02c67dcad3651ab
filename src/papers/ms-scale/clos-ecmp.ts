/**
 * Clos and ECMP: the utilisation of a three-tier network by 3072 connections, each on the path that a hash selects.
 * Two podsets, ToR i of one paired with ToR i of the other; 8 servers per ToR, 8 connections each way between two servers.
 * The same paths are simulated in three ways, and evaluated by rules of sharing (shares.ts).
 * Units: throughput counts frames without preamble and gap (1086 bytes for 1024), as the paper's figure does.
 * Source: [MS-Scale] section 5.4, Figure 7.
 */
import { assert } from '../../core/base/assert.ts'
import { GBPS } from '../../core/base/index.ts'
import { connectionPaths, type ConnectionPaths } from '../../lab/index.ts'
import { humanNumber, humanShare } from '../../show/index.ts'
import {
  mean,
  numbersOf,
  type Result,
  standardDeviation,
  sum,
  type Table,
  tableOfKind,
} from '../../core/results/index.ts'
import type { Scenario } from '../../lab/scenario/index.ts'
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
import { pointsAt } from '../core/grid.ts'
import { dropsOf } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { sharedRatesBps } from '../core/shares.ts'
import { barsAt, intervals, label, means, tableAt, texts } from '../core/tables.ts'

/** Without PFC buffers are unlimited. */
export const PFC = { pfc: 'on', control: 'none' } as const
const PFC_DCQCN = { pfc: 'on', control: 'dcqcn' } as const
export const NO_PFC = { pfc: 'off', control: 'none' } as const
const GRID = [PFC, PFC_DCQCN, NO_PFC] as const
type ClosAt = (typeof GRID)[number]

const FRAME_SHARE = 1086 / 1106
const FRAME_PER_PAYLOAD = 1086 / 1024

/**
 * The small network is a quarter of the large one: the same number of connections per link, and 3:2 at the leaves.
 * DCQCN determines the duration: all connections start at line rate, are cut hard, and need milliseconds to recover.
 */
const SHAPES = {
  small: { topology: '{kind: clos-podset, tors: 6, serversPerTor: 8, spines: 16}', warmUpMs: 6, stopMs: 9 },
  full: { topology: '{kind: clos-podset}', warmUpMs: 5, stopMs: 15 },
} as const

/**
 * Headroom on every port for the longest cable, 300 m: 17.6 KB arrive after the packet that crosses the threshold, and
 * that packet is stored in headroom too. Without PFC buffers are unlimited, and a window of 512 KiB per connection bounds
 * their use.
 */
const DEVICES = {
  on: {
    name: 'pfc',
    buffer: '{kind: shared-buffer, size: 12MiB, alpha: 1/16, headroom: 19KB}',
    classes: '[3]',
    qp: '{ackInterval: 256, retryLimit: off}',
  },
  off: {
    name: 'endless-buffers-no-pfc',
    buffer: '{kind: shared-buffer, size: 64GB, alpha: 128, egressAlpha: 128}',
    classes: '[]',
    qp: '{ackInterval: 256, retryLimit: off, window: 512KiB}',
  },
} as const

function scenarioText(size: Size, { pfc, control }: ClosAt): string {
  const { topology, warmUpMs, stopMs } = SHAPES[size]
  const { name, buffer, classes, qp } = DEVICES[pfc]
  return `
name: clos-ecmp-${name}${control === 'none' ? '' : `-and-${control}`}
topology: ${topology}
balance: {kind: ecmp, seed: random}
switch: {buffer: ${buffer}}
pfc: {classes: ${classes}}
congestion: ${control}
qp: ${qp}
workload: [{kind: tor-pairs, serversPerRack: 8, qpsPerPair: 8, messageSize: 100KB, outstanding: 8}]
measure: {warmUp: ${warmUpMs}ms, stop: ${stopMs}ms}
observe:
  - {kind: goodput, perHost: true, interval: ${warmUpMs}ms}
  - {kind: link-use, interval: ${warmUpMs}ms}
`
}

function closMeasures(result: Result, { at, scenario }: Point<ClosAt>): Measures {
  const windowPs = result.windowToPs - result.windowFromPs
  const servers = serverRatesBps(tableOfKind(result, 'goodput')!, result.windowFromPs, windowPs)
  return {
    throughputBps: sum(servers),
    leastServerBps: Math.min(...servers),
    mostServerBps: Math.max(...servers),
    ...rateSpread(result),
    meanServerBps: mean(servers),
    drops: dropsOf(result),
    pauseFrames: result.counters.pauseFrames,
    // The paths depend on the seed only.
    ...(at === PFC ? shareMeasures(connectionPaths(scenario), serversPerTor(scenario)) : {}),
  }
}

/** Frame bits per second received by each receiving server, over the window. */
function serverRatesBps(goodput: Table, windowFromPs: number, windowPs: number): number[] {
  const fromPs = numbersOf(goodput, 'fromPs')
  const host = numbersOf(goodput, 'host')
  const bytes = numbersOf(goodput, 'payloadBytes')
  const byHost = new Map<number, number>()
  for (let row = 0; row < goodput.rowCount; row++) {
    if (fromPs[row]! < windowFromPs || host[row]! < 0) continue
    byHost.set(host[row]!, (byHost.get(host[row]!) ?? 0) + bytes[row]!)
  }
  return [...byHost.values()].filter((total) => total > 0).map((total) => (total * FRAME_PER_PAYLOAD * 8e12) / windowPs)
}

/** Connections of a server. */
const QPS = 8

/**
 * Inequality of rates: standard deviation over mean of the messages received in the window, among the connections of a
 * server (mean over servers), and among servers. Connections are identified by their source port; servers with two
 * connections of the same source port are left out.
 */
function rateSpread(result: Result): Measures {
  const { flows } = result
  const source = numbersOf(flows, 'source')
  const sourcePort = numbersOf(flows, 'sourcePort')
  const receivedPs = numbersOf(flows, 'receivedPs')
  const servers = new Map<number, Map<number, number>>()
  for (let row = 0; row < flows.rowCount; row++) {
    let counts = servers.get(source[row]!)
    if (counts === undefined) servers.set(source[row]!, (counts = new Map<number, number>()))
    const isInWindow = receivedPs[row]! >= result.windowFromPs && receivedPs[row]! < result.windowToPs
    counts.set(sourcePort[row]!, (counts.get(sourcePort[row]!) ?? 0) + (isInWindow ? 1 : 0))
  }
  const clear = [...servers.values()].filter((counts) => counts.size === QPS).map((counts) => [...counts.values()])
  return {
    spreadInServer: mean(clear.map((counts) => standardDeviation(counts) / mean(counts))),
    spreadAmongServers:
      standardDeviation(clear.map((counts) => sum(counts))) / mean(clear.map((counts) => sum(counts))),
  }
}

function serversPerTor({ topology }: Scenario): number {
  assert(topology.kind === 'clos-podset', 'runs of this experiment are in a Clos network')
  return topology.serversPerTor
}

function shareMeasures(paths: ConnectionPaths, perTor: number): Measures {
  const spineLinks = paths.links.filter(({ fromTier, toTier }) => fromTier === 2 && toTier === 3)
  const framesBps = (groupOf: Parameters<typeof sharedRatesBps>[1]): number =>
    sum(sharedRatesBps(paths, groupOf)) * FRAME_SHARE
  return {
    connections: paths.connections.length,
    capacityBps: sum(spineLinks.map((link) => link.rateBps)),
    allEqualBps: framesBps(() => 0),
    torEqualBps: framesBps(({ source }) => Math.floor(source / perTor)),
    serverEqualBps: framesBps(({ source }) => source),
    maxMinBps: framesBps((_, index) => index),
  }
}

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
  const gained = runs.differences('throughputBps', NO_PFC, PFC).map((bps) => bps * toPercent(runs))
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
    claim('rce.fig7.cause-ecmp', gained, between(-7, 7), { unit: ' points more without PFC' }),
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
      texts('Gb/s per server: least / mean / most', (own) =>
        ['leastServerBps', 'meanServerBps', 'mostServerBps'].map((of) => gbps(own, of)).join(' / '),
      ),
      texts(
        'spread of rates: in a server / among servers',
        (own) => `${share(own, 'spreadInServer')} / ${share(own, 'spreadAmongServers')}`,
      ),
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
  points: (size, seed) => pointsAt(GRID, seed, (at) => scenarioText(size, at)),
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
