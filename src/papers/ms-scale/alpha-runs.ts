/**
 * Runs of the experiment alpha and their measures: two podsets; the first two ToRs are of a new type, whose alpha is
 * another. Chatty servers under these query many servers at once; every answer is one message, and all of a query come
 * back together. All servers send each other messages of services, and probes.
 * A bystander is a probe between servers that are not chatty: near if an end of it is under the two ToRs, else far.
 * Fairness: four ports of a ToR have taken what they may have, when a burst comes in at four others, for a server that
 * nobody else sends to.
 * Units: latencies in microseconds from posting to the last byte; pause frames are pauses without resumes.
 * Source: [MS-Scale] section 6.2, Figure 10, and "a large alpha may cause imbalanced and unfair buffer allocation", for which
 * traffic is ours; section 2 for lengths and the buffer of 9 MB.
 */
import { MS, US } from '../../core/base/index.ts'
import { topologyOf } from '../../lab/index.ts'
import {
  jainIndex,
  mean,
  numbersOf,
  quantile,
  type Result,
  sum,
  type Table,
  tableOfKind,
  textsOf,
} from '../../core/results/index.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, rowsWhere } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'
import { countersAt, devicesOfTier, mostOfPorts, sumOf } from './counted.ts'
import { BUFFER, STATIC_PART } from './tor-buffer.ts'

export const SHARING = product({ traffic: ['burst'], alpha: ['1/64', '1/16', '1/4', '1', '8'] })

/** Servers that send to server 0 all the time, and those whose burst goes to server 1. */
const [FIRST, BURSTING] = [
  [2, 3, 4, 5],
  [6, 7, 8, 9],
] as const

export function sharingPoints(seed: number): Point[] {
  const flows = [
    ...FIRST.map((host) => `"${host} 0 20MB 0us"`),
    // Bursts are 4 MB, of which 750 KB have to wait at each port. Seeds shift them.
    ...BURSTING.map((host) => `"${host} 1 1MB ${1000 + 7 * seed}us"`),
  ]
  return pointsAt(SHARING, seed, ({ alpha }) => {
    return `
name: alpha-sharing
topology: {kind: star, hosts: 28, linkRate: 40Gbps, linkDelay: 10ns}
switch: {buffer: {${BUFFER}, alpha: ${alpha}}}
qp: {ackInterval: 256, retryLimit: off}
workload: [{kind: trace, flows: [${flows.join(', ')}]}]
measure: {stop: 3ms}
observe: [{kind: watermarks}, {kind: pause-intervals}]
`
  })
}

/** The most that each port has held, and how evenly. */
export function sharingMeasures(result: Result): Measures {
  const marks = tableOfKind(result, 'watermarks')!
  const [part, port, bytes] = [textsOf(marks, 'part'), numbersOf(marks, 'port'), numbersOf(marks, 'peakBytes')]
  const peakOf = (host: number): number =>
    sum(rowsWhere(marks, (row) => part[row] === 'group' && port[row] === host + 1).map((row) => bytes[row]!))
  const [first, burst] = [FIRST.map(peakOf), BURSTING.map(peakOf)]
  const paused = numbersOf(tableOfKind(result, 'pause-intervals')!, 'node')
  return {
    jain: jainIndex([...first, ...burst]),
    firstBytes: mean(first),
    newBytes: mean(burst),
    newPauses: paused.filter((node) => BURSTING.some((host) => host === node)).length,
    drops: dropsOf(result),
  }
}

const SERVERS_PER_TOR = 24
const LEAVES = 4
/** ToRs of the new type: the first ones of the first podset. */
const NEW_TORS = 2
export const UNDER_NEW = NEW_TORS * SERVERS_PER_TOR
/** Chatty servers of each of these, at the front of its rack. */
const CHATTY = 3

/**
 * Full: the network of [MS-Scale] 5.4 with queries to 1001 servers. Small: a sixth of its racks, and a fifth of the
 * servers asked, with answers that are larger by as much. The paper does not print the size of answers: every size is a
 * reading of its own, and other alphas are tried with one of them. Each chatty server has one query in `stopMs`.
 */
