/**
 * The survey's examples that need a network: two effects of PFC (Figures 5 and 6), marks above a threshold (Figure 8(a)),
 * and the schemes of Tables I to III in an incast and with short flows on idle paths.
 * Source: [Survey] III-A2, IV-B, VI. Values that it leaves open are ours; the experiment's remarks list them.
 */
import { GBPS, US } from '../../core/base/index.ts'
import { numbersOf, type Result, sum, tableOfKind, textsOf } from '../../core/results/index.ts'
import { pointsAt } from '../core/grid.ts'
import { dropsOf } from '../core/measures.ts'
import type { Measures, Point, Size } from '../core/plan.ts'

/* Figures 5 and 6. */

export const FIGURE_5 = {
  shared: { example: 'fig5', ingress: 'shared' },
  apart: { example: 'fig5', ingress: 'apart' },
} as const
export const FIGURE_6 = { pfc: { example: 'fig6', pfc: 'on' }, free: { example: 'fig6', pfc: 'off' } } as const

const STOP_MS: Readonly<Record<Size, number>> = { small: 2, full: 20 }
const windowText = (size: Size): string => `measure: {warmUp: ${STOP_MS[size] / 4}ms, stop: ${STOP_MS[size]}ms}`
/** Persistent flows, each as messages with its own tag. */
const persistent = (ends: string, tag: string): string =>
  `{kind: closed-loop, pairs: ["${ends}"], messageSize: 100KB, outstanding: 4, tag: ${tag}}`

/** Hosts 0, 1 and 2 send to 3; f2 and f3 come from one host or from two. */
function figure5Points(size: Size, seed: number): Point[] {
  const third = { shared: '1 3', apart: '2 3' }
  const names = { shared: 'f2-and-f3-share-an-ingress', apart: 'an-ingress-each' }
  return pointsAt(Object.values(FIGURE_5), seed, ({ ingress }) => {
    return `
name: figure-5-${names[ingress]}
topology: {kind: star, hosts: 4, linkRate: 40Gbps, linkDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
workload:
  - ${persistent('0 3', 'f1')}
  - ${persistent('1 3', 'f2')}
  - ${persistent(third[ingress], 'f3')}
${windowText(size)}
`
  })
}

type Pfc = 'on' | 'off'
const PFC = {
  on: { name: 'pfc', classes: '[3]', ackTimeout: 'off' },
  off: { name: 'no-pfc', classes: '[]', ackTimeout: '320us' },
}

/**
 * Host 0 sends f1 to host 1 and f2 to host 2, both over switch 3. Its egress 1 leads to switch 4, whose link to host 1 is
 * slower, so that switch 4 sends pauses.
 */
function figure6Points(size: Size, seed: number): Point[] {
  return pointsAt(Object.values(FIGURE_6), seed, ({ pfc }) => {
    return `
name: figure-6-${PFC[pfc].name}
topology:
  kind: graph
  nodes: 5
  switches: [3, 4]
  links: ["0 3 40Gbps 1us", "2 3 40Gbps 1us", "3 4 40Gbps 1us", "4 1 10Gbps 1us"]
pfc: {classes: ${PFC[pfc].classes}}
qp: {ackTimeout: ${PFC[pfc].ackTimeout}, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 2MB}}
workload:
  - ${persistent('0 1', 'f1')}
  - ${persistent('0 2', 'f2')}
${windowText(size)}
`
  })
}

/* Figure 8(a). */

/** Packets in the order of arrival at the switch: digits are from sender S1, letters from sender S2. */
export const ARRIVALS = '123a4b5c'
/** Packets sent in each run, and those of S1. A run extends the previous one, which shows the packets that are marked. */
const OF_S1 = { 4: 3, 6: 4, 8: 5 }
export const FIGURE_8A = ([4, 6, 8] as const).map((packets) => ({ example: 'fig8a', packets }) as const)
/** Packets in the queue when the next one exceeds the threshold. */
const THRESHOLD_PACKETS = 3

/** The egress link is so slow that the queue only grows, apart from the first packet, which leaves it at once. */
function figure8Points(seed: number): Point[] {
  const threshold = `${THRESHOLD_PACKETS * 1086}B`
  return pointsAt(FIGURE_8A, seed, ({ packets }) => {
    return `
name: figure-8-a-the-first-${packets}-packets
topology: {kind: dumbbell, leftHosts: 2, rightHosts: 1, hostRate: 40Gbps, bottleneckRate: 100Mbps, hostDelay: 1us, bottleneckDelay: 1us}
congestion: dctcp
qp: {ecnEcho: ack}
switch: {buffer: {kind: shared-buffer, size: 2MB}, ecn: {kmin: ${threshold}, kmax: ${threshold}, pmax: 1}}
workload: [{kind: trace, flows: ["0 2 ${OF_S1[packets]}KiB 0us tag=S1", "1 2 ${packets - OF_S1[packets]}KiB 0.552us tag=S2"]}]
`
  })
}

/* Tables I to III. */

/** Schemes of the tables, in their order. */
export const SCHEMES = ['roce', 'iwarp', 'dctcp', 'timely', 'dcqcn', 'mp-rdma', 'irn'] as const
export type Scheme = (typeof SCHEMES)[number]

interface SchemeLines {
  readonly recovery: string
  readonly congestion: string
  readonly echo: 'cnp' | 'ack'
  /** ECN thresholds. */
  readonly ecn: string
  /** Whether the scheme depends on PFC by Table III. */
  readonly pfc: Pfc
}

