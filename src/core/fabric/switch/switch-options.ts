/**
 * Options of a switch.
 */
import type { Balance } from '../balance/balance.ts'
import type { Buffer } from '../buffer/buffer.ts'
import type { CongestionPoint } from './congestion-point.ts'
import type { Trimming } from './trimmer.ts'

export interface SwitchOptions {
  readonly node: number
  readonly buffer: Buffer
  /** Class by codepoint (DSCP 0..63 or PCP 0..7). */
  readonly classOf: Uint8Array
  readonly latencyPs: number
  readonly releaseAtEnd: boolean
  readonly markAtDequeue: boolean
  readonly wredClasses: number
  readonly wredThresholdBytes: number
  /** Samples packets that cannot be marked; null: no sampling. */
  readonly congestionPoint: CongestionPoint | null
  /** null: nothing is trimmed. */
  readonly trimming: Trimming | null
  /** Position of the host that sends the data of a direction. */
  readonly sourceOf: (direction: number) => number
  readonly balance: Balance
}
