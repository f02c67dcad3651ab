/**
 * Runs of the experiment two-tier and their measures: two ToRs of 24 servers joined by four leaves.
 * Loaded: 20 servers of each ToR are paired across, 8 connections each way, as fast as possible, while every server
 * sends probes of 512 bytes to servers drawn at random. Idle: the probes alone. A probe's time is from posting to its ACK.
 * Units: probes in microseconds; goodput is payload that arrived, bit/s.
 * Source: [MS-Scale] section 5.4, Figure 8; section 2 for lengths of 2 m and 20 m and for buffers of 9 or 12 MB; 6.2 for
 * alpha 1/16.
 */
import { US } from '../../base/index.ts'
import { mean, numbersOf, quantile, type Result, sum, type Table, textsOf } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Measures, Point, Size } from '../core/old/plan.ts'

export const SERVERS_PER_TOR = 24
export const NETWORK = `{kind: leaf-spine, leaves: 2, spines: 4, hostsPerLeaf: ${SERVERS_PER_TOR}, hostRate: 40Gbps, fabricRate: 40Gbps, hostDelay: 10ns, fabricDelay: 100ns}`

/** Settings of the network that the paper leaves open; all combinations are run. */
export const BUFFERS = ['9MB', '12MB'] as const
export const CONTROLS = [
  { name: 'PFC', congestion: 'none' },
  { name: 'PFC and DCQCN', congestion: 'dcqcn' },
] as const

export const IDLE = 'idle'
/** Conditions under load. */
export const LOADED: readonly string[] = CONTROLS.flatMap(({ name }) => BUFFERS.map((buffer) => loadedOf(name, buffer)))

export function loadedOf(control: string, buffer: string): string {
  return `${control}, ${buffer}`
}

/** Probes by destination: all, to the other ToR, within the ToR. */
export const SCOPES = ['all', 'other', 'same'] as const
export type Scope = (typeof SCOPES)[number]

/** DCQCN's rates need milliseconds to recover from the common start; the last probes have time to be acknowledged. */
export const CLOCKS: Readonly<Record<Size, { readonly warmUpMs: number; readonly windowMs: number }>> = {
  small: { warmUpMs: 1, windowMs: 1 },
  full: { warmUpMs: 10, windowMs: 50 },
}
const ANSWER_MS = 5

/** One probe per server in some 100 us: 0.1 % of its link. */
const PROBES = '{kind: poisson, load: 0.001, sizes: {kind: fixed, size: 512B}, operation: send, tag: probe}'
/** Servers of each ToR that are paired: its first ones. */
const PAIRED = 20
export const LOAD = `{kind: tor-pairs, serversPerRack: ${PAIRED}, qpsPerPair: 8, messageSize: 100KB, outstanding: 8}`

export function latencyPoints(size: Size, seed: number): Point[] {
  const { warmUpMs, windowMs } = CLOCKS[size]
  const point = (condition: string, buffer: string, congestion: string, workload: string): Point => ({
    condition,
    seed,
    scenario: parseScenario(`
name: two-tier-${condition.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}
seed: ${seed}
topology: ${NETWORK}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: ${buffer}, alpha: 1/16}}
pfc: {classes: [3]}
congestion: ${congestion}
qp: {ackInterval: 256, retryLimit: off}
workload: [${workload}]
measure: {warmUp: ${warmUpMs}ms, window: ${windowMs}ms, stop: ${warmUpMs + windowMs + ANSWER_MS}ms}
observe: [{kind: goodput, perHost: true, interval: 1ms}]
`),
  })
  const controls = size === 'small' ? CONTROLS.slice(0, 1) : CONTROLS
  const buffers = size === 'small' ? BUFFERS.slice(0, 1) : BUFFERS
  return [
    point(IDLE, '9MB', 'none', PROBES),
    ...controls.flatMap(({ name, congestion }) =>
      buffers.map((buffer) => point(loadedOf(name, buffer), buffer, congestion, `${LOAD}, ${PROBES}`)),
    ),
  ]
}

/** The measure of a quantile of probes. */
export const quantileKey = (scope: Scope, share: number): string => `${scope}P${share * 1000}Us`
export const QUANTILES = [0.5, 0.99, 0.999] as const

export function latencyMeasures(result: Result, { condition }: Point): Measures {
  const { counters } = result
  return {
    ...probesOf(result),
    ...(condition === IDLE ? {} : serversOf(result.series[0]!, result)),
    drops: sum(Object.values(counters.drops)),
    pauseFrames: counters.pauseFrames,
    ecnMarks: counters.ecnMarks,
    packetHops: counters.packetHops,
  }
}

function probesOf({ flows }: Result): Measures {
  const tag = textsOf(flows, 'tag')
  const measured = numbersOf(flows, 'measured')
  const [source, destination] = [numbersOf(flows, 'source'), numbersOf(flows, 'destination')]
  const [startPs, endPs] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'acknowledgedPs')]
  const rows = [...tag.keys()].filter((row) => tag[row] === 'probe' && measured[row] === 1)
  const torOf = (host: number): number => Math.floor(host / SERVERS_PER_TOR)
  const isSame = (row: number): boolean => torOf(source[row]!) === torOf(destination[row]!)
  const chosen: Readonly<Record<Scope, readonly number[]>> = {
    all: rows,
    other: rows.filter((row) => !isSame(row)),
    same: rows.filter(isSame),
  }
  const measures: Record<string, number> = {
    probes: rows.length,
    openProbes: rows.filter((row) => Number.isNaN(endPs[row])).length,
  }
  for (const scope of SCOPES) {
    const times = chosen[scope].map((row) => (endPs[row]! - startPs[row]!) / US).filter((us) => !Number.isNaN(us))
    for (const share of QUANTILES) measures[quantileKey(scope, share)] = quantile(times, share)
  }
  return measures
}

/** Payload bits per second received by each paired server, over the window. */
function serversOf(goodput: Table, { windowFromPs, windowToPs }: Result): Measures {
  const fromPs = numbersOf(goodput, 'fromPs')
  const host = numbersOf(goodput, 'host')
  const bytes = numbersOf(goodput, 'payloadBytes')
  const totals = Array.from({ length: 2 * SERVERS_PER_TOR }, () => 0)
  for (let row = 0; row < goodput.rowCount; row++) {
    if (fromPs[row]! < windowFromPs || fromPs[row]! >= windowToPs || host[row]! < 0) continue
    totals[host[row]!]! += bytes[row]!
  }
  const servers = totals
    .filter((_, position) => position % SERVERS_PER_TOR < PAIRED)
    .map((total) => (total * 8e12) / (windowToPs - windowFromPs))
  return {
    leastServerBps: Math.min(...servers),
    meanServerBps: mean(servers),
    mostServerBps: Math.max(...servers),
  }
}
