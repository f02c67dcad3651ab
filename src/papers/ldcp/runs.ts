/**
 * Runs of the LDCP experiment. The draft has no evaluation, so networks and traffic are ours: 40 Gb/s and a round trip of
 * 24 us throughout. Eight families:
 *   long     long flows to one receiver through one switch
 *   churn    long flows, and short flows that arrive at random from 16 more hosts, with 20 % of the receiver's link
 *   step     one long flow, and four more at once 4 ms later
 *   incast   hosts that send 64 KB each to one at the same moment, four times
 *   many     hundreds and thousands of long flows that start with four packets
 *   cluster  16 hosts in a fat tree, heavy-tailed flows from all to all
 *   idle     messages of up to a BDP, one after the other, alone in the network
 *   clock    few long flows to one receiver, with an ACK for each packet or for several
 * Random flows are drawn here from named streams and written into the scenario as a trace.
 * LDCP and the controls it is compared with: switch, queue pairs and congestion control of each, as lines of a scenario.
 * Without PFC a port holds 1 MB and drops all further packets (the draft's buf_max), and the timeout is 320 us. With PFC
 * buffers are large enough for all headrooms, and nothing is lost.
 * The draft gives no marking thresholds. Ours: 20 KB, 60 KB, 10 %, and early drop at 60 KB; DCQCN has its paper's 5 KB,
 * 200 KB, 1 %. TIMELY and DCQCN have the parameters of their papers.
 */
import { createRandomStreams, MS, NS, type RandomStream, SECOND } from '../../core/base/index.ts'
import { pointsAt, product } from '../core/grid.ts'
import type { Measures, Point, Size } from '../core/plan.ts'

/** Payload bytes that fill 40 Gb/s during the round trip of 24 us. */
export const BDP_BYTES = 110 * 1024
/** Our values for the draft's K_min and K_max. */
export const KMIN_BYTES = 20_000
export const KMAX_BYTES = 60_000

const LOSSY_BUFFER = '{kind: shared-buffer, size: 4GB, reserve: 0B, alpha: 1, egressReserve: 1MB, egressAlpha: 0}'
const MARKS = 'ecn: {kmin: 20KB, kmax: 60KB, pmax: 0.1}'

/** A window-based control on a lossy network. All packets are ECN-capable except those that LDCP wants dropped early. */
function windowed(congestion: string, threshold = '60KB', coalescing = 1): (w: Wish) => string {
  return ({ initialWindow }) => {
    const first = initialWindow === undefined ? '' : `, initialWindow: ${initialWindow}`
    const wred = congestion.startsWith('ldcp') ? `, wred: {classes: [3], threshold: ${threshold}}` : ''
    const echo = congestion.startsWith('aimd') ? 'cnp' : 'ack'
    const coalesced = coalescing === 1 ? '' : `, ackCoalescing: ${coalescing}`
    return `
pfc: {classes: []}
switch: {buffer: ${LOSSY_BUFFER}, ${MARKS}${wred}}
qp: {ecnEcho: ${echo}, ackTimeout: 320us, retryLimit: off${coalesced}}
congestion: {kind: ${congestion}${first}}`
  }
}

/** A rate-based control on a lossy network: every packet is acknowledged, and there is a timeout. */
function lossy(congestion: string, marks = ''): (w: Wish) => string {
  return () => `
pfc: {classes: []}
switch: {buffer: ${LOSSY_BUFFER}${marks}}
qp: {ackTimeout: 320us, retryLimit: off}
congestion: ${congestion}`
}

/** A rate-based control with PFC: an ACK for 16 packets, no timeout. */
function lossless(congestion: string, marks = ''): (w: Wish) => string {
  return ({ bufferMb }) => `
pfc: {classes: [3]}
switch: {buffer: {kind: shared-buffer, size: ${bufferMb}MB}${marks}}
qp: {ackInterval: 16, retryLimit: off}
congestion: ${congestion}`
}

/** Parameters that differ between families of runs. */
interface Wish {
  /** Buffer of a switch with PFC. */
  readonly bufferMb: number
  /** Packets; the control's default unless given. */
  readonly initialWindow?: number
}

