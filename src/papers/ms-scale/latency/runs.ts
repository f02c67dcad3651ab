/**
 * Runs of the experiment ms-scale-latency and their measures: probes of RDMA and TCP beside each other in the network of
 * two-tier.ts. RDMA has a lossless class and three quarters of each port, TCP a lossy one and the rest.
 * Every server sends probes of 512 bytes of both transports to servers drawn at random; a probe's time is from posting
 * to its ACK, with the delays of both hosts.
 * Steps, as in Figure 8: an idle network, in which 20 servers of each ToR begin to send to those of the other.
 * Bursts, as in Figure 6: many-to-one incasts of both transports, 350 Mb/s a server on average.
 * Units: times of probes in microseconds.
 * Source: [MS-Scale] section 5.4. Ours: the bursts, which it does not print, and all that two-tier.ts names.
 */
import { GBPS, KB, MS, US } from '../../../core/base/index.ts'
import { numbersOf, quantile, type Result, sum, textsOf } from '../../../core/results/index.ts'
import { pointsAt, product } from '../../core/grid.ts'
import { dropsOf, rowsWhere } from '../../core/measures.ts'
import type { Measures, Point, Size } from '../../core/plan.ts'
import { CONTROL_NAMES, loadText, NETWORK, SERVERS_PER_TOR } from '../two-tier.ts'

const TRANSPORTS = ['rdma', 'tcp'] as const
export type Transport = (typeof TRANSPORTS)[number]

/**
 * One packet's time between wire and application, up or down. A probe has five of them: its sender's way down, the
 * receiver's up and down, and twice the sender's for the ACK (docs/models/host-delay.md).
 * RDMA: the lognormal whose sum of five has the percentiles of the idle testbed, 50 us and 80 us at 99 and 99.9 %
 * (Figure 8), less 1 us of the network. TCP: ten times as long, by the 500 us of its 99th percentile there.
 */
const HOST_DELAYS = {
  rdma: '{kind: lognormal, median: 2.15us, p99: 19.6us}',
  tcp: '{kind: lognormal, median: 22us, p99: 200us}',
}

/** Classes: of RDMA, which is lossless, and of TCP. */
const CLASSES = { rdma: 3, tcp: 0 }

/** Time in which probes are sent. */
const STEP_MS: Readonly<Record<Size, number>> = { small: 8, full: 80 }
const BURSTS_MS: Readonly<Record<Size, number>> = { small: 10, full: 100 }
/** Shares of a step's time: the load begins, and DCQCN's rates have settled. */
const LOAD_AT = 3 / 8
const SETTLED_AT = 1 / 2
/** Slices of time of which percentiles are kept: 5 ms at full size. */
const SLICES = { step: 16, bursts: 20 }
/** Probes sent so shortly before the load, as a part of the time, that it may meet them. */
const LEFT_OUT = 1 / 80
const ANSWER_MS = 20
const TIMEOUT_MS = 5
const SERVERS = 2 * SERVERS_PER_TOR

/** Average traffic that a server receives: half by RDMA, half by TCP. */
export const SERVER_BPS = 0.35 * GBPS
export const SENDERS = 40

/** Steps: TCP's probes in a class of their own, and as a control in that of RDMA. */
export function stepsOf(size: Size) {
  const controls = size === 'small' ? (['none'] as const) : (['none', 'dcqcn'] as const)
  return controls.flatMap((control) => [
    ...product({
      traffic: ['step'],
      control: [control],
      tcpClass: ['own'],
      bufferMb: size === 'small' ? [9] : [9, 12],
    }),
    ...product({ traffic: ['step'], control: [control], tcpClass: ['rdma'], bufferMb: [9] }),
  ])
}

