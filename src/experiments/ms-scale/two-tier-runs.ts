/**
 * Runs of the experiment two-tier and their measures: two ToRs of 24 servers joined by four leaves.
 * Loaded: 20 servers of each ToR are paired across, 8 connections each way, as fast as possible, while every server
 * sends probes of 512 bytes to servers drawn at random. Idle: the probes alone. A probe's time is from posting to its ACK.
 * Units: probes in microseconds; goodput is payload that arrived, bit/s.
 * Source: [MS-Scale] section 5.4, Figure 8; section 2 for lengths of 2 m and 20 m and for buffers of 9 or 12 MB; 6.2 for
 * alpha 1/16.
 */
import { US } from '../../base/index.ts'
import { mean, numbersOf, quantile, type Result, sum, tableOfKind, textsOf } from '../../results/index.ts'
import { pointsAt, product } from '../core/grid.ts'
import { dropsOf, inWindow, rowsWhere } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'

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
export const CLOCKS: Readonly<Record<Size, { readonly warmUpMs: number; readonly windowMs: number }>> = {
  small: { warmUpMs: 1, windowMs: 1 },
  full: { warmUpMs: 10, windowMs: 50 },
}
const ANSWER_MS = 5

export function latencyPoints(size: Size, seed: number): Point[] {
  const { warmUpMs, windowMs } = CLOCKS[size]
  return pointsAt(
    [IDLE, ...loadedOf(size)],
    seed,
    ({ traffic, control, bufferMb }) => `
name: two-tier-${traffic === 'probes' ? 'idle' : `${CONTROL_NAMES[control]}-${bufferMb}mb`}
seed: ${seed}
topology: ${NETWORK}
balance: {kind: ecmp, seed: random}
switch: {buffer: {kind: shared-buffer, size: ${bufferMb}MB, alpha: 1/16}}
pfc: {classes: [3]}
congestion: ${control}
qp: {ackInterval: 256, retryLimit: off}
workload: [${WORKLOADS[traffic]}]
measure: {warmUp: ${warmUpMs}ms, window: ${windowMs}ms, stop: ${warmUpMs + windowMs + ANSWER_MS}ms}
observe: [{kind: goodput, perHost: true, interval: 1ms}]
`,
  )
}

export function latencyMeasures(result: Result, { at }: Point): Measures {
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
