/**
 * Runs of the experiment alpha and their measures: two podsets; the first two ToRs are of a new type, whose alpha is
 * another. Chatty servers under these query many servers at once; every answer is one message, and all of a query come
 * back together. All servers send each other messages of services, and probes.
 * A bystander is a probe between servers that are not chatty: near if an end of it is under the two ToRs, else far.
 * Units: latencies in microseconds from posting to the last byte; pause frames are pauses without resumes.
 * Source: [MS-Scale] section 6.2, Figure 10; section 2 for lengths and the buffer of 9 MB.
 */
import { MS, US } from '../../base/index.ts'
import { numbersOf, quantile, type Result, sum, type Table, textsOf } from '../../results/index.ts'
import { parseScenario, type Scenario } from '../../scenario/index.ts'
import type { Measures, Point, Size } from '../core/old/plan.ts'
import { BUFFER, STATIC_PART } from './tor-buffer.ts'

const SERVERS_PER_TOR = 24
const LEAVES = 4
/** ToRs of the new type: the first ones of the first podset. */
const NEW_TORS = 2
export const UNDER_NEW = NEW_TORS * SERVERS_PER_TOR
/** Chatty servers of each of these, at the front of its rack. */
const CHATTY = 3

interface Shape {
  /** ToRs of a podset. */
  readonly tors: number
  readonly spines: number
  /** Servers that one query asks. */
  readonly fanIn: number
  /** Bytes of an answer. The paper does not print them: every size is a reading of its own. */
  readonly answers: readonly string[]
  /** The size with which other alphas are tried, and that of the figure over time. */
  readonly sweepAnswer: string
  /** Each chatty server has one query in this time; those of a ToR come one after the other. */
  readonly stopMs: number
}

/**
 * Full: the network of [MS-Scale] 5.4 with queries to 1001 servers. Small: a sixth of its racks, and a fifth of the
 * servers asked, with answers that are larger by as much.
 */
export const SHAPES: Readonly<Record<Size, Shape>> = {
  small: { tors: 4, spines: 8, fanIn: 190, answers: ['10KB', '20KB'], sweepAnswer: '20KB', stopMs: 3 },
  full: {
    tors: 24,
    spines: 64,
    fanIn: 1001,
    answers: ['1KB', '2KB', '4KB', '8KB', '12KB', '16KB'],
    sweepAnswer: '4KB',
    stopMs: 6,
  },
}

const SERVICES = '{kind: poisson, load: 0.01, sizes: {kind: fixed, size: 30KB}, tag: service}'
const PROBES = '{kind: poisson, load: 0.001, sizes: {kind: fixed, size: 2KB}, tag: probe}'

export const OLD = '1/16'
export const NEW = '1/64'
export const STATIC = 'static'
/** Settings of the two ToRs for one size of answers. */
export const SWEEP: readonly string[] = [NEW, '1/32', STATIC, OLD, '1/4', '8']
export const conditionOf = (alpha: string, answer: string): string => `${alpha}, answers of ${answer}`
export const correctedOf = (answer: string): string => `1/64 corrected to 1/16, answers of ${answer}`
export const withDcqcn = (alpha: string, answer: string): string => `${alpha}, DCQCN, answers of ${answer}`

/** The setting of the two ToRs from a time on; all others have the buffer's own alpha, 1/16. */
function changeOf(alpha: string, atMs = 0): string {
  const set = (key: string, value: string): string =>
    `{path: switch.buffer.${key}, value: ${value}, nodes: 'tor 0.0, tor 0.1', at: ${atMs}ms}`
  return alpha === STATIC ? set('staticTh', STATIC_PART) : set('alpha', alpha)
}

interface Run {
  readonly condition: string
  readonly answer: string
  readonly changes: string
  readonly congestion?: string
}

function queries(size: Size, answer: string): string {
  const { fanIn, stopMs } = SHAPES[size]
  return Array.from({ length: CHATTY * NEW_TORS }, (_, i) => {
    const receiver = (i % NEW_TORS) * SERVERS_PER_TOR + Math.floor(i / NEW_TORS)
    const startUs = Math.round((stopMs * 1000 * i) / (CHATTY * NEW_TORS))
    return `  - {kind: incast, senders: ${fanIn}, receiver: ${receiver}, sizeEach: ${answer}, start: ${startUs}us, tag: answer}`
  }).join('\n')
}

