/**
 * HOT. CUBIC: after a cut the window is a cubic function of time with its plateau at the window of the last loss; where
 * NewReno would be faster, it follows NewReno.
 * Units: packets, real; seconds in the cubic function, as its constant is packets per cubic second.
 * Source: RFC 9438 4. Deviates: no HyStart++, spurious cuts are not undone (docs/models/cubic.md).
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { pow } from '../../base/math.ts'
import { flag, ratio, SECOND, type ValuesOf } from '../../base/params.ts'
import { type AckEvent, type CongestionContext, defineCongestion } from './congestion.ts'
import { TCP_NEEDS, tcpNeedsWith, TcpWindow, tcpWindowParams } from './tcp-window.ts'

const params = {
  ...tcpWindowParams,
  c: ratio({
    default: 0.4,
    min: 1e-6,
    max: 1e18,
    help: 'C: how fast the window grows, packets per cubic second',
    source: 'RFC 9438 5.1: 0.4',
  }),
  beta: ratio({
    default: 0.7,
    min: 0.01,
    max: 0.99,
    help: 'share of the window that a cut leaves',
    source: 'RFC 9438 4.6: 0.7',
  }),
  fastConvergence: flag({
    default: true,
    help: 'a flow that is cut before it has reached its last window aims lower, so that others get room',
    source: 'RFC 9438 4.7',
  }),
  renoFriendly: flag({
    default: true,
    help: "never slower than NewReno's window with this beta would be",
    source: 'RFC 9438 4.3',
  }),
}

type CubicValues = ValuesOf<typeof params>

/** Smoothing gain of round trips, as for SRTT (RFC 6298). */
const RTT_GAIN = 1 / 8
/** A target is at most this multiple of the window (RFC 9438 4.2). */
const MOST_STEP = 1.5

export class Cubic extends TcpWindow {
  /** W_max: plateau of the cubic function. */
  maxPackets = DOUBLE_ZERO
  /** K: time from the beginning of congestion avoidance to the plateau. */
  kSeconds = DOUBLE_ZERO
  /** W_est: NewReno's window since then. */
  estimatePackets = DOUBLE_ZERO
  private readonly c: number
  private readonly beta: number
  private readonly hasFastConvergence: number
  private readonly isFriendly: number
  /** alpha_cubic while the estimate is below the window before the cut. */
  private readonly friendlyStep: number
  /** cwnd_prior */
  private priorPackets = DOUBLE_ZERO
  private epochPs = DOUBLE_ZERO
  private lastAckPs = DOUBLE_ZERO
  private srttPs = DOUBLE_ZERO
  /** 0: the next increase begins a stage of congestion avoidance. */
  private hasEpoch = 0
  /** 1: the coming stage is the first after a timeout. */
  private isAfterTimeout = 0

  constructor(values: CubicValues, context: CongestionContext) {
    super(values, context)
    this.c = values.c
    this.beta = values.beta
    this.hasFastConvergence = values.fastConvergence ? 1 : 0
    this.isFriendly = values.renoFriendly ? 1 : 0
    this.friendlyStep = (3 * (1 - values.beta)) / (1 + values.beta)
  }

  override onAck(nowPs: number, ack: AckEvent): void {
    const { rttPs } = ack
    this.srttPs += this.srttPs === 0 ? rttPs : (rttPs - this.srttPs) * RTT_GAIN
    super.onAck(nowPs, ack)
    this.lastAckPs = nowPs
  }

  override onSilence(): void {
    super.onSilence()
    this.hasEpoch = 0
  }

  protected override avoid(nowPs: number, packets: number): void {
    if (this.hasEpoch === 0) this.begin(nowPs)
    const sincePs = nowPs - this.epochPs
    const window = this.windowPackets
    // 4.3, figure 4; the step is one packet from the window of the last loss on.
    const step = this.estimatePackets < this.priorPackets ? this.friendlyStep : 1
    this.estimatePackets += (step * packets) / window
    if (this.isFriendly !== 0 && this.cubicAt(sincePs) < this.estimatePackets) {
      if (this.estimatePackets > window) this.windowPackets = this.estimatePackets
      return
    }
    const target = this.cubicAt(sincePs + this.srttPs)
    if (target <= window) return
    const most = MOST_STEP * window
    this.windowPackets += (packets * ((target < most ? target : most) - window)) / window
  }

  protected override cutPackets(_nowPs: number, usedPackets: number): number {
    const window = this.windowPackets
    this.priorPackets = window
    // 4.7
    const isConverging = this.hasFastConvergence !== 0 && window < this.maxPackets
    this.maxPackets = isConverging ? (window * (1 + this.beta)) / 2 : window
    this.hasEpoch = 0
    this.isAfterTimeout = 0
    return usedPackets * this.beta
  }

  protected override onRestart(): void {
    this.hasEpoch = 0
    this.isAfterTimeout = 1
  }

  /** 4.2: t excludes the time in which the window was not used. */
  protected override onUnused(nowPs: number): void {
    this.epochPs += nowPs - this.lastAckPs
  }

  /** Begins a stage of congestion avoidance (4.2; after a timeout 4.8). */
  private begin(nowPs: number): void {
    const window = this.windowPackets
    this.hasEpoch = 1
    this.epochPs = nowPs
    this.estimatePackets = window
    if (this.isAfterTimeout !== 0 || this.maxPackets < window) this.maxPackets = window
    this.isAfterTimeout = 0
    this.kSeconds = pow((this.maxPackets - window) / this.c, 1 / 3)
  }

  /** W_cubic at this time after the beginning of the stage. */
  private cubicAt(sincePs: number): number {
    const seconds = sincePs / SECOND - this.kSeconds
    return this.c * seconds * seconds * seconds + this.maxPackets
  }
}

export const cubic = defineCongestion({
  name: 'cubic',
  help: "Linux's TCP window: a cubic function of the time since the last cut, at least as fast as NewReno",
  source: 'RFC 9438',
  needs: TCP_NEEDS,
  needsWith: tcpNeedsWith,
  params,
  create: (values, context) => new Cubic(values, context),
  // RFC 9438 3.1 keeps TCP's window, RFC 5681 2 and 6675 5.
  windowCovers: 'all',
  cnpIntervalPs: () => 0,
})
