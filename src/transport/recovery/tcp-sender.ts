/**
 * HOT. What TCP senders share whatever they do about duplicate ACKs: slow start and congestion avoidance, the
 * retransmission timer with its round trips, the restart after a silence. Knows nothing of RDMA.
 * Units: packets, of which each is a segment, numbered by unbounded PSNs; windows are real; picoseconds.
 * Invariant: windowPackets >= 1; una <= nxt <= una + receiveWindow.
 * Source: RFC 5681 (windows), 6298 (timer), 7323 (timestamps); BSD for what ends the timing of a segment.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { count, countOrOff, duration, flag, US, type ValuesOf } from '../../base/params.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import type { Segment } from '../segment.ts'
import { RttEstimator } from '../rtt-estimator.ts'
import {
  NOTHING_NEW,
  type RecoveryContext,
  SenderRecovery,
  type SendWindow,
  TIMER_OF_OLDEST,
  type Verdict,
} from './recovery.ts'

export const tcpParams = {
  initialWindow: count({
    default: 4,
    min: 1,
    max: IN_FLIGHT_MAX,
    help: 'packets that may be in flight at first, and again after a silence of a timeout',
    source: 'RFC 5681 3.1: 4 for segments up to 1095B; RFC 6928: 10',
  }),
  receiveWindow: countOrOff({
    default: null,
    min: 1,
    max: IN_FLIGHT_MAX,
    help: 'packets in flight that the receiver has room for; off: twice what fills the line over the longest path of the network and back',
    source: 'own: it is not to bind before the congestion window does',
  }),
  dupThresh: count({
    default: 3,
    min: 1,
    help: 'packets behind a missing one that have to arrive for it to count as lost',
    source: 'RFC 5681 3.2, RFC 6675: 3',
  }),
  rtoInitial: duration({
    default: 320 * US,
    min: 1,
    help: 'timeout until a round trip is measured; qp.ackTimeout is not read',
    source: 'RTO_high of S3 4.1, so that schemes compare; RFC 6298: 1s',
  }),
  rtoMin: duration({
    default: 320 * US,
    min: 1,
    help: 'least timeout',
    source: 'RTO_high of S3 4.1; RFC 6298: 1s',
  }),
  timestamps: flag({
    default: false,
    help: 'each ACK tells a round trip, for 12 bytes in every segment; false: one segment at a time is timed',
    source: 'RFC 7323',
  }),
}

export type TcpValues = ValuesOf<typeof tcpParams>

/** No cut leaves less (RFC 5681 (4)). */
const LEAST_THRESHOLD = 2
const NONE = -1

export abstract class TcpSender extends SenderRecovery {
  /** cwnd */
  windowPackets = DOUBLE_ZERO
  /** ssthresh */
  thresholdPackets = DOUBLE_ZERO
  inRecovery = 0
  /** `recover`, RecoveryPoint: highest packet that was sent when packets were last found missing. */
  recoveryPsn: number
  protected dupAcks = 0
  /** Most packets in flight now: by cwnd and rwnd. */
  protected cap: number
  /** rwnd */
  protected readonly receiveWindow: number
  protected readonly dupThresh: number
  private readonly initialWindow: number
  private readonly estimator: RttEstimator
  private readonly hasTimestamps: number
  /** `una` as it last was here. */
  private base: number
  /** One past the highest packet sent, as it last was here. */
  private sentUpTo: number
  /** The segment that is being timed, or NONE. */
  private timedPsn = NONE
  private timedPs = DOUBLE_ZERO
  private lastSentPs = DOUBLE_ZERO
  /** The oldest packet at the last timeout. */
  private timeoutPsn = NONE

  constructor(values: TcpValues, window: SendWindow, context: RecoveryContext) {
    super(window, TIMER_OF_OLDEST)
    this.windowPackets = values.initialWindow
    this.thresholdPackets = Infinity
    this.initialWindow = values.initialWindow
    this.receiveWindow = receiveWindowOf(values, context)
    this.cap = values.initialWindow < this.receiveWindow ? values.initialWindow : this.receiveWindow
    this.dupThresh = values.dupThresh
    this.estimator = new RttEstimator(values.rtoInitial, values.rtoMin)
    this.hasTimestamps = values.timestamps ? 1 : 0
    this.base = window.una
    this.sentUpTo = window.una
    this.recoveryPsn = window.una - 2
  }

  /** `newPackets` are acknowledged by it. */
  protected abstract onAnswer(newPackets: number, segment: Segment): void
  /** Settles what may be sent: new packets up to `cap`, and what goes again. */
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
    this.onAnswer(newPackets, segment)
    this.open()
    // The window that hears of a loss is its own.
    return NOTHING_NEW
  }

  /** TCP has none; what it acknowledges is seen with the next ACK. */
  override onNak(): Verdict {
    return NOTHING_NEW
  }

  override capPackets(): number {
    return this.cap
  }

  override timeoutPs(): number {
    return this.estimator.timeoutPs
  }

  override onTimeout(_nowPs: number): void {
    this.estimator.backOff()
    const { window } = this
    // RFC 5681 (4); not again where the same segment times out again (3.1).
    if (window.una !== this.timeoutPsn) this.setThreshold(window.nxt - window.una)
    this.timeoutPsn = window.una
    this.windowPackets = 1
    this.restart()
  }

  override onRnr(): void {
    this.base = this.window.una
    this.forget()
    this.restart()
  }

  override onSent(nowPs: number, psn: number, isAgain: boolean): void {
    const window = this.window
    const isNew = window.highest > this.sentUpTo
    this.sentUpTo = window.highest
    if (!isNew) this.timedPsn = NONE
    else {
      // RFC 5681 4.1: what was learnt before a silence is old.
      const isAfterSilence = psn === window.una && nowPs - this.lastSentPs > this.estimator.timeoutPs
      if (isAfterSilence && this.windowPackets > this.initialWindow) this.windowPackets = this.initialWindow
      if (this.timedPsn < 0) {
        this.timedPsn = psn
        this.timedPs = nowPs
      }
    }
    this.lastSentPs = nowPs
    if (isAgain) this.onResent(psn)
    this.open()
  }

  /** An ACK of new packets outside recovery (RFC 5681 3.1, (2) and (3)). */
  protected grow(): void {
    const packets = this.windowPackets + (this.windowPackets < this.thresholdPackets ? 1 : 1 / this.windowPackets)
    this.windowPackets = packets < this.receiveWindow ? packets : this.receiveWindow
  }

  /** Recovery begins with so many packets in flight. */
  protected enter(flightPackets: number): void {
    this.setThreshold(flightPackets)
    this.recoveryPsn = this.window.highest - 1
    this.inRecovery = 1
  }

  private setThreshold(flightPackets: number): void {
    this.thresholdPackets = flightPackets > 2 * LEAST_THRESHOLD ? flightPackets / 2 : LEAST_THRESHOLD
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

/** Never less than the first packets: it is not to bind before they are sent. */
export function receiveWindowOf(values: TcpValues, context: RecoveryContext): number {
  return values.receiveWindow ?? Math.min(IN_FLIGHT_MAX, Math.max(2 * context.bdpPackets, values.initialWindow))
}