const PLAIN: SchemeLines = { recovery: 'go-back-n', congestion: 'none', echo: 'cnp', ecn: '{}', pfc: 'on' }
const DCTCP: SchemeLines = {
  ...PLAIN,
  congestion: 'dctcp',
  echo: 'ack',
  ecn: '{kmin: 70KB, kmax: 70KB, pmax: 1}',
  pfc: 'off',
}
/** DCTCP starts as in the survey with TCP's slow start (RFC 6928: ten packets), and has its marking step of 65 packets. */
export const LINES: Readonly<Record<Scheme | 'dctcp-full-window', SchemeLines>> = {
  roce: PLAIN,
  iwarp: { ...PLAIN, recovery: 'iwarp', pfc: 'off' },
  dctcp: { ...DCTCP, congestion: '{kind: dctcp, slowStart: true, initialWindow: 10}' },
  'dctcp-full-window': DCTCP,
  timely: { ...PLAIN, congestion: 'timely' },
  dcqcn: { ...PLAIN, congestion: 'dcqcn' },
  'mp-rdma': {
    ...PLAIN,
    recovery: 'mp-rdma',
    congestion: 'mp-rdma',
    echo: 'ack',
    ecn: '{kmin: 20KB, kmax: 20KB, pmax: 1}',
  },
  irn: { ...PLAIN, recovery: 'irn', pfc: 'off' },
}

/** Eight hosts on one switch, set up for a scheme, with a workload and perhaps tables to observe. */
export function schemeText(scheme: keyof typeof LINES, pfc: Pfc, workload: string, observe = ''): string {
  const { recovery, congestion, echo, ecn } = LINES[scheme]
  const { classes, ackTimeout } = PFC[pfc]
  return `topology: {kind: star, hosts: 8, linkRate: 40Gbps, linkDelay: 2us}
recovery: ${recovery}
congestion: ${congestion}
pfc: {classes: ${classes}}
switch: {buffer: {kind: input-queued, portBuffer: 240KB, xoff: 216KB}, ecn: ${ecn}}
qp: {ackInterval: 1, ackTimeout: ${ackTimeout}, retryLimit: off, ecnEcho: ${echo}}
workload: [${workload}]
observe: [${observe}]
`
}

export const incastAt = (scheme: Scheme, pfc: Pfc) => ({ example: 'incast', scheme, pfc }) as const
export const shortAt = (scheme: Scheme) => ({ example: 'short-flows', scheme, pfc: LINES[scheme].pfc }) as const

/** One BDP of the short flows' path is 42 KB: 40 Gb/s, four links of 2 us and the transmission of a packet. */
const WORKLOADS = {
  incast: '{kind: incast, senders: 7, receiver: 7, sizeEach: 1MB}',
  'short-flows': '{kind: trace, flows: ["0 1 42KB 0us tag=bdp", "2 3 100KB 0us tag=short"]}',
}

function schemePoints(seed: number): Point[] {
  const ats = SCHEMES.flatMap((scheme) => [incastAt(scheme, 'on'), incastAt(scheme, 'off'), shortAt(scheme)])
  return pointsAt(ats, seed, ({ example, scheme, pfc }) => {
    const name = example === 'incast' ? `${scheme}-incast-${PFC[pfc].name}` : `${scheme}-short-flows`
    const rest = schemeText(scheme, pfc, WORKLOADS[example], '{kind: rates, interval: 10us}')
    return `name: ${name}\n${rest}`
  })
}

export function examplePoints(size: Size, seed: number): Point[] {
  return [...figure5Points(size, seed), ...figure6Points(size, seed), ...figure8Points(seed), ...schemePoints(seed)]
}

/** Counters of the run, payload received per tag in the measured time, and the slowdown of each tag's first flow. */
export function exampleMeasures(result: Result): Measures {
  const { counters, flows, windowFromPs, windowToPs } = result
  const received = numbersOf(flows, 'receivedPs')
  const starts = numbersOf(flows, 'startPs')
  const ideals = numbersOf(flows, 'idealPs')
  const sizes = numbersOf(flows, 'sizeBytes')
  const tags = textsOf(flows, 'tag')
  const rates = tableOfKind(result, 'rates')
  const finished = received.filter((ps) => !Number.isNaN(ps))
  const measures: Record<string, number> = {
    pauses: counters.pauseFrames,
    resumes: counters.resumeFrames,
    marks: counters.ecnMarks,
    cnps: counters.cnps,
    drops: dropsOf(result),
    finished: finished.length,
    goodputBps: (counters.payloadBytesDelivered * 8e12) / Math.max(0, ...finished),
    slowestRateBps: Math.min(Infinity, ...(rates === undefined ? [] : numbersOf(rates, 'rateBps'))),
  }
  for (const tag of new Set(tags)) {
    const first = tags.indexOf(tag)
    const inWindow = sizes.filter(
      (_, row) => tags[row] === tag && received[row]! > windowFromPs && received[row]! <= windowToPs,
    )
    measures[`${tag} Bps`] = (sum(inWindow) * 8e12) / (windowToPs - windowFromPs)
    measures[`${tag} slowdown`] = (received[first]! - starts[first]!) / ideals[first]!
    measures[`${tag} us`] = (received[first]! - starts[first]!) / US
  }
  return measures
}

export const LINE_BPS = 40 * GBPS
