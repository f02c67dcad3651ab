/**
 * Runs of the experiment clos-ecmp and their measures.
 * Two podsets, ToR i of one paired with ToR i of the other; 8 servers per ToR, 8 connections each way between two servers.
 * The same paths are simulated in three ways, and evaluated by rules of sharing (shares.ts).
 * Units: throughput counts frames without preamble and gap (1086 bytes for 1024), as the paper's figure does.
 * Source: [MS-Scale] section 5.4, Figure 7.
 */
import { assert } from '../../base/assert.ts'
import { connectionPaths, type ConnectionPaths } from '../../lab/index.ts'
import { mean, numbersOf, type Result, standardDeviation, sum, type Table, tableOfKind } from '../../results/index.ts'
import type { Scenario } from '../../scenario/index.ts'
import { pointsAt } from '../core/grid.ts'
import { dropsOf } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import { sharedRatesBps } from '../core/shares.ts'

/** Without PFC buffers are unlimited. */
export const PFC = { pfc: 'on', control: 'none' } as const
export const PFC_DCQCN = { pfc: 'on', control: 'dcqcn' } as const
export const NO_PFC = { pfc: 'off', control: 'none' } as const
const GRID = [PFC, PFC_DCQCN, NO_PFC] as const
type ClosAt = (typeof GRID)[number]

const FRAME_SHARE = 1086 / 1106
const FRAME_PER_PAYLOAD = 1086 / 1024

/**
 * The small network is a quarter of the large one: the same number of connections per link, and 3:2 at the leaves.
 * DCQCN determines the duration: all connections start at line rate, are cut hard, and need milliseconds to recover.
 */
export const SHAPES = {
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

function scenarioText(size: Size, seed: number, { pfc, control }: ClosAt): string {
  const { topology, warmUpMs, stopMs } = SHAPES[size]
  const { name, buffer, classes, qp } = DEVICES[pfc]
  return `
name: clos-ecmp-${name}${control === 'none' ? '' : `-and-${control}`}
seed: ${seed}
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

export const closPoints = (size: Size, seed: number): Point<ClosAt>[] =>
  pointsAt(GRID, seed, (at) => scenarioText(size, seed, at))

export function closMeasures(result: Result, { at, scenario }: Point<ClosAt>): Measures {
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