export const SHAPES = {
  small: { tors: 4, spines: 8, fanIn: 190, answersKb: [10, 20], sweepKb: 20, stopMs: 3 },
  full: { tors: 24, spines: 64, fanIn: 1001, answersKb: [1, 2, 4, 8, 12, 16], sweepKb: 4, stopMs: 6 },
} as const

export const OLD = '1/16'
export const NEW = '1/64'
/** NEW, and OLD from half of the run on. */
export const CORRECTED = 'corrected'
/** Each port of the two ToRs has an equal part of the buffer. */
export const STATIC = 'static'

/** Settings of the two ToRs in the names of scenarios. */
const NAMES = {
  [OLD]: '1-16',
  [NEW]: '1-64',
  [CORRECTED]: '1-64-corrected-to-1-16',
  '1/32': '1-32',
  [STATIC]: 'static',
  '1/4': '1-4',
  '8': '8',
} as const

/** Settings that are tried with one size of answers, without and with congestion control. */
export function sweepOf(size: Size) {
  const queries = { traffic: ['queries'], answerKb: [SHAPES[size].sweepKb] } as const
  return [
    ...product({ ...queries, control: ['none'], alpha: ['1/32', STATIC, '1/4', '8'] }),
    ...product({ ...queries, control: ['dcqcn'], alpha: [OLD, NEW] }),
  ]
}

export const answersOf = (size: Size) =>
  product({
    traffic: ['queries'],
    answerKb: SHAPES[size].answersKb,
    control: ['none'],
    alpha: [OLD, NEW, CORRECTED],
  })

/** The setting of the two ToRs from a time on; all others have the buffer's own alpha, 1/16. */
function changeOf(alpha: string, atMs = 0): string {
  const [key, value] = alpha === STATIC ? ['staticTh', STATIC_PART] : ['alpha', alpha]
  return `{path: switch.buffer.${key}, value: ${value}, nodes: 'tor 0.0, tor 0.1', at: ${atMs}ms}`
}

function queriesOf(size: Size, answerKb: number): string {
  const { fanIn, stopMs } = SHAPES[size]
  return Array.from({ length: CHATTY * NEW_TORS }, (_, i) => {
    const receiver = (i % NEW_TORS) * SERVERS_PER_TOR + Math.floor(i / NEW_TORS)
    const startUs = Math.round((stopMs * 1000 * i) / (CHATTY * NEW_TORS))
    return `  - {kind: incast, senders: ${fanIn}, receiver: ${receiver}, sizeEach: ${answerKb}KB, start: ${startUs}us, tag: answer}`
  }).join('\n')
}

export function incidentPoints(size: Size, seed: number): Point[] {
  const { tors, spines, stopMs } = SHAPES[size]
  return pointsAt([...answersOf(size), ...sweepOf(size)], seed, ({ alpha, control, answerKb }) => {
    const name = `${NAMES[alpha]}${control === 'none' ? '' : `-${control}`}`
    const changes = alpha === CORRECTED ? [changeOf(NEW), changeOf(OLD, stopMs / 2)] : [changeOf(alpha)]
    return `
name: alpha-${name}-answers-of-${answerKb}kb
topology: {kind: clos-podset, tors: ${tors}, spines: ${spines}}
balance: {kind: ecmp, seed: random}
switch: {buffer: {${BUFFER}}}
changes: [${changes.join(', ')}]
congestion: ${control}
qp: {ackInterval: 256, retryLimit: off}
workload:
${queriesOf(size, answerKb)}
  - {kind: poisson, load: 0.01, sizes: {kind: fixed, size: 30KB}, tag: service}
  - {kind: poisson, load: 0.001, sizes: {kind: fixed, size: 2KB}, tag: probe}
measure: {generate: ${stopMs}ms, end: drain}
observe:
  - {kind: pause-log, maxRows: 2000000}
${alpha === NEW ? `  - {kind: counters, interval: ${stopMs}ms, watermarks: false, maxRows: 1000000}` : ''}
`
  })
}

const isUnderNew = (host: number): boolean => host < UNDER_NEW
const isChatty = (host: number): boolean => isUnderNew(host) && host % SERVERS_PER_TOR < CHATTY

/** Intervals of time in which latencies and pauses are counted. In each half of the run the first is not compared. */
export const BINS = 6