/** Bursts by the bytes of each sender, 0 for none, with the delays of hosts and without. */
export function burstsOf(size: Size) {
  const bursts = { traffic: ['bursts'], control: ['dcqcn'] } as const
  return [
    ...product({ ...bursts, hosts: ['on'], burstKb: [0, 10, 50, 200] }),
    ...product({ ...bursts, hosts: ['on'], burstKb: [50], control: size === 'small' ? [] : ['none'] }),
    ...product({ ...bursts, hosts: ['off'], burstKb: size === 'small' ? [50] : [10, 50, 200] }),
  ]
}

/** Keys of a workload that make it one of that transport. TCP's timeouts are those that operators of data centers set. */
function schemesOf(transport: Transport, hosts: string): string {
  const delay = hosts === 'on' ? `, hostDelay: ${HOST_DELAYS[transport]}` : ''
  return transport === 'rdma'
    ? `qp: {ackInterval: 256${delay}}, operation: send`
    : `qp: {ackInterval: 1${delay}}, recovery: {kind: tcp, rtoInitial: ${TIMEOUT_MS}ms, rtoMin: ${TIMEOUT_MS}ms, delayedAck: off}, congestion: newreno, operation: send`
}

/** One probe per server and transport in some 50 us: 0.2 % of its link. Each of TCP has a connection of its own. */
const probeText = (transport: Transport, trafficClass: number, hosts: string): string =>
  `{kind: poisson, load: 0.002, sizes: {kind: fixed, size: 512B}, trafficClass: ${trafficClass}, tag: ${transport}, ${schemesOf(transport, hosts)}}`

/** Bursts of TCP are half an interval behind those of RDMA. */
function incastText(transport: Transport, kb: number, endMs: number): string {
  const intervalUs = (SENDERS * kb * KB * 8e6) / ((SERVER_BPS / 2) * SERVERS)
  const startUs = (transport === 'tcp' ? 0.5 : 0) * intervalUs
  const repetitions = Math.max(1, Math.floor((endMs * 1000 - startUs) / intervalUs))
  return `{kind: incast, senders: ${SENDERS}, receiver: off, sizeEach: ${kb}KB, interval: ${Math.round(intervalUs)}us, start: ${Math.round(startUs)}us, repetitions: ${repetitions}, trafficClass: ${CLASSES[transport]}, tag: burst-${transport}, ${schemesOf(transport, 'off')}}`
}

const scenarioText = (name: string, control: string, bufferMb: number, endMs: number, workload: string[]): string => `
name: latency-${name}
topology: ${NETWORK}
balance: {kind: ecmp, seed: random}
switch: {scheduler: dwrr, weights: [1, 1, 1, 3, 1, 1, 1, 1], buffer: {kind: shared-buffer, size: ${bufferMb}MB, alpha: 1/16}}
pfc: {classes: [${CLASSES.rdma}]}
congestion: ${control}
qp: {ackInterval: 256, retryLimit: off}
workload: [${workload.join(', ')}]
measure: {generate: ${endMs}ms, window: ${endMs}ms, end: stop, stop: ${endMs + ANSWER_MS}ms}
`

export function latencyPoints(size: Size, seed: number): Point[] {
  const bursts = pointsAt(burstsOf(size), seed, ({ control, hosts, burstKb }) => {
    const endMs = BURSTS_MS[size]
    const name = burstKb === 0 ? 'no-bursts' : `bursts-of-${SENDERS}-x-${burstKb}-kb`
    const alone = `${control === 'none' ? '-pfc-alone' : ''}${hosts === 'off' ? '-network-alone' : ''}`
    const workload = [
      ...(burstKb === 0 ? [] : TRANSPORTS.map((transport) => incastText(transport, burstKb, endMs))),
      ...TRANSPORTS.map((transport) => probeText(transport, CLASSES[transport], hosts)),
    ]
    return scenarioText(`${name}${alone}`, control, 9, endMs, workload)
  })
  const steps = pointsAt(stepsOf(size), seed, ({ control, tcpClass, bufferMb }) => {
    const endMs = STEP_MS[size]
    const name = `${CONTROL_NAMES[control]}-${tcpClass === 'own' ? `${bufferMb}mb` : 'tcp-in-rdma-s-class'}`
    const workload = [
      loadText(endMs * LOAD_AT),
      probeText('rdma', CLASSES.rdma, 'on'),
      probeText('tcp', tcpClass === 'own' ? CLASSES.tcp : CLASSES.rdma, 'on'),
    ]
    return scenarioText(name, control, bufferMb, endMs, workload)
  })
  return [...bursts, ...steps]
}

