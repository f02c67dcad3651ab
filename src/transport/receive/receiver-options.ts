/**
 * What a receiver is told when it is made.
 */
import type { HeldAck } from './held-ack.ts'
import type { ReceiverRecovery, Timeout } from '../recovery/recovery.ts'
import type { Timers } from '../timers.ts'

export interface ReceiverOptions {
  readonly recovery: ReceiverRecovery
  readonly timers: Timers
  readonly payloadBytes: number
  /** Marked packets are answered with CNPs, at most one per interval; null: no CNPs. */
  readonly cnpIntervalPs: number | null
  /** Marks come back as a bit of the ACKs and NAKs. */
  readonly echoInAck: boolean
  /** A NAK counts as a congestion mark. */
  readonly marksNaks: boolean
  /** ACKs and NAKs bring back what switches wrote into the packet they answer. */
  readonly echoesHops: boolean
  /** Receive WQEs there are for SENDs, each posted again `repostPs` after its message; null: always enough. */
  readonly receiveQueue: number | null
  readonly repostPs: number
  /** RNR timer code 0..31 of RNR NAKs. */
  readonly rnrCode: number
  /** The QP's data are READ responses: this half asks for them. */
  readonly isReader: boolean
  /** A reader acknowledges what it gets. */
  readonly acksReads: boolean
  /** And says with NAKs what is missing; else it asks for that again. */
  readonly naksReads: boolean
  /** Several packets share an ACK; null: each that asks for one gets its own. */
  readonly heldAck: HeldAck | null
  /** A reader asks again after this time without progress, or a little more than the last wait, then after twice that, and so on; null: never. */
  readonly readTimeout: Timeout | null
  /** A reader gives up at the timeout behind so many in a row without a response; null: never. */
  readonly retryLimit: number | null
}
