/**
 * Arms of the experiments with IRN: a transport with or without PFC under a congestion control. Their names, their runs in
 * the default case, and the measures kept of a run.
 * Source: [IRN] section 4.1 (metrics), Figures 1 to 6.
 */
import { humanDuration, humanNumber } from '../../show/index.ts'
import { completionsOf, mean, numbersOf, quantile, type Result, sum, summarize } from '../../core/results/index.ts'
import { MS } from '../../core/base/index.ts'
import type { Measures, Point } from '../core/plan.ts'
import {
  controlName,
  transportName,
  type Control,
  irnDefault,
  type Pfc,
  type Traffic,
  type Transport,
} from './default-case.ts'

/** The setting that is the default case of section 4.1. */
export const DEFAULT = 'default'

/** The axes of these experiments: a transport with or without PFC, under a congestion control, in a setting. */
export type Arm = {
  readonly transport: Transport
  readonly pfc: Pfc
  readonly control: Control
  /** Packets that a QP may send before the NIC serves the next one. */
  readonly burst: number
  /** A difference from the default case (settings/). */
  readonly setting: string
}

export const arm = (transport: Transport, pfc: Pfc, control: Control, burst = 1, setting = DEFAULT): Arm => ({
  transport,
  pfc,
  control,
  burst,
  setting,
})

/** TIMELY is updated by every ACK, as is possible with an ACK for each packet; its own paper has segments of 16 KB. */
export const CONTROLS = ['none', 'timely-per-packet', 'dcqcn'] as const satisfies readonly Control[]

/** IRN without PFC, and both transports with PFC at both of its thresholds. */
export const SIDES = [
  { transport: 'irn', pfc: 'no-pfc' },
  { transport: 'irn', pfc: 'pfc' },
  { transport: 'irn', pfc: 'pfc-early' },
  { transport: 'roce', pfc: 'pfc' },
  { transport: 'roce', pfc: 'pfc-early' },
] as const

/** The longer of the two bursts that are run with PFC, packets. */
export const LONG_BURST = 64

/** The runs of several arms in the default case. */
export function pointsOfArms(arms: readonly Arm[], traffic: Traffic, seed: number): Point<Arm>[] {
  return arms.map((at) => ({ at, seed, scenario: irnDefault({ ...at, setting: '', traffic, seed }) }))
}

/** Quantiles of Figure 8. */
export const TAILS = [0.9, 0.95, 0.99, 0.999] as const
/** Quantiles that are points of its curves. */
export const TAIL_CURVE = [
  0.9, 0.92, 0.94, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99, 0.9925, 0.995, 0.9975, 0.999, 0.9995,
] as const
export const tailKey = (share: number): string => `singleP${share * 1000}Ps`

const TIME = { scale: 1 / MS, unit: ' ms', text: humanDuration }
const FACTOR = { scale: 1, unit: '', text: (value: number): string => humanNumber(value) }
/** The three metrics of [IRN] 4.1. Values are shown in `unit`, by `scale`; `stopped` counts flows finished when arrivals end. */
export const METRICS = [
  { name: 'average slowdown', key: 'meanSlowdown', stopped: 'stoppedMeanSlowdown', ...FACTOR },
  { name: 'average FCT', key: 'meanFctPs', stopped: 'stoppedMeanFctPs', ...TIME },
  { name: '99% FCT', key: 'p99FctPs', stopped: 'stoppedP99FctPs', ...TIME },
] as const

/** Largest message of one packet, bytes ([IRN] 4.1: 32 B to 1 KB). */
export const SINGLE_PACKET_BYTES = 1024

/** Deciles of the flows by size, the smallest first. */
export const TENTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const
export const tenthKey = (tenth: number): string => `tenth${tenth}Slowdown`

/** The first 1 / EARLY of the arrivals identifies a run without running it to its end. */
export const EARLY = 25

/**
 * The measures of a run. Names that begin with `stopped` cover the flows that had finished when arrivals ended, as in a run
 * that stops there. Names that begin with `early` cover the flows that ended in the first 1 / EARLY of the arrivals.
 */
export function irnMeasures(result: Result, { scenario }: Pick<Point, 'scenario'>): Measures {
  const summary = summarize(result)
  const { completionPs, slowdown } = completionsOf(result)
  const { counters } = result
  const sizes = numbersOf(result.flows, 'sizeBytes')
  const measured = numbersOf(result.flows, 'measured')
  const starts = numbersOf(result.flows, 'startPs')
  const endPs = scenario.measure.generate ?? Infinity
  const isIn = (row: number): boolean => measured[row] === 1
  const single = completionPs.filter((_, row) => isIn(row) && sizes[row]! <= SINGLE_PACKET_BYTES)
  const isEarly = (_: number, row: number): boolean => isIn(row) && starts[row]! + completionPs[row]! <= endPs
  const firstPs = endPs / EARLY
  const early = starts.map((startPs, row) => startPs + completionPs[row]!).filter((endedPs) => endedPs <= firstPs)
  const stopped = { completionPs: completionPs.filter(isEarly), slowdown: slowdown.filter(isEarly) }
  return {
    meanSlowdown: summary.meanSlowdown,
    meanFctPs: summary.meanCompletionPs,
    p99FctPs: quantile(
      completionPs.filter((_, row) => isIn(row)),
      0.99,
    ),
    stoppedMeanSlowdown: mean(stopped.slowdown),
    stoppedMeanFctPs: mean(stopped.completionPs),
    stoppedP99FctPs: quantile(stopped.completionPs, 0.99),
    stoppedFlows: stopped.completionPs.length,
    ...tenthsOf(slowdown, sizes, isIn),
    ...Object.fromEntries(TAIL_CURVE.map((share) => [tailKey(share), quantile(single, share)])),
    measuredFlows: summary.flows.measured,
    finishedFlows: summary.flows.measuredFinished,
    unfinishedFlows: summary.flows.unfinished,
    dataPackets: counters.dataPacketsSent,
    dataDrops: counters.dataPacketsDropped,
    drops: sum(Object.values(counters.drops)),
    retransmissions: counters.retransmissions,
    timeouts: summary.timeouts,
    pauseFrames: counters.pauseFrames,
    pausedPs: sum(Object.values(counters.pausedPs)),
    packetHops: counters.packetHops,
    simulatedPs: result.simulatedPs,
    earlyFlows: early.length,
    earlyEndsPs: sum(early),
  }
}

/** Mean slowdown of each decile of the flows by size, the smallest first. */
function tenthsOf(slowdown: Float64Array, sizes: ArrayLike<number>, isIn: (row: number) => boolean): Measures {
  const rows = Array.from(slowdown.keys())
    .filter((row) => isIn(row) && !Number.isNaN(slowdown[row]!))
    .toSorted((a, b) => sizes[a]! - sizes[b]! || a - b)
  const endOf = (tenth: number): number => Math.round((rows.length * tenth) / 10)
  return Object.fromEntries(
    TENTHS.map((tenth) => {
      const own = rows.slice(endOf(tenth - 1), endOf(tenth)).map((row) => slowdown[row]!)
      return [tenthKey(tenth), mean(own)]
    }),
  )
}

/** "IRN + PFC". */
export const sideOf = ({ transport, pfc }: Pick<Arm, 'transport' | 'pfc'>): string =>
  `${transportName(transport)}${pfc === 'no-pfc' ? '' : ' + PFC'}`

/** "IRN + PFC, DCQCN". */
export const nameOf = (at: Arm): string => `${sideOf(at)}, ${controlName(at.control)}`
