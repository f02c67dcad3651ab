/**
 * The survey's examples that need a network: two effects of PFC (Figures 5 and 6), marks above a threshold (Figure 8(a)),
 * and the schemes of Tables I to III in an incast and with short flows on an idle path.
 * A further scheme for the tables is an entry of SCHEMES.
 * Source: [Survey] III-A2, IV-B, VI. Values that its figures leave open are ours; the experiment's remarks list them.
 */
import { GBPS, KB, MB, US } from '../../base/index.ts'
import { numbersOf, type Result, sum, textsOf } from '../../results/index.ts'
import { parseScenario } from '../../scenario/index.ts'
import type { Measures, Point, Size } from '../core/old/plan.ts'

/* Figures 5 and 6. */

export const FIGURE_5 = { shared: 'Figure 5: f2 and f3 share an ingress', apart: 'Figure 5: an ingress each' } as const
export const FIGURE_6 = { pfc: 'Figure 6: PFC', free: 'Figure 6: no PFC' } as const
const STOP_MS: Readonly<Record<Size, number>> = { small: 2, full: 20 }
/** Persistent flows, each as messages with its own tag. */
const persistent = (ends: string, tag: string): string =>
  `{kind: closed-loop, pairs: ["${ends}"], messageSize: 100KB, outstanding: 4, tag: ${tag}}`

/** Hosts 0, 1 and 2 send to 3; f2 and f3 come from one host or from two. */
function figure5Text(isShared: boolean): string {
  return `
topology: {kind: star, hosts: 4, linkRate: 40Gbps, linkDelay: 1us}
switch: {buffer: {kind: shared-buffer, size: 9MB}}
workload:
  - ${persistent('0 3', 'f1')}
  - ${persistent('1 3', 'f2')}
  - ${persistent(isShared ? '1 3' : '2 3', 'f3')}`
}

/**
 * Host 0 sends f1 to host 1 and f2 to host 2, both over switch 3. Its egress 1 leads to switch 4, whose link to host 1 is
 * slower, so that switch 4 sends pauses.
 */
function figure6Text(isPfc: boolean): string {
  return `
topology:
  kind: graph
  nodes: 5
  switches: [3, 4]
  links: ["0 3 40Gbps 1us", "2 3 40Gbps 1us", "3 4 40Gbps 1us", "4 1 10Gbps 1us"]
pfc: {classes: ${isPfc ? '[3]' : '[]'}}
qp: {ackTimeout: ${isPfc ? 'off' : '320us'}, retryLimit: off}
switch: {buffer: {kind: shared-buffer, size: 2MB}}
workload:
  - ${persistent('0 1', 'f1')}
  - ${persistent('0 2', 'f2')}`
}

/* Figure 8(a). */

/** Packets in the order of arrival at the switch: digits are from sender S1, letters from sender S2. */
export const ARRIVALS = '123a4b5c'
/** Number of packets sent in each run. A run extends the previous one, which shows the packets that are marked. */
export const PREFIXES = [4, 6, 8] as const
export const figure8Of = (packets: number): string => `Figure 8(a): the first ${packets} packets`
/** Packets in the queue when the next one exceeds the threshold. */
const THRESHOLD_PACKETS = 3

/** The egress link is so slow that the queue only grows, apart from the first packet, which leaves it at once. */
function figure8Text(packets: number): string {
  const sent = ARRIVALS.slice(0, packets)
  const ofS1 = sent.replaceAll(/[a-z]/g, '').length
  const flows = [`0 2 ${ofS1}KiB 0us tag=S1`, `1 2 ${packets - ofS1}KiB 0.552us tag=S2`]
  const threshold = `${THRESHOLD_PACKETS * 1086}B`
  return `
topology: {kind: dumbbell, leftHosts: 2, rightHosts: 1, hostRate: 40Gbps, bottleneckRate: 100Mbps, hostDelay: 1us, bottleneckDelay: 1us}
congestion: dctcp
qp: {ecnEcho: ack}
switch: {buffer: {kind: shared-buffer, size: 2MB}, ecn: {kmin: ${threshold}, kmax: ${threshold}, pmax: 1}}
workload: [{kind: trace, flows: ${JSON.stringify(flows)}}]`
}

/* Tables I to III. */

export interface SurveyedRun {
  readonly row: 'RoCE' | 'iWARP' | 'DCTCP' | 'TIMELY' | 'DCQCN' | 'MP-RDMA' | 'IRN'
  /** go-back-N by default. */
  readonly recovery?: string
  readonly congestion: string
  readonly echo: 'cnp' | 'ack'
  /** ECN thresholds. */
  readonly ecn: string
  /** Whether the scheme depends on PFC by Table III. */
  readonly isPfc: boolean
}

