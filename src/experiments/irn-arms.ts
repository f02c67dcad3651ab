/**
 * The arms of the experiments with IRN: a transport with PFC or without under a congestion control, what they are called,
 * what is measured of each, and which the first of these experiments holds against each other.
 * Source: S3 section 4.1 (metrics), Figures 1 to 6.
 */
import { humanDuration, humanNumber } from '../report/index.ts'
import { completionsOf, type Interval, numbersOf, quantile, type Result, sum, summarize } from '../results/index.ts'
import type { Measures, Outcome } from './experiment.ts'
import type { Control, Pfc, Transport } from './irn-default.ts'
import { ratioOverSeeds, ratiosOf } from './over-seeds.ts'

/** A transport, with PFC or without, under a congestion control. */
export interface Arm {
  readonly transport: Transport
  readonly pfc: Pfc
  readonly control: Control
}

export const CONTROLS: readonly Control[] = ['none', 'timely', 'dcqcn']

/** Of S3 4.4.4, with IRN alone. */
export const WINDOWS: readonly Control[] = ['aimd', 'dctcp']

export function armName({ transport, pfc, control }: Arm): string {
  return `${transport} | ${pfc} | ${control}`
}

export const TAILS = [0.9, 0.95, 0.99, 0.999] as const
export const tailKey = (share: number): string => `singleP${share * 1000}Ps`

export const CONTROL_NAMES: Readonly<Record<Control, string>> = {
  none: 'no control',
  timely: 'TIMELY',
  dcqcn: 'DCQCN',
  aimd: 'AIMD',
  dctcp: 'DCTCP',
  'timely per packet': 'TIMELY per packet',
  'timely per packet with back-off': 'TIMELY per packet with back-off',
  'timely with back-off': 'TIMELY with back-off',
  'dcqcn with back-off': 'DCQCN with back-off',
}
export const TRANSPORT_NAMES: Readonly<Record<Transport, string>> = {
  roce: 'RoCE',
  irn: 'IRN',
  'irn with go-back-n': 'IRN with go-back-N',
  'irn without bdp-fc': 'IRN without BDP-FC',
  'irn with overheads': 'IRN, 2 us and 16 B',
  'irn with fetch delay': 'IRN, 2 us',
  'irn with longer headers': 'IRN, 16 B',
  iwarp: 'iWARP',
  'iwarp with window 2': 'iWARP, initial window 2',
  'iwarp with window 10': 'iWARP, initial window 10',
  'iwarp with newreno': 'iWARP, NewReno',
  'iwarp with timeouts of inet': 'iWARP, timeouts of INET',
}

/** The three metrics of S3 4.1. */
export const METRICS = [
  { name: 'average slowdown', key: 'meanSlowdown', text: (value: number): string => humanNumber(value) },
  { name: 'average FCT', key: 'meanFctPs', text: (value: number): string => humanDuration(value) },
  { name: '99% FCT', key: 'p99FctPs', text: (value: number): string => humanDuration(value) },
] as const

/** Largest message of one packet, bytes (S3 4.1: 32 B to 1 KB). */
export const SINGLE_PACKET_BYTES = 1024

/** What a run amounts to. */
export function irnMeasures(result: Result): Measures {
  const summary = summarize(result)
  const { completionPs } = completionsOf(result)
  const sizes = numbersOf(result.flows, 'sizeBytes')
  const measured = numbersOf(result.flows, 'measured')
  const single = completionPs.filter((_, row) => measured[row] === 1 && sizes[row]! <= SINGLE_PACKET_BYTES)
  return {
    meanSlowdown: summary.meanSlowdown,
    meanFctPs: summary.meanCompletionPs,
    p99FctPs: summary.p99CompletionPs,
    ...Object.fromEntries(TAILS.map((share) => [tailKey(share), quantile(single, share)])),
    finishedFlows: summary.flows.measuredFinished,
    unfinishedFlows: summary.flows.unfinished,
    dataPackets: result.counters.dataPacketsSent,
    drops: sum(Object.values(result.counters.drops)),
    retransmissions: result.counters.retransmissions,
    timeouts: summary.timeouts,
    pauseFrames: result.counters.pauseFrames,
    simulatedPs: result.simulatedPs,
  }
}

export const arm = (transport: Transport, pfc: Pfc, control: Control): Arm => ({ transport, pfc, control })
export const nameOf = ({ transport, pfc, control }: Arm): string =>
  `${TRANSPORT_NAMES[transport]}${pfc === 'PFC' ? ' + PFC' : ''}, ${CONTROL_NAMES[control]}`

export const ratio = (outcomes: readonly Outcome[], of: Arm, to: Arm, key: string): Interval =>
  ratioOverSeeds(outcomes, { of: armName(of), to: armName(to) }, (m) => m[key]!)

/** Seed by seed. */
export const ratios = (outcomes: readonly Outcome[], of: Arm, to: Arm, key: string): number[] =>
  ratiosOf(outcomes, { of: armName(of), to: armName(to) }, (m) => m[key]!)

export interface Comparison {
  readonly figure: string
  readonly of: Arm
  readonly to: Arm
  readonly id: string
  /** The paper's range of `of` over `to`, over the three metrics. */
  readonly low: number
  readonly high: number
}

/** Ratios above 1: the first is worse. Figures 1 to 3 are without congestion control, 4 to 6 with. */
export function comparisonsOf(controls: readonly Control[]): Comparison[] {
  return [
    ...(controls.includes('none') ? WITHOUT_CONTROL : []),
    ...WITH_CONTROL.flatMap(({ of, to, ...rest }) =>
      controls
        .filter((control) => control !== 'none')
        .map((control) => ({ ...rest, of: { ...of, control }, to: { ...to, control } })),
    ),
  ]
}

const WITHOUT_CONTROL: readonly Comparison[] = [
  {
    figure: 'Figure 1',
    of: arm('roce', 'PFC', 'none'),
    to: arm('irn', 'no PFC', 'none'),
    id: 'irn.fig1.range',
    low: 2.8,
    high: 3.7,
  },
  {
    figure: 'Figure 2',
    of: arm('irn', 'PFC', 'none'),
    to: arm('irn', 'no PFC', 'none'),
    id: 'irn.fig2.range',
    low: 1.5,
    high: 2,
  },
  {
    figure: 'Figure 3',
    of: arm('roce', 'no PFC', 'none'),
    to: arm('roce', 'PFC', 'none'),
    id: 'irn.fig3.range',
    low: 1.5,
    high: 3,
  },
]

/** Of any control: the one named here is put in its place. */
const WITH_CONTROL: readonly Comparison[] = [
  {
    figure: 'Figure 4',
    of: arm('roce', 'PFC', 'timely'),
    to: arm('irn', 'no PFC', 'timely'),
    id: 'irn.fig4.range',
    low: 1.5,
    high: 2.2,
  },
  {
    figure: 'Figure 5',
    of: arm('irn', 'PFC', 'timely'),
    to: arm('irn', 'no PFC', 'timely'),
    id: 'irn.fig5.range',
    low: 0.99,
    high: 1.034,
  },
  {
    figure: 'Figure 6',
    of: arm('roce', 'no PFC', 'timely'),
    to: arm('roce', 'PFC', 'timely'),
    id: 'irn.fig6.range',
    low: 1.35,
    high: 3.5,
  },
]
