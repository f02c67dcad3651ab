/**
 * What a sender is told when it is made.
 */
import type { Serialization } from '../../base/serialization.ts'
import type { FrameSizes } from '../endpoint.ts'
import type { Timers } from '../timers.ts'

export interface SenderOptions {
  readonly frames: FrameSizes
  readonly lineRateBps: number
  /** Of the first packet; 0 unless the two sides agreed on another. */
  readonly firstPsn?: number
  readonly serialization: Serialization
  readonly timers: Timers
  /** Payload bytes in flight, or null. */
  readonly windowBytes: number | null
  readonly windowVariable: boolean
  /** Packets per requested ACK; 0: never acknowledged. */
  readonly ackInterval: number
  readonly ackTimeoutPs: number | null
  /** Each packet sent starts the timer anew. */
  readonly ackTimerFollows: boolean
  /** Timeouts in a row without progress; null: no limit. */
  readonly retryLimit: number | null
  readonly ectCapable: boolean
  /** A rate change leaves a pacing deadline that is already set. */
  readonly pacingFixed: boolean
  /** Mark echoes arrive in ACKs. */
  readonly echoInAck: boolean
}
