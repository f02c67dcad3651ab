/**
 * What a switch is told when it is made.
 */
import type { Balance } from '../balance/balance.ts'
import type { Buffer } from '../buffer/buffer.ts'
import type { CongestionPoint } from './congestion-point.ts'
import type { Trimming } from './trimmer.ts'

export interface SwitchOptions {
  readonly node: number
  readonly buffer: Buffer
  /** Bit per lossless class. */
  readonly lossless: number
  /** Class by codepoint (DSCP 0..63 or PCP 0..7). */
  readonly classOf: Uint8Array
  readonly latencyPs: number
  readonly releaseAtEnd: boolean
  readonly markAtDequeue: boolean
  readonly wredClasses: number
  readonly wredThresholdBytes: number
  /** Samples what cannot be marked; null: nothing. */
  readonly congestionPoint: CongestionPoint | null
  /** null: nothing is trimmed. */
  readonly trimming: Trimming | null
  /** Position of the host that a flow's data come from. */
  readonly sourceOf: (flow: number) => number
  readonly balance: Balance
}
