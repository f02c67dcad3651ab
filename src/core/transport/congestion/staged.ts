/**
 * HOT. Common part of DCQCN and QCN: a rate that returns to a target in steps, driven by a timer and a byte counter.
 * Stages count the steps of each driver since the last cut. While the higher one is at most F a step halves the
 * distance to the target (fast recovery); beyond it the target rises too, by the hyper step where both stages are
 * beyond F.
 * Units: bit/s, bytes on the wire. Invariant: minRate <= rateBps, and neither rate nor target is above the line rate.
 * Source: [Survey] V-B and Fig. 10; 802.1Qau's RP rate control.
 */
import { DOUBLE_ZERO } from '../../base/double.ts'
import { FIRST_CONGESTION_TIMER, type Timers } from '../timers.ts'
import { type CongestionContext, CongestionControl } from './congestion.ts'

/** Parameters that every staged control declares under these names. */
interface StagedValues {
  /** Wire bytes between steps; null: only the timer drives. */
  readonly byteCounter: number | null
  readonly fastRecovery: number
  readonly additiveRate: number
  readonly hyperRate: number
  readonly minRate: number
  readonly maxCut: number
}

/** The timer that drives steps. */
export const RATE_TIMER = FIRST_CONGESTION_TIMER

/** `targetBps` and the stages are public for tests. */
export abstract class StagedControl extends CongestionControl {
  targetBps = DOUBLE_ZERO
  timerStage = 0
  byteStage = 0
  protected readonly timers: Timers
  protected readonly lineBps: number
  protected readonly minBps: number
  protected readonly whole: boolean
  /** 1: the rate is below line rate and the drivers run. */
  protected isLimited = 0
  protected bytesLeft: number
  private readonly staged: StagedValues

  constructor(values: StagedValues, context: CongestionContext) {
    super(context)
    this.canRest = 1
    this.staged = values
    this.timers = context.timers
    this.lineBps = context.lineRateBps
    this.minBps = Math.min(values.minRate, context.lineRateBps)
    this.whole = context.wholeRates
    this.targetBps = context.lineRateBps
    this.bytesLeft = values.byteCounter ?? Infinity
  }

  override onSent(_nowPs: number, wireBytes: number): void {
    if (this.isLimited === 0) return
    this.bytesLeft -= wireBytes
    while (this.bytesLeft <= 0) {
      if (this.countsFirst) this.byteStage++
      this.bytesLeft += this.cycleBytes()
      this.increase()
      if (!this.countsFirst) this.byteStage++
    }
  }

  /** Whether the stage is incremented before the step is taken. */
  protected get countsFirst(): boolean {
    return true
  }

  /** One step of increase, according to the current stages. */
  increase(): void {
    const v = this.staged
    const most = this.timerStage > this.byteStage ? this.timerStage : this.byteStage
    const least = this.leastStage()
    const stepBps = this.isFast(most) ? 0 : least > v.fastRecovery ? this.hyperStepBps(least) : v.additiveRate
    this.raiseTarget(stepBps)
    this.climb(0, 1)
  }

  /**
   * Up to `steps` steps that raise the target by the same, of which the last is the one that reaches the line rate.
   * @returns steps taken
   */
  protected climb(stepBps: number, steps: number): number {
    const { lineBps, whole } = this
    let { rateBps, targetBps } = this
    let taken = 0
    let isLast = false
    while (taken < steps && !isLast) {
      taken++
      targetBps += stepBps
      if (targetBps > lineBps) targetBps = lineBps
      const beforeBps = rateBps
      rateBps = whole ? Math.floor(rateBps / 2) + Math.floor(targetBps / 2) : (rateBps + targetBps) / 2
      if (rateBps > lineBps) rateBps = lineBps
      // Halving with rounding to whole bit/s would stay one below the line for ever: a step without effect is the last.
      isLast = targetBps === lineBps && (rateBps === lineBps || rateBps === beforeBps)
    }
    this.rateBps = rateBps
    this.targetBps = targetBps
    if (isLast) this.rest()
    return taken
  }

  /** Whether a step at this stage, the higher of the two, only halves the distance. */
  protected isFast(mostStage: number): boolean {
    return mostStage <= this.staged.fastRecovery
  }

  /** Hyper step; `leastStage` is the lower of the two stages. */
  protected hyperStepBps(leastStage: number): number {
    return (leastStage - this.staged.fastRecovery) * this.staged.hyperRate
  }

  protected raiseTarget(stepBps: number): void {
    this.targetBps += stepBps
  }

  /** Bytes of the cycle that begins. */
  protected cycleBytes(): number {
    return this.staged.byteCounter ?? Infinity
  }

  /** The lower stage. Without a byte counter the timer's stage stands for both. */
  protected leastStage(): number {
    if (this.staged.byteCounter === null) return this.timerStage > this.byteStage ? this.timerStage : this.byteStage
    return this.timerStage < this.byteStage ? this.timerStage : this.byteStage
  }

  /** Back at line rate: the drivers stop until the next cut. */
  protected rest(): void {
    this.rateBps = this.lineBps
    this.isLimited = 0
    this.timers.clear(RATE_TIMER)
  }

  /** Multiplies the rate by a factor and restarts both drivers. */
  protected cutBy(factor: number): void {
    const v = this.staged
    let cutBps = this.rateBps * (factor < 1 - v.maxCut ? 1 - v.maxCut : factor)
    if (this.whole) cutBps = Math.floor(cutBps)
    this.rateBps = cutBps > this.minBps ? cutBps : this.minBps
    this.timerStage = 0
    this.byteStage = 0
    this.bytesLeft = v.byteCounter ?? Infinity
  }
}
