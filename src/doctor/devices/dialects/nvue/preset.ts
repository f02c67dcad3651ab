/**
 * Preset of NVUE for RoCE ("nv set qos roce"), and what a switch does without it.
 * Source: NVIDIA Cumulus Linux User Guide, "RDMA over Converged Ethernet" and "Quality of Service".
 */

/** Marks of an egress queue. */
export interface Marks {
  readonly minBytes: number
  readonly maxBytes: number
  readonly ratio: number
}

export interface Preset {
  /** Lossless priorities. */
  readonly lossless: readonly number[]
  readonly trust: 'both' | 'pcp'
  /** Traffic class (egress queue) by priority. */
  readonly queues: readonly number[]
  /** By traffic class; queues that are not here are not marked. */
  readonly marks: ReadonlyMap<number, Marks>
  /** By traffic class: "strict" or a weight. */
  readonly schedules: ReadonlyMap<number, number | string>
}

const MARKS: Marks = { minBytes: 150_000, maxBytes: 1_501_500, ratio: 1 }

const LOSSY: Preset = {
  lossless: [],
  trust: 'both',
  queues: [0, 0, 0, 3, 0, 0, 6, 0],
  marks: new Map([
    [0, MARKS],
    [3, MARKS],
  ]),
  schedules: new Map<number, number | string>([
    [0, 50],
    [3, 50],
    [6, 'strict'],
  ]),
}
const LOSSLESS: Preset = { ...LOSSY, lossless: [3] }

/** By mode of RoCE. */
export const PRESETS: ReadonlyMap<string, Preset> = new Map([
  ['lossless', LOSSLESS],
  ['lossless-single-ipool', LOSSLESS],
  ['lossy', LOSSY],
])

/** Without RoCE. */
export const PLAIN: Preset = {
  lossless: [],
  trust: 'pcp',
  queues: [0, 1, 2, 3, 4, 5, 6, 7],
  marks: new Map([[0, { ...MARKS, maxBytes: 1_500_000 }]]),
  schedules: new Map([0, 1, 2, 3, 4, 5, 6, 7].map((queue) => [queue, queue % 2 === 0 ? 12 : 13])),
}

/** Thresholds that a switch may print rounded. */
export const THRESHOLDS: readonly number[] = [MARKS.minBytes, MARKS.maxBytes]
