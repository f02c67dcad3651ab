/**
 * Runs of the experiment ms-scale-latency and their measures: probes of RDMA and TCP beside each other in the network of
 * two-tier-runs.ts. RDMA has a lossless class and three quarters of each port, TCP a lossy one and the rest.
 * Every server sends probes of 512 bytes of both transports to servers drawn at random; a probe's time is from posting
 * to its ACK, with the delays of both hosts.
 * Steps, as in Figure 8: an idle network, in which 20 servers of each ToR begin to send to those of the other.
 * Bursts, as in Figure 6: many-to-one incasts of both transports, 350 Mb/s a server on average.
 * Units: times of probes in microseconds.
 * Source: [MS-Scale] section 5.4. Ours: the bursts, which it does not print, and all that two-tier-runs.ts names.
 */
import { GBPS, KB, MS, US } from '../../../base/index.ts'
import { numbersOf, quantile, type Result, sum, textsOf } from '../../../results/index.ts'
import { parseScenario } from '../../../scenario/index.ts'
import type { Measures, Point, Size } from '../../core/old/plan.ts'
import { LOAD, NETWORK, SERVERS_PER_TOR } from '../two-tier-runs.ts'

const BUFFERS = ['9MB', '12MB'] as const
const CONTROLS = [
  { name: 'PFC', congestion: 'none' },
  { name: 'PFC and DCQCN', congestion: 'dcqcn' },
] as const
const loadedOf = (control: string, buffer: string): string => `${control}, ${buffer}`

export const TRANSPORTS = ['rdma', 'tcp'] as const
export type Transport = (typeof TRANSPORTS)[number]

/**
 * One packet's time between wire and application, up or down. A probe has five of them: its sender's way down, the
 * receiver's up and down, and twice the sender's for the ACK (docs/models/host-delay.md).
 * RDMA: the lognormal whose sum of five has the percentiles of the idle testbed, 50 us and 80 us at 99 and 99.9 %
 * (Figure 8), less 1 us of the network. TCP: ten times as long, by the 500 us of its 99th percentile there.
 */
export const HOST_DELAYS: Readonly<Record<Transport, string>> = {
  rdma: '{kind: lognormal, median: 2.15us, p99: 19.6us}',
  tcp: '{kind: lognormal, median: 22us, p99: 200us}',
}

/** Classes: of RDMA, which is lossless, and of TCP. */
const RDMA_CLASS = 3
const TCP_CLASS = 0

/** Time in which probes are sent. */
const STEP_MS: Readonly<Record<Size, number>> = { small: 8, full: 80 }
const BURSTS_MS: Readonly<Record<Size, number>> = { small: 10, full: 100 }
/** Shares of a step's time: the load begins, and DCQCN's rates have settled. */
const LOAD_AT = 3 / 8
const SETTLED_AT = 1 / 2
/** Slices of time of which percentiles are kept: 5 ms at full size. */
const STEP_SLICES = 16
const BURST_SLICES = 20
/** Probes sent so shortly before the load, as a part of the time, that it may meet them. */
const LEFT_OUT = 1 / 80
const ANSWER_MS = 20
const TIMEOUT_MS = 5
const SERVERS = 2 * SERVERS_PER_TOR

/** TCP's timeouts are those that operators of data centers set; each probe has a connection of its own. */
const TCP_SCHEMES = `recovery: {kind: tcp, rtoInitial: ${TIMEOUT_MS}ms, rtoMin: ${TIMEOUT_MS}ms, delayedAck: off}, congestion: newreno, operation: send`
const RDMA_SCHEMES = 'operation: send'

const SCHEMES: Readonly<Record<Transport, { readonly text: string; readonly ackInterval: number }>> = {
  rdma: { text: RDMA_SCHEMES, ackInterval: 256 },
  tcp: { text: TCP_SCHEMES, ackInterval: 1 },
}

/** Keys of a workload that make it one of that transport. */
function schemesOf(transport: Transport, hasHosts: boolean): string {
  const { text, ackInterval } = SCHEMES[transport]
  const delay = hasHosts ? `, hostDelay: ${HOST_DELAYS[transport]}` : ''
  return `qp: {ackInterval: ${ackInterval}${delay}}, ${text}`
}

/** One probe per server and transport in some 50 us: 0.2 % of its link. */
function probeLines(transport: Transport, trafficClass: number, hasHosts: boolean): string {
  return `{kind: poisson, load: 0.002, sizes: {kind: fixed, size: 512B}, trafficClass: ${trafficClass}, tag: ${transport}, ${schemesOf(transport, hasHosts)}}`
}

interface Setting {
  readonly condition: string
  readonly seed: number
  readonly buffer: string
  readonly congestion: string
  readonly workload: readonly string[]
  readonly endMs: number
}

