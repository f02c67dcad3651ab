/** Constructor options of a receiver. */
import type { HeldAck } from './held-ack.ts'
import type { RetrySchedule } from '../retry.ts'
import type { ReceiverRecovery, Timeout } from '../recovery/recovery.ts'
import type { Timers } from '../timers.ts'

export interface ReceiverOptions {
  readonly recovery: ReceiverRecovery
  readonly timers: Timers
  readonly payloadBytes: number
  /** Minimum interval between CNPs for marked packets; null: no CNPs. */
  readonly cnpIntervalPs: number | null
  /** Marks are echoed as a bit of ACKs and NAKs. */
  readonly echoInAck: boolean
  /** A NAK counts as a congestion mark. */
  readonly marksNaks: boolean
  /** ACKs and NAKs return the telemetry of the packet they acknowledge. */
  readonly echoesHops: boolean
  /** Receive WQEs for SENDs, each reposted `repostPs` after its message; null: always enough. */
  readonly receiveQueue: number | null
  readonly repostPs: number
  /** RNR timer code 0..31 of RNR NAKs. */
  readonly rnrCode: number
  /** The QP's data are READ responses: this half requests them. */
  readonly isReader: boolean
  /** A requester acknowledges READ responses. */
  readonly acksReads: boolean
  /** A requester reports missing responses by NAKs; else it repeats the request. */
  readonly naksReads: boolean
  /** Delays ACKs so that several packets share one; null: each packet that requests an ACK gets its own. */
  readonly heldAck: HeldAck | null
  /**
   * Timeouts of a requester without progress: at first `firstPs`, or somewhat more than the last response took, then
   * doubled each time. null: none.
   */
  readonly readTimeout: Timeout | null
  /** Consecutive timeouts without a response before a requester gives up; null: no limit. */
  readonly retryLimit: number | null
  /** Waits of READ requests in place of `readTimeout`, with their limit; null or absent: none. */
  readonly retry?: RetrySchedule | null
  /**
   * The requester's rule is the standard's (IBTA 9.7.6.1.3, 9.9.2.4): its timeout is always `firstPs`, and only a response that
   * is accepted begins the count of timeouts anew. By default it is that of docs/models/go-back-n.md.
   */
  readonly readsByProgress?: boolean
}