function scenarioOf(size: Size, seed: number, { condition, answer, changes, congestion = 'none' }: Run): Scenario {
  const { tors, spines, stopMs } = SHAPES[size]
  return parseScenario(`
name: alpha-${condition.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}
seed: ${seed}
topology: {kind: clos-podset, tors: ${tors}, spines: ${spines}}
balance: {kind: ecmp, seed: random}
switch: {buffer: {${BUFFER}}}
changes: [${changes}]
congestion: ${congestion}
qp: {ackInterval: 256, retryLimit: off}
workload:
${queries(size, answer)}
  - ${SERVICES}
  - ${PROBES}
measure: {generate: ${stopMs}ms, end: drain}
observe:
  - {kind: pause-log, maxRows: 2000000}
  - {kind: pause-intervals, maxRows: 1000000}
`)
}

export function incidentPoints(size: Size, seed: number): Point[] {
  const { answers, sweepAnswer, stopMs } = SHAPES[size]
  const runOf = (alpha: string, answer: string): Run => ({
    condition: conditionOf(alpha, answer),
    answer,
    changes: changeOf(alpha),
  })
  const corrected = `${changeOf(NEW)}, ${changeOf(OLD, stopMs / 2)}`
  const runs: Run[] = [
    ...answers.flatMap((answer) => [
      runOf(OLD, answer),
      runOf(NEW, answer),
      { condition: correctedOf(answer), answer, changes: corrected },
    ]),
    ...SWEEP.filter((alpha) => alpha !== OLD && alpha !== NEW).map((alpha) => runOf(alpha, sweepAnswer)),
    ...[OLD, NEW].map((alpha) => ({
      ...runOf(alpha, sweepAnswer),
      condition: withDcqcn(alpha, sweepAnswer),
      congestion: 'dcqcn',
    })),
  ]
  return runs.map((run) => ({ condition: run.condition, seed, scenario: scenarioOf(size, seed, run) }))
}

/** Positions of the nodes that the measures look at. */
interface Locations {
  readonly hosts: number
  readonly firstTor: number
  readonly firstLeaf: number
}

function locationsOf({ topology }: Scenario): Locations {
  const tors = topology.kind === 'clos-podset' ? topology.podsets * topology.tors : NaN
  const hosts = tors * SERVERS_PER_TOR
  return { hosts, firstTor: hosts, firstLeaf: hosts + tors }
}

const isUnderNew = (host: number): boolean => host < UNDER_NEW
const isChatty = (host: number): boolean => isUnderNew(host) && host % SERVERS_PER_TOR < CHATTY

/** Intervals of time in which latencies and pauses are counted. In each half of the run the first is not compared. */
export const BINS = 6

export function incidentMeasures(result: Result, { scenario }: Point): Measures {
  const [log, intervals] = result.series
  const locations = locationsOf(scenario)
  const stopPs = scenario.measure.generate ?? NaN
  const { counters } = result
  return {
    ...latenciesOf(result, stopPs),
    ...framesOf(log!, locations, stopPs),
    ...rootsOf(intervals!, locations),
    ...Object.fromEntries(
      ['host', 'tier 1', 'tier 2', 'tier 3'].map((tier) => [`${tier} ms`, (counters.pausedPs[tier] ?? 0) / MS]),
    ),
    drops: sum(Object.values(counters.drops)),
    cnps: counters.cnps,
    hosts: locations.hosts,
  }
}

export const SCOPES = ['near', 'far'] as const
export type Scope = (typeof SCOPES)[number]
export const SHARES = [0.5, 0.99] as const
export const latencyKey = (scope: Scope, share: number): string => `${scope}P${share * 100}Us`
export const binKey = (what: 'p99Us' | 'frames', bin: number): string => `${what}In${bin}`

/** A probe that takes longer makes both its servers count as affected; an unhindered one takes some 5 us. */
export const SLOW_US = 100

