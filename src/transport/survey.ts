/**
 * Survey: a scheme in the words of S1's Tables I to III. A scheme that has a row there is declared as that row prints
 * it, also where the survey's text or this program says otherwise; a note at the cell then tells. A scheme without a row
 * is described in the same words, and in words of ours where the survey has none.
 * Source: S1 section VI, Tables I to III.
 */

/** The seven rows of the survey's tables. */
export type SurveyRow = 'RoCE' | 'iWARP' | 'DCTCP' | 'TIMELY' | 'DCQCN' | 'MP-RDMA' | 'IRN'

/** Table I, category. */
export type Category = 'traditional RDMA' | 'traditional DCN' | 'RDMA-enabled DCN'

/** Table I, how congestion is noticed. */
export type DetectionMethod =
  | 'PFC'
  | 'packet loss'
  | 'ECN'
  | 'RTT gradient'
  // Ours.
  | 'RTT'
  | 'queueing delay'
  | 'queue feedback'
  | 'telemetry'

/** Tables I to III, where something is done. */
export type Place = 'switch' | 'NIC' | 'FPGA' | 'NIC+FPGA' | 'kernel' | 'application'

/** Table I, what brings the news to the sender. */
export type Signal =
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

/** Table II, what is adjusted. */
export type AdjustmentUnit = 'sending rate' | 'congestion window'

/** Table II, what makes it rise. */
export type Increase =
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

/** Table II, what makes it fall. */
export type Decrease =
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

/** Table III, what has to be there. Nothing: it is in products already. */
export type Component =
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
export interface SurveyNote {
  readonly cell: SurveyCell
  /** contradiction: the survey says otherwise elsewhere; here: this program does otherwise; reading: how the word is meant. */
  readonly kind: 'contradiction' | 'here' | 'reading'
  readonly text: string
}

export interface Survey {
  /** The row that is printed here; null: the survey has none, and the words are ours. */
  readonly row: SurveyRow | null
  readonly category: Category
  readonly detection: { readonly methods: readonly DetectionMethod[]; readonly places: readonly Place[] }
  readonly notification: { readonly signals: readonly Signal[]; readonly places: readonly Place[] }
  readonly adjustment: {
    readonly unit: AdjustmentUnit
    readonly increase: readonly Increase[]
    readonly decrease: readonly Decrease[]
    readonly places: readonly Place[]
  }
  readonly granularity: 'per-queue' | 'per-flow'
  /** A flow starts at full speed. */
  readonly quickStart: boolean
  readonly implementation: readonly Component[]
  readonly resources: readonly Place[]
  readonly pfcDependency: boolean
  readonly notes: readonly SurveyNote[]
}

/** S1 VI-A1 against Table I; of every scheme that hears of marks. */
export const MARKED_AT_SWITCHES: SurveyNote = {
  cell: 'detection.places',
  kind: 'contradiction',
  text: 'S1 VI-A1 says that ECN schemes detect congestion on switches; Table I has the place that reacts.',
}

/** Of schemes that S1 puts into kernels and applications. */
export const IN_NIC_HERE: SurveyNote = {
  cell: 'adjustment.places',
  kind: 'here',
  text: 'All of it is in the NIC here.',
}

/** S1 Table II has steps per round trip and per ACK in one column. */
export const STEP_PER_ROUND_TRIP: SurveyNote = {
  cell: 'adjustment.increase',
  kind: 'reading',
  text: 'The step is per round trip; that of MP-RDMA, in the same column, is per ACK.',
}

/** RoCE: go-back and nothing but PFC. */
export const ROCE_SURVEY: Survey = {
  row: 'RoCE',
  category: 'traditional RDMA',
  detection: { methods: ['PFC'], places: ['NIC'] },
  notification: { signals: ['Pause'], places: ['switch', 'NIC'] },
  adjustment: { unit: 'sending rate', increase: ['RESUME frame'], decrease: ['PAUSE frame'], places: ['NIC'] },
  granularity: 'per-queue',
  quickStart: true,
  implementation: [],
  resources: ['NIC'],
  pfcDependency: true,
  notes: [
    {
      cell: 'detection.places',
      kind: 'contradiction',
      text: 'S1 VI-A1 has the queues of switches or NICs exceed the threshold; Table I names the NIC alone.',
    },
  ],
}

/** The schemes of S0: RoCE with another NIC. */
export const S0_SURVEY: Survey = {
  ...ROCE_SURVEY,
  row: null,
  implementation: ['NIC'],
  notes: [
    {
      cell: 'pfcDependency',
      kind: 'reading',
      text: 'S0 II: PFC stays. The losses meant are those that it does not prevent, such as bit errors.',
    },
  ],
}

/** Both halves of MP-RDMA. */
export const MP_RDMA_SURVEY: Survey = {
  row: 'MP-RDMA',
  category: 'RDMA-enabled DCN',
  detection: { methods: ['ECN', 'PFC'], places: ['FPGA'] },
  notification: { signals: ['MP-RDMA ACK', 'PFC'], places: ['NIC+FPGA', 'switch', 'NIC'] },
  adjustment: {
    unit: 'congestion window',
    increase: ['congestion window+1/(congestion window)'],
    decrease: ['congestion window-1/2'],
    places: ['FPGA'],
  },
  granularity: 'per-flow',
  quickStart: true,
  implementation: ['ECN-enabled switch', 'NIC+FPGA'],
  resources: ['NIC+FPGA'],
  pfcDependency: true,
  notes: [
    MARKED_AT_SWITCHES,
    {
      cell: 'adjustment.increase',
      kind: 'reading',
      text: 'The step is per ACK; those of other schemes in the same column are per round trip.',
    },
  ],
}