function pointOf({ condition, seed, buffer, congestion, workload, endMs }: Setting): Point {
  return {
    condition,
    seed,
    scenario: parseScenario(`
name: latency-${condition.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}
seed: ${seed}
topology: ${NETWORK}
balance: {kind: ecmp, seed: random}
switch: {scheduler: dwrr, weights: [1, 1, 1, 3, 1, 1, 1, 1], buffer: {kind: shared-buffer, size: ${buffer}, alpha: 1/16}}
pfc: {classes: [${RDMA_CLASS}]}
congestion: ${congestion}
qp: {ackInterval: 256, retryLimit: off}
workload: [${workload.join(', ')}]
measure: {generate: ${endMs}ms, window: ${endMs}ms, end: stop, stop: ${endMs + ANSWER_MS}ms}
`),
  }
}

/** Steps: TCP's probes in a class of their own, and as a control in that of RDMA. */
export const STEPS: readonly string[] = CONTROLS.flatMap(({ name }) => BUFFERS.map((buffer) => loadedOf(name, buffer)))
export const SHARED_STEPS: readonly string[] = CONTROLS.map(({ name }) => sharedOf(name))

function sharedOf(control: string): string {
  return `${control}, TCP in RDMA's class`
}

function stepPoints(size: Size, seed: number): Point[] {
  const endMs = STEP_MS[size]
  const step = (condition: string, buffer: string, congestion: string, tcpClass: number): Point =>
    pointOf({
      condition,
      seed,
      buffer,
      congestion,
      workload: [
        LOAD.replace('}', `, start: ${endMs * LOAD_AT}ms}`),
        probeLines('rdma', RDMA_CLASS, true),
        probeLines('tcp', tcpClass, true),
      ],
      endMs,
    })
  const buffers = size === 'small' ? BUFFERS.slice(0, 1) : BUFFERS
  const controls = size === 'small' ? CONTROLS.slice(0, 1) : CONTROLS
  return controls.flatMap(({ name, congestion }) => [
    ...buffers.map((buffer) => step(loadedOf(name, buffer), buffer, congestion, TCP_CLASS)),
    step(sharedOf(name), BUFFERS[0], congestion, RDMA_CLASS),
  ])
}

/** Average traffic that a server receives: half by RDMA, half by TCP. */
export const SERVER_BPS = 0.35 * GBPS
export const SENDERS = 40
/** Bytes of each sender of a burst. */
export const BURST_KB = [10, 50, 200] as const
export const NO_BURSTS = 'no bursts'

interface Bursts {
  readonly condition: string
  readonly kb: number
  readonly congestion: string
  readonly hasHosts: boolean
}

function burstsOf(kb: number, congestion: 'dcqcn' | 'none', hasHosts: boolean): Bursts {
  const control = congestion === 'none' ? ', PFC alone' : ''
  return {
    condition: `bursts of ${SENDERS} x ${kb} KB${control}${hasHosts ? '' : ', network alone'}`,
    kb,
    congestion,
    hasHosts,
  }
}

const READINGS = [...BURST_KB.map((kb) => burstsOf(kb, 'dcqcn', true)), burstsOf(50, 'none', true)]
const NETWORK_ALONE = BURST_KB.map((kb) => burstsOf(kb, 'dcqcn', false))
const SMALL_READINGS = [...READINGS.slice(0, 3), NETWORK_ALONE[1]!]
/** Conditions with bursts and hosts; the same without the delays of hosts. */
export const BURSTS: readonly string[] = READINGS.map(({ condition }) => condition)
export const BURSTS_ALONE: readonly string[] = NETWORK_ALONE.map(({ condition }) => condition)

function incast(transport: Transport, kb: number, endMs: number): string {
  const intervalUs = (SENDERS * kb * KB * 8e6) / ((SERVER_BPS / 2) * SERVERS)
  const trafficClass = transport === 'tcp' ? TCP_CLASS : RDMA_CLASS
  // TCP's bursts are half an interval behind those of RDMA.
  const startUs = (transport === 'tcp' ? 0.5 : 0) * intervalUs
  const repetitions = Math.floor((endMs * 1000 - startUs) / intervalUs)
  return `{kind: incast, senders: ${SENDERS}, receiver: off, sizeEach: ${kb}KB, interval: ${Math.round(intervalUs)}us, start: ${Math.round(startUs)}us, repetitions: ${Math.max(1, repetitions)}, trafficClass: ${trafficClass}, tag: burst-${transport}, ${schemesOf(transport, false)}}`
}

function burstPoints(size: Size, seed: number): Point[] {
  const endMs = BURSTS_MS[size]
  const both = (hasHosts: boolean): string[] => [
    probeLines('rdma', RDMA_CLASS, hasHosts),
    probeLines('tcp', TCP_CLASS, hasHosts),
  ]
  const setting = { seed, buffer: BUFFERS[0], endMs }
  return [
    pointOf({ ...setting, condition: NO_BURSTS, congestion: 'dcqcn', workload: both(true) }),
    ...(size === 'small' ? SMALL_READINGS : [...READINGS, ...NETWORK_ALONE]).map(
      ({ condition, kb, congestion, hasHosts }) =>
        pointOf({
          ...setting,
          condition,
          congestion,
          workload: [incast('rdma', kb, endMs), incast('tcp', kb, endMs), ...both(hasHosts)],
        }),
    ),
  ]
}

