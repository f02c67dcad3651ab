/**
 * Two tiers: latency of probes and throughput of servers in a loaded network of two ToRs and four leaves, and whether pause
 * intervals indicate congestion better than pause frames.
 * Loaded: 20 servers of each ToR are paired across, 8 connections each way, as fast as possible, while every server
 * sends probes of 512 bytes to servers drawn at random. Idle: the probes alone. A probe's time is from posting to its ACK.
 * Pauses: one incast at a time, with every pause time, alpha and number of senders. Runs keep sums over their senders, from
 * which correlations with the slowdown over any set of runs follow.
 * Units: probes in microseconds; goodput is payload that arrived, bit/s.
 * Source: [MS-Scale] section 5.4, Figure 8; section 2 for lengths of 2 m and 20 m and for buffers of 9 or 12 MB; 5.2, which
 * claims that intervals are better and has no measurement; 6.2 for an alpha of 1/16 and 1/64.
 */
import { GBPS, MS, US } from '../../core/base/index.ts'
import {
  completionsOf,
  interval95,
  mean,
  numbersOf,
  quantile,
  type Result,
  sum,
  tableOfKind,
  textsOf,
} from '../../core/results/index.ts'
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
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, inWindow, rowsWhere } from '../core/measures.ts'
import type { Measures, Outcome, Point, Size } from '../core/plan.ts'
import type { Runs } from '../core/runs.ts'
import { intervals, label, means, tableAt } from '../core/tables.ts'

/** Shares of the free buffer that a port may take before it pauses, in the names of scenarios. */
const NAMES = { '1/64': '1-64', '1/16': '1-16', '1/4': '1-4' }

/** Quanta are 512 bit times each: 839, 52 and 3.3 us at 40 Gb/s. */
const settingsOf = (size: Size) =>
  size === 'small'
    ? product({ quanta: [65_535, 256], alpha: ['1/64'] })
    : product({ quanta: [65_535, 4096, 256], alpha: ['1/64', '1/16', '1/4'] })

function pausePoints(size: Size, seed: number): Point[] {
  const fanIns = size === 'small' ? [4, 12] : [4, 12, 40]
  const eachBytes = size === 'small' ? '300KB' : '1MB'
  const grid = settingsOf(size).flatMap((setting) => fanIns.map((fanIn) => ({ traffic: 'incast', ...setting, fanIn })))
  return pointsAt(grid, seed, ({ quanta, alpha, fanIn }) => {
    return `
name: two-tier-incast-of-${fanIn}-${quanta}-quanta-alpha-${NAMES[alpha]}
topology: ${NETWORK}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: 9MB, alpha: ${alpha}}}
pfc: {classes: [3], quanta: ${quanta}}
qp: {ackInterval: 256, retryLimit: off}
workload: [{kind: incast, senders: ${fanIn}, receiver: off, sizeEach: ${eachBytes}}]
observe: [{kind: pause-intervals, maxRows: 2000000}, {kind: pause-log, maxRows: 2000000}]
`
  })
}

/** Sums over senders of their slowdown, time paused and pause frames, and of squares and products. */
function pauseMeasures(result: Result): Measures {
  const pauses = tableOfKind(result, 'pause-intervals')!
  const log = tableOfKind(result, 'pause-log')!
  const [node, startPs, endPs] = ['node', 'startPs', 'endPs'].map((name) => numbersOf(pauses, name))
  const [pausedNode, type] = [numbersOf(log, 'node'), numbersOf(log, 'type')]
  const { slowdown } = completionsOf(result)
  const senders = Array.from(numbersOf(result.flows, 'source'), (host, row) => ({
    slowdown: slowdown[row]!,
    // A host has one port and one paused class.
    pausedMs: rowsWhere(pauses, (each) => node![each] === host).reduce(
      (total, each) => total + (endPs![each]! - startPs![each]!) / MS,
      0,
    ),
    frames: rowsWhere(log, (each) => pausedNode[each] === host && type[each] === 1).length,
  }))
  const over = (valueOf: (sender: (typeof senders)[number]) => number): number => sum(senders.map(valueOf))
  return {
    senders: senders.length,
    slowdown: over((each) => each.slowdown),
    pausedMs: over((each) => each.pausedMs),
    frames: over((each) => each.frames),
    slowdown2: over((each) => each.slowdown * each.slowdown),
    pausedMs2: over((each) => each.pausedMs * each.pausedMs),
    frames2: over((each) => each.frames * each.frames),
    slowdownPausedMs: over((each) => each.slowdown * each.pausedMs),
    slowdownFrames: over((each) => each.slowdown * each.frames),
    drops: dropsOf(result),
  }
}

