/**
 * HOT where it is used. Congestion point: samples the frames that join a switch's egress queues and computes the feedback
 * for the frame's source, from the queue's distance to its set point and its change since the sample before.
 * Units: bytes of frames. One per switch, with a state for each port and class; a named random stream for each port,
 * used once per sample. Invariant: 0 <= feedback <= 63.
 * Source: 802.1Qau (QCN); [Survey] V-B. docs/models/qcn.md.
 */
import type { RandomStream } from '../../base/random.ts'
import { CLASSES } from '../link/egress-queue.ts'

export interface CongestionPointOptions {
  /** Bit per class that is sampled. */
  readonly classes: number
  /** Queue length to be held (Qeq). */
  readonly setPointBytes: number
  /** Weight of the queue's change (w). */
  readonly weight: number
  /** Bytes between samples while there is no feedback. */
  readonly sampleBaseBytes: number
  /** Bytes between samples vary by this share up and down. */
  readonly jitter: number
  /** Size of the messages. */
  readonly frameBytes: number
  readonly codepoint: number
  /** By local index of the port; 0 unused. */
  readonly randoms: readonly (RandomStream | null)[]
}

/** Largest feedback: six bits. */
const FEEDBACK_MAX = 63
/** Bytes between samples by feedback >> 3, as shares of the bytes without feedback (802.1Qau: 150 KB). */
const SAMPLE_SHARES = [150, 75, 50, 37.5, 30, 25, 21.5, 18.5].map((kilobytes) => kilobytes / 150)

export class CongestionPoint {
  readonly frameBytes: number
  readonly codepoint: number
  private readonly options: CongestionPointOptions
  /** By port * 8 + class: queue at the last sample, bytes until the next. */
  private readonly before: Float64Array
  private readonly left: Float64Array

  constructor(options: CongestionPointOptions) {
    this.options = options
    this.frameBytes = options.frameBytes
    this.codepoint = options.codepoint
    this.before = new Float64Array(options.randoms.length * CLASSES)
    this.left = new Float64Array(options.randoms.length * CLASSES).fill(options.sampleBaseBytes)
  }

  /** A frame of `sizeBytes` joins the queue, which then holds `queueBytes`. @returns feedback for its source; 0: none. */
  onFrame(port: number, trafficClass: number, sizeBytes: number, queueBytes: number): number {
    const { classes } = this.options
    if ((classes & (1 << trafficClass)) === 0) return 0
    const at = port * CLASSES + trafficClass
    this.left[at]! -= sizeBytes
    if (this.left[at]! > 0) return 0
    const feedback = this.feedbackOf(queueBytes, this.before[at]!)
    this.before[at] = queueBytes
    this.left[at] = this.nextSampleBytes(feedback, this.options.randoms[port]!.uniform())
    return feedback
  }

  /** Fb = -((q - Qeq) + w (q - qOld)), quantized where it is negative. */
  feedbackOf(queueBytes: number, beforeBytes: number): number {
    const { setPointBytes, weight } = this.options
    const over = queueBytes - setPointBytes + weight * (queueBytes - beforeBytes)
    if (over <= 0) return 0
    const quantized = Math.floor((over * FEEDBACK_MAX) / (setPointBytes * (1 + 2 * weight)))
    return quantized < FEEDBACK_MAX ? quantized : FEEDBACK_MAX
  }

  /** `draw` is uniform in [0, 1). */
  nextSampleBytes(feedback: number, draw: number): number {
    const { sampleBaseBytes, jitter } = this.options
    return sampleBaseBytes * SAMPLE_SHARES[feedback >> 3]! * (1 - jitter + 2 * jitter * draw)
  }
}