export function latencyPoints(size: Size, seed: number): Point[] {
  return [...burstPoints(size, seed), ...stepPoints(size, seed)]
}

/** Shares of the probes whose times are kept; of steps, and of bursts, which have a figure of the whole distribution. */
export const STEP_SHARES = [0.5, 0.99, 0.999] as const
export const BURST_SHARES = [0.25, 0.5, 0.75, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995] as const

export type Phase = 'Idle' | 'Loaded' | 'All'

/** The measure of a quantile of a transport's probes in a phase. */
export const timeKey = (transport: Transport, phase: Phase, share: number): string =>
  `${transport}${phase}P${share * 100}Us`

/** The measure of a quantile of the probes of a slice of time. */
export const sliceKey = (transport: Transport, share: number, slice: number): string =>
  `${transport}P${share * 100}Slice${slice}Us`

/** Middles of the slices at full size, ms. */
export const stepTimesMs = (size: Size): number[] => middlesOf(STEP_MS[size], STEP_SLICES)
export const burstTimesMs = (size: Size): number[] => middlesOf(BURSTS_MS[size], BURST_SLICES)
export const loadFromMs = (size: Size): number => STEP_MS[size] * LOAD_AT

function middlesOf(endMs: number, slices: number): number[] {
  return Array.from({ length: slices }, (_, slice) => ((slice + 0.5) * endMs) / slices)
}

interface Probe {
  /** Part of the time in which probes are sent. */
  readonly at: number
  readonly us: number
}

export function latencyMeasures(result: Result, { condition, scenario }: Point): Measures {
  const isStep = STEPS.includes(condition) || SHARED_STEPS.includes(condition)
  const { counters } = result
  const endPs = scenario.measure.generate!
  const measures: Record<string, number> = {
    drops: sum(Object.values(counters.drops)),
    pauseFrames: counters.pauseFrames,
    ecnMarks: counters.ecnMarks,
    burstBps: burstBps(result, endPs),
  }
  for (const transport of TRANSPORTS) {
    const probes = probesOf(result, transport, endPs)
    measures[`${transport}Probes`] = probes.length
    measures[`${transport}TimedOut`] = probes.filter(({ us }) => us >= (TIMEOUT_MS * MS) / US).length
    const keep = (phase: Phase, shares: readonly number[], isIn: (probe: Probe) => boolean): void => {
      const times = timesOf(probes, isIn)
      for (const share of shares) measures[timeKey(transport, phase, share)] = quantile(times, share)
    }
    if (isStep) {
      keep('Idle', STEP_SHARES, ({ at }) => at < LOAD_AT - LEFT_OUT)
      keep('Loaded', STEP_SHARES, ({ at }) => at >= SETTLED_AT)
    } else keep('All', BURST_SHARES, () => true)
    const slices = isStep ? STEP_SLICES : BURST_SLICES
    for (let slice = 0; slice < slices; slice++) {
      const times = timesOf(probes, ({ at }) => Math.floor(at * slices) === slice)
      measures[sliceKey(transport, 0.99, slice)] = quantile(times, 0.99)
      if (transport === 'rdma') measures[sliceKey(transport, 0.999, slice)] = quantile(times, 0.999)
    }
  }
  return measures
}

function timesOf(probes: readonly Probe[], isIn: (probe: Probe) => boolean): number[] {
  return probes.filter(isIn).map(({ us }) => us)
}

/** Bytes of bursts that arrived, per server. */
function burstBps({ flows }: Result, endPs: number): number {
  const tag = textsOf(flows, 'tag')
  const receivedPs = numbersOf(flows, 'receivedPs')
  const sizes = numbersOf(flows, 'sizeBytes').filter((_, row) => tag[row]!.startsWith('burst-') && receivedPs[row]! > 0)
  return (sum(sizes) * 8e12) / endPs / SERVERS
}

/** Probes of a transport. One that is not answered counts with the time until the end of the run. */
function probesOf({ flows, simulatedPs }: Result, transport: Transport, endPs: number): Probe[] {
  const tag = textsOf(flows, 'tag')
  const [startPs, acknowledgedPs] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'acknowledgedPs')]
  return [...tag.keys()]
    .filter((row) => tag[row] === transport)
    .map((row) => {
      const untilPs = Number.isNaN(acknowledgedPs[row]!) ? simulatedPs : acknowledgedPs[row]!
      return { at: startPs[row]! / endPs, us: (untilPs - startPs[row]!) / US }
    })
}
