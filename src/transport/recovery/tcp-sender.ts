/**
 * HOT. What TCP senders share whatever they do about duplicate ACKs: the retransmission timer with its round trips, what
 * goes again after a timeout, the restart after a silence, CWR. The window is the congestion control's; what is known to
 * have left the network counts against it no more (`arrivedPackets`). Knows nothing of RDMA.
 * Units: packets, of which each is a segment, numbered by unbounded PSNs; picoseconds.
 * Invariant: una <= nxt <= una + receiveWindow.
 * Source: RFC 6298 (timer), 7323 (timestamps), 5681 4.1 (silence), 3168 6.1.2 and 6.1.5 (CWR, packets sent again); BSD for what ends the timing of a
 * segment.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { count } from '../../base/params.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import { CWR, NOT_ECT, type Segment } from '../segment.ts'
import { RttEstimator } from '../rtt-estimator.ts'
import { LOSS_FOUND, NOTHING_NEW, SenderRecovery, type SendWindow, TIMER_OF_OLDEST, type Verdict } from './recovery.ts'

/** Of every TCP. */
export const dupThreshParam = count({
  default: 3,
  min: 1,
  help: 'packets behind a missing one that have to arrive for it to count as lost',
  source: 'RFC 5681 3.2, RFC 6675: 3',
})

export interface TcpSenderOptions {
  /** Packets in flight that the receiver has room for. */
  readonly receiveWindow: number
  readonly dupThresh: number
  readonly rtoInitialPs: number
  readonly rtoMinPs: number
  /** How much the timeout is above SRTT, at least. */
  readonly rtoVariationPs: number
  /** Each ACK tells a round trip; else one segment at a time is timed. */
  readonly hasTimestamps: boolean
  /** ECN by RFC 3168: what goes again cannot be marked. */
  readonly hasCwr: boolean
  /** Without SACK: the first two duplicate ACKs let a new packet go each (RFC 3042). */
  readonly hasLimitedTransmit: boolean
}

const NONE = -1

export abstract class TcpSender extends SenderRecovery {
  override readonly isEstimating = true
  inRecovery = 0
  /** `recover`, RecoveryPoint: highest packet that was sent when packets were last found missing. */
  recoveryPsn: number
  protected dupAcks = 0
  /** rwnd */
  protected readonly receiveWindow: number
  protected readonly dupThresh: number
  /** Packets in flight when packets were last found missing, but for those that duplicate ACKs let go. */
  protected lostFlight = 0
  private readonly estimator: RttEstimator
  private readonly hasTimestamps: number
  private readonly hasCwr: number
  /** `una` as it last was here. */
  private base: number
  /** One past the highest packet sent, as it last was here. */
  private sentUpTo: number
  /** The segment that is being timed, or NONE. */
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

  /** An ACK, by which `newPackets` are acknowledged. Says whether recovery begins. */
  protected abstract onAnswer(newPackets: number, segment: Segment): boolean
  /** Settles what counts as arrived, and what goes again. */
  protected abstract open(): void
  /** The packet that was to go again has been sent. */
  protected onResent(_psn: number): void {}
  /** What is known to be there out of order goes again too. */
  protected forget(): void {}

  override onAck(nowPs: number, segment: Segment): Verdict {
    const { una } = this.window
    const newPackets = una - this.base
    if (newPackets > 0) {
      this.base = una
      this.time(nowPs, segment)
    }
    return this.onAnswer(newPackets, segment) ? LOSS_FOUND : NOTHING_NEW
  }

  override afterAnswer(): void {
    this.open()
  }

  /** TCP has none; what it acknowledges is seen with the next ACK. */
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

  /** Recovery begins with so many packets in flight. */
  protected enter(flightPackets: number): void {
    this.lostFlight = flightPackets
    this.recoveryPsn = this.window.highest - 1
    this.inRecovery = 1
  }

  /** Everything from `una` on goes again, as far as it is not known to be there. */
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

  /** An ACK of new packets tells a round trip (RFC 6298 3, Karn: not if something was sent again meanwhile). */
  private time(nowPs: number, segment: Segment): void {
    if (this.hasTimestamps !== 0) this.estimator.sample(nowPs - segment.sentPs)
    else {
      if (this.timedPsn < 0 || this.timedPsn >= this.base) return
      this.estimator.sample(nowPs - this.timedPs)
      this.timedPsn = NONE
    }
  }
}