export function incidentMeasures(result: Result, { scenario }: Point): Measures {
  const topology = topologyOf(scenario)
  const { tiers } = topology
  const stopPs = scenario.measure.generate ?? NaN
  const binOf = (timePs: number): number => Math.floor((timePs * BINS) / stopPs)
  const { counters } = result
  const heldMs = (tier: string): number => (counters.pausedPs[tier] ?? 0) / MS
  return {
    ...latenciesOf(result, binOf),
    ...framesOf(tableOfKind(result, 'pause-log')!, tiers.indexOf(2), binOf),
    ...countedOf(result, topology, stopPs),
    ...Object.fromEntries(['host', 'tier 1', 'tier 2', 'tier 3'].map((tier) => [`${tier} ms`, heldMs(tier)])),
    drops: dropsOf(result),
    cnps: counters.cnps,
  }
}

function latenciesOf({ flows }: Result, binOf: (timePs: number) => number): Measures {
  const tag = textsOf(flows, 'tag')
  const [sources, destinations] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
  const [startPs, endPs] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'receivedPs')]
  const endsOf = (row: number): number[] => [sources[row]!, destinations[row]!]
  const usOf = (row: number): number => (endPs[row]! - startPs[row]!) / US
  const p99Us = (rows: readonly number[]): number => quantile(rows.map(usOf), 0.99)
  const probes = rowsWhere(flows, (row) => tag[row] === 'probe' && !endsOf(row).some(isChatty))
  const near = probes.filter((row) => endsOf(row).some(isUnderNew))
  const nearIn = (isIn: (bin: number) => boolean): number => p99Us(near.filter((row) => isIn(binOf(startPs[row]!))))
  return {
    nearP99Us: p99Us(near),
    farP99Us: p99Us(probes.filter((row) => !endsOf(row).some(isUnderNew))),
    ...Object.fromEntries(
      Array.from({ length: BINS }, (_, bin) => [`p99UsIn${bin}`, nearIn((other) => other === bin)]),
    ),
    nearAfterP99Us: nearIn((bin) => bin > BINS / 2),
  }
}

/** Pause frames that the two ToRs send until the end of generation, to leaves and to their own servers. */
function framesOf(log: Table, firstLeaf: number, binOf: (timePs: number) => number): Measures {
  const [timePs, type] = [numbersOf(log, 'timePs'), numbersOf(log, 'type')]
  const [node, port] = [numbersOf(log, 'node'), numbersOf(log, 'port')]
  // A leaf's port p + 1 leads to ToR p of its podset.
  const isFromNew = (row: number): boolean =>
    isUnderNew(node[row]!) || (node[row]! >= firstLeaf && node[row]! < firstLeaf + LEAVES && port[row]! <= NEW_TORS)
  const bins = rowsWhere(log, (row) => type[row] === 1 && isFromNew(row))
    .map((row) => binOf(timePs[row]!))
    .filter((bin) => bin < BINS)
  return { torFrames: bins.length, framesAfter: bins.filter((bin) => bin > BINS / 2).length }
}

/**
 * The incident as counters show it until the end of generation: servers that received pause frames, the most of one server,
 * and the ToRs that are the origin, which hold a neighbour for longer than any neighbour holds them.
 */
function countedOf(result: Result, topology: ReturnType<typeof topologyOf>, stopPs: number): Measures {
  const table = tableOfKind(result, 'counters')
  if (table === undefined) return {}
  const devices = countersAt(table, stopPs)
  const frames = devicesOfTier(devices, topology, 0).map(([, device]) => sumOf(device, 'pfcRxFrames'))
  const origins = devicesOfTier(devices, topology, 1).flatMap(([name, device]) =>
    mostOfPorts(device, 'pauseTxUs') > mostOfPorts(device, 'pauseRxUs') ? [name] : [],
  )
  const newTors = topology.names.slice(topology.tiers.indexOf(1)).slice(0, NEW_TORS)
  const most = Math.max(...frames)
  return {
    pausedServers: frames.filter((count) => count > 0).length,
    mostFrames: most,
    mostFramesIn5Minutes: (most * 300e12) / stopPs,
    originTors: origins.length,
    newOriginTors: origins.filter((name) => newTors.includes(name)).length,
  }
}
