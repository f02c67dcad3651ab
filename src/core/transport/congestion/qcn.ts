/**
 * QCN, reaction point: a switch's congestion message cuts the rate by its feedback; timer and byte counter raise it
 * again.
 * Units: bit/s, bytes on the wire. Invariant: minRate <= rateBps <= line rate.
 * Source: [Survey] V-B and Fig. 10; 802.1Qau as quoted in docs/models/qcn.md. Its congestion point:
 * fabric/congestion-point.ts.
 */
import { count, duration, KB, MBPS, MS, rate, ratio, sizeOrOff, type ValuesOf } from '../../base/params.ts'
import { defineCongestion, type CongestionContext } from './congestion.ts'
import { RATE_TIMER, StagedControl } from './staged.ts'

const params = {
  gd: ratio({ default: 1 / 128, help: 'cut per unit of feedback, 0..63', source: '802.1Qau: 1/128' }),
  maxCut: ratio({ default: 0.5, help: 'a cut takes at most this share of the rate', source: '802.1Qau: 1/2' }),
  rateInterval: duration({
    default: 15 * MS,
    min: 2,
    help: 'time between increases by the timer, half as long in hyper increase',
    source: '802.1Qau: 15ms',
  }),
  byteCounter: sizeOrOff({
    default: 150 * KB,
    min: 2,
    help: 'wire bytes between increases by the byte counter, half as many in hyper increase; off: timer only',
    source: '802.1Qau: 150KB',
  }),
  fastRecovery: count({
    default: 5,
    help: 'increase steps that only halve the distance to the target',
    source: '802.1Qau: 5',
  }),
  additiveRate: rate({
    default: 5 * MBPS,
    help: 'target step of active increase',
    source: '802.1Qau: 5Mbps at 10G',
  }),
  hyperRate: rate({ default: 50 * MBPS, help: 'target step of hyper increase', source: '802.1Qau: 50Mbps at 10G' }),
  minRate: rate({ default: 10 * MBPS, min: 1, help: 'never slower', source: '802.1Qau: 10Mbps' }),
}

/** A target more than FAR times the rate is divided by DAMPING, since it would mislead (802.1Qau). */
const FAR = 10
const DAMPING = 8

export class Qcn extends StagedControl {
  private readonly values: ValuesOf<typeof params>

  constructor(values: ValuesOf<typeof params>, context: CongestionContext) {
    super(values, context)
    this.values = values
  }

  override onCnm(nowPs: number, feedback: number): void {
    const { gd, rateInterval } = this.values
    // Consecutive messages without a byte cycle between them keep the target of the first. Without a byte counter the
    // timer's steps stand for both.
    const stage = this.values.byteCounter === null ? this.timerStage : this.byteStage
    if (stage !== 0) this.targetBps = this.rateBps
    this.cutBy(1 - gd * feedback)
    this.isLimited = 1
    this.timers.set(RATE_TIMER, nowPs + rateInterval)
  }

  override onTimer(nowPs: number): void {
    const { rateInterval } = this.values
    this.timerStage++
    this.timers.set(RATE_TIMER, nowPs + (this.isHyper() ? Math.ceil(rateInterval / 2) : rateInterval))
    this.increase()
  }

  protected override cycleBytes(): number {
    return this.isHyper() ? super.cycleBytes() / 2 : super.cycleBytes()
  }

  protected override raiseTarget(stepBps: number): void {
    const isFirst = this.byteStage === 1 || this.timerStage === 1
    if (!isFirst || this.targetBps <= FAR * this.rateBps) this.targetBps += stepBps
    else this.targetBps = this.whole ? Math.floor(this.targetBps / DAMPING) : this.targetBps / DAMPING
  }

  private isHyper(): boolean {
    return this.leastStage() > this.values.fastRecovery
  }
}

export const qcn = defineCongestion({
  name: 'qcn',
  help: 'switches send congestion messages with the excess of their queue over its set point (802.1Qau); the rate is cut by that',
  source: '[Survey] V-B, Fig. 10; 802.1Qau',
  needs: { qcn: true },
  params,
  create: (values, context) => new Qcn(values, context),
  cnpIntervalPs: () => 0,
  timerPs: ({ rateInterval }) => rateInterval,
})
