/**
 * HOT. Common part of TCP senders, apart from their reaction to duplicate ACKs: the retransmission timer with its RTT
 * samples, retransmission after a timeout, restart after idle, CWR. The window belongs to the congestion control;
 * packets known to have left the network do not count against it (`arrivedPackets`). Independent of RDMA.
 * Units: packets, of which each is a segment, numbered by unbounded PSNs; picoseconds.
 * Invariant: una <= nxt <= una + receiveWindow.
 * Source: RFC 6298 (timer), 7323 (timestamps), 5681 4.1 (idle), 3168 6.1.2 and 6.1.5 (CWR, retransmissions); BSD for
 * when the timing of a segment ends.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { count } from '../../base/params.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import { CWR, NOT_ECT, type Segment } from '../segment.ts'
import { RttEstimator } from '../rtt-estimator.ts'
import { LOSS_FOUND, NOTHING_NEW, SenderRecovery, type SendWindow, TIMER_OF_OLDEST, type Verdict } from './recovery.ts'

/** Shared by all TCP schemes. */
export const dupThreshParam = count({
  default: 3,
  min: 1,
  help: 'packets that have to arrive behind a missing one before it counts as lost',
  source: 'RFC 5681 3.2, RFC 6675: 3',
})

export interface TcpSenderOptions {
  /** Receive window, packets. */
  readonly receiveWindow: number
  readonly dupThresh: number
  readonly rtoInitialPs: number
  readonly rtoMinPs: number
  /** Least difference between the timeout and SRTT. */
  readonly rtoVariationPs: number
  /** Each ACK yields an RTT sample; else one segment at a time is timed. */
  readonly hasTimestamps: boolean
  /** ECN by RFC 3168: retransmissions are Not-ECT. */
  readonly hasCwr: boolean
  /** Without SACK: each of the first two duplicate ACKs releases a new packet (RFC 3042). */
  readonly hasLimitedTransmit: boolean
}

const NONE = -1

export abstract class TcpSender extends SenderRecovery {
  override readonly isEstimating = true
  inRecovery = 0
  /** `recover`, RecoveryPoint: highest packet sent when a loss was last detected. */
  recoveryPsn: number
  protected dupAcks = 0
  /** rwnd */
  protected readonly receiveWindow: number
  protected readonly dupThresh: number
  /** Packets in flight when a loss was last detected, except those released by duplicate ACKs. */
  protected lostFlight = 0
  private readonly estimator: RttEstimator
  private readonly hasTimestamps: number
  private readonly hasCwr: number
  /** `una` at the last call. */
  private base: number
  /** One past the highest packet sent, at the last call. */
  private sentUpTo: number
  /** PSN of the segment being timed, or NONE. */
  private timedPsn = NONE
  private timedPs = DOUBLE_ZERO
  private lastSentPs = DOUBLE_ZERO

  constructor(options: TcpSenderOptions, window: SendWindow) {
    super(window, TIMER_OF_OLDEST)
    this.receiveWindow = options.receiveWindow < IN_FLIGHT_MAX ? options.receiveWindow : IN_FLIGHT_MAX
    this.dupThresh = options.dupThresh
    this.estimator = new RttEstimator(options.rtoInitialPs, options.rtoMinPs, options.rtoVariationPs)
    this.hasTimestamps = options.hasTimestamps ? 1 : 0
    this.hasCwr = options.hasCwr ? 1 : 0
    this.base = window.una
    this.sentUpTo = window.una
    this.recoveryPsn = window.una - 2
  }

  /** Processes an ACK of `newPackets`. Returns whether recovery begins. */
  protected abstract processAck(newPackets: number, segment: Segment): boolean
  /** Updates `arrivedPackets` and the pending retransmission. */
  protected abstract open(): void
  /** The pending retransmission has been sent. */
  protected onResent(_psn: number): void {}
  /** Discards the scoreboard: packets known to have arrived out of order are sent again too. */
  protected forget(): void {}

  override onAck(nowPs: number, segment: Segment): Verdict {
    const { una } = this.window
    const newPackets = una - this.base
    if (newPackets > 0) {
      this.base = una
      this.time(nowPs, segment)
    }
    return this.processAck(newPackets, segment) ? LOSS_FOUND : NOTHING_NEW
  }

  override afterAck(): void {
    this.open()
  }

  /** TCP has no NAKs; anything such a segment acknowledges takes effect with the next ACK. */
  override onNak(): Verdict {
    return NOTHING_NEW
  }

  override capPackets(): number {
    return this.receiveWindow
  }

  override flightPackets(): number {
    return this.lostFlight
  }

  override timeoutPs(): number {
    return this.estimator.timeoutPs
  }

  override onTimeout(_nowPs: number): void {
    this.estimator.backOff()
    this.lostFlight = this.window.nxt - this.window.una
    this.restart()
  }

  override onRnr(): void {
    this.base = this.window.una
    this.forget()
    this.restart()
  }

  override onSent(nowPs: number, psn: number, isAgain: boolean, out: Segment): void {
    const window = this.window
    const isNew = window.highest > this.sentUpTo
    this.sentUpTo = window.highest
    if (!isNew) {
      this.timedPsn = NONE
      // RFC 3168 6.1.5
      if (this.hasCwr !== 0) out.ecn = NOT_ECT
    } else {
      const { congestion } = window
      if (psn === window.una && nowPs - this.lastSentPs > this.estimator.timeoutPs) congestion.onSilence()
      if (congestion.isCwrDue) {
        congestion.isCwrDue = false
        out.flags |= CWR
      }
      if (this.timedPsn < 0) {
        this.timedPsn = psn
        this.timedPs = nowPs
      }
    }
    this.lastSentPs = nowPs
    if (isAgain) this.onResent(psn)
    this.open()
  }

  /** Recovery begins with `flightPackets` in flight. */
  protected enter(flightPackets: number): void {
    this.lostFlight = flightPackets
    this.recoveryPsn = this.window.highest - 1
    this.inRecovery = 1
  }

  /** Everything from `una` on is sent again, except packets known to have arrived. */
  private restart(): void {
    const window = this.window
    window.nxt = window.una
    this.recoveryPsn = window.highest - 1
    this.inRecovery = 0
    this.dupAcks = 0
    window.cancelResend()
    this.timedPsn = NONE
    this.open()
  }

  /**
   * Takes an RTT sample from an ACK of new packets (RFC 6298 3; Karn: not if something was retransmitted meanwhile).
   */
  private time(nowPs: number, segment: Segment): void {
    if (this.hasTimestamps !== 0) this.estimator.sample(nowPs - segment.sentPs)
    else {
      if (this.timedPsn < 0 || this.timedPsn >= this.base) return
      this.estimator.sample(nowPs - this.timedPs)
      this.timedPsn = NONE
    }
  }
}