/** Measures that may be correlated with the slowdown, with their product with it. */
const SIGNALS = {
  intervals: { of: 'pausedMs', product: 'slowdownPausedMs' },
  frames: { of: 'frames', product: 'slowdownFrames' },
} as const
type Signal = keyof typeof SIGNALS

/** Sets over which correlations are taken. */
const VIEWS = {
  senders: 'senders of all settings',
  runs: 'incasts of all settings',
  alone: 'senders of each setting alone',
} as const
export type View = keyof typeof VIEWS

/** Correlation of a signal with the slowdown, a value per seed. */
export function correlationsOf(runs: Runs, size: Size, view: View, signal: Signal): number[] {
  const incasts = runs.where({ traffic: 'incast' })
  const ofSeed = (own: Runs, seed: number): Outcome[] => own.outcomes.filter((outcome) => outcome.seed === seed)
  const overSenders = (own: Runs, seed: number): number =>
    correlation(ofSeed(own, seed).map(({ measures }) => sumsOf(measures, signal)))
  return incasts.seeds.map((seed) => {
    if (view === 'senders') return overSenders(incasts, seed)
    if (view === 'alone') return mean(settingsOf(size).map((setting) => overSenders(incasts.where(setting), seed)))
    // Each incast once, by the means over its senders.
    return correlation(
      ofSeed(incasts, seed).map(({ measures }) => {
        const { count, x, y } = sumsOf(measures, signal)
        return sumsOfOne(x / count, y / count)
      }),
    )
  })
}

type Sums = Readonly<Record<'count' | 'x' | 'y' | 'xx' | 'yy' | 'xy', number>>

export const sumsOfOne = (x: number, y: number): Sums => ({ count: 1, x, y, xx: x * x, yy: y * y, xy: x * y })

function sumsOf(measures: Measures, signal: Signal): Sums {
  const { of, product: xy } = SIGNALS[signal]
  const [count, x, y, xx, yy] = ['senders', of, 'slowdown', `${of}2`, 'slowdown2'].map((key) => measures[key]!)
  return { count: count!, x: x!, y: y!, xx: xx!, yy: yy!, xy: measures[xy]! }
}

/** A variance below this share of the square counts as rounding error. */
const NO_SPREAD = 1e-9

/** Pearson's correlation from sums of parts; 0 if one of the two is constant. */
export function correlation(parts: readonly Sums[]): number {
  const total = (key: keyof Sums): number => sum(parts.map((part) => part[key]))
  const [count, x, y, xx, yy] = [total('count'), total('x'), total('y'), total('xx'), total('yy')]
  const [ofX, ofY] = [count * xx - x * x, count * yy - y * y]
  const isVaried = ofX > NO_SPREAD * count * xx && ofY > NO_SPREAD * count * yy
  return isVaried ? (count * total('xy') - x * y) / Math.sqrt(ofX * ofY) : 0
}

export const SERVERS_PER_TOR = 24
export const NETWORK = `{kind: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: ${SERVERS_PER_TOR}, hostRate: 40Gbps, fabricRate: 40Gbps, hostDelay: 10ns, fabricDelay: 100ns}`
/** Servers of each ToR that are paired: its first ones. */
const PAIRED = 20
export const loadText = (startMs: number): string =>
  `{kind: tor-pairs, serversPerRack: ${PAIRED}, qpsPerPair: 8, messageSize: 100KB, outstanding: 8, start: ${startMs}ms}`
/** One probe per server in some 100 us: 0.1 % of its link. */
const PROBES = '{kind: poisson, load: 0.001, sizes: {kind: fixed, size: 512B}, operation: send, tag: probe}'
const WORKLOADS = { probes: PROBES, load: `${loadText(0)}, ${PROBES}` }

export const IDLE = { traffic: 'probes', control: 'none', bufferMb: 9 } as const