const CONTROLS = {
  LDCP: windowed('ldcp'),
  'LDCP, capable start': windowed('ldcp, incapableStart: false'),
  'LDCP, no early drop': windowed('ldcp', '1GB'),
  'LDCP, last incapable': windowed('ldcp, lastCapable: false'),
  'LDCP, gamma 1/16': windowed('ldcp, minWindow: 0.0625'),
  'LDCP, window of 1 at least': windowed('ldcp, minWindow: 1'),
  'LDCP, an ACK for 2': windowed('ldcp', '60KB', 2),
  'LDCP, an ACK for 4': windowed('ldcp', '60KB', 4),
  'LDCP, an ACK for 8': windowed('ldcp', '60KB', 8),
  'LDCP, an ACK for 16': windowed('ldcp', '60KB', 16),
  'LDCP-PCC': lossy('ldcp-pcc', `, ${MARKS}`),
  'LDCP-PCC with PFC': lossless('ldcp-pcc', `, ${MARKS}`),
  DCTCP: windowed('dctcp'),
  'DCTCP, slow start': windowed('dctcp, slowStart: true, initialWindow: 10'),
  // The first mark of a round trip halves the window, whatever the share of marks (RFC 3168).
  'ECN-TCP': windowed('dctcp, g: 0, cutOnFirstEce: true'),
  TCP: windowed('aimd'),
  'DCQCN with PFC': lossless('dcqcn'),
  'DCQCN without PFC': lossy('dcqcn'),
  'TIMELY with PFC': lossless('timely'),
  'TIMELY without PFC': lossy('timely'),
} as const

export type Control = keyof typeof CONTROLS

export type Family = 'long' | 'churn' | 'step' | 'incast' | 'many' | 'cluster' | 'idle' | 'clock'

/** The runs of a family: one for each scale and control. */
interface Grid {
  readonly scales: readonly number[]
  readonly controls: readonly Control[]
  readonly warmUpMs: number
  readonly stopMs: number
}

const RATES: readonly Control[] = ['LDCP-PCC', 'LDCP-PCC with PFC', 'DCQCN with PFC', 'TIMELY with PFC']
const LOSSY_RATES: readonly Control[] = ['DCQCN without PFC', 'TIMELY without PFC']
const SMALL: readonly Control[] = ['LDCP', 'DCTCP', 'DCQCN with PFC', 'TIMELY with PFC']

export const GRIDS: Readonly<Record<Size, Readonly<Record<Family, Grid>>>> = {
  small: {
    long: { scales: [8, 32], controls: SMALL, warmUpMs: 4, stopMs: 8 },
    churn: { scales: [8, 32], controls: [...SMALL, 'LDCP, capable start'], warmUpMs: 4, stopMs: 8 },
    step: { scales: [], controls: [], warmUpMs: 0, stopMs: 0 },
    incast: { scales: [64], controls: [...SMALL, 'LDCP, last incapable'], warmUpMs: 0, stopMs: 40 },
    many: { scales: [1000], controls: ['LDCP', 'DCTCP'], warmUpMs: 4, stopMs: 8 },
    cluster: { scales: [], controls: [], warmUpMs: 0, stopMs: 0 },
    idle: { scales: [1], controls: ['LDCP', 'DCTCP, slow start'], warmUpMs: 0, stopMs: 20 },
    clock: { scales: [2], controls: ['LDCP', 'LDCP, an ACK for 8'], warmUpMs: 2, stopMs: 3 },
  },
  full: {
    long: {
      scales: [2, 8, 32, 128],
      controls: ['LDCP', 'DCTCP', 'ECN-TCP', ...RATES],
      warmUpMs: 10,
      stopMs: 40,
    },
    churn: {
      scales: [2, 8, 32, 128],
      controls: ['LDCP', 'LDCP, capable start', 'DCTCP', ...RATES],
      warmUpMs: 10,
      stopMs: 40,
    },
    step: { scales: [4], controls: ['LDCP', 'LDCP, capable start', 'DCTCP'], warmUpMs: 3, stopMs: 8 },
    incast: {
      scales: [32, 128, 256],
      controls: [
        'LDCP',
        'LDCP, no early drop',
        'LDCP, last incapable',
        ...RATES,
        'DCTCP',
        'DCTCP, slow start',
        ...LOSSY_RATES,
      ],
      warmUpMs: 0,
      stopMs: 100,
    },
    many: {
      scales: [64, 256, 512, 1000, 1400, 2000],
      controls: ['LDCP', 'LDCP, gamma 1/16', 'LDCP, window of 1 at least', 'DCTCP', 'TCP'],
      warmUpMs: 10,
      stopMs: 30,
    },
    cluster: { scales: [50, 70, 80], controls: ['LDCP', ...RATES, ...LOSSY_RATES], warmUpMs: 2, stopMs: 60 },
    idle: { scales: [1], controls: ['LDCP', 'LDCP-PCC', 'DCTCP, slow start'], warmUpMs: 0, stopMs: 20 },
    // With more flows a window would have fewer than 16 packets.
    clock: {
      scales: [2, 4, 8],
      controls: ['LDCP', 'LDCP, an ACK for 2', 'LDCP, an ACK for 4', 'LDCP, an ACK for 8', 'LDCP, an ACK for 16'],
      warmUpMs: 10,
      stopMs: 20,
    },
  },
}

