/**
 * HOT. Common part of IRN's senders: BDP flow control and the choice of the timeout.
 * The timer belongs to the oldest packet. It runs for RTO_low; if more than N packets are in flight when it expires, it
 * is extended to RTO_high, since a NACK should come before that.
 * Units: packets, picoseconds.
 * Source: [IRN] 3.1 (timeouts), 3.2 (BDP-FC). As in the authors' hardware model, N is compared when the timer fires,
 * not when it is set, and a slow sender gets the long timeout too (docs/models/irn.md).
 */
import { choice, countOrOff, count, duration, flag, NEVER_PS, ratio, US, type ValuesOf } from '../../base/params.ts'
import { IN_FLIGHT_MAX } from '../psn.ts'
import { RETRANSMITTED, type Segment } from '../segment.ts'
import { RttEstimator } from '../rtt-estimator.ts'
import { type RecoveryContext, SenderRecovery, type SendWindow, TIMER_OF_OLDEST, type TimerRule } from './recovery.ts'

export const cappedParams = {
  bdpFlowControl: flag({
    default: true,
    help: 'limits the packets in flight to the bandwidth-delay product',
    source: '[IRN] 3.2; false: the ablation of 4.3',
  }),
  cap: countOrOff({
    default: null,
    min: 1,
    max: IN_FLIGHT_MAX,
    help: 'that limit, packets; off: the BDP of the longest path in the network',
    source: '[IRN] 3.2; 110 in [IRN] 4.1',
  }),
  timeout: choice(['two-level', 'dynamic'], {
    default: 'two-level',
    help: 'two-level: rtoLow with few packets in flight, else qp.ackTimeout; dynamic: from measured round trips, as TCP',
    source: '[IRN] 3.1; dynamic: the ablation of 4.3, RFC 6298',
  }),
  rtoLow: duration({
    default: 100 * US,
    min: 1,
    help: 'timeout with at most rtoLowPackets in flight; least timeout where it is dynamic; none without qp.ackTimeout',
    source: '[IRN] 4.1: 100us',
  }),
  rtoLowPackets: count({
    default: 3,
    help: 'two-level: packets in flight up to which rtoLow counts',
    source: '[IRN] 4.1: N = 3',
  }),
  rtoLowSlowdown: ratio({
    default: 4,
    min: 1,
    max: 1e6,
    help: 'two-level: rtoLow counts only where the rate is at least the line rate divided by this',
    source: "the authors' hardware model; [IRN] is silent",
  }),
}

export type CappedValues = ValuesOf<typeof cappedParams>

export abstract class CappedSender extends SenderRecovery {
  private readonly cap: number
  protected readonly lowPackets: number
  private readonly lowSlowdown: number
  /** Difference between the high and the low timeout. */
  protected readonly extensionPs: number
  protected readonly lowPs: number
  private isExtended = 0
  private readonly estimator: RttEstimator | null

  constructor(
    values: CappedValues,
    window: SendWindow,
    context: RecoveryContext,
    timerRule: TimerRule = TIMER_OF_OLDEST,
  ) {
    super(window, timerRule)
    this.cap = Math.min(capOf(values, context), IN_FLIGHT_MAX)
    this.lowPackets = values.rtoLowPackets
    this.lowSlowdown = values.rtoLowSlowdown
    const highPs = window.ackTimeoutPs
    const lowPs = (this.lowPs = values.rtoLow < highPs ? values.rtoLow : highPs)
    const isDynamic = values.timeout === 'dynamic' && highPs < NEVER_PS
    this.estimator = isDynamic ? new RttEstimator(highPs, lowPs) : null
    this.extensionPs = isDynamic || highPs === NEVER_PS ? 0 : highPs - lowPs
  }

  override capPackets(): number {
    return this.cap
  }

  override timeoutPs(): number {
    this.isExtended = 0
    const estimator = this.estimator
    if (estimator === null) return this.lowPs
    return estimator.timeoutPs
  }

  override extendTimeout(): number {
    if (this.extensionPs === 0 || this.isExtended !== 0) return 0
    const window = this.window
    if (window.nxt - window.una <= this.lowPackets && window.slowdown <= this.lowSlowdown) return 0
    this.isExtended = 1
    return this.extensionPs
  }

  override onTimeout(_nowPs: number): void {
    const estimator = this.estimator
    if (estimator !== null) estimator.backOff()
  }

  /** Takes an RTT sample from an ACK or NACK, unless its packet was retransmitted (Karn). */
  protected sample(nowPs: number, segment: Segment): void {
    const estimator = this.estimator
    if (estimator === null || (segment.flags & RETRANSMITTED) !== 0) return
    estimator.sample(nowPs - segment.sentPs)
  }
}

/** Most packets in flight, or Infinity. */
export function capOf(values: CappedValues, context: RecoveryContext): number {
  return values.bdpFlowControl ? (values.cap ?? context.bdpPackets) : Infinity
}