/** Middles of the slices, ms. */
export function timesMs(traffic: keyof typeof SLICES, size: Size): number[] {
  const [slices, endMs] = [SLICES[traffic], (traffic === 'step' ? STEP_MS : BURSTS_MS)[size]]
  return Array.from({ length: slices }, (_, slice) => ((slice + 0.5) * endMs) / slices)
}
export const loadFromMs = (size: Size): number => STEP_MS[size] * LOAD_AT

export function latencyMeasures(result: Result, { at: { traffic }, scenario }: Point): Measures {
  const endPs = scenario.measure.generate!
  const slices = traffic === 'step' ? SLICES.step : SLICES.bursts
  const measures: Record<string, number> = {
    drops: dropsOf(result),
    pauseFrames: result.counters.pauseFrames,
    burstBps: burstBps(result, endPs),
  }
  for (const transport of TRANSPORTS) {
    const probes = probesOf(result, transport, endPs)
    if (transport === 'tcp') measures['tcpTimedOut'] = probes.filter(({ us }) => us >= (TIMEOUT_MS * MS) / US).length
    const keep = (part: string, shares: readonly number[], isIn: (at: number) => boolean, after = ''): void => {
      const times = probes.filter(({ at }) => isIn(at)).map(({ us }) => us)
      for (const share of shares) measures[`${transport}${part}P${share * 100}${after}Us`] = quantile(times, share)
    }
    const phases: readonly (readonly [string, (at: number) => boolean])[] =
      traffic === 'step'
        ? [
            ['Idle', (at) => at < LOAD_AT - LEFT_OUT],
            ['Loaded', (at) => at >= SETTLED_AT],
          ]
        : [['All', () => true]]
    for (const [phase, isIn] of phases) keep(phase, [0.5, 0.99, 0.999], isIn)
    for (let slice = 0; slice < slices; slice++) {
      const shares = transport === 'rdma' ? [0.99, 0.999] : [0.99]
      keep('', shares, (at) => Math.floor(at * slices) === slice, `Slice${slice}`)
    }
  }
  return measures
}

/** Bytes of bursts that arrived, per server. */
function burstBps({ flows }: Result, endPs: number): number {
  const tag = textsOf(flows, 'tag')
  const [receivedPs, sizeBytes] = [numbersOf(flows, 'receivedPs'), numbersOf(flows, 'sizeBytes')]
  const tags = TRANSPORTS.map((transport) => `burst-${transport}`)
  const rows = rowsWhere(flows, (row) => tags.includes(tag[row]!) && receivedPs[row]! > 0)
  return (sum(rows.map((row) => sizeBytes[row]!)) * 8e12) / endPs / SERVERS
}

/** When each probe of a transport was sent, as a part of the time, and how long it took: to the end, if unanswered. */
function probesOf({ flows, simulatedPs }: Result, transport: Transport, endPs: number) {
  const tag = textsOf(flows, 'tag')
  const [startPs, acknowledgedPs] = [numbersOf(flows, 'startPs'), numbersOf(flows, 'acknowledgedPs')]
  return rowsWhere(flows, (row) => tag[row] === transport).map((row) => {
    const untilPs = Number.isNaN(acknowledgedPs[row]!) ? simulatedPs : acknowledgedPs[row]!
    return { at: startPs[row]! / endPs, us: (untilPs - startPs[row]!) / US }
  })
}