/** Duration of the cluster's arrivals; flows left then have until the grid's stop. */
const GENERATE_MS = 12
/** Hosts of the short flows, and their load on the receiver's link. */
const CHURN_HOSTS = 16
const CHURN_LOAD = 0.2
const SHORT_BYTES = [2000, 8000, 32_000, 64_000] as const
const LINE_BPS = 40e9
export const STEP_PS = 4 * MS

export interface LdcpAt {
  readonly [axis: string]: string | number
  readonly family: Family
  /** Long flows, senders of an incast, or percent of load in the cluster. */
  readonly flows: number
  readonly control: Control
}

/** The points of a family, in order. */
export const atsOf = (size: Size, family: Family): LdcpAt[] =>
  product({ family: [family], flows: GRIDS[size][family].scales, control: GRIDS[size][family].controls })

const FAMILIES = Object.keys(GRIDS.full) as Family[]

export function ldcpPoints(size: Size, seed: number): Point<LdcpAt>[] {
  return FAMILIES.flatMap((family) =>
    pointsAt(atsOf(size, family), seed, ({ flows, control }) =>
      scenarioText({ family, scale: flows, control, seed, grid: GRIDS[size][family] }),
    ),
  )
}

/** Controls by the number of packets that an ACK may cover. */
export const COALESCED: readonly { readonly packets: number; readonly control: Control }[] = [
  { packets: 1, control: 'LDCP' },
  { packets: 2, control: 'LDCP, an ACK for 2' },
  { packets: 4, control: 'LDCP, an ACK for 4' },
  { packets: 8, control: 'LDCP, an ACK for 8' },
  { packets: 16, control: 'LDCP, an ACK for 16' },
]

/** Share of the packets sent that were dropped at a full buffer, which excludes early drops of fast starts. */
export const fullShare = (m: Measures): number => (m['fullDrops'] ?? NaN) / (m['dataPackets'] ?? NaN)

interface Run {
  readonly family: Family
  readonly scale: number
  readonly control: Control
  readonly seed: number
  readonly grid: Grid
}

