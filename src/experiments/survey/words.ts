/**
 * The vocabulary of the survey's Tables I to III, in which schemes.ts describes the schemes of this program. Words of
 * types named Our are missing in the survey.
 * Source: [Survey] section VI, Tables I to III.
 */

/** The seven rows of the survey's tables. */
export type SurveyRow = 'RoCE' | 'iWARP' | 'DCTCP' | 'TIMELY' | 'DCQCN' | 'MP-RDMA' | 'IRN'

/** Table I. */
type Category = 'traditional RDMA' | 'traditional DCN' | 'RDMA-enabled DCN'
type DetectionMethod = 'PFC' | 'packet loss' | 'ECN' | 'RTT gradient' | OurDetectionMethod
type OurDetectionMethod = 'RTT' | 'queueing delay' | 'queue feedback' | 'telemetry'
type Signal = 'Pause' | 'PFC' | 'ACK' | 'ECN-marked ACK' | 'CNP' | 'MP-RDMA ACK' | 'NACK' | OurSignal
type OurSignal = 'CNM' | 'ACK with telemetry' | 'RTT response'

/** Tables I to III, location of a function. */
type Location = 'switch' | 'NIC' | 'FPGA' | 'NIC+FPGA' | 'kernel' | 'application'

/** Table II, what is adjusted. */
type AdjustmentUnit = 'sending rate' | 'congestion window'
/** Of Table II, up or down. */
type Step =
  | 'RESUME frame'
  | 'PAUSE frame'
  | 'congestion window+1'
  | 'congestion window/2'
  | 'congestion severity α'
  | 'additive increase'
  | 'multiplicative increase'
  | 'multiplicative decrease'
  | 'gradient-based decrease'
  | 'QCN'
  | 'congestion window+1/(congestion window)'
  | 'congestion window-1/2'
  | 'bounded by bandwidth-delay product'
  | OurIncrease
  | OurDecrease
type OurIncrease = 'congestion window+priority factor' | 'sending rate+constant' | 'cubic function of time'
type OurDecrease = 'priority factor' | 'queueing delay' | 'queue feedback' | 'congestion window*0.7'

/** Table III, required components. Nothing: products have it already. */
type Component = 'switch' | 'ECN-enabled switch' | 'NIC' | 'NIC+FPGA' | 'kernel' | 'application' | OurComponent
type OurComponent = 'QCN-enabled switch' | 'telemetry-enabled switch'

/** A cell of the tables. */
export type SurveyCell =
  | `detection.${'methods' | 'places'}`
  | `notification.${'signals' | 'places'}`
  | `adjustment.${'unit' | 'increase' | 'decrease' | 'places'}`
  | Exclude<keyof Survey, 'row' | 'detection' | 'notification' | 'adjustment' | 'notes'>

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
    readonly increase: readonly Step[]
    readonly decrease: readonly Step[]
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

/** Cells of Table II in the order of its columns. */
export const adjusts = (
  unit: AdjustmentUnit,
  increase: readonly Step[],
  decrease: readonly Step[],
  ...locations: Location[]
): Survey['adjustment'] => ({ unit, increase, decrease, locations })

export const note = (cell: SurveyCell, kind: SurveyNote['kind'], text: string): SurveyNote => ({ cell, kind, text })