/** Networks under load, in all settings that the paper leaves open. */
export const loadedOf = (size: Size) =>
  size === 'small'
    ? product({ traffic: ['load'], control: ['none'], bufferMb: [9] })
    : product({ traffic: ['load'], control: ['none', 'dcqcn'], bufferMb: [9, 12] })
/** Congestion controls in the names of scenarios. */
export const CONTROL_NAMES = { none: 'pfc', dcqcn: 'pfc-and-dcqcn' }
export const controlText = (control: string): string => (control === 'none' ? 'PFC' : 'PFC and DCQCN')

/** DCQCN's rates need milliseconds to recover from the common start; the last probes have time to be acknowledged. */
const CLOCKS: Readonly<Record<Size, { readonly warmUpMs: number; readonly windowMs: number }>> = {
  small: { warmUpMs: 1, windowMs: 1 },
  full: { warmUpMs: 10, windowMs: 50 },
}
const ANSWER_MS = 5

function latencyPoints(size: Size, seed: number): Point[] {
  const { warmUpMs, windowMs } = CLOCKS[size]
  return pointsAt([IDLE, ...loadedOf(size)], seed, ({ traffic, control, bufferMb }) => {
    return `
name: two-tier-${traffic === 'probes' ? 'idle' : `${CONTROL_NAMES[control]}-${bufferMb}mb`}
topology: ${NETWORK}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: ${bufferMb}MB, alpha: 1/16}}
pfc: {classes: [3]}
congestion: ${control}
qp: {ackInterval: 256, retryLimit: off}
workload: [${WORKLOADS[traffic]}]
measure: {warmUp: ${warmUpMs}ms, window: ${windowMs}ms, stop: ${warmUpMs + windowMs + ANSWER_MS}ms}
observe: [{kind: goodput, perHost: true, interval: 1ms}]
`
  })
}

function latencyMeasures(result: Result, { at }: Point): Measures {
  return {
    ...probesOf(result),
    ...(at['traffic'] === 'probes' ? {} : serversOf(result)),
    drops: dropsOf(result),
    pauseFrames: result.counters.pauseFrames,
  }
}

/** Probes of the window, and those to the other ToR. */
function probesOf({ flows }: Result): Measures {
  const [tag, measured] = [textsOf(flows, 'tag'), numbersOf(flows, 'measured')]
  const [source, destination] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
  const [startPs, endPs] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'acknowledgedPs')]
  const torOf = (host: number): number => Math.floor(host / SERVERS_PER_TOR)
  const all = rowsWhere(flows, (row) => tag[row] === 'probe' && measured[row] === 1)
  const answered = all.filter((row) => !Number.isNaN(endPs[row]))
  const other = answered.filter((row) => torOf(source[row]!) !== torOf(destination[row]!))
  const us = (rows: readonly number[], share: number): number =>
    quantile(
      rows.map((row) => (endPs[row]! - startPs[row]!) / US),
      share,
    )
  return {
    openProbes: all.length - answered.length,
    allP990Us: us(answered, 0.99),
    allP999Us: us(answered, 0.999),
    otherP500Us: us(other, 0.5),
  }
}

/** Payload bits per second received by each paired server, over the window. */
function serversOf(result: Result): Measures {
  const goodput = tableOfKind(result, 'goodput')!
  const hosts = inWindow(goodput, 'fromPs', 'host', result)
  const bytes = inWindow(goodput, 'fromPs', 'payloadBytes', result)
  const toBps = 8e12 / (result.windowToPs - result.windowFromPs)
  const servers = Array.from({ length: 2 * SERVERS_PER_TOR }, (_, host) => host)
    .filter((host) => host % SERVERS_PER_TOR < PAIRED)
    .map((host) => sum(bytes.filter((_, row) => hosts[row] === host)) * toBps)
  return {
    leastServerBps: Math.min(...servers),
    meanServerBps: mean(servers),
    mostServerBps: Math.max(...servers),
  }
}

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
    const more = correlationsOf(runs, 'full', view, 'intervals').map((value, i) => value - frames[i]!)
    const words = { check: VIEWS[view], unit: ' of correlation more' }
    return claim('rce.mon.pause-interval-better', more, ABOVE_ZERO, words)
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