function scenarioText(run: Run): string {
  const { family, scale, control, seed, grid } = run
  const random = createRandomStreams(seed).stream(`ldcp/${family}/${scale}`)
  const { topology, receiver, hosts } = networkOf(family, scale)
  // Headroom of a port is some 65 KB on links with a delay of 6 us.
  const bufferMb = family === 'cluster' ? 4 : 16 + Math.ceil(hosts * 0.08)
  const wish = family === 'many' ? { bufferMb, initialWindow: 4 } : { bufferMb }
  return `
name: ldcp-${`${family}-${scale}-${control}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}
topology: ${topology}
${CONTROLS[control](wish)}
workload: ${workloadOf(run, random)}
measure: {warmUp: ${grid.warmUpMs}ms, stop: ${grid.stopMs}ms, ${family === 'cluster' ? `generate: ${GENERATE_MS}ms, window: ${GENERATE_MS - grid.warmUpMs}ms, ` : ''}end: ${family === 'incast' || family === 'cluster' || family === 'idle' ? 'drain' : 'stop'}}
observe: ${observersOf(run, receiver)}
`
}

function networkOf(family: Family, scale: number): { topology: string; receiver: string; hosts: number } {
  if (family === 'cluster') {
    return { topology: '{kind: fat-tree, arity: 4, linkRate: 40Gbps, linkDelay: 2us}', receiver: 'busiest', hosts: 16 }
  }
  const hosts = 1 + (family === 'step' ? 1 + scale : scale) + (family === 'churn' ? CHURN_HOSTS : 0)
  // Two links each way, with a packet's transmission on each: 24.9 us with the ACK. The receiver is host 0 on port 0.
  return {
    topology: `{kind: star, hosts: ${hosts}, linkRate: 40Gbps, linkDelay: 6us}`,
    receiver: `"${hosts}:1"`,
    hosts,
  }
}

function workloadOf({ family, scale, grid }: Run, random: RandomStream): string {
  if (family === 'incast') {
    return `[{kind: incast, senders: ${scale}, receiver: 0, sizeEach: 64KB, repetitions: 4, start: 1us}]`
  }
  if (family === 'cluster') return `[{kind: poisson, load: ${scale / 100}, sizes: heavy-tailed}]`
  return `[{kind: trace, flows: ${JSON.stringify(flowsOf(family, scale, grid, random))}}]`
}

function flowsOf(family: Family, scale: number, grid: Grid, random: RandomStream): string[] {
  if (family === 'churn') return [...longFlows(scale, random), ...shortFlows(scale, grid.stopMs * MS, random)]
  if (family === 'step') {
    const more = (_: unknown, i: number) => `${2 + i} 0 1GB ${STEP_PS / NS + random.below(1000)}ns tag=new`
    return ['1 0 1GB 0us tag=long', ...Array.from({ length: scale }, more)]
  }
  if (family !== 'idle') return longFlows(scale, random)
  // Far apart; the last one has the size of a first window.
  const sizes = [1000, 4000, 16_000, 64_000, BDP_BYTES]
  return sizes.map((bytes, i) => `1 0 ${bytes}B ${(i * MS) / NS + random.below(100_000)}ns tag=short`)
}

/** Long flows that do not end and start within a round trip. */
function longFlows(count: number, random: RandomStream): string[] {
  return Array.from({ length: count }, (_, i) => `${1 + i} 0 1GB ${random.below(24_000)}ns tag=long`)
}

/** A Poisson process of short flows over the hosts that follow those of the long flows. */
function shortFlows(longCount: number, untilPs: number, random: RandomStream): string[] {
  const meanBytes = SHORT_BYTES.reduce((total, bytes) => total + bytes, 0) / SHORT_BYTES.length
  const meanGapPs = (meanBytes * 8 * SECOND) / (CHURN_LOAD * LINE_BPS)
  const flows: string[] = []
  for (let timePs = random.exponential(meanGapPs); timePs < untilPs; timePs += random.exponential(meanGapPs)) {
    const host = 1 + longCount + random.below(CHURN_HOSTS)
    flows.push(`${host} 0 ${SHORT_BYTES[random.below(SHORT_BYTES.length)]}B ${Math.floor(timePs / NS)}ns tag=short`)
  }
  return flows
}

function observersOf({ family, scale, grid }: Run, receiver: string): string {
  if (family === 'cluster' || family === 'idle') return '[]'
  const queue = `{kind: queue-depth, ports: ${receiver}, interval: 1us}`
  if (family === 'incast') return `[${queue}]`
  if (family === 'clock') return `[${queue}, ${clockObservers(receiver, grid)}]`
  const use = `{kind: link-use, ports: ${receiver}, interval: 1ms}, {kind: goodput, interval: 1ms}`
  const every = family === 'step' ? '1us' : family === 'many' ? '1ms' : '20us'
  const windows = scale > 64 && family !== 'many' ? '' : `, {kind: rates, interval: ${every}}`
  const drops = family === 'many' ? ', {kind: drops, maxRows: 1000000}' : ''
  return `[${queue}, ${use}${windows}${drops}]`
}

/** Shorter than the 221 ns of a packet at line rate, so that no sample has two packets of a flow. */
const GAP_SAMPLE_NS = 100

/** Records the arrivals of one flow, and the ACKs that the receiver sends. */
function clockObservers(receiver: string, { stopMs }: Grid): string {
  const rows = 1 + (stopMs * MS) / (GAP_SAMPLE_NS * NS)
  return (
    `{kind: link-use, ports: ${receiver}, interval: 1ms}, {kind: link-use, table: acks, ports: "0:1", interval: 1ms}, ` +
    `{kind: pair-goodput, pairs: "1>0", interval: ${GAP_SAMPLE_NS}ns, maxRows: ${rows}}`
  )
}
