/** Constructor options of a sender. */
import type { Serialization } from '../../base/serialization.ts'
import type { FrameSizes } from '../endpoint.ts'
import type { RetrySchedule } from '../retry.ts'
import type { Timers } from '../timers.ts'

export interface SenderOptions {
  readonly frames: FrameSizes
  readonly lineRateBps: number
  /** PSN of the first packet; 0 unless the two sides negotiated another. */
  readonly firstPsn?: number
  readonly serialization: Serialization
  readonly timers: Timers
  /** Payload bytes in flight, or null. */
  readonly windowBytes: number | null
  readonly windowVariable: boolean
  /** Packets per requested ACK; 0: no ACKs. */
  readonly ackInterval: number
  readonly ackTimeoutPs: number | null
  /** Each packet sent restarts the retransmission timer. */
  readonly ackTimerFollows: boolean
  /** An ACK that acknowledges nothing new does not restart the retransmission timer, whatever the recovery. */
  readonly ackTimerByProgress?: boolean
  /** Consecutive timeouts without progress; null: no limit. */
  readonly retryLimit: number | null
  /** Waits in place of the recovery's timeouts, with their limit; null or absent: none. */
  readonly retry?: RetrySchedule | null
  readonly ectCapable: boolean
  /** A rate change does not move a pacing deadline that is already set. */
  readonly pacingFixed: boolean
  /** Marks are echoed in ACKs. */
  readonly echoInAck: boolean
}