function latenciesOf({ flows }: Result, stopPs: number): Measures {
  const tag = textsOf(flows, 'tag')
  const [sources, destinations] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
  const [startPs, endPs] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'receivedPs')]
  const times: Record<Scope, number[]> = { near: [], far: [] }
  /** Probes near the two ToRs. */
  const byBin: number[][] = Array.from({ length: BINS }, () => [])
  const slow = new Set<number>()
  for (let row = 0; row < flows.rowCount; row++) {
    if (tag[row] !== 'probe') continue
    const ends = [sources[row]!, destinations[row]!]
    if (ends.some(isChatty)) continue
    const us = (endPs[row]! - startPs[row]!) / US
    if (ends.some(isUnderNew)) {
      times.near.push(us)
      byBin[Math.floor((startPs[row]! * BINS) / stopPs)]!.push(us)
    } else times.far.push(us)
    if (us > SLOW_US) ends.forEach((host) => slow.add(host))
  }
  return {
    ...Object.fromEntries(
      SCOPES.flatMap((scope) => SHARES.map((share) => [latencyKey(scope, share), quantile(times[scope], share)])),
    ),
    ...Object.fromEntries(byBin.map((each, bin) => [binKey('p99Us', bin), quantile(each, 0.99)])),
    nearAfterP99Us: quantile(byBin.slice(BINS / 2 + 1).flat(), 0.99),
    slowServers: slow.size,
  }
}

/** Pause frames until the end of generation: those that servers receive, and those that the two ToRs send. */
function framesOf(log: Table, { firstLeaf }: Locations, stopPs: number): Measures {
  const [timePs, type] = [numbersOf(log, 'timePs'), numbersOf(log, 'type')]
  const [node, nodeType, port] = [numbersOf(log, 'node'), numbersOf(log, 'nodeType'), numbersOf(log, 'port')]
  const paused = new Set<number>()
  const byBin = Array.from({ length: BINS }, () => 0)
  let [toLeaves, toOwnServers] = [0, 0]
  for (let row = 0; row < log.rowCount; row++) {
    if (type[row] !== 1 || timePs[row]! >= stopPs) continue
    const at = node[row]!
    const isServer = nodeType[row] === 0
    if (isServer) paused.add(at)
    // A leaf's port p + 1 leads to ToR p of its podset.
    const isFromLeafOfFirst = !isServer && at >= firstLeaf && at < firstLeaf + LEAVES && port[row]! <= NEW_TORS
    if (isFromLeafOfFirst) toLeaves++
    else if (isServer && isUnderNew(at)) toOwnServers++
    else continue
    byBin[Math.floor((timePs[row]! * BINS) / stopPs)]!++
  }
  return {
    torFrames: toLeaves + toOwnServers,
    toOwnServers,
    pausedServers: paused.size,
    framesAfter: sum(byBin.slice(BINS / 2 + 1)),
    ...Object.fromEntries(byBin.map((frames, bin) => [binKey('frames', bin), frames])),
  }
}

/** Pauses whose sender is not paused itself at that moment begin a propagation: their number, and the share of the two ToRs. */
function rootsOf(intervals: Table, { firstTor }: Locations): Measures {
  const [startPs, endPs] = [numbersOf(intervals, 'startPs'), numbersOf(intervals, 'endPs')]
  const [node, peer] = [numbersOf(intervals, 'node'), numbersOf(intervals, 'peerNode')]
  /** The latest end of the pauses that a node has obeyed so far; rows come by start. */
  const pausedUntilPs = new Map<number, number>()
  let [roots, ofNew] = [0, 0]
  for (let row = 0; row < intervals.rowCount; row++) {
    const sender = peer[row]!
    if ((pausedUntilPs.get(sender) ?? -1) < startPs[row]!) {
      roots++
      if (sender >= firstTor && sender < firstTor + NEW_TORS) ofNew++
    }
    pausedUntilPs.set(node[row]!, Math.max(pausedUntilPs.get(node[row]!) ?? -1, endPs[row]!))
  }
  return { roots, rootShare: ofNew / roots }
}
