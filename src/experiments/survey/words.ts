/**
 * The vocabulary of the survey's Tables I to III, in which schemes.ts describes the schemes of this program.
 * Entries marked "Ours" are missing in the survey.
 * Source: [Survey] section VI, Tables I to III.
 */

/** The seven rows of the survey's tables. */
export type SurveyRow = 'RoCE' | 'iWARP' | 'DCTCP' | 'TIMELY' | 'DCQCN' | 'MP-RDMA' | 'IRN'

/** Table I, category. */
type Category = 'traditional RDMA' | 'traditional DCN' | 'RDMA-enabled DCN'

/** Table I, detection of congestion. */
type DetectionMethod =
  | 'PFC'
  | 'packet loss'
  | 'ECN'
  | 'RTT gradient'
  // Ours.
  | 'RTT'
  | 'queueing delay'
  | 'queue feedback'
  | 'telemetry'

/** Tables I to III, location of a function. */
export type Location = 'switch' | 'NIC' | 'FPGA' | 'NIC+FPGA' | 'kernel' | 'application'

/** Table I, signal that notifies the sender. */
type Signal =
  | 'Pause'
  | 'PFC'
  | 'ACK'
  | 'ECN-marked ACK'
  | 'CNP'
  | 'MP-RDMA ACK'
  | 'NACK'
  // Ours.
  | 'CNM'
  | 'ACK with telemetry'
  | 'RTT response'

/** Table II, quantity that is adjusted. */
type AdjustmentUnit = 'sending rate' | 'congestion window'

/** Table II, increase. */
type Increase =
  | 'RESUME frame'
  | 'congestion window+1'
  | 'additive increase'
  | 'gradient-based decrease'
  | 'multiplicative increase'
  | 'QCN'
  | 'congestion window+1/(congestion window)'
  | 'bounded by bandwidth-delay product'
  // Ours.
  | 'congestion window+priority factor'
  | 'sending rate+constant'
  | 'cubic function of time'

/** Table II, decrease. */
type Decrease =
  | 'PAUSE frame'
  | 'congestion window/2'
  | 'congestion severity α'
  | 'gradient-based decrease'
  | 'multiplicative decrease'
  | 'congestion window-1/2'
  | 'bounded by bandwidth-delay product'
  // Ours.
  | 'priority factor'
  | 'queueing delay'
  | 'queue feedback'
  | 'congestion window*0.7'

/** Table III, required components. Nothing: products have it already. */
type Component =
  | 'switch'
  | 'ECN-enabled switch'
  | 'NIC'
  | 'NIC+FPGA'
  | 'kernel'
  | 'application'
  // Ours.
  | 'QCN-enabled switch'
  | 'telemetry-enabled switch'

/** A cell of the tables. */
export type SurveyCell =
  | 'category'
  | 'detection.methods'
  | 'detection.places'
  | 'notification.signals'
  | 'notification.places'
  | 'adjustment.unit'
  | 'adjustment.increase'
  | 'adjustment.decrease'
  | 'adjustment.places'
  | 'granularity'
  | 'quickStart'
  | 'implementation'
  | 'resources'
  | 'pfcDependency'

/** A footnote. */
interface SurveyNote {
  readonly cell: SurveyCell
  /** contradiction: the survey differs elsewhere; here: this program differs; reading: our interpretation of the entry. */
  readonly kind: 'contradiction' | 'here' | 'reading'
  readonly text: string
}

export interface Survey {
  /** The survey's row, or null if it has none and the description is ours. */
  readonly row: SurveyRow | null
  readonly category: Category
  readonly detection: { readonly methods: readonly DetectionMethod[]; readonly locations: readonly Location[] }
  readonly notification: { readonly signals: readonly Signal[]; readonly locations: readonly Location[] }
  readonly adjustment: {
    readonly unit: AdjustmentUnit
    readonly increase: readonly Increase[]
    readonly decrease: readonly Decrease[]
    readonly locations: readonly Location[]
  }
  readonly granularity: 'per-queue' | 'per-flow'
  /** Whether a flow starts at full speed. */
  readonly quickStart: boolean
  readonly implementation: readonly Component[]
  readonly resources: readonly Location[]
  readonly pfcDependency: boolean
  readonly notes: readonly SurveyNote[]
}

/** Note on [Survey] VI-A1 and Table I, for every scheme that uses marks. */
export const MARKED_AT_SWITCHES: SurveyNote = {
  cell: 'detection.places',
  kind: 'contradiction',
  text: '[Survey] VI-A1 says that ECN schemes detect congestion on switches; Table I lists the location that reacts.',
}

/** Note on schemes that the survey assigns to kernels and applications. */
export const IN_NIC_HERE: SurveyNote = {
  cell: 'adjustment.places',
  kind: 'here',
  text: 'Here it is entirely in the NIC.',
}

/** Note on [Survey] Table II, which has steps per round trip and per ACK in one column. */
export const STEP_PER_ROUND_TRIP: SurveyNote = {
  cell: 'adjustment.increase',
  kind: 'reading',
  text: 'The step is per round trip; that of MP-RDMA, in the same column, is per ACK.',
}
