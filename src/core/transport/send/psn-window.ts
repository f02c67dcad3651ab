/**
 * HOT. PSN window: the outstanding packets of one direction at their sender, the pending retransmission, and whether a
 * new packet may be sent.
 * Units: packets are numbered by unbounded PSNs; times picoseconds.
 * Invariant: una <= nxt <= end, except while a go-back-0 restart lies below what was acknowledged.
 * Source: [IGBN] II-A, [IRN] 3.2.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { ByteWindow } from './byte-window.ts'
import type { CongestionControl } from '../congestion/congestion.ts'
import type { SenderRecovery, SendWindow } from '../recovery/recovery.ts'
import { RetryTimers } from '../retry.ts'
import type { SenderOptions } from './sender-options.ts'
import { PLAIN } from '../plain.ts'

/**
 * Why a sender has no packet that may start, whatever the time: a wait after an RNR NAK; credits, Receive WQEs or other
 * requests that are missing; a closed window of the congestion control; the recovery's cap; nothing is left to send until
 * an answer comes. 'none': one may start, now or when pacing allows it.
 */
export type Hindrance = 'none' | 'rnr' | 'credits' | 'window' | 'cap' | 'answer'

export abstract class PsnWindow implements SendWindow {
  // Fields used for every packet come first, so that they share cache lines.
  una: number
  nxt: number
  /** One past the last PSN posted. */
  end: number
  /** One past the last new PSN that may be sent now; `end` at most. */
  protected openEnd: number
  /** One past the highest PSN sent so far. */
  highest: number
  resendPsn = -1
  /** Public for rate observers. */
  congestion!: CongestionControl
  protected recovery!: SenderRecovery
  /** null: none. */
  private readonly byteWindow: ByteWindow | null
  /** Payload of a full packet. */
  protected readonly payloadBytes: number
  protected readonly ackInterval: number
  /** Earliest start of the pending retransmission. */
  protected resendPs = DOUBLE_ZERO
  protected isRnrWaiting = false
  /** Nothing may be sent at present, retransmissions included. */
  protected isMute = false

  protected retriesLeft: number
  /** -1: unlimited. */
  protected readonly retryLimit: number
  /** Waits in place of the recovery's timeouts; null: none. */
  readonly retry: RetryTimers | null

  constructor(options: SenderOptions) {
    this.una = this.nxt = this.highest = this.end = this.openEnd = options.firstPsn ?? 0
    this.byteWindow = options.windowBytes === null ? null : new ByteWindow(options.windowBytes, options)
    this.payloadBytes = options.frames.payloadBytes
    this.ackInterval = options.ackInterval
    this.retry = options.retry == null ? null : new RetryTimers(options.retry)
    this.retriesLeft = this.retryLimit = this.retry?.limitOf(options.retryLimit) ?? options.retryLimit ?? -1
  }

  abstract firstPsnOf(psn: number): number
  /** Byte sequence number: payload bytes before a packet of the QP, which is not acknowledged or not posted yet. */
  abstract lsnOf(psn: number): number
  abstract readonly ackTimeoutPs: number
  abstract get slowdown(): number

  resend(psn: number, fromPs = 0): void {
    this.resendPsn = psn
    this.resendPs = fromPs
  }

  cancelResend(): void {
    this.resendPsn = -1
  }

  maySendNew(): boolean {
    return this.nxt < this.openEnd && !this.isClosedAt(this.nxt)
  }

  /**
   * Whether the pending retransmission may be sent, pacing aside. A window that covers all data counts the packets in
   * the network, so that one full of lost packets does not hold back their retransmission.
   */
  protected mayResend(): boolean {
    const { congestion } = this
    if (congestion.coversAll === 0 || this.ackInterval === 0) return true
    const inFlight = this.recovery.inFlightPackets()
    if (inFlight < 0) return true
    const windowPackets = congestion.windowPackets
    return windowPackets < 1 ? congestion.releases > 0 : inFlight + 1 <= windowPackets
  }

  /** For observers. */
  get hindrance(): Hindrance {
    if (this.isRnrWaiting) return 'rnr'
    if (this.isMute) return this.una < this.nxt ? 'answer' : 'credits'
    if (this.resendPsn >= 0) return this.mayResend() ? 'none' : 'window'
    if (this.nxt >= this.openEnd) return this.nxt < this.end ? 'credits' : 'answer'
    if (!this.isClosedAt(this.nxt)) return 'none'
    return this.nxt - this.una >= this.recovery.capPackets() ? 'cap' : 'window'
  }

  /** For observers: when the pending retransmission may start at the earliest; 0: at once, or there is none. */
  get resendFromPs(): number {
    return this.resendPsn < 0 ? 0 : this.resendPs
  }

  /** Whether a window holds back a new packet, if its PSN were `psn`. */
  protected isClosedAt(psn: number): boolean {
    const recovery = this.recovery
    const packets = psn - this.una
    if (packets >= recovery.capPackets()) return true
    const inFlight = packets - recovery.arrivedPackets()
    const windowPackets = this.congestion.windowPackets
    // Below one packet the scheme releases packets one by one; from one on only whole packets count. Without ACKs there
    // is no window.
    let isClosed = windowPackets < 1 ? this.congestion.releases === 0 : inFlight + 1 > windowPackets
    // Packets that are not full may fit where as many full ones do not.
    if (!PLAIN && isClosed && this.congestion.bytesCounted !== 0 && windowPackets >= 1)
      isClosed = this.lsnOf(psn + 1) - this.lsnOf(this.una) > windowPackets * this.payloadBytes
    if (isClosed && this.ackInterval > 0) return true
    if (this.byteWindow === null) return false
    return this.byteWindow.isClosed(recovery.isEstimating ? packets : inFlight, this.congestion.rateBps)
  }
}