/** DCTCP starts as in the survey with TCP's slow start (RFC 6928: ten packets), and has its marking step of 65 packets. */
export const SCHEMES: readonly SurveyedRun[] = [
  { row: 'RoCE', congestion: 'none', echo: 'cnp', ecn: '{}', isPfc: true },
  { row: 'iWARP', recovery: 'iwarp', congestion: 'none', echo: 'cnp', ecn: '{}', isPfc: false },
  {
    row: 'DCTCP',
    congestion: '{kind: dctcp, slowStart: true, initialWindow: 10}',
    echo: 'ack',
    ecn: '{kmin: 70KB, kmax: 70KB, pmax: 1}',
    isPfc: false,
  },
  { row: 'TIMELY', congestion: 'timely', echo: 'cnp', ecn: '{}', isPfc: true },
  { row: 'DCQCN', congestion: 'dcqcn', echo: 'cnp', ecn: '{}', isPfc: true },
  {
    row: 'MP-RDMA',
    recovery: 'mp-rdma',
    congestion: 'mp-rdma',
    echo: 'ack',
    ecn: '{kmin: 20KB, kmax: 20KB, pmax: 1}',
    isPfc: true,
  },
  { row: 'IRN', recovery: 'irn', congestion: 'none', echo: 'cnp', ecn: '{}', isPfc: false },
]

export const incastOf = (row: SurveyedRun['row'], isPfc: boolean): string =>
  `${row}: incast, ${isPfc ? 'PFC' : 'no PFC'}`
export const shortOf = (row: SurveyedRun['row']): string => `${row}: short flows`

/** BDP of the short flows' path: 40 Gb/s, four links of 2 us and the transmission of a packet. */
export const BDP_BYTES = 42 * KB
const SENDERS = 7
const EACH_BYTES = 1 * MB

interface Use {
  readonly isPfc: boolean
  /** Entries of the scenario's lists. */
  readonly workload: string
  readonly observe: string
}

/** Eight hosts on one switch, set up for a scheme. */
export function schemeText(
  { recovery = 'go-back-n', congestion, echo, ecn }: SurveyedRun,
  { isPfc, workload, observe }: Use,
): string {
  return `
topology: {kind: star, hosts: 8, linkRate: 40Gbps, linkDelay: 2us}
recovery: ${recovery}
congestion: ${congestion}
pfc: {classes: ${isPfc ? '[3]' : '[]'}}
switch: {buffer: {kind: input-queued, portBuffer: 240KB, xoff: 216KB}, ecn: ${ecn}}
qp: {ackInterval: 1, ackTimeout: ${isPfc ? 'off' : '320us'}, retryLimit: off, ecnEcho: ${echo}}
workload: [${workload}]
observe: [${observe}]`
}

const incast = `{kind: incast, senders: ${SENDERS}, receiver: 7, sizeEach: ${EACH_BYTES / MB}MB}`
const shortFlows = `{kind: trace, flows: ["0 1 ${BDP_BYTES / KB}KB 0us tag=bdp", "2 3 100KB 0us tag=short"]}`
const sendingRates = '{kind: rates, interval: 10us}'

/* All of them. */

export function points(size: Size, seed: number): Point[] {
  const point = (condition: string, text: string): Point => {
    const name = condition.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
    return { condition, seed, scenario: parseScenario(`name: ${name}\nseed: ${seed}\n${text.trim()}\n`) }
  }
  const measured = `\nmeasure: {warmUp: ${STOP_MS[size] / 4}ms, stop: ${STOP_MS[size]}ms}`
  return [
    point(FIGURE_5.shared, figure5Text(true) + measured),
    point(FIGURE_5.apart, figure5Text(false) + measured),
    point(FIGURE_6.pfc, figure6Text(true) + measured),
    point(FIGURE_6.free, figure6Text(false) + measured),
    ...PREFIXES.map((packets) => point(figure8Of(packets), figure8Text(packets))),
    ...SCHEMES.flatMap((scheme) => [
      ...[true, false].map((isPfc) =>
        point(incastOf(scheme.row, isPfc), schemeText(scheme, { isPfc, workload: incast, observe: sendingRates })),
      ),
      point(
        shortOf(scheme.row),
        schemeText(scheme, { isPfc: scheme.isPfc, workload: shortFlows, observe: sendingRates }),
      ),
    ]),
  ]
}

/** Counters of the run, payload received per tag in the measured time, and the slowdown of each tag's first flow. */
export function measure(result: Result): Measures {
  const { counters, flows, series, windowFromPs, windowToPs } = result
  const received = numbersOf(flows, 'receivedPs')
  const starts = numbersOf(flows, 'startPs')
  const ideals = numbersOf(flows, 'idealPs')
  const sizes = numbersOf(flows, 'sizeBytes')
  const tags = textsOf(flows, 'tag')
  const rates = series.length === 0 ? [] : Array.from(numbersOf(series[0]!, 'rateBps'))
  const lastPs = Math.max(0, ...received.filter((ps) => !Number.isNaN(ps)))
  const measures: Record<string, number> = {
    pauses: counters.pauseFrames,
    resumes: counters.resumeFrames,
    marks: counters.ecnMarks,
    cnps: counters.cnps,
    drops: sum(Object.values(counters.drops)),
    finished: received.filter((ps) => !Number.isNaN(ps)).length,
    goodputBps: (counters.payloadBytesDelivered * 8e12) / lastPs,
    slowestRateBps: Math.min(Infinity, ...rates),
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

/** Measured time of the figures with persistent flows, ms. */
export const measuredMs = (size: Size): number => (STOP_MS[size] * 3) / 4

export const LINE_BPS = 40 * GBPS
